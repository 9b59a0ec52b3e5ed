//! The table as the page `docs/fields.md`.

use std::fmt::Write as _;

use super::kind::FieldType;
use super::sections::SECTIONS;
use super::spec::{FieldSpec, RowSchema, UnknownFieldPolicy};
use super::variants::entry_fields;
use crate::feeds::section::FeedPart;

const BEGINNING: &str = "\
# Fields of feeds, deltas and order files

Made by `lethe check --fields --markdown` from the table by which rows are read; `lethe check --fields SECTION` prints a
section of it.

A feed is a JSON object with sections, each a list of rows: `{\"Products\": [{\"Id\": \"chair-1\"}]}`; or NDJSON. A delta is
the same with the credentials beside them. An order file is CSV. Names of sections and fields are understood in upper and
lower case. `null`, an empty text and an empty list are as if the field were not there. What is wrong with a row is told
by codes: [issues.md](issues.md). A name that is like a documented one (`price`, `in_stock`, `Titel`) is told as
[field_misnamed](issues.md#field_misnamed) with the name that is meant, and stays an attribute.

- **How they are sent**: [integrating.md](integrating.md) shows the requests, [interface.md](interface.md) has every rule and
  [reference.md](reference.md#limits) every limit.
- **What a feed replaces**: each section that it holds and that has rows, whole; users are added and replaced, never
  removed. A section that is not there, or has no rows, changes nothing.
- **What a delta does**: its rows replace items of the same id, or do what the section's name says; all else stays.
- **NDJSON**: the first line is `{\"FileType\":\"ndjson\"}`; then `{\"Type\":\"Products\"}` names the section of the rows below it,
  one row a line.
- **CSV**: UTF-8, with commas between the fields; a text with a comma, a quotation mark or a line break stands in
  quotation marks, a quotation mark in it is doubled. Numbers have a decimal point.
- **required**: a row without it is bad and left out; a feed with more than 10 % bad rows is not shown. **wanted**: a row
  without it is kept, with a warning. **one of these is required**: more than one may be given.
- **Warnings**: besides what is wanted, a row is used with a warning when a price names no currency and the account
  has none ([price_without_currency](issues.md#price_without_currency): that price is left out; for `lethe check` the
  account's currency is `--currency GBP`), when a product has no price in the account's currency
  ([price_other_currency](issues.md#price_other_currency)), when a price has more decimals than its currency
  ([price_rounded](issues.md#price_rounded)), when a date cannot be read ([date_malformed](issues.md#date_malformed)),
  when a text holds an email address or a phone number ([email_in_text](issues.md#email_in_text),
  [phone_in_text](issues.md#phone_in_text)), when a person's Email is not one address
  ([email_malformed](issues.md#email_malformed)), when products name categories by their titles
  ([category_by_title](issues.md#category_by_title)), when shoppers would not find products
  ([product_unseen](issues.md#product_unseen)), and when an id stands twice in its section
  ([duplicate_id](issues.md#duplicate_id): the last row is used). Variants have warnings of their own: one that cannot
  be used ([variant_malformed](issues.md#variant_malformed); an object of variants is read as a list,
  [variants_not_list](issues.md#variants_not_list)) or stands twice in its product
  ([variant_repeated](issues.md#variant_repeated); if only its Sku does, it stays without it) is left out, as are
  options, attributes, values and variants beyond the most
  ([variant_options_too_many](issues.md#variant_options_too_many),
  [variant_attributes_too_many](issues.md#variant_attributes_too_many),
  [variant_value_too_long](issues.md#variant_value_too_long), [variants_too_many](issues.md#variants_too_many));
  different currencies ([variant_currencies_differ](issues.md#variant_currencies_differ)) and malformed identifiers of
  barcodes ([gtin_malformed](issues.md#gtin_malformed)) are told, and variants that are products too
  ([variant_is_product](issues.md#variant_is_product)), unless a feed has too many ids to compare them
  ([variants_unchecked](issues.md#variants_unchecked)). In a delta also a product
  ([variant_product_unknown](issues.md#variant_product_unknown)) or a variant
  ([variant_unknown](issues.md#variant_unknown)) that is not there. A section whose name is like a documented one is
  passed over ([section_unknown](issues.md#section_unknown)). A product without a price in a shopper's currency is not
  shown to them.

";

/// The whole page.
#[must_use]
pub fn page() -> String {
    let mut page = BEGINNING.to_owned();
    sections_table(&mut page);
    types_table(&mut page);
    for rows in SECTIONS {
        section(rows, &mut page);
    }
    page
}

fn sections_table(page: &mut String) {
    page.push_str("| section | stands in | also read as |\n|---|---|---|\n");
    for rows in SECTIONS {
        let name = rows.part.as_str();
        let also = names(rows.also);
        let _ =
            writeln!(page, "| [{name}](#{}) | {} | {also} |", name.to_lowercase(), rows.stands_in.as_str());
    }
}

fn types_table(page: &mut String) {
    page.push_str("\n## Types\n\n| type | what is understood |\n|---|---|\n");
    for kind in FieldType::ALL {
        let _ = writeln!(page, "| {} | {} |", kind.as_str(), cell(kind.understood()));
    }
}

fn section(rows: &RowSchema, page: &mut String) {
    let _ = writeln!(page, "\n## {}\n\n{}\n\nA row: `{}`", rows.part.as_str(), rows.meaning, rows.example);
    if rows.fields.is_empty() {
        return;
    }
    fields_table(rows.fields, page);
    let _ = writeln!(page, "\n{}", describe_unknown_fields(rows));
    for field in rows.fields.iter().filter(|field| !entry_fields(field.kind).is_empty()) {
        let _ = writeln!(page, "\n### {}\n\n{}", field.name, field.meaning);
        fields_table(entry_fields(field.kind), page);
        let _ = writeln!(page, "\n{OTHERS_OF_ENTRY}");
    }
}

fn fields_table(fields: &[FieldSpec], page: &mut String) {
    page.push_str(
        "\n| field | type | | what it says | example | also read as |\n|---|---|---|---|---|---|\n",
    );
    for field in fields {
        let FieldSpec { name, kind, need, meaning, example, also, .. } = field;
        let kind = kind.as_str();
        let need = need.as_str();
        let meaning = cell(meaning);
        let example = cell(example);
        let also = names(also);
        let _ = writeln!(page, "| `{name}` | {kind} | {need} | {meaning} | `{example}` | {also} |");
    }
}

/// Treatment of other fields of a variant.
pub const OTHERS_OF_ENTRY: &str =
    "Any other field is an attribute of the variant, kept as it is sent, if its value has at most 200 bytes.";

/// Treatment of other fields, in a sentence.
#[must_use]
pub fn describe_unknown_fields(rows: &RowSchema) -> &'static str {
    match (rows.others, rows.part) {
        (UnknownFieldPolicy::Attributes, _) => {
            "Any other field is an attribute of the row, kept as it is sent: texts, numbers, lists, objects."
        }
        (UnknownFieldPolicy::LeftOut, FeedPart::Orders) => "Other columns are passed over.",
        (UnknownFieldPolicy::LeftOut, _) => "Other fields are left out.",
    }
}

fn names(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
