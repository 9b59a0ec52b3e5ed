//! Google Merchant Center: RSS 2.0, Atom, TSV and CSV, also as Meta, Microsoft and marketplaces read and extend them.

use super::column_rule::{ColumnRule, ColumnUse, Extra};
use super::context::MappingContext;
use super::engine::{close_empty_stock, turn_options_into_attributes};
use super::format_rules::{Extras, FormatRules, GroupRule, normalise_name};
use crate::feeds::feed_format::FeedFormat;
use crate::formats::draft_row::DraftRow;
use crate::formats::values::category_path::parse_category_path;
use crate::formats::values::markup::to_plain_text;

const GOOGLE_CATEGORY: Extra = Extra::Other(1);
const META_CATEGORY: Extra = Extra::Other(2);
const STRUCTURED_TITLE: Extra = Extra::Other(3);
const STRUCTURED_DESCRIPTION: Extra = Extra::Other(4);
const IDENTIFIER_EXISTS: Extra = Extra::Other(5);

/// Rules of Google's product data specification.
pub static GOOGLE: FormatRules = FormatRules {
    format: FeedFormat::Google,
    file: "RSS, Atom, TSV or CSV",
    columns: COLUMNS,
    find_other,
    complete,
    groups: GroupRule::Checked,
};

const COLUMNS: &[ColumnRule] = &[
    ColumnRule::new("id", ColumnUse::Id)
        .also(&["offer_id", "sku_id"])
        .with_note("Without it, the link is the id."),
    ColumnRule::new("title", ColumnUse::Title),
    ColumnRule::new("structured_title", ColumnUse::Extra(STRUCTURED_TITLE))
        .also(&["structured_title(content)", "structured_title(digital_source_type:content)"])
        .with_note("Title of a row that has no `title`."),
    ColumnRule::new("description", ColumnUse::Description).also(&["long_description", "content"]),
    ColumnRule::new("structured_description", ColumnUse::Extra(STRUCTURED_DESCRIPTION))
        .also(&["structured_description(content)", "structured_description(digital_source_type:content)"])
        .with_note("Description of a row that has no `description`."),
    ColumnRule::new("short_description", ColumnUse::Extra(Extra::ShortDescription))
        .also(&["summary", "rich_text_description"])
        .with_note("Description of a row that has no other."),
    ColumnRule::new("link", ColumnUse::Link),
    left_out("mobile_link", "The link serves phones too."),
    left_out("canonical_link", "It is for search engines; the link is shown."),
    left_out("link_template", "A pattern for local shops, not an address."),
    left_out("mobile_link_template", "A pattern for local shops, not an address."),
    left_out("ads_redirect", "It counts clicks on advertisements."),
    ColumnRule::new("image_link", ColumnUse::Image),
    ColumnRule::new("additional_image_link", ColumnUse::MoreImages).also(&["additional_image_links"]),
    ColumnRule::new("lifestyle_image_link", ColumnUse::MoreImages).also(&["lifestyle_image_links"]),
    attribute("virtual_model_link"),
    attribute("video_link"),
    ColumnRule::new("availability", ColumnUse::Availability),
    attribute("availability_date"),
    ColumnRule::new("expiration_date", ColumnUse::End),
    left_out("disclosure_date", "It is for Google's launch of a product; `availability_date` is kept."),
    ColumnRule::new("quantity", ColumnUse::Quantity)
        .also(&["inventory", "sell_on_google_quantity", "quantity_to_sell_on_facebook"])
        .with_note("Without `availability`, 0 or less is not in stock."),
    left_out("cost_of_goods_sold", "The shop's own cost is not for shoppers."),
    ColumnRule::new("price", ColumnUse::Price),
    ColumnRule::new("sale_price", ColumnUse::SalePrice)
        .with_note("One that is 0 or not lower than the price is no sale."),
    ColumnRule::new("sale_price_effective_date", ColumnUse::SaleDates),
    left_out("auto_pricing_min_price", "The lowest price for Google's discounts is not for shoppers."),
    left_out("maximum_retail_price", "It is for Google's check of prices in India."),
    left_out("minimum_order_value", "It belongs to an order, not to a product."),
    attribute("unit_pricing_measure"),
    attribute("unit_pricing_base_measure"),
    left_out("installment", "Rates belong to a contract; `price` is shown."),
    left_out("subscription_cost", "Rates belong to a contract; `price` is shown."),
    left_out("loyalty_program", "Prices of members need their group; send them as GroupPrices."),
    left_out("loyalty_points", "Points belong to a program that Lethe does not know."),
    ColumnRule::new("product_type", ColumnUse::CategoryPath('>'))
        .also(&["product_types", "category"])
        .with_note("The shop's own categories, each value a path."),
    ColumnRule::new("google_product_category", ColumnUse::Extra(GOOGLE_CATEGORY))
        .with_note("Category of a row without `product_type`, if it is a path; otherwise an attribute."),
    ColumnRule::new("fb_product_category", ColumnUse::Extra(META_CATEGORY))
        .with_note("As `google_product_category`, which wins."),
    ColumnRule::new("brand", ColumnUse::Brand),
    ColumnRule::new("gtin", ColumnUse::Gtin)
        .also(&["gtins", "ean", "upc", "jan", "isbn", "barcode"])
        .with_note("The first of several."),
    attribute("mpn").with_note("No Sku, because several products may share it."),
    ColumnRule::new("identifier_exists", ColumnUse::Extra(IDENTIFIER_EXISTS))
        .with_note("With `no`, the gtin is dropped."),
    attribute("condition"),
    attribute("adult"),
    attribute("multipack"),
    attribute("is_bundle"),
    left_out("certification", "Codes of registers; `energy_efficiency_class` is kept."),
    attribute("energy_efficiency_class"),
    attribute("min_energy_efficiency_class"),
    attribute("max_energy_efficiency_class"),
    attribute("age_group"),
    attribute("gender"),
    option("color", "Color"),
    option("colour", "Colour"),
    option("material", "Material"),
    option("pattern", "Pattern"),
    option("size", "Size"),
    attribute("size_type").also(&["size_types"]),
    attribute("size_system"),
    ColumnRule::new("item_group_id", ColumnUse::Group)
        .also(&["item_group", "product_group_id"])
        .with_note("Its rows are variants if they differ in options and share most of their title."),
    attribute("item_group_title"),
    attribute("product_length"),
    attribute("product_width"),
    attribute("product_height"),
    attribute("product_weight"),
    ColumnRule::new("product_detail", ColumnUse::PackedAttributes)
        .also(&["product_details", "product_detail(section_name:attribute_name:attribute_value)"])
        .with_note("Each is an attribute of its own name."),
    ColumnRule::new("product_detail(attribute_name)", ColumnUse::AttributeName),
    ColumnRule::new("product_detail(attribute_value)", ColumnUse::AttributeValue),
    left_out("product_detail(section_name)", "The attribute's own name says enough."),
    attribute("product_highlight").also(&["product_highlights"]),
    attribute("custom_label_0"),
    attribute("custom_label_1"),
    attribute("custom_label_2"),
    attribute("custom_label_3"),
    attribute("custom_label_4"),
    left_out("ads_grouping", "It sorts advertisements."),
    left_out("ads_labels", "It sorts advertisements."),
    left_out("promotion_id", "Promotions are set up in Google's own account."),
    left_out("excluded_destination", "It is for channels of Google; send only products that the shop shows."),
    left_out("included_destination", "It is for channels of Google; send only products that the shop shows."),
    left_out("shopping_ads_excluded_country", "It is for advertisements."),
    left_out("pause", "It pauses advertisements; the product stays on sale."),
    left_out("shipping", SHIPPING),
    left_out("carrier_shipping", SHIPPING),
    left_out("free_shipping_threshold", SHIPPING),
    left_out("shipping_label", SHIPPING),
    left_out("shipping_weight", SHIPPING),
    left_out("shipping_length", SHIPPING),
    left_out("shipping_width", SHIPPING),
    left_out("shipping_height", SHIPPING),
    left_out("shipping_handling_business_days", SHIPPING),
    left_out("shipping_transit_business_days", SHIPPING),
    left_out("ships_from_country", SHIPPING),
    left_out("handling_cutoff_time", SHIPPING),
    left_out("max_handling_time", SHIPPING),
    left_out("min_handling_time", SHIPPING),
    left_out("transit_time_label", SHIPPING),
    left_out("return_policy_label", SHIPPING),
    left_out("pickup_method", SHIPPING),
    left_out("pickup_sla", SHIPPING),
    left_out("tax", "Prices are shown as sent."),
    left_out("tax_category", "Prices are shown as sent."),
    left_out("external_seller_id", "It is for marketplaces."),
    left_out("display_ads_id", "It is for advertisements."),
    left_out("display_ads_link", "It is for advertisements."),
    left_out("display_ads_title", "It is for advertisements."),
    left_out("display_ads_value", "It is for advertisements."),
    left_out("display_ads_similar_ids", "It is for advertisements."),
    ColumnRule::new("status", ColumnUse::Extra(Extra::Status))
        .with_note("Meta's; `archived` is not for sale."),
    ColumnRule::new("visibility", ColumnUse::Extra(Extra::Visibility))
        .with_note("Meta's; `hidden` and `staging` are not for sale."),
    left_out("guid", "It is for readers of news."),
    left_out("pubDate", "It is for readers of news."),
    left_out("updated", "It is for readers of news."),
    left_out("published", "It is for readers of news."),
    left_out("author", "It is for readers of news."),
];

const SHIPPING: &str = "Delivery depends on the address; the shop's checkout says it.";

/// Attributes that are made of others, as [`normalise_name`] writes them, all left out.
const NESTED: [&str; 16] = [
    "shipping",
    "carriershipping",
    "freeshippingthreshold",
    "shippinghandlingbusinessdays",
    "shippingtransitbusinessdays",
    "handlingcutofftime",
    "tax",
    "installment",
    "subscriptioncost",
    "loyaltyprogram",
    "loyaltypoints",
    "minimumordervalue",
    "certification",
    "structuredtitle",
    "structureddescription",
    "productdetail",
];

/// Names of their parts.
const PARTS: [&str; 44] = [
    "country",
    "region",
    "postalcode",
    "locationid",
    "locationgroupname",
    "service",
    "price",
    "pricethreshold",
    "minhandlingtime",
    "maxhandlingtime",
    "mintransittime",
    "maxtransittime",
    "minimumtransittime",
    "maximumtransittime",
    "handlingcutofftime",
    "handlingcutofftimezone",
    "cutofftime",
    "cutofftimezone",
    "disabledeliveryaftercutoff",
    "businessdays",
    "loyaltyprogramlabel",
    "loyaltytierlabel",
    "flatprice",
    "carrierprice",
    "carriertransittime",
    "originpostalcode",
    "rate",
    "taxship",
    "months",
    "amount",
    "downpayment",
    "credittype",
    "annualpercentagerate",
    "period",
    "periodlength",
    "programlabel",
    "tierlabel",
    "cashbackforfutureuse",
    "loyaltypoints",
    "memberpriceeffectivedate",
    "shippinglabel",
    "certificationauthority",
    "certificationname",
    "certificationcode",
];

/// A rule for a column without use for shoppers.
const fn left_out(name: &'static str, reason: &'static str) -> ColumnRule {
    ColumnRule::new(name, ColumnUse::LeftOut).with_note(reason)
}

const fn attribute(name: &'static str) -> ColumnRule {
    ColumnRule::new(name, ColumnUse::AttributeNamed(name))
}

const fn option(name: &'static str, label: &'static str) -> ColumnRule {
    ColumnRule::new(name, ColumnUse::OptionNamed(label))
        .with_note("An option of a row with `item_group_id`, otherwise an attribute.")
}

/// Names behind `g:`, attributes made of others, and Meta's numbered names.
fn find_other(name: &str) -> ColumnUse {
    let found = find_extension(name);
    // The heading `g:price` of a table; names of XML come without their namespace.
    let without_prefix = name.strip_prefix('g').filter(|_| found.is_none());
    let is_named = |rule: &&ColumnRule, wanted: &str| {
        let mut names = [rule.name].into_iter().chain(rule.also.iter().copied());
        names.any(|known| normalise_name(known) == wanted)
    };
    let prefixed = without_prefix.and_then(|wanted| {
        let rule = COLUMNS.iter().find(|rule| is_named(rule, wanted));
        rule.map(|rule| rule.becomes).or_else(|| find_extension(wanted))
    });
    found.or(prefixed).unwrap_or(ColumnUse::Attribute)
}

fn find_extension(name: &str) -> Option<ColumnUse> {
    let is_nested = NESTED.iter().any(|group| name.strip_prefix(group).is_some_and(is_made_of_parts));
    if is_nested || name.starts_with("applink") {
        return Some(ColumnUse::LeftOut);
    }
    // `image[0].url`
    let number = name.strip_prefix("image").and_then(|rest| rest.strip_suffix("url"))?;
    let is_numbered = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    is_numbered.then_some(ColumnUse::Image)
}

/// Returns true for `countryprice`, the parts of `shipping(country:price)`.
fn is_made_of_parts(mut names: &str) -> bool {
    if names.is_empty() {
        return false;
    }
    while !names.is_empty() {
        let rests = PARTS.iter().filter_map(|part| names.strip_prefix(part));
        // The longest part: `price` begins `pricethreshold`.
        let Some(rest) = rests.min_by_key(|rest| rest.len()) else { return false };
        names = rest;
    }
    true
}

fn complete(row: &mut DraftRow, extras: &Extras, _context: &MappingContext<'_>) {
    fill_texts(row, extras);
    place_taxonomy(row, extras);
    if extras.first(IDENTIFIER_EXISTS).is_some_and(is_no) {
        row.gtin = None;
    }
    if row.group.is_none() {
        turn_options_into_attributes(row);
    }
    if row.id.is_none() {
        row.id.clone_from(&row.link);
    }
    close_empty_stock(row);
    let is_archived =
        extras.first(Extra::Status).is_some_and(|status| status.eq_ignore_ascii_case("archived"));
    let is_unseen = extras
        .first(Extra::Visibility)
        .is_some_and(|seen| ["hidden", "staging"].iter().any(|word| seen.eq_ignore_ascii_case(word)));
    row.is_hidden = is_archived || is_unseen;
}

fn is_no(text: &str) -> bool {
    ["no", "false", "n", "0"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Takes title and description from the columns that stand in for them.
fn fill_texts(row: &mut DraftRow, extras: &Extras) {
    if row.title.is_none() {
        row.title = extras.first(STRUCTURED_TITLE).and_then(read_structured_text);
    }
    if row.description.is_none() {
        row.description = extras.first(STRUCTURED_DESCRIPTION).and_then(read_structured_text);
    }
    if row.description.is_none() {
        row.description =
            extras.first(Extra::ShortDescription).map(to_plain_text).filter(|text| !text.is_empty());
    }
}

/// The content of `trained_algorithmic_media:"content"`, or the content itself.
fn read_structured_text(text: &str) -> Option<String> {
    let content = ["trained_algorithmic_media:", "default:"].iter().find_map(|kind| text.strip_prefix(kind));
    let content = content.map_or(text, |content| content.trim().trim_matches('"'));
    Some(to_plain_text(content)).filter(|plain| !plain.is_empty())
}

/// Makes the channel's category the row's own if the shop has none, and an attribute otherwise.
fn place_taxonomy(row: &mut DraftRow, extras: &Extras) {
    let channels = [(GOOGLE_CATEGORY, "google_product_category"), (META_CATEGORY, "fb_product_category")];
    for (extra, name) in channels {
        let Some(text) = extras.first(extra) else { continue };
        let path = parse_category_path(without_number(text), '>');
        if row.categories.is_empty() && !path.is_empty() {
            row.categories.push(path);
        } else {
            row.attributes.push((name.to_owned(), vec![to_plain_text(text)]));
        }
    }
}

/// `166 - Apparel & Accessories` without the number; empty for the number alone.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if rest.len() == text.len() {
        return text;
    }
    let rest = rest.trim_start();
    if rest.is_empty() { rest } else { rest.strip_prefix('-').map_or(text, str::trim_start) }
}

#[cfg(test)]
#[path = "google_tests.rs"]
mod tests;
