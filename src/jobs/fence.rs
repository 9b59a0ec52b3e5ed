//! Writes of a job to the store: each unit of work first checks that the lease is still held.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::lane::{JobKey, Lane, TURN};
use super::lease::Lease;
use crate::store::{Owner, Store, StoreFault, Tx};
use crate::{args, sql};

/// The lease went to another worker; nothing of this run may take effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the lease of the job was lost")]
pub struct LeaseLost;

/// Parts of a lease that a transaction needs.
#[derive(Clone)]
struct Fence {
    key: JobKey,
    number: i64,
    ended: Arc<AtomicBool>,
}

impl Fence {
    /// The count of reasons to run, while the lease is held.
    fn load_wake_count<E: From<StoreFault> + From<LeaseLost>>(&self, tx: &mut Tx<'_>) -> Result<i64, E> {
        let JobKey { account, lane, seq } = self.key;
        let held = tx.row(&sql::job_held, args![account.0, lane.as_str(), seq, self.number])?;
        Ok(held.ok_or(LeaseLost)?.int("wake")?)
    }

    /// Ends the job. If a reason to run came after `wake` was read, gives it back instead, to run again at once.
    fn end(&self, tx: &mut Tx<'_>, wake: i64) -> Result<(), StoreFault> {
        let JobKey { account, lane, seq } = self.key;
        if tx.exec(&sql::job_delete, args![account.0, lane.as_str(), seq, self.number, wake])? == 0 {
            let row =
                args![account.0, lane.as_str(), seq, self.number, 0, 0, TURN, None::<&str>, None::<i64>];
            tx.exec(&sql::job_release, row)?;
        }
        // Noted before the commit: if that fails, the row is still held and the note is never read.
        self.ended.store(true, Ordering::SeqCst);
        Ok(())
    }
}

impl Lease {
    fn fence(&self) -> Fence {
        Fence { key: self.key(), number: self.number, ended: self.ended.clone() }
    }

    /// An erasure also records the state of the journal.
    fn owner(&self) -> Owner {
        if self.lane == Lane::ERASE { Owner::with_store(self.account) } else { self.account.into() }
    }

    /// Runs `work` in a write transaction of this job, as [`Store::write`] does. A job changes nothing in any
    /// other way, so that a late holder's writes are refused.
    ///
    /// # Errors
    /// [`LeaseLost`] when another worker holds the job: `work` did not run then. Otherwise the error of `work` or of
    /// the store.
    pub async fn write<T, E, F>(&self, store: &Store, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreFault> + From<LeaseLost> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        let fence = self.fence();
        let written = store.write_of_job(self.owner(), move |tx| {
            fence.load_wake_count::<E>(tx)?;
            work(tx)
        });
        written.await
    }

    /// Runs `work` in what may be the last transaction of this job: `Some` ends the job with it, `None` does not. A job
    /// that got a new reason to run in this moment is given back instead of ended.
    ///
    /// # Errors
    /// As [`Lease::write`].
    pub async fn write_last<T, E, F>(&self, store: &Store, work: F) -> Result<Option<T>, E>
    where
        T: Send + 'static,
        E: From<StoreFault> + From<LeaseLost> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<Option<T>, E> + Send + 'static,
    {
        let fence = self.fence();
        let written = store.write_of_job(self.owner(), move |tx| {
            let wake = fence.load_wake_count::<E>(tx)?;
            let last = work(tx)?;
            if last.is_some() {
                fence.end(tx, wake)?;
            }
            Ok(last)
        });
        written.await
    }

    /// Runs `work` on a consistent view of the store in which the lease is held.
    ///
    /// # Errors
    /// As [`Lease::write`].
    pub async fn read<T, E, F>(&self, store: &Store, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreFault> + From<LeaseLost> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        let fence = self.fence();
        let read = store.read(move |tx| {
            fence.load_wake_count::<E>(tx)?;
            work(tx)
        });
        read.await
    }
}
