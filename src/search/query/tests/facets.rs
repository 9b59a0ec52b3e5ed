//! Filters, facets and sorts by example.

use serde_json::json;

use super::Shop;
use super::shop::{caller, chairs, none, product, with};
use crate::limits::SEARCH_FACET_VALUES;
use crate::search::document::{AttributeStatistics, ProductDocument, ShopTables};
use crate::search::pricing::{BuyerContext, Period, Price};
use crate::search::query::facets::{Facet, FacetValue, keep_helpful};
use crate::search::query::filters::Filters;
use crate::search::query::product_property::ProductProperty;

fn pairs(counts: &[(String, u64)]) -> Vec<(&str, u64)> {
    counts.iter().map(|(value, count)| (value.as_str(), *count)).collect()
}

fn both(check: impl Fn(&Shop)) {
    check(&chairs(false));
    check(&chairs(true));
}

#[test]
fn values_of_a_filter_are_alternatives_and_filters_are_joined() {
    both(|shop| {
        assert_eq!(
            shop.ids(json!({"Attributes": {"Colour": ["oak", "white"]}}), "title"),
            ["c1", "c2", "c3", "c0"]
        );
        let joined = json!({"Attributes": {"Colour": ["oak", "white"]}, "Brand": "ashes", "InStock": true});
        assert_eq!(shop.ids(joined, "title"), ["c1", "c2"]);
        assert!(shop.ids(json!({"Brand": ["nobody"]}), "title").is_empty());
        let many = json!({"Brand": ["a", "b", "c", "d", "e", "ashes"]});
        assert_eq!(shop.ids(many, "title"), ["c1", "c2"]);
    });
}

#[test]
fn numbers_are_filtered_by_value_and_by_range() {
    both(|shop| {
        assert_eq!(shop.ids(json!({"Attributes": {"seat Width": ["50.5"]}}), "title"), ["c0"]);
        assert_eq!(shop.ids(json!({"Attributes": {"Seat width": {"From": 45}}}), "title"), ["c3", "c0"]);
        assert_eq!(
            shop.ids(json!({"Attributes": {"Seat width": {"From": 41, "To": 45.0}}}), "title"),
            ["c3"]
        );
        assert_eq!(shop.ids(json!({"Price": {"From": 20, "To": "30.00"}}), "title"), ["c2", "c3", "c0"]);
    });
}

#[test]
fn a_facets_own_selection_does_not_narrow_it() {
    both(|shop| {
        let filters = json!({"Brand": ["ashes"], "Attributes": {"Colour": ["white"]}});
        assert_eq!(pairs(&shop.counts(filters.clone(), "Brand")), [("ashes", 2)]);
        assert_eq!(pairs(&shop.counts(filters.clone(), "Attributes.Colour")), [("white", 2), ("ash", 1)]);
        assert_eq!(pairs(&shop.counts(filters, "Category")), [("chairs", 2), ("home", 2)]);
        let dear = json!({"Price": {"From": 25}, "Category": "chairs"});
        assert_eq!(
            pairs(&shop.counts(dear.clone(), "Category")),
            [("home", 3), ("chairs", 2), ("tables", 1)]
        );
        let found = shop.find(dear, &["Price"], "price", &caller("GBP"));
        let span = found.facets[0].span.clone().expect("prices");
        assert_eq!(
            (span.min, span.max),
            (10.0, 30.0),
            "the price filter does not narrow it, the category does"
        );
    });
}

#[test]
fn what_a_caller_may_not_see_is_not_counted() {
    both(|shop| {
        assert_eq!(pairs(&shop.counts(none(), "Brand")), [("oakworks", 3), ("ashes", 2)]);
        let in_euro = shop.find(none(), &["Brand"], "price", &caller("EUR"));
        assert_eq!(in_euro.ids, ["e1"]);
        assert_eq!(in_euro.facets[0].values[0].count, 1);
        let anybody =
            shop.find(none(), &["Brand"], "title", &crate::search::pricing::BuyerContext::default());
        assert_eq!(anybody.ids.len(), 6, "all but the hidden one");
    });
}

#[test]
fn a_product_counts_once_in_a_category() {
    both(|shop| {
        assert_eq!(pairs(&shop.counts(none(), "Category")), [("home", 5), ("chairs", 4), ("tables", 1)]);
    });
}

#[test]
fn flags_and_numbers_are_counted() {
    both(|shop| {
        assert_eq!(pairs(&shop.counts(none(), "InStock")), [("true", 4), ("false", 1)]);
        assert_eq!(pairs(&shop.counts(none(), "Attributes.Seat width")), [("40", 2), ("45", 1), ("50.5", 1)]);
        let found = shop.find(none(), &["Attributes.Seat width"], "title", &caller("GBP"));
        let span = found.facets[0].span.clone().expect("numbers");
        assert_eq!((span.min, span.max, span.unit.as_deref()), (40.0, 50.5, Some("cm")));
    });
}

#[test]
fn each_flag_is_filtered_by_itself() {
    let chair = |id: &str| ProductDocument { in_stock: false, ..product(id, "Chair", "1.00 GBP") };
    let products = vec![
        ProductDocument { in_stock: true, ..chair("1") },
        ProductDocument { new_arrival: true, ..chair("2") },
        ProductDocument { on_offer: true, ..chair("3") },
    ];
    let shop = Shop::new(&[products], false);
    for (flag, marked, others) in
        [("InStock", "1", ["2", "3"]), ("NewArrival", "2", ["1", "3"]), ("OnOffer", "3", ["1", "2"])]
    {
        assert_eq!(shop.ids(json!({(flag): true}), "title"), [marked], "{flag}");
        assert_eq!(shop.ids(json!({(flag): false}), "title"), others, "{flag}");
    }
}

fn sizes(of_sizes: &[&str]) -> Shop {
    let (first, second) = of_sizes.split_at(of_sizes.len() / 2);
    let shoe = |size: &&str| with(product(&format!("shoe {size}"), "Shoe", "1.00 GBP"), "Size", &[*size]);
    Shop::new(&[first, second].map(|sizes| sizes.iter().map(shoe).collect()), false)
}

#[test]
fn a_value_stays_the_text_that_was_sent() {
    let shop = sizes(&["7.10", "7.1", "7,5", "8"]);
    let counts = shop.counts(none(), "Attributes.Size");
    assert_eq!(pairs(&counts), [("7.1", 1), ("7.10", 1), ("7,5", 1), ("8", 1)]);
    let wanted = |wanted| shop.ids(json!({"Attributes": {"Size": wanted}}), "title");
    assert_eq!(wanted(json!(["7.1"])), ["shoe 7.1"]);
    assert_eq!(wanted(json!([7.1])), ["shoe 7.1", "shoe 7.10"], "a number is any text that says it");
    assert_eq!(wanted(json!({"From": 7.2, "To": 7.5})), ["shoe 7,5"]);
    assert_eq!(wanted(json!(["7.10", 8])), ["shoe 7.10", "shoe 8"]);
    assert!(wanted(json!(["large"])).is_empty());
}

#[test]
fn numbers_among_texts_are_ordered_as_numbers() {
    let shop = sizes(&["10", "M", "9", "38", "L", "9.5"]);
    let up = ["shoe 9", "shoe 9.5", "shoe 10", "shoe 38", "shoe L", "shoe M"];
    assert_eq!(shop.ids(none(), "Attributes.Size"), up);
    let down: Vec<_> = up.into_iter().rev().collect();
    assert_eq!(shop.ids(none(), "-Attributes.Size"), down);
    let range = json!({"Attributes": {"Size": {"From": 9.1, "To": 38}}});
    assert_eq!(shop.ids(range, "Attributes.Size"), ["shoe 9.5", "shoe 10", "shoe 38"]);
}

#[test]
fn an_attribute_that_no_product_has_finds_nothing_and_breaks_nothing() {
    both(|shop| {
        let facets = ["Attributes.Gone", "Brand"];
        let found = shop.find(none(), &facets, "Attributes.Gone", &caller("GBP"));
        assert_eq!(found.facets[0].subject, ProductProperty::Attribute("Gone".to_owned()));
        assert!(found.facets[0].values.is_empty() && !found.facets[1].values.is_empty());
        assert_eq!(found.ids, shop.ids(none(), "relevance"));
        for wanted in [json!(["red"]), json!([4]), json!({"From": 1})] {
            assert!(shop.ids(json!({"Attributes": {"Gone": wanted}}), "title").is_empty());
        }
    });
}

#[test]
fn equal_keys_are_in_the_order_of_ids() {
    both(|shop| {
        assert_eq!(shop.ids(none(), "price"), ["c1", "c2", "c0", "c3", "t1"]);
        assert_eq!(shop.ids(none(), "-price"), ["t1", "c0", "c3", "c2", "c1"]);
        assert_eq!(shop.ids(none(), "newest"), ["c0", "c1", "c2", "c3", "t1"]);
        assert_eq!(shop.ids(none(), "title"), ["c1", "c2", "c3", "c0", "t1"], "Élan is elan");
        assert_eq!(shop.ids(none(), "-title"), ["t1", "c0", "c3", "c2", "c1"]);
        assert_eq!(
            shop.ids(none(), "Attributes.Colour"),
            ["c1", "c0", "c3", "c2", "t1"],
            "without a colour last"
        );
        assert_eq!(shop.ids(none(), "-Attributes.Colour"), ["c1", "c2", "c0", "c3", "t1"]);
        assert_eq!(shop.ids(none(), "-Attributes.Seat width"), ["c0", "c3", "c1", "c2", "t1"]);
    });
}

#[test]
fn as_a_filter_each_range_finds_its_count() {
    let cents = [
        "0.99", "4.50", "4.99", "5.00", "7.00", "12.50", "19.99", "20.00", "45.00", "99.00", "100.00",
        "250.00",
    ];
    // Edges such as 1.5 lie between these.
    let units = ["0", "0", "1", "1", "1", "2", "2", "3", "3", "4", "5", "25"];
    for (prices, least, most) in [(cents, 0.99, 250.0), (units, 0.0, 25.0)] {
        let price = |(price, id)| product(&format!("p{id}"), "Lamp", &format!("{price} GBP"));
        let shop = Shop::new(&[prices.iter().zip(10..).map(price).collect()], false);
        let found = shop.find(none(), &["Price"], "price", &caller("GBP"));
        let span = found.facets[0].span.clone().expect("prices");
        assert_eq!((span.min, span.max), (least, most));
        assert!((4..=7).contains(&span.ranges.len()), "{:?}", span.ranges);
        assert_eq!(span.ranges.iter().map(|range| range.count).sum::<u64>(), 12);
        for range in &span.ranges {
            let filtered = shop.ids(json!({"Price": {"From": range.from, "To": range.to}}), "price");
            assert_eq!(filtered.len() as u64, range.count, "{range:?}");
        }
    }
}

#[test]
fn a_facet_has_a_limit_and_says_how_many_values_there_are() {
    let lamp = |number: usize| {
        with(product(&format!("p{number:04}"), "Lamp", "1.00 GBP"), "Code", &[&format!("x{number:04}")])
    };
    let mut parts = vec![(0..300).map(lamp).collect::<Vec<_>>(), (300..5000).map(lamp).collect()];
    parts[1].push(with(product("q", "Lamp", "1.00 GBP"), "Code", &["x0299"]));
    for merge in [false, true] {
        let shop = Shop::new(&parts, merge);
        let found = shop.find(none(), &["Attributes.Code"], "title", &caller("GBP"));
        let facet = &found.facets[0];
        assert_eq!((facet.values.len(), facet.distinct), (SEARCH_FACET_VALUES, 5000));
        let first: Vec<_> =
            facet.values[..3].iter().map(|value| (value.value.as_str(), value.count)).collect();
        assert_eq!(first, [("x0299", 2), ("x0000", 1), ("x0001", 1)]);
        let filtered = shop.find(json!({"Brand": "none"}), &["Attributes.Code"], "title", &caller("GBP"));
        assert!(filtered.facets[0].values.is_empty());
    }
}

#[test]
fn a_price_is_what_the_caller_pays() {
    let mut lamp = product("a", "Lamp", "50.00 GBP");
    lamp.offer.prices.sales =
        lamp.offer.prices.lists.iter().map(|price| Price { amount: 100_000, ..*price }).collect();
    lamp.offer.sale = Period { from: 100, until: 200 };
    let shop = Shop::new(&[vec![lamp, product("b", "Lamp", "20.00 GBP")]], false);
    let cheap = json!({"Price": {"To": 15}});
    let found = |now| shop.find(cheap.clone(), &["Price"], "price", &BuyerContext { now, ..caller("GBP") });
    assert_eq!(found(150).ids, ["a"]);
    assert_eq!(found(150).facets[0].span.as_ref().map(|span| (span.min, span.max)), Some((10.0, 20.0)));
    assert!(found(200).ids.is_empty());
    let sorted = shop.find(none(), &[], "price", &BuyerContext { now: 150, ..caller("GBP") });
    assert_eq!(sorted.ids, ["a", "b"]);
}

#[test]
fn many_numbers_become_ranges_in_which_a_product_counts_once() {
    let degrees = |number: i32| {
        with(product(&format!("p{number}"), "Lamp", "1.00 GBP"), "Cold", &[&format!("{number}")])
    };
    let mut parts = vec![(0..30).map(|number| degrees(number - 20)).collect::<Vec<_>>(), Vec::new()];
    parts[1].push(with(product("q", "Lamp", "1.00 GBP"), "Cold", &["-19.5", "-19.25", "9"]));
    for merge in [false, true] {
        let shop = Shop::new(&parts, merge);
        let found = shop.find(none(), &["Attributes.Cold"], "title", &caller("GBP"));
        assert!(found.facets[0].values.is_empty());
        let span = found.facets[0].span.clone().expect("numbers");
        assert_eq!((span.min, span.max, found.facets[0].distinct), (-20.0, 9.0, 32));
        assert_eq!(
            span.ranges.iter().map(|range| range.count).sum::<u64>(),
            32,
            "one is in two: {:?}",
            span.ranges
        );
        for range in &span.ranges {
            let filters = json!({"Attributes": {"Cold": {"From": range.from, "To": range.to}}});
            assert_eq!(shop.ids(filters, "title").len() as u64, range.count, "{range:?}");
        }
    }
}

#[test]
fn a_number_in_another_unit_is_not_in_the_column() {
    let lamp = |id: &str, width: &str| with(product(id, "Lamp", "1.00 GBP"), "Width", &[width]);
    let parts = [vec![lamp("a", "12 cm"), lamp("b", "12 in"), lamp("c", "wide"), lamp("d", "12")]];
    let statistics = AttributeStatistics::decode(b"1\tn\tcm\tWidth\n").expect("statistics");
    let shop = Shop::with_statistics(&statistics, &parts, false);
    assert_eq!(shop.ids(json!({"Attributes": {"Width": [12]}}), "title"), ["a"]);
}

#[test]
fn an_attribute_may_have_any_name_and_value() {
    let names =
        ["A.B", "back\\slash", "\"quoted\"", "Größe in µm", "_20_", " ", "attribute", "色", "a\\.b", "A.B.C"];
    let values = ["2026-01-31T12:30:00Z", "true", " x ", "\u{1f}", "🪑"];
    let mut lamp = product("a", "Lamp", "1.00 GBP");
    for (number, name) in names.iter().enumerate() {
        lamp = with(lamp, name, &[values[number % values.len()]]);
    }
    let shop = Shop::new(&[vec![lamp]], false);
    for (number, name) in names.iter().enumerate() {
        let value = values[number % values.len()];
        assert_eq!(pairs(&shop.counts(none(), &format!("Attributes.{name}"))), [(value, 1)], "{name}");
        assert_eq!(shop.ids(json!({"Attributes": {*name: [value]}}), &format!("Attributes.{name}")), ["a"]);
    }
}

#[test]
fn brands_and_categories_are_named_by_the_tables_of_the_moment() {
    let mut tables = ShopTables::default();
    tables.brands.put_row("oakworks", br#"{"DisplayName": "Oakworks Ltd"}"#).expect("a brand");
    tables.categories.put_row("chairs", br#"{"DisplayName": "Chairs"}"#).expect("a category");
    let mut facets =
        chairs(false).find(none(), &["Brand", "Category", "InStock"], "price", &caller("GBP")).facets;
    facets.iter_mut().for_each(|facet| facet.arrange(&tables, &[]));
    let names =
        facets.iter().map(|facet| facet.values.iter().map(|value| value.name.as_deref()).collect::<Vec<_>>());
    let brands = vec![Some("Oakworks Ltd"), Some("ashes")];
    let categories = vec![Some("home"), Some("Chairs"), Some("tables")];
    assert_eq!(names.collect::<Vec<_>>(), [brands, categories, vec![None, None]]);
}

#[test]
fn values_below_the_chosen_category_come_first() {
    let mut tables = ShopTables::default();
    for (id, row) in [
        ("home", r#"{"DisplayName": "Home"}"#),
        ("lamps", r#"{"DisplayName": "Lamps", "ParentIds": ["home"]}"#),
        ("desk", r#"{"DisplayName": "Desk lamps", "ParentIds": ["lamps"]}"#),
        ("a", r#"{"DisplayName": "Wall lamps", "ParentIds": ["lamps"]}"#),
        ("b", r#"{"DisplayName": "Beds", "ParentIds": ["home"]}"#),
        ("c", r#"{"DisplayName": "Circle", "ParentIds": ["c"]}"#),
    ] {
        tables.categories.put_row(id, row.as_bytes()).expect("a category");
    }
    let counts = [("home", 9), ("b", 7), ("lamps", 6), ("a", 2), ("c", 2), ("desk", 2)];
    let values =
        counts.map(|(id, count)| FacetValue { count, value: id.to_owned(), ..FacetValue::default() });
    let arranged = |chosen: &[&str]| {
        let chosen: Vec<_> = chosen.iter().map(|id| (*id).to_owned()).collect();
        let subject = ProductProperty::Category;
        let mut facet = Facet { subject, values: values.to_vec(), distinct: values.len(), span: None };
        facet.arrange(&tables, &chosen);
        facet
    };
    let ids = |facet: &Facet| facet.values.iter().map(|value| value.value.clone()).collect::<Vec<_>>();
    // Equal counts are sorted by name.
    assert_eq!(ids(&arranged(&[])), ["home", "b", "lamps", "c", "desk", "a"]);
    assert_eq!(ids(&arranged(&["lamps"])), ["desk", "a", "home", "b", "lamps", "c"]);
    let paths: Vec<_> = arranged(&[]).values.iter().map(|value| value.path.join(" > ")).collect();
    assert_eq!(
        paths,
        [
            "Home",
            "Home > Beds",
            "Home > Lamps",
            "Circle",
            "Home > Lamps > Desk lamps",
            "Home > Lamps > Wall lamps"
        ]
    );
}

#[test]
fn facets_that_do_not_part_the_hits_are_left_out() {
    let facet = |name: &str, counts: &[u64]| {
        let value = |(place, count): (usize, &u64)| FacetValue {
            value: place.to_string(),
            count: *count,
            ..FacetValue::default()
        };
        let values: Vec<_> = counts.iter().enumerate().map(value).collect();
        Facet {
            subject: ProductProperty::Attribute(name.to_owned()),
            distinct: values.len(),
            values,
            span: None,
        }
    };
    let mut facets = vec![facet("one", &[9]), facet("each", &[1, 1, 1]), facet("good", &[5, 4])];
    facets.extend((0..9).map(|n| facet(&format!("rare{n}"), &[2, 1])));
    let kept = |facets: Vec<Facet>| keep_helpful(facets, &Filters::default());
    let names: Vec<_> = kept(facets).iter().map(|facet| facet.subject.name()).collect();
    assert_eq!(names.len(), 8);
    assert_eq!(names[..2], ["Attributes.good", "Attributes.rare0"]);
}
