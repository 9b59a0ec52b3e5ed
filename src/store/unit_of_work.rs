//! A unit of work, and the engine that runs it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::connection::SqlConnection;
use super::fault::StoreFault;
use super::owner::Owner;
use super::tx::Tx;

/// Set when a COMMIT failed, or some were lost: from then on nothing is accepted and the node restarts.
#[derive(Default)]
pub(super) struct FailureFlag {
    set: AtomicBool,
    pub(super) notify: tokio::sync::Notify,
}

impl FailureFlag {
    pub(super) fn set(&self) {
        self.set.store(true, Ordering::SeqCst);
        self.notify.notify_waiters();
    }

    pub(super) fn is_set(&self) -> bool {
        self.set.load(Ordering::SeqCst)
    }
}

/// Kind of a unit of work, by which it takes its turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitKind {
    /// A caller waits for its answer.
    Asked,
    /// No caller waits for it: units with a waiting caller go first.
    OfJob,
    /// A read of a few rows by their keys, which may share a transaction with others.
    LookUp,
}

/// A unit of work whose types are known only to the one who sent it.
pub(super) trait UnitOfWork: Send {
    /// Owner of the rows that it writes.
    fn owner(&self) -> Owner;
    /// Kind of the unit.
    fn kind(&self) -> UnitKind;
    /// Duration of its last run.
    fn ran(&self) -> Duration;
    /// Runs it; `true` keeps its effects.
    fn run(&mut self, tx: &mut Tx<'_>) -> bool;
    /// Sends the answer: the result of the run, or `fault` when it did not take effect.
    fn send_answer(&mut self, fault: Option<StoreFault>);
}

pub(super) struct Work<T, E, F> {
    pub(super) owner: Owner,
    pub(super) kind: UnitKind,
    pub(super) work: F,
    pub(super) ran: Duration,
    pub(super) result: Option<Result<T, E>>,
    pub(super) reply: Option<oneshot::Sender<Result<T, E>>>,
}

impl<T, E, F> UnitOfWork for Work<T, E, F>
where
    T: Send,
    E: From<StoreFault> + Send,
    F: Fn(&mut Tx<'_>) -> Result<T, E> + Send,
{
    fn owner(&self) -> Owner {
        self.owner
    }

    fn kind(&self) -> UnitKind {
        self.kind
    }

    fn ran(&self) -> Duration {
        self.ran
    }

    fn run(&mut self, tx: &mut Tx<'_>) -> bool {
        self.result = None;
        let began = Instant::now();
        let done = (self.work)(tx);
        let ended = done.and_then(|done| tx.end_unit().map(|()| done).map_err(E::from));
        let result = match tx.fault() {
            // What a statement did not do is missing, whatever the work made of its fault.
            Some(fault) if ended.is_ok() => Err(fault.clone().into()),
            _ => ended,
        };
        self.ran = began.elapsed();
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn send_answer(&mut self, fault: Option<StoreFault>) {
        let result = match (fault, self.result.take()) {
            // A unit that its own rules refused keeps its error, whatever became of the batch.
            (_, Some(Err(refused))) => Err(refused),
            (None, Some(done)) => done,
            (Some(fault), _) => Err(fault.into()),
            (None, None) => Err(StoreFault::Panicked.into()),
        };
        if let Some(reply) = self.reply.take() {
            // The caller may have gone away; the effect stays, as with any lost answer.
            let _ = reply.send(result);
        }
    }
}

/// One engine's way to run a transaction. Only two implementations, and nothing above this line knows which.
pub(super) trait Engine {
    /// BEGIN, with the rows of all these owners taken, so that no one else writes what is theirs.
    fn begin(&mut self, owners: &[Owner]) -> Result<(), StoreFault>;
    /// Runs a statement without arguments or rows.
    fn text(&mut self, text: &'static str) -> Result<(), StoreFault>;
    /// Connection on which a unit's transaction runs.
    fn connection(&mut self) -> Result<&mut dyn SqlConnection, StoreFault>;
    /// Returns true if the transaction is still there: some faults undo it whole.
    fn is_alive(&self) -> bool;
    /// Returns true if a unit may join a transaction that has begun: its owner's row is taken then, because all are.
    fn is_alone(&self) -> bool;
    /// A point to which the transaction can go back.
    fn savepoint(&mut self) -> Result<(), StoreFault> {
        self.text("SAVEPOINT unit")
    }
    /// Goes back to the last point.
    fn undo(&mut self) -> Result<(), StoreFault> {
        self.text("ROLLBACK TO unit")
    }
    /// COMMIT. After an `Err` that is not [`StoreFault::UnknownOutcome`] the transaction is known to be undone.
    fn commit(&mut self) -> Result<(), StoreFault>;
    /// ROLLBACK; whatever it says, the next `begin` starts afresh.
    fn rollback(&mut self);
    /// The same, and the connection may lead to another server by now.
    fn leave(&mut self) {
        self.rollback();
    }
}
