//! Effect of an edited campaign: a zone of a page now, and with the campaign.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::campaign_form::campaign_of_fields;
use super::campaign_list::put_campaign;
use super::entry_publishing::LiveList;
use super::zones::load_zone;
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::editor_fields::EditorFields;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::zones::{EVERY_ZONE, NUMBERS, PREFIXES};

/// Kinds of the pages on which the usual zones stand, in the order of their prefixes.
const KINDS: [&str; PREFIXES.len()] = [
    "homepage",
    "product_page",
    "product_listing_page",
    "category_listing_page",
    "search_results",
    "search_results",
    "basket_page",
    "order_complete_page",
    "my_account",
];

/// The zone that shows the effect of a campaign of all zones.
const SHOWN_ZONE: &str = "HP-01";

/// Loads the zone now and with the edited campaign, as if it were live already and for all visitors; with the sentence
/// of the operation where the campaign cannot be published as it is. Nothing without a zone.
///
/// # Errors
/// When the zone cannot be filled.
pub(super) async fn load_effect(
    console: &Console,
    shop: &ConsoleShop,
    live: &LiveList,
    fields: &EditorFields,
) -> Result<Value, Problem> {
    if fields.text("zone").is_empty() {
        return Ok(json!({}));
    }
    let asked = previewed_page(fields);
    let mut campaign = campaign_of_fields(fields);
    if let Some(members) = campaign.as_object_mut() {
        members.retain(|name, _| !["From", "Until", "Share"].contains(&name.as_str()));
    }
    let mut list = live.entries.clone();
    let id = put_campaign(&mut list, campaign);
    let list = Value::from(list);
    let loading = async {
        let now = load_zone(console, shop, &asked, None).await?;
        let then = load_zone(console, shop, &asked, Some(&list)).await?;
        Ok::<_, Problem>((now, then))
    };
    match loading.await {
        Ok((now, then)) => {
            let is_other = fields.text("zone") != EVERY_ZONE && then["Campaign"] != id;
            Ok(json!({"now": now, "then": then, "is_other": is_other}))
        }
        Err(refused) if refused.status == StatusCode::BAD_REQUEST => Ok(json!({"refused": refused.sentence})),
        Err(refused) => Err(refused),
    }
}

/// The page on which the zone is shown: as it was chosen, and else one to which the campaign is limited.
fn previewed_page(fields: &EditorFields) -> FieldMap {
    let chosen = |field: &str, limits: &str| match fields.text(field) {
        "" => fields.text(limits),
        chosen => chosen,
    };
    let zone = match fields.text("zone") {
        EVERY_ZONE => SHOWN_ZONE,
        zone => zone,
    };
    let kind = match chosen("on_kind", "pages") {
        "" => kind_of_zone(zone),
        kind => kind,
    };
    let page = [
        ("zone", zone),
        ("kind", kind),
        ("product", chosen("on_product", "products")),
        ("category", chosen("on_category", "categories")),
        ("brand", chosen("on_brand", "brands")),
    ];
    page.into_iter().collect()
}

/// Kind of the page on which a usual zone stands; empty for any other zone.
fn kind_of_zone(zone: &str) -> &'static str {
    let prefix = zone.split('-').next().unwrap_or_default();
    let place = PREFIXES.iter().position(|known| known.eq_ignore_ascii_case(prefix));
    place.map_or("", |place| KINDS[place])
}

/// Zones to choose from: the usual ones, each with the kind of its page, and those that have a campaign.
pub(super) fn known_zones(live: &LiveList) -> Vec<Value> {
    let usual = PREFIXES.iter().flat_map(|prefix| NUMBERS.map(move |number| format!("{prefix}-{number:02}")));
    let mut zones: Vec<String> = usual.collect();
    for used in live.entries.iter().filter_map(|campaign| campaign["Zone"].as_str()) {
        if zones.iter().all(|known| !known.eq_ignore_ascii_case(used)) {
            zones.push(used.to_owned());
        }
    }
    zones.iter().map(|zone| json!({"Zone": zone, "Kind": kind_of_zone(zone)})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zones::PageKind;

    fn page_of(pairs: &[(&str, &str)]) -> FieldMap {
        let mut fields = EditorFields::default();
        for (name, value) in pairs {
            fields.set(name, value);
        }
        previewed_page(&fields)
    }

    #[test]
    fn a_zone_is_shown_on_a_page_that_the_campaign_fits() {
        let page =
            page_of(&[("zone", "pl-02"), ("categories", "12"), ("brands", "acme"), ("on_brand", "oak")]);
        let asked = ["zone", "kind", "product", "category", "brand"].map(|name| page.text(name).to_owned());
        assert_eq!(asked, ["pl-02", "product_listing_page", "", "12", "oak"]);
        let limited = page_of(&[("zone", "HP-01"), ("pages", "my_account")]);
        assert_eq!(limited.text("kind"), "my_account");
        let chosen = page_of(&[("zone", "HP-01"), ("pages", "my_account"), ("on_kind", "landing_page")]);
        assert_eq!(chosen.text("kind"), "landing_page");
        let every = page_of(&[("zone", "*")]);
        assert_eq!((every.text("zone"), every.text("kind")), ("HP-01", "homepage"));
        assert_eq!(page_of(&[("zone", "Footer")]).text("kind"), "");
    }

    #[test]
    fn every_usual_zone_has_a_kind_of_page_and_is_offered() {
        for kind in KINDS {
            assert!(PageKind::from_name(kind).is_some(), "{kind}");
        }
        let entries = ["HP-01", "hp-02", "Footer", "footer"].map(|zone| json!({"Zone": zone})).into();
        let zones = known_zones(&LiveList { version: 1, entries });
        assert_eq!(zones.len(), 9 * 4 + 1);
        assert_eq!(zones[0], json!({"Zone": "HP-01", "Kind": "homepage"}));
        assert_eq!(zones[36], json!({"Zone": "Footer", "Kind": ""}));
    }
}
