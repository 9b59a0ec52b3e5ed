//! An index that was written in steps, with segments merged at any time, gives exactly the same answers as one that was
//! written at once.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index as Pick;
use serde_json::json;
use tantivy::directory::RamDirectory;
use tantivy::merge_policy::{LogMergePolicy, MergePolicy, NoMergePolicy};

use super::*;
use crate::search::document::{ShopTables, read_document};
use crate::search::engine::{SearchQuery, SearchResult};
use crate::search::pricing::BuyerContext;
use crate::search::query::facets::parse_facets;
use crate::search::query::filters::Filters;
use crate::search::query::sort::Sort;

const WORDS: [&str; 10] =
    ["red", "oak", "chair", "lamp", "headphone", "head phone", "15 inch", "chait", "stele", "blue"];
const QUERIES: [&str; 14] = [
    "",
    "red chair",
    "chait",
    "stele lamp",
    "headphone",
    "head phone",
    "15\" lamp",
    "red oak blue",
    "p7",
    "S-7",
    "V-3",
    "cahir",
    "blue zebra",
    "lamp with red",
];
const PRODUCTS: usize = 40;

/// A step of the writer.
#[derive(Debug, Clone)]
enum Step {
    Put(usize, u64),
    Remove(usize),
    Commit,
    Merge(Pick, Pick),
    Clear,
}

fn some_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        40 => (0..PRODUCTS, any::<u64>()).prop_map(|(number, bits)| Step::Put(number, bits)),
        8 => (0..PRODUCTS).prop_map(Step::Remove),
        8 => Just(Step::Commit),
        4 => any::<(Pick, Pick)>().prop_map(|(first, last)| Step::Merge(first, last)),
        1 => Just(Step::Clear),
    ]
}

/// A product; each bit decides one property.
fn document(number: usize, bits: u64) -> ProductDocument {
    let is_set = |place: u32| bits >> place & 1 == 1;
    let words: Vec<_> = (0..10).filter(|place| is_set(*place)).map(|place| WORDS[place as usize]).collect();
    let mut row = json!({
        "Id": format!("p{number}"), "Sku": format!("S-{}", number / 2), "Title": words.join(" "),
        "Brand": if is_set(10) { "oakworks" } else { "elmworks" },
        "Categories": [if is_set(11) { "chairs" } else { "lamps" }],
        "Prices": [format!("{} GBP", (bits >> 12) % 8)], "InStock": is_set(16),
        "Colour": if is_set(17) { "red" } else { "green" },
        "ExcludeFromSearch": is_set(18) && is_set(19) && is_set(20),
        "Description": if is_set(21) { "A lamp for a red chair" } else { "" },
    });
    if is_set(22) {
        row["AssociatedIds"] = json!([format!("v{number}a"), format!("v{number}b")]);
        row["AssociatedSkus"] = json!([format!("V-{number}"), format!("W-{number}")]);
        row["AssociatedTitles"] = json!(["small chair", "large red lamp"]);
    }
    read_document(row.to_string().as_bytes(), &ShopTables::default()).expect("a product")
}

fn empty(knowledge: &Arc<IndexContext>, policy: impl MergePolicy + 'static) -> Index {
    let index = Index::create_in(Box::new(RamDirectory::create()), Arc::clone(knowledge)).expect("an index");
    index.writer.set_merge_policy(Box::new(policy));
    index
}

/// Answers of an index.
fn answers(index: &Index) -> Vec<SearchResult> {
    let snapshot = index.snapshot();
    let columns = snapshot.knowledge().columns();
    let caller = BuyerContext { currency: Some(*b"GBP"), ..BuyerContext::default() };
    let names = ["Brand", "Category", "Price", "InStock", "Attributes.Colour"].map(str::to_owned);
    let facets = parse_facets(&names, columns).expect("facets");
    let mut answers = Vec::new();
    for query in QUERIES {
        for (sort, filters, size) in [
            ("relevance", json!({}), 250),
            ("relevance", json!({"Brand": "oakworks", "Price": {"From": 2, "To": 5}}), 3),
            ("-price", json!({"Attributes": {"Colour": "red"}}), 250),
            ("title", json!({"Category": "chairs"}), 5),
        ] {
            let is_plain = filters == json!({}) && size == 250;
            let request = SearchQuery {
                query: query.to_owned(),
                size,
                filters: Filters::parse(&filters, columns).expect("filters"),
                facets: if is_plain { Vec::new() } else { facets.clone() },
                sort: Sort::parse(sort, columns, true).expect("an order"),
                highlight: true,
                ..SearchQuery::default()
            };
            answers.push(snapshot.search(&request, &caller).expect("an answer"));
        }
    }
    for number in 0..5 {
        let items = snapshot.similar(&format!("p{number}"), 5, None, &caller).expect("an answer");
        answers.push(SearchResult { items, ..SearchResult::default() });
    }
    answers
}

/// Writes in steps; segments are merged by themselves as soon as there are two.
fn write_in_steps(index: &mut Index, steps: &[Step]) -> BTreeMap<usize, ProductDocument> {
    let mut shown = BTreeMap::new();
    for step in steps {
        match step {
            Step::Put(number, bits) => {
                let document = document(*number, *bits);
                index.write(DocumentChange::Put(&document)).expect("written");
                shown.insert(*number, document);
            }
            Step::Remove(number) => {
                index.write(DocumentChange::Remove(&format!("p{number}"))).expect("removed");
                shown.remove(number);
            }
            Step::Commit => drop(index.commit("").expect("committed")),
            Step::Merge(first, last) => {
                let segments = index.index.searchable_segment_ids().expect("segments");
                let ends = [first, last].map(|pick| pick.index(segments.len() + 1));
                let some = &segments[ends[0].min(ends[1])..ends[0].max(ends[1])];
                if some.len() > 1 {
                    // A segment in another merge cannot be merged.
                    let _ = index.writer.merge(some).wait();
                    index.reload().expect("read again");
                }
            }
            Step::Clear => {
                index.clear().expect("cleared");
                shown.clear();
            }
        }
    }
    index.commit("").expect("committed");
    shown
}

pub fn eager() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(2);
    policy
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn steps_and_merges_change_no_answer(
        before in proptest::collection::vec((0..PRODUCTS, any::<u64>()), 1..60),
        steps in proptest::collection::vec(some_step(), 1..200),
    ) {
        let before = before.into_iter().chain([(0, 0)]);
        let counted: Vec<_> = before.map(|(number, bits)| document(number, bits)).collect();
        let knowledge = knowledge(&counted);
        let mut stepwise = empty(&knowledge, eager());
        let shown = write_in_steps(&mut stepwise, &steps);
        let mut whole = empty(&knowledge, NoMergePolicy);
        for document in shown.values() {
            whole.write(DocumentChange::Put(document)).expect("written");
        }
        whole.commit("").expect("committed");
        prop_assert_eq!(stepwise.snapshot().products(), shown.len());
        for (found, expected) in answers(&stepwise).into_iter().zip(answers(&whole)) {
            prop_assert_eq!(found, expected);
        }
    }
}
