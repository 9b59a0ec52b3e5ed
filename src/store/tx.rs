//! A transaction, in which statements run.

use super::account_counts::AccountCounts;
use super::connection::SqlConnection;
use super::fault::StoreFault;
use super::prefetch::Prefetch;
use super::row::Row;
use super::statement::{Arg, Statement};
use crate::args;

/// A running transaction.
pub struct Tx<'a> {
    pub(super) connection: &'a mut dyn SqlConnection,
    /// Questions asked ahead, and writes put off.
    pub(super) ahead: Prefetch,
    /// True if other units of work share the transaction: deferred writes then wait for the end of all.
    is_shared: bool,
    pub(super) wrote: bool,
    /// The first fault of a statement.
    fault: Option<StoreFault>,
    /// The first fault after which the engine has to run the batch again, whatever the closure did with it.
    rerun: Option<StoreFault>,
}

impl<'a> Tx<'a> {
    pub(super) fn new(connection: &'a mut dyn SqlConnection) -> Self {
        Self::join_transaction(connection, Prefetch::default(), false)
    }

    /// A unit of work in a transaction, with the writes deferred in it before.
    pub(super) fn join_transaction(
        connection: &'a mut dyn SqlConnection,
        ahead: Prefetch,
        is_shared: bool,
    ) -> Self {
        Self { connection, ahead, is_shared, wrote: false, fault: None, rerun: None }
    }

    /// The unit of work has run. None of its writes waits, unless others share its transaction.
    pub(super) fn end_unit(&mut self) -> Result<(), StoreFault> {
        if self.is_shared { Ok(()) } else { self.flush() }
    }

    /// Returns the writes that are still deferred.
    pub(super) fn into_ahead(self) -> Prefetch {
        self.ahead
    }

    /// The counters of an account after a step, by which `next` counts them up in its row. Where the engine holds
    /// that row, counts in memory and writes the row once at the end.
    ///
    /// # Errors
    /// When the store fails.
    pub fn count_up(
        &mut self,
        next: &Statement,
        account: i64,
        step: AccountCounts,
    ) -> Result<Option<AccountCounts>, StoreFault> {
        if let Some(counts) = self.connection.count_up(account, step) {
            self.wrote = true;
            return Ok(Some(counts));
        }
        let AccountCounts { seq, feeds, deltas } = step;
        let Some(row) = self.row(next, args![account, seq, feeds, deltas])? else { return Ok(None) };
        let counts =
            AccountCounts { seq: row.int("seq")?, feeds: row.int("feeds")?, deltas: row.int("deltas")? };
        Ok(Some(counts))
    }

    /// Runs a statement and returns all its rows.
    ///
    /// # Errors
    /// When the store fails; also because of a statement that was put off.
    pub fn run(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreFault> {
        if let Some(answer) = self.ahead.prefetched_rows(statement, args) {
            return Ok(answer);
        }
        self.ready(statement, args)?;
        let answer = self.connection.query(statement, args);
        self.record_outcome(statement, answer)
    }

    /// Runs a statement and calls `each` with its rows one by one, for answers that are too large to be held
    /// in memory.
    ///
    /// # Errors
    /// The error of `each`, which ends it, or that of the store.
    pub fn each_row(
        &mut self,
        statement: &Statement,
        args: &[Arg<'_>],
        each: &mut dyn FnMut(Row) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        self.ready(statement, args)?;
        let answer = self.connection.query_each(statement, args, each);
        self.record_outcome(statement, answer)
    }

    /// Before a statement runs: the writes that it may depend on have run, and the answers that it may change are
    /// dropped.
    pub(super) fn ready(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<(), StoreFault> {
        self.flush()?;
        if statement.writes {
            self.ahead.forget(statement, args);
        }
        Ok(())
    }

    /// Runs a statement that gives at most one row.
    ///
    /// # Errors
    /// As [`Tx::run`].
    pub fn row(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<Option<Row>, StoreFault> {
        Ok(self.run(statement, args)?.into_iter().next())
    }

    /// Runs a statement and returns the number of rows it touched.
    ///
    /// # Errors
    /// As [`Tx::run`].
    pub fn exec(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<u64, StoreFault> {
        self.ready(statement, args)?;
        let answer = self.connection.execute(statement, args);
        self.record_outcome(statement, answer)
    }

    pub(super) fn record_outcome<T>(
        &mut self,
        statement: &Statement,
        answer: Result<T, StoreFault>,
    ) -> Result<T, StoreFault> {
        tracing::trace!(statement = statement.name, "a statement ran");
        self.wrote |= statement.writes;
        if let Err(fault) = &answer {
            tracing::debug!(failed = statement.name, %fault, "a statement failed");
            self.fault.get_or_insert_with(|| fault.clone());
            if fault.reruns_batch() {
                self.rerun.get_or_insert_with(|| fault.clone());
            }
        }
        answer
    }

    /// Returns true if a statement ran that writes.
    pub(super) fn has_written(&self) -> bool {
        self.wrote
    }

    /// Returns the fault of the first statement that failed.
    pub(super) fn fault(&self) -> Option<&StoreFault> {
        self.fault.as_ref()
    }

    pub(super) fn rerun(&self) -> Option<&StoreFault> {
        self.rerun.as_ref()
    }
}
