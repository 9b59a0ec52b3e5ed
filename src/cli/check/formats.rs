//! `lethe check --formats`: the formats of feeds, and the use of their columns.

use serde_json::{Value, json};

use super::super::table::{row, table};
use crate::cli::context::CommandContext;
use crate::cli::fault::CliFault;
use crate::cli::print::{print_line, print_text};
use crate::formats::FeedFormat;
use crate::formats::page::{ColumnLine, describe_files, list_format, write_page};

/// Prints a format, or the list of all when `format` is empty; as the page of the documents with `markdown`.
///
/// # Errors
/// When there is no such format.
pub fn print(context: &CommandContext, format: &str, markdown: bool) -> Result<(), CliFault> {
    if markdown {
        print_text(&write_page());
        return Ok(());
    }
    let chosen = if format.is_empty() { None } else { Some(parse_format(format).map_err(CliFault::Usage)?) };
    let formats = FeedFormat::ALL.into_iter().filter(|format| chosen.is_none_or(|chosen| chosen == *format));
    if context.json {
        print_line(Value::Object(
            formats.map(|format| (format.as_str().to_owned(), object(format))).collect(),
        ));
        return Ok(());
    }
    let mut lines = vec![row(["Format", "Name", "Files"])];
    lines.extend(formats.map(|format| row([format.as_str(), format.title(), describe_files(format)])));
    table(&lines).iter().for_each(print_line);
    let columns = chosen.map(list_format).unwrap_or_default();
    if !columns.is_empty() {
        print_line("");
        let mut lines = vec![row(["Column", "Becomes", ""])];
        lines.extend(columns.iter().map(|ColumnLine { columns, becomes, note }| {
            row([&columns.join(", "), &becomes.replace('`', ""), note])
        }));
        table(&lines).iter().for_each(print_line);
    }
    Ok(())
}

/// Reads the name of a format.
///
/// # Errors
/// The sentence that lists the formats.
pub fn parse_format(text: &str) -> Result<FeedFormat, String> {
    let names = FeedFormat::ALL.map(FeedFormat::as_str).join(", ");
    FeedFormat::parse(text).ok_or_else(|| format!("there is no such format; there are {names}"))
}

fn object(format: FeedFormat) -> Value {
    let columns = list_format(format);
    let columns = columns.iter().map(|ColumnLine { columns, becomes, note }| {
        json!({"Names": columns, "Becomes": becomes.replace('`', ""), "Note": note})
    });
    json!({"Name": format.title(), "Files": describe_files(format), "Columns": columns.collect::<Vec<_>>()})
}
