//! Client of a PostgreSQL connection: statements for one row and for many, and the counters of taken accounts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};

use super::account_counts::AccountCounts;
use super::batched_sql::{Insert, change_many, select_many};
use super::connection::{SqlConnection, args_of};
use super::fault::StoreFault;
use super::owner::Owner;
use super::postgres_error::fault_of;
use super::postgres_values::{columns, read_row};
use super::prefetch::Args;
use super::row::{ColumnNames, Row};
use super::statement::{Arg, SqlValue, Statement};

const TAKE_ACCOUNTS: &str = include_str!("../../sql/postgres/accounts_take.sql");
const TAKE_STORE: &str = include_str!("../../sql/postgres/store_take.sql");
const PUT_COUNTERS: &str = include_str!("../../sql/postgres/counters_put.sql");

/// The counters of an account whose row is taken.
#[derive(Clone, Copy)]
pub(super) struct AccountCounter {
    pub(super) stored: AccountCounts,
    pub(super) now: AccountCounts,
}

/// A connection with its prepared statements and counters.
pub(super) struct PostgresClient {
    pub(super) client: postgres::Client,
    prepared: HashMap<&'static str, postgres::Statement>,
    /// Statements for many rows, by the text for one.
    prepared_many: HashMap<&'static str, postgres::Statement>,
    /// Names of the columns of their answers.
    named: HashMap<&'static str, ColumnNames>,
    /// Counters of the accounts whose rows this transaction has taken.
    pub(super) counters: BTreeMap<i64, AccountCounter>,
}

/// Names of the types of a statement's arguments.
fn types_of(statement: &postgres::Statement) -> Vec<&str> {
    statement.params().iter().map(Type::name).collect()
}

impl PostgresClient {
    pub(super) fn new(client: postgres::Client) -> Self {
        Self {
            client,
            prepared: HashMap::new(),
            prepared_many: HashMap::new(),
            named: HashMap::new(),
            counters: BTreeMap::new(),
        }
    }

    fn prepare_cached(&mut self, text: &'static str) -> Result<postgres::Statement, postgres::Error> {
        if let Some(known) = self.prepared.get(text) {
            return Ok(known.clone());
        }
        let prepared = self.client.prepare(text)?;
        self.prepared.insert(text, prepared.clone());
        Ok(prepared)
    }

    fn column_names(&mut self, text: &'static str, columns: &[postgres::Column]) -> ColumnNames {
        let names = || columns.iter().map(|column| Box::from(column.name())).collect();
        self.named.entry(text).or_insert_with(names).clone()
    }

    /// A statement for many rows, its text made from that for one and the types of its arguments.
    fn prepared_many(
        &mut self,
        text: &'static str,
        make: impl FnOnce(&[&str]) -> String,
    ) -> Result<postgres::Statement, postgres::Error> {
        if let Some(known) = self.prepared_many.get(text) {
            return Ok(known.clone());
        }
        let single = self.prepare_cached(text)?;
        let prepared = self.client.prepare(&make(&types_of(&single)))?;
        self.prepared_many.insert(text, prepared.clone());
        Ok(prepared)
    }

    fn rows_of_many(
        &mut self,
        statement: &Statement,
        many: &[Args],
    ) -> Result<Vec<Vec<Row>>, postgres::Error> {
        let prepared =
            self.prepared_many(statement.postgres(), |types| select_many(statement.postgres(), types))?;
        let columns = columns(&prepared, many);
        let columns: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| &**column).collect();
        // The place of the list stands in front.
        let named = self.column_names(statement.postgres(), &prepared.columns()[1..]);
        let mut answers: Vec<Vec<Row>> = Vec::new();
        answers.resize_with(many.len(), Vec::new);
        for row in self.client.query(&prepared, &columns)? {
            let mut row = read_row(statement.name, &row, &named)?;
            let place = match row.values.remove(0) {
                SqlValue::Int(place) => usize::try_from(place - 1).ok(),
                _ => None,
            };
            if let Some(answer) = place.and_then(|place| answers.get_mut(place)) {
                answer.push(row);
            }
        }
        Ok(answers)
    }

    /// Runs a statement that writes once for all these rows; `None` when it has no such text.
    fn execute_all(&mut self, statement: &Statement, many: &[Args]) -> Result<Option<()>, postgres::Error> {
        let text = statement.postgres();
        let prepared = match Insert::parse(text) {
            Some(insert) => self.prepared_many(text, |types| insert.many(types))?,
            None => {
                let single = self.prepare_cached(text)?;
                let Some(many) = change_many(text, &types_of(&single)) else { return Ok(None) };
                // Planned each time: a plan made while the table was small goes through all of its rows.
                self.client.prepare(&many)?
            }
        };
        let columns = columns(&prepared, many);
        let columns: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| &**column).collect();
        self.client.execute(&prepared, &columns)?;
        Ok(Some(()))
    }

    /// Takes the rows of these owners.
    pub(super) fn lock_accounts(&mut self, owners: &[Owner]) -> Result<(), postgres::Error> {
        self.counters.clear();
        let accounts: Vec<i64> =
            owners.iter().filter_map(|owner| owner.account).collect::<BTreeSet<_>>().into_iter().collect();
        if !accounts.is_empty() {
            let prepared = self.prepare_cached(TAKE_ACCOUNTS)?;
            for row in self.client.query(&prepared, &[&accounts])? {
                let [seq, feeds, deltas] = [row.try_get(1)?, row.try_get(2)?, row.try_get(3)?];
                let stored = AccountCounts { seq, feeds, deltas };
                self.counters.insert(row.try_get(0)?, AccountCounter { stored, now: stored });
            }
        }
        if owners.iter().any(|owner| owner.store) {
            let prepared = self.prepare_cached(TAKE_STORE)?;
            self.client.execute(&prepared, &[])?;
        }
        Ok(())
    }

    /// Writes the counters down that were counted up.
    pub(super) fn put_counters(&mut self) -> Result<(), postgres::Error> {
        let counted = self.counters.iter().filter(|(_, counter)| counter.now != counter.stored);
        let counted: Vec<(i64, AccountCounts)> = counted.map(|(id, counter)| (*id, counter.now)).collect();
        if counted.is_empty() {
            return Ok(());
        }
        let ids: Vec<i64> = counted.iter().map(|(id, _)| *id).collect();
        let seqs: Vec<i64> = counted.iter().map(|(_, counts)| counts.seq).collect();
        let feeds: Vec<i64> = counted.iter().map(|(_, counts)| counts.feeds).collect();
        let deltas: Vec<i64> = counted.iter().map(|(_, counts)| counts.deltas).collect();
        let prepared = self.prepare_cached(PUT_COUNTERS)?;
        self.client.execute(&prepared, &[&ids, &seqs, &feeds, &deltas]).map(drop)
    }
}

impl SqlConnection for PostgresClient {
    fn query_each(
        &mut self,
        statement: &Statement,
        args: &[Arg<'_>],
        each: &mut dyn FnMut(Row) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        let refused = |error: postgres::Error| fault_of(statement.name, &error);
        let prepared = self.prepare_cached(statement.postgres()).map_err(refused)?;
        let named = self.column_names(statement.postgres(), prepared.columns());
        let mut rows = self.client.query_raw(&prepared, args).map_err(refused)?;
        while let Some(row) = rows.next().map_err(refused)? {
            each(read_row(statement.name, &row, &named).map_err(refused)?)?;
        }
        Ok(())
    }

    fn execute(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<u64, StoreFault> {
        let prepared = self.prepare_cached(statement.postgres()).map_err(|e| fault_of(statement.name, &e))?;
        let args: Vec<&(dyn ToSql + Sync)> = args.iter().map(|arg| arg as &(dyn ToSql + Sync)).collect();
        self.client.execute(&prepared, &args).map_err(|e| fault_of(statement.name, &e))
    }

    fn count_up(&mut self, account: i64, step: AccountCounts) -> Option<AccountCounts> {
        let counter = self.counters.get_mut(&account)?;
        counter.now += step;
        Some(counter.now)
    }

    fn is_far(&self) -> bool {
        true
    }

    fn query_many(&mut self, statement: &Statement, many: &[Args]) -> Result<Vec<Vec<Row>>, StoreFault> {
        self.rows_of_many(statement, many).map_err(|e| fault_of(statement.name, &e))
    }

    fn execute_many(&mut self, statement: &Statement, many: &[Args]) -> Result<(), StoreFault> {
        let together = match many {
            [_, _, ..] => self.execute_all(statement, many).map_err(|e| fault_of(statement.name, &e))?,
            _ => None,
        };
        match together {
            Some(()) => Ok(()),
            None => many.iter().try_for_each(|args| self.execute(statement, &args_of(args)).map(drop)),
        }
    }
}
