//! The place in the journal that a store has seen.

use super::*;
use crate::keys::{KeyFault, LookupKeys};
use crate::recovery::RecoveryFault;
use crate::recovery::journal::{JOURNAL, JournalCopies};
use crate::store::StoreOptions;

fn items(count: u8) -> Vec<(JournalPosition, JournalItem)> {
    let item = |number: u8| {
        let at = JournalPosition { records: number.into(), chain: [number; 32], bytes: 0 };
        (at, JournalItem::Entry { account: 1, number: number.into(), line: String::new() })
    };
    (1..=count).map(item).collect()
}

#[test]
fn a_store_has_seen_the_journal_up_to_a_record_of_the_same_number_and_chain() {
    let items = items(3);
    let seen = |seen| behind(&items, seen).map_err(|fault| fault.to_string());
    assert_eq!(seen(None), Ok(0));
    assert_eq!(seen(Some((0, [9; 32]))), Ok(0), "nothing is seen");
    for number in 1..=3_u8 {
        assert_eq!(seen(Some((number.into(), [number; 32]))), Ok(u64::from(number)));
    }
    let other = seen(Some((2, [3; 32]))).expect_err("another record");
    assert!(
        other.starts_with("the store has seen another record 2 than this journal of erasures has; "),
        "{other}"
    );
    let gap = seen(Some((4, [4; 32]))).expect_err("too many");
    assert!(
        gap.starts_with("the store has seen 4 records of the journal of erasures, and it has 3; "),
        "{gap}"
    );
}

#[test]
fn faults_of_a_replay_keep_what_they_are() {
    let keys = || KeyFault::PoolEmpty;
    let store = || StoreFault::DiskFull;
    assert!(matches!(ReplayFault::from(SubjectFault::Keys(keys())), ReplayFault::Keys(KeyFault::PoolEmpty)));
    assert!(matches!(
        ReplayFault::from(SubjectFault::Store(store())),
        ReplayFault::Store(StoreFault::DiskFull)
    ));
    for fault in [ReplayFault::Keys(keys()), ReplayFault::Store(store()), JournalFault::Diverged.into()] {
        let said = fault.to_string();
        let named = RecoveryFault::from(fault).to_string();
        assert_eq!(named.strip_prefix("the key folder: ").unwrap_or(&named), said);
    }
}

#[tokio::test]
async fn a_journal_that_cannot_be_read_is_not_compared_as_an_empty_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = folder.path().join("keys");
    drop(Keys::open(&keys).expect("keys"));
    let recognition = LookupKeys::load(&keys).expect("readable").expect("keys");
    let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
    let journal = Journal::open(&keys, &JournalCopies::default(), &recognition, false).expect("a journal");
    let before = |is_restored| StoreBeforeStart { is_restored, accept_gap: true, has_gap: false };
    assert!(matches!(compare(&store, &journal, before(false)).await, Ok(None)));
    assert!(matches!(compare(&store, &journal, before(true)).await, Ok(Some(_))));
    std::fs::remove_file(keys.join(JOURNAL)).expect("removed");
    let fault = compare(&store, &journal, before(true)).await.err().expect("a fault").to_string();
    assert!(fault.starts_with("the journal cannot be read or written: "), "{fault}");
}
