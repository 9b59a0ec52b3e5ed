//! Reading campaigns as they are sent, with a sentence for each refusal.

use std::collections::HashSet;

use serde_json::Value;

use super::campaign::{Campaign, CampaignItemCount, CampaignPicture, CampaignProducts, Within};
use super::template::Template;
use crate::clock::ValidityPeriod;
use crate::search::query::columns::AttributeColumns;
use crate::search::query::filters::Filters;
use crate::{addresses, limits};

/// Fault in a list of campaigns.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CampaignFault {
    /// There are too many.
    #[error("Campaigns has {0} campaigns; up to {max} are taken", max = limits::CAMPAIGNS)]
    TooMany(usize),
    /// Together they are too long.
    #[error("Campaigns has up to {} bytes", limits::CAMPAIGNS_BYTES)]
    Bytes,
    /// Something in one is not valid.
    #[error("Campaigns: campaign {number}{id} {fault}")]
    Campaign {
        /// Number of the campaign, from 1.
        number: usize,
        /// Its id, if it has one.
        id: String,
        /// Rest of the sentence, which names the fault.
        fault: String,
    },
}

/// Parses campaigns from a list of JSON objects; returns them and the text to store.
///
/// # Errors
/// The first fault.
pub fn parse_campaigns(list: &[Value]) -> Result<(Vec<Campaign>, String), CampaignFault> {
    if list.len() > limits::CAMPAIGNS {
        return Err(CampaignFault::TooMany(list.len()));
    }
    let mut ids = HashSet::new();
    let mut campaigns = Vec::new();
    for (place, value) in list.iter().enumerate() {
        let id = value.get("Id").and_then(Value::as_str).filter(|id| is_short(id));
        let id = id.map(|id| format!(" ({id})")).unwrap_or_default();
        let wrong = |fault: String| CampaignFault::Campaign { number: place + 1, id: id.clone(), fault };
        let campaign: Campaign =
            serde_json::from_value(value.clone()).map_err(|fault| wrong(describe_fault(&fault)))?;
        check_campaign(&campaign).map_err(wrong)?;
        if !ids.insert(campaign.id.clone()) {
            return Err(wrong("has the Id of a campaign before it".to_owned()));
        }
        campaigns.push(campaign);
    }
    let text = serde_json::to_string(&campaigns).unwrap_or_default();
    if text.len() > limits::CAMPAIGNS_BYTES {
        return Err(CampaignFault::Bytes);
    }
    Ok((campaigns, text))
}

/// The fault of a type quotes the value, which may be anything.
fn describe_fault(fault: &serde_json::Error) -> String {
    let text = fault.to_string();
    if text.starts_with("missing field") {
        format!("has a {text}")
    } else if text.starts_with("unknown field") || text.starts_with("unknown variant") {
        format!("has an {text}")
    } else {
        "has a field of the wrong type: docs/zones.md says what each field is".to_owned()
    }
}

fn is_short(text: &str) -> bool {
    !text.is_empty() && text.len() <= limits::CAMPAIGN_TEXT_BYTES && !text.contains(char::is_control)
}

fn check_campaign(campaign: &Campaign) -> Result<(), String> {
    let Campaign { id, zone, title, categories, brands, products, share, html, images, .. } = campaign;
    let most = limits::CAMPAIGN_TEXT_BYTES;
    for (name, text) in [("Id", id), ("Zone", zone)] {
        if !is_short(text) {
            return Err(format!("needs a {name} of up to {most} bytes without control characters"));
        }
    }
    // Pages ask for several zones with commas between them.
    if zone.contains(',') {
        return Err("needs a Zone without a comma".to_owned());
    }
    let pictured = images.iter().flat_map(|CampaignPicture { src, alt, link }| [src, alt, link]);
    let texts = [title].into_iter().chain(categories).chain(brands).chain(products).chain(pictured);
    if texts.into_iter().any(|text| !text.is_empty() && !is_short(text)) {
        return Err(format!("has a text of more than {most} bytes, or one with a control character"));
    }
    if html.contains('\0') {
        return Err("has a NUL character in Html".to_owned());
    }
    if share.is_some_and(|share| !(1..=99).contains(&share)) {
        return Err("needs a Share of 1 to 99, or none, for all visitors".to_owned());
    }
    ValidityPeriod::parse(campaign.from.as_deref(), campaign.until.as_deref())?;
    check_content(campaign)?;
    images.iter().try_for_each(check_picture)?;
    // The campaign is readable in the store, so it must not hold an address: its owner could ask to be forgotten.
    let whole = serde_json::to_value(campaign).unwrap_or_default();
    if addresses::json_holds_address(&whole) {
        return Err("holds an email address".to_owned());
    }
    Ok(())
}

/// Checks that a campaign shows one kind of content, with all that this needs.
fn check_content(campaign: &Campaign) -> Result<(), String> {
    let Campaign { title, html, popup, images, empty, template, .. } = campaign;
    let Campaign { products_shown, categories_shown, brands_shown, .. } = campaign;
    let of_catalogue = [products_shown.is_some(), categories_shown.is_some(), brands_shown.is_some()];
    let shown = of_catalogue.into_iter().chain([!html.is_empty(), !images.is_empty(), *empty]);
    let count = shown.filter(|is_shown| *is_shown).count();
    let draws_all = campaign.is_for_every_zone() && !template.is_empty();
    if campaign.is_for_every_zone() && !empty && !draws_all {
        return Err(
            "is of all zones (*): it needs Empty, as that of a control group, or a Template".to_owned()
        );
    }
    if count != usize::from(!draws_all) {
        return Err(
            "needs one of ProductsShown, CategoriesShown, BrandsShown, Html, Images and Empty".to_owned()
        );
    }
    if *popup && html.is_empty() {
        return Err("has Popup, which shows Html".to_owned());
    }
    if *popup && title.is_empty() {
        return Err("has Popup without a Title, which a screen reader says of it".to_owned());
    }
    if !template.is_empty() && !draws_all && products_shown.is_none() {
        return Err("has a Template, which draws ProductsShown".to_owned());
    }
    Template::parse(template)?;
    products_shown.as_ref().map_or(Ok(()), check_products)?;
    for (name, kinds) in [("CategoriesShown", categories_shown), ("BrandsShown", brands_shown)] {
        kinds.as_ref().map_or(Ok(()), |CampaignItemCount { size, min }| check_size(name, *size, *min))?;
    }
    Ok(())
}

fn check_size(name: &str, size: usize, min: usize) -> Result<(), String> {
    let most = limits::ZONE_ITEMS;
    if !(1..=most).contains(&size) {
        return Err(format!("needs a {name}.Size of 1 to {most}"));
    }
    if min > size {
        return Err(format!("needs a {name}.Min that is no more than its Size"));
    }
    Ok(())
}

fn check_products(products: &CampaignProducts) -> Result<(), String> {
    check_size("ProductsShown", products.size, products.min)?;
    let within = products.within.map(|within| if within == Within::Brand { "Brand" } else { "Category" });
    if let Some(name) = within.filter(|name| products.filters.contains_key(*name)) {
        return Err(format!("has Within beside a filter by {name}: one of them decides"));
    }
    // The attributes of products are known when they are shown; all else is known now.
    let mut filters = products.filters.clone();
    let attributes = filters.remove("Attributes");
    if attributes.is_some_and(|attributes| !attributes.is_object()) {
        return Err("has ProductsShown.Filters.Attributes that are no object".to_owned());
    }
    Filters::parse(&Value::Object(filters), &AttributeColumns::default())
        .map(drop)
        .map_err(|fault| format!("has a filter that cannot be: {fault}"))
}

/// Checks that addresses of a picture lead to the web or to a path of the shop, and none is run by a browser.
fn check_picture(picture: &CampaignPicture) -> Result<(), String> {
    if picture.src.is_empty() {
        return Err("has a picture without Src".to_owned());
    }
    let is_web = |address: &str| {
        let url = url::Url::parse(address);
        let is_path = address.starts_with('/') && !address.contains('\\');
        is_path || url.is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
    };
    let addresses = [&picture.src, &picture.link];
    let is_wrong = |address: &&&String| !is_web(address);
    match addresses.iter().find(|address| !address.is_empty() && is_wrong(address)) {
        Some(_) => {
            Err("has a picture whose Src or Link is no path and no address of http or https".to_owned())
        }
        None => Ok(()),
    }
}
