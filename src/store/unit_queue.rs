//! The units that wait for a writer, and which is next: first units with a waiting caller, then those of jobs, of the
//! account that had the least of the writer's time.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::fault::StoreFault;
use super::unit_of_work::{UnitKind, UnitOfWork};

/// Units of work that may wait for each writer; more are refused with [`StoreFault::Busy`].
pub(super) const WAITING_UNITS: usize = 4096;

/// Batches that may go by one after the other while a unit of a job waits.
const PASSED_BATCHES: u32 = 4;

/// Accounts whose time is remembered; with one more all counts start again.
const SERVED_ACCOUNTS: usize = 10_000;

/// Sender through which units are handed over.
pub(super) type Units = flume::Sender<Box<dyn UnitOfWork>>;

/// Hands a unit over.
///
/// # Errors
/// When too many wait, or the writers have stopped.
pub(super) fn send<T>(queue: &flume::Sender<T>, unit: T) -> Result<(), StoreFault> {
    queue.try_send(unit).map_err(|refused| match refused {
        flume::TrySendError::Full(_) => StoreFault::Busy,
        flume::TrySendError::Disconnected(_) => StoreFault::Closed,
    })
}

/// The sending ends of a writer's queue.
#[derive(Clone)]
pub(super) struct UnitSender {
    asked: Units,
    /// One for each unit among the turns.
    jobs: flume::Sender<()>,
    turns: Arc<Mutex<Turns>>,
}

impl UnitSender {
    /// Both ends of a queue.
    pub(super) fn new() -> (Self, UnitQueue) {
        let (to_asked, asked) = flume::bounded(WAITING_UNITS);
        let (to_jobs, jobs) = flume::bounded(WAITING_UNITS);
        let turns = Arc::<Mutex<Turns>>::default();
        let queue = UnitQueue { asked, jobs, turns: turns.clone(), passed: Cell::default() };
        (Self { asked: to_asked, jobs: to_jobs, turns }, queue)
    }

    /// Hands a unit over.
    ///
    /// # Errors
    /// As [`send`].
    pub(super) fn send(&self, unit: Box<dyn UnitOfWork>) -> Result<(), StoreFault> {
        if unit.kind() != UnitKind::OfJob {
            return send(&self.asked, unit);
        }
        let mut turns = lock_turns(&self.turns);
        send(&self.jobs, ())?;
        turns.waiting.push(unit);
        Ok(())
    }

    /// Number of units that wait.
    pub(super) fn waiting(&self) -> usize {
        self.asked.len() + self.jobs.len()
    }
}

fn lock_turns(turns: &Mutex<Turns>) -> MutexGuard<'_, Turns> {
    turns.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The units that wait for a writer.
#[derive(Clone)]
pub(super) struct UnitQueue {
    /// Units for which a caller waits; they go first.
    asked: flume::Receiver<Box<dyn UnitOfWork>>,
    /// One for each unit of a job, which may take as long as a unit may …
    jobs: flume::Receiver<()>,
    /// … and waits here.
    turns: Arc<Mutex<Turns>>,
    /// Number of batches that have passed the waiting units of jobs.
    passed: Cell<u32>,
}

impl UnitQueue {
    /// Waits for the first unit of a batch; `None` when the store is closed.
    pub(super) fn first(&self) -> Option<Box<dyn UnitOfWork>> {
        if self.jobs.is_empty() {
            self.passed.set(0);
        }
        // However much is asked, jobs go on.
        let is_their_turn = self.passed.get() >= PASSED_BATCHES;
        if is_their_turn && let Some(job) = self.job() {
            return Some(job);
        }
        self.passed.set(self.passed.get() + 1);
        let any = || {
            let asked = flume::Selector::new().recv(&self.asked, Result::ok);
            asked.recv(&self.jobs, |job| job.ok().and_then(|()| self.job_in_turn())).wait()
        };
        self.asked.try_recv().ok().or_else(any).or_else(|| self.job())
    }

    /// The next unit of a batch. After a unit with a waiting caller, one unit of a job at most joins: so no caller
    /// waits for a row of long units.
    pub(super) fn next(&self, batch: &[Box<dyn UnitOfWork>]) -> Option<Box<dyn UnitOfWork>> {
        if let Ok(unit) = self.asked.try_recv() {
            return Some(unit);
        }
        let jobs = batch.iter().filter(|unit| unit.kind() == UnitKind::OfJob).count();
        if jobs > 0 && jobs < batch.len() { None } else { self.job() }
    }

    /// Moves foreground units ahead of the batch's remaining job units; the first job stays.
    pub(super) fn let_asked_in(&self, batch: &mut Vec<Box<dyn UnitOfWork>>, most: usize) {
        let left = batch.iter().skip(1).position(|unit| unit.kind() == UnitKind::OfJob);
        let Some(at) = left.map(|at| at + 1) else { return };
        let asked: Vec<_> = self.asked.try_iter().take(most.saturating_sub(batch.len())).collect();
        drop(batch.splice(at..at, asked));
    }

    fn job(&self) -> Option<Box<dyn UnitOfWork>> {
        self.jobs.try_recv().ok()?;
        self.job_in_turn()
    }

    fn job_in_turn(&self) -> Option<Box<dyn UnitOfWork>> {
        self.passed.set(0);
        lock_turns(&self.turns).next()
    }

    /// Charges the accounts of a batch's jobs with the writer's time: the time of their units and, since it has no
    /// known owner, equal parts of the rest of the batch's time.
    pub(super) fn charge_batch(&self, batch: &[Box<dyn UnitOfWork>], took: Duration) {
        let jobs = || batch.iter().filter(|unit| unit.kind() == UnitKind::OfJob);
        let units: u32 = jobs().map(|_| 1).sum();
        if units == 0 {
            return;
        }
        let ran: Duration = batch.iter().map(|unit| unit.ran()).sum();
        let rest = took.saturating_sub(ran) / units;
        let mut turns = lock_turns(&self.turns);
        for unit in jobs() {
            turns.charge(unit.owner().account, unit.ran() + rest);
        }
    }

    /// Answers all that wait, and all that come.
    pub(super) fn refuse(&self, fault: &StoreFault) {
        while let Some(mut unit) = self.first() {
            unit.send_answer(Some(fault.clone()));
        }
    }
}

/// Order of the jobs of accounts. Start-time fair queueing (P. Goyal, H. Vin and H. Cheng, SIGCOMM 1996): an account's
/// served time begins at that of the others, and the account with the least served time is next. So a unit waits for at
/// most one unit of each other account, however long and however many those are, and an idle account has saved nothing.
#[derive(Default)]
struct Turns {
    waiting: Vec<Box<dyn UnitOfWork>>,
    /// Served time of the account whose unit was taken last.
    now: Duration,
    /// Served times later than `now`, by account.
    served: HashMap<Option<i64>, Duration>,
}

impl Turns {
    fn served_time(&self, account: Option<i64>) -> Duration {
        let served = self.served.get(&account).copied().unwrap_or_default();
        served.max(self.now)
    }

    /// The first of those that are least far.
    fn next(&mut self) -> Option<Box<dyn UnitOfWork>> {
        let place = |at: &usize| self.served_time(self.waiting[*at].owner().account);
        let next = (0..self.waiting.len()).min_by_key(place);
        let unit = next.filter(|at| *at < self.waiting.len()).map(|at| self.waiting.remove(at))?;
        let account = unit.owner().account;
        self.now = self.served_time(account);
        // Units that are taken together, before their times are known, take turns too.
        self.charge(account, Duration::from_nanos(1));
        Some(unit)
    }

    fn charge(&mut self, account: Option<i64>, took: Duration) {
        let served = self.served_time(account) + took;
        if self.served.len() >= SERVED_ACCOUNTS && !self.served.contains_key(&account) {
            self.served.clear();
        }
        self.served.insert(account, served);
    }
}

#[cfg(test)]
#[path = "unit_queue_tests.rs"]
mod tests;
