//! Products that are like one.

use serde_json::json;

use super::*;
use crate::search::index::snapshot::IndexSnapshot;
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

/// The products most similar to one by the definition; the likeness of those in stock counts this much more.
fn nearest(snapshot: &IndexSnapshot, id: &str, boost: f64) -> Option<Vec<String>> {
    let (of, place) = snapshot.locate_product(id).expect("read")?;
    let view = &snapshot.segments()[of];
    let length = view.facts(place).fingerprint_length();
    let this = Centroid::new(std::iter::once((view.fingerprint(place), length, 1.0)));
    let mut nearest = Vec::new();
    for segment in snapshot.segments() {
        for doc in (0..segment.max_doc()).filter(|doc| segment.is_alive(*doc)) {
            let cosine = this.cosine(segment.fingerprint(doc), segment.facts(doc).fingerprint_length());
            let score = f64::from(cosine);
            let weight = if segment.is_in_stock(doc) { boost } else { 0.0 };
            nearest.push((score + weight * score.abs(), segment.id(doc).to_owned()));
        }
    }
    nearest.retain(|(score, other)| *score > 0.0 && other != id);
    nearest.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    nearest.truncate(20);
    Some(nearest.into_iter().map(|(_, id)| id).collect())
}

/// Products of many words; every other one is in stock.
fn many_alike() -> Vec<ProductDocument> {
    let mut products = many(400);
    for (number, product) in products.iter_mut().enumerate() {
        product.title.push_str(&format!(" a{} b{} c{}", number % 13, number % 17, number % 7));
        product.in_stock = number % 2 == 0;
    }
    products
}

#[test]
fn similar_products_are_those_of_the_nearest_fingerprints() {
    let products = many_alike();
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
    for id in ["p7", "p8", "p100", "p399"] {
        let Some(expected) = nearest(&shop.index.snapshot(), id, 0.0) else { continue };
        assert_eq!(ask(&shop, id), expected, "{id}");
    }
}

#[test]
fn a_boost_lifts_similar_products_by_a_part_of_their_likeness() {
    let shop = Shop::new(&many_alike());
    let snapshot = shop.index.snapshot();
    let list = json!([{"Id": "a", "Boost": {"InStock": true, "By": 50}}]);
    let rules = rules::with("", &list).rules;
    for id in ["p7", "p8", "p100", "p399"] {
        let similar =
            snapshot.similar(id, 20, rules.as_deref(), &BuyerContext::default()).expect("an answer");
        let ids: Vec<_> = similar.into_iter().map(|item| item.id).collect();
        assert_eq!(Some(ids), nearest(&snapshot, id, 0.5), "{id}");
    }
}
