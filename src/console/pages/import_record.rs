//! One import, as the console loads it.

use serde_json::{Value, json};

use crate::catalogue::hold_reasons;
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::problem::Problem;

/// An import of a shop.
///
/// # Errors
/// When there is none of that token.
pub(crate) async fn load_import(
    console: &Console,
    shop: &ConsoleShop,
    token: &str,
) -> Result<Value, Problem> {
    let listed = console.operations.call_for_shop(shop, "/api/submissions", json!({"Token": token})).await?;
    let import = listed.as_array().and_then(|listed| listed.first()).cloned();
    import.map(with_outcome).ok_or_else(Problem::not_found)
}

/// With one word for where it is, of a feed and a delta alike, and with the facts why a feed was stopped.
pub(crate) fn with_outcome(mut import: Value) -> Value {
    let is_complete = import["Status"] == "Complete" || import["Status"] == 1;
    let outcome = if import["FinishedAt"].is_null() {
        "open"
    } else if is_complete {
        "complete"
    } else {
        "failed"
    };
    import["Outcome"] = outcome.into();
    import["Hold"] = json!(import["Reason"].as_str().and_then(hold_reasons::read_facts));
    import
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_open_until_it_ended_and_complete_by_the_word_or_number_of_its_kind() {
        let outcome = |status: Value, at: Value| {
            with_outcome(json!({"Status": status, "FinishedAt": at}))["Outcome"].clone()
        };
        for status in [json!("Complete"), json!(1), json!("Processing"), json!(0)] {
            assert_eq!(outcome(status.clone(), Value::Null), "open", "{status}");
        }
        for (status, expected) in [
            (json!("Complete"), "complete"),
            (json!(1), "complete"),
            (json!("Error"), "failed"),
            (json!(0), "failed"),
            (json!(2), "failed"),
            (Value::Null, "failed"),
        ] {
            assert_eq!(outcome(status.clone(), json!(5)), expected, "{status}");
        }
        let whole = with_outcome(json!({"Token": "t", "Status": 1, "FinishedAt": 5}));
        assert_eq!(
            whole,
            json!({"Token": "t", "Status": 1, "FinishedAt": 5, "Outcome": "complete", "Hold": null})
        );
    }

    #[test]
    fn an_import_that_was_stopped_has_the_facts_and_one_that_failed_has_none() {
        let hold = |reason: &str| {
            with_outcome(json!({"Status": 2, "FinishedAt": 5, "Reason": reason}))["Hold"].clone()
        };
        let stopped =
            hold("the feed would remove 901 of 1000 products, and 80 % is the most one may; the catalogue");
        assert_eq!(stopped, json!({"Kind": "removes", "Removed": 901, "Items": 1000, "Percent": 80}));
        assert_eq!(hold("the feed is empty"), Value::Null);
    }
}
