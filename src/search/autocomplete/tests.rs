//! Completions of a small shop.

use super::best::RankTree;
use super::statistics::{Name, Titles};
use super::*;
use crate::search::codec::PackedFault;
use crate::search::document::ProductDocument;
use crate::search::text::{Analyser, ShopLanguage};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

fn product(number: usize, title: &str, brand: &str, category: &str) -> ProductDocument {
    let names = |name: &str| if name.is_empty() { Vec::new() } else { vec![name.to_owned()] };
    ProductDocument {
        id: number.to_string(),
        title: title.to_owned(),
        brand_id: brand.to_lowercase(),
        brand: brand.to_owned(),
        categories: names(&category.to_lowercase()),
        category_names: names(category),
        ..ProductDocument::default()
    }
}

fn statistics_in(language: ShopLanguage, products: &[ProductDocument]) -> CompletionStatistics {
    let mut counter = CompletionCounter::new(Arc::new(Analyser::new(language)));
    products.iter().for_each(|product| counter.add(product));
    counter.finish()
}

fn shop() -> Vec<ProductDocument> {
    let rows = [
        ("Oakworks Oak chair, brown", "Oakworks", "Chairs"),
        ("Birch oak chairs 2 pieces", "Birch", "Chairs"),
        ("Oak chairs for the kitchen", "Oakworks", "Chairs"),
        ("Oak table 120 cm", "Oakworks", "Tables"),
        ("Oak table for kitchens", "Birch & Sons", "Tables"),
        ("Café chair (oak)", "Café", "Chairs"),
        ("Café chair blue", "Oakworks", "Chairs"),
    ];
    rows.iter()
        .enumerate()
        .map(|(number, (title, brand, category))| product(number, title, brand, category))
        .collect()
}

fn completer() -> Completer {
    Completer::new(Arc::new(statistics_in(ShopLanguage::English, &shop())))
}

fn queries(prefix: &str) -> Vec<String> {
    completer().complete(prefix, &[], 5).queries.into_iter().map(|query| query.text).collect()
}

#[test]
fn phrases_of_many_brands_come_first() {
    assert_eq!(queries("oa"), ["oak", "oakworks", "oak table", "oak chairs"]);
    assert_eq!(queries("OAK T"), ["oak table"]);
}

#[test]
fn turkish_letters_are_completed_as_turkish_writes_them() {
    let lamps = ["Işık lamba", "IŞIK kaynağı", "İnşaat demiri", "İNŞAAT kumu"];
    let lamps: Vec<_> = lamps.iter().enumerate().map(|(n, title)| product(n, title, "", "")).collect();
    let completer = Completer::new(Arc::new(statistics_in(ShopLanguage::Turkish, &lamps)));
    let first = |prefix: &str| completer.complete(prefix, &[], 1).queries.pop().map(|query| query.text);
    assert_eq!(first("isi").as_deref(), Some("ışık"));
    assert_eq!(first("ins").as_deref(), Some("inşaat"));
}

#[test]
fn what_others_searched_comes_first_when_the_catalogue_has_its_words() {
    let searched = ["oak table", "oak of gold", "oa somebody"].map(str::to_owned);
    let completed = completer().complete("oa", &searched, 5).queries;
    let texts: Vec<_> = completed.iter().map(|query| query.text.as_str()).collect();
    assert_eq!(texts, ["oak table", "oak", "oakworks", "oak chairs"]);
    assert!(completed[0].products > 0, "as the catalogue has it");
    assert_eq!(completer().complete("oa", &searched, 1).queries[0].text, "oak table");
}

#[test]
fn plurals_are_one_completion_in_the_commoner_form() {
    assert_eq!(queries("ch"), ["chair"], "the category too, which is called chairs");
    assert_eq!(queries("tab"), ["table"]);
}

#[test]
fn a_part_of_a_phrase_gives_way_to_the_whole() {
    let titles =
        ["power over ethernet", "power over ethernet", "power over ethernet", "power supply", "power supply"];
    let brands = ["a", "b", "c", "a", "b"];
    let products: Vec<ProductDocument> =
        (0..5).map(|number| product(number, titles[number], brands[number], "")).collect();
    let completer = Completer::new(Arc::new(statistics_in(ShopLanguage::Other, &products)));
    let queries = completer.complete("power", &[], 5).queries;
    let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
    assert_eq!(texts, ["power", "power over ethernet", "power supply"]);
}

#[test]
fn last_words_follow_complete_ones() {
    assert_eq!(queries("kitchen t"), ["kitchen table"]);
    assert_eq!(queries("cafe b"), ["café blue"]);
    assert_eq!(queries("kitchen "), ["kitchen oak", "kitchen chair", "kitchen table"]);
    assert_eq!(queries("unknown t"), Vec::<String>::new());
    assert_eq!(queries("for k"), Vec::<String>::new(), "a function word alone says nothing");
}

#[test]
fn marks_are_written_as_titles_write_them() {
    assert_eq!(queries("caf"), ["café", "café chair"]);
}

#[test]
fn brands_and_categories_are_found_by_each_of_their_words() {
    let completions = completer().complete("so", &[], 5);
    assert_eq!(completions.brands[0].text, "Birch & Sons");
    let categories = completer().complete("chair", &[], 5).categories;
    let expected = Completion { text: "Chairs".to_owned(), products: 5, id: "chairs".to_owned() };
    assert_eq!(categories, [expected]);
}

#[test]
fn what_not_everybody_sees_completes_nothing() {
    let mut products = shop();
    for product in &mut products[3..5] {
        product.hidden = product.id == "3";
        product.offer.inclusions = vec!["tag".to_owned()];
    }
    let completer = Completer::new(Arc::new(statistics_in(ShopLanguage::English, &products)));
    assert_eq!(completer.complete("tab", &[], 5), Completions::default());
}

#[test]
fn stored_statistics_are_the_same() {
    let statistics = statistics_in(ShopLanguage::English, &shop());
    let bytes = statistics.encode();
    assert_eq!(CompletionStatistics::decode(&bytes).as_ref(), Ok(&statistics));
    let mut other_order = shop();
    other_order.reverse();
    assert_eq!(
        statistics_in(ShopLanguage::English, &other_order).encode(),
        bytes,
        "the order does not matter"
    );
    for end in 0..bytes.len() {
        assert!(CompletionStatistics::decode(&bytes[..end]).is_err());
    }
}

#[test]
fn statistics_that_name_words_they_lack_are_torn() {
    let whole = statistics_in(ShopLanguage::English, &shop());
    let words = whole.titles.words.len() as u32;
    let is_read = |change: &dyn Fn(&mut Titles)| {
        let mut statistics = whole.clone();
        change(&mut statistics.titles);
        CompletionStatistics::decode(&statistics.encode()).map(|decoded| decoded == statistics)
    };
    let torn = Err(PackedFault::Torn);
    for (word, expected) in [(words - 1, Ok(true)), (words, torn)] {
        assert_eq!(is_read(&|titles| titles.titles.push(vec![0, word])), expected, "{word} of {words}");
        assert_eq!(is_read(&|titles| titles.commonest[0] = word), expected, "{word} of {words}");
    }
    assert_eq!(is_read(&|titles| titles.titles.push(Vec::new())), Ok(true), "a title without words");
    assert_eq!(is_read(&|titles| titles.commonest.truncate(1)), torn);
    assert_eq!(is_read(&|titles| titles.is_offered.truncate(1)), torn);
}

/// A whole blob with a part replaced: its checksum is right.
fn with_part(blob: &[u8], part: &[u8], other: &[u8]) -> Vec<u8> {
    let parts = &blob[..blob.len() - 8];
    let at = parts.windows(part.len()).position(|window| window == part).expect("the part");
    let mut changed = [&parts[..at], other, &parts[at + part.len()..]].concat();
    let checksum = xxh3_64(&changed);
    changed.extend(checksum.to_le_bytes());
    changed
}

#[test]
fn statistics_with_a_text_or_a_number_that_is_none_are_torn() {
    let written = |text: &str| HashMap::from([(9, text.to_owned())]);
    let name = |text: &str, id: &str| vec![Name { text: text.to_owned(), id: id.to_owned(), products: 9 }];
    let statistics = CompletionStatistics {
        written: written("phrase"),
        titles: Titles { written: written("word"), ..Titles::default() },
        brands: name("brand", "b-id"),
        categories: name("category", "c-id"),
        ..CompletionStatistics::default()
    };
    let blob = statistics.encode();
    let read = |part: &[u8], other: &[u8]| CompletionStatistics::decode(&with_part(&blob, part, other));
    for text in ["phrase", "word", "brand", "b-id", "category", "c-id"] {
        assert_eq!(read(text.as_bytes(), text.as_bytes()).as_ref(), Ok(&statistics));
        assert_eq!(read(text.as_bytes(), &vec![0xff; text.len()]), Err(PackedFault::Torn), "{text}");
    }
    // 2³² where there was a 9.
    let number = b"\x80\x80\x80\x80\x10";
    for (before, after) in [("", "\x06phrase"), ("", "\x04word"), ("b-id", ""), ("c-id", "")] {
        let part = [before, "\t", after].concat();
        let other = [before.as_bytes(), number, after.as_bytes()].concat();
        assert_eq!(read(part.as_bytes(), &other), Err(PackedFault::Torn), "{part:?}");
    }
}

#[test]
fn scripts_without_spaces_are_completed_by_names() {
    let products = [product(1, "日本語の本", "日本", ""), product(2, "日本語の本", "日本", "")];
    let completer = Completer::new(Arc::new(statistics_in(ShopLanguage::Other, &products)));
    assert_eq!(completer.complete("日", &[], 5).brands.len(), 1);
    assert_eq!(
        completer.complete("日本", &[], 5).queries.first().map(|query| query.text.as_str()),
        Some("日本")
    );
}

#[test]
fn what_is_no_word_has_no_completion() {
    let long = "x".repeat(10_000);
    for prefix in ["", " ", "\u{202e}", "\"'*", "\0", long.as_str()] {
        assert_eq!(completer().complete(prefix, &[], 5), Completions::default(), "{prefix:?}");
    }
    assert_eq!(completer().complete("oak", &[], 0), Completions::default());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_best_of_a_range_come_in_order(count in 0_usize..70, start in 0_usize..80, length in 0_usize..80) {
        let ranks: Vec<u32> = (0..count as u32).map(|number| number * 37 % 71).collect();
        let range = start..start + length;
        let mut expected: Vec<usize> = range.clone().filter(|place| *place < count).collect();
        expected.sort_by_key(|place| ranks[*place]);
        prop_assert_eq!(RankTree::new(&ranks).places(range).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn any_prefix_has_an_answer(prefix in ".*", size in 0_usize..20) {
        let completions = completer().complete(&prefix, &[], size);
        prop_assert!(completions.queries.len() <= size && completions.brands.len() <= size);
    }
}
