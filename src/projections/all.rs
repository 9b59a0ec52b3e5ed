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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use futures_util::future::BoxFuture;

    use super::*;
    use crate::store::StoreOptions;

    const SHOP: AccountId = AccountId(1);
    /// The account of which catching up panics.
    const PANICKING: AccountId = AccountId(2);

    /// Derived state that counts what it is asked for.
    #[derive(Default)]
    struct Asked {
        caught_up: AtomicU64,
        forgotten: AtomicU64,
        is_behind: AtomicBool,
    }

    impl Derived for Asked {
        fn name(&self) -> &'static str {
            "asked"
        }

        fn catch_up(&self, account: AccountId) -> BoxFuture<'_, ()> {
            Box::pin(async move {
                assert!(account != PANICKING, "the account of which catching up panics");
                self.caught_up.fetch_add(1, Ordering::SeqCst);
            })
        }

        fn forget<'a>(&'a self, _: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, ()> {
            self.forgotten.fetch_add(people.len() as u64, Ordering::SeqCst);
            Box::pin(async {})
        }

        fn count<'a>(&'a self, _: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, u64> {
            Box::pin(async move { people.len() as u64 })
        }

        fn is_caught_up(&self) -> bool {
            !self.is_behind.load(Ordering::SeqCst)
        }
    }

    fn derive_in(folder: &Path) -> AllDerived {
        let store = Store::open(&StoreOptions::Sqlite(folder.join("lethe.db"))).expect("a store");
        let blobs = Blobs::open(&folder.join("blobs")).expect("a folder");
        let keys = Keys::open(&folder.join("keys")).expect("keys");
        AllDerived::new(&store, &blobs, (&keys, &Clock::set_to(0)), folder)
    }

    /// Log of a test.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("nobody panicked").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_panics_as_it_catches_up_holds_up_nobody_and_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = derive_in(folder.path());
        all.add(Arc::new(Asked::default()));
        let log = Log::default();
        let writer = log.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        let told = tracing::subscriber::set_default(subscriber);
        all.catch_up(PANICKING).await;
        drop(told);
        let told = String::from_utf8(log.0.lock().expect("nobody panicked").clone()).expect("a text");
        let lines: Vec<_> = told.lines().filter(|line| line.contains("account=2")).collect();
        assert_eq!(lines.len(), 1, "{told}");
        assert!(lines[0].contains("ERROR") && lines[0].contains("catching up panicked"), "{told}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_added_is_asked_with_all_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = derive_in(folder.path());
        let asked = Arc::new(Asked::default());
        all.add(asked.clone());
        all.forget(SHOP, &[]).await;
        assert_eq!((all.count_departures(SHOP), asked.forgotten.load(Ordering::SeqCst)), (0, 0));
        for departures in 1..3 {
            all.forget(SHOP, &[[1; 16], [2; 16]]).await;
            let forgotten = asked.forgotten.load(Ordering::SeqCst);
            assert_eq!((all.count_departures(SHOP), forgotten), (departures, 2 * departures));
        }
        assert_eq!(all.count_departures(AccountId(3)), 0);
        assert_eq!(all.count(SHOP, &[[1; 16], [2; 16]]).await, 2);
        all.catch_up(SHOP).await;
        all.catch_up(PANICKING).await;
        assert_eq!(asked.caught_up.load(Ordering::SeqCst), 1);
        assert!(all.is_caught_up());
        asked.is_behind.store(true, Ordering::SeqCst);
        assert!(!all.is_caught_up());
    }
}
