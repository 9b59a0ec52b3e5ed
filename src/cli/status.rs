//! `lethe status`.

use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, row, table};
use super::view::{items, kind_and_number};
use super::wait;
use crate::ids::SubmissionToken;
use crate::limits;
use crate::transport::refusal::UNKNOWN_TOKEN;

/// Submissions to ask for.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Tokens of feeds and deltas, at most 1,000
    #[arg(required = true)]
    tokens: Vec<String>,
    #[command(flatten)]
    whose: AccountOption,
}

const EXAMPLES: &str = "\
A feed is Processing, Complete or Error; a delta is 0 (waits), 1 (applied) or 2 (rows were refused). Of one that waits
for another try it says why the last one failed, when the next one is, and how many are left. Both kinds are asked,
because a token does not tell which it is. Exit code 0 whenever the server answered.

Example:
  lethe status 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55";

/// Asks both status operations and shows the known state of each token.
///
/// # Errors
/// When the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, options: &Options) -> Result<(), CliFault> {
    let api = Api::open(context, &options.whose)?;
    let asked = json!({"Tokens": options.tokens});
    let feeds = api.post("/api/productfeedstatus", &asked).await?;
    let deltas = api.post("/api/deltastatus", &asked).await?;
    let shown = options
        .tokens
        .iter()
        .enumerate()
        .map(|(index, token)| merge_statuses(token, &feeds[index], &deltas[index]));
    let mut shown: Vec<Value> = shown.collect();
    add_details(&api, &mut shown).await?;
    if context.json {
        print_line(Value::Array(shown));
        return Ok(());
    }
    let mut rows = vec![row(["Token", "Kind", "Status", "Reason"])];
    rows.extend(shown.iter().map(|item| {
        let reason = wait::describe_setback(item).unwrap_or_else(|| cell(&item["Reason"]));
        vec![cell(&item["Token"]), kind_and_number(item), cell(&item["Status"]), reason]
    }));
    table(&rows).iter().for_each(print_line);
    Ok(())
}

/// As many submissions tell their progress in one answer.
const ASKED_AT_ONCE: usize = limits::SUBMISSIONS_SHOWN.unsigned_abs() as usize;

/// Adds to each known submission its number; to each waiting one the reason of the last failure, the time of the next
/// try and the number left.
async fn add_details(api: &Api<'_>, shown: &mut [Value]) -> Result<(), CliFault> {
    let mut known: Vec<&mut Value> = shown.iter_mut().filter(|item| item["Kind"] != "unknown").collect();
    for some in known.chunks_mut(ASKED_AT_ONCE) {
        let tokens: Vec<Value> = some.iter().map(|item| item["Token"].clone()).collect();
        let found = api.post("/api/submissions", &json!({"Tokens": tokens})).await?;
        for item in some {
            let token = SubmissionToken::parse(text(item, "Token"));
            let of_item = items(&found).find(|found| SubmissionToken::parse(text(found, "Token")) == token);
            item["KindNumber"] = of_item.map_or(Value::Null, |found| found["KindNumber"].clone());
            let is_waiting = item["Status"] == "Processing" || item["Status"] == 0;
            for name in ["Fault", "NextTryAt", "TriesLeft"].into_iter().filter(|_| is_waiting) {
                item[name] = of_item.map_or(Value::Null, |found| found["Progress"][name].clone());
            }
        }
    }
    Ok(())
}

/// One item from both answers: the one that knows the token.
fn merge_statuses(token: &str, feed: &Value, delta: &Value) -> Value {
    let (kind, status, reason) = match (feed["Error"] == UNKNOWN_TOKEN, delta["Reason"] == UNKNOWN_TOKEN) {
        (false, _) => ("feed", &feed["Status"], &feed["Error"]),
        (true, false) => ("delta", &delta["Status"], &delta["Reason"]),
        (true, true) => ("unknown", &Value::Null, &feed["Error"]),
    };
    json!({"Token": token, "Kind": kind, "Status": status, "Reason": reason})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_told_by_the_operation_that_knows_it() {
        let unknown = UNKNOWN_TOKEN;
        for (feed, delta, expected) in [
            (
                json!({"Status": "Error", "Error": "no rows"}),
                json!({"Reason": unknown}),
                json!({"Token": "t", "Kind": "feed", "Status": "Error", "Reason": "no rows"}),
            ),
            (
                json!({"Status": "Complete", "Error": null}),
                json!({"Status": 1, "Reason": null}),
                json!({"Token": "t", "Kind": "feed", "Status": "Complete", "Reason": null}),
            ),
            (
                json!({"Error": unknown}),
                json!({"Status": 2, "Reason": "one row"}),
                json!({"Token": "t", "Kind": "delta", "Status": 2, "Reason": "one row"}),
            ),
            (
                json!({"Status": "x", "Error": unknown}),
                json!({"Status": 0, "Reason": unknown}),
                json!({"Token": "t", "Kind": "unknown", "Status": null, "Reason": unknown}),
            ),
        ] {
            assert_eq!(merge_statuses("t", &feed, &delta), expected);
        }
    }
}
