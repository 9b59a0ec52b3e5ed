//! Products by their ids and numbers; lists in which no brand and no category has too many places; completions.

use serde_json::json;

use super::*;
use crate::search::autocomplete::Completions;
use crate::search::document::NameTable;
use crate::search::query::options::Ranking;

fn caller() -> BuyerContext {
    BuyerContext::default()
}

fn kin(brand: &str, category: &str) -> ProductGroups {
    let [brand, category] = [brand, category].map(|id| (!id.is_empty()).then(|| id.to_owned()));
    ProductGroups { brand, category }
}

#[test]
fn a_product_is_known_by_its_id_and_its_number() {
    let products = [
        row(r#"{"Id":"a-1","Sku":"X 1","Title":"Lamp"}"#),
        row(r#"{"Id":"b","Sku":"A1","Title":"Lamp","Brand":"acme","Categories":["desk","home"]}"#),
        row(r#"{"Id":"c","Sku":"A-1","Title":"Lamp","ExcludeFromSearch":true}"#),
    ];
    let mut shop = Shop::empty(knowledge(&products));
    products.chunks(2).for_each(|some| shop.put_products(some));
    let snapshot = shop.index.snapshot();
    assert_eq!(snapshot.products(), 3);
    let mut found = snapshot.find_ids("A 1").expect("read");
    found.sort();
    assert_eq!(found, ["a-1", "b"]);
    let ids = ["b", "A 1", "x-1", "c", "nothing"].map(|name| snapshot.id_of(name).expect("read"));
    let ids = ids.each_ref().map(Option::as_deref);
    assert_eq!(ids, [Some("b"), Some("a-1"), Some("a-1"), Some("c"), None]);
    let has = ["a-1", "c", "A1"].map(|id| snapshot.has(id).expect("read"));
    assert_eq!(has, [true, true, false]);
    let is_shown = ["a-1", "c", "A1"].map(|id| snapshot.is_shown(id, &caller()).expect("read"));
    assert_eq!(is_shown, [true, false, false]);
    let kins = ["b", "a-1", "nothing"].map(|id| snapshot.kin(id).expect("read"));
    assert_eq!(kins, [kin("acme", "desk"), kin("", ""), kin("", "")]);
    assert_eq!(kin("acme", "desk").into_id(GroupKind::Brand).as_deref(), Some("acme"));
    assert_eq!(kin("acme", "desk").into_id(GroupKind::Category).as_deref(), Some("desk"));
}

#[test]
fn a_list_has_so_many_products_of_a_brand_and_a_category() {
    let mut list = DiversityLimiter::new(Diversity { brand: Some(2), category: Some(1) });
    for (brand, category, is_taken) in [
        ("a", "x", true),
        ("a", "x", false),
        // What was passed over is not counted.
        ("a", "y", true),
        ("a", "z", false),
        ("b", "z", true),
        ("b", "z", false),
        ("", "u", true),
        ("c", "", true),
        ("", "", true),
        ("", "", true),
    ] {
        assert_eq!(list.takes(kin(brand, category)), is_taken, "{brand} {category}");
    }
    let mut any = DiversityLimiter::new(Diversity::default());
    assert!((0..9).all(|_| any.takes(kin("a", "x"))));
}

#[test]
fn each_brand_or_category_stands_once_if_it_may_be_recommended() {
    let mut named = NameTable::default();
    for (id, row) in [("a", "{}"), ("b", "{}"), ("out", "{}"), ("hidden", r#"{"IsActive":false}"#)] {
        named.put_row(id, row.as_bytes()).expect("a row");
    }
    for of in [GroupKind::Brand, GroupKind::Category] {
        let mut list = DiversityLimiter::one_of_each(of, &named, Some("out"));
        for (id, is_taken) in [
            ("a", true),
            ("a", false),
            ("b", true),
            ("out", false),
            ("hidden", false),
            ("none", false),
            ("", false),
        ] {
            let kin = match of {
                GroupKind::Brand => kin(id, "x"),
                GroupKind::Category => kin("x", id),
            };
            assert_eq!(list.takes(kin), is_taken, "{id} of {of:?}");
        }
        let mut all = DiversityLimiter::one_of_each(of, &named, None);
        assert!(all.takes(kin("out", "out")));
    }
}

#[test]
fn given_products_keep_their_order_and_pass_the_filters() {
    let products: Vec<_> = (0..5)
        .map(|number| ProductDocument {
            in_stock: number != 1,
            brand_id: if number % 2 == 0 { "even" } else { "odd" }.to_owned(),
            categories: vec!["lamps".to_owned()],
            ..product(&format!("p{number}"), "Lamp")
        })
        .collect();
    let mut shop = Shop::empty(knowledge(&products));
    products.chunks(2).for_each(|some| shop.put_products(some));
    let snapshot = shop.index.snapshot();
    let columns = snapshot.knowledge().columns();
    let filters = |filters| Filters::parse(&filters, columns).expect("filters");
    let given = ["p3", "none", "p1", "p0", "p2", "p4"];
    let caller = caller();
    let select = |filters: &Filters, size: usize, most: Option<usize>| -> Vec<(String, usize)> {
        let wanted = ProductConstraints { filters, rules: None, caller: &caller, viewed: None };
        let mut spread = DiversityLimiter::new(Diversity { brand: most, category: None });
        let spread = most.is_some().then_some(&mut spread);
        let chosen = snapshot.select_products(given.into_iter().zip(0..), size, &wanted, spread);
        chosen.expect("read").into_iter().map(|(item, beside)| (item.id, beside)).collect()
    };
    let of = |chosen: &[(&str, usize)]| -> Vec<_> {
        chosen.iter().map(|(id, beside)| ((*id).to_owned(), *beside)).collect()
    };
    let all = filters(json!({}));
    let in_stock = filters(json!({"InStock": true}));
    assert_eq!(select(&all, 3, None), of(&[("p3", 0), ("p1", 2), ("p0", 3)]));
    assert_eq!(select(&in_stock, 3, None), of(&[("p3", 0), ("p0", 3), ("p2", 4)]));
    assert_eq!(select(&all, 9, Some(1)), of(&[("p3", 0), ("p0", 3)]));
    assert_eq!(select(&in_stock, 9, Some(2)), of(&[("p3", 0), ("p0", 3), ("p2", 4)]));
    assert_eq!((select(&all, 0, None).len(), select(&all, 9, None).len()), (0, 5));
    let chosen = |filters: &Filters| -> Vec<String> {
        let wanted = ProductConstraints { filters, rules: None, caller: &caller, viewed: None };
        let mut ids = snapshot.all_chosen(&wanted).expect("read");
        ids.sort_unstable();
        ids.into_iter().map(str::to_owned).collect()
    };
    assert_eq!(chosen(&all), ["p0", "p1", "p2", "p3", "p4"]);
    assert_eq!(chosen(&in_stock), ["p0", "p2", "p3", "p4"]);
}

#[test]
fn the_products_of_a_completion_are_those_of_its_first_query() {
    let shop = Shop::new(&shoes());
    let snapshot = shop.index.snapshot();
    let complete = |prefix: &str, searched: &[String]| {
        let completed = snapshot.complete((prefix, searched), 3, SearchPolicy::default(), &caller());
        let (completions, items) = completed.expect("read");
        (completions, items.into_iter().map(|item| item.id).collect::<Vec<_>>())
    };
    let found = |query: &str| {
        let ranking = Ranking { centroid: false, ..Ranking::default() };
        ids(&shop.search(&SearchQuery { size: 3, ranking, ..asking(query) }))
    };
    let (completions, items) = complete("sho", &[]);
    assert_eq!((completions.queries[0].text.as_str(), items), ("shoe", found("shoe")));
    assert_eq!(found("shoe").len(), 3);
    let searched = ["red bag".to_owned()];
    let (completions, items) = complete("re", &searched);
    assert_eq!((completions.queries[0].text.as_str(), items[0].as_str()), ("red bag", "b1"));
    // Where nothing completes it, what is typed is searched.
    let (completions, items) = complete("blue shoe with", &[]);
    assert!(completions.queries.iter().all(|query| query.text.starts_with("blue shoe with")));
    assert_eq!(items[0], "b2");
    for blank in ["", "  "] {
        assert_eq!(complete(blank, &searched), (Completions::default(), Vec::new()));
    }
}
