//! Categories and brands that products name by their titles, as rows of their own.
//!
//! Their ids are made from the titles, so that the next feed gives the same ones, whatever its order. A title that
//! changes is another category.

use std::collections::HashSet;

use serde_json::json;
use xxhash_rust::xxh3::xxh3_128;

use super::values::category_path::CategoryPath;
use crate::limits;

/// Bytes of the rows of one section, which wait in memory; usual ones have about a hundred each.
const ROWS_BYTES_MAX: usize = 24 << 20;

/// Rows of one section that were made so far.
#[derive(Default)]
pub struct DerivedItems {
    /// Hashes of the ids that are known.
    known: HashSet<u128>,
    /// Their rows, as JSON.
    rows: Vec<Box<[u8]>>,
    /// Bytes of the rows.
    bytes: usize,
}

impl DerivedItems {
    /// Id of the category at the end of a path, whose rows are made if they are new: those of its parents too.
    pub fn add_category(&mut self, path: &CategoryPath) -> String {
        let mut parent: Option<String> = None;
        for level in 1..=path.len().min(limits::FEED_CATEGORY_LEVELS) {
            let titles = &path[..level];
            let id = derive_id(&titles.join(" > "));
            let title = titles.last().map(String::as_str).unwrap_or_default();
            self.add(&id, title, parent.as_deref());
            parent = Some(id);
        }
        parent.unwrap_or_default()
    }

    /// Id of a brand, whose row is made if it is new.
    pub fn add_brand(&mut self, title: &str) -> String {
        let id = derive_id(title);
        self.add(&id, title, None);
        id
    }

    /// Rows that were made, in the order in which they were met.
    #[must_use]
    pub fn into_rows(self) -> Vec<Box<[u8]>> {
        self.rows
    }

    fn add(&mut self, id: &str, title: &str, parent: Option<&str>) {
        let hash = xxh3_128(id.as_bytes());
        if self.known.contains(&hash) {
            return;
        }
        if self.known.len() == limits::FEED_DERIVED_ITEMS || self.bytes > ROWS_BYTES_MAX {
            return;
        }
        self.known.insert(hash);
        let parents: Vec<&str> = parent.into_iter().collect();
        // A longer text is no title: the shop put something else into the column.
        let title = &title[..title.floor_char_boundary(limits::ITEM_ID_BYTES)];
        let row = json!({"Id": id, "DisplayName": title, "ParentIds": parents}).to_string();
        self.bytes += row.len();
        self.rows.push(row.into_bytes().into_boxed_slice());
    }
}

/// The title in lower case with single spaces, so that `Oak  Works` and `oak works` are one; with a hash in place of
/// its end where it is longer than an id may be.
fn derive_id(title: &str) -> String {
    let words: Vec<String> = title.split_whitespace().map(str::to_lowercase).collect();
    let mut id = words.join(" ");
    if id.len() > limits::ITEM_ID_BYTES {
        let hash = format!("{:032x}", xxh3_128(id.as_bytes()));
        id.truncate(id.floor_char_boundary(limits::ITEM_ID_BYTES - hash.len()));
        id.push_str(&hash);
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(titles: &[&str]) -> CategoryPath {
        titles.iter().map(|title| (*title).to_owned()).collect()
    }

    #[test]
    fn a_path_makes_each_category_once_below_its_parent() {
        let mut items = DerivedItems::default();
        assert_eq!(items.add_category(&path(&["Home", "Oak  Chairs"])), "home > oak chairs");
        assert_eq!(items.add_category(&path(&["home", "Lamps"])), "home > lamps");
        let rows = items.into_rows();
        let expected = [
            json!({"Id": "home", "DisplayName": "Home", "ParentIds": []}),
            json!({"Id": "home > oak chairs", "DisplayName": "Oak  Chairs", "ParentIds": ["home"]}),
            json!({"Id": "home > lamps", "DisplayName": "Lamps", "ParentIds": ["home"]}),
        ];
        let rows = rows.iter().map(|row| serde_json::from_slice(row).expect("a row"));
        assert_eq!(rows.collect::<Vec<serde_json::Value>>(), expected);
    }

    #[test]
    fn titles_of_a_megabyte_do_not_fill_the_memory() {
        let mut items = DerivedItems::default();
        items.add_brand(&"é".repeat(500_000));
        let rows = std::mem::take(&mut items).into_rows();
        assert!(rows.iter().all(|row| row.len() < 2_000), "a title is cut");
        for number in 0..limits::FEED_DERIVED_ITEMS {
            items.add_brand(&format!("{number}{}", "b".repeat(400)));
        }
        let bytes: usize = items.into_rows().iter().map(|row| row.len()).sum();
        assert!((ROWS_BYTES_MAX..ROWS_BYTES_MAX + 2_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn an_id_is_never_longer_than_ids_may_be_and_differs_where_titles_do() {
        let long = "é".repeat(limits::ITEM_ID_BYTES);
        let [one, other] = [derive_id(&format!("{long}a")), derive_id(&format!("{long}b"))];
        assert!(one.len() <= limits::ITEM_ID_BYTES && one != other);
        assert_eq!(derive_id(&"x".repeat(limits::ITEM_ID_BYTES)), "x".repeat(limits::ITEM_ID_BYTES));
    }
}
