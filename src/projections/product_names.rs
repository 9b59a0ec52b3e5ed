//! Product lookup: the product, and its variant, that an id or SKU names.

use std::collections::BTreeSet;

use super::all::AllDerived;
use crate::blobs::Blobs;
use crate::catalogue::CatalogueFault;
use crate::catalogue::visible::CatalogueView;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::people::event_action::{EventItem, ResolvedItems};
use crate::store::Store;

impl AllDerived {
    /// The items that ids and SKUs name, each with its variant if the name is that of a variant. If a product and a
    /// variant have the same name, it is the product's. `None` for a product that the account does not show.
    ///
    /// # Errors
    /// When the store or a catalogue file fails.
    pub async fn resolve_items(
        &self,
        store: &Store,
        blobs: &Blobs,
        account: AccountId,
        named: BTreeSet<String>,
    ) -> Result<ResolvedItems, CatalogueFault> {
        let mut items = ResolvedItems::with_capacity(named.len());
        let mut named = named.into_iter().peekable();
        // A basket has hundreds, and a request many baskets: other readers get their turn between two parts.
        while named.peek().is_some() {
            let some: Vec<_> = named.by_ref().take(limits::UNIT_ROWS).collect();
            items.extend(self.resolve_some_items(store, blobs, account, some).await?);
            tokio::task::yield_now().await;
        }
        Ok(items)
    }

    async fn resolve_some_items(
        &self,
        store: &Store,
        blobs: &Blobs,
        account: AccountId,
        named: Vec<String>,
    ) -> Result<Vec<(String, Option<EventItem>)>, CatalogueFault> {
        // Most are ids of search hits, and looking there costs little. An unreadable index counts as one without the
        // product.
        let search = self.searches().shown_if_open(account);
        let is_shown =
            |name: &String| search.as_ref().is_some_and(|shown| matches!(shown.snapshot.has(name), Ok(true)));
        let (shown, others): (Vec<_>, Vec<_>) = named.into_iter().partition(is_shown);
        let mut items: Vec<_> = shown.into_iter().map(|id| (id.clone(), Some(id.into()))).collect();
        if others.is_empty() {
            return Ok(items);
        }
        let blobs = blobs.clone();
        let reading = store.read(move |tx| {
            let mut catalogue = CatalogueView::open(tx, &blobs, account)?;
            let resolved = catalogue.resolve_keys(Section::Products, &others)?.into_iter();
            let resolved =
                resolved.map(|item| item.map(|item| EventItem { product: item.item, variant: item.child }));
            Ok::<_, CatalogueFault>(others.iter().cloned().zip(resolved).collect::<Vec<_>>())
        });
        items.extend(reading.await?);
        Ok(items)
    }
}
