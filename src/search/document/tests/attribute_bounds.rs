//! Attributes at their bounds: values that are numbers, nested values, and the attributes that get columns.

use super::*;

fn attribute(name: &str, values: &[&str]) -> Attribute {
    Attribute {
        name: name.to_owned(),
        values: values.iter().map(|value| AttributeValue::parse(value)).collect(),
    }
}

fn values_of(json: &str) -> Vec<String> {
    let document = read(&format!(r#"{{"Id":"1","Colour":{json}}}"#));
    let attribute = document.attributes.first();
    let values = attribute.iter().flat_map(|attribute| &attribute.values);
    values.map(|value| value.text().to_owned()).collect()
}

/// Columns of products of which the first few have an attribute.
fn columns(products: usize, holders: usize, value: &str) -> Vec<String> {
    let mut counter = AttributeCounter::new([]);
    for number in 0..products {
        let held = [attribute("A", &[value])];
        counter.add(&held[..usize::from(number < holders)]);
    }
    counter.finish().columns().iter().map(|column| column.name.clone()).collect()
}

#[test]
fn a_number_has_so_many_digits_and_a_unit_so_many_letters() {
    for (text, is_number) in [
        ("123456789012345", true),
        ("1234567890123456", false),
        ("-12345678901234", true),
        ("-123456789012345", false),
        ("5 abcdef", true),
        ("5 abcdefg", false),
        ("5 µm²", true),
        ("5 m/s", false),
        ("0", true),
        ("00", false),
        ("0.5", true),
        ("1,50", true),
        ("1,5000", true),
        ("1,500", false),
        ("1.500", true),
    ] {
        let is = matches!(AttributeValue::parse(text), AttributeValue::Number(_));
        assert_eq!(is, is_number, "{text}");
    }
}

#[test]
fn values_are_read_four_levels_deep_and_each_once() {
    assert_eq!(values_of(r#"[[[["red"]]]]"#), ["red"]);
    assert!(values_of(r#"[[[[["red"]]]]]"#).is_empty());
    assert_eq!(values_of(r#"{"a":{"b":{"c":{"d":"red"}}}}"#), ["red"]);
    assert!(values_of(r#"{"a":{"b":{"c":{"d":{"e":"red"}}}}}"#).is_empty());
    assert_eq!(values_of(r#"["red",null," ","red",false,true,"&amp; "]"#), ["red", "false", "true", "&"]);
    let many: Vec<_> = (0..300).map(|number| format!("v{number}")).collect();
    assert_eq!(values_of(&serde_json::json!(many).to_string()), many[..256]);
}

#[test]
fn an_attribute_without_a_name_or_a_value_is_none() {
    for members in [r#""Colour":null"#, r#""Colour":[" ",null]"#, r#""":"red""#, r#""  ":"red""#] {
        for row in
            [format!(r#"{{"Id":"1",{members}}}"#), format!(r#"{{"Id":"1","Attributes":{{{members}}}}}"#)]
        {
            assert_eq!(read(&row).attributes, [], "{row}");
        }
    }
}

#[test]
fn an_attribute_has_a_column_if_one_product_in_a_hundred_holds_it() {
    for (products, holders, has_column) in [(100, 1, true), (101, 1, false), (200, 2, true), (201, 2, false)]
    {
        assert_eq!(!columns(products, holders, "red").is_empty(), has_column, "{holders} of {products}");
    }
}

#[test]
fn an_attribute_whose_values_are_mostly_sentences_has_no_column() {
    assert_eq!(columns(1, 1, &"a".repeat(100)), ["A"]);
    assert!(columns(1, 1, &"a".repeat(101)).is_empty());
    let sentence = "a".repeat(101);
    let with = |values: &[&str]| {
        let mut counter = AttributeCounter::new([]);
        counter.add(&[attribute("A", values)]);
        counter.finish().columns().len()
    };
    assert_eq!(with(&[&sentence, "b"]), 1, "half of them");
    assert_eq!(with(&[&sentence, &format!("{sentence}b"), "c"]), 0, "more than half");
}

#[test]
fn of_many_attributes_the_named_ones_and_the_most_frequent_have_columns() {
    let names: Vec<_> = (0..201).map(|number| format!("n{number:03}")).collect();
    let mut counter = AttributeCounter::new(["zz".to_owned()]);
    let all: Vec<_> = names.iter().map(|name| attribute(name, &["x"])).collect();
    (0..100).for_each(|_| counter.add(&all));
    counter.add(&[attribute("n200", &["x"]), attribute("zz", &["x"]), attribute("a\tb", &["x"])]);
    let statistics = counter.finish();
    let columns = statistics.columns();
    assert_eq!((columns.len(), columns[198].name.as_str(), columns[199].name.as_str()), (200, "n200", "zz"));
    assert_eq!((columns[0].products, columns[198].products, columns[199].products), (100, 101, 1));
    // Of equally frequent ones those that come first by name.
    assert!(statistics.position("n197").is_some() && statistics.position("n198").is_none());
}

#[test]
fn so_many_names_of_attributes_are_counted_and_each_named_one() {
    let mut counter = AttributeCounter::new(["named".to_owned()]);
    let all: Vec<_> = (0..19_999).map(|number| attribute(&format!("n{number:05}"), &["x"])).collect();
    counter.add(&all);
    for name in ["a last", "a surplus", "named"] {
        counter.add(&[attribute(name, &["x"])]);
    }
    let statistics = counter.finish();
    let is_there = |name: &str| statistics.position(name).is_some();
    assert_eq!(["a last", "a surplus", "named"].map(is_there), [true, false, true]);
}

#[test]
fn a_column_of_numbers_has_one_unit_and_a_column_of_texts_the_commonest() {
    let column = |values: &[&str]| {
        let mut counter = AttributeCounter::new([]);
        counter.add(&[attribute("A", values)]);
        let statistics = counter.finish();
        let column = statistics.column("A").expect("a column");
        (column.kind, column.unit.clone())
    };
    let number = |unit: &str| (AttributeKind::Number, unit.to_owned());
    let text = |unit: &str| (AttributeKind::Text, unit.to_owned());
    assert_eq!(column(&["1 cm", "2 cm"]), number("cm"));
    assert_eq!(column(&["1", "2"]), number(""));
    assert_eq!(column(&["1 in", "2 cm"]), text("cm"), "of equally common ones the first by name");
    assert_eq!(column(&["1 cm", "2 in", "3 in"]), text("in"));
    assert_eq!(column(&["1 cm", "red"]), text("cm"));
    assert_eq!(column(&["red"]), text(""));
    // Beyond the sixteenth no unit is counted.
    let units: Vec<_> = ('b'..='q').map(|letter| format!("1 {letter}")).collect();
    let mut values: Vec<&str> = units.iter().map(String::as_str).collect();
    values.extend(["1 a", "2 a", "3 a"]);
    assert_eq!(column(&values), text("b"));
}

#[test]
fn stored_columns_are_read_and_nothing_else_is() {
    let read = |bytes: &[u8]| AttributeStatistics::decode(bytes);
    let column = |name: &str, kind, products, unit: &str| AttributeColumn {
        is_option: false,
        name: name.to_owned(),
        kind,
        products,
        unit: unit.to_owned(),
    };
    let stored = read(b"7\tn\tcm\tWidth\n1\tt\t\twidth\tof it\n").expect("columns");
    let expected =
        [column("Width", AttributeKind::Number, 7, "cm"), column("width\tof it", AttributeKind::Text, 1, "")];
    assert_eq!(stored.columns(), expected);
    for torn in ["x\tn\tcm\tWidth", "7\tx\tcm\tWidth", "7\tn\tcm", "7\tn", "7", "\n", "7\tn\tcm\tWidth\n7"] {
        assert_eq!(read(torn.as_bytes()), None, "{torn:?}");
    }
    assert_eq!(read(b"7\tn\t\xff\tWidth"), None);
    let both = read(b"1\tt\t\tSize\n1\tt\t\tsize\n").expect("columns");
    let of = |name: &str| both.column(name).map(|column| column.name.as_str());
    assert_eq!(["Size", "size", "SIZE", "Sizes"].map(of), [Some("Size"), Some("size"), Some("Size"), None]);
}

#[test]
fn a_label_of_a_variant_has_so_many_bytes() {
    let named = |letters: usize| {
        let option = serde_json::json!({"label": "l".repeat(letters), "products": ["11", "99", "11"]});
        let settings = serde_json::json!({"attributes": {"1": {"options": [option]}}}).to_string();
        let row = serde_json::json!({"Id": "1", "AssociatedIds": ["11"], "jsonconfig": settings});
        let variants = read(&row.to_string()).variants;
        let values = variants[0].options.iter().flat_map(|option| &option.values);
        values.map(|value| value.text().len()).collect::<Vec<_>>()
    };
    assert_eq!((named(200), named(201), named(0)), (vec![200], vec![], vec![]));
}
