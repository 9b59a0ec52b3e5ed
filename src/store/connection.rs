//! The connection that a transaction runs on, for either engine.

use super::account_counts::AccountCounts;
use super::fault::StoreFault;
use super::prefetch::Args;
use super::row::Row;
use super::statement::{Arg, SqlValue, Statement};

/// Connection on which a transaction runs.
pub(super) trait SqlConnection {
    /// Runs a statement; hands its rows over one by one, as they come.
    fn query_each(
        &mut self,
        statement: &Statement,
        args: &[Arg<'_>],
        each: &mut dyn FnMut(Row) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault>;
    /// Runs a statement; gives the number of rows it touched.
    fn execute(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<u64, StoreFault>;

    /// Runs a statement; gives its rows.
    fn query(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreFault> {
        let mut rows = Vec::new();
        self.query_each(statement, args, &mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Counts the counters of an account up whose row this transaction has locked; `None`: it has not.
    fn count_up(&mut self, account: i64, step: AccountCounts) -> Option<AccountCounts> {
        let _ = (account, step);
        None
    }

    /// Returns true if every run is a journey, so that many at a time are worth it.
    fn is_far(&self) -> bool {
        false
    }

    /// Runs a statement that reads with each of many lists of arguments; gives the rows of each.
    fn query_many(&mut self, statement: &Statement, many: &[Args]) -> Result<Vec<Vec<Row>>, StoreFault> {
        many.iter().map(|args| self.query(statement, &args_of(args))).collect()
    }

    /// Runs a statement that writes with each of many lists of arguments.
    fn execute_many(&mut self, statement: &Statement, many: &[Args]) -> Result<(), StoreFault> {
        many.iter().try_for_each(|args| self.execute(statement, &args_of(args)).map(drop))
    }
}

/// Values as arguments.
pub(super) fn args_of(values: &Args) -> Vec<Arg<'_>> {
    values.iter().map(SqlValue::arg).collect()
}
