//! Numbers for the catalogue ids of items that somebody clicked. A number says nothing: it is never compared with that
//! of another item, and never stored.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of an item: valid until the next session is taken out, for it may then become another's.
pub type Item = u32;

/// Catalogue ids by number, and the other way.
#[derive(Debug, Default)]
pub struct Items {
    ids: Vec<Option<Arc<str>>>,
    numbers: HashMap<Arc<str>, Item>,
    free: Vec<Item>,
}

impl Items {
    /// The number of an id, which gets one if it has none.
    pub fn number(&mut self, id: &str) -> Item {
        if let Some(item) = self.find(id) {
            return item;
        }
        let item = self.free.pop().unwrap_or_else(|| {
            self.ids.push(None);
            self.ids.len() as Item - 1
        });
        let id: Arc<str> = id.into();
        self.ids[item as usize] = Some(id.clone());
        self.numbers.insert(id, item);
        item
    }

    /// Forgets an id; its number may become another's.
    pub fn free(&mut self, item: Item) {
        if let Some(id) = self.ids.get_mut(item as usize).and_then(Option::take) {
            self.numbers.remove(&id);
            self.free.push(item);
        }
    }

    /// The number of an id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Item> {
        self.numbers.get(id).copied()
    }

    /// The id of a number; empty if it is nobody's.
    #[must_use]
    pub fn id(&self, item: Item) -> &str {
        self.ids.get(item as usize).and_then(Option::as_deref).unwrap_or_default()
    }

    /// The same, to be kept while the history changes.
    #[must_use]
    pub fn shared_id(&self, item: Item) -> Arc<str> {
        self.ids.get(item as usize).cloned().flatten().unwrap_or_default()
    }
}
