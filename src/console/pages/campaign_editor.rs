//! The editor of a campaign of a zone: its form, the effect of what is typed, and publishing or deleting it.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::campaign_effect::{known_zones, load_effect};
use super::campaign_form::{
    CONTENTS, apply_image_button, campaign_of_fields, fields_of_campaign, image_rows, opened_campaign,
    take_over, wrong_number,
};
use super::campaign_list::put_campaign;
use super::catalogue_names::load_choices;
use super::editor_lists::{ItemList, apply_list_button, load_lists};
use super::entry_publishing::{LiveList, PublishOutcome, find_entry, opened_version, remove_entry};
use super::filter_fields::{FLAGS, FilterFields};
use super::zones::{CAMPAIGNS, kinds, refusal_of_markup};
use crate::console::auth::authorization::{Authorized, AuthorizedForm, Merchandise};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::editor_fields::EditorFields;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::operators::Right;
use crate::recommend::recommender::Recommender;

/// Lists of items in the form.
const LISTS: [ItemList; 5] = [
    ItemList::new("categories", "Categories"),
    ItemList::new("brands", "Brands"),
    ItemList::new("products", "Products"),
    ItemList::new("filter_category", "Categories"),
    ItemList::new("filter_brand", "Brands"),
];

/// The form of a campaign: of the one in the address, of a new one for a zone, or as it was typed.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<Merchandise>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let answer = console.find_answer(&may)?;
    let live = CAMPAIGNS.load_live(&console, may.shop()?).await?;
    let is_typed = answer["fields"].is_object();
    let fields = if is_typed {
        serde_json::from_value(answer["fields"].clone()).unwrap_or_default()
    } else {
        open_fields(&live, &asked)?
    };
    render_page(&console, &may, &live, &fields, json!({"is_typed": is_typed})).await
}

/// The fields of the campaign in the address, or of a new one, which shows products.
fn open_fields(live: &LiveList, asked: &FieldMap) -> Result<EditorFields, Problem> {
    let mut fields = EditorFields::default();
    if asked.text("id").is_empty() {
        fields.set("zone", asked.text("zone"));
        fields.set("shows", CONTENTS[0].0);
    } else {
        let campaign = find_entry(&live.entries, asked.text("id"));
        fields = fields_of_campaign(campaign.ok_or_else(Problem::not_found)?);
    }
    fields.set("before", &live.version.to_string());
    Ok(fields)
}

async fn render_page(
    console: &Console,
    may: &Authorized<Merchandise>,
    live: &LiveList,
    fields: &EditorFields,
    mut values: Value,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    values["here"] = "zones".into();
    values["form"] = fields.to_typed();
    for name in ["pages", "filter_flag"] {
        values[name] = json!(fields.values(name));
    }
    // One more row, for a further picture.
    let mut images = image_rows(fields);
    images.push([""; 3]);
    values["images"] = json!(images);
    let opened = opened_campaign(fields);
    values["kept"] = FilterFields::other_filters(&opened["ProductsShown"]["Filters"], &[]).into();
    values["contents"] = json!(CONTENTS.map(|(content, _)| content));
    values["recommenders"] = json!(Recommender::ALL.map(Recommender::name));
    values["flags"] = json!(FLAGS);
    values["kinds"] = kinds();
    values["zones"] = known_zones(live).into();
    values["lists"] = load_lists(console, shop, &LISTS, fields).await?;
    values["choices"] = load_choices(console, shop, &["Products", "Categories", "Brands"]).await?;
    values["effect"] = load_effect(console, shop, live, fields).await?;
    console.drawing.render_signed_in(may, "campaign.html", values)
}

/// Shows the effect of the form, changes one of its lists, publishes the campaign or deletes it.
pub(crate) async fn post(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let mut fields = EditorFields::from_form(&act.form);
    match act.form.text("do") {
        "publish" => publish(&console, &act, fields).await,
        "delete" => delete(&console, &act, fields).await,
        button => {
            if !apply_list_button(&LISTS, &mut fields, button) {
                apply_image_button(&mut fields, button);
            }
            let page = address(act.may.shop()?, fields.text("id"));
            console.redirect_with_answer(&act.may, &page, &json!({"fields": fields}))
        }
    }
}

/// Address of the editor of a campaign.
fn address(shop: &ConsoleShop, id: &str) -> String {
    let begin = format!("{}/edit", CAMPAIGNS.at_shop(shop));
    if id.is_empty() {
        return begin;
    }
    let id: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
    format!("{begin}?id={id}")
}

/// Puts the campaign into the live list.
async fn publish(
    console: &Console,
    act: &AuthorizedForm<Merchandise>,
    fields: EditorFields,
) -> Result<Response, Problem> {
    let texts = console.drawing.words(act.may.session.language);
    if let Some(field) = wrong_number(&fields) {
        let says = texts.translate("console.campaign.no_number", &[]);
        return render_refused(console, act, &fields, refusal(&says, field)).await;
    }
    let campaign = campaign_of_fields(&fields);
    if let Some(sentence) = refusal_for_operator(console, act, &campaign).await? {
        let field = if campaign["Html"].is_string() { "html" } else { "template" };
        let refused = Problem { status: StatusCode::FORBIDDEN, ..refusal(&sentence, field) };
        return render_refused(console, act, &fields, refused).await;
    }
    let change = |list: &mut Vec<Value>| drop(put_campaign(list, campaign));
    let outcome = CAMPAIGNS.publish_change(console, &act.may, opened_version(&fields), change).await?;
    answer_outcome(console, act, fields, outcome, "console.campaign.changed").await
}

/// Takes the campaign out of the live list, if the operator ticked that they mean it.
async fn delete(
    console: &Console,
    act: &AuthorizedForm<Merchandise>,
    fields: EditorFields,
) -> Result<Response, Problem> {
    if fields.text("sure") != "yes" {
        let texts = console.drawing.words(act.may.session.language);
        let says = texts.translate("console.import.unsure", &[]);
        return render_refused(console, act, &fields, refusal(&says, "sure")).await;
    }
    let id = fields.text("id").to_owned();
    let change = |list: &mut Vec<Value>| remove_entry(list, &id);
    let outcome = CAMPAIGNS.publish_change(console, &act.may, opened_version(&fields), change).await?;
    answer_outcome(console, act, fields, outcome, "console.campaign.changed_delete").await
}

/// Leads to the list, or shows the form again with the reason why nothing was published: after a change of others by
/// the sentence of a key.
async fn answer_outcome(
    console: &Console,
    act: &AuthorizedForm<Merchandise>,
    mut fields: EditorFields,
    outcome: PublishOutcome,
    superseded: &str,
) -> Result<Response, Problem> {
    match outcome {
        PublishOutcome::Published(set) => Ok(CAMPAIGNS.redirect_to_version(act.may.shop()?, &set["Version"])),
        PublishOutcome::Unchanged => Ok(CAMPAIGNS.redirect_unchanged(act.may.shop()?)),
        PublishOutcome::Refused(refused) => render_refused(console, act, &fields, refused).await,
        PublishOutcome::Superseded { version, plan } => {
            // An operator who sends it again has seen the changes of the others.
            fields.set("before", &version.to_string());
            let texts = console.drawing.words(act.may.session.language);
            let says = texts.translate(superseded, &[]);
            let values = json!({"is_typed": true, "wrong": "", "fault": says, "plan": plan});
            let live = CAMPAIGNS.load_live(console, act.may.shop()?).await?;
            if let Some(theirs) = find_entry(&live.entries, fields.text("id")) {
                take_over(&mut fields, theirs);
            }
            let page = render_page(console, &act.may, &live, &fields, values).await?;
            Ok((StatusCode::CONFLICT, page).into_response())
        }
    }
}

/// A sentence of ours about a field.
fn refusal(sentence: &str, field: &'static str) -> Problem {
    Problem { about: Some(field), ..Problem::new(StatusCode::UNPROCESSABLE_ENTITY, sentence) }
}

/// The sentence that says why only an owner may publish the campaign; `None` if the operator may.
async fn refusal_for_operator(
    console: &Console,
    act: &AuthorizedForm<Merchandise>,
    campaign: &Value,
) -> Result<Option<String>, Problem> {
    if act.may.operator.is_allowed(Right::Admin, Some(act.may.shop()?.id)) {
        return Ok(None);
    }
    let mut named = campaign.clone();
    if named["Id"].is_null() {
        named["Id"] = named["Zone"].clone();
    }
    refusal_of_markup(console, act, &json!([named])).await
}

/// The form as it was typed, with a refusal beside the field that it is about.
async fn render_refused(
    console: &Console,
    act: &AuthorizedForm<Merchandise>,
    fields: &EditorFields,
    refused: Problem,
) -> Result<Response, Problem> {
    let wrong = refused.about.unwrap_or_else(|| refused_field(&refused, fields.text("shows")));
    let values = json!({"is_typed": true, "wrong": wrong, "fault": refused.sentence});
    let live = CAMPAIGNS.load_live(console, act.may.shop()?).await?;
    let page = render_page(console, &act.may, &live, fields, values).await?;
    Ok((refused.status, page).into_response())
}

/// The field that a refusal of the operation is about; empty where the sentence does not say.
fn refused_field(refused: &Problem, shows: &str) -> &'static str {
    let [size, min] = if shows == "products" { ["size", "min"] } else { ["kinds_size", "kinds_min"] };
    let content = match shows {
        "html" => "html",
        "images" => "images",
        "template" => "template",
        _ => "shows",
    };
    let fields = [
        ("needs a Zone", "zone"),
        ("missing field `Zone`", "zone"),
        ("is of all zones", "zone"),
        ("has Popup", "title"),
        ("needs a Share", "share"),
        ("has it in From", "from"),
        ("has it in Until", "until"),
        ("ends before it begins", "until"),
        ("needs one of", content),
        ("Template", "template"),
        ("NUL character in Html", "html"),
        ("has a picture", "images"),
        ("has Within", "within"),
        ("Filters.Price.To", "filter_price_to"),
        ("Filters.Price", "filter_price_from"),
        (".Size", size),
        (".Min", min),
        ("", ""),
    ];
    // The id of the campaign may hold any of these words.
    let rest = refused.sentence.split_once(") ").map_or(refused.sentence.as_str(), |(_, rest)| rest);
    Problem::new(refused.status, rest).field(&fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::pages::campaign_form::FILTER;

    /// The field of the sentence with which the operation refuses a campaign.
    fn field_of_fault(campaign: &Value, shows: &str) -> &'static str {
        let fault = crate::zones::parse_campaigns(std::slice::from_ref(campaign)).expect_err("a fault");
        refused_field(&Problem::new(StatusCode::BAD_REQUEST, &fault.to_string()), shows)
    }

    #[test]
    fn a_refusal_stands_beside_its_field() {
        let with = |name: &str, value: Value| {
            let mut campaign = json!({"Id": "has Popup", "Zone": "HP-01", "ProductsShown": {}});
            campaign[name] = value;
            campaign
        };
        for (campaign, field) in [
            (with("Zone", json!("")), "zone"),
            (with("Zone", json!("a,b")), "zone"),
            (with("Zone", json!("*")), "zone"),
            (with("Share", json!(100)), "share"),
            (with("From", json!("soon")), "from"),
            (with("Until", json!("late")), "until"),
            (with("ProductsShown", json!({"Size": 0})), "size"),
            (with("ProductsShown", json!({"Size": 2, "Min": 3})), "min"),
            (with("ProductsShown", json!({"Filters": {"Price": {"From": "x"}}})), "filter_price_from"),
            (with("ProductsShown", json!({"Filters": {"Price": {"To": "x"}}})), "filter_price_to"),
            (with("ProductsShown", json!({"Within": "brand", "Filters": {"Brand": ["a"]}})), "within"),
            (with("Template", json!("{{")), "template"),
            (with("Title", json!("ada@shop.example")), ""),
        ] {
            assert_eq!(field_of_fault(&campaign, "products"), field, "{campaign}");
        }
        let period = json!({"Id": "a", "Zone": "b", "Empty": true, "From": "2026-12-02T00:00:00Z",
            "Until": "2026-12-01T00:00:00Z"});
        assert_eq!(field_of_fault(&period, "nothing"), "until");
    }

    #[test]
    fn a_content_that_is_missing_or_wrong_is_told_at_its_field() {
        let empty = json!({"Id": "a", "Zone": "HP-01"});
        for (shows, field) in
            [("html", "html"), ("images", "images"), ("template", "template"), ("", "shows")]
        {
            assert_eq!(field_of_fault(&empty, shows), field);
        }
        let of = |name: &str, value: Value| {
            let mut campaign = empty.clone();
            campaign[name] = value;
            campaign
        };
        assert_eq!(field_of_fault(&of("CategoriesShown", json!({"Size": 51})), "categories"), "kinds_size");
        assert_eq!(field_of_fault(&of("BrandsShown", json!({"Min": 13})), "brands"), "kinds_min");
        assert_eq!(
            field_of_fault(&of("Images", json!([{"Src": "javascript:x", "Alt": ""}])), "images"),
            "images"
        );
        assert_eq!(field_of_fault(&of("Html", json!("\0")), "html"), "html");
        let mut popup = of("Html", json!("<p>x</p>"));
        popup["Popup"] = true.into();
        assert_eq!(field_of_fault(&popup, "html"), "title");
        let fault = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "needs a Zone");
        assert_eq!(refused_field(&fault, "html"), "", "no value is wrong");
    }

    #[test]
    fn the_filters_of_the_form_have_the_names_of_their_lists() {
        for name in ["category", "brand"] {
            let field = format!("{FILTER}{name}");
            assert!(LISTS.iter().any(|list| list.name == field), "{field}");
        }
    }
}
