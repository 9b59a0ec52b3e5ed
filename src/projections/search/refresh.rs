//! Refreshing open indices as accounts change.

use std::sync::atomic::Ordering;

use futures_util::future::BoxFuture;

use super::fault::SearchFault;
use super::indices::{SearchEntry, SearchIndices, SearchView};
use crate::ids::AccountId;
use crate::people::subject::SubjectId;
use crate::projections::projection::{Derived, LagGuard};

/// Shows nothing of an account any longer when it goes out of scope, unless it is defused.
struct NotShown<'a>(Option<&'a SearchEntry>);

impl NotShown<'_> {
    fn defuse(mut self) {
        self.0 = None;
    }
}

impl Drop for NotShown<'_> {
    fn drop(&mut self) {
        if let Some(account) = self.0 {
            account.set_view(None);
        }
    }
}

/// Outcome of bringing an index up to date.
#[derive(PartialEq, Eq)]
enum CatchUpOutcome {
    /// It is up to date, or not open any longer.
    Up,
    /// It does, but its statistics are out of date.
    Outgrown,
    /// It has to be rebuilt. Until then the previous index is shown, but not updated.
    Overtaken,
}

impl SearchIndices {
    /// Updates the open index of an account.
    async fn keep_up(&self, account: AccountId, entry: &SearchEntry) -> CatchUpOutcome {
        let mut open = entry.open.lock().await;
        // Taken out meanwhile: an index that is left in the middle, by a fault or a panic, is incomplete. It is not
        // shown any longer, and the next search opens it again.
        let guard = NotShown(Some(entry));
        let Some(index) = open.take() else {
            guard.defuse();
            return if entry.current_view().is_some() {
                CatchUpOutcome::Overtaken
            } else {
                CatchUpOutcome::Up
            };
        };
        match self.0.brought_up(account, index).await {
            Ok(index) => {
                guard.defuse();
                entry.set_view(Some(SearchView::from(&index)));
                let is_outgrown = index.is_outgrown();
                *open = Some(index);
                if is_outgrown { CatchUpOutcome::Outgrown } else { CatchUpOutcome::Up }
            }
            Err(SearchFault::Outgrown) => {
                guard.defuse();
                CatchUpOutcome::Overtaken
            }
            Err(fault) => {
                tracing::warn!(%fault, account = account.0, "a search index was closed; it is opened anew");
                CatchUpOutcome::Up
            }
        }
    }

    /// Rebuilds the index of an account, unless another task has done so or closed it.
    async fn make_up(&self, account: AccountId, entry: &SearchEntry) {
        let _making = entry.making.lock().await;
        if entry.current_view().is_none() || entry.open.lock().await.is_some() {
            return;
        }
        let guard = NotShown(Some(entry));
        match self.renew_held(account, entry).await {
            Ok(_) => guard.defuse(),
            Err(fault) => {
                entry.note_failure(&fault);
                tracing::warn!(%fault, account = account.0, "a search index could not be made anew; it is closed");
            }
        }
    }
}

impl Derived for SearchIndices {
    fn name(&self) -> &'static str {
        "search"
    }

    fn catch_up(&self, account: AccountId) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Some(entry) = self.lock().get(&account).cloned() else { return };
            let _behind = LagGuard::new(&self.0.behind);
            loop {
                match self.keep_up(account, &entry).await {
                    CatchUpOutcome::Up => return,
                    CatchUpOutcome::Outgrown => return self.begin_to_renew(account, &entry),
                    CatchUpOutcome::Overtaken => self.make_up(account, &entry).await,
                }
            }
        })
    }

    /// The index holds the shop's catalogue, and no people.
    fn forget<'a>(&'a self, _: AccountId, _: &'a [SubjectId]) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn count<'a>(&'a self, _: AccountId, _: &'a [SubjectId]) -> BoxFuture<'a, u64> {
        Box::pin(std::future::ready(0))
    }

    fn is_caught_up(&self) -> bool {
        self.0.behind.load(Ordering::SeqCst) == 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::testing::make_index;
    use super::*;
    use crate::blobs::Blobs;
    use crate::store::{Store, StoreOptions};

    const SHOP: AccountId = AccountId(1);

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_shown_without_an_index_is_made_anew_and_shown_until_then() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
        let blobs = Blobs::open(&folder.path().join("blobs")).expect("a folder");
        let searches = SearchIndices::new(&store, &blobs, folder.path().join("search"));
        let entry = SearchEntry::default();
        assert!(searches.keep_up(SHOP, &entry).await == CatchUpOutcome::Up);
        searches.make_up(SHOP, &entry).await;
        assert!(entry.current_view().is_none() && entry.open.lock().await.is_none(), "it is closed");
        let snapshot = make_index(folder.path(), 0).snapshot();
        entry.set_view(Some(SearchView { snapshot, shop: Arc::default(), outdated: None }));
        assert!(searches.keep_up(SHOP, &entry).await == CatchUpOutcome::Overtaken);
        assert!(entry.current_view().is_some() && entry.open.lock().await.is_none());
        searches.make_up(SHOP, &entry).await;
        assert!(entry.current_view().is_some() && entry.open.lock().await.is_some());
        assert!(searches.keep_up(SHOP, &entry).await == CatchUpOutcome::Up);
        assert!(entry.current_view().is_some() && entry.open.lock().await.is_some());
        NotShown(Some(&entry)).defuse();
        assert!(entry.current_view().is_some());
        drop(NotShown(Some(&entry)));
        assert!(entry.current_view().is_none());
        assert_eq!(searches.count(SHOP, &[[1; 16]]).await, 0);
        let behind = LagGuard::new(&searches.0.behind);
        assert!(!searches.is_caught_up());
        drop(behind);
        assert!(searches.is_caught_up());
    }
}
