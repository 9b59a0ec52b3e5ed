//! The indices of a node: which are open, made anew, or given back.

use std::path::Path;

use super::super::testing::make_index;
use super::*;
use crate::store::StoreOptions;

const SHOP: AccountId = AccountId(1);

fn open(folder: &Path) -> SearchIndices {
    let store = Store::open(&StoreOptions::Sqlite(folder.join("lethe.db"))).expect("a store");
    let blobs = Blobs::open(&folder.join("blobs")).expect("a folder");
    SearchIndices::new(&store, &blobs, folder.join("search"))
}

/// A view of no products.
fn make_view(folder: &Path) -> SearchView {
    let snapshot = make_index(folder, 0).snapshot();
    SearchView { snapshot, shop: Arc::default(), outdated: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_index_used_longest_ago_makes_way_for_one_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let searches = open(folder.path());
    let view = make_view(folder.path());
    let count = limits::SEARCH_INDICES as i64;
    for number in 0..count {
        let entry = searches.entry(AccountId(number));
        entry.set_view(Some(view.clone()));
        entry.used.store((count - number) as u64, Ordering::Relaxed);
    }
    let open = || -> Vec<i64> {
        (0..count).filter(|number| searches.shown_if_open(AccountId(*number)).is_some()).collect()
    };
    // One that is open already needs no more room.
    searches.close_unused(AccountId(0));
    assert_eq!(open().len() as i64, count);
    searches.close_unused(AccountId(count));
    assert_eq!(open(), (0..count - 1).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_just_failed_is_not_tried_again_and_the_next_search_is_told_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let searches = open(folder.path());
    let entry = searches.entry(SHOP);
    entry.note_failure(&SearchFault::Ended);
    assert!(matches!(searches.get_or_open(SHOP).await, Err(SearchFault::Making)));
    let missing = || SearchFault::from(CatalogueFault::from(SnapshotFault::Missing));
    entry.note_failure(&missing());
    let told = searches.get_or_open(SHOP).await.map(|_| "an index").map_err(|fault| fault.to_string());
    assert_eq!(told, Err(missing().to_string()));
    assert!(folder::list(&searches.0.folder, SHOP).is_empty(), "nothing was begun");
}

/// Returns true if the index of the shop is held and shown.
async fn is_held(searches: &SearchIndices) -> bool {
    let entry = searches.entry(SHOP);
    let open = entry.open.lock().await;
    open.is_some() && entry.current_view().is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_is_opened_or_made_anew_is_the_one_of_its_account() {
    let folder = tempfile::tempdir().expect("a folder");
    let searches = open(folder.path());
    let abandoned = folder::next(&searches.0.folder, SHOP);
    std::fs::create_dir_all(&abandoned).expect("a folder");
    assert!(searches.shown_if_open(SHOP).is_none());
    assert_eq!(searches.get_or_open(SHOP).await.map(|view| view.snapshot.products()).ok(), Some(0));
    let first = folder::list(&searches.0.folder, SHOP);
    assert!(first.len() == 1 && first[0] != abandoned);
    assert!(is_held(&searches).await && searches.entry(SHOP).last().is_none());
    assert_eq!(searches.renew(SHOP).await.ok(), Some(0));
    let second = folder::list(&searches.0.folder, SHOP);
    assert!(is_held(&searches).await && second.len() == 1 && second != first);
    // Other shops have their turns, and the uses are counted.
    assert!(searches.get_or_open(AccountId(2)).await.is_ok() && searches.get_or_open(SHOP).await.is_ok());
    let used = [SHOP, AccountId(2)].map(|account| searches.entry(account).used.load(Ordering::Relaxed));
    assert_eq!(used, [2, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_index_is_made_anew_once_more_after_it_was_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let searches = open(folder.path());
    searches.begin_again(SHOP);
    assert!(folder::list(&searches.0.folder, SHOP).is_empty(), "it is not open");
    assert!(searches.get_or_open(SHOP).await.is_ok());
    let entry = searches.entry(SHOP);
    for _ in 0..2 {
        let before = folder::list(&searches.0.folder, SHOP);
        searches.begin_again(SHOP);
        let made = async {
            while entry.is_being_renewed.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        assert!(tokio::time::timeout(Duration::from_secs(30), made).await.is_ok());
        let after = folder::list(&searches.0.folder, SHOP);
        assert!(after.len() == 1 && after != before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_begun_unless_it_is_open_or_as_many_are_as_may_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let searches = open(folder.path());
    let view = make_view(folder.path());
    let last = searches.entry(AccountId(limits::SEARCH_INDICES as i64));
    for number in 1..=limits::SEARCH_INDICES as i64 {
        searches.entry(AccountId(number)).set_view(Some(view.clone()));
    }
    let [closed, open] = [0, 1].map(|number| searches.entry(AccountId(number)));
    // A task that is begun holds the entry and waits; afterwards it ends at once.
    closed.note_failure(&SearchFault::Ended);
    let _held = (closed.making.lock().await, open.making.lock().await);
    let begins = |number, entry: &Arc<SearchEntry>| {
        let before = Arc::strong_count(entry);
        searches.begin_opening(AccountId(number));
        Arc::strong_count(entry) - before
    };
    assert_eq!(begins(0, &closed), 0, "there is no room for it");
    last.set_view(None);
    assert_eq!([begins(1, &open), begins(0, &closed)], [0, 1]);
}

/// Rows that came since the statistics of the shop's open index were made.
async fn count_changed(searches: &SearchIndices) -> Option<u64> {
    let entry = searches.entry(SHOP);
    let open = entry.open.lock().await;
    open.as_ref().map(|open| open.changed)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_was_made_is_opened_again_with_its_statistics() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
    let blobs = Blobs::open(&folder.path().join("blobs")).expect("a folder");
    let mut made = Vec::new();
    for _ in 0..2 {
        let searches = SearchIndices::new(&store, &blobs, folder.path().join("search"));
        assert!(searches.get_or_open(SHOP).await.is_ok());
        assert_eq!(count_changed(&searches).await, Some(0), "what it was made of is no news");
        made.push(folder::list(&searches.0.folder, SHOP));
    }
    assert_eq!(made[0].len(), 1);
    assert_eq!(made[1], made[0], "it is not made anew");
}
