//! Names by which the products of a feed refer to their categories. An unknown id is often a category's name, and the
//! product is then silently in no category.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::issue_collector::ROWS_NAMED;
use crate::limits;

/// Categories that products name and categories that exist, as hashes of their texts.
#[derive(Default)]
pub struct CategoriesNamed(RefCell<Hashes>);

#[derive(Default)]
struct Hashes {
    ids: HashSet<u64>,
    titles: HashSet<u64>,
    named: HashMap<u64, CategoryMentions>,
    /// There are more than are remembered: then nothing is reported.
    is_full: bool,
}

/// Products that name one category.
#[derive(Default)]
struct CategoryMentions {
    products: u64,
    first_rows: Vec<u64>,
}

impl CategoriesNamed {
    /// The product in row `row` names a category.
    pub(super) fn product_names(&self, row: u64, category: &str) {
        let mut hashes = self.0.borrow_mut();
        if hashes.is_full {
            return;
        }
        let named = hashes.named.entry(hash(category)).or_default();
        named.products += 1;
        if named.first_rows.len() < ROWS_NAMED {
            named.first_rows.push(row);
        }
        hashes.is_full = hashes.named.len() > limits::CATEGORIES_NOTICED;
    }

    /// There is a category with an id and perhaps a title.
    pub(super) fn category(&self, id: &str, title: Option<&str>) {
        let mut hashes = self.0.borrow_mut();
        if hashes.is_full {
            return;
        }
        hashes.ids.insert(hash(id));
        hashes.titles.extend(title.map(hash));
        hashes.is_full = hashes.ids.len() > limits::CATEGORIES_NOTICED;
    }

    /// Counts the products that name categories of the same feed by title instead of id, and lists the first such rows.
    #[must_use]
    pub fn by_title(&self) -> (u64, Vec<u64>) {
        let hashes = self.0.borrow();
        if hashes.is_full {
            return (0, Vec::new());
        }
        let is_id = |hash: &u64| hashes.ids.contains(hash);
        let by_title = hashes.named.iter().filter(|(hash, _)| hashes.titles.contains(*hash) && !is_id(hash));
        let mut count = 0;
        let mut rows = Vec::new();
        for (_, named) in by_title {
            count += named.products;
            rows.extend(&named.first_rows);
        }
        rows.sort_unstable();
        rows.dedup();
        rows.truncate(ROWS_NAMED);
        (count, rows)
    }
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.trim().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_that_name_a_category_by_title_are_counted_and_the_first_rows_named() {
        let named = CategoriesNamed::default();
        named.category("c1", Some("Chairs"));
        named.category("Tables", Some("Tables"));
        named.category("c3", None);
        for row in (1..=9).rev() {
            named.product_names(row, "Chairs");
        }
        for (row, category) in [(1, " Chairs "), (10, "Tables"), (11, "c1"), (12, "Lamps"), (13, "c3")] {
            named.product_names(row, category);
        }
        assert_eq!(named.by_title(), (10, vec![5, 6, 7, 8, 9]));
    }

    #[test]
    fn of_more_names_than_are_remembered_nothing_is_said() {
        for is_category in [false, true] {
            let named = CategoriesNamed::default();
            let add = |number: usize| {
                let text = format!("{is_category} {number}");
                if is_category { named.category(&text, None) } else { named.product_names(1, &text) }
            };
            named.category("c1", Some("Chairs"));
            named.product_names(1, "Chairs");
            (1..limits::CATEGORIES_NOTICED).for_each(add);
            assert_eq!(named.by_title(), (1, vec![1]));
            add(limits::CATEGORIES_NOTICED);
            assert_eq!(named.by_title(), (0, Vec::new()));
        }
    }

    #[test]
    fn a_row_that_names_several_categories_by_title_is_named_once_and_only_the_first_rows_are() {
        let named = CategoriesNamed::default();
        for (category, rows) in [("Chairs", &[9, 2, 8, 4, 6, 1][..]), ("Tables", &[3, 2, 7][..])] {
            named.category(&format!("id of {category}"), Some(category));
            rows.iter().for_each(|row| named.product_names(*row, category));
        }
        assert_eq!(named.by_title(), (9, vec![2, 3, 4, 6, 7]));
    }
}
