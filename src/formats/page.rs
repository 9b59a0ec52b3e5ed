//! The page `docs/feeds.md`: the formats that are understood, and the use of each column.

use std::fmt::Write as _;

use super::mapping::column_rule::{ColumnRule, ColumnUse};
use super::mapping::format_rules::FormatRules;
use super::mapping::google::GOOGLE;
use super::mapping::magento_csv::MAGENTO_CSV;
use super::mapping::shopify_csv::SHOPIFY_CSV;
use super::mapping::woocommerce_csv::WOOCOMMERCE_CSV;
use crate::feeds::feed_format::FeedFormat;

/// Formats whose columns are a table.
const TABLES: [&FormatRules; 4] = [&GOOGLE, &SHOPIFY_CSV, &WOOCOMMERCE_CSV, &MAGENTO_CSV];

const BEGINNING: &str = "\
# Feeds of other systems

Made by `lethe check --formats --markdown` from the rules by which feeds are read; `lethe check --formats FORMAT` prints a
format.

A feed need not be Lethe's own JSON ([fields.md](fields.md)): the file or the URL that a shop already has for Google, or an
export of its system, is read as it is, through the same operation and with the same promises. The format is told by the
content, and answers name it. `lethe check FILE` says what would become of a file, with every issue and its line;
`lethe check FILE --convert OUT` writes what was understood as Lethe's own JSON.

- **Files**: plain, gzip or zstd. UTF-8, UTF-16, Windows-1252 and what an XML declaration names. Tables with commas, semicolons,
  tabs or bars. A web page, a login form, a PDF or an Excel file is refused by its name.
- **Products and variants**: rows that share a group are one product with variants, wherever they stand in the file. A group of
  Google, or of a mapping, is believed only if its rows differ in options and share most of their titles; otherwise each row
  is a product ([group_is_category](issues.md#group_is_category)).
- **Categories and brands** come as texts, and become rows of their own, with ids made of the texts: \"Home > Chairs\" is
  the category `home > chairs` below `home`.
- **Prices**: `12.50 GBP`, `GBP 12.50`, `£12.50`, `1,299.00`, `1.299,00`. A number that reads both ways (`1,299`) is read as the
  shop's country writes it, by the account's currency; so is a date (`03/04/2026`), with an issue
  ([date_ambiguous](issues.md#date_ambiguous)).
- **Stock**: the words of all these systems. Without a word, a quantity of 0 or less cannot be bought.
- **Texts** lose their markup, entities, shortcodes of page builders and directives.
- **Left out**: drafts, archived and hidden products ([product_not_published](issues.md#product_not_published)), and columns that
  shoppers have no use for. Every other column is an attribute.
- **A feed is whole or nothing**: one that ends in its middle changes nothing, as with Lethe's own.

";

/// The whole page.
#[must_use]
pub fn write_page() -> String {
    let mut page = BEGINNING.to_owned();
    page.push_str("| format | name | files |\n|---|---|---|\n");
    for format in FeedFormat::ALL {
        let _ = writeln!(page, "| `{}` | {} | {} |", format.as_str(), format.title(), describe_files(format));
    }
    for rules in TABLES {
        let _ = writeln!(page, "\n## {}\n", rules.format.title());
        let _ = writeln!(page, "{}\n", describe_format(rules.format));
        page.push_str("| column | becomes | |\n|---|---|---|\n");
        for line in list_columns(rules) {
            let _ =
                writeln!(page, "| {} | {} | {} |", line.names(), line.becomes, line.note.replace('|', "\\|"));
        }
    }
    page
}

/// A column of a format, for people.
pub struct ColumnLine {
    /// Its names, the first as the format's documentation writes it.
    pub columns: Vec<&'static str>,
    /// Its use, in a few words.
    pub becomes: String,
    /// A sentence; empty if the use says it all.
    pub note: &'static str,
}

impl ColumnLine {
    fn names(&self) -> String {
        self.columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }
}

/// The columns of a format in a table; none of other formats.
#[must_use]
pub fn list_format(format: FeedFormat) -> Vec<ColumnLine> {
    let rules = TABLES.into_iter().find(|rules| rules.format == format);
    rules.map(list_columns).unwrap_or_default()
}

fn list_columns(rules: &FormatRules) -> Vec<ColumnLine> {
    let line = |rule: &ColumnRule| ColumnLine {
        columns: std::iter::once(rule.name).chain(rule.also.iter().copied()).collect(),
        becomes: describe_use(rule.becomes),
        note: rule.note,
    };
    rules.columns.iter().map(line).collect()
}

/// The files of a format.
#[must_use]
pub const fn describe_files(format: FeedFormat) -> &'static str {
    match format {
        FeedFormat::Lethe => "JSON and NDJSON, as in [fields.md](fields.md)",
        FeedFormat::Google => {
            "RSS 2.0 and Atom with any namespace prefix, TSV, CSV; Meta, Microsoft and others take the same"
        }
        FeedFormat::Shopify => "CSV export of products, `products.json`, JSON lines of a bulk operation",
        FeedFormat::WooCommerce => "CSV export of products, JSON of its REST API",
        FeedFormat::Magento => "CSV export of products",
        FeedFormat::Csv => "any other table, by a mapping of its columns",
        FeedFormat::Json => "any other list of objects, by a mapping of their members",
        FeedFormat::Ndjson => "the same, an object a line",
    }
}

/// Meaning of a format's rows, in one paragraph.
const fn describe_format(format: FeedFormat) -> &'static str {
    match format {
        FeedFormat::Google => {
            "A row is a product, or a variant of the product that `item_group_id` names. Names count in any writing: \
             `g:image_link`, `image link`, `Image Link`. Columns that are not in the list become attributes."
        }
        FeedFormat::Shopify => {
            "Rows with the same handle are one product: the first has its texts, the others further variants or pictures. \
             Of `products.json` and of bulk operations the members mean the same as these columns."
        }
        FeedFormat::WooCommerce => {
            "A row is a product; one of type `variable` has its variations as rows of their own, which name it in `Parent`. Of \
             the REST API the members mean the same as these columns."
        }
        FeedFormat::Magento => {
            "A row is a product; one of type `configurable` lists its variants by their SKUs, which have rows of their own."
        }
        FeedFormat::Lethe | FeedFormat::Csv | FeedFormat::Json | FeedFormat::Ndjson => "",
    }
}

/// Use of a column, in a few words.
fn describe_use(becomes: ColumnUse) -> String {
    let text = match becomes {
        ColumnUse::Id => "`Id`",
        ColumnUse::Sku => "`Sku`",
        ColumnUse::Gtin => "`Gtin`",
        ColumnUse::Group => "the product of the variant",
        ColumnUse::Title => "`Title`",
        ColumnUse::Description => "`Description`",
        ColumnUse::Link => "`Link`",
        ColumnUse::Image => "`Image`",
        ColumnUse::MoreImages => "`AllImages`",
        ColumnUse::Brand => "`Brand`",
        ColumnUse::CategoryPath(_) | ColumnUse::CategoryPaths(..) => "`Categories`",
        ColumnUse::Tags => "`SearchTags`",
        ColumnUse::Price => "`Prices`",
        ColumnUse::SalePrice => "`SalePrices`",
        ColumnUse::Currency => "the currency of the prices",
        ColumnUse::SaleDates => "`SalePriceStartDate` and `SalePriceEndDate`",
        ColumnUse::SaleStart => "`SalePriceStartDate`",
        ColumnUse::SaleEnd => "`SalePriceEndDate`",
        ColumnUse::Start => "`StartDate`",
        ColumnUse::End => "`EndDate`",
        ColumnUse::Availability => "`InStock`",
        ColumnUse::Quantity => "`StockQty`",
        ColumnUse::Option => "an option of its own name",
        ColumnUse::OptionNamed(name) => return format!("the option `{name}`"),
        ColumnUse::OptionName(_) | ColumnUse::OptionValue(_) => "`Options`",
        ColumnUse::Attribute => "an attribute",
        ColumnUse::AttributeNamed(name) => return format!("the attribute `{name}`"),
        ColumnUse::AttributeName | ColumnUse::AttributeValue | ColumnUse::PackedAttributes => "attributes",
        ColumnUse::Extra(_) => "see right",
        ColumnUse::LeftOut => "left out",
    };
    text.to_owned()
}
