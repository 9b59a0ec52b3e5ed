//! Parts of an answer: its page, what follows its matches, its marks and variants, and why a product is missing.

use serde_json::json;

use super::*;
use crate::search::pricing::HiddenReason;
use crate::search::query::options::Ranking;
use crate::search::query::sort::Direction;
use crate::search::synonyms::Synonyms;

/// The query for red shoes, with pages of this size.
fn red_shoes(size: usize) -> SearchQuery {
    SearchQuery { size, ..asking("red shoe") }
}

#[test]
fn the_best_are_the_same_whether_all_matches_are_held_or_the_best_of_each_coverage() {
    let described = |number: usize| ProductDocument {
        description: format!("{}shoe", "long ".repeat(number % 7)),
        ..product(&format!("d{number:03}"), "Red sandal")
    };
    let titled =
        |number: usize| product(&format!("t{number:03}"), &format!("{}shoe red", "old ".repeat(number % 5)));
    let boots = (0..30).map(|number| product(&format!("b{number:03}"), "Red boot"));
    let products: Vec<_> = (0..300).map(described).chain((0..300).map(titled)).chain(boots).collect();
    let mut shop = Shop::empty(knowledge(&products));
    products.chunks(150).for_each(|some| shop.put_products(some));
    let facets = parse_facets(&["InStock".to_owned()], shop.index.snapshot().knowledge().columns());
    let facets = facets.expect("facets");
    let boots = Synonyms::parse("shoe => boot", &Analyser::new(ShopLanguage::English)).expect("synonyms");
    let boots = Arc::new(boots);
    let plain = Ranking { centroid: false, favour: false, ..Ranking::default() };
    for (query, size, page) in [("shoe", 10, 1), ("red shoe", 10, 2), ("red shoe", 30, 11), ("shoe", 40, 9)] {
        let synonyms = Some(Arc::clone(&boots));
        let best = SearchQuery { size, page, ranking: plain, synonyms, ..asking(query) };
        let whole = SearchQuery { facets: facets.clone(), ..best.clone() };
        let [best, whole] = [best, whole].map(|request| shop.search(&request));
        assert_eq!((ids(&best), best.total), (ids(&whole), 630), "{query} {size} {page}");
        assert_eq!(best.items.len(), size);
    }
}

#[test]
fn a_search_ranks_as_many_products_as_its_pages_and_their_lifts_need() {
    let request = |page: usize, size: usize| SearchQuery { page, size, ..asking("") };
    let needed = [(0, 10), (1, 10), (3, 10), (usize::MAX, 2), (41, 250)].map(|(page, size)| {
        let request = request(page, size);
        (request.hits_needed(), request.candidates())
    });
    assert_eq!(needed, [(10, 200), (10, 200), (30, 200), (10_000, 10_000), (10_000, 10_000)]);
    let with = |centroid: bool, favour: bool| {
        let ranking = Ranking { centroid, favour, ..Ranking::default() };
        SearchQuery { ranking, ..request(1, 10) }.candidates()
    };
    assert_eq!([with(true, false), with(false, true), with(false, false)], [200, 200, 10]);
    let sorted = SearchQuery { sort: Sort::Title(Direction::Up), ..request(1, 10) };
    assert!(sorted.must_read_all() && !request(1, 10).must_read_all());
}

#[test]
fn products_that_lack_words_follow_where_the_page_has_room() {
    let shop = Shop::new(&shoes());
    let page = |size: usize, page: usize| {
        let answer = shop.search(&SearchQuery { page, ..red_shoes(size) });
        (answer.total, answer.items.len(), answer.relaxed_from)
    };
    assert_eq!(page(20, 1), (20, 20, None));
    assert_eq!(page(21, 1), (20, 21, Some(20)));
    assert_eq!(page(10, 3), (20, 2, Some(20)));
    assert_eq!(page(10, 4), (20, 0, Some(20)));
    assert_eq!(page(20, 0), page(20, 1));
}

#[test]
fn what_follows_filtered_matches_passes_the_filters_too() {
    let shop = Shop::new(&coloured_shoes());
    let found = |colour: &str, size: usize| {
        let filters = json!({"Attributes": {"Colour": [colour]}});
        let filters = Filters::parse(&filters, shop.index.snapshot().knowledge().columns()).expect("filters");
        let answer = shop.search(&SearchQuery { filters, ..red_shoes(size) });
        (answer.total, ids(&answer).last().cloned(), answer.items.len(), answer.relaxed_from)
    };
    let last = |id: &str| Some(id.to_owned());
    assert_eq!(found("light", 24), (10, last("b1"), 11, Some(10)));
    assert_eq!(found("dark", 24), (10, last("b2"), 11, Some(10)));
    assert_eq!(found("light", 10), (10, last("s28"), 10, None));
    assert_eq!(found("light", 11), (10, last("b1"), 11, Some(10)));
}

#[test]
fn the_words_of_a_query_are_marked_in_title_and_description() {
    let mut products = shoes();
    products.push(row(r#"{"Id":"1","Title":"Oak chair","Description":"<p>Solid <b>oak</b>, oiled.</p>"}"#));
    products.push(row(r#"{"Id":"2","Title":"Steel chair","Description":"To sit on."}"#));
    let shop = Shop::new(&products);
    let marked = |query: &str, highlight: bool| {
        let answer = shop.search(&SearchQuery { highlight, ..asking(query) });
        let items = answer.items.into_iter().filter(|item| ["1", "2"].contains(&item.id.as_str()));
        items.map(|item| (item.id, item.highlight)).collect::<Vec<_>>()
    };
    let highlight = |id: &str, title: Option<&str>, description: Option<&str>| {
        let [title, description] = [title, description].map(|text| text.map(str::to_owned));
        (id.to_owned(), Some(Highlight { title, description }))
    };
    let first = highlight("1", Some("<em>Oak</em> <em>chair</em>"), Some("Solid <em>oak</em>, oiled."));
    let second = highlight("2", Some("Steel <em>chair</em>"), None);
    assert_eq!(marked("oak chair", true), [first, second]);
    assert_eq!(marked("oiled", true), [highlight("1", None, Some("Solid oak, <em>oiled</em>."))]);
    assert_eq!(marked("oiled", false), [("1".to_owned(), None)]);
}

#[test]
fn the_variant_with_most_words_is_shown_then_one_in_stock_then_the_cheapest_then_the_first() {
    let variant = |id: &str, title: &str, price: &str, in_stock: bool| json!({"Id": id, "Title": title, "Options": {"Wood": "oak"}, "Prices": [price], "InStock": in_stock});
    let variants = [
        variant("1", "red small", "1.00 GBP", false),
        variant("2", "red large", "4.00 GBP", true),
        variant("3", "red huge", "3.00 GBP", true),
        variant("4", "red giant", "3.00 GBP", true),
    ];
    let shop = Shop::new(&[row(&json!({"Id": "c", "Title": "Chair", "Variants": variants}).to_string())]);
    for (query, id) in [
        ("chair red small", "1"),
        ("chair red large", "2"),
        ("chair red", "3"),
        ("chair oak", "3"),
        ("chair", "3"),
        ("4", "4"),
    ] {
        let caller = BuyerContext { currency: Some(*b"GBP"), ..BuyerContext::default() };
        let answer = shop.index.snapshot().search(&asking(query), &caller).expect("an answer");
        assert_eq!(shown_variant(&answer, "Id"), id, "{query}");
    }
}

#[test]
fn each_reason_for_a_missing_product_is_told_in_its_order() {
    let mut products = shoes();
    products.push(row(r#"{"Id":"secret","Title":"Red shoe","ExcludeFromSearch":true}"#));
    products.push(row(r#"{"Id":"later","Title":"Red shoe","StartDate":"2030-01-01"}"#));
    let mut of_others = product("theirs", "Red shoe");
    of_others.offer.inclusions.push("tag".to_owned());
    products.push(of_others);
    let shop = Shop::new(&products);
    let snapshot = shop.index.snapshot();
    let columns = snapshot.knowledge().columns();
    let filtered = |query: &str, filters| SearchQuery {
        filters: Filters::parse(&filters, columns).expect("filters"),
        ..asking(query)
    };
    let missing = |id: &str, request: &SearchQuery| match snapshot.verdict(
        id,
        &[],
        request,
        &BuyerContext::default(),
    ) {
        Ok(SearchExplanation::Missing(reasons)) => reasons,
        other => panic!("{id}: {other:?}"),
    };
    let by = |name: &str| NotFoundReason::Filtered(name.to_owned());
    let lacks = |words: &[&str]| NotFoundReason::Lacks(words.iter().map(|word| (*word).to_owned()).collect());
    let sold_out = json!({"InStock": false, "Brand": "acme"});
    for (id, request, reasons) in [
        ("none", asking("red shoe"), vec![NotFoundReason::Unknown]),
        ("secret", asking("bag"), vec![NotFoundReason::Unseen(HiddenReason::Hidden)]),
        (
            "later",
            asking("bag"),
            vec![NotFoundReason::Unseen(HiddenReason::OutOfPeriod), NotFoundReason::HoldsNothing],
        ),
        ("theirs", asking("red shoe"), vec![NotFoundReason::Unseen(HiddenReason::OfOtherAccounts)]),
        ("s10", asking("bag"), vec![NotFoundReason::HoldsNothing]),
        ("s10", filtered("red shoe", sold_out.clone()), vec![by("InStock"), by("Brand")]),
        ("b1", filtered("red shoe", sold_out), vec![by("InStock"), by("Brand"), lacks(&["shoe"])]),
    ] {
        assert_eq!(missing(id, &request), reasons, "{id} for {}", request.query);
    }
    let found =
        snapshot.verdict("b1", &[], &asking("red shoe"), &BuyerContext::default()).expect("a verdict");
    let SearchExplanation::Found(why) = found else { panic!("{found:?}") };
    assert_eq!((&why.held.lacking, why.place > 20), (&vec!["shoe".to_owned()], true));
}
