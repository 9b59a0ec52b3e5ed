//! What the server itself sees of shoppers: what stood in their zones, and what they searched through a plugin. It is
//! stored a moment later, together, as an answer need not wait for it: what was seen within a second may be lost.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;

use super::Derived;
use crate::clock::Millis;
use crate::fairness::Asker;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::limits;
use crate::reports::source::Source;
use crate::subjects::event::{Event, What, Who};
use crate::subjects::subject::SubjectId;

/// What is to be stored soon.
#[derive(Default)]
pub struct Observed(Mutex<HashMap<AccountId, OfAccount>>);

#[derive(Default)]
struct OfAccount {
    waiting: Vec<(Asker, Event)>,
    /// Whether somebody is storing what waits.
    is_taken: bool,
    /// What each visitor saw in zones in this minute.
    seen: HashMap<Identifier, HashSet<Source>>,
    minute: i64,
}

impl Observed {
    /// Somebody searched, or saw what stands in zones: what they saw in the same minute already is left out. Says
    /// whether there was room for it.
    pub fn note(
        &self,
        account: AccountId,
        (asker, visitor): (Asker, &Identifier),
        at: Millis,
        what: What,
    ) -> bool {
        const MINUTE: Millis = 60_000;
        let mut all = self.lock();
        let own = all.entry(account).or_default();
        if own.minute != at.div_euclid(MINUTE) {
            own.minute = at.div_euclid(MINUTE);
            own.seen.clear();
        }
        let is_full = own.waiting.len() >= limits::ZONES_SEEN_VISITORS
            || own.seen.len() >= limits::ZONES_SEEN_VISITORS && !own.seen.contains_key(visitor);
        // red: derived::observed::tests::so_much_is_kept_of_an_account
        if mutant!("what-is-seen-is-kept-without-end", is_full, false) {
            return false;
        }
        let what = match what {
            What::ZonesSeen(mut sources) => {
                let seen = own.seen.entry(visitor.clone()).or_default();
                sources.retain(|source| seen.insert(source.clone()));
                if sources.is_empty() {
                    return true;
                }
                What::ZonesSeen(sources)
            }
            what => what,
        };
        let who = Who { visitor: Some(visitor.clone()), ..Who::default() };
        own.waiting.push((asker, Event { who, at, what }));
        true
    }

    /// The accounts of which something waits that nobody is storing: they are taken by who asks.
    pub fn take_accounts(&self) -> Vec<AccountId> {
        let mut all = self.lock();
        // What was seen in an earlier minute is of no use.
        let is_due = |own: &&mut OfAccount| !own.is_taken && !own.waiting.is_empty();
        let due = all.iter_mut().filter_map(|(account, own)| is_due(&own).then(|| (*account, own)));
        due.map(|(account, own)| {
            own.is_taken = true;
            account
        })
        .collect()
    }

    /// Some of what waits of an account, all told by the same; nothing, and who took the account has it no longer, when
    /// nothing waits.
    pub fn take(&self, account: AccountId) -> Option<(Asker, Vec<Event>)> {
        let mut all = self.lock();
        let own = all.get_mut(&account)?;
        let Some(asker) = own.waiting.first().map(|(asker, _)| *asker) else {
            own.is_taken = false;
            return None;
        };
        let same = own.waiting.iter().take_while(|(other, _)| *other == asker).count();
        let some = own.waiting.drain(..same.min(limits::EVENTS_OF_REQUEST));
        Some((asker, some.map(|(_, event)| event).collect()))
    }

    /// Those of whom nothing waits and nobody saw anything in this minute go.
    pub fn tidy(&self, now: Millis) {
        const MINUTE: Millis = 60_000;
        self.lock()
            .retain(|_, own| own.is_taken || !own.waiting.is_empty() || own.minute == now.div_euclid(MINUTE));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, OfAccount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// It knows numbers of browsers, and not whose they are: when somebody is forgotten, all of the account goes.
impl Derived for Observed {
    fn name(&self) -> &'static str {
        "observed"
    }

    fn catch_up(&self, _: AccountId) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn forget<'a>(&'a self, account: AccountId, _: &'a [SubjectId]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let mut all = self.lock();
            let Some(own) = all.get_mut(&account) else { return };
            // red: derived::observed::tests::when_somebody_is_forgotten_nothing_waits
            mutant!("what-was-seen-waits-beside-an-erasure", own.waiting.clear(), ());
            own.seen.clear();
        })
    }

    fn count<'a>(&'a self, _: AccountId, _: &'a [SubjectId]) -> BoxFuture<'a, u64> {
        Box::pin(async { 0 })
    }

    fn is_caught_up(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: AccountId = AccountId(1);

    fn visitor(number: usize) -> Identifier {
        Identifier::visitor_id(&format!("visitor-{number}")).expect("a number")
    }

    fn zone(name: &str) -> Source {
        Source::Zone { zone: name.to_owned(), recommender: "Default".to_owned(), campaign: String::new() }
    }

    fn saw(observed: &Observed, number: usize, at: Millis, zones: &[&str]) -> bool {
        let sources = zones.iter().map(|name| zone(name)).collect();
        observed.note(SHOP, (Asker::Secret, &visitor(number)), at, What::ZonesSeen(sources))
    }

    fn waiting(observed: &Observed) -> usize {
        let mut count = 0;
        for account in observed.take_accounts() {
            while let Some((_, some)) = observed.take(account) {
                count += some.len();
            }
        }
        count
    }

    #[test]
    fn what_is_seen_again_within_a_minute_is_noted_once() {
        let observed = Observed::default();
        for at in [0, 1, 59_999] {
            assert!(saw(&observed, 1, at, &["HP-01", "HP-02"]));
        }
        assert!(saw(&observed, 1, 59_999, &["HP-02", "HP-03"]));
        assert_eq!(waiting(&observed), 2);
        assert!(saw(&observed, 1, 60_000, &["HP-01"]));
        assert_eq!(waiting(&observed), 1);
    }

    #[test]
    fn so_much_is_kept_of_an_account() {
        let observed = Observed::default();
        for number in 0..limits::ZONES_SEEN_VISITORS {
            assert!(saw(&observed, number, 0, &["HP-01"]));
        }
        assert!(!saw(&observed, limits::ZONES_SEEN_VISITORS, 0, &["HP-01"]));
        assert_eq!(waiting(&observed), limits::ZONES_SEEN_VISITORS);
        assert!(!saw(&observed, limits::ZONES_SEEN_VISITORS, 0, &["HP-01"]));
        assert!(saw(&observed, 7, 0, &["HP-02"]));
        observed.tidy(60_000);
        assert_eq!(observed.lock().len(), 1, "something waits");
        assert_eq!(waiting(&observed), 1);
        observed.tidy(60_000);
        assert!(observed.lock().is_empty());
    }

    #[tokio::test]
    async fn when_somebody_is_forgotten_nothing_waits() {
        let observed = Observed::default();
        saw(&observed, 1, 0, &["HP-01"]);
        observed.forget(SHOP, &[[1; 16]]).await;
        assert_eq!(waiting(&observed), 0);
        assert!(saw(&observed, 1, 1, &["HP-01"]));
        assert_eq!(waiting(&observed), 1);
    }
}
