//! Following the stored events with a model.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::model_set::{ModelEntry, ModelState, Models};
use crate::clock::Day;
use crate::ids::AccountId;
use crate::limits;
use crate::people::subject::SubjectFault;
use crate::recommend::model::Model;
use crate::store::StoreFault;

impl Models {
    /// Updates a model and returns whether it is up to date; if its events cannot be read it stays as it was, and is
    /// tried again, unless the node has ended.
    pub(super) async fn keep_up(&self, account: AccountId, entry: &Arc<ModelEntry>) -> bool {
        let Err(fault) = self.follow(account, entry).await else { return true };
        if matches!(fault, SubjectFault::Store(StoreFault::Closed)) {
            return true;
        }
        tracing::warn!(%fault, account = account.0, "a model is behind; its events are read again soon");
        false
    }

    /// Reads the events that a model lacks, page by page. Between two pages people may be left out, also of an
    /// incomplete model.
    pub(super) async fn follow(
        &self,
        account: AccountId,
        entry: &Arc<ModelEntry>,
    ) -> Result<(), SubjectFault> {
        loop {
            let _turn = entry.turn.lock().await;
            let today = self.today();
            if entry.state().model.day() < today {
                entry.change_state(move |state| state.model.begin_day(today)).await;
            }
            let upto = entry.state().upto;
            let page = self.page(account, today, upto).await?;
            // Readers wait for a writer: without new events nothing is written.
            let is_last = page.is_last;
            if page.upto > upto {
                entry.change_state(move |state| state.add_page(&page)).await;
                make_room(&self.list_entries(), account, limits::MODELS_BYTES);
            }
            if is_last {
                entry.whole_day.store(entry.state().model.day(), Ordering::SeqCst);
                return Ok(());
            }
        }
    }

    /// Builds a model of the events up to a place, as of a day.
    pub(super) async fn made_anew(
        &self,
        account: AccountId,
        day: Day,
        upto: i64,
    ) -> Result<Model, SubjectFault> {
        let mut model = Model::default();
        model.begin_day(day);
        let mut from = 0;
        loop {
            let page = self.page(account, day, from).await?;
            let wanted = page.deeds.iter().zip(&page.places).filter(|(_, place)| **place <= upto);
            wanted.for_each(|(deed, _)| model.add(deed));
            from = page.upto;
            if page.is_last || from >= upto {
                return Ok(model);
            }
        }
    }

    fn list_entries(&self) -> Vec<(AccountId, Arc<ModelEntry>)> {
        self.lock().iter().map(|(account, entry)| (*account, entry.clone())).collect()
    }
}

/// Throws the least recently used models away, until all have room. Models that are being built stay: two that threw
/// each other away would never end.
fn make_room(all: &[(AccountId, Arc<ModelEntry>)], growing: AccountId, most: usize) {
    let mut taken: usize = all.iter().map(|(_, entry)| entry.state().model.bytes()).sum();
    if taken <= most {
        return;
    }
    let is_whole = |entry: &ModelEntry| entry.whole_day.load(Ordering::SeqCst) > 0;
    let others = all.iter().filter(|(account, entry)| *account != growing && is_whole(entry));
    let mut others: Vec<_> = others.map(|(_, entry)| entry).collect();
    others.sort_by_key(|entry| entry.used.load(Ordering::Relaxed));
    for entry in others {
        if taken <= most {
            return;
        }
        // A model that is just being changed or read stays. It is emptied in place: a task that holds it gets an empty
        // model, without anyone who is forgotten from now on.
        let Ok(_turn) = entry.turn.try_lock() else { continue };
        let Ok(mut state) = entry.state.try_write() else { continue };
        taken = taken.saturating_sub(state.model.bytes());
        entry.whole_day.store(0, Ordering::SeqCst);
        *state = ModelState::default();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;

    use super::super::model_set::ModelHandle;
    use super::*;
    use crate::clock::Clock;
    use crate::keys::Keys;
    use crate::recommend::history::SessionKey;
    use crate::recommend::model::{Interaction, PersonAction};
    use crate::store::{Store, StoreOptions};

    /// A model of one person, last used at `used`.
    fn entry(used: u64) -> Arc<ModelEntry> {
        let entry = ModelEntry::default();
        let session = SessionKey { start: 1, id: 1 };
        let deed =
            Interaction { person: [1; 16], session, ends: 9, act: PersonAction::Viewed("a".to_owned()) };
        entry.state_mut().model.add(&deed);
        entry.used.store(used, Ordering::Relaxed);
        entry.whole_day.store(5, Ordering::SeqCst);
        Arc::new(entry)
    }

    #[test]
    fn a_change_that_waits_for_a_reader_holds_up_no_thread_of_the_runtime() {
        let entry = entry(1);
        let reading = entry.clone();
        let (begun, has_begun) = mpsc::channel();
        let (end, may_end) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            let _state = reading.state();
            begun.send(()).unwrap();
            let _ = may_end.recv_timeout(Duration::from_secs(2));
        });
        has_begun.recv().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut change = std::pin::pin!(entry.change_state(|state| state.upto = 7));
            let early = tokio::time::timeout(Duration::from_millis(10), &mut change).await;
            assert!(early.is_err(), "the timer runs while the change waits");
            end.send(()).unwrap();
            change.await;
        });
        reader.join().unwrap();
        assert_eq!(entry.state().upto, 7);
    }

    #[test]
    fn a_model_that_was_cut_is_made_anew_without_somebody() {
        let whole = entry(1);
        whole.forget(&mut whole.state_mut(), &[[2; 16]]);
        assert!(whole.is_of(5) && whole.state().model.people() == 1);
        let cut = entry(1);
        cut.state_mut().model = Model::of_most(1);
        for ends in 8..10 {
            let session = SessionKey { start: ends, id: ends as u128 };
            let deed = Interaction {
                person: [ends as u8; 16],
                session,
                ends,
                act: PersonAction::Viewed("a".to_owned()),
            };
            cut.state_mut().model.add(&deed);
        }
        assert!(cut.state().model.is_cut() && cut.state().model.knows(&[9; 16]));
        cut.forget(&mut cut.state_mut(), &[[9; 16]]);
        assert!(!cut.is_of(5) && !cut.state().model.is_cut(), "the click of somebody else has room again");
    }

    #[tokio::test]
    async fn a_model_that_was_cut_is_made_anew_without_a_session() {
        let folder = tempfile::tempdir().unwrap();
        let models = models(folder.path());
        let cut = models.touch_entry(AccountId(1));
        cut.state_mut().model = Model::of_most(1);
        cut.whole_day.store(5, Ordering::SeqCst);
        for ends in 8..10 {
            let session = SessionKey { start: ends, id: ends as u128 };
            let act = PersonAction::Viewed("a".to_owned());
            cut.state_mut().model.add(&Interaction { person: [ends as u8; 16], session, ends, act });
        }
        models.leave_out(AccountId(1), &[9]).await;
        assert!(!cut.is_of(5) && !cut.state().model.is_cut());
    }

    fn models(folder: &std::path::Path) -> Models {
        let store = Store::open(&StoreOptions::Sqlite(folder.join("lethe.db"))).unwrap();
        let keys = Keys::open(&folder.join("keys")).unwrap();
        Models::new(&store, &keys, &Clock::set_to(0))
    }

    #[test]
    fn a_model_that_is_asked_for_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let models = models(folder.path());
        let [first, second] = [1, 2].map(|number| models.touch_entry(AccountId(number)));
        let used = || [&first, &second].map(|entry| entry.used.load(Ordering::Relaxed));
        assert!(used()[0] < used()[1]);
        models.touch_entry(AccountId(1));
        assert!(used()[0] > used()[1]);
    }

    /// Number of people that a holder of the model sees.
    fn count_people(held: &ModelHandle) -> usize {
        held.with_model(|model, _| model.people())
    }

    #[tokio::test]
    async fn a_model_that_is_thrown_away_is_empty_for_who_holds_it() {
        let entries: Vec<_> = (0..5).map(|n| (AccountId(n), entry(10 - n as u64))).collect();
        let shown = |(_, account): &(_, Arc<ModelEntry>)| ModelHandle {
            account: account.clone(),
            recommenders: Arc::new(Mutex::default()),
        };
        let held: Vec<_> = entries.iter().map(shown).collect();
        let all = || held.iter().map(count_people).collect::<Vec<_>>();
        let each = entries[0].1.state().model.bytes();
        make_room(&entries, AccountId(4), 5 * each);
        assert_eq!(all(), [1; 5]);
        // The last is growing, the one before it is being changed, and the first is being made.
        let turn = entries[3].1.turn.lock().await;
        entries[0].1.whole_day.store(0, Ordering::SeqCst);
        make_room(&entries, AccountId(4), 5 * each - 1);
        assert_eq!(all(), [1, 1, 0, 1, 1], "the one that was asked for longest ago");
        assert!(!entries[2].1.is_of(5) && entries[1].1.is_of(5));
        assert_eq!(entries[2].1.whole_day.load(Ordering::SeqCst), 0, "it is whole of no day");
        make_room(&entries, AccountId(4), 0);
        assert_eq!(all(), [1, 0, 0, 1, 1]);
        drop(turn);
        make_room(&entries, AccountId(4), 0);
        assert_eq!(all(), [1, 0, 0, 0, 1]);
    }
}
