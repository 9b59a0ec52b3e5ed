//! The page `docs/feeds.md`: the formats that are understood, and the use of each column.

use std::fmt::Write as _;

use super::mapping::column_rule::{ColumnRule, ColumnUse};
use super::mapping::format_rules::FormatRules;
use super::mapping::google::GOOGLE;
use super::mapping::magento_csv::MAGENTO_CSV;
use super::mapping::shop_mapping::uses::{NamedUse, list_uses};
use super::mapping::shopify_csv::SHOPIFY_CSV;
use super::mapping::woocommerce_csv::WOOCOMMERCE_CSV;
use crate::feeds::feed_format::FeedFormat;

/// Formats whose columns are a table.
const TABLES: [&FormatRules; 4] = [&GOOGLE, &SHOPIFY_CSV, &WOOCOMMERCE_CSV, &MAGENTO_CSV];

const BEGINNING: &str = "\
# Feeds of other systems

Made by `lethe check --formats --markdown` from the rules by which feeds are read; `lethe check --formats FORMAT` prints
one format.

A feed need not be Lethe's own JSON ([fields.md](fields.md)). Send what the shop already has, a Google feed or an export of
its system, by the same operations and with the same promises. The content tells the format; `Format` in a request names
it, and answers repeat it. `lethe check FILE` says what would become of a file, with the line of every issue;
`lethe check FILE --convert OUT` writes what was understood as Lethe's own JSON. [Integrating](integrating.md) shows it.

- **Files**: plain, gzip or zstd; UTF-8, UTF-16, Windows-1252, or the encoding that an XML declaration names. Tables have a
  heading line, and commas, semicolons, tabs or bars between the columns. A web page, a page to sign in, a PDF or an Excel
  file is refused with a sentence that says what it is.
- **Products and variants**: rows that share a group become one product with variants, wherever they stand in the file. A
  group of Google or of a mapping is believed only if its rows differ in their options and share at least half of the words
  of their titles; otherwise each row is a product ([group_is_category](issues.md#group_is_category)).
- **Categories and brands** are texts in these feeds. They become rows of their own, with ids made of the texts:
  `Home > Chairs` becomes the category `home > chairs` below `home`. A text that changes is another category.
- **Prices**: `12.50 GBP`, `GBP 12.50`, `£12.50`, `1,299.00`, `1.299,00`. A price without a currency has the account's. A number that
  reads both ways (`1,299`) is read as the countries with the account's currency write it. A sale price that is 0 or not
  lower than the price is no sale.
- **Dates**: ISO 8601, RFC 2822, Unix seconds and milliseconds, `27.11.2026`, `11/27/2026`. One that reads both ways (`03/04/2026`)
  is read as those countries write it, with an issue ([date_ambiguous](issues.md#date_ambiguous)). `0000-00-00` is no date.
- **Stock**: the words of all these systems. Without a word, a product with a quantity of 0 or less cannot be bought.
- **Values that cannot be read** are left out and told with their line: a price ([price_unreadable](issues.md#price_unreadable)),
  a word for the stock ([availability_unknown](issues.md#availability_unknown)). A text that is no UTF-8 is read as Windows-1252
  ([text_not_utf8](issues.md#text_not_utf8)); variants whose product is not in the file become products
  ([parent_missing](issues.md#parent_missing)).
- **Texts** lose their markup, entities, shortcodes of page builders and directives.
- **Left out**: drafts, archived and hidden products ([product_not_published](issues.md#product_not_published)), and columns
  that shoppers have no use for; the tables below name these. Every other column becomes an attribute of its name.
- **Languages**: a feed is read in one. Where a shop's own table has a column for each (`name.en`, `name.de`), Lethe takes the
  language with the most values; a mapping chooses another. Rows of Magento for single store views are left out. For several
  languages make an account for each, and send each its own feed.
- **Limits**: 10,000 columns; 3,000 rows, of 8 MiB together, for one product; 20 levels of categories; 100,000 categories and
  as many brands ([all limits](reference.md#limits)).
- **A feed is whole or nothing**: one that ends in its middle changes nothing, as with Lethe's own.

";

const MAPPING: &str = "\
## Mapping

A table or JSON of another kind (`csv`, `json`, `ndjson`) is read by a mapping of its columns. Without one Lethe guesses each
column by its name, in several languages, and then by the values of the first 50 rows: `Artikelnummer` is the `Sku`, and a
column of addresses that end in `.jpg` is the `Image`. A mapping is an object with `Columns`, the use of each column by its name,
and `Others`, what becomes of all columns that it does not name: `Attributes`, which is usual, or `LeftOut`.

```json
{\"Columns\": {
   \"Artikelnummer\": \"Id\",
   \"Bezeichnung\": \"Title\",
   \"Preis\": \"Price\",
   \"Bestand\": \"Quantity\",
   \"Warengruppe\": {\"Use\": \"CategoryPaths\", \"Separator\": \">\", \"Between\": \"|\"}},
 \"Others\": \"LeftOut\"}
```
`lethe check FILE --map columns.json` tries it, and `lethe account feed NAME --map columns.json` sets it for all feeds of the account
(`--map ''` takes it away); a fault in it is told in one sentence. Names of columns count in any case, and without signs and
blanks. A member inside a member of JSON is named `price.amount`. One column has to be the `Id`; the `Sku` or the `Link` takes its place.
A mapping has up to 1,000 columns, with names of up to 200 bytes, and 64 KiB.

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
    page.push('\n');
    page.push_str(MAPPING);
    write_uses(&mut page);
    page
}

/// Adds the table of the uses that a mapping may give.
fn write_uses(page: &mut String) {
    page.push_str("| use | becomes | columns | |\n|---|---|---|---|\n");
    for NamedUse { name, becomes, is_single } in list_uses() {
        let columns = if is_single { "one" } else { "several" };
        let _ =
            writeln!(page, "| `{name}` | {} | {columns} | {} |", describe_use(becomes), explain_use(becomes));
    }
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
            "A row is a product, or a variant of the product that `item_group_id` names. Names count in any spelling: \
             `g:image_link`, `image link`, `Image Link`."
        }
        FeedFormat::Shopify => {
            "Rows with the same handle are one product: the first has its texts, the others further variants or pictures. \
             The members of `products.json` and of bulk operations mean the same as these columns."
        }
        FeedFormat::WooCommerce => {
            "A row is a product; one of type `variable` has its variations as rows of their own, which name it in `Parent`. The \
             members of the REST API mean the same as these columns."
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

/// Use that a mapping gives to a column, in one sentence; empty for uses that only formats have.
const fn explain_use(becomes: ColumnUse) -> &'static str {
    match becomes {
        ColumnUse::Id => "Tells products, or variants, apart.",
        ColumnUse::Sku => "Article number; also the id of a row without one.",
        ColumnUse::Gtin => "GTIN, EAN, UPC or ISBN; the first of several.",
        ColumnUse::Group => "Key that the variants of one product share; a row without it is a product.",
        ColumnUse::Title => "Name of the product or variant.",
        ColumnUse::Description => "With or without HTML.",
        ColumnUse::Link => "Address of the page; also the id of a row without `Id` and `Sku`.",
        ColumnUse::Image => "Address of the picture; further addresses are more pictures.",
        ColumnUse::MoreImages => "Addresses with commas, bars or line breaks between them.",
        ColumnUse::Brand => "Name of the brand, which becomes a row of `Brands`.",
        ColumnUse::CategoryPath(_) => {
            "One path such as `Home > Chairs`, which becomes rows of `Categories`; `Separator` names another sign than `>`."
        }
        ColumnUse::CategoryPaths(..) => {
            "Several paths; `Separator` stands within a path, `Between` between two, usually a comma."
        }
        ColumnUse::Tags => "Words by which the product is found, with commas or bars between them.",
        ColumnUse::Price => "Price, with or without a currency.",
        ColumnUse::SalePrice => "Price of a sale; one that is 0 or not lower than the price is no sale.",
        ColumnUse::Currency => "Code such as `EUR`, of prices that name none.",
        ColumnUse::SaleDates => "First and last moment of the sale, with `/` between them.",
        ColumnUse::SaleStart => "First moment of the sale.",
        ColumnUse::SaleEnd => "Last moment of the sale.",
        ColumnUse::Start => "First day on which the product is shown.",
        ColumnUse::End => "Last day on which the product is shown.",
        ColumnUse::Availability => "Whether it can be bought, in any of the usual words.",
        ColumnUse::Quantity => "How many are in stock; without `Availability`, 0 or less cannot be bought.",
        ColumnUse::Option => {
            "Value such as `Red` of a column `Colour`; of a row without a group it is an attribute."
        }
        ColumnUse::Attribute => "Anything else that shoppers see or filter by, under the name of the column.",
        ColumnUse::LeftOut => "Nothing; shoppers have no use for it.",
        ColumnUse::OptionNamed(_)
        | ColumnUse::OptionName(_)
        | ColumnUse::OptionValue(_)
        | ColumnUse::AttributeNamed(_)
        | ColumnUse::AttributeName
        | ColumnUse::AttributeValue
        | ColumnUse::PackedAttributes
        | ColumnUse::Extra(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::mapping::shop_mapping::ShopMapping;
    use crate::limits;

    #[test]
    fn the_page_explains_every_use_of_a_mapping() {
        let page = write_page();
        for NamedUse { name, becomes, .. } in list_uses() {
            assert!(!explain_use(becomes).is_empty(), "{name}");
            assert!(page.contains(&format!("\n| `{name}` | ")), "{name}");
        }
    }

    #[test]
    fn the_mapping_of_the_page_is_one_that_is_read() {
        let example =
            MAPPING.split("```").nth(1).and_then(|block| block.strip_prefix("json")).expect("a block");
        let mapping = ShopMapping::parse(example).expect("a mapping");
        assert_eq!(mapping.columns().len(), 5);
    }

    #[test]
    fn the_page_names_the_limits_as_they_are() {
        for (limit, words) in [
            (limits::FEED_COLUMNS, "10,000 columns"),
            (limits::FEED_GROUP_ROWS, "3,000 rows"),
            (limits::FEED_CATEGORY_LEVELS, "20 levels"),
            (limits::FEED_DERIVED_ITEMS, "100,000 categories"),
            (limits::FEED_MAPPING_COLUMNS, "1,000 columns"),
            (limits::FEED_MAPPING_NAME_BYTES, "200 bytes"),
        ] {
            let number: String = words.chars().filter(char::is_ascii_digit).collect();
            assert!(number == limit.to_string() && write_page().contains(words), "{words}");
        }
        assert_eq!((limits::FEED_MAPPING_BYTES, limits::FEED_GROUP_BYTES), (64 << 10, 8 << 20));
    }
}
