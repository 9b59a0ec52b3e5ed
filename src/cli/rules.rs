//! `lethe rules …`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::api::{Api, Whose};
use super::table::{cell, row, table, time};
use super::view::items;
use super::{CliFault, Context, say};
use crate::spelling::printable;

/// What to do with the rules of a shop's search.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Print the rules that act now, or those of a version, as a file of rules
    #[command(
        after_help = "Examples:\n  lethe rules list --account myshop >rules.json\n  lethe rules list --version 3"
    )]
    List {
        /// The version, as `lethe rules history` lists them
        #[arg(long = "version", value_name = "VERSION")]
        of_version: Option<i64>,
        #[command(flatten)]
        whose: Whose,
    },
    /// Show what a file of rules changes, and with --yes change it
    ///
    /// The file has all rules: those that it lacks go.
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
        /// Change it
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        whose: Whose,
    },
    /// Show what a search finds now and what it would find with a file of rules, side by side
    #[command(after_help = "Example:\n  lethe rules preview rules.json 'red shoe' --account myshop")]
    Preview {
        /// The file
        file: PathBuf,
        /// What a shopper types; '' browses
        query: String,
        /// How many hits
        #[arg(long, default_value_t = 10)]
        size: u32,
        #[command(flatten)]
        whose: Whose,
    },
    /// List the changes of the rules, newest first
    #[command(after_help = "Example:\n  lethe rules history --account myshop")]
    History {
        #[command(flatten)]
        whose: Whose,
    },
    /// Bring the rules before the last change back, or those of a version
    #[command(after_help = "Examples:\n  lethe rules undo --account myshop\n  lethe rules undo 3")]
    Undo {
        /// The version; 0 is no rules at all
        version: Option<i64>,
        #[command(flatten)]
        whose: Whose,
    },
}

/// Runs it.
///
/// # Errors
/// When a file cannot be read, or the server cannot be asked or refuses.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    match command {
        Command::List { of_version, whose } => {
            let now =
                Api::open(context, &whose)?.post("/api/rules", &json!({ "Version": of_version })).await?;
            let file = json!({ "Rules": now["Rules"] });
            say(if context.json { now } else { file });
        }
        Command::Apply { file, yes, whose } => apply(context, &file, yes, &whose).await?,
        Command::Preview { file, query, size, whose } => {
            let asked = json!({"Rules": read(&file)?, "Query": query, "Size": size});
            let both = Api::open(context, &whose)?.post("/api/rules/preview", &asked).await?;
            if context.json {
                say(&both);
            } else {
                show_both(&both);
            }
        }
        Command::History { whose } => {
            let kept = Api::open(context, &whose)?.post("/api/rules/history", &json!({})).await?;
            if context.json {
                say(&kept);
                return Ok(());
            }
            let mut rows = vec![row(["Version", "Set", "Rules", "Brings back"])];
            rows.extend(items(&kept).map(|kept| {
                vec![
                    cell(&kept["Version"]),
                    time(&kept["MadeAt"]),
                    cell(&kept["Count"]),
                    cell(&kept["Restored"]),
                ]
            }));
            table(&rows).iter().for_each(say);
        }
        Command::Undo { version, whose } => {
            let asked = version.map_or(json!({}), |version| json!({ "Version": version }));
            let undone = Api::open(context, &whose)?.post("/api/rules/undo", &asked).await?;
            if context.json {
                say(&undone);
            } else {
                say(format!("They act again, as version {}.", undone["Version"]));
            }
        }
    }
    Ok(())
}

/// The rules of a file: a list, or an object with one as `Rules`.
fn read(file: &Path) -> Result<Value, CliFault> {
    let name = file.display();
    let text = std::fs::read(file).map_err(|fault| CliFault::Usage(format!("{name}: {fault}")))?;
    let read: Value = serde_json::from_slice(&text)
        .map_err(|fault| CliFault::Usage(format!("{name} is no JSON: {fault}")))?;
    let rules = read.get("Rules").unwrap_or(&read);
    let is_list = rules.is_array();
    is_list.then(|| rules.clone()).ok_or_else(|| {
        CliFault::Usage(format!("{name} has no list of rules; `lethe rules apply --help` shows a file"))
    })
}

async fn apply(context: &Context, file: &Path, yes: bool, whose: &Whose) -> Result<(), CliFault> {
    let rules = read(file)?;
    let api = Api::open(context, whose)?;
    let now = api.post("/api/rules", &json!({})).await?;
    let plan = plan(&now["Rules"], &rules);
    if !yes {
        if context.json {
            say(json!({ "Plan": plan }));
        } else {
            plan.iter().for_each(say);
            say(if plan.is_empty() { "Nothing changes." } else { "Nothing was changed: --yes does it." });
        }
        return Ok(());
    }
    let asked = json!({"Rules": rules, "Before": now["Version"]});
    let set = api.post("/api/rules/set", &asked).await?;
    if context.json {
        say(&set);
        return Ok(());
    }
    plan.iter().for_each(say);
    items(&set["Warnings"]).for_each(|warning| say(printable(warning.as_str().unwrap_or_default())));
    say(format!("They act now, as version {}.", set["Version"]));
    Ok(())
}

/// What becomes of each rule, a line each.
fn plan(before: &Value, after: &Value) -> Vec<String> {
    let before = by_id(before);
    let after = by_id(after);
    let mut plan = Vec::new();
    for (id, rule) in &after {
        match before.get(id) {
            None => plan.push(format!("+ {}", printable(id))),
            Some(old) if old != rule => plan.push(format!("~ {}", printable(id))),
            Some(_) => {}
        }
    }
    let gone = before.keys().filter(|id| !after.contains_key(*id));
    plan.extend(gone.map(|id| format!("- {}", printable(id))));
    plan
}

fn by_id(rules: &Value) -> BTreeMap<&str, &Value> {
    items(rules).map(|rule| (rule["Id"].as_str().unwrap_or_default(), rule)).collect()
}

fn show_both(both: &Value) {
    let before = &both["Before"];
    let after = &both["After"];
    let of = |found: &Value| -> Vec<String> {
        let hits = items(&found["Items"]);
        hits.map(|hit| printable(&format!("{} {}", cell(&hit["Id"]), cell(&hit["Title"])))).collect()
    };
    let old = of(before);
    let new = of(after);
    let mut rows = vec![row(["", "Now", "With the file"])];
    for place in 0..old.len().max(new.len()) {
        let at = |hits: &[String]| hits.get(place).cloned().unwrap_or_default();
        rows.push(vec![(place + 1).to_string(), at(&old), at(&new)]);
    }
    table(&rows).iter().for_each(say);
    say(format!("{} in all, {} with the file", before["Total"], after["Total"]));
    if let Some(page) = after["Redirect"].as_str() {
        say(format!("Leads to {}", printable(page)));
    }
    items(&after["Banners"])
        .for_each(|text| say(format!("Shows: {}", printable(text.as_str().unwrap_or_default()))));
}
