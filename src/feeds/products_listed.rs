//! Products of a feed that another product lists as its variant: the same thing is then sold twice, as a product and
//! as a variant. Products that list each other have no end.

use std::cell::RefCell;

use xxhash_rust::xxh3::xxh3_64;

use super::issue_collector::ROWS_NAMED;
use crate::limits;

/// Ids of products, and ids that products list, as hashes.
#[derive(Default)]
pub struct ProductsListed(RefCell<Hashes>);

#[derive(Default)]
struct Hashes {
    products: Vec<u64>,
    listings: Vec<Listing>,
    /// There are more than are remembered: then nothing is reported.
    is_full: bool,
}

/// An id that a product lists.
#[derive(Clone, Copy)]
struct Listing {
    product: u64,
    listed: u64,
    row: u32,
    /// As a variant with fields of its own, not in a list of ids alone.
    is_variant: bool,
}

impl ProductsListed {
    /// The product in row `row` has an id and lists others: in `variants` those of its `Variants`, in `children` those
    /// of `AssociatedIds`.
    pub(super) fn product<'i>(
        &self,
        row: u64,
        id: &str,
        variants: impl Iterator<Item = &'i str>,
        children: impl Iterator<Item = &'i str>,
    ) {
        let mut hashes = self.0.borrow_mut();
        if hashes.is_full {
            return;
        }
        let product = hash(id);
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        hashes.products.push(product);
        let listed = variants.map(|id| (hash(id), true)).chain(children.map(|id| (hash(id), false)));
        let others = listed.filter(|(listed, _)| *listed != product);
        hashes.listings.extend(others.map(|(listed, is_variant)| Listing {
            product,
            listed,
            row,
            is_variant,
        }));
        let remembered = hashes.products.len() + hashes.listings.len();
        if remembered > limits::PRODUCTS_NOTICED {
            *hashes = Hashes { is_full: true, ..Hashes::default() };
        }
    }

    /// Counts the variants that are products of the same feed, and the products that list each other, and lists the
    /// first such rows.
    #[must_use]
    pub fn count_twice(&self) -> (u64, Vec<u64>) {
        let mut hashes = self.0.borrow_mut();
        let Hashes { products, listings, .. } = &mut *hashes;
        products.sort_unstable();
        listings.retain(|listing| products.binary_search(&listing.listed).is_ok());
        listings.sort_unstable_by_key(|listing| (listing.product, listing.listed, listing.row));
        let lists = |product: u64, listed: u64| {
            listings
                .binary_search_by_key(&(product, listed), |listing| (listing.product, listing.listed))
                .is_ok()
        };
        let is_told = |listing: &&Listing| listing.is_variant || lists(listing.listed, listing.product);
        let mut told: Vec<&Listing> = listings.iter().filter(is_told).collect();
        // An id that stands in both lists of a product is one.
        told.dedup_by_key(|listing| (listing.product, listing.listed, listing.row));
        let mut rows: Vec<_> = told.iter().map(|listing| u64::from(listing.row)).collect();
        let count = rows.len() as u64;
        rows.sort_unstable();
        rows.dedup();
        rows.truncate(ROWS_NAMED);
        (count, rows)
    }
}

fn hash(id: &str) -> u64 {
    xxh3_64(id.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(listed: &ProductsListed, row: u64, id: &str, variants: &[&str], children: &[&str]) {
        listed.product(row, id, variants.iter().copied(), children.iter().copied());
    }

    #[test]
    fn variants_that_are_products_are_counted_and_the_first_rows_named() {
        let listed = ProductsListed::default();
        see(&listed, 9, "tee", &["tee-s", "cap", "tee"], &["cap", "bag"]);
        see(&listed, 3, "cap", &[], &[]);
        see(&listed, 4, "bag", &["cap", "nobody"], &[]);
        assert_eq!(listed.count_twice(), (2, vec![4, 9]), "a child that is a product is usual");
        assert_eq!(listed.count_twice(), (2, vec![4, 9]));
        assert_eq!(ProductsListed::default().count_twice(), (0, Vec::new()));
    }

    #[test]
    fn products_that_list_each_other_are_counted_in_either_list() {
        let listed = ProductsListed::default();
        see(&listed, 1, "a", &[], &["b", "c", "a"]);
        see(&listed, 2, "b", &[], &["a"]);
        see(&listed, 3, "c", &[], &["d"]);
        see(&listed, 4, "d", &["c"], &[]);
        assert_eq!(listed.count_twice(), (4, vec![1, 2, 3, 4]));
    }

    #[test]
    fn only_the_first_rows_are_named_each_once() {
        let listed = ProductsListed::default();
        for row in (1..=9).rev() {
            see(&listed, row, &format!("p{row}"), &["x", "y"], &[]);
        }
        see(&listed, 10, "x", &[], &[]);
        see(&listed, 11, "y", &[], &[]);
        assert_eq!(listed.count_twice(), (18, vec![1, 2, 3, 4, 5]));
    }

    #[test]
    fn of_more_products_than_are_remembered_nothing_is_said() {
        let listed = ProductsListed::default();
        see(&listed, 1, "tee", &["cap"], &[]);
        see(&listed, 2, "cap", &[], &[]);
        for n in 3..limits::PRODUCTS_NOTICED {
            see(&listed, 3, &n.to_string(), &[], &[]);
        }
        assert_eq!(listed.count_twice(), (1, vec![1]));
        see(&listed, 3, "one more", &[], &[]);
        assert_eq!(listed.count_twice(), (0, Vec::new()));
    }
}
