//! Numbers for the catalogue ids of clicked items. A number has no meaning: it is never compared with that of another
//! item, and never stored.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of an item: valid until the next session is taken out, for it may then become another's.
pub type ItemNumber = u32;

/// Catalogue ids by number, and the other way.
#[derive(Debug, Default)]
pub struct ItemTable {
    ids: Vec<Option<Arc<str>>>,
    numbers: HashMap<Arc<str>, ItemNumber>,
    free: Vec<ItemNumber>,
}

impl ItemTable {
    /// The number of an id, which gets one if it has none.
    pub fn number(&mut self, id: &str) -> ItemNumber {
        if let Some(item) = self.number_of(id) {
            return item;
        }
        let item = self.free.pop().unwrap_or_else(|| {
            self.ids.push(None);
            self.ids.len() as ItemNumber - 1
        });
        let id: Arc<str> = id.into();
        self.ids[item as usize] = Some(id.clone());
        self.numbers.insert(id, item);
        item
    }

    /// Forgets an id; its number may become another's.
    pub fn free(&mut self, item: ItemNumber) {
        if let Some(id) = self.ids.get_mut(item as usize).and_then(Option::take) {
            self.numbers.remove(&id);
            self.free.push(item);
        }
    }

    /// The number of an id.
    #[must_use]
    pub fn number_of(&self, id: &str) -> Option<ItemNumber> {
        self.numbers.get(id).copied()
    }

    /// The id of a number; empty if no item has it.
    #[must_use]
    pub fn id(&self, item: ItemNumber) -> &str {
        self.ids.get(item as usize).and_then(Option::as_deref).unwrap_or_default()
    }

    /// The same, to be kept while the history changes.
    #[must_use]
    pub fn shared_id(&self, item: ItemNumber) -> Arc<str> {
        self.ids.get(item as usize).cloned().flatten().unwrap_or_default()
    }
}
