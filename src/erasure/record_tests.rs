//! The records of erasures in a store: which are listed, counted and due, and what each shows.

use super::*;
use crate::erasure::{self, ForgetRequest};
use crate::keys::SlotNumber;
use crate::store::{Owner, Store, StoreOptions};

const SHOP: AccountId = AccountId(1);
const OTHER: AccountId = AccountId(2);
/// The month in which what is asked in January 1970 is due.
const MONTH: Millis = 31 * 24 * 60 * 60 * 1000;

/// Does a unit of work in an empty store.
async fn in_store(work: impl Fn(&mut Tx<'_>) -> Result<(), StoreFault> + Send + 'static) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
    store.write(Owner::STORE, work).await.expect("done");
}

fn id_of(seq: i64) -> ErasureId {
    ErasureId::from_u128(seq.unsigned_abs().into())
}

/// Accepts an erasure at a place.
fn accept(tx: &mut Tx<'_>, account: AccountId, seq: i64, now: Millis) -> Result<(), StoreFault> {
    let slot = SlotNumber::from_row(1).expect("a slot");
    let request =
        ForgetRequest { seq, id: id_of(seq), slot, sealed: b"sealed", asked: &[0; 16], reference: None };
    erasure::open(tx, account, &request, now)
}

fn issued() -> Certificate {
    Certificate { index: 3, body: "{}".to_owned(), signature: [7; 64] }
}

/// Erasures 1 to 5 of the shop, each asked at the time of its number: verified, lost, fenced, failing, waiting; and 7
/// of another shop, asked at 2.
fn fill(tx: &mut Tx<'_>) -> Result<(), StoreFault> {
    (1..=5).try_for_each(|seq| accept(tx, SHOP, seq, seq))?;
    accept(tx, OTHER, 7, 2)?;
    erasure::end(tx, SHOP, 1, &issued(), 100)?;
    erasure::mark_key_lost(tx, SHOP, 2, 200)?;
    erasure::advance(tx, SHOP, 3, ErasureState::Fenced, 300)?;
    erasure::fail(tx, SHOP, 4, "the disk is full")?;
    erasure::fail(tx, SHOP, 4, "the disk is still full")?;
    erasure::fail(tx, SHOP, 5, "the disk is full")?;
    erasure::wait(tx, SHOP, 5, "a reader")
}

/// Places of the listed erasures.
fn listed(tx: &mut Tx<'_>, which: ErasureFilter, before: i64, now: Millis) -> Result<Vec<i64>, StoreFault> {
    Ok(list(tx, SHOP, which, before, now)?.into_iter().map(|erasure| erasure.seq).collect())
}

/// Places of the erasures that are due before a time, behind one.
fn due(tx: &mut Tx<'_>, after: (Millis, i64), before: Millis) -> Result<Vec<i64>, StoreFault> {
    Ok(due_soon(tx, SHOP, after, before)?.into_iter().map(|erasure| erasure.seq).collect())
}

#[test]
fn a_filter_is_named_by_its_state_or_by_what_is_left() {
    let named = ErasureFilter::from_name;
    assert!(named("") == Some(ErasureFilter::All));
    assert!(named("open") == Some(ErasureFilter::Open));
    assert!(named("overdue") == Some(ErasureFilter::Overdue));
    assert!(named("Open").is_none() && named("all").is_none());
    for state in ErasureState::ALL {
        assert!(named(state.as_str()) == Some(ErasureFilter::At(state)));
        assert_eq!(ErasureFilter::At(state).may_be_few(), state != ErasureState::Verified);
    }
    let all = [ErasureFilter::All, ErasureFilter::Open, ErasureFilter::Overdue];
    assert_eq!(all.map(ErasureFilter::may_be_few), [false; 3]);
}

#[tokio::test]
async fn erasures_are_listed_by_what_they_have_come_to() {
    in_store(|tx| {
        fill(tx)?;
        assert_eq!(listed(tx, ErasureFilter::All, i64::MAX, 0)?, [5, 4, 3, 2, 1]);
        assert_eq!(listed(tx, ErasureFilter::All, 3, 0)?, [2, 1]);
        assert_eq!(listed(tx, ErasureFilter::Open, i64::MAX, 0)?, [5, 4, 3]);
        assert_eq!(listed(tx, ErasureFilter::Open, 4, 0)?, [3]);
        assert_eq!(listed(tx, ErasureFilter::Overdue, i64::MAX, MONTH + 4)?, [3], "due at that time");
        assert_eq!(listed(tx, ErasureFilter::Overdue, i64::MAX, MONTH + 5)?, [4, 3]);
        for (state, seqs) in [
            (ErasureState::Verified, vec![1]),
            (ErasureState::Lost, vec![2]),
            (ErasureState::Fenced, vec![3]),
            (ErasureState::Accepted, vec![5, 4]),
            (ErasureState::Settled, vec![]),
        ] {
            assert_eq!(listed(tx, ErasureFilter::At(state), i64::MAX, 0)?, seqs, "{state:?}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_erasure_shows_its_times_and_what_holds_it_up() {
    in_store(|tx| {
        fill(tx)?;
        for (seq, state, verified_at, held_up, faults) in [
            (1, ErasureState::Verified, Some(100), [None, None], 0),
            (2, ErasureState::Lost, Some(200), [None, None], 0),
            (3, ErasureState::Fenced, None, [None, None], 0),
            (4, ErasureState::Accepted, None, [None, Some("the disk is still full")], 2),
            (5, ErasureState::Accepted, None, [Some("a reader"), None], 1),
        ] {
            let found = load_by_id(tx, SHOP, id_of(seq))?.expect("an erasure");
            let times = (found.asked_at, found.due_at, found.verified_at);
            assert_eq!((found.seq, found.id, found.state), (seq, id_of(seq), state));
            assert_eq!(times, (seq, MONTH + seq, verified_at));
            assert_eq!([found.waits_for.as_deref(), found.fault.as_deref()], held_up);
            assert_eq!((found.faults, erasure::is_open(tx, SHOP, seq)?), (faults, verified_at.is_none()));
        }
        assert!(load_by_id(tx, OTHER, id_of(1))?.is_none() && load_by_id(tx, SHOP, id_of(9))?.is_none());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_certificate_is_there_from_the_end_on_for_its_shop() {
    in_store(|tx| {
        fill(tx)?;
        let Certificate { index, body, signature } = certificate(tx, SHOP, id_of(1))?.expect("issued");
        assert_eq!((index, body.as_str(), signature), (3, "{}", [7; 64]));
        for (account, seq) in [(OTHER, 1), (SHOP, 2), (SHOP, 3), (SHOP, 9)] {
            assert!(certificate(tx, account, id_of(seq))?.is_none(), "{seq}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_is_left_is_counted_for_one_shop_and_for_all() {
    in_store(|tx| {
        let counts = |left: ErasureBacklog| ([left.open, left.overdue, left.failing], left.oldest_at);
        assert_eq!(counts(waiting(tx, 0)?), ([0; 3], None));
        assert_eq!(counts(waiting_of(tx, SHOP, 0)?), ([0; 3], None));
        fill(tx)?;
        assert_eq!(counts(waiting(tx, MONTH + 4)?), ([4, 2, 1], Some(2)));
        assert_eq!(counts(waiting_of(tx, SHOP, MONTH + 4)?), ([3, 1, 1], Some(3)));
        assert_eq!(counts(waiting_of(tx, OTHER, MONTH + 2)?), ([1, 0, 0], Some(2)));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn erasures_are_due_in_the_order_of_their_dates_and_places() {
    in_store(|tx| {
        fill(tx)?;
        accept(tx, SHOP, 8, 3)?;
        assert_eq!(due(tx, (0, 0), i64::MAX)?, [3, 8, 4, 5]);
        assert_eq!(due(tx, (0, 0), MONTH + 4)?, [3, 8]);
        assert_eq!(due(tx, (MONTH + 3, 3), i64::MAX)?, [8, 4, 5]);
        assert_eq!(due(tx, (MONTH + 3, 8), MONTH + 5)?, [4]);
        let first = due_soon(tx, SHOP, (0, 0), i64::MAX)?.swap_remove(0);
        assert_eq!((first.id, first.asked_at, first.due_at), (id_of(3), 3, MONTH + 3));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_hundred_erasures_are_listed_and_told_at_a_stroke() {
    in_store(|tx| {
        (1..=101).try_for_each(|seq| accept(tx, SHOP, seq, 0))?;
        assert_eq!(listed(tx, ErasureFilter::All, i64::MAX, 0)?, (2..=101).rev().collect::<Vec<i64>>());
        assert_eq!(due(tx, (0, 0), i64::MAX)?, (1..=100).collect::<Vec<i64>>());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn states_are_shown_in_their_order_each_at_the_time_it_was_reached_first() {
    in_store(|tx| {
        accept(tx, SHOP, 1, 10)?;
        let reached = [
            (ErasureState::Fenced, 12),
            (ErasureState::Shredded, 12),
            (ErasureState::Deleted, 11),
            (ErasureState::Unlearned, 9),
        ];
        reached.into_iter().try_for_each(|(state, at)| erasure::advance(tx, SHOP, 1, state, at))?;
        erasure::advance(tx, SHOP, 1, ErasureState::Fenced, 20)?;
        let all: Vec<_> = [(ErasureState::Accepted, 10)].into_iter().chain(reached).collect();
        assert_eq!(steps(tx, SHOP, 1)?, all);
        assert!(steps(tx, SHOP, 2)?.is_empty() && steps(tx, OTHER, 1)?.is_empty());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn removals_add_up_and_the_last_search_is_what_was_found() {
    in_store(|tx| {
        count_removed(tx, SHOP, 1, "records", 2)?;
        count_removed(tx, SHOP, 1, "records", 3)?;
        count_removed(tx, SHOP, 2, "records", 9)?;
        count_removed(tx, SHOP, 1, "visits", u64::MAX)?;
        note_found(tx, SHOP, 1, "records", 1)?;
        note_found(tx, SHOP, 1, "records", 0)?;
        note_found(tx, SHOP, 1, "tokens", 4)?;
        let cleared = list_cleared(tx, SHOP, 1)?;
        let rows: Vec<_> = cleared.iter().map(|row| (row.place.as_str(), row.removed, row.found)).collect();
        assert_eq!(rows, [("records", 5, Some(0)), ("tokens", 0, Some(4)), ("visits", i64::MAX, None)]);
        Ok(())
    })
    .await;
}
