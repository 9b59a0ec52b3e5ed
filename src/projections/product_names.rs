//! Product lookup: the catalogue id for an id, an SKU or a variant.

use std::collections::{BTreeSet, HashMap};

use super::all::AllDerived;
use crate::blobs::Blobs;
use crate::catalogue::CatalogueFault;
use crate::catalogue::visible::CatalogueView;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::store::Store;

impl AllDerived {
    /// The catalogue ids of the named products, each once; products that the account does not show are left out.
    ///
    /// # Errors
    /// When the store or a catalogue file fails.
    pub async fn ids_of(
        &self,
        store: &Store,
        blobs: &Blobs,
        account: AccountId,
        named: BTreeSet<String>,
    ) -> Result<HashMap<String, Option<String>>, CatalogueFault> {
        let mut ids = HashMap::with_capacity(named.len());
        let mut named = named.into_iter().peekable();
        // A basket has hundreds, and a request many baskets: other readers get their turn between two parts.
        while named.peek().is_some() {
            let some: Vec<_> = named.by_ref().take(limits::UNIT_ROWS).collect();
            ids.extend(self.some_ids_of(store, blobs, account, some).await?);
            tokio::task::yield_now().await;
        }
        Ok(ids)
    }

    async fn some_ids_of(
        &self,
        store: &Store,
        blobs: &Blobs,
        account: AccountId,
        named: Vec<String>,
    ) -> Result<Vec<(String, Option<String>)>, CatalogueFault> {
        // Most are ids of search hits, and looking there costs little. An unreadable index counts as one without the
        // product.
        let search = self.searches().shown_if_open(account);
        let is_shown =
            |name: &String| search.as_ref().is_some_and(|shown| matches!(shown.snapshot.has(name), Ok(true)));
        let (shown, others): (Vec<_>, Vec<_>) = named.into_iter().partition(is_shown);
        let mut ids: Vec<_> = shown.into_iter().map(|id| (id.clone(), Some(id))).collect();
        if others.is_empty() {
            return Ok(ids);
        }
        let blobs = blobs.clone();
        let reading = store.read(move |tx| {
            let mut catalogue = CatalogueView::open(tx, &blobs, account)?;
            let mut found = Vec::with_capacity(others.len());
            for name in &others {
                let item = catalogue.find_by_key(Section::Products, name)?;
                found.push((name.clone(), item.map(|item| item.id)));
            }
            Ok::<_, CatalogueFault>(found)
        });
        ids.extend(reading.await?);
        Ok(ids)
    }
}
