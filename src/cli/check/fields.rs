//! `lethe check --fields`: the fields that rows may have.

use serde_json::{Value, json};

use super::super::table::{row, table};
use crate::cli::context::CommandContext;
use crate::cli::fault::CliFault;
use crate::cli::print::{print_line, print_text};
use crate::feeds::fields::misnamed::section_meant;
use crate::feeds::fields::page::{OTHERS_OF_ENTRY, describe_unknown_fields, page};
use crate::feeds::fields::{FieldSpec, RowSchema, SECTIONS, entry_fields};
use crate::feeds::section::FeedPart;

/// Prints the fields of a section, or of all when `section` is empty; as the page of the documents with `markdown`.
///
/// # Errors
/// When there is no such section.
pub fn print(context: &CommandContext, section: &str, markdown: bool) -> Result<(), CliFault> {
    if markdown {
        print_text(&page());
        return Ok(());
    }
    let chosen = select_sections(section)?;
    if context.json {
        print_line(Value::Object(
            chosen.iter().map(|rows| (rows.part.as_str().to_owned(), object(rows))).collect(),
        ));
        return Ok(());
    }
    for (number, rows) in chosen.iter().enumerate() {
        if number > 0 {
            print_line("");
        }
        say_section(rows);
    }
    Ok(())
}

fn select_sections(section: &str) -> Result<Vec<&'static RowSchema>, CliFault> {
    if section.is_empty() {
        return Ok(SECTIONS.to_vec());
    }
    let is_orders = section.eq_ignore_ascii_case(FeedPart::Orders.as_str());
    let part = if is_orders { Some(FeedPart::Orders) } else { FeedPart::parse_lenient(section) };
    if let Some(part) = part {
        return Ok(vec![crate::feeds::fields::schema_of(part)]);
    }
    let names: Vec<_> = FeedPart::ALL.iter().map(|part| part.as_str()).collect();
    let meant =
        section_meant(section).map_or_else(String::new, |part| format!("; {} is like it", part.as_str()));
    Err(CliFault::Usage(format!("there is no such section; there are {}{meant}", names.join(", "))))
}

fn say_section(rows: &RowSchema) {
    print_line(format!("{} (in {})", rows.part.as_str(), rows.stands_in.as_str()));
    print_line(rows.meaning);
    if !rows.also.is_empty() {
        print_line(format!("Also read as {}.", rows.also.join(", ")));
    }
    print_line(format!("A row: {}", rows.example));
    if rows.fields.is_empty() {
        return;
    }
    print_line("");
    print_fields(rows.fields);
    print_line(describe_unknown_fields(rows));
    for field in rows.fields.iter().filter(|field| !entry_fields(field.kind).is_empty()) {
        print_line("");
        print_line(format!("{}: {}", field.name, field.meaning));
        print_line("");
        print_fields(entry_fields(field.kind));
        print_line(OTHERS_OF_ENTRY);
    }
}

fn print_fields(fields: &[FieldSpec]) {
    let mut lines = vec![row(["Field", "Type", "", "Meaning", "Example", "Also read as"])];
    lines.extend(fields.iter().map(|field| {
        let FieldSpec { name, kind, need, meaning, example, also, .. } = field;
        row([name, kind.as_str(), need.as_str(), meaning, example, &also.join(", ")])
    }));
    table(&lines).iter().for_each(print_line);
}

fn object(rows: &RowSchema) -> Value {
    json!({"StandsIn": rows.stands_in.as_str(), "Also": rows.also, "Meaning": rows.meaning, "Example": rows.example,
           "Fields": list_fields(rows.fields), "Others": describe_unknown_fields(rows)})
}

/// The fields of a row, those of the objects in a field below it.
fn list_fields(fields: &[FieldSpec]) -> Vec<Value> {
    let object = |field: &FieldSpec| {
        let mut object = json!({
            "Name": field.name, "Type": field.kind.as_str(), "Understood": field.kind.understood(),
            "Need": field.need.as_str(), "Meaning": field.meaning, "Example": field.example, "Also": field.also,
        });
        if !entry_fields(field.kind).is_empty() {
            object["Fields"] = list_fields(entry_fields(field.kind)).into();
        }
        object
    };
    fields.iter().map(object).collect()
}
