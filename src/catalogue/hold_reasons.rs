//! Sentences for a feed that is stopped because it removes too much or repeats ids, the test for such a sentence, and
//! its facts.

use serde::Serialize;

use crate::ids::SubmissionToken;

const BEGINNING: &str = "the feed would remove ";
const OF_REMOVED: &str = " products, and ";
const MOST_REMOVED: &str = " % is the most one may";

/// Reason why a feed is held that would remove more products than `percent` of those shown.
#[must_use]
pub fn sentence(removed: i64, items: i64, percent: i64, token: SubmissionToken) -> String {
    format!(
        "{BEGINNING}{removed} of {items}{OF_REMOVED}{}; the catalogue was left alone. If it is meant, publish it with \
         `lethe feed publish {token} --anyway`",
        limit(percent)
    )
}

const REPEATED: &str = " have an id that comes again later, ";

/// Sentence for a feed that is held because too many ids come again. `why` is the verdict on its rows.
#[must_use]
pub fn repeated_sentence(why: &str, token: SubmissionToken) -> String {
    format!("{why}. If it is meant, publish it with `lethe feed publish {token} --anyway`")
}

fn limit(percent: i64) -> String {
    format!("{percent}{MOST_REMOVED}")
}

/// Returns true if a submission failed because the guard stopped it, at a limit that is still the account's, or because
/// it repeats ids. A guarded submission of the same feed would fail again.
#[must_use]
pub fn has_stopped(reason: &str, percent: i64) -> bool {
    reason.contains(REPEATED) || (reason.starts_with(BEGINNING) && reason.contains(&limit(percent)))
}

/// Facts of the sentence of a held feed, for pages in other languages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum HoldFacts {
    /// The feed removes more of the products than `percent`.
    #[serde(rename = "removes")]
    Removes {
        /// Products that it removes.
        removed: i64,
        /// Products that are shown.
        items: i64,
        /// Part that it may remove.
        percent: i64,
    },
    /// More rows of a section than `percent` have an id that comes again later.
    #[serde(rename = "repeats")]
    Repeats {
        /// Rows whose id comes again.
        repeated: i64,
        /// All rows of the section.
        rows: i64,
        /// Name of the section.
        section: String,
        /// Part that may come again.
        percent: i64,
    },
}

/// Reads the facts of a stored sentence; `None` for the reason of another failure.
#[must_use]
pub fn read_facts(reason: &str) -> Option<HoldFacts> {
    if let Some(counts) = reason.strip_prefix(BEGINNING) {
        let (counts, limit) = counts.split_once(OF_REMOVED)?;
        let (removed, items) = read_counts(counts)?;
        let percent = limit.split_once(MOST_REMOVED)?.0.parse().ok()?;
        return Some(HoldFacts::Removes { removed, items, percent });
    }
    let (counts, limit) = reason.split_once(REPEATED)?;
    let (counts, section) = counts.split_once(" rows of ")?;
    let (repeated, rows) = read_counts(counts)?;
    let percent = limit.strip_prefix("and ")?.split_once(" %")?.0.parse().ok()?;
    Some(HoldFacts::Repeats { repeated, rows, section: section.to_owned(), percent })
}

/// Reads `6 of 20`.
fn read_counts(text: &str) -> Option<(i64, i64)> {
    let (part, whole) = text.split_once(" of ")?;
    Some((part.parse().ok()?, whole.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::publish_checks::FeedCounts;
    use crate::feeds::section::FeedPart;

    #[test]
    fn a_feed_is_known_to_be_stopped_by_its_sentence_and_the_limit_of_now() {
        let token = SubmissionToken::from_bytes([7; 16]);
        let removed = sentence(6, 20, 25, token);
        let expected = "the feed would remove 6 of 20 products, and 25 % is the most one may; the catalogue was left alone. \
                        If it is meant, publish it with `lethe feed publish 07070707-0707-0707-0707-070707070707 --anyway`";
        assert_eq!(removed, expected);
        let repeated = repeated_sentence("3 of 20 rows have an id that comes again later, so", token);
        assert!(has_stopped(&removed, 25) && has_stopped(&repeated, 25) && has_stopped(&repeated, 30));
        for other in [&removed[1..], &removed.replace("25 %", "30 %"), "the feed would remove nothing", ""] {
            assert!(!has_stopped(other, 25), "{other}");
        }
    }

    #[test]
    fn the_facts_of_a_sentence_are_read_and_those_of_another_reason_are_not() {
        let token = SubmissionToken::from_bytes([7; 16]);
        let removes = HoldFacts::Removes { removed: 901, items: 1000, percent: 80 };
        assert_eq!(read_facts(&sentence(901, 1000, 80, token)), Some(removes));
        let mut counts = FeedCounts::default();
        let product = FeedPart::PRODUCTS;
        for _ in 0..100 {
            counts.add(product, &mut Vec::new());
        }
        counts.add_duplicates(product, 6, &[1]);
        let why = counts.refuse_repeated().expect("a reason");
        let repeats =
            HoldFacts::Repeats { repeated: 6, rows: 100, section: "Products".to_owned(), percent: 5 };
        assert_eq!(read_facts(&repeated_sentence(&why, token)), Some(repeats));
        for other in
            ["", "the feed would remove nothing", "the feed would remove 1 of x products, and 5 %", &why[1..]]
        {
            assert_eq!(read_facts(other), None, "{other}");
        }
    }
}
