//! A follower of an account from a position that is kept as text, and the shown list, read without any position.

use std::collections::{BTreeMap, BTreeSet};

use lethe::args;
use lethe::catalogue::position::CataloguePosition;
use lethe::catalogue::since::CurrentItem;
use lethe::catalogue::snapshot::Snapshot;
use lethe::catalogue::visible::CatalogueView;
use lethe::catalogue::{CatalogueFault, base};
use lethe::feeds::section::Section;
use lethe::ids::AccountId;
use lethe::projections::follow::{self, Follower};
use lethe::store::{Statement, StoreFault};
use xxhash_rust::xxh3::xxh3_64;

use crate::support::world::{Shop, World, statement};

const ACCOUNTS: Statement = statement("accounts", "SELECT id FROM account ORDER BY id");
const ACCOUNT: Statement = statement("account", "SELECT id FROM account WHERE access_key = $1");
const CHANGED: Statement =
    statement("changed", "SELECT section, item FROM change WHERE account_id = $1 GROUP BY section, item");

/// Items with the hashes of their rows.
pub type Items = BTreeMap<(Section, String), u64>;
/// Items with their rows.
pub type Rows = BTreeMap<(Section, String), Vec<u8>>;

/// Follows an account. Between two calls this is its whole state.
#[derive(Default, Clone)]
pub struct Watcher {
    pub position: Option<String>,
    pub items: Items,
    /// Number of times that it started again.
    pub rebuilds: usize,
    /// Number of items that it read.
    pub read: usize,
}

impl Follower for Watcher {
    type Fault = CatalogueFault;

    fn clear(&mut self) {
        self.items.clear();
        self.rebuilds += 1;
    }

    fn apply_items(&mut self, items: Vec<CurrentItem>) -> Result<(), CatalogueFault> {
        self.read += items.len();
        for CurrentItem { section, id, row } in items {
            match row {
                Some(row) => drop(self.items.insert((section, id), xxh3_64(&row))),
                None => drop(self.items.remove(&(section, id))),
            }
        }
        Ok(())
    }
}

impl Watcher {
    /// Reads the changes since the last time.
    pub async fn catch_up(&mut self, world: &World, account: AccountId) {
        let from: Option<CataloguePosition> =
            self.position.as_deref().map(|text| serde_json::from_str(text).expect("a position"));
        let node = world.node();
        let caught = follow::catch_up(&node.store, &node.blobs, account, from, self);
        let position = caught.await.expect("the follower catches up");
        self.position = Some(serde_json::to_string(&position).expect("a text"));
    }

    /// The same, and demands that it then shows the live items.
    pub async fn assert_follows(&mut self, world: &World, account: AccountId) {
        self.catch_up(world, account).await;
        assert_eq!(self.items, list_shown_items(world, account).await, "who follows shows something else");
    }
}

pub async fn find_account(world: &World, shop: &Shop) -> AccountId {
    let key = shop.key.clone();
    let row = world.node().store.read(move |tx| tx.row(&ACCOUNT, args![key.as_str()]));
    let row = row.await.map_err(|fault: StoreFault| fault).expect("a row").expect("the account");
    AccountId(row.int("id").expect("a number"))
}

/// The list that an account shows, with the hashes of the rows.
pub async fn list_shown_items(world: &World, account: AccountId) -> Items {
    let rows = list_shown_rows(world, account).await;
    rows.into_iter().map(|(item, row)| (item, xxh3_64(&row))).collect()
}

/// The list that an account shows: every item that its files or its changes name, each looked up by itself.
pub async fn list_shown_rows(world: &World, account: AccountId) -> Rows {
    let blobs = world.node().blobs.clone();
    let read = world.node().store.read(move |tx| {
        let mut named = BTreeSet::new();
        for (section, base) in base::list(tx, account)? {
            for row in Snapshot::open(&blobs.hold_files(), &base.blob)?.rows()? {
                named.insert((section, row?.0));
            }
        }
        for row in tx.run(&CHANGED, args![account.0])? {
            let section = Section::parse(row.text("section")?).expect("a section");
            named.insert((section, row.text("item")?.to_owned()));
        }
        let mut catalogue = CatalogueView::open(tx, &blobs, account)?;
        let mut rows = Rows::new();
        for (section, id) in named {
            if let Some(item) = catalogue.get(section, &id)? {
                rows.insert((section, id), item.row);
            }
        }
        Ok::<_, CatalogueFault>(rows)
    });
    read.await.expect("what is shown")
}

/// Demands that the list of every account shows its live items. It is loaded the first time, and follows then.
pub async fn assert_lists(world: &World) {
    let accounts = world.node().store.read(|tx| {
        let rows = tx.run(&ACCOUNTS, args![])?;
        rows.iter().map(|row| row.int("id").map(AccountId)).collect::<Result<Vec<_>, StoreFault>>()
    });
    for account in accounts.await.expect("the accounts") {
        assert_list(world, account).await;
    }
}

/// The same of one account.
pub async fn assert_list(world: &World, account: AccountId) {
    let listed = world.node().derived.listing().with_list(account, |list| {
        let of = |section| list.items(section, None).map(move |(id, hash)| ((section, id.to_owned()), hash));
        Section::ALL.into_iter().flat_map(of).collect::<Items>()
    });
    assert_eq!(
        listed.await.expect("a list"),
        list_shown_items(world, account).await,
        "the list of {account:?}"
    );
}
