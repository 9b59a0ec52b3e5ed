//! Searches in small shops.

mod apart;
mod beside;
mod browsing;
mod compounds;
mod conflicts;
mod divider;
mod favour;
mod lookups;
mod numbers;
mod parts;
mod prices;
mod rules;
mod similar;
mod synonyms;
mod unreadable;
mod variants;
mod why;

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::search::document::{Attribute, AttributeValue, ProductDocument, ShopTables, read_document};
use crate::search::index::{DocumentChange, Index};
use crate::search::index_context::IndexContext;
use crate::search::pricing::BuyerContext;
use crate::search::query::centroid::Centroid;
use crate::search::query::facets::parse_facets;
use crate::search::query::filters::Filters;
use crate::search::query::sort::Sort;
use crate::search::spellcheck::Dictionary;
use crate::search::statistics::{Statistics, StatisticsCounter};
use crate::search::text::{Analyser, ShopLanguage};

/// A shop's products in an index in memory.
struct Shop {
    index: Index,
}

fn product(id: &str, title: &str) -> ProductDocument {
    ProductDocument {
        id: id.to_owned(),
        title: title.to_owned(),
        in_stock: true,
        ..ProductDocument::default()
    }
}

fn row(json: &str) -> ProductDocument {
    read_document(json.as_bytes(), &ShopTables::default()).expect("a row")
}

fn knowledge(products: &[ProductDocument]) -> Arc<IndexContext> {
    knowledge_in(ShopLanguage::English, products)
}

fn knowledge_in(language: ShopLanguage, products: &[ProductDocument]) -> Arc<IndexContext> {
    let analyser = Arc::new(Analyser::new(language));
    let mut counter = StatisticsCounter::new(Arc::clone(&analyser), ["Colour".to_owned()]);
    products.iter().for_each(|product| counter.add(product));
    IndexContext::new(analyser, Arc::new(counter.finish()), Arc::new(Dictionary::empty(language)))
}

impl Shop {
    fn new(products: &[ProductDocument]) -> Self {
        let mut shop = Self::empty(knowledge(products));
        shop.put_products(products);
        shop
    }

    fn empty(knowledge: Arc<IndexContext>) -> Self {
        let directory = Box::new(tantivy::directory::RamDirectory::create());
        Self { index: Index::create_in(directory, knowledge).expect("an index") }
    }

    fn put_products(&mut self, products: &[ProductDocument]) {
        for product in products {
            self.index.write(DocumentChange::Put(product)).expect("written");
        }
        self.index.commit("").expect("committed");
    }

    fn search(&self, request: &SearchQuery) -> SearchResult {
        self.index.snapshot().search(request, &BuyerContext::default()).expect("an answer")
    }

    fn find(&self, query: &str) -> Vec<String> {
        ids(&self.search(&asking(query)))
    }
}

fn asking(query: &str) -> SearchQuery {
    SearchQuery { query: query.to_owned(), correct: false, ..SearchQuery::default() }
}

fn ids(answer: &SearchResult) -> Vec<String> {
    answer.items.iter().map(|item| item.id.clone()).collect()
}

/// A member of the variant of the first hit; empty if it has none.
fn shown_variant(answer: &SearchResult, member: &str) -> String {
    let display = answer.items[0].variant.as_ref().map(|variant| variant.display.as_slice());
    let members: serde_json::Value = serde_json::from_slice(display.unwrap_or(b"{}")).expect("JSON");
    members[member].as_str().unwrap_or_default().to_owned()
}

/// Shoes in many colours, so that matches are enough, and some other things.
fn shoes() -> Vec<ProductDocument> {
    let mut products: Vec<_> = (10..30).map(|number| product(&format!("s{number}"), "Red shoe")).collect();
    products.push(product("b1", "Red bag"));
    products.push(product("b2", "Blue shoe with a very long name that says a lot of it"));
    products
}

#[test]
fn products_that_hold_all_words_are_the_matches() {
    let shop = Shop::new(&shoes());
    let answer = shop.search(&asking("red shoe"));
    assert_eq!((answer.total, answer.items.len(), answer.relaxed_from), (20, 22, Some(20)));
    assert!(answer.dropped.is_empty());
}

#[test]
fn where_nothing_holds_all_words_the_rare_word_decides() {
    let shop = Shop::new(&shoes());
    let answer = shop.search(&asking("red bag"));
    assert_eq!(ids(&answer)[0], "b1");
    let answer = shop.search(&asking("bag shoe"));
    assert_eq!(ids(&answer)[0], "b1", "bag is rarer than shoe");
    assert_eq!(answer.dropped, ["bag", "shoe"]);
}

#[test]
fn ties_are_decided_by_the_id_whatever_the_segments() {
    let products = shoes();
    let mut shop = Shop::empty(knowledge(&products));
    for product in products.iter().rev() {
        shop.put_products(std::slice::from_ref(product));
    }
    let found = shop.find("red shoe");
    let mut sorted = found[..20].to_vec();
    sorted.sort();
    assert_eq!(found[..20], sorted);
}

#[test]
fn a_hidden_product_is_not_found_by_its_number() {
    let mut products = shoes();
    products.push(row(r#"{"Id":"secret-1","Sku":"S-1","Title":"Red shoe","ExcludeFromSearch":true}"#));
    let mut of_an_account = product("secret-2", "Red shoe");
    of_an_account.offer.inclusions.push("tag of an account".to_owned());
    products.push(of_an_account);
    let shop = Shop::new(&products);
    for query in ["secret-1", "S-1", "S1", "secret-2", "red shoe"] {
        let found = shop.find(query);
        assert!(!found.iter().any(|id| id.starts_with("secret")), "{query}: {found:?}");
    }
    assert_eq!(shop.search(&asking("")).total, 22);
    let caller =
        BuyerContext { account_tag: Some("tag of an account".to_owned()), ..BuyerContext::default() };
    let answer = shop.index.snapshot().search(&asking("secret-2"), &caller).expect("an answer");
    assert_eq!(ids(&answer)[0], "secret-2");
}

#[test]
fn a_number_is_found_by_its_beginning_and_without_its_zeros() {
    let mut products = shoes();
    products.push(row(r#"{"Id":"x","Sku":"AB-12/37","Title":"Lace"}"#));
    products.push(row(r#"{"Id":"y","Sku":"AB-12/99","Title":"Lace","ExcludeFromSearch":true}"#));
    products.push(row(r#"{"Id":"z","Sku":"000451","Title":"Lace"}"#));
    let shop = Shop::new(&products);
    for (query, found) in [("AB-12/3", "x"), ("ab12", "x"), ("451", "z"), ("0451", "z"), ("00000451", "z")] {
        assert_eq!(shop.find(query), [found], "{query}");
    }
    // Too short, of two words, or nothing of a number.
    for query in ["ab1", "AB 12", "laced"] {
        assert!(!shop.find(query).contains(&"y".to_owned()), "{query}");
    }
    assert!(shop.find("ab1").is_empty());
}

#[test]
fn an_article_number_comes_first_however_it_is_written() {
    let mut products = shoes();
    products.push(row(r#"{"Id":"x","Sku":"AB-12/3","Title":"Lace"}"#));
    let shop = Shop::new(&products);
    for query in ["AB-12/3", "ab123", "AB 12 3"] {
        assert_eq!(shop.find(query)[0], "x", "{query}");
    }
}

#[test]
fn a_measure_is_found_in_any_form() {
    let mut products = shoes();
    products.push(product("tv15", "Television 15\" black"));
    products.push(product("tv17", "Television 17\" black"));
    products.push(product("disk", "Disk 1 TB"));
    let shop = Shop::new(&products);
    for (query, id) in [("television 15 inch", "tv15"), ("15-inch television", "tv15"), ("disk 1tb", "disk")]
    {
        assert_eq!(shop.find(query)[0], id, "{query}");
    }
}

#[test]
fn words_are_found_joined_and_split() {
    let mut products = shoes();
    products.push(product("one", "Headphone"));
    products.push(product("two", "Head phone"));
    products.push(product("three", "Head phone stand"));
    let shop = Shop::new(&products);
    for query in ["headphone", "head phone"] {
        let found = shop.find(query);
        assert!(found.contains(&"one".to_owned()) && found.contains(&"two".to_owned()), "{query}: {found:?}");
    }
}

#[test]
fn a_variant_is_shown_as_its_product_and_named() {
    let mut products = shoes();
    let sizes = ["small", "large"].map(|size| {
        json!({"Id": format!("v-{size}"), "Sku": format!("CH-{size}"), "Title": format!("Oak chair {size}")})
    });
    products.push(row(&json!({"Id": "chair", "Title": "Oak chair", "Variants": sizes}).to_string()));
    let shop = Shop::new(&products);
    for query in ["CH-large", "oak chair large", "v-large"] {
        let answer = shop.search(&asking(query));
        let variant = shown_variant(&answer, "Id");
        assert_eq!((answer.items[0].id.as_str(), variant.as_str()), ("chair", "v-large"), "{query}");
        assert_eq!(ids(&answer).iter().filter(|id| *id == "chair").count(), 1);
    }
}

/// Shoes, light and dark in turn.
fn coloured_shoes() -> Vec<ProductDocument> {
    let mut products = shoes();
    for (number, product) in products.iter_mut().enumerate() {
        let colour = if number % 2 == 0 { "light" } else { "dark" };
        let values = vec![AttributeValue::Text(colour.to_owned())];
        product.attributes.push(Attribute { name: "Colour".to_owned(), values });
    }
    products
}

#[test]
fn facets_count_what_their_filters_leave() {
    let shop = Shop::new(&coloured_shoes());
    let snapshot = shop.index.snapshot();
    let columns = snapshot.knowledge().columns();
    let facets = parse_facets(&["Attributes.Colour".to_owned()], columns).expect("facets");
    let filters = serde_json::json!({"Attributes": {"Colour": ["light"]}});
    let filters = Filters::parse(&filters, columns).expect("filters");
    let answer = shop.search(&SearchQuery { facets: facets.clone(), ..asking("red shoe") });
    let light = answer.facets[0].values.iter().find(|value| value.value == "light").expect("a value").count;
    let narrowed = shop.search(&SearchQuery { facets, filters, ..asking("red shoe") });
    assert_eq!((answer.total, light, narrowed.total), (20, 10, 10));
    assert_eq!(narrowed.facets, answer.facets, "its own selection does not narrow it");
}

#[test]
fn products_can_be_ordered_by_their_titles() {
    let shop = Shop::new(&shoes());
    let snapshot = shop.index.snapshot();
    let sort = Sort::parse("title", snapshot.knowledge().columns(), false).expect("an order");
    assert_eq!(ids(&shop.search(&SearchQuery { sort, ..asking("") }))[..2], ["b2", "b1"]);
}

/// Titles from few words, so that many products match and tie.
fn many(count: usize) -> Vec<ProductDocument> {
    let words = ["red", "blue", "shoe", "bag", "oak", "chair", "lamp", "15\"", "steel", "small"];
    let title = |number: usize| {
        let picked =
            (0..1 + number % 5).map(|place| words[(number * 7 + place * (number % 3 + 1)) % words.len()]);
        picked.collect::<Vec<_>>().join(" ")
    };
    (0..count).map(|number| product(&format!("p{}", number * 37 % count), &title(number))).collect()
}

#[test]
fn answers_are_the_same_whatever_was_merged_and_removed() {
    let products = many(400);
    let knowledge = knowledge(&products);
    let mut whole = Shop::empty(Arc::clone(&knowledge));
    whole.put_products(&products);
    let mut pieces = Shop::empty(knowledge);
    for (number, chunk) in products.rchunks(37).enumerate() {
        pieces.put_products(&[product("gone", "red shoe"), product(&chunk[0].id, "old title of it")]);
        pieces.put_products(chunk);
        pieces.index.write(DocumentChange::Remove("gone")).expect("removed");
        if number % 4 == 3 {
            pieces.index.commit("").expect("committed");
            pieces.index.merge_all().expect("merged");
        }
    }
    pieces.index.commit("").expect("committed");
    for query in
        ["red", "red shoe", "oak chair lamp", "15 inch lamp", "steel small bag blue", "", "nothing red"]
    {
        let request = SearchQuery { size: 250, ..asking(query) };
        let expected = whole.search(&request);
        let found = pieces.search(&request);
        assert_eq!((found.total, ids(&found)), (expected.total, ids(&expected)), "{query}");
        assert_eq!(found.relaxed_from, expected.relaxed_from, "{query}");
    }
}

#[test]
fn a_product_that_was_replaced_is_found_by_its_new_words_alone() {
    let mut shop = Shop::new(&shoes());
    shop.put_products(&[product("b1", "Green lamp")]);
    assert_eq!(shop.find("green lamp"), ["b1"]);
    assert!(!shop.find("bag").contains(&"b1".to_owned()));
    assert_eq!(shop.search(&asking("")).total, 22);
}

#[test]
fn a_word_of_removed_products_is_not_known() {
    let mut shop = Shop::new(&shoes());
    // A second product, so that its segment stays.
    shop.put_products(&[product("x", "Shoet"), product("y", "Boot")]);
    let searched = |shop: &Shop| {
        let asked = SearchQuery { query: "shoet".to_owned(), ..SearchQuery::default() };
        shop.search(&asked).searched
    };
    assert_eq!(searched(&shop), "shoet");
    shop.index.write(DocumentChange::Remove("x")).expect("removed");
    shop.index.commit("").expect("committed");
    assert_eq!(searched(&shop), "shoe");
}

#[test]
fn any_text_is_a_query() {
    let shop = Shop::new(&shoes());
    let long = "word ".repeat(2_000) + &(0..500).map(|number| format!("w{number} ")).collect::<String>();
    let odd = ["\"", "a AND (b", "'; DROP TABLE x", "[a-z]+", "*", "\u{0}\u{202e}red", "\u{1}15inch", &long];
    for query in odd {
        let answer = shop.index.snapshot().search(
            &SearchQuery { query: query.to_owned(), ..SearchQuery::default() },
            &BuyerContext::default(),
        );
        answer.expect("an answer");
    }
    assert!(!shop.search(&asking(&long)).dropped.is_empty());
}

#[test]
fn pages_follow_each_other() {
    let shop = Shop::new(&many(400));
    let all = ids(&shop.search(&SearchQuery { size: 200, ..asking("red") }));
    let mut pages = Vec::new();
    for page in 1..=4 {
        pages.extend(ids(&shop.search(&SearchQuery { page, size: 50, ..asking("red") })));
    }
    assert_eq!(pages, all[..pages.len()]);
}

#[test]
fn statistics_are_the_same_after_they_were_stored() {
    let shop = Shop::new(&many(100));
    let snapshot = shop.index.snapshot();
    let before = snapshot.knowledge().statistics();
    let blob = before.encode();
    let after = Statistics::decode(&blob).expect("statistics");
    assert_eq!(after.encode(), blob);
    assert_eq!(after.name(), before.name());
    assert_eq!(after.joinable_words(), before.joinable_words());
}
