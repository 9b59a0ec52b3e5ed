//! What goes with what shoppers buy: from what was ordered together, and what stands together in baskets.

use rustc_hash::FxHashMap;

use super::fixed::{ONE, Share};
use super::others::Others;

/// So many of the newest sessions of an item are read.
const SESSIONS: usize = 500;
/// As if every item had been bought so often without the others: what came together once says little.
const ALONE: Share = 20;

/// An item by its catalogue id, with its score.
pub type Goods<'h> = (i64, &'h str);

/// Sessions in which something was bought, and what it counts to be together in one of them.
pub type Among<'h> = (Others<'h>, Share);

/// What stands together most with what is named, each once: for how often it does, and against how often it stands
/// anywhere. What is named is not among it. A score is in parts of 2⁻²⁰.
#[must_use]
pub fn bought_together<'h>(among: &[Among<'h>], ids: &[impl AsRef<str>], size: usize) -> Vec<Goods<'h>> {
    let mut together: FxHashMap<&str, Share> = FxHashMap::default();
    for (others, counts) in among {
        let history = others.history();
        for item in ids.iter().filter_map(|id| others.item(id.as_ref())) {
            for place in others.newest_sessions(item).take(SESSIONS) {
                for beside in history.clicks(place.session) {
                    *together.entry(history.id(*beside)).or_default() += counts;
                }
            }
        }
    }
    for id in ids {
        together.remove(id.as_ref());
    }
    let anywhere = |id: &str| -> Share {
        let counted = among.iter().filter_map(|(others, counts)| {
            Some(others.clicks_of(others.history().item(id)?) as Share * counts)
        });
        counted.sum()
    };
    let scored = together.into_iter().map(|(id, sum)| {
        let score = u128::from(sum) * u128::from(sum) * u128::from(ONE) / u128::from(anywhere(id) + ALONE);
        (score as i64, id)
    });
    best_goods(scored.collect(), size)
}

/// The best, by score, then by catalogue id.
pub(super) fn best_goods(mut scored: Vec<Goods<'_>>, size: usize) -> Vec<Goods<'_>> {
    scored.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    scored.truncate(size);
    scored
}
