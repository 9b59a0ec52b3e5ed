//! A store for tests of submissions.

use crate::ids::AccountId;
use crate::store::{Store, StoreFault, StoreOptions, Tx};

/// The account of the tests.
pub(super) const SHOP: AccountId = AccountId(1);

/// Runs one unit of work on a new store.
pub(super) async fn write_new_store<T: Send + 'static>(
    work: impl Fn(&mut Tx<'_>) -> Result<T, StoreFault> + Send + 'static,
) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
    store.write(SHOP, work).await.expect("it is written")
}
