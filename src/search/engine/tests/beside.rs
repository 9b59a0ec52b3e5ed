//! Queries for joined words, numbers with decimals, and words with a sign.

use super::*;
use crate::search::synonyms::Synonyms;

#[test]
fn a_number_with_decimals_is_one_word() {
    let shop = Shop::new(&[
        product("wide", "Laptop 15.6 inch"),
        product("comma", "Laptop 15,6 inch"),
        product("apart", "Monitor 21.5 inch for 15 or 6 users"),
        product("whole", "Laptop 15 inch"),
    ]);
    for query in ["15.6", "15,6"] {
        let answer = shop.search(&asking(query));
        assert_eq!(ids(&answer), ["comma", "wide"], "{query}");
        assert_eq!(answer.total, 2, "{query}");
    }
    assert_eq!(shop.search(&asking("15.6 inch laptop")).total, 2);
    let whole = shop.find("15");
    assert_eq!(whole.len(), 4, "a number also stands for its decimals: {whole:?}");
    assert!(shop.find("21.6").is_empty());
}

#[test]
fn a_decimal_ends_before_letters() {
    let shop = Shop::new(&[
        product("jack", "Cable 3.5mm"),
        product("blank", "Cable 3.5 mm"),
        product("other", "Cable 2.5mm"),
    ]);
    for query in ["3.5mm", "3.5 mm"] {
        let answer = shop.search(&asking(query));
        let mut found = ids(&answer);
        found.truncate(2);
        found.sort_unstable();
        assert_eq!(found, ["blank", "jack"], "{query}");
        assert_eq!(answer.total, 2, "{query}");
    }
}

#[test]
fn words_that_a_hyphen_or_points_part_are_found_as_one() {
    let shop = Shop::new(&[
        product("net", "Wi-Fi box"),
        product("jeans", "A.P.C. jeans"),
        product("shirt", "H&M shirt"),
        product("other", "Box of jeans and a shirt"),
    ]);
    for (query, id) in [("wifi", "net"), ("apc", "jeans"), ("hm", "shirt"), ("h&m", "shirt")] {
        assert_eq!(shop.find(query)[0], id, "{query}");
        assert_eq!(shop.search(&asking(query)).total, 1, "{query}");
    }
}

#[test]
fn a_word_finds_its_parts_where_the_shop_writes_it_with_a_hyphen_and_apart() {
    let shop = Shop::new(&[
        product("hyphen", "T-shirt red"),
        product("apart", "T shirt blue"),
        product("other", "Shirt green"),
    ]);
    let answer = shop.search(&asking("tshirt"));
    let mut found = ids(&answer);
    found.sort_unstable();
    assert_eq!((found.join(" "), answer.total), ("apart hyphen".to_owned(), 2));
}

#[test]
fn a_sign_orders_products_and_matches_none() {
    let shop =
        Shop::new(&[product("a", "Galaxy S23"), product("b", "Galaxy S23+"), product("c", "Galaxy S24+")]);
    assert_eq!(shop.find("galaxy s23+")[..2], ["b", "a"]);
    let answer = shop.search(&SearchQuery { explain: true, ..asking("s23+") });
    assert_eq!(answer.total, 2);
    let why = answer.items[0].why.as_ref().expect("reasons");
    assert_eq!(why.held.extras.iter().map(|extra| extra.word.as_str()).collect::<Vec<_>>(), ["s23+"]);
}

#[test]
fn a_synonym_of_a_decimal_is_found() {
    let shop = Shop::new(&[product("a", "Ultrabook"), product("b", "Laptop 15.6"), product("c", "Oak desk")]);
    let synonyms = Synonyms::parse("15.6 => ultrabook", &Analyser::new(ShopLanguage::English));
    let request = SearchQuery { synonyms: Some(Arc::new(synonyms.expect("synonyms"))), ..asking("15.6") };
    assert_eq!(ids(&shop.search(&request)), ["b", "a"]);
}

#[test]
fn initials_find_the_name_without_their_points() {
    let shop = Shop::new(&[
        product("plain", "Jeans APC"),
        product("points", "Jeans A.P.C."),
        product("other", "Jeans P"),
    ]);
    for query in ["A.P.C.", "apc", "jeans a.p.c"] {
        let answer = shop.search(&asking(query));
        assert_eq!(
            (answer.total, &ids(&answer)[..2]),
            (2, &["plain".to_owned(), "points".to_owned()][..]),
            "{query}"
        );
    }
}
