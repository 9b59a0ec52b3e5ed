//! Products that are like one.

use super::*;
use crate::search::pricing::BuyerContext;

#[test]
fn similar_products_share_rare_words() {
    let mut products = shoes();
    products.extend(["l1", "l2", "l3"].map(|id| product(id, "Desk lamp with a dimmer")));
    let shop = Shop::new(&products);
    let similar = shop.index.snapshot().similar("l2", 2, None, &BuyerContext::default()).expect("an answer");
    assert_eq!(similar.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["l1", "l3"]);
    assert!(
        shop.index
            .snapshot()
            .similar("none", 2, None, &BuyerContext::default())
            .expect("an answer")
            .is_empty()
    );
}

/// The definition, for comparison.
#[test]
fn similar_products_are_those_of_the_nearest_fingerprints() {
    let mut products = many(400);
    for (number, product) in products.iter_mut().enumerate() {
        product.title.push_str(&format!(" a{} b{} c{}", number % 13, number % 17, number % 7));
    }
    let mut shop = Shop::empty(knowledge(&products));
    products.chunks(97).for_each(|chunk| shop.put_products(chunk));
    let ask = |shop: &Shop, id: &str| {
        let similar =
            shop.index.snapshot().similar(id, 20, None, &BuyerContext::default()).expect("an answer");
        similar.into_iter().map(|item| item.id).collect::<Vec<_>>()
    };
    assert_eq!(ask(&shop, "p7").len(), 20);
    // Removed products, and products that come to another place, while the rest of their segments stays.
    products[..30]
        .iter()
        .for_each(|product| shop.index.write(DocumentChange::Remove(&product.id)).expect("removed"));
    shop.put_products(&products[90..110]);
    let snapshot = shop.index.snapshot();
    for id in ["p7", "p8", "p100", "p399"] {
        let Some((of, place)) = snapshot.locate_product(id).expect("read") else { continue };
        let view = &snapshot.segments()[of];
        let length = view.facts(place).fingerprint_length();
        let this = Centroid::new(std::iter::once((view.fingerprint(place), length, 1.0)));
        let mut expected = Vec::new();
        for segment in snapshot.segments() {
            for doc in (0..segment.max_doc()).filter(|doc| segment.is_alive(*doc)) {
                let score = this.cosine(segment.fingerprint(doc), segment.facts(doc).fingerprint_length());
                expected.push((score, segment.id(doc).to_owned()));
            }
        }
        expected.retain(|(score, other)| *score > 0.0 && other != id);
        expected.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        expected.truncate(20);
        let expected: Vec<_> = expected.into_iter().map(|(_, id)| id).collect();
        assert_eq!(ask(&shop, id), expected, "{id}");
    }
}
