//! Queries that are ids and article numbers.

use super::*;

#[test]
fn a_variant_is_named_by_the_beginning_of_its_number() {
    let variants = ["1", "000451", "AB-12/37", "AB-12/99"]
        .map(|sku| json!({"Id": format!("v{sku}"), "Sku": sku, "InStock": sku == "1"}));
    let shop = Shop::new(&[row(&json!({"Id": "c", "Title": "Oak chair", "Variants": variants}).to_string())]);
    for (query, sku) in [("451", "000451"), ("0451", "000451"), ("AB-12/3", "AB-12/37")] {
        assert_eq!(shown_variant(&shop.search(&asking(query)), "Sku"), sku, "{query}");
    }
    assert_eq!(shown_variant(&shop.search(&asking("AB-12/")), "Sku"), "1", "two begin so");
}

#[test]
fn where_every_match_is_a_number_the_rest_keeps_its_order() {
    let mut products: Vec<_> = (0..12).map(|number| product(&format!("n{number}"), "Lace")).collect();
    products.iter_mut().zip('a'..).for_each(|(product, last)| product.sku = format!("AB-1000{last}"));
    products.push(product("a-long", "ab of a long name that says much of many things"));
    products.push(product("z-short", "ab"));
    let found = Shop::new(&products).find("AB-1000");
    assert_eq!(found[12..], ["z-short", "a-long"]);
}

#[test]
fn the_hits_of_a_sample_rise_though_a_product_is_found_by_its_number() {
    let mut products = shoes();
    products.push(product("shoe", "Lace"));
    let shop = Shop::new(&products);
    let snapshot = shop.index.snapshot();
    let sample = snapshot.sample_search(&asking("shoe"), &BuyerContext::default(), &[]).expect("an answer");
    assert_eq!(sample.hits.iter().map(Vec::len).sum::<usize>(), 22, "all but the bag");
    assert!(sample.hits.iter().all(|hits| hits.is_sorted()), "{:?}", sample.hits);
    assert_eq!(sample.page.first().map(|first| snapshot.id_at(*first)), Some("shoe"));
    assert_eq!(sample.coming, 0);
}
