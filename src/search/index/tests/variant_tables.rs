//! Tables of variants: what is written is read, in each form, and torn bytes are read as far as they go.

use super::*;
use crate::search::document::{Attribute, AttributeCounter, AttributeValue, Variant};
use crate::search::index::encode_variants::{encode_variant_table, open_currency};
use crate::search::pricing::{BuyerContext, CallerTerms, Price};
use crate::search::query::columns::AttributeColumns;

fn attribute(name: &str, values: &[&str]) -> Attribute {
    let values = values.iter().map(|value| AttributeValue::parse(value)).collect();
    Attribute { name: name.to_owned(), values }
}

/// A product with a variant for each list of sizes, every third of which is sold out, at a price of its own.
fn shirt(sizes: &[&[&str]]) -> ProductDocument {
    let variant = |(number, sizes): (usize, &&[&str])| {
        let mut variant =
            Variant { id: format!("v{number}"), in_stock: number % 3 != 0, ..Variant::default() };
        variant.options.push(attribute("Size", sizes));
        if number > 0 {
            variant.offer.lists = Price::parse(&format!("{number}.00 GBP")).map(|price| vec![price]);
        }
        variant
    };
    let mut shirt = product("p1", "Shirt");
    shirt.offer.prices.lists.extend(Price::parse("9.00 GBP"));
    shirt.attributes.push(attribute("Fabric", &["wool"]));
    shirt.variants = sizes.iter().enumerate().map(variant).collect();
    shirt
}

fn table_of(shirt: &ProductDocument) -> (Vec<u8>, AttributeColumns) {
    let mut counter = AttributeCounter::new([]);
    counter.add_product(shirt);
    let columns = AttributeColumns::new(&counter.finish());
    let analyser = Analyser::new(ShopLanguage::English);
    (encode_variant_table(shirt, open_currency(shirt), &columns, &analyser), columns)
}

/// The places of each variant's values on the axis of its sizes.
fn places_of(table: &VariantTable<'_>, columns: &AttributeColumns) -> Vec<Vec<usize>> {
    let axis = table.axis(columns.number("Size").expect("a column")).expect("an axis");
    let mut places = vec![Vec::new(); table.count()];
    axis.each_place(|variant, place| places[variant].push(place));
    let alone = |variant: usize| {
        let mut places = Vec::new();
        axis.each_place_of(std::iter::once(variant), |place| places.push(place));
        places
    };
    assert_eq!((0..table.count()).map(alone).collect::<Vec<_>>(), places, "each variant by itself");
    places
}

#[test]
fn values_are_read_as_they_were_written_however_many_there_are() {
    let many: Vec<String> = (0..300).map(|size| format!("s{size:03}")).collect();
    let many: Vec<[&str; 1]> = many.iter().map(|size| [size.as_str()]).collect();
    let many: Vec<&[&str]> = many.iter().map(<[&str; 1]>::as_slice).collect();
    for (sizes, expected) in [
        (&[&["M"][..], &["L"], &[], &["M"]][..], vec![vec![1], vec![0], vec![], vec![1]]),
        (&[&["S", "M"], &["L"]], vec![vec![1, 2], vec![0]]),
        (&many, (0..300).map(|place| vec![place]).collect()),
    ] {
        let shirt = shirt(sizes);
        let (bytes, columns) = table_of(&shirt);
        let table = VariantTable::read(&bytes).expect("a table");
        assert_eq!(table.count(), sizes.len());
        assert_eq!(places_of(&table, &columns), expected);
        let stock: Vec<bool> = (0..table.count()).map(|variant| table.is_in_stock(variant)).collect();
        assert_eq!(stock, shirt.variants.iter().map(|variant| variant.in_stock).collect::<Vec<_>>());
        assert!(columns.number("Fabric").is_some_and(|fabric| table.axis(fabric).is_none()));
    }
}

#[test]
fn prices_and_words_are_those_of_each_variant() {
    let shirt = shirt(&[&["M"], &["XXL"], &["S"]]);
    let (bytes, _) = table_of(&shirt);
    let table = VariantTable::read(&bytes).expect("a table");
    let caller = BuyerContext { currency: Some(*b"GBP"), ..BuyerContext::default() };
    let terms = shirt.offer.encode();
    let terms = CallerTerms::read(&terms, &caller).expect("terms");
    let own = table.terms();
    let prices = (0..3).map(|variant| terms.variant_offer(own.terms(own.number(variant))).price);
    let prices: Vec<_> =
        prices.map(|price| price.map(|price| price.to_string()).unwrap_or_default()).collect();
    assert_eq!(prices, ["9.00 GBP", "1.00 GBP", "2.00 GBP"]);
    assert!(
        table.is_visible_to_all(Some(*b"GBP"))
            && table.is_visible_to_all(None)
            && !table.is_visible_to_all(Some(*b"EUR"))
    );
    let mut words = Vec::new();
    table.for_each_variant_words(|variant, keys| words.push((variant, keys.collect::<Vec<_>>())));
    let key = |word: &str| vec![variant_word_key(word)];
    assert_eq!(words, [(0, key("m")), (1, key("xxl")), (2, key("s"))]);
}

/// Keys of the words of each variant.
fn keys_of(shirt: &ProductDocument) -> Vec<Vec<u32>> {
    let (bytes, _) = table_of(shirt);
    let mut keys = Vec::new();
    VariantTable::read(&bytes)
        .expect("a table")
        .for_each_variant_words(|_, words| keys.push(words.collect()));
    keys
}

#[test]
fn words_of_options_come_before_those_of_attributes_and_of_the_title() {
    let mut shirt = shirt(&[&["M"], &["L"]]);
    shirt.attributes.push(attribute("Lining", &["felt"]));
    shirt.variants[0].title = "Shirt from Lisbon".to_owned();
    shirt.variants[0].attributes.push(attribute("Lining", &["silk"]));
    let keys = |words: &[&str]| words.iter().map(|word| variant_word_key(word)).collect::<Vec<_>>();
    let [first, second] = keys_of(&shirt).try_into().expect("two variants");
    assert_eq!(first[..2], keys(&["m", "silk"]));
    assert!(first.contains(&variant_word_key("lisbon")) && !first.contains(&variant_word_key("shirt")));
    assert_eq!(second, keys(&["l", "felt"]), "what it leaves out is its product's");
    // A long title leaves the options.
    let words: Vec<String> = (0..100).map(|number| format!("word{number}")).collect();
    shirt.variants[0].title = words.join(" ");
    let long = &keys_of(&shirt)[0];
    assert_eq!((&long[..2], long.len()), (&keys(&["m", "silk"])[..], 16));
}

#[test]
fn many_values_of_many_variants_are_all_read() {
    let texts: Vec<String> = (0..70_000).map(|number| format!("v{number:05}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let sizes: Vec<&[&str]> = texts.chunks(250).collect();
    let (bytes, columns) = table_of(&shirt(&sizes));
    let table = VariantTable::read(&bytes).expect("a table");
    let expected: Vec<Vec<usize>> =
        (0..sizes.len()).map(|variant| (variant * 250..(variant + 1) * 250).collect()).collect();
    assert_eq!(places_of(&table, &columns), expected);
    let mut places = Vec::new();
    let axis = table.axis(columns.number("Size").expect("a column")).expect("an axis");
    axis.each_place_of([1, 279].into_iter(), |place| places.push(place));
    assert_eq!(places, [&expected[1][..], &expected[279]].concat());
}

#[test]
fn torn_bytes_are_read_as_far_as_they_go() {
    let (bytes, columns) = table_of(&shirt(&[&["S", "M"], &["L"], &["M"]]));
    let size = columns.number("Size").expect("a column");
    for end in 0..bytes.len() {
        let Some(table) = VariantTable::read(&bytes[..end]) else { continue };
        if let Some(axis) = table.axis(size) {
            axis.each_place(|_, _| {});
            axis.each_place_of(0..table.count() + 1, |_| {});
        }
        let own = table.terms();
        (0..table.count()).for_each(|variant| assert!(own.terms(own.number(variant)).len() < bytes.len()));
        table.for_each_variant_words(|_, keys| keys.for_each(drop));
    }
    assert!(VariantTable::read(&[]).is_none());
}
