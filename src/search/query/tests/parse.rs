//! Names in queries; refused queries, and the wording of the refusals.

use serde_json::{Value, json};

use super::shop::chairs;
use crate::search::query::facets::{check_currency, parse_facets};
use crate::search::query::filters::Filters;
use crate::search::query::product_property::ProductProperty;
use crate::search::query::sort::{Direction, Sort};

fn refused(filters: &Value) -> String {
    match Filters::parse(filters, &chairs(true).columns) {
        Ok(filters) => format!("accepted: {filters:?}"),
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn a_wrong_filter_is_named_with_what_is_allowed() {
    let allowed = "Brand, Category, Price, InStock, NewArrival, OnOffer";
    let cases = [
        (json!([]), "Filters: has to be an object"),
        (
            json!({"Colour": ["red"]}),
            &format!("Filters.Colour: is not known; allowed are {allowed} and Attributes") as &str,
        ),
        (json!({"Attributes": ["red"]}), "Filters.Attributes: has to be an object"),
        (
            json!({"Attributes": {" ": ["red"]}}),
            "Filters.Attributes. : names no attribute: a name has 1 to 512 bytes, not all of them white space, and no \
             control characters",
        ),
        (json!({"Brand": {"a": 1}}), "Filters.Brand: has to be a list of texts, such as [\"red\"]"),
        (json!({"Brand": vec!["a"; 201]}), "Filters.Brand: has 201 values; at most 200 are allowed"),
        (json!({"Brand": "a".repeat(513)}), "Filters.Brand: a value is longer than 512 bytes"),
        (json!({"InStock": "yes"}), "Filters.InStock: has to be true or false"),
        (
            json!({"Price": [1, 2]}),
            "Filters.Price: has to be an object with From, To or both, such as {\"From\": 10}",
        ),
        (json!({"Price": {}}), "Filters.Price: needs From, To or both"),
        (json!({"Price": {"From": "ten"}}), "Filters.Price.From: has to be a number"),
        (json!({"Price": {"From": 5, "To": 1}}), "Filters.Price: From has to be at most To"),
        (json!({"Price": {"Min": 5}}), "Filters.Price.Min: is not known; allowed are From and To"),
        (
            json!({"Attributes": {"Seat width": [true]}}),
            "Filters.Attributes.Seat width: has to be a list of texts, such as [\"red\"]",
        ),
        (json!({"Attributes": {"Colour": "a", "colour": "b"}}), "Filters.Attributes.Colour: is named twice"),
    ];
    for (filters, expected) in cases {
        assert_eq!(refused(&filters), expected);
    }
}

#[test]
fn nothing_is_no_filter() {
    let columns = chairs(true).columns;
    for filters in [json!(null), json!({}), json!({"Brand": [], "Price": null, "Attributes": {"Colour": []}})]
    {
        assert!(Filters::parse(&filters, &columns).expect("no filter").is_empty(), "{filters}");
    }
    let number = Filters::parse(&json!({"Category": [12, "13"]}), &columns).expect("ids");
    assert_eq!(number, Filters::parse(&json!({"Category": ["12", "13"]}), &columns).expect("ids"));
}

#[test]
fn a_wrong_facet_or_sort_is_named_with_what_is_allowed() {
    let columns = chairs(true).columns;
    let facets = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        parse_facets(&names, &columns).map_err(|fault| fault.to_string())
    };
    let allowed = "Brand, Category, Price, InStock, NewArrival, OnOffer and Attributes.NAME";
    assert_eq!(facets(&["Colour"]), Err(format!("Facets: \"Colour\" is not known; allowed are {allowed}")));
    assert!(facets(&["Attributes."]).is_err() && facets(&["Attributes.a\nb"]).is_err());
    assert_eq!(facets(&["Brand", "Brand"]).map(|facets| facets.len()), Ok(1));
    assert_eq!(facets(&["Brand"; 31]), Err("Facets: has 31 facets; at most 30 are allowed".to_owned()));
    for name in ["Price", "-relevance", "-newest", "colour", "Attributes."] {
        assert!(Sort::parse(name, &columns, true).is_err(), "{name}");
    }
    assert_eq!(Sort::parse("", &columns, true), Ok(Sort::Relevance));
}

#[test]
fn each_order_has_its_name() {
    let columns = chairs(true).columns;
    let by_colour = |direction| Sort::Attribute("Colour".to_owned(), direction);
    for (name, order) in [
        ("relevance", Sort::Relevance),
        ("newest", Sort::Newest),
        ("price", Sort::Price(Direction::Up)),
        ("-price", Sort::Price(Direction::Down)),
        ("title", Sort::Title(Direction::Up)),
        ("-title", Sort::Title(Direction::Down)),
        ("Attributes.Colour", by_colour(Direction::Up)),
        ("-Attributes.colour", by_colour(Direction::Down)),
        ("Attributes.Nowhere", Sort::Relevance),
    ] {
        assert_eq!(Sort::parse(name, &columns, true), Ok(order), "{name}");
    }
}

#[test]
fn each_property_has_its_name() {
    let columns = chairs(true).columns;
    for (name, property) in [
        ("Brand", ProductProperty::Brand),
        ("Category", ProductProperty::Category),
        ("Price", ProductProperty::Price),
        ("InStock", ProductProperty::InStock),
        ("NewArrival", ProductProperty::NewArrival),
        ("OnOffer", ProductProperty::OnOffer),
        ("Attributes.Colour", ProductProperty::Attribute("Colour".to_owned())),
    ] {
        assert_eq!(property.name(), name);
        assert_eq!(ProductProperty::parse(name, "Facets", &columns), Ok(property), "{name}");
    }
}

#[test]
fn prices_need_a_currency() {
    let columns = chairs(true).columns;
    let filters = Filters::parse(&json!({"Price": {"To": 5}}), &columns).expect("filters");
    let facets = parse_facets(&["Price".to_owned()], &columns).expect("facets");
    assert!(check_currency(&filters, &facets, true).is_ok());
    let parameter = |filters: &Filters, has_facets: bool| {
        let facets = if has_facets { facets.as_slice() } else { &[] };
        check_currency(filters, facets, false).err().map(|fault| fault.parameter)
    };
    assert_eq!(parameter(&filters, false).as_deref(), Some("Filters.Price"));
    assert_eq!(parameter(&Filters::default(), true).as_deref(), Some("Facets"));
    assert_eq!(parameter(&Filters::default(), false), None);
    assert!(Sort::parse("price", &columns, false).is_err());
}
