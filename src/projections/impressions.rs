//! Observations of the server itself: impressions in shoppers' zones, and searches through a plugin. They are stored a
//! moment later, together, as an answer need not wait for it: those of the last second may be lost. They are recorded
//! for known subjects only, and stored only if the browser still belongs to the subject.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use rustc_hash::FxBuildHasher;

use super::projection::Derived;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::limits;
use crate::people::actor::Actor;
use crate::people::event::NewEvent;
use crate::people::event_action::EventAction;
use crate::people::subject::SubjectId;
use crate::reports::attribution::AttributionSource;

const MINUTE: Millis = 60_000;

/// Approximate bytes of a queued event, and of a remembered impression.
const EVENT_BYTES: usize = 300;
const SEEN_BYTES: usize = 40;

/// Observed events that are to be stored soon.
#[derive(Default)]
pub struct ImpressionBuffer(Mutex<HashMap<AccountId, Arc<Mutex<OfAccount>>>>);

#[derive(Default)]
struct OfAccount {
    waiting: VecDeque<(SubjectId, NewEvent)>,
    /// True if a task is storing the waiting events.
    is_taken: bool,
    /// Hashes of each subject's impressions of zones in this minute.
    seen: HashSet<(SubjectId, u64)>,
    minute: i64,
    /// Approximate bytes of both.
    bytes: usize,
}

impl ImpressionBuffer {
    /// Queues a search or an impression of zones; an impression of the same minute is left out. `subject` owns the
    /// actions in that browser; `is_of_page` is true for a request without the secret. False if there was no room.
    pub fn record_event(
        &self,
        account: AccountId,
        (subject, visitor): (SubjectId, &Identifier),
        at: Millis,
        (what, is_of_page): (EventAction, bool),
    ) -> bool {
        let own = self.lock().entry(account).or_default().clone();
        let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.minute != at.div_euclid(MINUTE) {
            own.minute = at.div_euclid(MINUTE);
            own.bytes = own.bytes.saturating_sub(own.seen.len() * SEEN_BYTES);
            own.seen = HashSet::new();
        }
        if own.bytes >= limits::OBSERVED_BYTES {
            return false;
        }
        let what = match what {
            EventAction::ZonesSeen(mut sources) => {
                let known = own.seen.len();
                sources.retain(|source| own.seen.insert((subject, FxBuildHasher.hash_one(source))));
                own.bytes += (own.seen.len() - known) * SEEN_BYTES;
                if sources.is_empty() {
                    return true;
                }
                EventAction::ZonesSeen(sources)
            }
            what => what,
        };
        own.bytes += EVENT_BYTES + bytes_of(&what);
        let who = Actor { visitor: Some(visitor.clone()), ..Actor::default() };
        own.waiting.push_back((subject, NewEvent { who, at, what, is_of_page }));
        true
    }

    /// The accounts with waiting observations that no task is storing: the caller takes them over.
    pub fn take_accounts(&self) -> Vec<AccountId> {
        let take = |account: AccountId, own: &Mutex<OfAccount>| {
            let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
            let is_due = !own.is_taken && !own.waiting.is_empty();
            own.is_taken |= is_due;
            is_due.then_some(account)
        };
        self.lock().iter().filter_map(|(account, own)| take(*account, own)).collect()
    }

    /// Some waiting observations of an account, each with its owner; with none left it returns nothing, and the caller
    /// no longer holds the account.
    pub fn take_events(&self, account: AccountId) -> Option<Vec<(SubjectId, NewEvent)>> {
        // So few that the shop's own events get turns too.
        const AT_ONCE: usize = limits::EVENTS_OF_ACCOUNT / 4;
        let own = self.lock().get(&account)?.clone();
        let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.waiting.is_empty() {
            own.is_taken = false;
            own.bytes = own.seen.len() * SEEN_BYTES;
            return None;
        }
        let some = own.waiting.len().min(AT_ONCE);
        Some(own.waiting.drain(..some).collect())
    }

    /// Forgets accounts without waiting observations and without one in this minute.
    pub fn tidy(&self, now: Millis) {
        self.lock().retain(|_, own| {
            let own = own.lock().unwrap_or_else(PoisonError::into_inner);
            own.is_taken || !own.waiting.is_empty() || own.minute == now.div_euclid(MINUTE)
        });
    }

    /// Number of accounts that are remembered.
    #[cfg(test)]
    pub(crate) fn count_accounts(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Arc<Mutex<OfAccount>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes_of(what: &EventAction) -> usize {
    match what {
        EventAction::ZonesSeen(sources) => sources.iter().map(AttributionSource::bytes).sum(),
        EventAction::Searched(search) => search.query.len(),
        _ => 0,
    }
}

impl Derived for ImpressionBuffer {
    fn name(&self) -> &'static str {
        "observed"
    }

    fn catch_up(&self, _: AccountId) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn forget<'a>(&'a self, account: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(own) = self.lock().get(&account).cloned() else { return };
            let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
            let stays = |subject: &SubjectId| !people.contains(subject);
            own.waiting.retain(|(subject, _)| stays(subject));
            own.seen.retain(|(subject, _)| stays(subject));
        })
    }

    fn count<'a>(&'a self, account: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, u64> {
        Box::pin(async move {
            let Some(own) = self.lock().get(&account).cloned() else { return 0 };
            let own = own.lock().unwrap_or_else(PoisonError::into_inner);
            people.iter().filter(|person| own.waiting.iter().any(|(of, _)| of == *person)).count() as u64
        })
    }

    fn is_caught_up(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::event_action::CountedSearch;

    const SHOP: AccountId = AccountId(1);

    fn saw(observed: &ImpressionBuffer, number: u32, at: Millis, zones: &[&str]) -> bool {
        let visitor = Identifier::visitor_id(&format!("visitor-{number}")).expect("a number");
        let zone = |name: &&str| AttributionSource::Zone {
            zone: (*name).to_owned(),
            recommender: "default".to_owned(),
            campaign: String::new(),
        };
        let mut subject = [0; 16];
        subject[..4].copy_from_slice(&number.to_be_bytes());
        observed.record_event(
            SHOP,
            (subject, &visitor),
            at,
            (EventAction::ZonesSeen(zones.iter().map(zone).collect()), false),
        )
    }

    fn waiting(observed: &ImpressionBuffer) -> usize {
        let mut count = 0;
        for account in observed.take_accounts() {
            while let Some(some) = observed.take_events(account) {
                count += some.len();
            }
        }
        count
    }

    #[test]
    fn what_is_seen_again_within_a_minute_is_noted_once() {
        let observed = ImpressionBuffer::default();
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
        let observed = ImpressionBuffer::default();
        let mut number = 0;
        while number < 100_000 && saw(&observed, number, 0, &["HP-01"]) {
            number += 1;
        }
        assert!((10_000..50_000).contains(&number), "{number}");
        assert!(!saw(&observed, number, 0, &["HP-01"]));
        assert_eq!(waiting(&observed), number as usize);
        assert!(saw(&observed, number, 0, &["HP-01"]), "what is stored leaves room");
        observed.tidy(60_000);
        assert_eq!(observed.lock().len(), 1, "something waits");
        assert_eq!(waiting(&observed), 1);
        observed.tidy(60_000);
        assert!(observed.lock().is_empty());
    }

    #[tokio::test]
    async fn what_was_seen_of_who_is_forgotten_waits_no_longer() {
        let observed = ImpressionBuffer::default();
        (1..4).for_each(|number| assert!(saw(&observed, number, 0, &["HP-01"])));
        let mut second = [0; 16];
        second[3] = 2;
        assert_eq!(observed.count(SHOP, &[second]).await, 1);
        observed.forget(SHOP, &[second]).await;
        assert_eq!(observed.count(SHOP, &[second]).await, 0);
        assert_eq!(waiting(&observed), 2);
    }

    #[tokio::test]
    async fn who_is_forgotten_is_not_remembered_for_the_minute_either() {
        let observed = ImpressionBuffer::default();
        (1..3).for_each(|number| assert!(saw(&observed, number, 0, &["HP-01"])));
        let mut second = [0; 16];
        second[3] = 2;
        observed.forget(SHOP, &[second]).await;
        (1..3).for_each(|number| assert!(saw(&observed, number, 1, &["HP-01"])));
        assert_eq!(waiting(&observed), 2, "the first once, and the second as somebody new");
    }

    #[test]
    fn a_new_minute_has_the_room_of_what_was_remembered() {
        let observed = ImpressionBuffer::default();
        let mut number = 0;
        while saw(&observed, number, 0, &["HP-01"]) {
            number += 1;
        }
        assert!(!saw(&observed, number, 59_999, &["HP-01"]));
        assert!(saw(&observed, number, 60_000, &["HP-01"]), "although nothing was stored yet");
    }

    #[test]
    fn one_task_stores_the_observations_of_an_account_a_part_at_a_time() {
        let observed = ImpressionBuffer::default();
        let count = limits::EVENTS_OF_ACCOUNT as u32;
        (0..count).for_each(|number| assert!(saw(&observed, number, 0, &["HP-01"])));
        assert_eq!(observed.take_accounts(), [SHOP]);
        assert_eq!(observed.take_accounts(), [], "another task has it");
        let part = observed.take_events(SHOP).expect("events");
        assert_eq!(part.len(), limits::EVENTS_OF_ACCOUNT / 4, "other events get turns too");
        observed.tidy(60_000);
        let mut left = 0;
        while let Some(some) = observed.take_events(SHOP) {
            left += some.len();
        }
        assert_eq!(left, count as usize - part.len());
        // In the same minute they are still remembered.
        observed.tidy(59_999);
        assert!(saw(&observed, 0, 59_999, &["HP-01"]));
        assert_eq!(observed.take_accounts(), []);
    }

    /// State of the account of the shop, to be looked at and set.
    fn of_shop(observed: &ImpressionBuffer) -> Arc<Mutex<OfAccount>> {
        observed.lock()[&SHOP].clone()
    }

    fn bytes(observed: &ImpressionBuffer) -> usize {
        of_shop(observed).lock().expect("nobody panicked").bytes
    }

    #[test]
    fn what_waits_takes_its_bytes_and_is_stored_in_the_order_in_which_it_came() {
        let observed = ImpressionBuffer::default();
        let visitor = Identifier::visitor_id("visitor-9").expect("a number");
        let record = |at, what, is_of_page| {
            assert!(observed.record_event(SHOP, ([9; 16], &visitor), at, (what, is_of_page)));
            bytes(&observed)
        };
        // The names have five letters, and that of the recommender has seven.
        let zone_bytes = size_of::<AttributionSource>() + 5 + 7;
        assert!(saw(&observed, 1, 0, &["HP-01", "HP-02"]));
        let first = 2 * SEEN_BYTES + EVENT_BYTES + 2 * zone_bytes;
        assert_eq!(bytes(&observed), first);
        assert!(saw(&observed, 1, 59_999, &["HP-01", "HP-03"]) && saw(&observed, 1, 59_999, &["HP-03"]));
        let second = first + SEEN_BYTES + EVENT_BYTES + zone_bytes;
        assert_eq!(bytes(&observed), second);
        assert!(saw(&observed, 1, 60_000, &["HP-01"]));
        let third = second - 3 * SEEN_BYTES + SEEN_BYTES + EVENT_BYTES + zone_bytes;
        assert_eq!(bytes(&observed), third);
        let search = CountedSearch { query: "lamp".to_owned(), found: 1, is_corrected: false };
        assert_eq!(record(60_001, EventAction::Searched(search), true), third + EVENT_BYTES + 4);
        let viewed = EventAction::ProductViewed("a".to_owned().into());
        assert_eq!(record(60_002, viewed, false), third + 2 * EVENT_BYTES + 4);
        let events = observed.take_events(SHOP).expect("events");
        let told: Vec<_> = events.iter().map(|(_, event)| (event.at, event.is_of_page)).collect();
        assert_eq!(told, [(0, false), (59_999, false), (60_000, false), (60_001, true), (60_002, false)]);
        let mut visitors = events.iter().map(|(_, event)| event.who.visitor.as_ref().map(Identifier::normal));
        assert_eq!(visitors.next_back(), Some(Some("visitor-9")));
        assert!(observed.take_events(SHOP).is_none() && observed.take_events(AccountId(9)).is_none());
        assert_eq!(bytes(&observed), SEEN_BYTES, "one zone is remembered for this minute");
    }

    #[tokio::test]
    async fn the_last_byte_of_the_room_of_an_account_may_be_taken() {
        let observed = ImpressionBuffer::default();
        assert!(saw(&observed, 1, 0, &["HP-01"]));
        let of_shop = of_shop(&observed);
        let set = |bytes| of_shop.lock().expect("nobody panicked").bytes = bytes;
        set(limits::OBSERVED_BYTES);
        assert!(!saw(&observed, 2, 0, &["HP-01"]));
        set(limits::OBSERVED_BYTES - 1);
        assert!(saw(&observed, 2, 0, &["HP-01"]));
        let mut second = [0; 16];
        second[3] = 2;
        assert_eq!(observed.count(SHOP, &[second, [7; 16]]).await, 1);
        assert_eq!(observed.count(AccountId(9), &[second]).await, 0);
    }
}
