//! The models of all accounts: built in the background, kept up to date.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::Mutex as AsyncMutex;

use super::build_queue::BuildPermits;
use super::stored_event_page::EventPage;
use crate::clock::{Clock, Day, day_of};
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::limits;
use crate::people::subject::{SubjectFault, SubjectId};
use crate::projections::projection::{Derived, LagGuard};
use crate::recommend::model::Model;
use crate::recommend::session::SessionRecommender;
use crate::store::Store;

/// Pause between an event and its reading: events that come meanwhile are read with it.
pub(super) const PAUSE_DURATION: Duration = Duration::from_millis(50);

/// Pause after a reading that failed.
pub(super) const FAILED_DURATION: Duration = Duration::from_secs(1);

/// Reason why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum ModelFault {
    /// A fault of the store or the keys.
    #[error(transparent)]
    Subject(#[from] SubjectFault),
    /// The model is being built, and that takes longer than a request waits.
    #[error("the model of the account is being made")]
    Making,
    /// The task that made it ended early.
    #[error("the model could not be made")]
    Ended,
}

/// The models of a node. Cloning gives the same.
#[derive(Clone)]
pub struct Models(pub(super) Arc<ModelsInner>);

pub(super) struct ModelsInner {
    pub(super) store: Store,
    pub(super) keys: Keys,
    clock: Clock,
    accounts: Mutex<HashMap<AccountId, Arc<ModelEntry>>>,
    recommenders: Recommenders,
    behind: Arc<AtomicUsize>,
    /// Permits to make models because of searches.
    begun: BuildPermits,
    uses: AtomicU64,
}

/// The model of an account.
#[derive(Default)]
pub(super) struct ModelEntry {
    /// Held for a change: one page of events, or people who are left out, at a time.
    pub(super) turn: AsyncMutex<()>,
    pub(super) state: RwLock<ModelState>,
    pub(super) used: AtomicU64,
    /// When a search began to make it.
    begun: AtomicI64,
    /// The day of the model when it is complete, else 0: readable without a lock.
    pub(super) whole_day: AtomicI64,
    /// True if a task is about to read new events.
    is_woken: AtomicBool,
    /// Number of tasks that wait to remove people from it.
    leaving: Arc<AtomicUsize>,
}

/// Model, and its last event.
#[derive(Default)]
pub(super) struct ModelState {
    pub(super) model: Model,
    /// Last event in the model; 0 if it is not loaded.
    pub(super) upto: i64,
}

impl ModelState {
    pub(super) fn add_page(&mut self, page: &EventPage) {
        page.deeds.iter().for_each(|deed| self.model.add(deed));
        self.upto = page.upto;
    }
}

/// The present model of an account, for queries; the default is a model without events.
#[derive(Default)]
pub struct ModelHandle {
    pub(super) account: Arc<ModelEntry>,
    pub(super) recommenders: Recommenders,
}

/// Working memory of recommenders, reused by one request after the other.
pub(super) type Recommenders = Arc<Mutex<Vec<SessionRecommender>>>;

impl ModelHandle {
    /// Queries the model. Nothing is added meanwhile.
    pub fn with_model<T>(&self, ask: impl FnOnce(&Model, &mut SessionRecommender) -> T) -> T {
        let lock = || self.recommenders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut recommender = lock().pop().unwrap_or_default();
        let answer = ask(&self.account.state().model, &mut recommender);
        lock().push(recommender);
        answer
    }
}

impl ModelEntry {
    pub(super) fn state(&self) -> RwLockReadGuard<'_, ModelState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state_mut(&self) -> RwLockWriteGuard<'_, ModelState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state as soon as no request reads it. The wait is on a blocking thread: a runtime thread that waited
    /// here could be the one that drives all timers and sockets, also those that the readers wait for.
    pub(super) async fn change_state(
        self: &Arc<Self>,
        change: impl FnOnce(&mut ModelState) + Send + 'static,
    ) {
        let entry = self.clone();
        let changing = tokio::task::spawn_blocking(move || change(&mut entry.state_mut()));
        match changing.await {
            Ok(()) => {}
            Err(fault) if fault.is_panic() => std::panic::resume_unwind(fault.into_panic()),
            // The runtime ends, and this task with it.
            Err(_) => std::future::pending().await,
        }
    }

    pub(super) fn forget(&self, state: &mut ModelState, people: &[SubjectId]) {
        for person in people {
            state.model.forget(person);
        }
        self.drop_if_cut(state);
    }

    fn leave_out(&self, state: &mut ModelState, sessions: &[u128]) {
        sessions.iter().for_each(|session| state.model.leave_out(*session));
        self.drop_if_cut(state);
    }

    /// Drops a model that was cut: without those who left, others have room in it whose events are not in memory.
    fn drop_if_cut(&self, state: &mut ModelState) {
        if state.model.is_cut() {
            self.whole_day.store(0, Ordering::SeqCst);
            *state = ModelState::default();
        }
    }

    /// True if the model is complete or just being built: a discarded model is rebuilt by the next request, not by new
    /// events.
    fn is_followed(&self) -> bool {
        self.whole_day.load(Ordering::SeqCst) > 0 || self.turn.try_lock().is_err()
    }

    pub(super) fn is_of(&self, day: Day) -> bool {
        self.whole_day.load(Ordering::SeqCst) >= day
    }
}

impl Models {
    pub(crate) fn new(store: &Store, keys: &Keys, clock: &Clock) -> Self {
        Self(Arc::new(ModelsInner {
            store: store.clone(),
            keys: keys.clone(),
            clock: clock.clone(),
            accounts: Mutex::default(),
            recommenders: Recommenders::default(),
            behind: Arc::default(),
            begun: BuildPermits::default(),
            uses: AtomicU64::default(),
        }))
    }

    /// The model of an account as it is today. Makes it first if it is not there.
    ///
    /// # Errors
    /// [`ModelFault::Making`] when that takes longer than [`limits::MODEL_WAIT_DURATION`]: it goes on by itself.
    /// When the store or the keys fail.
    pub async fn get_or_build(&self, account: AccountId) -> Result<ModelHandle, ModelFault> {
        let entry = self.touch_entry(account);
        let shown = ModelHandle { account: entry.clone(), recommenders: self.0.recommenders.clone() };
        if entry.is_of(self.today()) {
            return Ok(shown);
        }
        let models = self.clone();
        let making = tokio::spawn(async move { models.follow(account, &entry).await });
        let longest = limits::MODEL_WAIT_DURATION;
        match tokio::time::timeout(longest, making).await {
            Ok(Ok(followed)) => followed.map(|()| shown).map_err(ModelFault::from),
            Ok(Err(_)) => Err(ModelFault::Ended),
            Err(_) => Err(ModelFault::Making),
        }
    }

    /// The model of an account if it is there. If not, a task of its own makes it, for later requests.
    #[must_use]
    pub fn shown_if_made(&self, account: AccountId) -> Option<ModelHandle> {
        let entry = self.touch_entry(account);
        if entry.is_of(self.today()) {
            return Some(ModelHandle { account: entry, recommenders: self.0.recommenders.clone() });
        }
        let turn = self.0.begun.begin(&entry.begun, self.0.clock.now())?;
        let models = self.clone();
        tokio::spawn(async move {
            let _turn = turn;
            models.keep_up(account, &entry).await
        });
        None
    }

    /// Something was stored for an account: a loaded model reads it soon.
    pub fn wake(&self, account: AccountId) {
        let Some(entry) = self.find_entry(account).filter(|entry| entry.is_followed()) else { return };
        if entry.is_woken.swap(true, Ordering::SeqCst) {
            return;
        }
        let models = self.clone();
        tokio::spawn(async move {
            let _behind = LagGuard::new(&models.0.behind);
            tokio::time::sleep(PAUSE_DURATION).await;
            // Set before it reads: events that come meanwhile may be after the page.
            entry.is_woken.store(false, Ordering::SeqCst);
            if models.keep_up(account, &entry).await {
                return;
            }
            let waiting = Arc::downgrade(&models.0);
            // A waiting task does not keep a stopped node alive, and so neither its store nor its keys.
            drop(models);
            tokio::time::sleep(FAILED_DURATION).await;
            if let Some(models) = waiting.upgrade() {
                Self(models).wake(account);
            }
        });
    }

    /// Rebuilds a model from the stored events, next to the live one, and returns the bytes of both at one place. Also
    /// returns whether people whose rows are gone still wait to be removed: then the two differ.
    ///
    /// # Errors
    /// When the store or the keys fail.
    pub async fn compare_with_rebuilt<T>(
        &self,
        account: AccountId,
        compare: impl FnOnce(&Model, &Model) -> T + Send,
    ) -> Result<(T, bool), SubjectFault> {
        let entry = self.lock().entry(account).or_default().clone();
        self.follow(account, &entry).await?;
        // Nothing is added or left out meanwhile.
        let _turn = entry.turn.lock().await;
        let upto = entry.state().upto;
        let day = entry.state().model.day();
        let anew = self.made_anew(account, day, upto).await?;
        let found = compare(&entry.state().model, &anew);
        let is_left = entry.leaving.load(Ordering::SeqCst) > 0;
        Ok((found, is_left))
    }

    /// Removes sessions of people who stay, after their rows.
    pub async fn leave_out(&self, account: AccountId, sessions: &[u128]) {
        let loaded = if sessions.is_empty() { None } else { self.find_entry(account) };
        let Some(entry) = loaded else { return };
        let _turn = entry.turn.lock().await;
        let leaving = entry.clone();
        let sessions = sessions.to_vec();
        entry.change_state(move |state| leaving.leave_out(state, &sessions)).await;
    }

    pub(super) fn today(&self) -> Day {
        day_of(self.0.clock.now())
    }

    /// The entry of an account, which is used now.
    pub(super) fn touch_entry(&self, account: AccountId) -> Arc<ModelEntry> {
        let entry = self.lock().entry(account).or_default().clone();
        entry.used.store(self.0.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        entry
    }

    fn find_entry(&self, account: AccountId) -> Option<Arc<ModelEntry>> {
        self.lock().get(&account).cloned()
    }

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AccountId, Arc<ModelEntry>>> {
        self.0.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Derived for Models {
    fn name(&self) -> &'static str {
        "models"
    }

    fn catch_up(&self, account: AccountId) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Some(entry) = self.find_entry(account).filter(|entry| entry.is_followed()) else { return };
            let _behind = LagGuard::new(&self.0.behind);
            if !self.keep_up(account, &entry).await {
                self.wake(account);
            }
        })
    }

    fn forget<'a>(&'a self, account: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(entry) = self.find_entry(account) else { return };
            let _leaving = LagGuard::new(&entry.leaving);
            // Their rows are gone by now: events read after this turn do not hold them.
            let _turn = entry.turn.lock().await;
            let leaving = entry.clone();
            let people = people.to_vec();
            entry.change_state(move |state| leaving.forget(state, &people)).await;
        })
    }

    fn count<'a>(&'a self, account: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, u64> {
        Box::pin(async move {
            let Some(entry) = self.find_entry(account) else { return 0 };
            let state = entry.state();
            people.iter().filter(|person| state.model.knows(person)).count() as u64
        })
    }

    fn is_caught_up(&self) -> bool {
        self.0.behind.load(Ordering::SeqCst) == 0
    }
}

#[cfg(test)]
#[path = "model_set_tests.rs"]
mod tests;
