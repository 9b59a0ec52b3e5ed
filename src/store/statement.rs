//! Statements, their arguments and rows, and the transaction they run in.

use super::connection::SqlConnection;
use super::fault::StoreFault;
use super::prefetch::Ahead;
use super::row::Row;

/// One statement of SQL: the text for either engine, usually the same.
pub struct Statement {
    /// `noun_verb`, as the file is called.
    pub name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
    /// True if it can change anything.
    writes: bool,
}

impl Statement {
    /// A statement with its text for SQLite and for PostgreSQL.
    #[must_use]
    pub const fn new(name: &'static str, sqlite: &'static str, postgres: &'static str) -> Self {
        Self { name, sqlite, postgres, writes: writes(sqlite) }
    }

    /// Text for SQLite.
    #[must_use]
    pub fn sqlite(&self) -> &'static str {
        self.sqlite
    }

    /// Text for PostgreSQL.
    #[must_use]
    pub fn postgres(&self) -> &'static str {
        self.postgres
    }
}

/// Returns true if the first word of a statement, after its comments, is another than SELECT.
const fn writes(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let [b'-', ..] = rest {
        while let [first, tail @ ..] = rest {
            rest = tail;
            if *first == b'\n' {
                break;
            }
        }
    }
    !matches!(rest, [b'S', b'E', b'L', b'E', b'C', b'T', ..])
}

/// Declares statements from `sql/common/NAME.sql`, or from the pair in `sql/sqlite` and `sql/postgres`, and a list of
/// all, so that a test can prepare each one on both engines.
macro_rules! statements {
    (common { $($common:ident)* } pairs { $($pair:ident)* }) => {
        $(#[doc = concat!("`sql/common/", stringify!($common), ".sql`")]
        #[expect(non_upper_case_globals, reason = "a statement is called as its file")]
        pub const $common: Statement = Statement::new(
            stringify!($common),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/common/", stringify!($common), ".sql")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/common/", stringify!($common), ".sql")),
        );)*
        $(#[doc = concat!("`sql/sqlite/", stringify!($pair), ".sql` and its twin")]
        #[expect(non_upper_case_globals, reason = "a statement is called as its file")]
        pub const $pair: Statement = Statement::new(
            stringify!($pair),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/sqlite/", stringify!($pair), ".sql")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/postgres/", stringify!($pair), ".sql")),
        );)*
        /// Every statement of the program.
        pub const ALL: &[&Statement] = &[$(&$common,)* $(&$pair,)*];
    };
}
pub(crate) use statements;

/// One argument of a statement; nulls are typed because PostgreSQL asks for it.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    /// A 64-bit integer or null.
    Int(Option<i64>),
    /// A text or null.
    Text(Option<&'a str>),
    /// Bytes or null.
    Blob(Option<&'a [u8]>),
}

/// The driver of PostgreSQL asks for it; a value is never shown.
impl std::fmt::Debug for Arg<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("argument")
    }
}

impl From<i64> for Arg<'_> {
    fn from(value: i64) -> Self {
        Self::Int(Some(value))
    }
}
impl From<Option<i64>> for Arg<'_> {
    fn from(value: Option<i64>) -> Self {
        Self::Int(value)
    }
}
impl<'a> From<&'a str> for Arg<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Some(value))
    }
}
impl<'a> From<Option<&'a str>> for Arg<'a> {
    fn from(value: Option<&'a str>) -> Self {
        Self::Text(value)
    }
}
impl<'a> From<&'a [u8]> for Arg<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Blob(Some(value))
    }
}
impl<'a, const N: usize> From<&'a [u8; N]> for Arg<'a> {
    fn from(value: &'a [u8; N]) -> Self {
        Self::Blob(Some(value))
    }
}
impl<'a> From<Option<&'a [u8]>> for Arg<'a> {
    fn from(value: Option<&'a [u8]>) -> Self {
        Self::Blob(value)
    }
}

/// Arguments of a statement, each turned into an [`Arg`].
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => { &[$($crate::store::Arg::from($value)),*] };
}

/// A value as it came out of the store.
#[derive(Clone)]
pub(super) enum SqlValue {
    Null,
    Int(i64),
    Text(String),
    Blob(Vec<u8>),
}

impl SqlValue {
    /// The same as an argument; a null is one of any type.
    pub(super) fn arg(&self) -> Arg<'_> {
        match self {
            Self::Null => Arg::Int(None),
            Self::Int(value) => Arg::Int(Some(*value)),
            Self::Text(value) => Arg::Text(Some(value)),
            Self::Blob(value) => Arg::Blob(Some(value)),
        }
    }
}

impl From<Arg<'_>> for SqlValue {
    fn from(arg: Arg<'_>) -> Self {
        match arg {
            Arg::Int(Some(value)) => Self::Int(value),
            Arg::Text(Some(value)) => Self::Text(value.to_owned()),
            Arg::Blob(Some(value)) => Self::Blob(value.to_vec()),
            Arg::Int(None) | Arg::Text(None) | Arg::Blob(None) => Self::Null,
        }
    }
}

/// A running transaction.
pub struct Tx<'a> {
    pub(super) connection: &'a mut dyn SqlConnection,
    /// Questions asked ahead, and writes put off.
    pub(super) ahead: Ahead,
    /// True if other units of work share the transaction: deferred writes then wait for the end of all.
    is_shared: bool,
    pub(super) wrote: bool,
    failed: bool,
    /// The first fault after which the engine has to run the batch again, whatever the closure did with it.
    rerun: Option<StoreFault>,
}

impl<'a> Tx<'a> {
    pub(super) fn new(connection: &'a mut dyn SqlConnection) -> Self {
        Self::join_transaction(connection, Ahead::default(), false)
    }

    /// A unit of work in a transaction, with the writes deferred in it before.
    pub(super) fn join_transaction(
        connection: &'a mut dyn SqlConnection,
        ahead: Ahead,
        is_shared: bool,
    ) -> Self {
        Self { connection, ahead, is_shared, wrote: false, failed: false, rerun: None }
    }

    /// The unit of work has run. None of its writes waits, unless others share its transaction.
    pub(super) fn end_unit(&mut self) -> Result<(), StoreFault> {
        if self.is_shared { Ok(()) } else { self.flush() }
    }

    /// Returns the writes that are still deferred.
    pub(super) fn into_ahead(self) -> Ahead {
        self.ahead
    }

    /// The next number of a counter that `next` counts up in the row of an account. Where the engine holds
    /// that row, counts in memory and writes the row once at the end.
    ///
    /// # Errors
    /// When the store fails.
    pub fn count_up(&mut self, next: &Statement, account: i64) -> Result<Option<i64>, StoreFault> {
        if let Some(number) = self.connection.count_up(account) {
            self.wrote = true;
            return Ok(Some(number));
        }
        self.row(next, args![account])?.map(|row| row.int("seq")).transpose()
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
        self.failed |= answer.is_err();
        if let Err(fault) = &answer
            && fault.reruns_batch()
        {
            self.rerun.get_or_insert_with(|| fault.clone());
        }
        answer
    }

    /// Returns true if a statement ran that writes.
    pub(super) fn has_written(&self) -> bool {
        self.wrote
    }

    /// Returns true if a statement failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    pub(super) fn rerun(&self) -> Option<&StoreFault> {
        self.rerun.as_ref()
    }
}
