//! `lethe product ID --why`: why the shop shows an item as it does, told as a timeline.

use std::sync::Arc;

use serde_json::{Value, json};

use super::account::text;
use super::api::Api;
use super::context::CommandContext;
use super::fault::CliFault;
use super::feed_file;
use super::folder::TemporaryFolder;
use super::print::print_line;
use super::table::{cell, pretty, time};
use super::view::{ProductOptions, items, kind_and_number};
use crate::addresses::printable;
use crate::feeds::reader::FeedPiece;
use crate::feeds::rows::{self, NormaliserContext as RowContext};
use crate::outbound::{FeedBytes, FetchProgress};

/// Asks for the timeline and prints it, with the row of a copy of the feed if there is one.
///
/// # Errors
/// When the server cannot be asked or refuses, or the copy of the feed cannot be read.
pub async fn run(context: &CommandContext, options: &ProductOptions) -> Result<(), CliFault> {
    let api = Api::open(context, &options.whose)?;
    let asked = json!({"Id": options.id, "Section": options.section});
    let mut found = api.post("/api/product/why", &asked).await?;
    if let Some(file) = &options.feed {
        let in_file = in_copy(&found, file, options.currency.clone()).await?;
        found["InFile"] = in_file;
    }
    if context.json {
        print_line(&found);
        return Ok(());
    }
    match &found["Item"] {
        Value::Null => print_line(format!("{} is not shown.", printable(text(&found, "Id")))),
        item => print_line(pretty(item)),
    }
    for entry in items(&found["Timeline"]) {
        print_line("");
        print_entry(entry);
    }
    if let Some(copy) = found.get("InFile") {
        print_line("");
        print_line(format!("In the file: {}", printable(text(copy, "Says"))));
        if let Some(raw) = copy["Raw"].as_str() {
            print_line(format!("  as sent   {}", printable(raw)));
        }
    }
    Ok(())
}

/// Prints one entry of the timeline.
fn print_entry(entry: &Value) {
    let sentence = match (text(entry, "Kind"), text(entry, "What")) {
        ("delta", "put") => "a delta put this row",
        ("delta", "delete") => "a delta removed it",
        ("delta", "join") => "a delta added categories",
        ("delta", "leave") => "a delta took categories away",
        ("delta", "add_variant") => "a delta added a variant",
        ("delta", "set_variant") => "a delta changed a variant",
        ("delta", "delete_variant") => "a delta removed a variant",
        (_, "lacks") if entry["IsBase"] == true => "the feed the shop stands on does not have it",
        (_, "lacks") => "a feed that is kept does not have it",
        _ if entry["IsBase"] == true && entry["IsAsShown"] == true => {
            "the feed the shop stands on has it as it is shown"
        }
        _ if entry["IsBase"] == true => "the feed the shop stands on has it like this",
        _ if entry["IsAsShown"] == true => "a feed that is kept has it as it is shown",
        _ => "a feed that is kept has it like this",
    };
    print_line(format!("{}  {sentence}", time(&entry["AcceptedAt"])));
    let token = match entry["Token"].as_str() {
        Some(token) => printable(token),
        None => "its token is no longer kept".to_owned(),
    };
    let place = match entry["RowNumber"].as_i64() {
        Some(row) => format!(", row {row} of {}", printable(text(entry, "SentIn"))),
        None => String::new(),
    };
    print_line(format!("  {}, {token}{place}", printable(&kind_and_number(entry))));
    if !entry["PublishedAt"].is_null() {
        print_line(format!("  published {}", time(&entry["PublishedAt"])));
    }
    if let Some(raw) = entry["Raw"].as_str() {
        print_line(format!("  as sent   {}", printable(raw)));
    }
    if !entry["Row"].is_null() && entry["IsAsShown"] != true {
        print_line(format!("  as stored {}", printable(&entry["Row"].to_string())));
    }
    for issue in items(&entry["Issues"]) {
        let named = |name: &str| printable(&cell(&issue[name]));
        let field = if issue["Field"].is_null() { String::new() } else { format!(" ({})", named("Field")) };
        print_line(format!("  {} {}{field}: {}", named("Severity"), named("Code"), named("Advice")));
    }
}

/// The row as it was sent, out of a copy of the feed on which the shop stands, if it is one.
async fn in_copy(found: &Value, file: &str, currency: Option<String>) -> Result<Value, CliFault> {
    let base = items(&found["Timeline"]).find(|entry| entry["IsBase"] == true);
    let Some((row, number)) = base.and_then(|base| Some((base["Row"].clone(), base["RowNumber"].as_u64()?)))
    else {
        return Ok(json!({"Says": "the feed the shop stands on does not have it"}));
    };
    let section = text(found, "Section").to_owned();
    let source = feed_file::open(file, &Arc::new(FetchProgress::default())).await?;
    let reading = tokio::task::spawn_blocking(move || compare(source, &section, number, &row, currency));
    let compared = reading.await.map_err(|_| CliFault::Failed("the file could not be read".to_owned()))?;
    compared.map_err(CliFault::Failed)
}

/// Reads up to row `number` of a section and returns whether it becomes `stored`.
fn compare(
    source: FeedBytes,
    section: &str,
    number: u64,
    stored: &Value,
    currency: Option<String>,
) -> Result<Value, String> {
    let folder = TemporaryFolder::create("why").map_err(|fault| fault.to_string())?;
    let mut feed = feed_file::open_rows(source, &folder, currency.as_deref())?;
    while let Some(piece) = feed.next_piece().map_err(|fault| fault.to_string())? {
        let row = match piece {
            FeedPiece::Row(row) if row.section.as_str() == section && row.number == number => row,
            FeedPiece::Row(_) | FeedPiece::Section(_) | FeedPiece::Issue(_) | FeedPiece::Unknown(_) => {
                continue;
            }
        };
        let tagged = std::cell::Cell::new(false);
        let account_tag = |_: &str| {
            tagged.set(true);
            String::new()
        };
        let context =
            RowContext { default_currency: currency.as_deref(), account_tag: &account_tag, noticed: None };
        let mut out = Vec::new();
        let key = rows::normalise_item(&row, &context, &mut out, &mut Vec::new());
        let says = match key {
            None => "its row of that number cannot be used, so it is not the feed the shop stands on",
            Some(_) if tagged.get() => {
                "its row of that number names accounts, for which only the server's row has the tags"
            }
            Some(_) if serde_json::from_slice::<Value>(&out).is_ok_and(|row| row == *stored) => {
                "its row of that number is the one the shop stands on"
            }
            Some(_) => {
                "its row of that number becomes another one: it is another feed, or another --currency"
            }
        };
        return Ok(json!({"Says": says, "Raw": String::from_utf8_lossy(row.json), "Offset": row.offset}));
    }
    Ok(json!({"Says": "it has no row of that number, so it is not the feed the shop stands on"}))
}
