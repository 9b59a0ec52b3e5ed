//! What the removal guard says when it stops a feed, and whether it was the guard that did.

use crate::ids::Token;

const BEGINNING: &str = "the feed would remove ";

/// Why a feed is held that would remove more products than `percent` of those shown.
#[must_use]
pub fn sentence(removed: i64, items: i64, percent: i64, token: Token) -> String {
    format!(
        "{BEGINNING}{removed} of {items} products, and {}; the catalogue was left alone. If it is meant, publish it with \
         `lethe feed publish {token} --anyway`",
        limit(percent)
    )
}

fn limit(percent: i64) -> String {
    format!("{percent} % is the most one may")
}

/// Whether a submission failed because the guard stopped it, at a limit that is still the account's: a guarded one of
/// the same feed would fail again.
#[must_use]
pub fn has_stopped(reason: &str, percent: i64) -> bool {
    reason.starts_with(BEGINNING) && reason.contains(&limit(percent))
}
