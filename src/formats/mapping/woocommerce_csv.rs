//! WooCommerce: CSV export of products.
//!
//! A variable product is a row of its own, and so is each of its variations, which names it in `Parent` by its SKU or
//! as `id:N`. Attributes stand in numbered columns: of a variation they are its options, of any other row attributes.

use rust_decimal::Decimal;

use super::column_rule::{ColumnRule, ColumnUse, Extra};
use super::context::MappingContext;
use super::format_rules::{Extras, FormatRules, GroupRule};
use crate::feeds::IssueCode;
use crate::feeds::feed_format::FeedFormat;
use crate::formats::draft_row::{DraftIssue, DraftOption, DraftRow, RowRole};
use crate::formats::values::category_path::parse_category_path;
use crate::formats::values::markup::to_plain_text;

const CATEGORIES: Extra = Extra::Other(1);
const TAGS: Extra = Extra::Other(2);
const BRANDS: Extra = Extra::Other(3);
const EXTERNAL_URL: Extra = Extra::Other(4);
const STOCK: Extra = Extra::Other(5);

/// Entries that one list of a row may have; the rest is left out.
pub(super) const LIST_MAX: usize = 1_000;

/// Rules of WooCommerce's CSV export.
pub static WOOCOMMERCE_CSV: FormatRules = FormatRules {
    format: FeedFormat::WooCommerce,
    file: "CSV export of products",
    columns: COLUMNS,
    find_other,
    complete,
    groups: GroupRule::Parented,
};

const COLUMNS: &[ColumnRule] = &[
    ColumnRule::new("ID", ColumnUse::Id).with_note("Variations may name their product by it, as `id:N`."),
    ColumnRule::new("Type", ColumnUse::Extra(Extra::RowType)).also(&["Typ"]).with_note(
        "`variable` is a product with variants, `variation` a variant; any other is a product, `grouped` one \
         without a price.",
    ),
    ColumnRule::new("SKU", ColumnUse::Sku).also(&["Artikelnummer", "Artikelnummer (SKU)"]),
    ColumnRule::new("GTIN, UPC, EAN, or ISBN", ColumnUse::Gtin).also(&[
        "GTIN, UPC, EAN oder ISBN",
        "GTIN",
        "EAN",
        "UPC",
        "ISBN",
        "Meta: _global_unique_id",
        "Meta: _wpm_gtin_code",
        "Meta: _alg_ean",
        "Meta: _ts_gtin",
        "Meta: _ean",
        "Meta: _gtin",
        "Meta: hwp_product_gtin",
    ]),
    ColumnRule::new("Name", ColumnUse::Title),
    ColumnRule::new("Published", ColumnUse::Extra(Extra::Published))
        .also(&["Veröffentlicht"])
        .with_note("Rows with any value but `1` (draft, private) are not for sale and left out."),
    ColumnRule::new("Is featured?", ColumnUse::LeftOut).also(&["Ist hervorgehoben?", "Hervorgehoben?"]),
    ColumnRule::new("Visibility in catalog", ColumnUse::Extra(Extra::Visibility))
        .also(&["Sichtbarkeit im Katalog", "Katalogsichtbarkeit"])
        .with_note(VISIBILITY_NOTE),
    ColumnRule::new("Short description", ColumnUse::Extra(Extra::ShortDescription))
        .also(&["Kurzbeschreibung"])
        .with_note("The description of a product that has no other."),
    ColumnRule::new("Description", ColumnUse::Description).also(&["Beschreibung"]),
    ColumnRule::new("Date sale price starts", ColumnUse::SaleStart)
        .also(&["Datum, an dem Angebotspreis beginnt", "Datum, an dem der Angebotspreis beginnt"]),
    ColumnRule::new("Date sale price ends", ColumnUse::SaleEnd)
        .also(&["Datum, an dem Angebotspreis endet", "Datum, an dem der Angebotspreis endet"]),
    ColumnRule::new("Tax status", ColumnUse::LeftOut).also(&["Steuerstatus"]),
    ColumnRule::new("Tax class", ColumnUse::LeftOut).also(&["Steuerklasse"]),
    ColumnRule::new("In stock?", ColumnUse::Availability)
        .also(&["Vorrätig?", "Auf Lager?"])
        .with_note("`1`, `0` or `backorder`; without it, stock and backorders decide."),
    ColumnRule::new("Stock", ColumnUse::Extra(STOCK)).also(&["Bestand", "Lager", "Lagerbestand"]).with_note(
        "How many are in stock; `parent`, of a variation that shares its product's stock, is no number.",
    ),
    ColumnRule::new("Low stock amount", ColumnUse::LeftOut).also(&["Geringe Lagermenge"]),
    ColumnRule::new("Backorders allowed?", ColumnUse::Extra(Extra::StockPolicy))
        .also(&["Lieferrückstände erlaubt?", "Lieferrückstande erlaubt?", "Rückstände erlaubt?"])
        .with_note(
            "With `1` or `notify` a product without stock can be bought, unless `In stock?` says otherwise.",
        ),
    ColumnRule::new("Sold individually?", ColumnUse::LeftOut)
        .also(&["Nur einzeln verkaufen?", "Einzeln verkauft?"]),
    ColumnRule::new("Weight (kg)", ColumnUse::Attribute).with_note("Likewise in any other unit."),
    ColumnRule::new("Length (cm)", ColumnUse::Attribute).with_note("Likewise in any other unit."),
    ColumnRule::new("Width (cm)", ColumnUse::Attribute).with_note("Likewise in any other unit."),
    ColumnRule::new("Height (cm)", ColumnUse::Attribute).with_note("Likewise in any other unit."),
    ColumnRule::new("Allow customer reviews?", ColumnUse::LeftOut)
        .also(&["Kundenrezensionen erlauben?", "Kundenbewertungen erlauben?"]),
    ColumnRule::new("Purchase note", ColumnUse::LeftOut).also(&["Hinweis zum Kauf"]),
    ColumnRule::new("Sale price", ColumnUse::SalePrice).also(&["Angebotspreis"]),
    ColumnRule::new("Regular price", ColumnUse::Price).also(&["Regulärer Preis", "Normaler Preis"]),
    ColumnRule::new("Categories", ColumnUse::Extra(CATEGORIES)).also(&["Kategorien"]).with_note(
        "Paths such as `Clothing > Shirts`, separated by commas; `\\,` is a comma within a title.",
    ),
    ColumnRule::new("Tags", ColumnUse::Extra(TAGS))
        .also(&["Schlagwörter", "Tags (Schlagwörter)"])
        .with_note("Words by which it is found, separated by commas; `\\,` is a comma within one."),
    ColumnRule::new("Shipping class", ColumnUse::LeftOut).also(&["Versandklasse"]),
    ColumnRule::new("Images", ColumnUse::Image).also(&["Bilder"]),
    ColumnRule::new("Download limit", ColumnUse::LeftOut),
    ColumnRule::new("Download expiry days", ColumnUse::LeftOut).also(&["Ablauftage des Downloads"]),
    ColumnRule::new("Parent", ColumnUse::Extra(Extra::Parent))
        .also(&["Übergeordnet", "Übergeordnetes Produkt"])
        .with_note("The product of a variation: its SKU, or `id:N`."),
    ColumnRule::new("Grouped products", ColumnUse::LeftOut)
        .also(&["Gruppierte Produkte"])
        .with_note("Its products are rows of their own."),
    ColumnRule::new("Upsells", ColumnUse::LeftOut).also(&["Zusatzverkäufe"]),
    ColumnRule::new("Cross-sells", ColumnUse::LeftOut).also(&["Cross-Sells (Querverkäufe)", "Querverkäufe"]),
    ColumnRule::new("External URL", ColumnUse::Extra(EXTERNAL_URL))
        .also(&["Externe URL"])
        .with_note("Address of the page, of a product that has no other."),
    ColumnRule::new("Button text", ColumnUse::LeftOut),
    ColumnRule::new("Position", ColumnUse::LeftOut),
    ColumnRule::new("Cost of goods", ColumnUse::LeftOut)
        .also(&["Warenkosten", "Kosten der Waren"])
        .with_note("The shop's own cost is not for shoppers."),
    ColumnRule::new("Brands", ColumnUse::Extra(BRANDS))
        .also(&["Brand", "Marken", "Marke"])
        .with_note("The first is the brand; further ones are kept as the attribute `Brands`."),
    ColumnRule::new("Permalink", ColumnUse::Link)
        .also(&["Product URL", "Produkt-URL", "URL", "Link"])
        .with_note("Not in WooCommerce's own export; extensions add it."),
    ColumnRule::new("Attribute 1 name", ColumnUse::OptionName(1))
        .also(&["Attribut 1 Name"])
        .with_note("Likewise with every number up to 255, as the columns below."),
    ColumnRule::new("Attribute 1 value(s)", ColumnUse::OptionValue(1))
        .also(&["Attribut 1 Wert(e)"])
        .with_note(
            "The value of a variation's option; empty means any. Of other rows an attribute whose values are \
         separated by commas.",
        ),
    ColumnRule::new("Attribute 1 visible", ColumnUse::LeftOut).also(&["Attribut 1 Sichtbar"]),
    ColumnRule::new("Attribute 1 global", ColumnUse::LeftOut).also(&["Attribut 1 Global"]),
    ColumnRule::new("Attribute 1 default", ColumnUse::LeftOut).also(&["Attribut 1 Standard"]),
    ColumnRule::new("Download 1 name", ColumnUse::LeftOut)
        .with_note("Likewise every other column of downloads."),
    ColumnRule::new("Meta: …", ColumnUse::LeftOut)
        .with_note("Custom fields, but for those that hold a GTIN."),
];

const VISIBILITY_NOTE: &str = "`hidden` is left out. `catalog` sets `ExcludeFromSearch`, `search` sets \
                               `ExcludeFromProductListing`.";

/// Numbered columns and custom fields; columns that extensions add are attributes.
fn find_other(name: &str) -> ColumnUse {
    let numbered = name.strip_prefix("attribute").or_else(|| name.strip_prefix("attribut"));
    if let Some(numbered) = numbered
        && numbered.starts_with(|letter: char| letter.is_ascii_digit())
    {
        let digits = numbered.bytes().take_while(u8::is_ascii_digit).count();
        let (number, part) = numbered.split_at(digits);
        return match (number.parse::<u8>(), part) {
            (Ok(number), "name") if number > 0 => ColumnUse::OptionName(number),
            (Ok(number), "value" | "values" | "wert" | "werte") if number > 0 => {
                ColumnUse::OptionValue(number)
            }
            _ => ColumnUse::LeftOut,
        };
    }
    // A column `Metal` is none of the custom fields, which are `Meta: …`.
    let is_custom = name.starts_with("meta") && !name.starts_with("metal");
    let is_download =
        name.strip_prefix("download").is_some_and(|rest| rest.starts_with(|l: char| l.is_ascii_digit()));
    if is_custom || is_download { ColumnUse::LeftOut } else { ColumnUse::Attribute }
}

fn complete(row: &mut DraftRow, extras: &Extras, _context: &MappingContext<'_>) {
    let kind = WooRowType::parse(extras.first(Extra::RowType).unwrap_or_default());
    set_group(row, kind, extras.first(Extra::Parent));
    move_attributes(row, kind);
    set_categories(row, extras);
    set_brand(row, extras);
    let is_published = extras.first(Extra::Published).is_none_or(is_published);
    row.is_hidden |= !is_published;
    apply_visibility(row, extras.first(Extra::Visibility).unwrap_or_default());
    set_stock(row, extras);
    if row.description.is_none() {
        let short = extras.first(Extra::ShortDescription).map(to_plain_text);
        row.description = short.filter(|text| !text.is_empty());
    }
    if row.link.is_none() {
        let outside = extras.first(EXTERNAL_URL).filter(|address| address.starts_with("http"));
        row.link = outside.map(str::to_owned);
    }
}

/// Kind of a row or object, by WooCommerce's name of its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WooRowType {
    /// A product without variants.
    Product,
    /// A product whose variants are rows of their own.
    Variable,
    /// A variant.
    Variation,
}

impl WooRowType {
    /// Reads `simple, virtual`, `variable`, `variation` and the types of extensions, such as `variable-subscription`
    /// and `subscription_variation`.
    pub(super) fn parse(text: &str) -> Self {
        let has = |word: &str| text.split(',').any(|kind| kind.trim().to_ascii_lowercase().contains(word));
        if has("variation") {
            Self::Variation
        } else if has("variable") {
            Self::Variable
        } else {
            Self::Product
        }
    }
}

/// A variable product is named by its SKU or, without one, as `id:N`; with a SKU, `id:N` is an alias.
fn set_group(row: &mut DraftRow, kind: WooRowType, parent: Option<&str>) {
    match kind {
        WooRowType::Product => {}
        WooRowType::Variation => {
            row.group = parent.map(normalise_parent);
            if row.group.is_none() {
                row.issues.push(DraftIssue { code: IssueCode::ParentMissing, column: "Parent".to_owned() });
            }
        }
        WooRowType::Variable => {
            row.role = RowRole::Parent;
            let by_id = row.id.as_deref().map(group_of_id);
            match &row.sku {
                Some(sku) => {
                    row.group = Some(sku.clone());
                    row.group_aliases.extend(by_id);
                }
                None => row.group = by_id,
            }
        }
    }
}

/// Key of a product by its id.
pub(super) fn group_of_id(id: &str) -> String {
    format!("id:{id}")
}

/// `ID: 12`, as people write it, is `id:12`.
fn normalise_parent(parent: &str) -> String {
    match parent.split_once(':') {
        Some((prefix, id)) if prefix.trim().eq_ignore_ascii_case("id") => group_of_id(id.trim()),
        _ => parent.to_owned(),
    }
}

/// Numbered attributes stay options of a variation, and become attributes of any other row.
fn move_attributes(row: &mut DraftRow, kind: WooRowType) {
    let numbered = std::mem::take(&mut row.options);
    for DraftOption { name, value, .. } in numbered {
        if name.is_empty() || value.is_empty() {
            continue;
        }
        if kind == WooRowType::Variation {
            row.options.push(DraftOption { position: 0, name, value: unescape_commas(&value) });
        } else {
            row.add_values(&name, split_list(&value));
        }
    }
}

fn set_categories(row: &mut DraftRow, extras: &Extras) {
    for path in split_list(extras.first(CATEGORIES).unwrap_or_default()) {
        let path = parse_category_path(&path, '>');
        if !path.is_empty() {
            row.categories.push(path);
        }
    }
    let tags = split_list(extras.first(TAGS).unwrap_or_default());
    row.tags.extend(tags.iter().map(|tag| to_plain_text(tag)).filter(|tag| !tag.is_empty()));
}

/// Brands have parents like categories; the last title of the first path is the brand.
fn set_brand(row: &mut DraftRow, extras: &Extras) {
    let paths = split_list(extras.first(BRANDS).unwrap_or_default());
    let mut brands: Vec<String> =
        paths.iter().filter_map(|path| parse_category_path(path, '>').pop()).collect();
    if !brands.is_empty() {
        row.brand = Some(brands.remove(0));
        row.add_values("Brands", brands);
    }
}

/// `1`, or the word of an extension's export; drafts, private and pending products have other values.
pub(super) fn is_published(text: &str) -> bool {
    ["1", "yes", "true", "publish", "published"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Visibility that is less than whole, as Lethe's own fields.
pub(super) fn apply_visibility(row: &mut DraftRow, text: &str) {
    match text.to_ascii_lowercase().as_str() {
        "hidden" => row.is_hidden = true,
        "catalog" => row.add_values("ExcludeFromSearch", vec!["true".to_owned()]),
        "search" => row.add_values("ExcludeFromProductListing", vec!["true".to_owned()]),
        _ => {}
    }
}

/// Without a word about stock, the number and the backorders decide.
fn set_stock(row: &mut DraftRow, extras: &Extras) {
    let count = extras.first(STOCK).and_then(|text| text.parse::<Decimal>().ok());
    row.quantity = count.map(|count| count.normalize().to_string());
    if row.in_stock.is_none() {
        let backorders = extras.first(Extra::StockPolicy);
        let is_sold_on = backorders.is_some_and(|text| !matches!(text, "0" | "no"));
        row.in_stock = count.map(|count| count > Decimal::ZERO || is_sold_on);
    }
}

/// Entries of a list with commas between them, at most [`LIST_MAX`]; `\,` is a comma within an entry.
fn split_list(text: &str) -> Vec<String> {
    let mut entries = Vec::new();
    let mut begin = 0;
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().chain([(text.len(), ',')]) {
        let is_end = at == text.len();
        if is_end || (letter == ',' && !is_escaped) {
            let entry = text.get(begin..at).unwrap_or_default().trim();
            if !entry.is_empty() {
                entries.push(unescape_commas(entry));
            }
            begin = at + 1;
            if entries.len() == LIST_MAX {
                break;
            }
        }
        is_escaped = letter == '\\';
    }
    entries
}

fn unescape_commas(text: &str) -> String {
    text.replace("\\,", ",")
}

#[cfg(test)]
#[path = "woocommerce_csv_tests.rs"]
mod tests;
