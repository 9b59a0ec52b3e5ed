//! One price everywhere: filters, facets and orders use the price that a hit shows.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index as Pick;
use serde_json::json;

use super::*;
use crate::search::pricing::tests::{some_caller, some_offer};
use crate::search::pricing::{BuyerContext, Currency, Offer, OfferTerms, Price, QueryPurpose, resolve};
use crate::search::query::filters::Filters;
use crate::search::query::product_property::ProductProperty;
use crate::search::query::sort::{Direction, Sort};

fn id_of(number: usize) -> String {
    format!("p{:03}", number * 37 % 101)
}

/// A product for each offer, and a segment for every seven.
fn shop_of(offers: &[OfferTerms]) -> Shop {
    let of = |(number, offer): (usize, &OfferTerms)| ProductDocument {
        hidden: offer.hidden,
        offer: offer.clone(),
        ..product(&id_of(number), "Red shoe")
    };
    let products: Vec<_> = offers.iter().enumerate().map(of).collect();
    let mut shop = Shop::empty(knowledge(&products));
    products.chunks(7).for_each(|products| shop.put_products(products));
    shop
}

/// The visible products of a caller, with their offers, by id.
fn visible_offers(offers: &[OfferTerms], caller: &BuyerContext) -> BTreeMap<String, Offer> {
    let all = (0..).map(id_of).zip(offers.iter().map(|offer| resolve(&offer.encode(), caller)));
    all.filter(|(_, offered)| offered.visible).collect()
}

/// A search that shows all that it finds.
fn search_as(shop: &Shop, request: SearchQuery, caller: &BuyerContext) -> SearchResult {
    let answer =
        shop.index.snapshot().search(&SearchQuery { size: 250, ..request }, caller).expect("an answer");
    assert_eq!(answer.total, answer.items.len());
    answer
}

fn check(shop: &Shop, offers: &[OfferTerms], query: &str, caller: &BuyerContext, picks: &[Pick; 2]) {
    let caller = &BuyerContext {
        purpose: if query.is_empty() { QueryPurpose::Listing } else { QueryPurpose::Search },
        ..caller.clone()
    };
    let seen = visible_offers(offers, caller);
    let all = search_as(shop, asking(query), caller);
    let shown: BTreeMap<_, _> = all.items.iter().map(|item| (item.id.clone(), item.offered)).collect();
    assert_eq!(shown, seen, "what a hit shows");
    // Without a currency no request compares prices.
    let Some(currency) = caller.currency else { return };
    let mut prices: Vec<(i64, String)> = Vec::new();
    for (id, offered) in seen {
        let price = offered.price.expect("nobody sees a product without a price in their currency");
        assert_eq!(price.currency, currency);
        prices.push((price.amount, id));
    }
    prices.sort_by_key(|(amount, id)| (Reverse(*amount), id.clone()));
    let sorted = search_as(shop, SearchQuery { sort: Sort::Price(Direction::Down), ..asking(query) }, caller);
    assert!(ids(&sorted).iter().eq(prices.iter().map(|(_, id)| id)), "{:?}, not {prices:?}", ids(&sorted));
    prices.sort();
    check_narrowed(shop, query, caller, currency, &prices, picks);
}

/// The filter, the order upwards and the facet, where prices are known in their order.
fn check_narrowed(
    shop: &Shop,
    query: &str,
    caller: &BuyerContext,
    currency: Currency,
    prices: &[(i64, String)],
    picks: &[Pick; 2],
) {
    let amounts: Vec<i64> = prices.iter().map(|(amount, _)| *amount).collect();
    let ends: Vec<i64> = amounts.iter().copied().chain([0, 1, 5_000, 500_000, 1_000_000]).collect();
    let [one, other] = picks.each_ref().map(|pick| *pick.get(&ends));
    let within = one.min(other)..=one.max(other);
    let decimal = |amount: &i64| Price { amount: *amount, currency }.decimal();
    let filters = json!({"Price": {"From": decimal(within.start()), "To": decimal(within.end())}});
    let filters = Filters::parse(&filters, shop.index.snapshot().knowledge().columns()).expect("filters");
    let request = SearchQuery {
        filters,
        facets: vec![ProductProperty::Price],
        sort: Sort::Price(Direction::Up),
        ..asking(query)
    };
    let narrowed = search_as(shop, request, caller);
    let expected = prices.iter().filter(|(amount, _)| within.contains(amount)).map(|(_, id)| id);
    assert!(ids(&narrowed).iter().eq(expected), "{:?} in {within:?} of {prices:?}", ids(&narrowed));

    // The filter does not narrow the facet.
    let parts = |number: f64| (number * 10_000.0).round() as i64;
    let span = narrowed.facets[0].span.as_ref();
    let least_and_most = span.map(|span| (parts(span.min), parts(span.max)));
    assert_eq!(least_and_most, amounts.first().copied().zip(amounts.last().copied()));
    let ranges = span.map_or(&[][..], |span| &span.ranges);
    for range in ranges {
        let within = parts(range.from)..=parts(range.to);
        let count = amounts.iter().filter(|amount| within.contains(amount)).count();
        assert_eq!(count as u64, range.count, "{range:?} of {amounts:?}");
    }
    assert_eq!(ranges.iter().map(|range| range.count).sum::<u64>(), amounts.len() as u64);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_price_is_the_same_in_display_filter_facet_and_order(
        offers in proptest::collection::vec(some_offer(), 1..60),
        callers in proptest::collection::vec((some_caller(), any::<[Pick; 2]>()), 8),
    ) {
        let shop = shop_of(&offers);
        for (caller, picks) in callers {
            for query in ["", "red shoe"] {
                check(&shop, &offers, query, &caller, &picks);
            }
        }
    }
}
