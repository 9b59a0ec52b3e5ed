//! `lethe status`.

use serde_json::{Value, json};

use super::api::{Api, Whose};
use super::table::{cell, row, table};
use super::{CliFault, Context, say};
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
A feed is Processing, Complete or Error; a delta is 0 (waits), 1 (applied) or 2 (rows were refused). Both kinds
are asked, because a token does not tell which it is. Exit code 0 whenever the server answered.

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
    let shown: Vec<Value> = shown.collect();
    if context.json {
        say(Value::Array(shown));
        return Ok(());
    }
    let mut rows = vec![row(["Token", "Kind", "Status", "Reason"])];
    rows.extend(
        shown.iter().map(|item| ["Token", "Kind", "Status", "Reason"].map(|name| cell(&item[name])).to_vec()),
    );
    table(&rows).iter().for_each(say);
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
