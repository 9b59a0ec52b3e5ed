//! What products are called: the catalogue id of an id, an SKU or a variant that somebody sends.

use std::collections::{BTreeSet, HashMap};

use super::AllDerived;
use crate::blobs::Blobs;
use crate::catalogue::CatalogueFault;
use crate::catalogue::visible::Catalogue;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::store::Store;

impl AllDerived {
    /// The catalogue ids of what is named, each once; none of what the account does not show.
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
        // Most are ids of what a search shows, and asking it costs little. One that cannot be read is as one that does
        // not have it.
        let search = self.searches().shown_if_open(account);
        let is_shown =
            |name: &String| search.as_ref().is_some_and(|shown| matches!(shown.snapshot.has(name), Ok(true)));
        let (shown, others): (BTreeSet<_>, BTreeSet<_>) = named.into_iter().partition(is_shown);
        let mut ids: HashMap<_, _> = shown.into_iter().map(|id| (id.clone(), Some(id))).collect();
        if others.is_empty() {
            return Ok(ids);
        }
        let blobs = blobs.clone();
        let reading = store.read(move |tx| {
            let mut catalogue = Catalogue::open(tx, &blobs, account)?;
            let mut found = Vec::with_capacity(others.len());
            for name in &others {
                let item = catalogue.find(Section::Products, name)?;
                found.push((name.clone(), item.map(|item| item.id)));
            }
            Ok::<_, CatalogueFault>(found)
        });
        ids.extend(reading.await?);
        Ok(ids)
    }
}
