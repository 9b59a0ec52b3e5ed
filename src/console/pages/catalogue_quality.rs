//! Quality of a shop's catalogue: the newest feed that was read, and the problems in its rows.

use serde_json::{Value, json};

use super::import_record::with_outcome;
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::problem::Problem;

/// Number of newest feeds tried: the first that was read tells the quality of the catalogue.
const FEEDS_TRIED: usize = 5;

/// Codes of products that a shopper cannot buy, see or recognise.
const INCOMPLETE: [&str; 3] = ["price_missing", "image_missing", "title_missing"];

/// A feed whose rows were read, and the counts of their issues.
pub(crate) struct ReadFeed {
    pub feed: Value,
    counts: Vec<Value>,
}

impl ReadFeed {
    /// Number of products of each kind that lacks something, with the code of its issue.
    pub fn incomplete_products(&self) -> Vec<Value> {
        let is_of = |count: &&Value, code: &str| count["Code"] == code && count["Section"] == "Products";
        let found = INCOMPLETE.iter().filter_map(|code| self.counts.iter().find(|count| is_of(count, code)));
        found.map(|count| json!({"Code": count["Code"], "Count": count["Count"]})).collect()
    }
}

/// The newest feed that was read; `None` if there is none among the newest.
///
/// # Errors
/// When an operation refuses.
pub(crate) async fn find_read_feed(
    console: &Console,
    shop: &ConsoleShop,
) -> Result<Option<ReadFeed>, Problem> {
    let newest = console.operations.call_for_shop(shop, "/api/submissions", json!({"Kind": "feed"})).await?;
    let ended = newest.as_array().into_iter().flatten().cloned().map(with_outcome);
    let ended = ended.filter(|feed| feed["Outcome"] != "open" && feed["DryRun"] == false);
    for feed in ended.take(FEEDS_TRIED) {
        // The counts are asked for, and no page of rows.
        let question = json!({"Token": feed["Token"], "From": u32::MAX});
        let mut issues = console.operations.find_for_shop(shop, "/api/issues", question).await?;
        let counts = match issues["Counts"].take() {
            Value::Array(counts) => counts,
            _ => Vec::new(),
        };
        // A feed that failed before its rows were read has no counts.
        if feed["Outcome"] == "complete" || !counts.is_empty() {
            return Ok(Some(ReadFeed { feed, counts }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_that_lack_something_are_counted_by_what_they_lack() {
        let count =
            |code: &str, section: &str, count: u64| json!({"Code": code, "Section": section, "Count": count});
        let counts = vec![
            count("image_missing", "Products", 7),
            count("link_missing", "Products", 2),
            count("title_missing", "Categories", 1),
            count("price_missing", "Products", 3),
        ];
        let expected = [("price_missing", 3), ("image_missing", 7)];
        let expected = expected.map(|(code, count)| json!({"Code": code, "Count": count}));
        assert_eq!(ReadFeed { feed: Value::Null, counts }.incomplete_products(), expected);
    }
}
