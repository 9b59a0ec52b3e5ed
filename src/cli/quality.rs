//! `lethe quality`: gaps in the products of a shop.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, row, table};
use super::view::items;
use crate::addresses::printable;

/// A search for gaps in products.
#[derive(clap::Args)]
#[command(after_help = "\
Looks for products without an image, brand, category or price, with the title of another, a title that is too long, an
attribute that no other product has, or a word that is a typing error of a common one. Of each search that is named it
says what mending these would change.

Examples:
  lethe quality --account myshop
  lethe quality 'red shoe' laptop --rows 50
  lethe quality --queries searches.txt --json     # a search a line")]
pub struct QualityOptions {
    /// Sample searches, up to 50
    queries: Vec<String>,
    /// A file with more searches, one a line
    #[arg(long = "queries", value_name = "FILE")]
    queries_file: Option<PathBuf>,
    /// Number of products named for each fault
    #[arg(long, default_value_t = 5)]
    rows: u32,
    #[command(flatten)]
    whose: AccountOption,
}

/// Asks and prints it.
///
/// # Errors
/// When a file cannot be read, or the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, options: &QualityOptions) -> Result<(), CliFault> {
    let mut queries = options.queries.clone();
    if let Some(file) = &options.queries_file {
        let lines =
            std::fs::read_to_string(file).map_err(|error| CliFault::unreadable(file.display(), &error))?;
        queries.extend(lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
    }
    let asked = json!({"Queries": queries, "Rows": options.rows});
    let quality = Api::open(context, &options.whose)?.post("/api/quality", &asked).await?;
    if context.json {
        print_line(&quality);
        return Ok(());
    }
    print_line(format!("Products: {}", cell(&quality["Products"])));
    let (faulty, clean): (Vec<_>, Vec<_>) =
        items(&quality["Faults"]).partition(|fault| fault["Products"] != 0);
    faulty.into_iter().for_each(print_quality_fault);
    if !clean.is_empty() {
        print_line("");
        print_line(format!("None: {}", clean.into_iter().map(name).collect::<Vec<_>>().join(", ")));
    }
    Ok(())
}

/// `no_price` with its currency, any other by itself.
fn name(fault: &Value) -> String {
    format!("{} {}", text(fault, "Fault"), text(fault, "Currency")).trim_end().to_owned()
}

fn print_quality_fault(fault: &Value) {
    print_line("");
    print_line(format!("{} ({} %): {}", name(fault), cell(&fault["Percent"]), text(fault, "Says")));
    let cells = |of: &Value| {
        let details = ["Letters", "Attribute", "Word", "Meant"];
        let told: Vec<_> = details.iter().filter(|name| !of[**name].is_null()).collect();
        let mut detail: Vec<_> =
            told.iter().map(|name| format!("{} {}", name.to_lowercase(), cell(&of[**name]))).collect();
        let others: Vec<_> = items(&of["Others"]).map(cell).collect();
        if !others.is_empty() {
            detail.push(format!("as {}", others.join(", ")));
        }
        row([&format!("  {}", text(of, "Id")), text(of, "Title"), &detail.join(", ")])
    };
    table(&items(&fault["Rows"]).map(cells).collect::<Vec<_>>()).iter().for_each(print_line);
    for search in items(&fault["Searches"]) {
        print_line(format!("  {:?}: {}", printable(text(search, "Query")), text(search, "Says")));
    }
}
