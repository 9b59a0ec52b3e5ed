//! Children of a product. Variants are no rows of their own: their parent lists them, once each. Here are the lists of
//! their ids, SKUs and titles; `variants` reads those that are objects.
//!
//! Lists of the same length stand side by side: an element left out of one is left out of the others.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::Hash;

use super::coerce::{WrongType, element_text, list_elements};
use super::context::RowFault;
use super::sorted_row::{ListElement, SortedRow};
use super::variants::VariantKeys;
use crate::feeds::issue::IssueCode;
use crate::limits;

const IDS: &str = "AssociatedIds";
const SKUS: &str = "AssociatedSkus";
const TITLES: &str = "AssociatedTitles";

/// Elements so far. Most products have a few children, for which a linear search is faster than hashing.
struct SmallSet<T> {
    few: Vec<T>,
    many: HashSet<T>,
}

impl<T: Copy + Eq + Hash> SmallSet<T> {
    const FEW: usize = 16;

    fn from_pair(first: [T; 2]) -> Self {
        Self { few: first.to_vec(), many: HashSet::new() }
    }

    /// Adds an element. Returns true if it is new.
    fn insert(&mut self, one: T) -> bool {
        if self.few.len() < Self::FEW {
            let is_new = !self.few.contains(&one);
            if is_new {
                self.few.push(one);
            }
            return is_new;
        }
        !self.few.contains(&one) && self.many.insert(one)
    }
}

/// Lists that stand side by side, and the key of each child in them: a list's name and the text there.
struct ChildTable<'a> {
    lists: &'static [&'static str],
    named: Vec<(&'static str, &'a str)>,
}

impl<'a> ChildTable<'a> {
    /// Both lists of keys as one table, or each alone.
    fn from_keys(ids: &'a [Cow<'_, str>], skus: &'a [Cow<'_, str>]) -> Vec<Self> {
        let column = |name, texts: &'a [Cow<'_, str>]| texts.iter().map(move |text| (name, &**text));
        if ids.len() != skus.len() {
            let ids = column(IDS, ids).collect();
            let skus = column(SKUS, skus).collect();
            return vec![Self { lists: &[IDS], named: ids }, Self { lists: &[SKUS], named: skus }];
        }
        // A child is known by its id, if it has one: variations without a SKU are sent with their parent's.
        let rows = column(IDS, ids).zip(column(SKUS, skus));
        let named = rows.map(|(id, sku)| if id.1.trim().is_empty() { sku } else { id });
        vec![Self { lists: &[IDS, SKUS], named: named.collect() }]
    }
}

/// The children of a product.
#[derive(Default)]
pub(super) struct Children {
    /// Their ids and SKUs, without the product's own, each once.
    pub(super) keys: Vec<String>,
    /// Positions in the lists that repeat the product itself or an earlier child.
    pub(super) repeated: HashSet<ListElement>,
}

impl Children {
    /// Reads the lists of the product with this id and SKU, which has these `Variants` too. Errors: an element is no
    /// text.
    pub(super) fn from_row(
        sorted: &SortedRow<'_>,
        id: &str,
        sku: Option<&str>,
        variants: &[VariantKeys],
    ) -> Result<Self, RowFault> {
        let ids = texts(sorted, IDS)?;
        let skus = texts(sorted, SKUS)?;
        if ids.is_empty() && skus.is_empty() && variants.is_empty() {
            return Ok(Self::default());
        }
        let titles = sorted.value(TITLES).map_or(0, |value| list_elements(value).count());
        let own = [(IDS, id), (SKUS, sku.unwrap_or_default())];
        let tables = ChildTable::from_keys(&ids, &skus);
        let beside_titles = tables.iter().position(|table| table.named.len() == titles);
        // Titles of another length belong to the first list: some senders give only the product's own.
        let beside_titles = beside_titles.or_else(|| tables.iter().position(|table| !table.named.is_empty()));
        let mut repeated = HashSet::new();
        for (position, ChildTable { lists, named }) in tables.iter().enumerate() {
            let title = (beside_titles == Some(position)).then_some(TITLES);
            for at in repetitions(named, own) {
                repeated.extend(lists.iter().copied().chain(title).map(|list| (list, at)));
            }
        }
        let listed = ids.iter().chain(&skus).map(|text| &**text);
        let variants =
            variants.iter().flat_map(|keys| [Some(keys.id.as_str()), keys.sku.as_deref()]).flatten();
        let texts = variants.chain(listed);
        Ok(Self { keys: keys(texts, [id, sku.unwrap_or_default()]), repeated })
    }
}

fn texts<'a>(sorted: &SortedRow<'a>, name: &'static str) -> Result<Vec<Cow<'a, str>>, RowFault> {
    let Some(value) = sorted.value(name) else { return Ok(Vec::new()) };
    let texts = list_elements(value).map(element_text).collect::<Result<_, _>>();
    texts.map_err(|WrongType| RowFault::field(IssueCode::FieldWrongType, name))
}

/// Positions of known children. Blanks are no children.
fn repetitions<'a>(named: &[(&'a str, &'a str)], own: [(&'a str, &'a str); 2]) -> Vec<usize> {
    let mut known = SmallSet::from_pair(own);
    let filled = named.iter().enumerate().filter(|(_, (_, text))| !text.trim().is_empty());
    filled.filter(|(_, name)| !known.insert(**name)).map(|(at, _)| at).collect()
}

/// Keys by which the children can be looked up.
fn keys<'a>(texts: impl Iterator<Item = &'a str>, own: [&'a str; 2]) -> Vec<String> {
    let mut known = SmallSet::from_pair(own);
    let is_key =
        |text: &&str| !text.trim().is_empty() && text.len() <= limits::ITEM_ID_BYTES && !text.contains('\0');
    texts
        .filter(is_key)
        .filter(|text| known.insert(text))
        .take(limits::CHILD_KEYS)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::feeds::testing::{CONTEXT, product};
    use crate::feeds::{FeedPart, RawRow, RowOrigin, rows};

    /// The lists that are kept for a product with the id 1 and the SKU P.
    fn normalise_lists(lists: &str) -> String {
        let (json, _) = product(format!(r#"{{"Id":1,"Sku":"P",{lists}}}"#).as_bytes()).expect("a good row");
        assert_eq!(product(json.as_bytes()).expect("a good row").0, json, "the normal form is its own");
        let lists = json.strip_prefix(r#"{"Id":"1","Sku":"P""#).and_then(|json| json.strip_suffix('}'));
        lists.expect("the keys first").trim_start_matches(',').to_owned()
    }

    fn keys(row: &str) -> Vec<String> {
        let row = RawRow {
            section: FeedPart::PRODUCTS,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: row.as_bytes(),
        };
        let key = rows::normalise_item(&row, &CONTEXT, &mut Vec::new(), &mut Vec::new());
        key.expect("a good row").children
    }

    #[test]
    fn the_product_itself_and_repetitions_are_left_out_and_the_order_stays() {
        assert_eq!(
            normalise_lists(
                r#""AssociatedSkus":["P","b","a","b"],"AssociatedTitles":["Tee","Tee B","Tee A","Tee B"]"#
            ),
            r#""AssociatedSkus":["b","a"],"AssociatedTitles":["Tee B","Tee A"]"#
        );
        assert_eq!(normalise_lists(r#""AssociatedSkus":["P"],"AssociatedTitles":["Tee"]"#), "");
        assert_eq!(normalise_lists(r#""AssociatedIds":[3,1,2,3]"#), r#""AssociatedIds":["3","2"]"#);
        let alike = r#""AssociatedSkus":["a","b"],"AssociatedTitles":["Tee","Tee"]"#;
        assert_eq!(normalise_lists(alike), alike, "two children may have one title");
    }

    #[test]
    fn variations_with_the_sku_of_their_parent_are_told_apart_by_their_ids() {
        assert_eq!(
            normalise_lists(
                r#""AssociatedIds":[11,12,11],"AssociatedSkus":["P","P","P"],"AssociatedTitles":["S","M","S"]"#
            ),
            r#""AssociatedIds":["11","12"],"AssociatedSkus":["P","P"],"AssociatedTitles":["S","M"]"#
        );
        assert_eq!(
            normalise_lists(r#""AssociatedIds":[11,"",12],"AssociatedSkus":["a","b","b"]"#),
            r#""AssociatedIds":["11","","12"],"AssociatedSkus":["a","b","b"]"#
        );
    }

    #[test]
    fn lists_of_other_lengths_are_each_their_own() {
        assert_eq!(
            normalise_lists(
                r#""AssociatedIds":[11,11,12],"AssociatedSkus":["a","P"],"AssociatedTitles":["S","M","L"]"#
            ),
            r#""AssociatedIds":["11","12"],"AssociatedSkus":["a"],"AssociatedTitles":["S","L"]"#
        );
        assert_eq!(
            normalise_lists(r#""AssociatedSkus":["P","a"],"AssociatedTitles":["Tee"]"#),
            r#""AssociatedSkus":["a"]"#
        );
        let titles = r#""AssociatedSkus":["a"],"AssociatedTitles":["x","x"]"#;
        assert_eq!(normalise_lists(titles), titles);
    }

    #[test]
    fn children_are_found_by_ids_and_skus_that_are_not_the_products_own() {
        let row =
            r#"{"Id":1,"Sku":"P","AssociatedIds":[11,12,1],"AssociatedSkus":["P","b","11",null,"x\u0000"]}"#;
        assert_eq!(keys(row), ["11", "12", "b"]);
        assert_eq!(keys(r#"{"Sku":"P","AssociatedSkus":{"0":"P","1":"c"}}"#), ["c"]);
        assert_eq!(keys(r#"{"Id":1,"AssociatedTitles":["c"]}"#), Vec::<String>::new());
    }

    #[test]
    fn repetitions_are_found_among_many_children_and_so_many_are_keys() {
        let many = |last: usize| (0..last).map(|n| format!("\"c{n}\"")).collect::<Vec<_>>().join(",");
        let once = format!(r#""AssociatedSkus":[{}]"#, many(40));
        let twice = format!(r#""AssociatedSkus":[{0},"P",{0},"c17"]"#, many(40));
        assert_eq!(normalise_lists(&twice), once);
        let row = |last| keys(&format!(r#"{{"Id":1,"AssociatedSkus":[{0},{0}]}}"#, many(last)));
        assert_eq!(row(40).len(), 40);
        let most = crate::limits::CHILD_KEYS;
        assert_eq!((row(most).len(), row(most + 1).len()), (most, most));
    }

    #[test]
    fn a_child_is_found_by_what_may_be_an_id_and_nothing_longer() {
        let longest = "x".repeat(crate::limits::ITEM_ID_BYTES);
        let row = format!(r#"{{"Id":1,"AssociatedSkus":["{longest}","{longest}x"," ","a\u0000","b"]}}"#);
        assert_eq!(keys(&row), [longest.as_str(), "b"]);
    }
}
