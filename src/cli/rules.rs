//! `lethe rules …`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::lists::ListResource;
use super::print::print_line;
use super::table::{cell, row, table};
use super::view::items;
use crate::addresses::printable;

/// Commands for the rules of a shop's search.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Print the live rules, or those of a version, as a file
    #[command(
        after_help = "Examples:\n  lethe rules list --account myshop >rules.json\n  lethe rules list --version 3"
    )]
    List {
        /// The version, as `lethe rules history` lists them
        #[arg(long = "version", value_name = "VERSION")]
        of_version: Option<i64>,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Show what a file of rules would change, and with --yes publish it
    ///
    /// The file replaces the whole list: rules missing in it are deleted.
    #[command(after_help = "\
Example of a file:
  {\"Rules\": [
    {\"Id\": \"shoes\", \"Query\": \"red shoe\", \"Pin\": [\"4711\"], \"Boost\": {\"Brand\": [\"acme\"], \"By\": 30}},
    {\"Id\": \"sale\", \"Query\": \"sale\", \"Match\": \"exact\", \"Redirect\": \"/sale\", \"Until\": \"2027-01-01T00:00:00Z\"},
    {\"Id\": \"sold\", \"Hide\": {\"Ids\": [\"12\", \"13\"]}}
  ]}

Examples:
  lethe rules apply rules.json --account myshop
  lethe rules apply rules.json --yes")]
    Apply {
        /// The file
        file: PathBuf,
        /// Publish the file
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Show the result of a search now and with a file of rules, side by side
    #[command(after_help = "Example:\n  lethe rules preview rules.json 'red shoe' --account myshop")]
    Preview {
        /// The file
        file: PathBuf,
        /// Text that a shopper types; '' browses
        query: String,
        /// Number of hits
        #[arg(long, default_value_t = 10)]
        size: u32,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// List the published versions of the rules, newest first
    #[command(after_help = "Example:\n  lethe rules history --account myshop")]
    History {
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Restore the rules before the last change, or those of a version
    #[command(after_help = "Examples:\n  lethe rules undo --account myshop\n  lethe rules undo 3")]
    Undo {
        /// The version; 0 is no rules at all
        version: Option<i64>,
        #[command(flatten)]
        whose: AccountOption,
    },
}

const RULES: ListResource =
    ListResource { name: "Rules", path: "/api/rules", help: "lethe rules apply --help" };

/// Runs it.
///
/// # Errors
/// When a file cannot be read, or the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::List { of_version, whose } => RULES.list(context, of_version, &whose).await,
        Command::Apply { file, yes, whose } => RULES.apply_file(context, &file, yes, &whose).await,
        Command::History { whose } => RULES.history(context, &whose).await,
        Command::Undo { version, whose } => RULES.undo(context, version, &whose).await,
        Command::Preview { file, query, size, whose } => {
            let asked = json!({"Rules": RULES.read_file(&file)?, "Query": query, "Size": size});
            let both = Api::open(context, &whose)?.post("/api/rules/preview", &asked).await?;
            if context.json {
                print_line(&both);
            } else {
                print_preview(&both);
            }
            Ok(())
        }
    }
}

/// The hits of an answer, each by its id and title.
fn hit_titles(found: &Value) -> Vec<String> {
    let hits = items(&found["Items"]);
    hits.map(|hit| printable(&format!("{} {}", cell(&hit["Id"]), cell(&hit["Title"])))).collect()
}

/// Prints the results of a search now and with the file, side by side.
fn print_preview(both: &Value) {
    let before = &both["Before"];
    let after = &both["After"];
    let hits_now = hit_titles(before);
    let hits_then = hit_titles(after);
    let mut rows = vec![row(["", "Now", "With the file"])];
    for place in 0..hits_now.len().max(hits_then.len()) {
        let at = |hits: &[String]| hits.get(place).cloned().unwrap_or_default();
        rows.push(vec![(place + 1).to_string(), at(&hits_now), at(&hits_then)]);
    }
    table(&rows).iter().for_each(print_line);
    print_line(format!("{} in all, {} with the file", before["TotalRelaxed"], after["TotalRelaxed"]));
    if let Some(page) = after["Redirect"].as_str() {
        print_line(format!("Leads to {}", printable(page)));
    }
    items(&after["Banners"])
        .for_each(|text| print_line(format!("Shows: {}", printable(text.as_str().unwrap_or_default()))));
}
