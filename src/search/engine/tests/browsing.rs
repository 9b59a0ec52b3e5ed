//! Order of products without a query.

use serde_json::json;

use super::favour::liking;
use super::rules::with;
use super::*;
use crate::search::query::browsed::EACH_ASKED;
use crate::search::query::filters::Filters;
use crate::search::query::sort::{Direction, Sort};

/// All products that pages of this size lead to.
fn browsed(shop: &Shop, request: &SearchQuery, size: usize) -> Vec<String> {
    let page = |page| ids(&shop.search(&SearchQuery { page, size, ..request.clone() }));
    (1..).map(page).take_while(|page| !page.is_empty()).flatten().collect()
}

fn liked(liked: &[(&str, f64)]) -> SearchQuery {
    liking("", liked.iter().map(|(id, part)| ((*id).to_owned(), *part)))
}

#[test]
fn what_is_liked_stands_in_front_of_what_is_browsed() {
    let mut products = shoes();
    products.iter_mut().filter(|product| product.id == "s22").for_each(|product| product.in_stock = false);
    let shop = Shop::new(&products);
    let plain = browsed(&shop, &asking(""), 50);
    assert_eq!((plain.len(), plain.is_sorted()), (products.len(), true));
    let popular = liked(&[("s27", 1.0), ("s15", 0.5), ("s22", 0.9), ("none", 1.0)]);
    let all = browsed(&shop, &popular, 50);
    let rest = plain.iter().filter(|id| !["s27", "s15"].contains(&id.as_str()));
    let expected: Vec<_> = ["s27", "s15"].map(str::to_owned).into_iter().chain(rest.cloned()).collect();
    assert_eq!(all, expected, "what is sold out stays where it is");
    assert_eq!(browsed(&shop, &popular, 3), all, "whatever the size of a page");
    let facets = parse_facets(&["InStock".to_owned()], shop.index.snapshot().knowledge().columns());
    let counted = SearchQuery { facets: facets.expect("facets"), ..popular.clone() };
    assert_eq!(browsed(&shop, &counted, 7), all);
    let by_title = |request: &SearchQuery| {
        browsed(&shop, &SearchQuery { sort: Sort::Title(Direction::Up), ..request.clone() }, 50)
    };
    assert_eq!(by_title(&popular), by_title(&asking("")));
    // A rule that lifts more, and one that puts in front.
    let list = json!([{"Id": "a", "Boost": {"Ids": ["b1"]}}, {"Id": "b", "Pin": ["s29", "s15"]}]);
    let ruled = SearchQuery { liking: popular.liking.clone(), ..with("", &list) };
    assert_eq!(browsed(&shop, &ruled, 50)[..5], ["s29", "s15", "b1", "s27", "b2"]);
}

#[test]
fn what_is_liked_most_stands_in_front_of_many_products() {
    let ids: Vec<_> = (0..=EACH_ASKED).map(|number| format!("p{number:04}")).collect();
    let mut products: Vec<_> = ids.iter().map(|id| product(id, "Oak chair")).collect();
    for number in (0..products.len()).step_by(2) {
        let values = vec![AttributeValue::Text("light".to_owned())];
        products[number].attributes.push(Attribute { name: "Colour".to_owned(), values });
    }
    let mut shop = Shop::empty(knowledge(&products));
    products.chunks(400).for_each(|some| shop.put_products(some));
    let popular = liked(&[("p0900", 1.0), ("p0701", 0.5), ("p0500", 0.2), ("none", 1.0)]);
    let all = browsed(&shop, &popular, 250);
    assert_eq!(all[..4], ["p0900", "p0701", "p0500", "p0000"]);
    assert_eq!((all.len(), browsed(&shop, &popular, 333)), (products.len(), all));
    let columns = shop.index.snapshot();
    let filters =
        Filters::parse(&json!({"Attributes": {"Colour": ["light"]}}), columns.knowledge().columns())
            .expect("filters");
    let some = browsed(&shop, &SearchQuery { filters, ..popular }, 250);
    assert_eq!(
        (some.len(), &some[..3]),
        (products.len().div_ceil(2), &["p0900", "p0500", "p0000"].map(str::to_owned)[..])
    );
}

#[test]
fn each_of_very_many_values_is_counted_once() {
    // So many values and so few products that no table of all values is built.
    let colours = |numbers: std::ops::Range<u32>| {
        let values = numbers.map(|number| AttributeValue::Text(format!("colour {number:04}"))).collect();
        Attribute { name: "Colour".to_owned(), values }
    };
    let mut products = [product("a", "Lamp"), product("b", "Lamp"), product("c", "Lamp")];
    let all = [0..2500, 2000..4200, 2100..2102];
    products.iter_mut().zip(all).for_each(|(product, numbers)| product.attributes.push(colours(numbers)));
    let shop = Shop::new(&products);
    let facets = parse_facets(&["Attributes.Colour".to_owned()], shop.index.snapshot().knowledge().columns());
    let answer = shop.search(&SearchQuery { facets: facets.expect("facets"), ..asking("lamp") });
    let facet = &answer.facets[0];
    let counts: Vec<_> = facet.values.iter().map(|value| (value.value.as_str(), value.count)).collect();
    assert_eq!(facet.distinct, 4200);
    assert_eq!(counts[..3], [("colour 2100", 3), ("colour 2101", 3), ("colour 2000", 2)]);
}
