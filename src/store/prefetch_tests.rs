//! Many argument lists of one statement at once give the same as one after the other.

use proptest::prelude::*;

use super::*;
use crate::args;
use crate::store::connection::{SqlConnection, args_of};
use crate::store::sqlite::Statements;
use crate::store::{StoreFault, Tx};

const MAKE: Statement = both("make", "CREATE TABLE kept (tag BLOB NOT NULL PRIMARY KEY, n INTEGER NOT NULL)");
const OTHER: Statement =
    both("other", "CREATE TABLE other (tag BLOB NOT NULL PRIMARY KEY, n INTEGER NOT NULL)");
const ADD: Statement = both("add", "INSERT INTO kept (tag, n) VALUES ($1, $2) ON CONFLICT (tag) DO NOTHING");
const PUT: Statement =
    both("put", "INSERT INTO kept (tag, n) VALUES ($1, $2) ON CONFLICT (tag) DO UPDATE SET n = excluded.n");
const NOTE: Statement =
    both("note", "INSERT INTO other (tag, n) VALUES ($1, $2) ON CONFLICT (tag) DO UPDATE SET n = excluded.n");
const RAISE: Statement = both("raise", "UPDATE kept SET n = n + $1 WHERE n < 3");
const DROP: Statement = both("drop", "DELETE FROM kept WHERE tag = $1");
const GET: Statement = both("get", "SELECT n FROM kept WHERE tag = $1");
const BOTH: Statement = both(
    "both",
    "SELECT kept.n, other.n FROM kept JOIN other ON other.tag = kept.tag WHERE kept.tag = $1 AND kept.n < $2",
);
const COUNT: Statement = both("count", "SELECT count(*), sum(n) FROM kept");

const fn both(name: &'static str, text: &'static str) -> Statement {
    Statement::new(name, text, text)
}

/// The embedded engine, a journey away; as PostgreSQL it refuses two of the same row in one INSERT.
struct Far {
    statements: Statements,
    is_far: bool,
    journeys: usize,
}

impl SqlConnection for Far {
    fn query_each(
        &mut self,
        statement: &Statement,
        args: &[Arg<'_>],
        each: &mut dyn FnMut(Row) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        self.journeys += 1;
        self.statements.query_each(statement, args, each)
    }

    fn execute(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<u64, StoreFault> {
        self.journeys += 1;
        self.statements.execute(statement, args)
    }

    fn is_far(&self) -> bool {
        self.is_far
    }

    fn query_many(&mut self, statement: &Statement, many: &[Args]) -> Result<Vec<Vec<Row>>, StoreFault> {
        self.journeys += 1;
        many.iter().map(|args| self.statements.query(statement, &args_of(args))).collect()
    }

    fn execute_many(&mut self, statement: &Statement, many: &[Args]) -> Result<(), StoreFault> {
        self.journeys += 1;
        let mut tags = HashSet::new();
        if !many.iter().all(|args| tags.insert(bytes_of([args[0].arg()]))) {
            return Err(StoreFault::Conflict);
        }
        many.iter().try_for_each(|args| self.statements.execute(statement, &args_of(args)).map(drop))
    }
}

fn far(is_far: bool) -> Far {
    let statements = Statements::new(rusqlite::Connection::open_in_memory().unwrap());
    let mut far = Far { statements, is_far, journeys: 0 };
    let mut tx = Tx::new(&mut far);
    tx.exec(&MAKE, args![]).unwrap();
    tx.exec(&OTHER, args![]).unwrap();
    far.journeys = 0;
    far
}

#[derive(Clone, Debug)]
enum Step {
    Ask(Vec<u8>),
    Get(u8),
    Both(u8),
    Add(u8, i64),
    Put(u8, i64),
    Note(u8, i64),
    PutNow(u8, i64),
    Drop(u8),
    Raise,
    Count,
}

fn step() -> impl Strategy<Value = Step> {
    let tag = 0..6_u8;
    let n = 0..5_i64;
    prop_oneof![
        proptest::collection::vec(tag.clone(), 1..6).prop_map(Step::Ask),
        tag.clone().prop_map(Step::Get),
        tag.clone().prop_map(Step::Both),
        (tag.clone(), n.clone()).prop_map(|(tag, n)| Step::Add(tag, n)),
        (tag.clone(), n.clone()).prop_map(|(tag, n)| Step::Put(tag, n)),
        (tag.clone(), n.clone()).prop_map(|(tag, n)| Step::Note(tag, n)),
        (tag.clone(), n).prop_map(|(tag, n)| Step::PutNow(tag, n)),
        tag.prop_map(Step::Drop),
        Just(Step::Raise),
        Just(Step::Count),
    ]
}

fn numbers(row: &Row) -> Vec<Option<i64>> {
    let number = |value: &SqlValue| if let SqlValue::Int(number) = value { Some(*number) } else { None };
    row.values.iter().map(number).collect()
}

/// All answers of a unit of work, and the rows after it.
fn answers(steps: &[Step], is_far: bool) -> Vec<Vec<Option<i64>>> {
    let mut far = far(is_far);
    let mut tx = Tx::new(&mut far);
    let mut told = Vec::new();
    for step in steps {
        let rows = match step {
            Step::Ask(tags) => {
                let tags: Vec<_> = tags.iter().map(|tag| [*tag]).collect();
                tx.prefetch(&GET, &tags, |tag| vec![tag.into()]).unwrap();
                tx.prefetch(&BOTH, &tags, |tag| vec![tag.into(), 4_i64.into()]).unwrap();
                continue;
            }
            Step::Get(tag) => tx.run(&GET, args![&[*tag]]).unwrap(),
            Step::Both(tag) => tx.run(&BOTH, args![&[*tag], 4]).unwrap(),
            Step::Count => tx.run(&COUNT, args![]).unwrap(),
            Step::Add(tag, n) => tx.defer(&ADD, args![&[*tag], *n]).map(|()| Vec::new()).unwrap(),
            Step::Put(tag, n) => tx.defer(&PUT, args![&[*tag], *n]).map(|()| Vec::new()).unwrap(),
            Step::Note(tag, n) => tx.defer(&NOTE, args![&[*tag], *n]).map(|()| Vec::new()).unwrap(),
            Step::PutNow(tag, n) => tx.exec(&PUT, args![&[*tag], *n]).map(|_| Vec::new()).unwrap(),
            Step::Drop(tag) => tx.exec(&DROP, args![&[*tag]]).map(|_| Vec::new()).unwrap(),
            Step::Raise => tx.exec(&RAISE, args![1]).map(|_| Vec::new()).unwrap(),
        };
        told.extend(rows.iter().map(numbers));
    }
    tx.flush().unwrap();
    let left = tx.run(&COUNT, args![]).unwrap();
    told.extend(left.iter().map(numbers));
    told
}

proptest! {
    #[test]
    fn what_happens_together_is_what_happens_one_by_one(steps in proptest::collection::vec(step(), 1..40)) {
        prop_assert_eq!(answers(&steps, true), answers(&steps, false));
    }
}

#[test]
fn an_answer_that_a_write_may_have_changed_is_forgotten() {
    for write in [Step::Put(1, 2), Step::PutNow(1, 2), Step::Drop(1), Step::Raise] {
        let steps = [Step::Put(1, 1), Step::Ask(vec![1]), write, Step::Get(1)];
        assert_eq!(answers(&steps, true), answers(&steps, false), "{steps:?}");
    }
}

#[test]
fn what_is_put_off_keeps_its_order() {
    for steps in [
        [Step::Put(1, 1), Step::Put(1, 2), Step::Get(1)],
        [Step::Put(2, 1), Step::Add(1, 3), Step::Put(1, 2)],
        [Step::Add(1, 1), Step::Put(1, 2), Step::Add(1, 3)],
    ] {
        assert_eq!(answers(&steps, true), answers(&steps, false), "{steps:?}");
    }
}

#[test]
fn many_rows_are_few_journeys() {
    let mut far = far(true);
    let mut tx = Tx::new(&mut far);
    let tags: Vec<_> = (0..100_u8).map(|tag| [tag]).collect();
    tx.prefetch(&GET, &tags, |tag| vec![tag.into()]).unwrap();
    for tag in &tags {
        assert!(tx.run(&GET, args![tag]).unwrap().is_empty());
        tx.defer(&PUT, args![tag, 1]).unwrap();
        tx.defer(&NOTE, args![tag, 1]).unwrap();
    }
    tx.flush().unwrap();
    assert_eq!(far.journeys, 3);
}

#[test]
fn a_write_waits_for_its_row_and_for_later_writes_that_share_a_value() {
    let mut ahead = Prefetch::default();
    let [row, shared, other] = [&b"the row"[..], b"a shared", b"another"].map(<[u8]>::to_vec);
    ahead.put_off(&ADD, args![&row[..], 1_i64], Some(row.clone()));
    ahead.put_off(&NOTE, args![&shared[..], 1_i64], Some(shared.clone()));
    let waits = |statement: &Statement, value: &[u8]| {
        ahead.conflicts_with(statement, args![value, 2_i64], Some(value))
    };
    assert!(waits(&ADD, &row), "the same row");
    assert!(waits(&ADD, &shared), "a value of a write that comes after it");
    assert!(!waits(&ADD, &other));
    assert!(!waits(&NOTE, &row), "a value of a write that comes before it");
    assert!(!waits(&PUT, &row), "no such write waits");
}

/// Puts off a write of these arguments.
fn put_off(ahead: &mut Prefetch, args: &[Arg<'_>]) {
    ahead.put_off(&ADD, args, None);
}

#[test]
fn writes_are_put_off_up_to_a_number_or_their_bytes() {
    let mut ahead = Prefetch::default();
    (1..PUT_OFF_ROWS).for_each(|_| put_off(&mut ahead, args![None::<i64>]));
    assert!(!ahead.is_full());
    put_off(&mut ahead, args![7]);
    assert!(ahead.is_full());
    let deferred = ahead.take_deferred();
    assert_eq!((deferred.len(), deferred[0].rows.len()), (1, PUT_OFF_ROWS));
    assert!(!ahead.is_full() && ahead.take_deferred().is_empty());
    let bytes = vec![7_u8; PUT_OFF_BYTES - 17];
    put_off(&mut ahead, args![None::<&str>, None::<&[u8]>, 7]);
    put_off(&mut ahead, args![&bytes[..], "eight by"]);
    assert!(!ahead.is_full(), "a byte is left");
    put_off(&mut ahead, args!["x"]);
    assert!(ahead.is_full());
    ahead.take_deferred();
    assert!(!ahead.is_full());
}

#[test]
fn rows_are_told_apart_by_values_that_are_no_content() {
    for (length, is_name) in [(KEY_BYTES, true), (KEY_BYTES + 1, false)] {
        let value = vec![7_u8; length];
        let mut ahead = Prefetch::default();
        put_off(&mut ahead, args![&b"the row"[..]]);
        ahead.put_off(&NOTE, args![&value[..], "text"], None);
        assert_eq!(ahead.conflicts_with(&ADD, args![&value[..]], None), is_name, "{length} bytes");
        assert!(!ahead.conflicts_with(&ADD, args!["text", 7], None), "no tag and no id");
    }
}

#[test]
fn other_arguments_have_other_bytes() {
    let seven = 7_i64.to_le_bytes();
    let lists: [&[Arg<'_>]; 10] = [
        args![],
        args![None::<i64>],
        args![7],
        args![8],
        args![std::str::from_utf8(&seven).unwrap()],
        args![&seven[..]],
        args![""],
        args!["a", "bc"],
        args!["ab", "c"],
        args!["abc"],
    ];
    let bytes: HashSet<_> = lists.iter().map(|list| bytes_of(list.iter().copied())).collect();
    assert_eq!(bytes.len(), lists.len());
    let nulls = [args![None::<i64>], args![None::<&str>], args![None::<&[u8]>]];
    let bytes: HashSet<_> = nulls.iter().map(|list| bytes_of(list.iter().copied())).collect();
    assert_eq!(bytes.len(), 1);
    assert_eq!(key_of(&[1, 0], args!["a", "b"]), Some(bytes_of([Arg::from("b"), Arg::from("a")])));
    assert_eq!(key_of(&[], args!["a"]), None);
}
