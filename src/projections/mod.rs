//! Derived state: structures that a node makes from what accounts show, and can throw away. The node holds it once;
//! feeds, deltas, erasures and the start notify it of something to catch up with.

mod compact_id;
pub mod follow;
pub mod impressions;
pub mod listing;
pub mod models;
mod product_names;
pub mod search;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use futures_util::future::{BoxFuture, join_all};

use crate::blobs::Blobs;
use crate::clock::Clock;
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::limits;
use crate::people::subject::SubjectId;
use crate::store::Store;
use impressions::Observed;
use listing::CatalogueListings;
use models::Models;
use search::SearchIndices;

/// State that a node derives from what accounts show. State of an account that is not loaded needs no catching up: the
/// first request makes it.
pub trait Derived: Send + Sync {
    /// Its name in logs.
    fn name(&self) -> &'static str;

    /// Updates the loaded state of an account to what it shows now, or throws it away.
    fn catch_up(&self, account: AccountId) -> BoxFuture<'_, ()>;

    /// Removes people from now on, as if they had never been.
    fn forget<'a>(&'a self, account: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, ()>;

    /// Number of these people that it knows something of.
    fn count<'a>(&'a self, account: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, u64>;

    /// True if everything that is loaded shows what its account shows.
    fn is_caught_up(&self) -> bool;
}

/// All that a node derives.
pub struct AllDerived {
    listing: Arc<CatalogueListings>,
    searches: SearchIndices,
    models: Models,
    observed: Arc<Observed>,
    /// Number of departures from each account.
    left: Mutex<HashMap<AccountId, u64>>,
    all: RwLock<Vec<Arc<dyn Derived>>>,
}

impl AllDerived {
    /// Starts with nothing loaded. Its files are below `folder`.
    #[must_use]
    pub fn new(store: &Store, blobs: &Blobs, (keys, clock): (&Keys, &Clock), folder: &Path) -> Self {
        let listing = Arc::new(CatalogueListings::new(store, blobs));
        let searches = SearchIndices::new(store, blobs, folder.join("search"));
        let models = Models::new(store, keys, clock);
        let observed = Arc::new(Observed::default());
        let all: Vec<Arc<dyn Derived>> =
            vec![listing.clone(), Arc::new(searches.clone()), Arc::new(models.clone()), observed.clone()];
        Self { listing, searches, models, observed, left: Mutex::default(), all: RwLock::new(all) }
    }

    /// Adds derived state that is kept up to date, and that people are removed from, from now on.
    pub fn add(&self, derived: Arc<dyn Derived>) {
        self.all.write().unwrap_or_else(PoisonError::into_inner).push(derived);
    }

    fn list_derived(&self) -> Vec<Arc<dyn Derived>> {
        self.all.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The list of the visible items.
    #[must_use]
    pub fn listing(&self) -> &CatalogueListings {
        &self.listing
    }

    /// The search of each account.
    #[must_use]
    pub fn searches(&self) -> &SearchIndices {
        &self.searches
    }

    /// The model of each account.
    #[must_use]
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Events of shoppers that the server observed itself and is about to store.
    #[must_use]
    pub fn observed_events(&self) -> &Observed {
        &self.observed
    }

    /// Waits until everything loaded of an account is up to date, but no longer than [`limits::DERIVED_WAIT_DURATION`]:
    /// slower parts go on by themselves.
    pub async fn catch_up(&self, account: AccountId) {
        let catching_up = self.list_derived().into_iter().map(|running| {
            let name = running.name();
            let running = tokio::spawn(async move { running.catch_up(account).await });
            async move {
                match tokio::time::timeout(limits::DERIVED_WAIT_DURATION, running).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => tracing::error!(name, account = account.0, "catching up panicked"),
                    Err(_) => tracing::warn!(name, account = account.0, "it is not waited for any longer"),
                }
            }
        });
        join_all(catching_up).await;
    }

    /// Leaves people out of everything.
    pub async fn forget(&self, account: AccountId, people: &[SubjectId]) {
        if people.is_empty() {
            return;
        }
        *self.left.lock().unwrap_or_else(PoisonError::into_inner).entry(account).or_default() += 1;
        let all = self.list_derived();
        join_all(all.iter().map(|derived| derived.forget(account, people))).await;
    }

    /// Number of departures from an account since the node began. If it changes during a long read, the result may hold
    /// data of someone who left.
    #[must_use]
    pub fn count_departures(&self, account: AccountId) -> u64 {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.get(&account).copied().unwrap_or_default()
    }

    /// Sums up how many of these people each derived state still knows.
    pub async fn count(&self, account: AccountId, people: &[SubjectId]) -> u64 {
        let all = self.list_derived();
        let counts = join_all(all.iter().map(|derived| derived.count(account, people))).await;
        counts.iter().sum()
    }

    /// True if everything that is loaded shows what its account shows.
    #[must_use]
    pub fn is_caught_up(&self) -> bool {
        self.list_derived().iter().all(|derived| derived.is_caught_up())
    }
}

/// Something loaded that is brought up to date counts as behind.
struct Behind(Arc<AtomicUsize>);

impl Behind {
    fn new(behind: &Arc<AtomicUsize>) -> Self {
        behind.fetch_add(1, Ordering::SeqCst);
        Self(behind.clone())
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
