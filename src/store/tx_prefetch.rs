//! A transaction's questions asked ahead, and its writes put off.

use std::collections::HashSet;

use super::fault::StoreFault;
use super::prefetch::{Args, DeferredInsert, bytes_of, key_of};
use super::statement::{Arg, SqlValue, Statement};
use super::tx::Tx;

impl Tx<'_> {
    /// Asks once, for many rows, a question that this unit of work will ask for each; `args` gives the arguments for a
    /// row.
    ///
    /// # Errors
    /// When the store fails.
    pub fn prefetch<'a, T>(
        &mut self,
        statement: &'static Statement,
        rows: &'a [T],
        args: impl Fn(&'a T) -> Vec<Arg<'a>>,
    ) -> Result<(), StoreFault> {
        if !self.connection.is_far() || rows.is_empty() {
            return Ok(());
        }
        self.flush()?;
        let mut seen = HashSet::new();
        let questions = rows.iter().map(args).filter(|args| seen.insert(bytes_of(args.iter().copied())));
        let questions: Vec<Args> =
            questions.map(|args| args.iter().map(|arg| SqlValue::from(*arg)).collect()).collect();
        let answers = self.connection.query_many(statement, &questions);
        let answers = self.record_outcome(statement, answers)?;
        self.ahead.learn(statement, questions, answers);
        Ok(())
    }

    /// Runs an INSERT whose outcome the caller does not need, at the latest at the end of the transaction.
    ///
    /// # Errors
    /// When the store fails; perhaps because of another statement that was put off.
    pub fn defer(&mut self, statement: &'static Statement, args: &[Arg<'_>]) -> Result<(), StoreFault> {
        self.put_off(statement, args, false)
    }

    /// As [`Tx::defer`], for an INSERT that changes nothing the second time: it is left out while one
    /// for the same row waits.
    ///
    /// # Errors
    /// As [`Tx::defer`].
    pub fn exec_once(&mut self, statement: &'static Statement, args: &[Arg<'_>]) -> Result<(), StoreFault> {
        self.put_off(statement, args, true)
    }

    fn put_off(
        &mut self,
        statement: &'static Statement,
        args: &[Arg<'_>],
        is_once: bool,
    ) -> Result<(), StoreFault> {
        if !self.connection.is_far() {
            return self.exec(statement, args).map(drop);
        }
        let write = self.ahead.write_of(statement);
        let Some(unique) = &write.unique else { return self.exec(statement, args).map(drop) };
        self.wrote = true;
        self.ahead.forget(statement, args);
        let key = key_of(unique, args);
        if is_once && self.ahead.waits(statement, key.as_deref()) {
            return Ok(());
        }
        let disturbs = self.ahead.conflicts_with(statement, args, key.as_deref());
        if disturbs || self.ahead.is_full() {
            self.flush()?;
        }
        self.ahead.put_off(statement, args, key);
        Ok(())
    }

    /// Runs a statement that writes, once for each of many rows. No two lists of arguments may be about the
    /// same row of the database, unless the statement removes it.
    ///
    /// # Errors
    /// When the store fails.
    pub fn exec_many<'a, T>(
        &mut self,
        statement: &'static Statement,
        rows: &'a [T],
        args: impl Fn(&'a T) -> Vec<Arg<'a>>,
    ) -> Result<(), StoreFault> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut many: Vec<Args> = Vec::with_capacity(rows.len());
        for args in rows.iter().map(args) {
            self.ready(statement, &args)?;
            many.push(args.into_iter().map(SqlValue::from).collect());
        }
        let ran = self.connection.execute_many(statement, &many);
        self.record_outcome(statement, ran)
    }

    /// Returns true if asking ahead is worth preparing: it is not where a question costs little.
    #[must_use]
    pub fn asks_ahead(&self) -> bool {
        self.connection.is_far()
    }

    /// Runs the deferred writes.
    pub(super) fn flush(&mut self) -> Result<(), StoreFault> {
        for DeferredInsert { statement, rows, .. } in self.ahead.take_deferred() {
            let ran = self.connection.execute_many(statement, &rows);
            self.record_outcome(statement, ran)?;
        }
        Ok(())
    }
}
