//! The engine on PostgreSQL: threads that own a connection and take batches.
//!
//! A batch first takes the rows of all whose units are in it, in the order of their numbers, and keeps them to its end:
//! whoever writes the same account waits for that one row, and for nothing else (`docs/decisions/0024`). Each statement
//! behind it sees all that was committed before the row was taken (READ COMMITTED).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use postgres::error::SqlState;
use postgres::types::{ToSql, Type};

use super::acknowledged::{Acknowledged, Lost};
use super::batch::{read_loop, write_loop};
use super::engine::{Engine, Failed, Unit};
use super::fault::StoreFault;
use super::many::Args;
use super::many_text::{Insert, select_many};
use super::owner::Owner;
use super::postgres_address::PostgresAddress;
use super::postgres_connect::{self, Link};
use super::postgres_values::{columns, read_row};
use super::sqlite::spawn;
use super::statement::{Arg, Connection, Row, Statement, Value, args_of};

/// Writer connections, each with a part of the accounts. While one waits for the disk others work.
pub(super) const WRITERS: usize = 4;
/// Reader connections.
const READERS: usize = 2;

struct Postgres {
    link: Link,
    begin: &'static str,
    client: Option<Client>,
    /// When the connection was made, also after it ended.
    connected_at: Option<Instant>,
    /// Of a writer: what a new connection has to show.
    acknowledged: Option<Acknowledged>,
    /// The counters as they were at the last point to which the transaction can go back.
    marked: BTreeMap<i64, Counter>,
}

/// The counter of an account whose row is taken.
#[derive(Clone, Copy)]
struct Counter {
    stored: i64,
    now: i64,
}

struct Client {
    client: postgres::Client,
    prepared: HashMap<&'static str, postgres::Statement>,
    /// Those for many rows, by the text for one.
    prepared_many: HashMap<&'static str, postgres::Statement>,
    /// Those of the accounts whose rows this transaction has taken.
    counters: BTreeMap<i64, Counter>,
}

const TAKE_ACCOUNTS: &str = include_str!("../../sql/postgres/accounts_take.sql");
const TAKE_STORE: &str = include_str!("../../sql/postgres/store_take.sql");
const PUT_COUNTERS: &str = include_str!("../../sql/postgres/counters_put.sql");

/// Connects, migrates and starts the threads; gives what the database has lost of what was acknowledged.
pub(super) fn start(
    address: &PostgresAddress,
    writes: &[flume::Receiver<Box<dyn Unit>>],
    reads: &flume::Receiver<Box<dyn Unit>>,
    failed: &Arc<Failed>,
    acknowledged: &Acknowledged,
) -> Result<Option<Lost>, StoreFault> {
    let lost = acknowledged.accept(&mut postgres_connect::open(address)?)?;
    let link = Link::new(address);
    for number in 0..READERS {
        let mut reader = Postgres {
            link: link.clone(),
            begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            client: None,
            connected_at: None,
            acknowledged: None,
            marked: BTreeMap::new(),
        };
        let queue = reads.clone();
        spawn(format!("store-read-{number}"), move || read_loop(&mut reader, &queue))?;
    }
    for (number, queue) in writes.iter().cloned().enumerate() {
        // red: it::every_store::postgres::who_waits_for_an_account_sees_what_was_done_meanwhile
        let begin = mutant!(
            "a-batch-sees-one-moment",
            "BEGIN ISOLATION LEVEL READ COMMITTED",
            "BEGIN ISOLATION LEVEL REPEATABLE READ"
        );
        let mut writer = Postgres {
            link: link.clone(),
            begin,
            client: None,
            connected_at: None,
            acknowledged: Some(acknowledged.clone()),
            marked: BTreeMap::new(),
        };
        let failed = failed.clone();
        spawn(format!("store-write-{number}"), move || write_loop(&mut writer, &queue, &failed))?;
    }
    Ok(lost)
}

/// The database's code, or that there was none; never its message, which can quote values.
fn reason_of(error: &postgres::Error) -> String {
    match error.code() {
        Some(code) => format!("PostgreSQL code {}", code.code()),
        None => "the database cannot be reached or closed the connection".to_owned(),
    }
}

pub(super) fn fault_of(statement: &'static str, error: &postgres::Error) -> StoreFault {
    match error.code() {
        Some(code)
            if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED =>
        {
            StoreFault::Conflict
        }
        // Two transactions that insert the same key: the second one runs again and sees it.
        Some(code) if *code == SqlState::UNIQUE_VIOLATION => StoreFault::Conflict,
        Some(code) if *code == SqlState::DISK_FULL => StoreFault::DiskFull,
        Some(code)
            if *code == SqlState::ADMIN_SHUTDOWN
                || *code == SqlState::CRASH_SHUTDOWN
                || *code == SqlState::CANNOT_CONNECT_NOW =>
        {
            StoreFault::Disconnected
        }
        // It took writes when the connection was made.
        // red: it::postgres_connection::a_server_that_takes_no_writes_any_more_is_asked_again_until_one_does
        Some(code)
            if mutant!(
                "a-server-without-writes-is-kept",
                *code == SqlState::READ_ONLY_SQL_TRANSACTION,
                false
            ) =>
        {
            StoreFault::Disconnected
        }
        Some(_) => StoreFault::Refused { statement, code: reason_of(error) },
        None if error.is_closed() => StoreFault::Disconnected,
        None => StoreFault::Refused { statement, code: "the driver refused an argument".to_owned() },
    }
}

impl Client {
    fn prepared(&mut self, text: &'static str) -> Result<postgres::Statement, postgres::Error> {
        if let Some(known) = self.prepared.get(text) {
            return Ok(known.clone());
        }
        let prepared = self.client.prepare(text)?;
        self.prepared.insert(text, prepared.clone());
        Ok(prepared)
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
        let single = self.prepared(text)?;
        let types: Vec<_> = single.params().iter().map(Type::name).collect();
        let prepared = self.client.prepare(&make(&types))?;
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
        let mut answers: Vec<Vec<Row>> = Vec::new();
        answers.resize_with(many.len(), Vec::new);
        for row in self.client.query(&prepared, &columns)? {
            let mut row = read_row(statement.name, &row)?;
            // The place of the list stands in front.
            let place = match row.values.remove(0) {
                Value::Int(place) => usize::try_from(place - 1).ok(),
                _ => None,
            };
            if let Some(answer) = place.and_then(|place| answers.get_mut(place)) {
                answer.push(row);
            }
        }
        Ok(answers)
    }

    fn insert_all(
        &mut self,
        statement: &Statement,
        insert: &Insert<'_>,
        many: &[Args],
    ) -> Result<(), postgres::Error> {
        let prepared = self.prepared_many(statement.postgres(), |types| insert.many(types))?;
        let columns = columns(&prepared, many);
        let columns: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| &**column).collect();
        self.client.execute(&prepared, &columns).map(drop)
    }

    /// Takes the rows of these owners.
    fn take(&mut self, owners: &[Owner]) -> Result<(), postgres::Error> {
        self.counters.clear();
        let accounts: Vec<i64> =
            owners.iter().filter_map(|owner| owner.account).collect::<BTreeSet<_>>().into_iter().collect();
        // red: it::every_store::postgres::who_waits_for_an_account_sees_what_was_done_meanwhile
        // red: it::writers::the_end_of_a_job
        if mutant!("accounts-are-not-taken", !accounts.is_empty(), false) {
            let prepared = self.prepared(TAKE_ACCOUNTS)?;
            for row in self.client.query(&prepared, &[&accounts])? {
                let stored = row.try_get(1)?;
                self.counters.insert(row.try_get(0)?, Counter { stored, now: stored });
            }
        }
        if owners.iter().any(|owner| owner.store) {
            let prepared = self.prepared(TAKE_STORE)?;
            self.client.execute(&prepared, &[])?;
        }
        Ok(())
    }

    /// Writes the counters down that were counted up.
    fn put_counters(&mut self) -> Result<(), postgres::Error> {
        let counted = self.counters.iter().filter(|(_, counter)| counter.now != counter.stored);
        let (ids, seqs): (Vec<i64>, Vec<i64>) = counted.map(|(id, counter)| (*id, counter.now)).unzip();
        if ids.is_empty() {
            return Ok(());
        }
        let prepared = self.prepared(PUT_COUNTERS)?;
        self.client.execute(&prepared, &[&ids, &seqs]).map(drop)
    }

    fn rows(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, postgres::Error> {
        let prepared = self.prepared(statement.postgres())?;
        let args: Vec<&(dyn ToSql + Sync)> = args.iter().map(|arg| arg as &(dyn ToSql + Sync)).collect();
        let rows = self.client.query(&prepared, &args)?;
        rows.iter().map(|row| read_row(statement.name, row)).collect()
    }
}

impl Connection for Client {
    fn query(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreFault> {
        self.rows(statement, args).map_err(|e| fault_of(statement.name, &e))
    }

    fn execute(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<u64, StoreFault> {
        let prepared = self.prepared(statement.postgres()).map_err(|e| fault_of(statement.name, &e))?;
        let args: Vec<&(dyn ToSql + Sync)> = args.iter().map(|arg| arg as &(dyn ToSql + Sync)).collect();
        self.client.execute(&prepared, &args).map_err(|e| fault_of(statement.name, &e))
    }

    fn count_up(&mut self, account: i64) -> Option<i64> {
        let counter = self.counters.get_mut(&account)?;
        counter.now += 1;
        Some(counter.now)
    }

    fn is_far(&self) -> bool {
        true
    }

    fn query_many(&mut self, statement: &Statement, many: &[Args]) -> Result<Vec<Vec<Row>>, StoreFault> {
        self.rows_of_many(statement, many).map_err(|e| fault_of(statement.name, &e))
    }

    fn insert_many(&mut self, statement: &Statement, many: &[Args]) -> Result<(), StoreFault> {
        match Insert::of(statement.postgres()) {
            Some(insert) if many.len() > 1 => {
                self.insert_all(statement, &insert, many).map_err(|e| fault_of(statement.name, &e))
            }
            _ => many.iter().try_for_each(|args| self.execute(statement, &args_of(args)).map(drop)),
        }
    }
}

impl Postgres {
    /// Whether a new connection leads to a database that has everything that was acknowledged. One that has not is
    /// opened anew, and who was erased in what it lost is erased again, before anything is accepted there.
    fn check(&self, client: &mut postgres::Client) -> Result<(), StoreFault> {
        let lost = self.acknowledged.iter().find_map(|known| known.lost(client).transpose());
        match lost.transpose()? {
            Some(_) => Err(StoreFault::WentBack),
            None => Ok(()),
        }
    }

    fn note_counted(&self) {
        let (Some(known), Some(client)) = (&self.acknowledged, &self.client) else { return };
        let counted = client.counters.iter().filter(|(_, counter)| counter.now != counter.stored);
        known.note(counted.map(|(account, counter)| (*account, counter.now)));
    }
}

impl Engine for Postgres {
    fn begin(&mut self, owners: &[Owner]) -> Result<(), StoreFault> {
        if self.client.as_ref().is_none_or(|client| client.client.is_closed()) {
            self.client = None;
            let mut client = self.link.connect(self.connected_at.take())?;
            self.check(&mut client)?;
            self.connected_at = Some(Instant::now());
            self.client = Some(Client {
                client,
                prepared: HashMap::new(),
                prepared_many: HashMap::new(),
                counters: BTreeMap::new(),
            });
        }
        self.text(self.begin)?;
        let Some(client) = self.client.as_mut() else { return Err(StoreFault::Disconnected) };
        client.take(owners).map_err(|error| fault_of("take", &error))
    }

    fn text(&mut self, text: &'static str) -> Result<(), StoreFault> {
        let Some(client) = self.client.as_mut() else { return Err(StoreFault::Disconnected) };
        client.client.batch_execute(text).map_err(|e| fault_of(text, &e))
    }

    fn connection(&mut self) -> Result<&mut dyn Connection, StoreFault> {
        match &mut self.client {
            Some(client) => Ok(client),
            None => Err(StoreFault::Disconnected),
        }
    }

    /// A transaction stays until it is ended, if only to refuse all further statements.
    fn is_alive(&self) -> bool {
        true
    }

    fn is_alone(&self) -> bool {
        false
    }

    fn savepoint(&mut self) -> Result<(), StoreFault> {
        self.marked = self.client.as_ref().map(|client| client.counters.clone()).unwrap_or_default();
        self.text("SAVEPOINT unit")
    }

    fn undo(&mut self) -> Result<(), StoreFault> {
        self.text("ROLLBACK TO unit")?;
        if let Some(client) = self.client.as_mut() {
            // red: it::every_store::postgres::a_unit_that_is_undone_leaves_no_gap_in_its_counter
            let marked = std::mem::take(&mut self.marked);
            mutant!("an-undone-unit-has-counted", client.counters = marked, drop(marked));
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        let Some(client) = self.client.as_mut() else { return Err(StoreFault::Disconnected) };
        client.put_counters().map_err(|error| fault_of("count", &error))?;
        match self.text("COMMIT") {
            Ok(()) => {
                self.note_counted();
                Ok(())
            }
            // The server said what became of it: undone.
            Err(StoreFault::Conflict) => Err(StoreFault::Conflict),
            Err(StoreFault::DiskFull) => Err(StoreFault::DiskFull),
            Err(_) => Err(StoreFault::UnknownOutcome),
        }
    }

    fn rollback(&mut self) {
        if self.text("ROLLBACK").is_err() {
            self.client = None;
        }
    }

    fn leave(&mut self) {
        self.client = None;
    }
}
