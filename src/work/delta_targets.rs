//! Items that the products' Ids and SKUs of a delta mean: each is looked up once, even if the delta names it often.

use std::collections::HashMap;

use super::variant_cache::VariantCache;
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
    /// Variants of the items.
    pub(super) variants: VariantCache,
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
        self.variants.clear();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn target(item: &str) -> Target {
        Target { item: item.to_owned(), sku: Some(format!("{item}-sku")) }
    }

    /// The items that these keys mean.
    fn items<const N: usize>(targets: &Targets, keys: [&str; N]) -> [Option<String>; N] {
        keys.map(|key| targets.find_target(key).map(|target| target.item))
    }

    fn some(item: &str) -> Option<String> {
        Some(item.to_owned())
    }

    #[test]
    fn what_was_looked_up_is_kept_to_the_end_of_the_delta() {
        let mut targets = Targets::default();
        targets.begin_delta(1);
        targets.record("key", &target("one"));
        targets.begin_delta(1);
        let found = targets.find_target("key").map(|target| (target.item, target.sku));
        assert_eq!(found, Some(("one".to_owned(), Some("one-sku".to_owned()))));
        assert_eq!(items(&targets, ["one", "one-sku"]), [None, None]);
        targets.begin_delta(2);
        assert_eq!(items(&targets, ["key"]), [None]);
        targets.record("key", &target("two"));
        targets.begin_delta(2);
        assert_eq!(items(&targets, ["key"]), [some("two")]);
        targets.begin_delta(1);
        assert_eq!(items(&targets, ["key"]), [None]);
    }

    #[test]
    fn a_unit_that_runs_again_looks_everything_up_again() {
        let place = |n| Some(ChangePlace { seq: 1, n });
        let mut targets = Targets::default();
        targets.begin_unit(place(0));
        targets.record("key", &target("one"));
        targets.begin_unit(place(500));
        assert_eq!(items(&targets, ["key"]), [some("one")], "another unit goes on with it");
        targets.begin_unit(place(500));
        assert_eq!(items(&targets, ["key"]), [None], "the unit was undone");
        assert!(targets.keys_of.is_empty());
        targets.record("key", &target("two"));
        targets.begin_unit(place(1000));
        assert_eq!(items(&targets, ["key"]), [some("two")]);
    }

    #[test]
    fn a_product_that_is_put_takes_its_names_along() {
        let mut targets = Targets::default();
        for (key, item) in [("one", "one"), ("of one", "one"), ("two", "two"), ("of three", "three")] {
            targets.record(key, &target(item));
        }
        let keys = ["one", "of one", "two", "of three"];
        targets.forget(Section::Categories, "one", Some("two"));
        let [one, two, three] = ["one", "two", "three"].map(some);
        assert_eq!(items(&targets, keys), [one.clone(), one, two.clone(), three.clone()]);
        targets.forget(Section::Products, "one", None);
        assert_eq!(items(&targets, keys), [None, None, two, three.clone()]);
        // A key that meant nobody's product until now, and one that was another's SKU.
        targets.forget(Section::Products, "two", Some("of three"));
        assert_eq!(items(&targets, keys), [None, None, None, None]);
        targets.record("of three", &target("three"));
        targets.forget(Section::Products, "four", None);
        assert_eq!(items(&targets, ["of three"]), [three]);
    }
}
