//! The search indices of all accounts: opened, kept up to date, given back.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Mutex as AsyncMutex, Semaphore};

use super::fault::SearchFault;
use super::folder;
use super::language_assets::LanguageAssetCache;
use super::open_index::OpenIndex;
use crate::blobs::Blobs;
use crate::catalogue::CatalogueFault;
use crate::catalogue::snapshot::SnapshotFault;
use crate::ids::AccountId;
use crate::limits;
use crate::search::document::ShopTables;
use crate::search::index::snapshot::IndexSnapshot;
use crate::store::Store;

/// The search indices of a node. Cloning gives the same.
#[derive(Clone)]
pub struct SearchIndices(pub(super) Arc<SearchIndicesInner>);

pub(super) struct SearchIndicesInner {
    pub(super) store: Store,
    pub(super) blobs: Blobs,
    /// Root folder: below it one folder per account, by number, and below that an index.
    pub(super) folder: PathBuf,
    accounts: Mutex<HashMap<AccountId, Arc<SearchEntry>>>,
    pub(super) spoken: LanguageAssetCache,
    /// Turns to write an index: it takes memory and work.
    pub(super) writers: Semaphore,
    pub(super) behind: Arc<AtomicUsize>,
    uses: AtomicU64,
}

/// The search of an account, if it is open.
#[derive(Default)]
pub(super) struct SearchEntry {
    /// Held while it is updated; searches do not wait for that.
    pub(super) open: AsyncMutex<Option<OpenIndex>>,
    /// View that searches use.
    shown: RwLock<Option<SearchView>>,
    /// The previous index, which answers while the first one since the start is built.
    last: RwLock<Option<SearchView>>,
    used: AtomicU64,
    /// Held, before `open`, while an index is built or opened, so that its folder is not taken for an abandoned one.
    pub(super) making: AsyncMutex<()>,
    is_being_renewed: AtomicBool,
    /// Time of the last failed opening: not every new search tries again.
    failed: Mutex<Option<FailedOpening>>,
}

/// A try to open an index that failed.
#[derive(Clone, Copy)]
pub(super) struct FailedOpening {
    at: Instant,
    /// True if it failed because files of the catalogue are missing.
    lacks_files: bool,
}

/// Pause between two tries to open an index.
pub(super) const FAILED_DURATION: Duration = Duration::from_secs(10);

/// Wait of the first request for an index that is being built, if the previous one can answer.
pub(super) const LAST_DURATION: Duration = Duration::from_secs(3);

/// View of an account for searches.
#[derive(Clone)]
pub struct SearchView {
    /// Its products.
    pub snapshot: Arc<IndexSnapshot>,
    /// Names of its brands and categories.
    pub shop: Arc<ShopTables>,
    /// Time at which it was last written, if the shop shows something else by now and another one is being built.
    pub outdated: Option<SystemTime>,
}

impl From<&OpenIndex> for SearchView {
    fn from(open: &OpenIndex) -> Self {
        Self { snapshot: open.index.snapshot(), shop: open.tables.shop().clone(), outdated: None }
    }
}

impl SearchEntry {
    fn has_just_failed(&self) -> Option<FailedOpening> {
        let failed = *self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.filter(|failed| failed.at.elapsed() < FAILED_DURATION)
    }

    pub(super) fn note_failure(&self, fault: &SearchFault) {
        let lacks_files =
            matches!(fault, SearchFault::Catalogue(CatalogueFault::Snapshot(SnapshotFault::Missing)));
        let failed = FailedOpening { at: Instant::now(), lacks_files };
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
    }

    pub(super) fn current_view(&self) -> Option<SearchView> {
        self.shown.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_view(&self, shown: Option<SearchView>) {
        *self.shown.write().unwrap_or_else(PoisonError::into_inner) = shown;
    }

    fn last(&self) -> Option<SearchView> {
        self.last.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_last(&self, last: Option<SearchView>) {
        *self.last.write().unwrap_or_else(PoisonError::into_inner) = last;
    }
}

/// Takes the previous index away again, also when the task that builds the next one panics.
pub(super) struct LastUntilOpened<'a>(&'a SearchEntry);

impl Drop for LastUntilOpened<'_> {
    fn drop(&mut self) {
        self.0.set_last(None);
    }
}

impl SearchIndices {
    pub(crate) fn new(store: &Store, blobs: &Blobs, folder: PathBuf) -> Self {
        Self(Arc::new(SearchIndicesInner {
            store: store.clone(),
            blobs: blobs.clone(),
            folder,
            accounts: Mutex::default(),
            spoken: LanguageAssetCache::default(),
            writers: Semaphore::new(limits::SEARCH_WRITERS),
            behind: Arc::default(),
            uses: AtomicU64::default(),
        }))
    }

    /// The search of an account as it is now. Opens or builds the index first if it is not open; meanwhile the previous
    /// one answers, if it can be used.
    ///
    /// # Errors
    /// [`SearchFault::Making`] when that takes longer than [`limits::DERIVED_WAIT_DURATION`]: it goes on by itself.
    /// When the store fails, a file cannot be read or the disk refuses the index.
    pub async fn get_or_open(&self, account: AccountId) -> Result<SearchView, SearchFault> {
        let entry = self.entry(account);
        entry.used.store(self.0.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let last = || entry.last();
        if let Some(shown) = entry.current_view().or_else(last) {
            return Ok(shown);
        }
        let searches = self.clone();
        let opened = entry.clone();
        let mut opening = tokio::spawn(async move { searches.open(account, &opened).await });
        let mut ended = tokio::time::timeout(LAST_DURATION, &mut opening).await;
        if ended.is_err() && last().is_none() {
            ended = tokio::time::timeout(limits::DERIVED_WAIT_DURATION - LAST_DURATION, opening).await;
        }
        match ended {
            Ok(opened) => opened.unwrap_or(Err(SearchFault::Ended)),
            Err(_) => last().ok_or(SearchFault::Making),
        }
    }

    /// Begins to open or make the index of an account that is not open, so that the first search does not wait for it.
    /// Closes no other index: if as many are open as may be, the first search makes it.
    pub fn begin_opening(&self, account: AccountId) {
        let open = self.lock().values().filter(|entry| entry.current_view().is_some()).count();
        let entry = self.entry(account);
        if open >= limits::SEARCH_INDICES || entry.current_view().is_some() {
            return;
        }
        let searches = self.clone();
        tokio::spawn(async move {
            if let Err(fault) = searches.open(account, &entry).await {
                tracing::warn!(%fault, account = account.0, "a search index could not be begun; a search tries again");
            }
        });
    }

    /// The search of an account, if it is open.
    #[must_use]
    pub fn shown_if_open(&self, account: AccountId) -> Option<SearchView> {
        self.lock().get(&account)?.current_view()
    }

    async fn open(&self, account: AccountId, entry: &SearchEntry) -> Result<SearchView, SearchFault> {
        let _making = entry.making.lock().await;
        let mut open = entry.open.lock().await;
        // Another task may have opened it while this one waited.
        if let Some(shown) = entry.current_view() {
            return Ok(shown);
        }
        self.close_unused(account);
        match entry.has_just_failed() {
            Some(FailedOpening { lacks_files: true, .. }) => {
                return Err(CatalogueFault::from(SnapshotFault::Missing).into());
            }
            Some(_) => return Err(SearchFault::Making),
            None => {}
        }
        let last = LastUntilOpened(entry);
        let opened =
            self.0.open_index(account, entry).await.inspect_err(|fault| entry.note_failure(fault))?;
        // An unusable index, or one left by a process that ended.
        folder::remove_others(&self.0.folder, account, &opened.folder);
        let shown = SearchView::from(&opened);
        entry.set_view(Some(shown.clone()));
        drop(last);
        *open = Some(opened);
        Ok(shown)
    }

    /// Rebuilds the index of an account, with new statistics; the previous one answers meanwhile. Returns the number of
    /// its products.
    ///
    /// # Errors
    /// When the store fails, a file cannot be read or the disk refuses the index: the one before goes on.
    pub async fn renew(&self, account: AccountId) -> Result<u64, SearchFault> {
        let entry = self.entry(account);
        let _making = entry.making.lock().await;
        self.renew_held(account, &entry).await
    }

    /// The same for a holder of `making`.
    pub(super) async fn renew_held(
        &self,
        account: AccountId,
        entry: &SearchEntry,
    ) -> Result<u64, SearchFault> {
        let made = self.0.build_index(account).await?;
        let mut open = entry.open.lock().await;
        // Changes that were applied while it was built.
        let made = self.0.brought_up_or_made(account, made).await?;
        let shown = SearchView::from(&made);
        let products = u64::try_from(shown.snapshot.products()).unwrap_or(u64::MAX);
        entry.set_view(Some(shown));
        let folder = made.folder.clone();
        *open = Some(made);
        folder::remove_others(&self.0.folder, account, &folder);
        drop(open);
        self.close_unused(account);
        Ok(products)
    }

    /// Begins to rebuild the index of an account if it is open; a closed one is rebuilt when it is opened.
    pub fn begin_again(&self, account: AccountId) {
        let entry = self.lock().get(&account).cloned();
        if let Some(entry) = entry.filter(|entry| entry.current_view().is_some()) {
            self.begin_to_renew(account, &entry);
        }
    }

    /// Begins to rebuild an index, unless a rebuild is running already.
    pub(super) fn begin_to_renew(&self, account: AccountId, entry: &Arc<SearchEntry>) {
        if entry.is_being_renewed.swap(true, Ordering::SeqCst) {
            return;
        }
        let searches = self.clone();
        let entry = entry.clone();
        tokio::spawn(async move {
            let renewing = searches.clone();
            // A task of its own, so that a panic ends it like any other fault.
            let ended = tokio::spawn(async move { renewing.renew(account).await }).await;
            entry.is_being_renewed.store(false, Ordering::SeqCst);
            match ended {
                // The settings may have changed meanwhile.
                Ok(Ok(_)) if !searches.is_as_set(account, &entry).await => {
                    searches.begin_to_renew(account, &entry);
                }
                Ok(Ok(_)) => {}
                Ok(Err(fault)) => {
                    tracing::warn!(%fault, account = account.0, "a search index could not be made anew; the one before goes on");
                }
                Err(_) => tracing::error!(account = account.0, "making a search index anew panicked"),
            }
        });
    }

    /// Returns true if the open index was made for the shop's settings; also if that is unknown.
    async fn is_as_set(&self, account: AccountId, entry: &SearchEntry) -> bool {
        let Ok(settings) = self.0.settings(account).await else { return true };
        let open = entry.open.lock().await;
        open.as_ref().is_none_or(|open| open.is_made_for(&settings))
    }

    fn entry(&self, account: AccountId) -> Arc<SearchEntry> {
        self.lock().entry(account).or_default().clone()
    }

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AccountId, Arc<SearchEntry>>> {
        self.0.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the least recently used indices, so that one more has room.
    fn close_unused(&self, opening: AccountId) {
        let accounts = self.lock();
        let mut others: Vec<_> = accounts
            .iter()
            .filter(|(account, entry)| **account != opening && entry.current_view().is_some())
            .map(|(_, entry)| (entry.used.load(Ordering::Relaxed), entry.clone()))
            .collect();
        drop(accounts);
        others.sort_by_key(|(used, _)| *used);
        let too_many = (others.len() + 1).saturating_sub(limits::SEARCH_INDICES);
        for (_, entry) in others.into_iter().take(too_many) {
            // One that is being brought up just now stays.
            if let Ok(mut open) = entry.open.try_lock() {
                entry.set_view(None);
                *open = None;
            }
        }
    }
}

#[cfg(test)]
#[path = "indices_tests.rs"]
mod tests;
