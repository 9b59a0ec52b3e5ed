//! Magento: CSV export of products (Magento 2, Adobe Commerce), and the flat tables that its importers take.
//!
//! A configurable product is a row of its own. It lists its variants with their options in `configurable_variations`;
//! each variant is a further row, which says nothing of its product. A row with a `store_view_code` repeats a product
//! for one language.

pub mod packed_values;

use std::collections::HashMap;

use jiff::civil::DateTime;

use self::packed_values::{parse_pairs, parse_variations, split_categories, split_lines};
use super::column_rule::{ColumnRule, ColumnUse, Extra};
use super::context::MappingContext;
use super::format_rules::{Extras, FormatRules, GroupRule};
use crate::feeds::IssueCode;
use crate::feeds::feed_format::FeedFormat;
use crate::formats::draft_row::{DraftIssue, DraftRow, RowRole};
use crate::formats::values::availability::parse_availability;
use crate::formats::values::date_text::{DateReading, parse_date};
use crate::formats::values::markup::to_plain_text;

const CATEGORIES: Extra = Extra::Other(1);
const VARIATION_LABELS: Extra = Extra::Other(2);
const SALE_FROM: Extra = Extra::Other(3);
const SALE_TO: Extra = Extra::Other(4);
const IS_IN_STOCK: Extra = Extra::Other(5);
const OUT_OF_STOCK_QTY: Extra = Extra::Other(6);
const TRACKED_BY_CONFIG: Extra = Extra::Other(7);

/// Rules of Magento's CSV export.
pub static MAGENTO_CSV: FormatRules = FormatRules {
    format: FeedFormat::Magento,
    file: "CSV export of products",
    columns: COLUMNS,
    find_other,
    complete,
    groups: GroupRule::Parented,
};

const COLUMNS: &[ColumnRule] = &[
    ColumnRule::new("sku", ColumnUse::Sku).with_note("Also the id, because the export has no other."),
    ColumnRule::new("entity_id", ColumnUse::Id)
        .also(&["product_id"])
        .with_note("Not in Magento's own export."),
    ColumnRule::new("store_view_code", ColumnUse::Extra(Extra::View))
        .also(&["store_view", "_store"])
        .with_note("Rows with one repeat a product for a language; they are left out and not counted."),
    ColumnRule::new("attribute_set_code", ColumnUse::LeftOut).also(&["attribute_set"]),
    ColumnRule::new("product_type", ColumnUse::Extra(Extra::RowType)).also(&["_type"]).with_note(
        "`configurable` is a product with variants; `grouped` and `bundle` are products without a stock of \
         their own.",
    ),
    ColumnRule::new("categories", ColumnUse::Extra(CATEGORIES)).also(&["category"]).with_note(
        "Paths such as `Default Category/Men/Tops`, separated by commas or on lines; the root category is \
         left out.",
    ),
    ColumnRule::new("_root_category", ColumnUse::LeftOut),
    ColumnRule::new("product_websites", ColumnUse::LeftOut),
    ColumnRule::new("name", ColumnUse::Title),
    ColumnRule::new("description", ColumnUse::Description),
    ColumnRule::new("short_description", ColumnUse::Extra(Extra::ShortDescription))
        .with_note("The description of a product that has no other."),
    ColumnRule::new("weight", ColumnUse::Attribute),
    ColumnRule::new("product_online", ColumnUse::Extra(Extra::Published))
        .also(&["status"])
        .with_note("`2` is disabled: the row is not for sale and left out."),
    ColumnRule::new("tax_class_name", ColumnUse::LeftOut).also(&["tax_class_id"]),
    ColumnRule::new("visibility", ColumnUse::Extra(Extra::Visibility)).with_note(
        "`Not Visible Individually` is left out unless it is a variant. `Catalog` sets \
         `ExcludeFromSearch`, `Search` sets `ExcludeFromProductListing`.",
    ),
    ColumnRule::new("price", ColumnUse::Price),
    ColumnRule::new("special_price", ColumnUse::SalePrice),
    ColumnRule::new("cost", ColumnUse::LeftOut)
        .with_note("The shop's own cost is not for shoppers; likewise within `additional_attributes`."),
    ColumnRule::new("special_price_from_date", ColumnUse::Extra(SALE_FROM))
        .also(&["special_from_date"])
        .with_note("First day of the sale; `3/1/26, 12:00 AM` has the month first."),
    ColumnRule::new("special_price_to_date", ColumnUse::Extra(SALE_TO))
        .also(&["special_to_date"])
        .with_note("Last day of the sale, likewise."),
    ColumnRule::new("url_key", ColumnUse::LeftOut).with_note("The shop's host is unknown."),
    ColumnRule::new("url_path", ColumnUse::LeftOut).with_note("Likewise."),
    ColumnRule::new("product_url", ColumnUse::Link)
        .also(&["url", "link"])
        .with_note("Not in Magento's own export."),
    ColumnRule::new("meta_title", ColumnUse::LeftOut)
        .with_note("Likewise `meta_keywords` and `meta_description`."),
    ColumnRule::new("base_image", ColumnUse::Image).also(&["image"]).with_note(
        "Only a whole address is used: a path within the shop's media folder (`/m/b/mb01.jpg`) is left out.",
    ),
    ColumnRule::new("base_image_label", ColumnUse::LeftOut).also(&["image_label"]),
    ColumnRule::new("small_image", ColumnUse::LeftOut).with_note("The base image again."),
    ColumnRule::new("small_image_label", ColumnUse::LeftOut),
    ColumnRule::new("thumbnail_image", ColumnUse::LeftOut)
        .also(&["thumbnail"])
        .with_note("The base image again."),
    ColumnRule::new("thumbnail_image_label", ColumnUse::LeftOut).also(&["thumbnail_label"]),
    ColumnRule::new("swatch_image", ColumnUse::LeftOut),
    ColumnRule::new("swatch_image_label", ColumnUse::LeftOut),
    ColumnRule::new("additional_images", ColumnUse::MoreImages)
        .also(&["media_gallery"])
        .with_note("Only whole addresses, likewise."),
    ColumnRule::new("additional_image_labels", ColumnUse::LeftOut),
    ColumnRule::new("hide_from_product_page", ColumnUse::LeftOut),
    ColumnRule::new("created_at", ColumnUse::LeftOut),
    ColumnRule::new("updated_at", ColumnUse::LeftOut),
    ColumnRule::new("new_from_date", ColumnUse::LeftOut).also(&["news_from_date"]),
    ColumnRule::new("new_to_date", ColumnUse::LeftOut).also(&["news_to_date"]),
    ColumnRule::new("display_product_options_in", ColumnUse::LeftOut),
    ColumnRule::new("map_price", ColumnUse::LeftOut),
    ColumnRule::new("map_enabled", ColumnUse::LeftOut),
    ColumnRule::new("msrp_price", ColumnUse::LeftOut).also(&["msrp"]),
    ColumnRule::new("msrp_display_actual_price_type", ColumnUse::LeftOut),
    ColumnRule::new("gift_message_available", ColumnUse::LeftOut),
    ColumnRule::new("custom_design", ColumnUse::LeftOut)
        .with_note("Likewise `custom_design_from` and `custom_design_to`."),
    ColumnRule::new("custom_layout_update", ColumnUse::LeftOut),
    ColumnRule::new("page_layout", ColumnUse::LeftOut),
    ColumnRule::new("product_options_container", ColumnUse::LeftOut).also(&["options_container"]),
    ColumnRule::new("country_of_manufacture", ColumnUse::Attribute),
    ColumnRule::new("manufacturer", ColumnUse::Brand).also(&["brand", "marke", "hersteller"]),
    ColumnRule::new("gtin", ColumnUse::Gtin).also(&["ean", "upc", "isbn", "barcode"]),
    ColumnRule::new("additional_attributes", ColumnUse::Extra(Extra::PackedAttributes)).with_note(
        "`color=Red,material=Nylon|Mesh`: each is an attribute, but `manufacturer` is the brand and `ean` \
         and its like the GTIN.",
    ),
    ColumnRule::new("qty", ColumnUse::Quantity)
        .with_note("Without `is_in_stock` it decides whether it can be bought."),
    ColumnRule::new("out_of_stock_qty", ColumnUse::Extra(OUT_OF_STOCK_QTY))
        .also(&["min_qty"])
        .with_note("The quantity at which nothing is left."),
    ColumnRule::new("is_qty_decimal", ColumnUse::LeftOut),
    ColumnRule::new("allow_backorders", ColumnUse::Extra(Extra::StockPolicy))
        .also(&["backorders"])
        .with_note("Any value but `0`: it can be bought without stock, unless `is_in_stock` says otherwise."),
    ColumnRule::new("min_cart_qty", ColumnUse::LeftOut).also(&["min_sale_qty"]),
    ColumnRule::new("max_cart_qty", ColumnUse::LeftOut).also(&["max_sale_qty"]),
    ColumnRule::new("is_in_stock", ColumnUse::Extra(IS_IN_STOCK))
        .with_note("Whether it can be bought: `1` or `0`."),
    ColumnRule::new("notify_on_stock_below", ColumnUse::LeftOut).also(&["notify_stock_qty"]),
    ColumnRule::new("manage_stock", ColumnUse::Extra(Extra::StockTracked))
        .with_note("With `0`, and `0` in `use_config_manage_stock`, it can always be bought."),
    ColumnRule::new("use_config_manage_stock", ColumnUse::Extra(TRACKED_BY_CONFIG)),
    ColumnRule::new("use_config_min_qty", ColumnUse::LeftOut)
        .with_note("Likewise every other `use_config_…`."),
    ColumnRule::new("qty_increments", ColumnUse::LeftOut),
    ColumnRule::new("enable_qty_increments", ColumnUse::LeftOut).also(&["enable_qty_inc"]),
    ColumnRule::new("is_decimal_divided", ColumnUse::LeftOut),
    ColumnRule::new("website_id", ColumnUse::LeftOut),
    ColumnRule::new("deferred_stock_update", ColumnUse::LeftOut),
    ColumnRule::new("related_skus", ColumnUse::LeftOut).also(&["related_position"]),
    ColumnRule::new("crosssell_skus", ColumnUse::LeftOut).also(&["crosssell_position"]),
    ColumnRule::new("upsell_skus", ColumnUse::LeftOut).also(&["upsell_position"]),
    ColumnRule::new("custom_options", ColumnUse::LeftOut),
    ColumnRule::new("bundle_values", ColumnUse::LeftOut).with_note("Likewise every other `bundle_…`."),
    ColumnRule::new("downloadable_links", ColumnUse::LeftOut)
        .with_note("Likewise every other `downloadable_…`."),
    ColumnRule::new("giftcard_type", ColumnUse::LeftOut).with_note("Likewise every other `giftcard_…`."),
    ColumnRule::new("configurable_variations", ColumnUse::Extra(Extra::ListedVariants)).with_note(
        "`sku=A-M,size=M|sku=A-L,size=L`: the rows of these SKUs are its variants, with these options.",
    ),
    ColumnRule::new("configurable_variation_labels", ColumnUse::Extra(VARIATION_LABELS))
        .with_note("Names of the options: `size=Size`."),
    ColumnRule::new("associated_skus", ColumnUse::LeftOut)
        .with_note("The products of a `grouped` one are rows of their own."),
];

/// Families of columns; columns of the shop's own are attributes, whose values may stand on lines.
fn find_other(name: &str) -> ColumnUse {
    const FAMILIES: [&str; 9] = [
        "useconfig",
        "bundle",
        "downloadable",
        "giftcard",
        "customdesign",
        "metatitle",
        "metakeyword",
        "metadescription",
        "tierprice",
    ];
    let is_of_family = FAMILIES.iter().any(|family| name.starts_with(family));
    if is_of_family { ColumnUse::LeftOut } else { ColumnUse::Attribute }
}

fn complete(row: &mut DraftRow, extras: &Extras, context: &MappingContext<'_>) {
    // The view of the whole shop has no code in an export; `admin` is its name in Magento 1.
    let is_for_view = extras.first(Extra::View).is_some_and(|view| !view.eq_ignore_ascii_case("admin"));
    if is_for_view {
        *row = DraftRow { place: row.place, role: RowRole::More, ..DraftRow::default() };
        return;
    }
    set_group(row, extras);
    row.categories = split_categories(extras.first(CATEGORIES).unwrap_or_default());
    split_attributes(row);
    unpack_attributes(row, extras.first(Extra::PackedAttributes).unwrap_or_default());
    drop_relative_images(row);
    set_stock(row, extras);
    apply_visibility(row, extras);
    if row.is_hidden {
        // Its variants may be shown without it, or be those of another product too.
        row.group_aliases.clear();
        row.listed_variants.clear();
    }
    row.sale_start = read_date(row, extras.first(SALE_FROM), "special_price_from_date", context);
    row.sale_end = read_date(row, extras.first(SALE_TO), "special_price_to_date", context);
    if row.description.is_none() {
        let short = extras.first(Extra::ShortDescription).map(to_plain_text);
        row.description = short.filter(|text| !text.is_empty());
    }
}

fn set_group(row: &mut DraftRow, extras: &Extras) {
    let kind = extras.first(Extra::RowType).unwrap_or_default().to_ascii_lowercase();
    let labels = extras.first(VARIATION_LABELS).unwrap_or_default();
    let listed = parse_variations(extras.first(Extra::ListedVariants).unwrap_or_default(), labels);
    if kind == "configurable" || !listed.is_empty() {
        row.role = RowRole::Parent;
        row.group.clone_from(&row.sku);
        row.group_aliases = listed.iter().map(|variant| variant.sku.clone()).collect();
        row.listed_variants = listed;
    }
    if row.role == RowRole::Parent || matches!(kind.as_str(), "grouped" | "bundle") {
        // The stock is that of its parts. A price of 0 means that they have prices.
        row.quantity = None;
        row.prices.retain(|price| !is_zero(price));
    }
}

fn is_zero(price: &str) -> bool {
    let amount = price.split(' ').next().unwrap_or_default();
    amount.parse::<f64>().is_ok_and(|amount| amount == 0.0)
}

/// Lists on lines become lists of values, and markup becomes text.
fn split_attributes(row: &mut DraftRow) {
    for (_, values) in &mut row.attributes {
        let split = values.iter().flat_map(|value| split_lines(value));
        *values = split.map(|value| clean_text(&value)).filter(|value| !value.is_empty()).collect();
    }
    row.attributes.retain(|(_, values)| !values.is_empty());
}

fn clean_text(text: &str) -> String {
    if text.contains(['<', '&']) { to_plain_text(text) } else { text.to_owned() }
}

fn unpack_attributes(row: &mut DraftRow, text: &str) {
    let names = row.attributes.iter().map(|(name, _)| name.clone());
    let mut positions: HashMap<String, usize> = names.zip(0..).collect();
    for pair in parse_pairs(text) {
        let values: Vec<String> =
            pair.values.iter().map(|value| clean_text(value)).filter(|value| !value.is_empty()).collect();
        let first = values.first().cloned();
        match pair.code {
            "manufacturer" | "brand" if row.brand.is_none() => row.brand = first,
            "gtin" | "ean" | "upc" | "isbn" | "barcode" if row.gtin.is_none() => row.gtin = first,
            // The shop's own cost is not for shoppers.
            "cost" => {}
            _ if values.is_empty() => {}
            code => {
                let position = *positions.entry(code.to_owned()).or_insert(row.attributes.len());
                match row.attributes.get_mut(position) {
                    Some((_, known)) => known.extend(values),
                    None => row.attributes.push((code.to_owned(), values)),
                }
            }
        }
    }
}

/// A path in the shop's media folder cannot be shown without its host.
fn drop_relative_images(row: &mut DraftRow) {
    let is_address = |image: &String| image.starts_with("http://") || image.starts_with("https://");
    row.image = row.image.take().filter(is_address);
    row.more_images.retain(is_address);
    if row.image.is_none() && !row.more_images.is_empty() {
        row.image = Some(row.more_images.remove(0));
    }
}

fn set_stock(row: &mut DraftRow, extras: &Extras) {
    let read = |extra: Extra| extras.first(extra).and_then(|text| text.parse::<f64>().ok());
    let count = row.quantity.as_deref().and_then(|text| text.parse::<f64>().ok());
    let is_untracked = read(Extra::StockTracked) == Some(0.0) && read(TRACKED_BY_CONFIG) == Some(0.0);
    if is_untracked {
        row.in_stock = Some(true);
    } else if let Some(flag) = extras.first(IS_IN_STOCK) {
        let number = flag.parse::<f64>().ok();
        row.in_stock = number.map(|number| number > 0.0).or_else(|| parse_availability(flag));
        if row.in_stock.is_none() {
            let column = "is_in_stock".to_owned();
            row.issues.push(DraftIssue { code: IssueCode::AvailabilityUnknown, column });
        }
    } else {
        let is_sold_on = read(Extra::StockPolicy).is_some_and(|policy| policy > 0.0);
        let least = read(OUT_OF_STOCK_QTY).unwrap_or(0.0);
        row.in_stock = count.map(|count| count > least || is_sold_on);
    }
}

/// Words of the export in English and German, and the numbers of Magento 1.
fn apply_visibility(row: &mut DraftRow, extras: &Extras) {
    const DISABLED: [&str; 5] = ["2", "0", "disabled", "no", "deaktiviert"];
    let online = extras.first(Extra::Published).unwrap_or_default();
    row.is_hidden = DISABLED.iter().any(|word| online.eq_ignore_ascii_case(word));
    let yes = || vec!["true".to_owned()];
    match extras.first(Extra::Visibility).unwrap_or_default().to_lowercase().as_str() {
        "1" | "not visible individually" | "nicht einzeln sichtbar" | "einzeln nicht sichtbar" => {
            row.is_hidden |= row.role == RowRole::Parent;
            row.is_variant_only = row.role != RowRole::Parent;
        }
        "2" | "catalog" | "katalog" => row.add_values("ExcludeFromSearch", yes()),
        "3" | "search" | "suche" => row.add_values("ExcludeFromProductListing", yes()),
        _ => {}
    }
}

/// Date of a sale. Midnight stands for the whole day: a sale ends with its last day.
fn read_date(
    row: &mut DraftRow,
    text: Option<&str>,
    column: &str,
    context: &MappingContext<'_>,
) -> Option<String> {
    let text = text?;
    if let Some(moment) = parse_export_date(text) {
        let is_day = moment.time() == jiff::civil::Time::midnight();
        return Some(if is_day { moment.date().to_string() } else { moment.to_string() });
    }
    match parse_date(text.strip_suffix(" 00:00:00").unwrap_or(text), context) {
        DateReading::Blank => None,
        DateReading::Malformed => Some(text.to_owned()),
        DateReading::Date { iso, is_ambiguous } => {
            if is_ambiguous {
                row.issues.push(DraftIssue { code: IssueCode::DateAmbiguous, column: column.to_owned() });
            }
            Some(iso)
        }
    }
}

/// Reads `3/1/26, 12:00 AM`, the export's date in English, where the month is first, and `01.03.26, 00:00`.
fn parse_export_date(text: &str) -> Option<DateTime> {
    const LONGEST_BYTES: usize = 40;
    if text.len() > LONGEST_BYTES {
        return None;
    }
    // Newer versions write a narrow space before AM.
    let plain: String =
        text.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter }).collect();
    ["%m/%d/%y, %I:%M %p", "%m/%d/%Y, %I:%M %p", "%d.%m.%y, %H:%M", "%d.%m.%Y, %H:%M"]
        .iter()
        .find_map(|form| DateTime::strptime(form, &plain).ok())
}

#[cfg(test)]
#[path = "magento_csv_tests.rs"]
mod tests;
