//! `lethe status`.

use serde_json::{Value, json};

use super::api::{Api, Whose};
use super::table::{cell, row, table};
use super::{CliFault, Context, say, wait};
use crate::http::UNKNOWN_TOKEN;

/// Whose fate to ask for.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Tokens of feeds and deltas, at most 1,000
    #[arg(required = true)]
    tokens: Vec<String>,
    #[command(flatten)]
    whose: Whose,
}

const EXAMPLES: &str = "\
A feed is Processing, Complete or Error; a delta is 0 (waits), 1 (applied) or 2 (rows were refused). Of one that waits
for another try it says why the last one failed, when the next one is, and how many are left. Both kinds are asked,
because a token does not tell which it is. Exit code 0 whenever the server answered.

Example:
  lethe status 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55";

/// Asks both status operations and shows what is known of each token.
pub async fn run(context: &Context, options: &Options) -> Result<(), CliFault> {
    let api = Api::open(context, &options.whose)?;
    let asked = json!({"Tokens": options.tokens});
    let feeds = api.post("/api/productfeedstatus", &asked).await?;
    let deltas = api.post("/api/deltastatus", &asked).await?;
    let shown =
        options.tokens.iter().enumerate().map(|(index, token)| known(token, &feeds[index], &deltas[index]));
    let mut shown: Vec<Value> = shown.collect();
    for item in &mut shown {
        add_setback(&api, item).await?;
    }
    if context.json {
        say(Value::Array(shown));
        return Ok(());
    }
    let mut rows = vec![row(["Token", "Kind", "Status", "Reason"])];
    rows.extend(shown.iter().map(|item| {
        let reason = wait::setback(item).unwrap_or_else(|| cell(&item["Reason"]));
        vec![cell(&item["Token"]), cell(&item["Kind"]), cell(&item["Status"]), reason]
    }));
    table(&rows).iter().for_each(say);
    Ok(())
}

/// Adds to what waits for another try why the last one failed, when the next one is and how many are left.
async fn add_setback(api: &Api<'_>, item: &mut Value) -> Result<(), CliFault> {
    if item["Status"] != "Processing" && item["Status"] != 0 {
        return Ok(());
    }
    let found = api.post("/api/submissions", &json!({"Token": item["Token"]})).await?;
    for name in ["Fault", "NextTryAt", "TriesLeft"] {
        item[name] = found[0]["Progress"][name].clone();
    }
    Ok(())
}

/// One item from both answers: the one that knows the token.
fn known(token: &str, feed: &Value, delta: &Value) -> Value {
    let (kind, status, reason) = match (feed["Error"] == UNKNOWN_TOKEN, delta["Reason"] == UNKNOWN_TOKEN) {
        (false, _) => ("feed", &feed["Status"], &feed["Error"]),
        (true, false) => ("delta", &delta["Status"], &delta["Reason"]),
        (true, true) => ("unknown", &Value::Null, &feed["Error"]),
    };
    json!({"Token": token, "Kind": kind, "Status": status, "Reason": reason})
}
