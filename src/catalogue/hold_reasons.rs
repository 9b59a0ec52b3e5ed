//! Sentences for a feed that is stopped because it removes too much or repeats ids, and the test for such a sentence.

use crate::ids::SubmissionToken;

const BEGINNING: &str = "the feed would remove ";

/// Reason why a feed is held that would remove more products than `percent` of those shown.
#[must_use]
pub fn sentence(removed: i64, items: i64, percent: i64, token: SubmissionToken) -> String {
    format!(
        "{BEGINNING}{removed} of {items} products, and {}; the catalogue was left alone. If it is meant, publish it with \
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
    format!("{percent} % is the most one may")
}

/// Returns true if a submission failed because the guard stopped it, at a limit that is still the account's, or because
/// it repeats ids. A guarded submission of the same feed would fail again.
#[must_use]
pub fn has_stopped(reason: &str, percent: i64) -> bool {
    reason.contains(REPEATED) || (reason.starts_with(BEGINNING) && reason.contains(&limit(percent)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
