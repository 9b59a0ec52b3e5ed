//! The list of what accounts show: every item with the hash of its row, in the order of the ids. From it the catalogue
//! is counted and paged. The first request builds it; it is kept up to date from then on while there is room.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use tokio::sync::Mutex as AsyncMutex;
use xxhash_rust::xxh3::xxh3_64;

use super::compact_id::ListedId;
use super::follow::{self, Follower};
use super::projection::{Derived, LagGuard};
use crate::blobs::Blobs;
use crate::catalogue::CatalogueFault;
use crate::catalogue::position::{self, CataloguePosition};
use crate::catalogue::since::CurrentItem;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::people::subject::SubjectId;
use crate::store::Store;

/// Bytes of an item with a short id in memory: its id, its hash and its share of the tree.
const ITEM_BYTES: usize = 36;

/// Reason why there is no list.
#[derive(Debug, thiserror::Error)]
pub enum ListingFault {
    /// A fault of the catalogue.
    #[error(transparent)]
    Catalogue(#[from] CatalogueFault),
    /// The node has no room for it.
    #[error("the list of what the account shows is larger than {} MB", limits::LISTED_BYTES >> 20)]
    TooLarge,
}

/// The lists of a node.
pub struct CatalogueListings {
    store: Store,
    blobs: Blobs,
    accounts: Mutex<HashMap<AccountId, Arc<ListingEntry>>>,
    room: Arc<ListingMemory>,
    /// Number of loaded lists that are being brought up to date.
    behind: Arc<AtomicUsize>,
    /// Counts uses, to find the least recently used list.
    uses: AtomicU64,
}

/// Memory of all lists, in bytes.
#[derive(Default)]
struct ListingMemory {
    taken: AtomicUsize,
}

/// The list of an account, if it is loaded.
#[derive(Default)]
struct ListingEntry {
    list: AsyncMutex<Option<CatalogueListing>>,
    used: AtomicU64,
}

/// Items that an account shows.
pub struct CatalogueListing {
    /// Position at which it shows them.
    position: CataloguePosition,
    /// The number of that position, or of an earlier one.
    number: i64,
    sections: BTreeMap<Section, BTreeMap<ListedId, u64>>,
    bytes: usize,
    room: Arc<ListingMemory>,
}

impl CatalogueListing {
    fn new(room: &Arc<ListingMemory>) -> Self {
        Self {
            position: CataloguePosition::default(),
            number: -1,
            sections: BTreeMap::new(),
            bytes: 0,
            room: room.clone(),
        }
    }

    /// The position at which this is shown.
    #[must_use]
    pub fn position(&self) -> &CataloguePosition {
        &self.position
    }

    /// Number of items of a section that are shown.
    #[must_use]
    pub fn count(&self, section: Section) -> usize {
        self.sections.get(&section).map_or(0, BTreeMap::len)
    }

    /// Ids greater than `after`, or from the first on if it is `None`, with the hashes (xxh3-64) of their rows.
    pub fn items<'a>(
        &'a self,
        section: Section,
        after: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a str, u64)> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let items = self.sections.get(&section).map(|items| items.range::<str, _>((from, Bound::Unbounded)));
        items.into_iter().flatten().map(|(id, hash)| (id.as_str(), *hash))
    }

    fn charge(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.room.taken.fetch_add(bytes, Ordering::Relaxed);
    }

    fn release(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.room.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for CatalogueListing {
    fn drop(&mut self) {
        self.release(self.bytes);
    }
}

/// A list while it is brought up to date; it asks for room as it grows.
struct Growing<'a> {
    list: CatalogueListing,
    listing: &'a CatalogueListings,
    account: AccountId,
}

impl Follower for Growing<'_> {
    type Fault = ListingFault;

    fn clear(&mut self) {
        metrics::counter!("lethe_derived_rebuilds_total", "name" => "listing").increment(1);
        self.list.release(self.list.bytes);
        self.list.sections.clear();
    }

    fn apply_items(&mut self, items: Vec<CurrentItem>) -> Result<(), ListingFault> {
        for CurrentItem { section, id, row } in items {
            let bytes = ITEM_BYTES + ListedId::outside_bytes(&id);
            let list = self.list.sections.entry(section).or_default();
            match row {
                Some(row) => {
                    let hash = xxh3_64(&row);
                    if let Some(known) = list.get_mut(id.as_str()) {
                        *known = hash;
                    } else {
                        list.insert(id.as_str().into(), hash);
                        self.list.charge(bytes);
                    }
                }
                None => {
                    if list.remove(id.as_str()).is_some() {
                        self.list.release(bytes);
                    }
                }
            }
        }
        self.listing.make_room(self.account)
    }
}

impl CatalogueListings {
    pub(super) fn new(store: &Store, blobs: &Blobs) -> Self {
        Self {
            store: store.clone(),
            blobs: blobs.clone(),
            accounts: Mutex::default(),
            room: Arc::default(),
            behind: Arc::default(),
            uses: AtomicU64::default(),
        }
    }

    /// Calls `look` with the list of the account's present items. Loads the list first if it is not loaded.
    ///
    /// # Errors
    /// When the store fails or a file cannot be read; [`ListingFault::TooLarge`] when the list is too large.
    pub async fn with_list<T>(
        &self,
        account: AccountId,
        look: impl FnOnce(&CatalogueListing) -> T,
    ) -> Result<T, ListingFault> {
        let entry = self.entry(account);
        entry.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut list = entry.list.lock().await;
        // Taken out meanwhile: a list that is left in the middle is incomplete, and is rebuilt.
        let (begun, from) = match list.take() {
            Some(loaded) => {
                let position = loaded.position.clone();
                (loaded, Some(position))
            }
            None => (CatalogueListing::new(&self.room), None),
        };
        let current = self.bring_up(account, begun, from).await?;
        let seen = look(&current);
        *list = Some(current);
        Ok(seen)
    }

    async fn bring_up(
        &self,
        account: AccountId,
        list: CatalogueListing,
        from: Option<CataloguePosition>,
    ) -> Result<CatalogueListing, ListingFault> {
        let number = self.store.look_up(move |tx| position::number(tx, account)).await;
        let number = number.map_err(CatalogueFault::from)?;
        if from.is_some() && list.number == number {
            return Ok(list);
        }
        let mut growing = Growing { list, listing: self, account };
        let position = follow::catch_up(&self.store, &self.blobs, account, from, &mut growing).await?;
        growing.list.position = position;
        growing.list.number = number;
        Ok(growing.list)
    }

    fn entry(&self, account: AccountId) -> Arc<ListingEntry> {
        self.lock().entry(account).or_default().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AccountId, Arc<ListingEntry>>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Throws the least recently used lists away, until the others have room.
    fn make_room(&self, growing: AccountId) -> Result<(), ListingFault> {
        if self.room.taken.load(Ordering::Relaxed) <= limits::LISTED_BYTES {
            return Ok(());
        }
        let mut others: Vec<_> = self
            .lock()
            .iter()
            .filter(|(account, _)| **account != growing)
            .map(|(_, entry)| (entry.used.load(Ordering::Relaxed), entry.clone()))
            .collect();
        others.sort_by_key(|(used, _)| *used);
        for (_, entry) in others {
            // One that is in use just now stays.
            if let Ok(mut list) = entry.list.try_lock() {
                *list = None;
            }
            if self.room.taken.load(Ordering::Relaxed) <= limits::LISTED_BYTES {
                return Ok(());
            }
        }
        Err(ListingFault::TooLarge)
    }
}

impl Derived for CatalogueListings {
    fn name(&self) -> &'static str {
        "listing"
    }

    fn catch_up(&self, account: AccountId) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Some(entry) = self.lock().get(&account).cloned() else { return };
            let _behind = LagGuard::new(&self.behind);
            let mut list = entry.list.lock().await;
            let Some(loaded) = list.take() else { return };
            let from = loaded.position.clone();
            match self.bring_up(account, loaded, Some(from)).await {
                Ok(current) => *list = Some(current),
                // The next request rebuilds it.
                Err(fault) => tracing::warn!(%fault, account = account.0, "a list was thrown away"),
            }
        })
    }

    /// Ids and hashes of items: no people.
    fn forget<'a>(&'a self, _: AccountId, _: &'a [SubjectId]) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn count<'a>(&'a self, _: AccountId, _: &'a [SubjectId]) -> BoxFuture<'a, u64> {
        Box::pin(std::future::ready(0))
    }

    fn is_caught_up(&self) -> bool {
        self.behind.load(Ordering::SeqCst) == 0
    }
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;
