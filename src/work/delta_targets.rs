//! Items that the products' Ids and SKUs of a delta mean: each is looked up once, even if the delta names it often.

use std::collections::HashMap;

use crate::catalogue::position::ChangePlace;
use crate::feeds::section::Section;

/// Item that a product's Id or SKU means.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) item: String,
    /// The SKU, unless the key is certainly an Id: an item that a feed brings later may have it.
    pub(super) sku: Option<String>,
}

/// Items that the keys of one delta mean, as they were looked up so far.
#[derive(Default)]
pub(super) struct Targets {
    /// The delta.
    seq: i64,
    /// Place where the last unit of work began.
    begun_at: Option<ChangePlace>,
    by_key: HashMap<String, Target>,
    /// The keys that mean an item.
    keys_of: HashMap<String, Vec<String>>,
}

impl Targets {
    /// Begins a unit of work at a place. A unit that is run again was undone, and its lookups with it.
    pub(super) fn begin_unit(&mut self, place: Option<ChangePlace>) {
        if self.begun_at == place {
            self.clear();
        }
        self.begun_at = place;
    }

    /// Forgets the meaning of keys in an earlier delta.
    pub(super) fn begin_delta(&mut self, seq: i64) {
        if self.seq != seq {
            self.seq = seq;
            self.clear();
        }
    }

    fn clear(&mut self) {
        self.by_key.clear();
        self.keys_of.clear();
    }

    pub(super) fn find_target(&self, key: &str) -> Option<Target> {
        self.by_key.get(key).cloned()
    }

    pub(super) fn record(&mut self, key: &str, target: &Target) {
        self.keys_of.entry(target.item.clone()).or_default().push(key.to_owned());
        self.by_key.insert(key.to_owned(), target.clone());
    }

    /// Forgets the names that led to an item that is put, and those that may lead to it from here on.
    pub(super) fn forget(&mut self, section: Section, item: &str, sku: Option<&str>) {
        if section != Section::Products {
            return;
        }
        let keys = self.keys_of.remove(item).unwrap_or_default();
        for key in keys.iter().map(String::as_str).chain([item]).chain(sku) {
            self.by_key.remove(key);
        }
    }
}
