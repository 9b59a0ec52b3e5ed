//! Catalogue quality of small shops.

use std::sync::Arc;

use super::*;
use crate::search::document::{ProductDocument, read_document};
use crate::search::index::{DocumentChange as Written, Index};
use crate::search::index_context::IndexContext;
use crate::search::spellcheck::Dictionary;
use crate::search::statistics::StatisticsCounter;
use crate::search::text::{Analyser, ShopLanguage};

fn row(id: &str, rest: &str) -> ProductDocument {
    let row = format!(r#"{{"Id":"{id}",{rest}}}"#);
    read_document(row.as_bytes(), &ShopTables::default()).expect("a row")
}

fn sound(id: &str, title: &str) -> ProductDocument {
    row(id, &format!(r#""Title":"{title}","Brand":"Acme","Image":"https://shop.example/{id}.jpg""#))
}

fn index_of(products: &[ProductDocument]) -> Index {
    let language = ShopLanguage::parse("en").expect("a language");
    let analyser = Arc::new(Analyser::new(language));
    let mut counter = StatisticsCounter::new(Arc::clone(&analyser), []);
    products.iter().for_each(|product| counter.add(product));
    let dictionary = Arc::new(Dictionary::empty(language));
    let knowledge = IndexContext::new(analyser, Arc::new(counter.finish()), dictionary);
    let directory = Box::new(tantivy::directory::RamDirectory::create());
    let mut index = Index::create_in(directory, knowledge).expect("an index");
    // Two segments: the findings cover the whole shop.
    for part in products.chunks(products.len().div_ceil(2)) {
        part.iter().for_each(|product| index.write(Written::Put(product)).expect("written"));
        index.commit("").expect("committed");
    }
    index
}

fn report(products: &[ProductDocument], queries: &[&str], rows: usize) -> HealthReport {
    let index = index_of(products);
    let ask =
        |query: &&str| SearchQuery { query: (*query).to_owned(), correct: false, ..SearchQuery::default() };
    let samples: Vec<_> = queries.iter().map(ask).collect();
    examine(&index.snapshot(), &ShopTables::default(), &samples, rows, &BuyerContext::default())
        .expect("a report")
}

fn fault(report: &HealthReport, kind: DefectKind) -> &DefectGroup {
    report.faults.iter().find(|fault| fault.kind == kind).expect("each fault is told of")
}

fn ids(fault: &DefectGroup) -> Vec<&str> {
    fault.rows.iter().map(|row| row.id.as_str()).collect()
}

#[test]
fn the_first_rows_are_those_of_the_first_ids() {
    let products: Vec<_> =
        [5, 2, 9, 1, 7, 3].map(|number| row(&format!("p{number}"), r#""Title":"Lamp""#)).into();
    let all = report(&products, &[], 2);
    let brand = fault(&all, DefectKind::NoBrand);
    assert_eq!((brand.products, ids(brand)), (6, vec!["p1", "p2"]));
    let shared = &fault(&all, DefectKind::SharedTitle).rows[0];
    assert_eq!((shared.id.as_str(), shared.others.join(" ")), ("p1", "p2 p3 p5 p7 p9".to_owned()));
    let none = report(&products, &[], 0);
    assert_eq!(
        (fault(&none, DefectKind::NoBrand).products, ids(fault(&none, DefectKind::NoBrand)).len()),
        (6, 0)
    );
}

#[test]
fn what_the_shop_leaves_out_of_search_has_no_faults() {
    let products = [sound("p1", "Lamp"), row("p2", r#""Title":"Lamp","ExcludeFromSearch":true"#)];
    let report = report(&products, &["lamp"], 9);
    assert_eq!(report.products, 1);
    assert_eq!(fault(&report, DefectKind::NoBrand).products, 0);
    assert_eq!(fault(&report, DefectKind::SharedTitle).products, 0);
}

#[test]
fn each_fault_is_told_of_with_its_products() {
    let long = "Lamp ".repeat(40);
    let products = [
        sound("p1", "Oak table"),
        sound("p2", "OAK  Table"),
        sound("p3", long.trim()),
        row("p4", r#""Title":"Chair","Brand":"Acme","Image":"","Prices":["5 EUR"]"#),
        row("p5", r#""Title":"Stool","Image":"https://shop.example/5.jpg","Wood":"Oak""#),
        row("p6", r#""Title":"Bench","Brand":"Acme","Image":"https://shop.example/6.jpg","Hight":"9""#),
    ];
    let report = report(&products, &["chair", "table", "nothing"], 9);
    let told = |kind| ids(fault(&report, kind)).join(" ");
    assert_eq!(told(DefectKind::NoImage), "p4");
    assert_eq!(told(DefectKind::NoBrand), "p5");
    assert_eq!(fault(&report, DefectKind::NoCategory).products, 6);
    assert_eq!(told(DefectKind::SharedTitle), "p1");
    assert_eq!(fault(&report, DefectKind::SharedTitle).products, 2);
    assert_eq!(fault(&report, DefectKind::LongTitle).rows[0].letters, Some(199));
    let attributes = &fault(&report, DefectKind::LoneAttribute).rows;
    let names: Vec<_> = attributes.iter().filter_map(|row| row.attribute.as_deref()).collect();
    assert_eq!(names, ["Wood", "Hight"]);
    let image = &fault(&report, DefectKind::NoImage).changes;
    assert_eq!(
        *image,
        [(0, SampleImpact { first_page: 1, hits: 1, comes: 0 })],
        "of the search for chairs only"
    );
    assert_eq!(
        fault(&report, DefectKind::SharedTitle).changes,
        [(1, SampleImpact { first_page: 2, hits: 2, comes: 0 })]
    );
    let no_price = fault(&report, DefectKind::NoPrice(*b"EUR"));
    assert_eq!(no_price.products, 5);
}

#[test]
fn a_mistyped_word_hides_a_product_that_lacks_the_right_one() {
    let mut products: Vec<_> =
        (10..40).map(|number| sound(&format!("k{number}"), &format!("Keyboard {number}"))).collect();
    products.push(sound("m1", "Gaming keybaord"));
    products.push(sound("m2", "Tray, also spelled keyboerd tray, for a keyboard"));
    let report = report(&products, &["keyboard", "tray"], 9);
    let mistyped = fault(&report, DefectKind::MistypedWord);
    assert_eq!((mistyped.products, ids(mistyped)), (1, vec!["m1"]));
    let word = mistyped.rows[0].word.as_ref().map(|(word, meant)| (word.as_str(), meant.as_str()));
    assert_eq!(word, Some(("keybaord", "keyboard")));
    assert_eq!(mistyped.changes, [(0, SampleImpact { first_page: 0, hits: 0, comes: 1 })]);
}

fn keyboards(more: &[(&str, &str)]) -> Vec<ProductDocument> {
    let common = (10..40).map(|number| sound(&format!("k{number}"), &format!("Wireless keyboard {number}")));
    common.chain(more.iter().map(|(id, title)| sound(id, title))).collect()
}

#[test]
fn a_word_of_which_others_have_a_form_is_not_mistyped() {
    // One product has the singular, two the plural: all have the stem.
    let more = [("m1", "Keybaords"), ("m2", "Keybaord"), ("m3", "Two keybaords"), ("m4", "Kyeboard")];
    let products = keyboards(&more);
    let report = report(&products, &[], 9);
    assert_eq!(ids(fault(&report, DefectKind::MistypedWord)), ["m4"]);
}

#[test]
fn a_product_comes_once_and_with_all_other_words() {
    let products = keyboards(&[
        ("m1", "Wirelss keybaord"),
        ("m2", "Wireless keyboadr"),
        ("m3", "Loud keybord"),
        ("m4", "Wireless keybaardd"),
    ]);
    let report = report(&products, &["wireless keyboard", "keyboard"], 9);
    let comes: Vec<_> = fault(&report, DefectKind::MistypedWord)
        .changes
        .iter()
        .map(|(number, change)| (*number, change.comes))
        .collect();
    // In the first segment only m2 holds the other word.
    assert_eq!(comes, [(0, 1), (1, 3)]);
}

#[test]
fn a_row_has_the_beginning_of_a_very_long_title() {
    let long = "Lämp ".repeat(100);
    let products = [sound("p1", long.trim()), row("p2", &format!(r#""Title":"Stool","{long}":"Oak""#))];
    let report = report(&products, &[], 9);
    let title = &fault(&report, DefectKind::LongTitle).rows[0].title;
    assert!(
        title.len() <= 203 && title.ends_with('…') && long.starts_with(title.trim_end_matches('…')),
        "{title}"
    );
    assert_eq!(fault(&report, DefectKind::LoneAttribute).products, 0, "nor is an endless name noted");
}

#[test]
fn sample_searches_are_those_of_who_asks() {
    let products = [
        row("p1", r#""Title":"Lamp","Prices":["5 EUR"]"#),
        row("p2", r#""Title":"Lamp","Prices":["5 USD"]"#),
        row("p3", r#""Title":"Lamp","Prices":["7 EUR"],"Image":"https://shop.example/3.jpg""#),
    ];
    let index = index_of(&products);
    let samples = [SearchQuery { query: "lamp".to_owned(), ..SearchQuery::default() }];
    let caller = BuyerContext { currency: Some(*b"EUR"), ..BuyerContext::default() };
    let report = examine(&index.snapshot(), &ShopTables::default(), &samples, 9, &caller).expect("a report");
    assert_eq!((report.samples[0].hits, report.samples[0].first_page), (2, 2));
    assert_eq!(
        fault(&report, DefectKind::NoImage).changes,
        [(0, SampleImpact { first_page: 1, hits: 1, comes: 0 })]
    );
    let no_price = &fault(&report, DefectKind::NoPrice(*b"EUR")).changes;
    assert_eq!(*no_price, [(0, SampleImpact { first_page: 0, hits: 0, comes: 1 })]);
}

#[test]
fn a_title_of_more_than_150_letters_is_too_long() {
    let titled = |id: &str, letter: &str, letters: usize| sound(id, &letter.repeat(letters));
    let products = [
        titled("p1", "ä", TITLE_LETTERS),
        titled("p2", "ö", TITLE_LETTERS + 1),
        titled("p3", "a", 200),
        titled("p4", "b", 201),
    ];
    let report = report(&products, &[], 9);
    let long = &fault(&report, DefectKind::LongTitle).rows;
    let rows: Vec<_> = long.iter().map(|row| (row.id.as_str(), row.title.clone(), row.letters)).collect();
    let expected = [
        ("p2", "ö".repeat(100) + "…", Some(151)),
        ("p3", "a".repeat(200), Some(200)),
        ("p4", "b".repeat(200) + "…", Some(201)),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn of_the_products_that_share_a_title_ten_others_are_named() {
    let products: Vec<_> = (10..22).map(|number| sound(&format!("p{number}"), "Lamp")).collect();
    let report = report(&products, &[], 9);
    let shared = fault(&report, DefectKind::SharedTitle);
    let others: Vec<_> = (11..21).map(|number| format!("p{number}")).collect();
    assert_eq!((shared.products, ids(shared), &shared.rows[0].others), (12, vec!["p10"], &others));
}

#[test]
fn prices_are_missed_in_the_eight_commonest_currencies() {
    let currencies = "EUR EUR EUR GBP GBP USD USD SEK PLN NOK DKK CZK CHF";
    let products: Vec<_> = currencies
        .split(' ')
        .zip(10..)
        .map(|(currency, number)| {
            row(&format!("p{number}"), &format!(r#""Title":"Lamp {number}","Prices":["5 {currency}"]"#))
        })
        .collect();
    let report = report(&products, &[], 9);
    let missed: Vec<_> = report
        .faults
        .iter()
        .filter_map(|fault| match fault.kind {
            DefectKind::NoPrice(currency) => Some((currency, fault.products)),
            _ => None,
        })
        .collect();
    let expected = [
        (*b"CHF", 12),
        (*b"CZK", 12),
        (*b"DKK", 12),
        (*b"EUR", 10),
        (*b"GBP", 11),
        (*b"NOK", 12),
        (*b"PLN", 12),
        (*b"USD", 11),
    ];
    assert_eq!(missed, expected);
}

#[test]
fn a_product_has_a_row_for_each_attribute_that_it_alone_has_and_counts_once() {
    let products = [
        row("p1", r#""Title":"Table","Wood":"Oak","Hight":"9","Colour":"red""#),
        row("p2", r#""Title":"Chair","Colour":"red""#),
    ];
    let rows = |most: usize| {
        let report = report(&products, &[], most);
        let lone = fault(&report, DefectKind::LoneAttribute);
        let named = lone.rows.iter().map(|row| (row.title.clone(), row.attribute.clone().expect("a name")));
        (lone.products, named.collect::<Vec<_>>())
    };
    let named = |name: &str| ("Table".to_owned(), name.to_owned());
    assert_eq!(rows(9), (1, vec![named("Hight"), named("Wood")]));
    assert_eq!(rows(1), (1, vec![named("Hight")]));
}
