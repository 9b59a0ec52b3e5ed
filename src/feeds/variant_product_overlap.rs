//! Products of a feed that another product lists as its variant: the same thing is then sold twice, as a product and
//! as a variant. Products that list each other have no end.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::issue_collector::ROWS_NAMED;
use crate::limits;

/// Ids of products, and ids that products list, as hashes.
#[derive(Default)]
pub struct VariantProductOverlap(RefCell<ListedIds>);

/// Variants that are products, and products that list each other.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct OverlapCounts {
    /// Number of such variants and listed products.
    pub overlaps: u64,
    /// The first rows that list them, in order.
    pub first_rows: Vec<u64>,
    /// Ids that were not compared, because they were too many: nothing is counted then.
    pub unchecked: u64,
}

#[derive(Default)]
struct ListedIds {
    products: Vec<ListingProduct>,
    /// The ids that the products list, product by product.
    listings: Vec<Listing>,
    /// Number of ids that came, also of those that were not remembered.
    ids: u64,
    /// There were more than are remembered.
    is_full: bool,
}

/// A product, and the place behind its listings: they begin where those of the product before it end.
struct ListingProduct {
    hash: u64,
    row: u32,
    listings_end: u32,
}

/// An id that a product lists: its hash, but for the last bit, which is set for a variant with fields of its own. In 8
/// bytes: a feed may have millions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Listing(u64);

impl Listing {
    const VARIANT: u64 = 1;

    fn hash(self) -> u64 {
        self.0 & !Self::VARIANT
    }

    fn is_variant(self) -> bool {
        self.0 & Self::VARIANT != 0
    }
}

impl VariantProductOverlap {
    /// The product in row `row` has an id and lists others: in `variants` those of its `Variants`, in `children` those
    /// of `AssociatedIds`.
    pub(super) fn product<'i>(
        &self,
        row: u64,
        id: &str,
        variants: impl Iterator<Item = &'i str>,
        children: impl Iterator<Item = &'i str>,
    ) {
        let mut ids = self.0.borrow_mut();
        let hash = hash_id(id);
        let variants = variants.map(|id| Listing(hash_id(id) | Listing::VARIANT));
        let listed = variants.chain(children.map(|id| Listing(hash_id(id))));
        let listed = listed.filter(|listing| listing.hash() != hash);
        ids.add_product(hash, u32::try_from(row).unwrap_or(u32::MAX), listed);
    }

    /// Counts the variants that are products of the same feed, and the products that list each other, and lists the
    /// first such rows.
    #[must_use]
    pub fn count_overlaps(&self) -> OverlapCounts {
        let mut ids = self.0.borrow_mut();
        if ids.is_full {
            return OverlapCounts { unchecked: ids.ids, ..OverlapCounts::default() };
        }
        ids.sort_listings();
        let ids = &*ids;
        let by_hash = ids.sort_products();
        let mut overlaps = 0;
        let mut first_rows = BTreeSet::new();
        for (at, product) in ids.products.iter().enumerate() {
            let listings = &ids.listings[ids.listings_of(at)];
            // An id that stands in both lists of a product is one.
            for same in listings.chunk_by(|one, other| one.hash() == other.hash()) {
                let is_told = same.iter().any(|listing| {
                    let mut products = ids.products_with(&by_hash, listing.hash()).peekable();
                    products.peek().is_some()
                        && (listing.is_variant() || products.any(|at| ids.lists(at, product.hash)))
                });
                if is_told {
                    overlaps += 1;
                    first_rows.insert(u64::from(product.row));
                    if first_rows.len() > ROWS_NAMED {
                        first_rows.pop_last();
                    }
                }
            }
        }
        OverlapCounts { overlaps, first_rows: first_rows.into_iter().collect(), unchecked: 0 }
    }
}

impl ListedIds {
    fn add_product(&mut self, hash: u64, row: u32, listed: impl Iterator<Item = Listing>) {
        self.ids += 1;
        for listing in listed {
            self.ids += 1;
            if !self.is_full {
                reserve_one(&mut self.listings);
                self.listings.push(listing);
            }
        }
        if self.is_full {
            return;
        }
        let listings_end = u32::try_from(self.listings.len()).unwrap_or(u32::MAX);
        reserve_one(&mut self.products);
        self.products.push(ListingProduct { hash, row, listings_end });
        if size_of_val(&self.listings[..]) + size_of_val(&self.products[..]) > limits::LISTED_IDS_BYTES {
            *self = Self { ids: self.ids, is_full: true, ..Self::default() };
        }
    }

    fn listings_of(&self, product: usize) -> Range<usize> {
        let begin = product.checked_sub(1).map_or(0, |before| self.products[before].listings_end);
        begin as usize..self.products[product].listings_end as usize
    }

    /// Sorts the listings of each product.
    fn sort_listings(&mut self) {
        for product in 0..self.products.len() {
            let listings = self.listings_of(product);
            self.listings[listings].sort_unstable();
        }
    }

    /// The places of the products, by their hashes.
    fn sort_products(&self) -> Vec<u32> {
        let mut places: Vec<_> = (0..u32::try_from(self.products.len()).unwrap_or(u32::MAX)).collect();
        places.sort_unstable_by_key(|place| self.products[*place as usize].hash);
        places
    }

    /// The products with an id: several rows of a feed may have one.
    fn products_with<'p>(&'p self, by_hash: &'p [u32], hash: u64) -> impl Iterator<Item = usize> + 'p {
        let hash_at = |place: &u32| self.products[*place as usize].hash;
        let first = by_hash.partition_point(|place| hash_at(place) < hash);
        let same = by_hash[first..].iter().take_while(move |place| hash_at(place) == hash);
        same.map(|place| *place as usize)
    }

    /// Returns true if a product lists an id; its listings are sorted.
    fn lists(&self, product: usize, hash: u64) -> bool {
        let listings = &self.listings[self.listings_of(product)];
        listings.binary_search_by_key(&hash, |listing| listing.hash()).is_ok()
    }
}

/// Makes room for one more, and for a quarter more than there are: room for twice as many may be too much memory.
fn reserve_one<T>(all: &mut Vec<T>) {
    if all.len() == all.capacity() {
        all.reserve_exact(all.len() / 4 + 64);
    }
}

/// The hash of an id, without the bit that a listing needs.
fn hash_id(id: &str) -> u64 {
    xxh3_64(id.as_bytes()) & !Listing::VARIANT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(overlap: &VariantProductOverlap, row: u64, id: &str, variants: &[&str], children: &[&str]) {
        overlap.product(row, id, variants.iter().copied(), children.iter().copied());
    }

    fn counts(overlaps: u64, first_rows: &[u64]) -> OverlapCounts {
        OverlapCounts { overlaps, first_rows: first_rows.to_vec(), unchecked: 0 }
    }

    #[test]
    fn variants_that_are_products_are_counted_and_the_first_rows_named() {
        let overlap = VariantProductOverlap::default();
        see(&overlap, 9, "tee", &["tee-s", "cap", "tee"], &["cap", "bag"]);
        see(&overlap, 3, "cap", &[], &[]);
        see(&overlap, 4, "bag", &["cap", "nobody"], &[]);
        assert_eq!(overlap.count_overlaps(), counts(2, &[4, 9]), "a child that is a product is usual");
        assert_eq!(overlap.count_overlaps(), counts(2, &[4, 9]));
        assert_eq!(VariantProductOverlap::default().count_overlaps(), counts(0, &[]));
    }

    #[test]
    fn products_that_list_each_other_are_counted_in_either_list() {
        let overlap = VariantProductOverlap::default();
        see(&overlap, 1, "a", &[], &["b", "c", "a"]);
        see(&overlap, 2, "b", &[], &["a"]);
        see(&overlap, 3, "c", &[], &["d"]);
        see(&overlap, 4, "d", &["c"], &[]);
        assert_eq!(overlap.count_overlaps(), counts(4, &[1, 2, 3, 4]));
    }

    #[test]
    fn an_id_that_came_twice_is_looked_for_in_both_rows() {
        let overlap = VariantProductOverlap::default();
        see(&overlap, 1, "a", &[], &["b"]);
        see(&overlap, 2, "b", &[], &[]);
        see(&overlap, 3, "b", &[], &["c", "a"]);
        see(&overlap, 4, "b", &[], &["d"]);
        assert_eq!(overlap.count_overlaps(), counts(2, &[1, 3]));
    }

    #[test]
    fn only_the_first_rows_are_named_each_once() {
        let overlap = VariantProductOverlap::default();
        for row in (1..=9).rev() {
            see(&overlap, row, &format!("p{row}"), &["x", "y"], &[]);
        }
        see(&overlap, 10, "x", &[], &[]);
        see(&overlap, 11, "y", &[], &[]);
        assert_eq!(overlap.count_overlaps(), counts(18, &[1, 2, 3, 4, 5]));
    }

    /// 50,000 products of 100 variants each are compared. If there are too many, it is told how many.
    #[test]
    fn as_many_ids_as_are_remembered_are_compared_and_more_are_told() {
        const PRODUCTS: u64 = 50_000;
        const VARIANTS: u64 = 100;
        let overlap = VariantProductOverlap::default();
        // Hashes of numbers, as ids would have.
        let hash = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !Listing::VARIANT;
        for row in 0..PRODUCTS {
            let first = row * VARIANTS;
            let variants = (first..first + VARIANTS).map(|n| Listing(hash(n) | Listing::VARIANT));
            let id = if row == 7 { PRODUCTS * VARIANTS - 1 } else { PRODUCTS * VARIANTS + row };
            overlap.0.borrow_mut().add_product(hash(id), row as u32, variants);
        }
        let listings = PRODUCTS * VARIANTS;
        let left = (limits::LISTED_IDS_BYTES as u64 - 8 * listings) / 16 - PRODUCTS;
        for row in 0..left {
            see(&overlap, row, "p0", &[], &[]);
        }
        assert_eq!(overlap.count_overlaps(), counts(1, &[PRODUCTS - 1]));
        let bytes = |ids: &ListedIds| {
            ids.listings.capacity() * size_of::<Listing>()
                + ids.products.capacity() * size_of::<ListingProduct>()
        };
        assert!(bytes(&overlap.0.borrow()) < 64 << 20);
        see(&overlap, 1, "one more", &["cap"], &[]);
        see(&overlap, 2, "cap", &["cap"], &["a", "b"]);
        let unchecked = listings + PRODUCTS + left + 5;
        assert_eq!(overlap.count_overlaps(), OverlapCounts { unchecked, ..OverlapCounts::default() });
        assert_eq!(bytes(&overlap.0.borrow()), 0);
    }
}
