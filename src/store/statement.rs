//! Statements, their arguments and rows, and the transaction they run in.

/// One statement of SQL: the text for either engine, usually the same.
pub struct Statement {
    /// `noun_verb`, as the file is called.
    pub name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
    /// True if it can change anything.
    pub(super) writes: bool,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_shows_no_value() {
        let shown =
            [Arg::from(4711), Arg::from("secret"), Arg::from(&b"secret"[..])].map(|arg| format!("{arg:?}"));
        assert_eq!(shown, ["argument"; 3]);
    }

    #[test]
    fn a_statement_writes_unless_it_begins_with_select_behind_its_comments() {
        let writes = |text| Statement::new("s", text, "").writes;
        assert!(!writes("SELECT 1") && !writes("-- DELETE\n-- INSERT\nSELECT 1"));
        assert!(writes("-- SELECT\nDELETE FROM t") && writes("WITH a AS (SELECT 1) INSERT INTO t SELECT 1"));
    }
}
