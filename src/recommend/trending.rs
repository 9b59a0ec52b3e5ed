//! Trending items, with more views than before: from whole days, so that an answer changes only at midnight and with
//! the shopper's actions.

use super::fixed_point::inverse_root;
use super::history::SessionKey;
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::top_k::{ScoredItem, best};

pub(super) const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// Number of latest days, today among them, whose sessions are new.
const NEW_DAYS: i64 = 7;
/// Number of days before these, for comparison.
const OLD_DAYS: i64 = 4 * NEW_DAYS;
/// As if every item had been clicked so often before.
const OLD_CLICKS: u64 = 8;

/// Products clicked more in the latest days than in those before, against how much such a number varies. A score is a
/// number of such steps, in parts of 2⁻²⁰. Starts of sessions are milliseconds since 1970, `day` is counted from there.
pub fn trending(
    others: &OtherSessions<'_>,
    day: i64,
    size: usize,
    is_wanted: impl Fn(ItemNumber) -> bool,
) -> Vec<ScoredItem> {
    let from = |day: i64| SessionKey { start: day * DAY_MILLIS, id: 0 };
    let new = from(day + 1 - NEW_DAYS);
    let old = from(day + 1 - NEW_DAYS - OLD_DAYS);
    let scored = |item: ItemNumber| {
        let newer = others.clicks_since(item, new) as i64;
        if newer == 0 {
            return None;
        }
        let older = others.clicks_since(item, old) as i64 - newer;
        // There are four times as many days before.
        let more = 4 * newer - older;
        let varies = inverse_root(older as u64 + OLD_CLICKS) as i64;
        (more > 0).then_some((more * varies, item))
    };
    let known = others.history().items().filter(|item| is_wanted(*item));
    best(others.history(), known.filter_map(scored).collect(), size)
}
