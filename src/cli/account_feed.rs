//! `lethe account feed`: the format and the mapping of a shop's feeds.

use std::path::Path;

use serde_json::json;

use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{facts, many};
use super::text_file::read_text_file;

/// Shows or sets the format and the mapping of a shop's feeds; omitted ones stay.
///
/// # Errors
/// When the mapping cannot be read, or the server refuses.
pub async fn set_feed(
    context: &CommandContext,
    name: &str,
    format: Option<String>,
    map: Option<&Path>,
) -> Result<(), CliFault> {
    let mut body = json!({"Name": name});
    if let Some(format) = format {
        body["Format"] = format.into();
    }
    if let Some(file) = map {
        let is_empty = file.as_os_str().is_empty();
        body["Mapping"] = if is_empty { String::new() } else { read_text_file(file)? }.into();
    }
    let set = control::call(context, "/control/account/feed", &body).await?;
    if context.json {
        print_line(&set);
        return Ok(());
    }
    let format = set["Format"].as_str().unwrap_or("told by the content of each feed");
    let mapping = match set["Mapping"]["Columns"].as_object() {
        Some(columns) => many(columns.len() as u64, "column", "columns"),
        None => "guessed by the names of columns".to_owned(),
    };
    facts(&[("Name", set["Name"].as_str().unwrap_or_default()), ("Format", format), ("Mapping", &mapping)])
        .iter()
        .for_each(print_line);
    Ok(())
}
