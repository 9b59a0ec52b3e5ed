//! Many runs of one statement at a time, for an engine to which every run is a journey.
//!
//! A unit of work that does the same for many rows asks its questions for all rows ahead, and puts off its writes. It
//! then runs as if it knew nothing of either: a question that was asked ahead has its answer; any other is asked when
//! it comes, after the writes that were put off. An answer that a write may have changed is forgotten. So the result
//! for many rows together is the same as for one after the other. On the embedded engine a run is a function call, and
//! nothing is asked ahead or put off.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::batched_sql::{Insert, words, written_table};
use super::row::Row;
use super::statement::{Arg, SqlValue, Statement};

/// Longest value by which rows are told apart; longer values are content, such as a sealed record.
const KEY_BYTES: usize = 64;
/// Writes that are put off at most, and their bytes.
const PUT_OFF_ROWS: usize = 4096;
const PUT_OFF_BYTES: usize = 1024 * 1024;

/// Arguments of a run that comes later.
pub(super) type Args = Vec<SqlValue>;

/// Questions asked ahead, and writes put off.
#[derive(Default)]
pub(super) struct Prefetch {
    asked: Vec<StatementAnswers>,
    put_off: Vec<DeferredInsert>,
    rows: usize,
    bytes: usize,
    writes: HashMap<&'static str, Rc<Write>>,
}

/// Facts about a statement that writes.
pub(super) struct Write {
    table: &'static str,
    /// For an INSERT that can be put off: the arguments that are unique together.
    pub(super) unique: Option<Vec<usize>>,
}

/// The answers of one statement that reads.
struct StatementAnswers {
    name: &'static str,
    /// Names of tables among them.
    words: HashSet<&'static str>,
    /// By the arguments.
    answers: HashMap<Vec<u8>, Vec<Row>>,
    /// The arguments of all answers that have to do with a value: it is among the arguments or in the rows.
    by_value: HashMap<Vec<u8>, Vec<Vec<u8>>>,
}

/// Runs of one INSERT that are put off.
pub(super) struct DeferredInsert {
    pub(super) statement: &'static Statement,
    pub(super) rows: Vec<Args>,
    /// Unique key of each row: two equal ones in one run would be refused.
    keys: HashSet<Vec<u8>>,
    /// Values in the rows, without their contents.
    values: HashSet<Vec<u8>>,
}

impl Prefetch {
    pub(super) fn learn(
        &mut self,
        statement: &'static Statement,
        questions: Vec<Args>,
        answers: Vec<Vec<Row>>,
    ) {
        self.asked.retain(|asked| asked.name != statement.name);
        let name = statement.name;
        let words = words(statement.postgres());
        let mut asked = StatementAnswers { name, words, answers: HashMap::new(), by_value: HashMap::new() };
        for (question, rows) in questions.iter().zip(answers) {
            let key = bytes_of(question.iter().map(SqlValue::arg));
            let told = rows.iter().flat_map(|row| &row.values);
            for value in question.iter().chain(told).filter_map(|value| name_of(value.arg())) {
                asked.by_value.entry(value.to_vec()).or_default().push(key.clone());
            }
            asked.answers.insert(key, rows);
        }
        self.asked.push(asked);
    }

    /// Finds the rows that were answered ahead.
    pub(super) fn prefetched_rows(&self, statement: &Statement, args: &[Arg<'_>]) -> Option<Vec<Row>> {
        let asked = self.asked.iter().find(|asked| asked.name == statement.name)?;
        asked.answers.get(&bytes_of(args.iter().copied())).cloned()
    }

    /// Forgets the answers that a write may have changed: of those that read its table, after an INSERT all that share
    /// a value with the new row, and after any other write all.
    pub(super) fn forget(&mut self, statement: &Statement, args: &[Arg<'_>]) {
        if self.asked.is_empty() {
            return;
        }
        let write = self.write_of(statement);
        for asked in self.asked.iter_mut().filter(|asked| asked.words.contains(write.table)) {
            if write.unique.is_none() {
                asked.answers.clear();
                continue;
            }
            for key in args.iter().filter_map(|arg| asked.by_value.get(name_of(*arg)?)).flatten() {
                asked.answers.remove(key);
            }
        }
    }

    pub(super) fn write_of(&mut self, statement: &Statement) -> Rc<Write> {
        let text = statement.postgres();
        let make = || {
            let unique = Insert::parse(text).map(|insert| insert.unique);
            Rc::new(Write { table: written_table(text).unwrap_or_default(), unique })
        };
        self.writes.entry(statement.name).or_insert_with(make).clone()
    }

    /// Returns true if no more should be put off, to limit the memory.
    pub(super) fn is_full(&self) -> bool {
        self.rows >= PUT_OFF_ROWS || self.bytes >= PUT_OFF_BYTES
    }

    /// Returns true if a write of the same row waits.
    pub(super) fn waits(&self, statement: &Statement, key: Option<&[u8]>) -> bool {
        let group = self.put_off.iter().find(|group| group.statement.name == statement.name);
        group.zip(key).is_some_and(|(group, key)| group.keys.contains(key))
    }

    /// A unit of work has ended: the next one asks for itself.
    pub(super) fn forget_answers(&mut self) {
        self.asked.clear();
    }

    /// Returns true if a write has to wait for the writes that are put off: it writes the same row as one, or shares a
    /// value with a statement that comes later there.
    pub(super) fn conflicts_with(&self, statement: &Statement, args: &[Arg<'_>], key: Option<&[u8]>) -> bool {
        let Some(place) = self.put_off.iter().position(|group| group.statement.name == statement.name) else {
            return false;
        };
        let mut names = args.iter().filter_map(|arg| name_of(*arg));
        key.is_some_and(|key| self.put_off[place].keys.contains(key))
            || names.any(|name| self.put_off[place + 1..].iter().any(|later| later.values.contains(name)))
    }

    pub(super) fn put_off(&mut self, statement: &'static Statement, args: &[Arg<'_>], key: Option<Vec<u8>>) {
        let known = self.put_off.iter().position(|group| group.statement.name == statement.name);
        let place = known.unwrap_or_else(|| {
            let (rows, keys, values) = Default::default();
            self.put_off.push(DeferredInsert { statement, rows, keys, values });
            self.put_off.len() - 1
        });
        let group = &mut self.put_off[place];
        group.keys.extend(key);
        group.values.extend(args.iter().filter_map(|arg| name_of(*arg)).map(<[u8]>::to_vec));
        group.rows.push(args.iter().map(|arg| SqlValue::from(*arg)).collect());
        self.rows += 1;
        self.bytes += args.iter().copied().map(bytes_in).sum::<usize>();
    }

    pub(super) fn take_deferred(&mut self) -> Vec<DeferredInsert> {
        (self.rows, self.bytes) = (0, 0);
        std::mem::take(&mut self.put_off)
    }
}

/// The bytes by which a row is told from others, if the value is such: a tag or an id.
fn name_of<'a>(arg: Arg<'a>) -> Option<&'a [u8]> {
    match arg {
        Arg::Blob(Some(bytes)) if bytes.len() <= KEY_BYTES => Some(bytes),
        _ => None,
    }
}

fn bytes_in(arg: Arg<'_>) -> usize {
    match arg {
        Arg::Int(_) => 8,
        Arg::Text(text) => text.map_or(0, str::len),
        Arg::Blob(bytes) => bytes.map_or(0, <[u8]>::len),
    }
}

/// The arguments at these places; `None` when there are none.
pub(super) fn key_of(places: &[usize], args: &[Arg<'_>]) -> Option<Vec<u8>> {
    let key: Vec<_> = places.iter().filter_map(|place| args.get(*place).copied()).collect();
    (!key.is_empty()).then(|| bytes_of(key))
}

/// Arguments as bytes that no other arguments have.
pub(super) fn bytes_of<'a>(args: impl IntoIterator<Item = Arg<'a>>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(32);
    for arg in args {
        let number;
        let (kind, content): (u8, &[u8]) = match arg {
            Arg::Int(Some(value)) => {
                number = value.to_le_bytes();
                (1, &number)
            }
            Arg::Text(Some(value)) => (2, value.as_bytes()),
            Arg::Blob(Some(value)) => (3, value),
            Arg::Int(None) | Arg::Text(None) | Arg::Blob(None) => (0, &[]),
        };
        bytes.push(kind);
        bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
        bytes.extend_from_slice(content);
    }
    bytes
}

#[cfg(test)]
#[path = "prefetch_tests.rs"]
mod tests;
