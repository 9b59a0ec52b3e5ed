//! The campaigns of a shop's zones: the live ones, the content of a zone of a page and its reason, the change, and the
//! way back.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::campaign_list::{group_by_zone, in_zone_order, move_campaign};
use super::catalogue_names::{find_id, load_choices};
use super::entry_publishing::PublishOutcome;
use super::versioned_lists::{ListFormOutcome, ListPage, apply_refusal, take_page};
use crate::console::auth::authorization::{Authorized, AuthorizedForm, Merchandise, RequiredRight, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::option_rows::add_option_rows;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::operators::Right;
use crate::zones::is_plain;

/// Campaigns, as lists that a shop sets.
pub(super) const CAMPAIGNS: ListPage = ListPage {
    name: "Campaigns",
    path: "/api/zones",
    page: "zones",
    set: "zones-set",
    undone: "zones-undone",
    columns: &[
        "Id",
        "Zone",
        "Title",
        "Pages",
        "Categories",
        "Brands",
        "Products",
        "From",
        "Until",
        "Share",
        "ProductsShown",
        "CategoriesShown",
        "BrandsShown",
        "Html",
        "Popup",
        "Images",
        "Template",
        "Empty",
    ],
};

/// Form fields that name a zone and its page, with the names of the operation.
const PLACE: [(&str, &str); 6] = [
    ("zone", "Zone"),
    ("kind", "Page"),
    ("product", "Product"),
    ("category", "Category"),
    ("brand", "Brand"),
    ("group", "Group"),
];

/// The live campaigns, or those of a version, and the content of the zone in the address.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let answer = console.find_answer(&may)?;
    if answer["typed"].is_string() && !CAMPAIGNS.is_wanted(&may) {
        return preview_campaigns(&console, &may, answer).await;
    }
    let mut values = json!({"asked": asked, "set": asked.number("set"), "is_same": asked.has("unchanged")});
    let shown = match asked.text("zone") {
        "" => Ok(Value::Null),
        _ => load_zone(&console, may.shop()?, &asked, None).await,
    };
    if let Ok(shown) = shown.as_ref()
        && may.wants("shown")
    {
        return table(shown);
    }
    let status = shown.as_ref().err().map_or(StatusCode::OK, |refused| refused.status);
    match shown {
        Ok(shown) => values["shown"] = shown,
        Err(refused) => {
            values["wrong"] = refused.field(&[("Page", "in-kind"), ("", "in-zone")]).into();
            values["zone_fault"] = refused.sentence.into();
        }
    }
    let page = render_page(&console, &may, asked.number("version"), values).await?;
    Ok((status, page).into_response())
}

/// Spreadsheet of the items in a zone.
fn table(shown: &Value) -> Result<Response, Problem> {
    let columns = ["Id", "Title", "DisplayName", "DisplayPrice"];
    csv::file("zone", &columns, &shown["Zone"]["items"])
}

/// Loads the items in a zone: of the live campaigns, or of `campaigns`.
///
/// # Errors
/// When the zone or its page is not valid, or cannot be read.
pub(super) async fn load_zone(
    console: &Console,
    shop: &ConsoleShop,
    asked: &FieldMap,
    campaigns: Option<&Value>,
) -> Result<Value, Problem> {
    let mut question = json!({});
    asked.fill_question(&mut question, &PLACE);
    for (name, section) in [("Product", "Products"), ("Category", "Categories"), ("Brand", "Brands")] {
        if let Some(typed) = question[name].as_str()
            && let Some(id) = find_id(console, shop, section, typed).await?
        {
            question[name] = id.into();
        }
    }
    if let Some(campaigns) = campaigns {
        question["Campaigns"] = campaigns.clone();
    }
    let mut zone = console.operations.call_for_shop(shop, "/api/zones/preview", question).await?;
    add_option_rows(&mut zone);
    Ok(zone)
}

async fn render_page<N: RequiredRight>(
    console: &Console,
    may: &Authorized<N>,
    version: Option<i64>,
    mut values: Value,
) -> Result<Response, Problem> {
    CAMPAIGNS.fill_page_values(console, may.shop()?, version, &mut values).await?;
    if let Some(sheet) = CAMPAIGNS.render_csv(may, &values)? {
        return Ok(sheet);
    }
    values["here"] = "zones".into();
    let campaigns = in_zone_order(&values["list"]);
    values["list"] = take_page(&campaigns, &mut values).into();
    values["zones"] = group_by_zone(&values["list"]).into();
    values["kinds"] = kinds();
    values["choices"] = load_choices(console, may.shop()?, &["Products", "Categories", "Brands"]).await?;
    console.drawing.render_signed_in(may, "zones.html", values)
}

/// The kinds of pages.
pub(super) fn kinds() -> Value {
    use crate::zones::PageKind as Page;
    json!([
        Page::Homepage,
        Page::SearchResults,
        Page::CategoryListingPage,
        Page::ProductListingPage,
        Page::ProductPage,
        Page::AddedToBasket,
        Page::BasketPage,
        Page::OrderCompletePage,
        Page::MyRecommendations,
        Page::MyAccount,
        Page::ContentPage,
        Page::LandingPage,
    ])
}

/// Previews the effect of typed campaigns on a zone.
async fn preview_campaigns(
    console: &Console,
    may: &Authorized<View>,
    mut values: Value,
) -> Result<Response, Problem> {
    let texts = console.drawing.words(may.session.language);
    let campaigns =
        CAMPAIGNS.parse_list(values["typed"].as_str().unwrap_or_default(), texts).unwrap_or_default();
    let asked: FieldMap = serde_json::from_value(values["asked"].clone()).unwrap_or_default();
    let mut status = StatusCode::OK;
    match load_both_previews(console, may.shop()?, &asked, &campaigns).await {
        Ok((now, _)) if may.wants("shown") => return table(&now),
        Ok((now, then)) => {
            values["shown"] = now;
            values["then"] = then;
            values["tried"] = campaigns;
        }
        Err(wrong) => status = apply_refusal(&mut values, (wrong.status, wrong.sentence)),
    }
    Ok((status, render_page(console, may, None, values).await?).into_response())
}

/// Keeps campaigns to be tried with a zone, or sets them.
pub(crate) async fn post(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let asked: FieldMap = PLACE.iter().map(|(field, _)| (*field, act.form.text(field))).collect();
    let mut values =
        json!({"typed": act.form.raw("list"), "before": act.form.text("before"), "asked": asked});
    let shop = act.may.shop()?;
    if let Some((id, is_up)) = wanted_move(act.form.raw("do")) {
        return move_in_zone(&console, &act, id, is_up).await;
    }
    let sent = match of_an_owner(&console, &act).await? {
        Some(sentence) => ListFormOutcome::Refused(StatusCode::FORBIDDEN, sentence),
        None => CAMPAIGNS.send(&console, &act).await,
    };
    let (status, fault) = match sent {
        ListFormOutcome::Set(set) => return Ok(CAMPAIGNS.redirect_to_version(shop, &set["Version"])),
        ListFormOutcome::Unchanged => return Ok(CAMPAIGNS.redirect_unchanged(shop)),
        ListFormOutcome::Refused(status, sentence) => (status, sentence),
        ListFormOutcome::Tried => {
            return console.redirect_with_answer(&act.may, &CAMPAIGNS.at_shop(shop), &values);
        }
    };
    let status = apply_refusal(&mut values, (status, fault));
    let page = render_page(&console, &act.may, None, values).await?;
    Ok((status, page).into_response())
}

/// The campaign that a button moves, `up:ID` or `down:ID`, and whether it goes up.
fn wanted_move(button: &str) -> Option<(&str, bool)> {
    let up = button.strip_prefix("up:").map(|id| (id, true));
    up.or_else(|| button.strip_prefix("down:").map(|id| (id, false)))
}

/// Publishes the live campaigns with one of them before or behind its neighbour of the same zone.
async fn move_in_zone(
    console: &Console,
    act: &AuthorizedForm<Merchandise>,
    id: &str,
    is_up: bool,
) -> Result<Response, Problem> {
    let seen = act.form.text("before").parse().unwrap_or_default();
    let change = |list: &mut Vec<Value>| move_campaign(list, id, is_up);
    let (status, fault) = match CAMPAIGNS.publish_change(console, &act.may, seen, change).await? {
        PublishOutcome::Published(set) => {
            return Ok(CAMPAIGNS.redirect_to_version(act.may.shop()?, &set["Version"]));
        }
        PublishOutcome::Unchanged => return Ok(CAMPAIGNS.redirect_unchanged(act.may.shop()?)),
        PublishOutcome::Refused(refused) => (refused.status, refused.sentence),
        PublishOutcome::Superseded { .. } => {
            let texts = console.drawing.words(act.may.session.language);
            (StatusCode::CONFLICT, texts.translate("console.zones.not_moved", &[]))
        }
    };
    let page = render_page(console, &act.may, None, json!({"asked": {}, "move_fault": fault})).await?;
    Ok((status, page).into_response())
}

/// Sentence that says why only an owner may set the typed campaigns; `None` if the sender may. Markup that may run in
/// every shopper's page can do as much as the shop's secret. A campaign that is live already may stay as it is.
async fn of_an_owner(
    console: &Console,
    act: &AuthorizedForm<Merchandise>,
) -> Result<Option<String>, Problem> {
    let shop = act.may.shop()?;
    let texts = console.drawing.words(act.may.session.language);
    if act.may.operator.is_allowed(Right::Admin, Some(shop.id)) || act.form.text("do") != "set" {
        return Ok(None);
    }
    let Ok(typed) = CAMPAIGNS.parse_list(act.form.raw("list"), texts) else { return Ok(None) };
    refusal_of_markup(console, act, &typed).await
}

/// The sentence that refuses a list for a campaign that an owner has to set, if it has one that does not act already.
///
/// # Errors
/// When the live campaigns cannot be read.
pub(super) async fn refusal_of_markup(
    console: &Console,
    act: &AuthorizedForm<Merchandise>,
    list: &Value,
) -> Result<Option<String>, Problem> {
    let shop = act.may.shop()?;
    let texts = console.drawing.words(act.may.session.language);
    let acting = console.operations.call_for_shop(shop, CAMPAIGNS.path, json!({})).await?;
    let acting = acting[CAMPAIGNS.name].as_array().map_or(&[][..], Vec::as_slice);
    let is_of_anybody = |campaign: &Value| {
        let html = campaign["Html"].as_str().unwrap_or_default();
        is_plain(html) && campaign["Template"].as_str().unwrap_or_default().is_empty()
    };
    let is_allowed = |campaign: &&Value| acting.contains(*campaign) || is_of_anybody(campaign);
    let refused = list.as_array().into_iter().flatten().find(|campaign| !is_allowed(campaign));
    Ok(refused.map(|campaign| {
        texts.translate("console.zones.of_an_owner", &[("id", campaign["Id"].as_str().unwrap_or_default())])
    }))
}

/// Loads the items in a zone now, and with other campaigns.
async fn load_both_previews(
    console: &Console,
    shop: &ConsoleShop,
    asked: &FieldMap,
    campaigns: &Value,
) -> Result<(Value, Value), Problem> {
    // Campaigns are read together with a zone: the home page's first, where none is named.
    let is_named = !asked.text("zone").is_empty();
    let named: FieldMap = if is_named { asked.clone() } else { [("zone", "HP-01")].into_iter().collect() };
    let then = load_zone(console, shop, &named, Some(campaigns)).await?;
    if !is_named {
        return Ok((Value::Null, Value::Null));
    }
    Ok((load_zone(console, shop, &named, None).await?, then))
}

/// Restores earlier campaigns, if the operator may set them.
pub(crate) async fn undo(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let shop = act.may.shop()?;
    let version = act.form.text("version").parse::<i64>().map_err(|_| Problem::not_found())?;
    // The list before the first one has nothing in it.
    if version > 0 && !act.may.operator.is_allowed(Right::Admin, Some(shop.id)) {
        let list =
            console.operations.call_for_shop(shop, CAMPAIGNS.path, json!({ "Version": version })).await?;
        let refusal = refusal_of_markup(&console, &act, &list[CAMPAIGNS.name]).await?;
        if let Some(sentence) = refusal {
            return Err(Problem::new(StatusCode::FORBIDDEN, &sentence));
        }
    }
    CAMPAIGNS.undo(&console, &act).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_moves_a_campaign_by_its_id() {
        let wanted = ["up:sale", "down:a:b", "up:", "set", "try", "sale"].map(wanted_move);
        let moves = [Some(("sale", true)), Some(("a:b", false)), Some(("", true)), None, None, None];
        assert_eq!(wanted, moves);
    }
}
