//! Products that a delta keeps while it changes their variants.

use super::*;
use crate::feeds::rows::{self, NormaliserContext};
use crate::feeds::{FeedPart, RawRow, RowOrigin};

const CONTEXT: NormaliserContext<'static> =
    NormaliserContext { default_currency: None, account_tag: &|_| String::new(), noticed: None };

/// A row of `SetVariants`.
fn row(json: &str) -> VariantRow {
    let row = RawRow {
        section: FeedPart::SetVariants,
        number: 1,
        offset: 0,
        origin: RowOrigin::Feed,
        json: json.as_bytes(),
    };
    rows::set_variant(&row, &CONTEXT, &mut Vec::new()).expect("a good row")
}

#[test]
fn a_variant_leads_to_the_product_that_has_it_while_it_has_it() {
    let mut cache = VariantCache::default();
    let tee = br#"{"Id":"tee","AssociatedSkus":["L"],"Variants":[{"Id":"s","Sku":"T-S"},{"Id":"m"}]}"#;
    cache.record("tee", Some(tee)).expect("a row");
    cache.record("cap", Some(br#"{"Id":"cap"}"#)).expect("a row");
    cache.record("gone", None).expect("nothing");
    assert!(cache.contains("gone") && cache.variants_mut("gone").is_none() && !cache.contains("new"));
    let holder = |cache: &VariantCache, json: &str| cache.find_holder(&row(json)).map(str::to_owned);
    for found in [r#"{"Id":"s"}"#, r#"{"Sku":"T-S"}"#, r#"{"Id":"m","Sku":"new"}"#, r#"{"Sku":"L"}"#] {
        assert_eq!(holder(&cache, found).as_deref(), Some("tee"), "{found}");
    }
    for unknown in [r#"{"Id":"x"}"#, r#"{"Sku":"x"}"#, r#"{"Id":"x","Sku":"T-S"}"#] {
        assert_eq!(holder(&cache, unknown), None, "{unknown}");
    }
    let moved = row(r#"{"Id":"s","Sku":"T-S"}"#);
    moved.to_change(true, cache.variants_mut("tee")).expect("a change");
    assert_eq!(holder(&cache, r#"{"Id":"s"}"#), None);
    moved.to_change(false, cache.variants_mut("cap")).expect("a change");
    cache.record_holder("cap", &moved);
    assert_eq!(holder(&cache, r#"{"Sku":"T-S"}"#).as_deref(), Some("cap"));
}

#[test]
fn the_oldest_product_goes_when_there_is_too_much() {
    let title = "x".repeat(limits::VARIANTS_KNOWN_BYTES / 7);
    let product = |id: &str| format!(r#"{{"Id":"{id}","Title":"{title}","Variants":[{{"Id":"v{id}"}}]}}"#);
    let mut cache = VariantCache::default();
    for id in ["a", "b", "c", "d"] {
        cache.record(id, Some(product(id).as_bytes())).expect("a row");
    }
    assert_eq!(["a", "b", "c", "d"].map(|id| cache.contains(id)), [false, true, true, true]);
    assert_eq!(cache.holders.len(), 3);
    cache.record("a", Some(product("a").as_bytes())).expect("a row");
    assert_eq!(["a", "b", "c", "d"].map(|id| cache.contains(id)), [true, false, true, true]);
    let bytes: usize = cache.products.values().map(|product| product.bytes).sum();
    assert_eq!(cache.bytes, bytes);
    cache.clear();
    assert!(cache.bytes == 0 && cache.holders.is_empty() && !cache.contains("a"));
}
