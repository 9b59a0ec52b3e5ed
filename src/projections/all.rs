//! All that a node derives, held once.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use futures_util::future::join_all;

use super::impressions::ImpressionBuffer;
use super::listing::CatalogueListings;
use super::models::Models;
use super::projection::Derived;
use super::search::SearchIndices;
use crate::blobs::Blobs;
use crate::clock::Clock;
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::limits;
use crate::people::subject::SubjectId;
use crate::store::Store;

/// All that a node derives.
pub struct AllDerived {
    listing: Arc<CatalogueListings>,
    searches: SearchIndices,
    models: Models,
    observed: Arc<ImpressionBuffer>,
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
        let observed = Arc::new(ImpressionBuffer::default());
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
    pub fn observed_events(&self) -> &ImpressionBuffer {
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
