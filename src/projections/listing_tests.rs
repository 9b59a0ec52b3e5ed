//! Lists of what accounts show: their room, their order, and which of them goes.

use std::path::Path;

use super::*;
use crate::store::StoreOptions;

/// Bytes of an id: few of them fill the room of all lists.
const ID_BYTES: usize = 1 << 20;

fn item(number: usize, row: Option<&str>) -> CurrentItem {
    let id = format!("{number:02}{}", "x".repeat(ID_BYTES - 2));
    CurrentItem { section: Section::Products, id, row: row.map(|row| row.as_bytes().to_vec()) }
}

/// A loaded list of an account with so many items.
fn load(listings: &CatalogueListings, account: AccountId, items: usize) -> Result<(), ListingFault> {
    let list = CatalogueListing::new(&listings.room);
    let mut growing = Growing { list, listing: listings, account };
    growing.apply_items((0..items).map(|number| item(number, Some("{}"))).collect())?;
    let entry = listings.entry(account);
    *entry.list.try_lock().expect("nobody looks at it") = Some(growing.list);
    Ok(())
}

fn open(folder: &Path) -> CatalogueListings {
    let store = Store::open(&StoreOptions::Sqlite(folder.join("lethe.db"))).expect("a store");
    CatalogueListings::new(&store, &Blobs::open(&folder.join("blobs")).expect("a folder"))
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_have_so_much_room_and_the_one_used_longest_ago_makes_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let listings = open(folder.path());
    let third = (limits::LISTED_BYTES >> 20) / 3;
    for number in 1..4 {
        load(&listings, AccountId(number), third).expect("room");
        listings.entry(AccountId(number)).used.store(10 - number as u64, Ordering::Relaxed);
    }
    let is_loaded =
        |number| listings.entry(AccountId(number)).list.try_lock().is_ok_and(|list| list.is_some());
    assert_eq!([1, 2, 3].map(is_loaded), [true; 3]);
    load(&listings, AccountId(4), third / 2).expect("room");
    assert_eq!([1, 2, 3, 4].map(is_loaded), [true, true, false, true]);
    let all = limits::LISTED_BYTES >> 20;
    assert!(matches!(load(&listings, AccountId(5), all), Err(ListingFault::TooLarge)));
    assert_eq!([1, 2, 3, 4, 5].map(is_loaded), [false; 5], "all made way for one that is too large");
    assert_eq!(listings.room.taken.load(Ordering::Relaxed), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_takes_room_once_and_gives_it_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let listings = open(folder.path());
    let list = CatalogueListing::new(&listings.room);
    let mut growing = Growing { list, listing: &listings, account: AccountId(1) };
    let mut taken_after = |row: Option<&str>| {
        growing.apply_items(vec![item(1, row)]).expect("room");
        listings.room.taken.load(Ordering::Relaxed)
    };
    let once = ITEM_BYTES + ID_BYTES;
    let taken = [Some("{}"), Some("{1}"), None, None, Some("{}")].map(&mut taken_after);
    assert_eq!(taken, [once, once, 0, 0, once]);
    growing.clear();
    assert_eq!(listings.room.taken.load(Ordering::Relaxed), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_that_fill_the_room_to_the_byte_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let listings = open(folder.path());
    let hold = |number: i64, bytes: usize, used: u64| {
        let mut list = CatalogueListing::new(&listings.room);
        list.charge(bytes);
        let entry = listings.entry(AccountId(number));
        entry.used.store(used, Ordering::Relaxed);
        *entry.list.try_lock().expect("nobody looks at it") = Some(list);
    };
    let loaded = || {
        let is_loaded =
            |number| listings.entry(AccountId(number)).list.try_lock().is_ok_and(|list| list.is_some());
        (1..6).filter(|number| is_loaded(*number)).collect::<Vec<_>>()
    };
    [(1, limits::LISTED_BYTES - 30, 7), (2, 20, 5), (3, 10, 6)]
        .into_iter()
        .for_each(|(number, bytes, used)| hold(number, bytes, used));
    assert!(listings.make_room(AccountId(9)).is_ok());
    assert_eq!(loaded(), [1, 2, 3]);
    hold(4, 20, 9);
    assert!(listings.make_room(AccountId(9)).is_ok());
    assert_eq!(loaded(), [1, 3, 4], "the one used longest ago had as many bytes as were missing");
    hold(5, 10, 1);
    assert!(listings.make_room(AccountId(5)).is_ok());
    assert_eq!(loaded(), [1, 4, 5], "what grows stays");
    assert_eq!(listings.room.taken.load(Ordering::Relaxed), limits::LISTED_BYTES);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_in_the_order_of_its_ids_and_has_the_hashes_of_the_rows_that_came_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let listings = open(folder.path());
    let list = CatalogueListing::new(&listings.room);
    let mut growing = Growing { list, listing: &listings, account: AccountId(1) };
    let longest = "i".repeat(22);
    let longer = "i".repeat(23);
    for (id, row) in [("b", "1"), ("a", "2"), (longer.as_str(), "3"), (longest.as_str(), "4"), ("b", "5")] {
        let item =
            CurrentItem { section: Section::Products, id: id.to_owned(), row: Some(row.as_bytes().to_vec()) };
        growing.apply_items(vec![item]).expect("room");
    }
    let list = &growing.list;
    let hash = |row: &str| xxh3_64(row.as_bytes());
    let all =
        [("a", hash("2")), ("b", hash("5")), (longest.as_str(), hash("4")), (longer.as_str(), hash("3"))];
    assert_eq!(list.items(Section::Products, None).collect::<Vec<_>>(), all);
    assert_eq!(list.items(Section::Products, Some("b")).collect::<Vec<_>>(), all[2..]);
    assert_eq!([Section::Products, Section::Brands].map(|section| list.count(section)), [4, 0]);
    assert_eq!(listings.room.taken.load(Ordering::Relaxed), 4 * ITEM_BYTES + 23);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_looked_at_is_used_and_one_that_is_brought_up_is_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let listings = open(folder.path());
    for number in [1, 2, 1] {
        let count = listings.with_list(AccountId(number), |list| list.count(Section::Products)).await;
        assert_eq!(count.expect("a list"), 0);
    }
    let used = [1, 2].map(|number| listings.entry(AccountId(number)).used.load(Ordering::Relaxed));
    assert_eq!(used, [2, 1]);
    listings.catch_up(AccountId(1)).await;
    assert!(listings.entry(AccountId(1)).list.lock().await.is_some());
    assert_eq!(Derived::count(&listings, AccountId(1), &[[1; 16]]).await, 0);
    assert!(listings.is_caught_up());
    let behind = LagGuard::new(&listings.behind);
    assert!(!listings.is_caught_up());
    drop(behind);
    assert!(listings.is_caught_up());
}
