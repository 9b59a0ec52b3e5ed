//! Edges of order files: the dates and the people of lines, runs of lines, and their way through the spool.

use rust_decimal::Decimal;

use super::*;
use crate::feeds::reader::RowOrigin;

const NOW: Millis = 1_795_262_400_000;

/// A line of customer 7.
fn line() -> OrderLine {
    OrderLine {
        number: 4,
        offset: 90,
        order_id: "o".to_owned(),
        user_id: "7".to_owned(),
        email: String::new(),
        account_id: String::new(),
        ordered_at: NOW,
        product: "p".to_owned(),
        quantity: Decimal::ONE,
        unit_price: None,
    }
}

/// A run of so many lines of an order of customer 7.
fn run(id: &str, lines: usize) -> OrderRun {
    let line = PurchaseLine {
        number: 1,
        product: "p".to_owned(),
        quantity: Decimal::ONE,
        unit_price: None,
        source: None,
    };
    let bought = Purchase { ordered_at: NOW, lines: vec![line; lines] };
    let user_id = Identifier::user_id("7").ok();
    let order = Order { id: id.to_owned(), blanked_id: None, user_id, email: None, company: None, bought };
    OrderRun { number: 1, offset: 0, order, several: Vec::new() }
}

fn cancelled(id: &str) -> OrderRun {
    OrderRun { order: Order::new_cancelled(id.to_owned()), ..run(id, 0) }
}

/// Order and number of lines of a run.
fn size(run: &OrderRun) -> (&str, usize) {
    (run.order.id.as_str(), run.order.bought.lines.len())
}

#[test]
fn an_order_counts_from_a_year_back_to_a_day_ahead() {
    let read = |ordered_at| {
        let read = one_line(OrderLine { ordered_at, ..line() }, NOW, &mut Vec::new());
        read.map(|run| (run.number, run.offset))
            .map_err(|issue| (issue.code, issue.row, issue.offset, issue.field))
    };
    let refused = |code| Err((code, 4, 90, Some("DateTime".into())));
    let ahead = millis(limits::ORDER_AHEAD_DURATION);
    assert_eq!(read(NOW + ahead), Ok((4, 90)));
    assert_eq!(read(NOW + ahead + 1), refused(IssueCode::OrderDateMalformed));
    let age = millis(limits::ORDER_AGE_DURATION);
    assert_eq!(read(NOW - age), Ok((4, 90)));
    assert_eq!(read(NOW - age - 1), refused(IssueCode::OrderTooOld));
}

/// User id, email and company of a line, and its warnings; or the code and the field of what is wrong.
type Named = Result<([Option<String>; 3], Vec<IssueCode>), (IssueCode, String)>;

fn names_from([user_id, email, account_id]: [&str; 3]) -> Named {
    let [user_id, email, account_id] = [user_id, email, account_id].map(str::to_owned);
    let mut issues = Vec::new();
    let read = one_line(OrderLine { user_id, email, account_id, ..line() }, NOW, &mut issues);
    let run = read.map_err(|issue| (issue.code, issue.field.map(String::from).expect("a field")))?;
    let Order { user_id, email, company, .. } = run.order;
    let ids = [user_id, email, company].map(|id| id.map(|id| id.normal().to_owned()));
    Ok((ids, issues.into_iter().map(|issue| issue.code).collect()))
}

#[test]
fn a_line_needs_one_name_of_somebody() {
    let long = "x".repeat(limits::IDENTIFIER_BYTES + 1);
    let ids = |ids: [&str; 3]| ids.map(|id| Some(id.to_owned()).filter(|id| !id.is_empty()));
    for one in [["7", "", ""], ["", "ada@shop.test", ""], ["", "", "acme"]] {
        assert_eq!(names_from(one), Ok((ids(one), vec![])), "{one:?}");
    }
    assert_eq!(names_from(["0", "ada@shop.test", "-1"]), Ok((ids(["", "ada@shop.test", ""]), vec![])));
    for nobody in [["", "", ""], ["0", " ", "-1"], ["guest", "no address", ""]] {
        let wrong = (IssueCode::OrderUnidentified, "UserId".to_owned());
        assert_eq!(names_from(nobody), Err(wrong), "{nobody:?}");
    }
    for email in ["no address", "ada@shop.test, bob@shop.test"] {
        let warned = vec![IssueCode::EmailMalformed];
        assert_eq!(names_from(["7", email, ""]), Ok((ids(["7", "", ""]), warned)), "{email}");
    }
    let wrong = |code, field: &str| Err((code, field.to_owned()));
    assert_eq!(names_from(["a\tb", "ada@shop.test", ""]), wrong(IssueCode::IdMalformed, "UserId"));
    assert_eq!(names_from([&long, "ada@shop.test", ""]), wrong(IssueCode::IdTooLong, "UserId"));
    assert_eq!(names_from(["7", "", &long]), wrong(IssueCode::IdTooLong, "AccountId"));
}

#[test]
fn the_addresses_of_a_field_are_kept_where_it_names_several() {
    let several = |email: &str| {
        let line = OrderLine { email: email.to_owned(), ..line() };
        one_line(line, NOW, &mut Vec::new()).map(|run| run.several)
    };
    assert_eq!(several("ada@shop.test"), Ok(vec![]));
    let both = ["ada@shop.test", "bob@shop.test"].map(str::to_owned).to_vec();
    assert_eq!(several("ada@shop.test, bob@shop.test"), Ok(both));
}

#[test]
fn lines_of_an_order_join_up_to_its_limit() {
    let mut joined = run("a", limits::ORDER_LINES - 1);
    assert!(joined.join(run("a", 1)).is_none());
    assert_eq!(size(&joined), ("a", limits::ORDER_LINES));
    let full = joined.join(run("a", 2)).expect("the full run");
    assert_eq!([size(&full), size(&joined)], [("a", limits::ORDER_LINES), ("a", 2)]);
    let before = joined.join(run("b", 3)).expect("the run before");
    assert_eq!([size(&before), size(&joined)], [("a", 2), ("b", 3)]);
}

#[test]
fn a_line_of_another_person_joins_no_run() {
    let others: [fn(&mut OrderRun); 4] = [
        |run| run.order.user_id = None,
        |run| run.order.email = Identifier::email("ada@shop.test").ok(),
        |run| run.order.company = Identifier::account_id("acme").ok(),
        |run| run.several = vec!["ada@shop.test".to_owned()],
    ];
    for (number, change) in others.into_iter().enumerate() {
        let mut joined = run("a", 1);
        let mut other = run("a", 2);
        change(&mut other);
        let before = joined.join(other).expect("the run before");
        assert_eq!([size(&before), size(&joined)], [("a", 1), ("a", 2)], "{number}");
    }
}

#[test]
fn a_cancelled_line_leaves_the_other_lines_of_its_order() {
    let mut joined = run("a", 2);
    assert!(joined.join(cancelled("a")).is_none());
    assert_eq!(size(&joined), ("a", 2));
    let before = joined.join(cancelled("b")).expect("the run before");
    assert_eq!([size(&before), size(&joined)], [("a", 2), ("b", 0)]);
    assert!(joined.join(run("b", 3)).is_none());
    assert_eq!(size(&joined), ("b", 3));
    let mut gone = cancelled("c");
    let before = gone.join(run("d", 1)).expect("the run before");
    assert_eq!([size(&before), size(&gone)], [("c", 0), ("d", 1)]);
}

/// Rows of the spool with so many bytes each.
fn spool(lengths: &[usize]) -> Vec<u8> {
    let mut spool = Vec::new();
    for (number, length) in (1..).zip(lengths) {
        let json = vec![b'x'; *length];
        people::write(
            &mut spool,
            &RawRow { section: FeedPart::Orders, number, offset: 0, origin: RowOrigin::Feed, json: &json },
        )
        .unwrap();
    }
    spool
}

#[test]
fn a_unit_of_work_reads_so_many_runs_or_bytes() {
    const MOST: usize = limits::UNIT_PROFILES_BYTES;
    for (lengths, units) in [
        (vec![2; UNIT_ORDERS + 1], vec![UNIT_ORDERS, 1]),
        (vec![MOST, 1], vec![1, 1]),
        (vec![MOST - 1, MOST, 1], vec![2, 1]),
        (vec![MOST / 2, MOST / 2, 1], vec![2, 1]),
        (vec![], vec![]),
    ] {
        let spool = spool(&lengths);
        let mut rest = spool.as_slice();
        let mut next = || next_runs(&mut rest).map(|runs| runs.len()).expect("runs");
        for unit in units {
            assert_eq!(next(), unit);
        }
        assert_eq!(next(), 0);
    }
}

fn spooled(json: Vec<u8>) -> people::Spooled {
    people::Spooled { number: 3, offset: 4, json: Zeroizing::new(json) }
}

#[test]
fn a_run_in_the_spool_that_is_damaged_is_none() {
    let order = order::encode("o", &run("o", 2).order.bought);
    let names = br#"["7","ada@shop.test","acme",["b@shop.test"]]"#;
    let read = read_back(&spooled([&names[..], b"\n", &order].concat())).expect("a run");
    assert_eq!((read.number, read.offset, size(&read)), (3, 4, ("o", 2)));
    let Order { user_id, email, company, .. } = read.order;
    let ids = [user_id, email, company].map(|id| id.map(|id| id.normal().to_owned()));
    assert_eq!(ids, ["7", "ada@shop.test", "acme"].map(|id| Some(id.to_owned())));
    assert_eq!(read.several, ["b@shop.test"]);
    for damaged in [
        [&b"no JSON"[..], b"\n", &order].concat(),
        [&names[..], b"\nno JSON"].concat(),
        names.to_vec(),
        vec![],
    ] {
        assert!(read_back(&spooled(damaged.clone())).is_err(), "{}", String::from_utf8_lossy(&damaged));
    }
}

#[test]
fn a_run_that_names_somebody_forgotten_among_others_is_left_out() {
    let order = order::encode("o", &run("o", 1).order.bought);
    let names = br#"[null,null,"acme",["ada@shop.test","bob@shop.test"]]"#;
    let runs = [spooled([&names[..], b"\n", &order].concat())];
    let left = |forgotten: &str| runs_of(&runs, &|email| email == forgotten).map(|runs| runs.len()).ok();
    let lefts = ["", "ada@shop.test", "bob@shop.test"].map(left);
    assert_eq!(lefts, [Some(1), Some(0), Some(0)]);
}
