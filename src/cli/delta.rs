//! `lethe delta …`.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, row, table, time};
use super::wait;
use crate::addresses::shell_word;

/// Commands for deltas.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Send changes: products and people that replace, ids to remove
    ///
    /// FILE holds one JSON object of sections, without keys: Products, DeleteProducts, Users, DeleteUsers,
    /// AccountPrices, DeleteAccountPrices, SetCategoryOnProducts, RemoveCategoryFromProducts, SetVariants,
    /// DeleteVariants; and Token, a GUID of your own, if sending it again shall change nothing. Prints the token.
    #[command(after_help = EXAMPLES)]
    Send {
        /// File with the sections, or - for standard input
        file: PathBuf,
        /// Wait until it is applied; exit 1 with the reason when rows were refused
        #[arg(long)]
        wait: bool,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Show how many deltas wait, how long the newest took, and the newest
    ///
    /// Of the newest 500 submissions, those that are deltas and ended say how long it takes from accepted to applied.
    #[command(
        after_help = "Examples:\n  lethe delta list --account myshop\n  lethe delta list --state failed --account myshop"
    )]
    List {
        /// Only deltas of one state: pending, applied or failed
        #[arg(long)]
        state: Option<String>,
        /// Go on before this place, from the output of the page before
        #[arg(long)]
        before: Option<i64>,
        #[command(flatten)]
        whose: AccountOption,
    },
}

const EXAMPLES: &str = "\
Examples:
  lethe delta send changes.json --wait
  echo '{\"DeleteProducts\":[\"P-7\"]}' | lethe delta send -";

/// Runs it.
///
/// # Errors
/// When the file cannot be read or is not one JSON object, or the server cannot be asked or refuses; with
/// `--wait`, also when rows were refused.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Send { file, wait, whose } => {
            let api = Api::open(context, &whose)?;
            let sections = read_delta(&file)?;
            let answer = api.post_text("/api/delta", &sections).await?.answer;
            let token = text(&answer, "Token");
            wait::print_submission(context, &api, token, wait).await
        }
        Command::List { state, before, whose } => {
            let mut asked = json!({});
            if let Some(state) = state {
                asked["State"] = state.into();
            }
            if let Some(before) = before {
                asked["Before"] = before.into();
            }
            list(context, &Api::open(context, &whose)?.post("/api/deltas", &asked).await?);
            Ok(())
        }
    }
}

fn list(context: &CommandContext, found: &Value) {
    if context.json {
        print_line(found);
        return;
    }
    let since = if found["OldestAt"].is_null() {
        String::new()
    } else {
        format!(", the oldest since {}", time(&found["OldestAt"]))
    };
    print_line(format!("Waiting: {}{since}", cell(&found["Waiting"])));
    if found["Ended"] != 0 {
        let [ended, median, most] = ["Ended", "MedianMs", "Percentile95Ms"].map(|name| cell(&found[name]));
        print_line(format!(
            "From accepted to ended: median {median} ms, 95 of 100 within {most} ms ({ended} deltas)"
        ));
    }
    let mut rows = vec![row(["Number", "Token", "Accepted", "Ended", "Status", "Reason"])];
    rows.extend(found["Deltas"].as_array().into_iter().flatten().map(|delta| {
        let at = |name: &str| if delta[name].is_null() { String::new() } else { time(&delta[name]) };
        let status = match delta["Status"].as_u64() {
            Some(0) => "pending",
            Some(1) => "applied",
            _ => "failed",
        };
        let [number, token, reason] = ["KindNumber", "Token", "Reason"].map(|name| cell(&delta[name]));
        vec![number, token, at("AcceptedAt"), at("FinishedAt"), status.to_owned(), reason]
    }));
    table(&rows).iter().for_each(print_line);
    if !found["Next"].is_null() {
        print_line(format!("More: --before {}", shell_word(&cell(&found["Next"]))));
    }
}

fn read_delta(file: &Path) -> Result<String, CliFault> {
    let mut sections = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut sections)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut sections))
    };
    read.map_err(|error| CliFault::unreadable(file.display(), &error))?;
    let checked = serde_json::from_str::<&RawValue>(&sections).map_err(|error| {
        CliFault::Usage(format!(
            "{} is not JSON: line {}, column {}",
            file.display(),
            error.line(),
            error.column()
        ))
    })?;
    if !checked.get().starts_with('{') {
        return Err(CliFault::Usage(format!("{} has to hold one JSON object of sections", file.display())));
    }
    Ok(sections)
}
