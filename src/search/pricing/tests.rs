//! Prices and visibility: by example, and against a second, plain reading of the same rules.

use super::*;
use proptest::prelude::*;

fn price(text: &str) -> Price {
    Price::parse(text).expect("a price")
}

fn prices(texts: &[&str]) -> Vec<Price> {
    texts.iter().map(|text| price(text)).collect()
}

fn terms(lists: &[&str], sales: &[&str]) -> PriceTerms {
    PriceTerms { lists: prices(lists), sales: prices(sales) }
}

fn chair() -> OfferTerms {
    OfferTerms {
        prices: terms(&["12.50 GBP", "20.00 EUR", "18.00 EUR"], &["9.99 GBP"]),
        sale: Period { from: 100, until: 200 },
        groups: vec![("trade".to_owned(), terms(&["11.00 GBP"], &["10.50 GBP"]))],
        accounts: vec![("tag-17".to_owned(), terms(&["10.00 GBP"], &[]))],
        ..OfferTerms::default()
    }
}

fn caller(currency: &str) -> BuyerContext {
    BuyerContext { currency: currency.as_bytes().try_into().ok(), ..BuyerContext::default() }
}

fn paid(terms: &OfferTerms, caller: &BuyerContext) -> Option<String> {
    resolve(&terms.encode(), caller).price.map(|price| price.to_string())
}

#[test]
fn an_amount_is_read_to_the_last_decimal() {
    assert_eq!(price("12.50 GBP"), Price { amount: 125_000, currency: *b"GBP" });
    assert_eq!(price("12 jpy").to_string(), "12 JPY");
    assert_eq!(price("0.500 BHD").to_string(), "0.500 BHD");
    assert_eq!(price("7.5 EUR").decimal(), "7.50");
    assert_eq!(price("900000000000000.00 EUR").to_string(), "900000000000000.00 EUR");
    for text in ["", "GBP", "12.50", "-1 GBP", "1,5 GBP", "1.23456 GBP", "1 POUND", ". GBP", "9e9 GBP"] {
        assert_eq!(Price::parse(text), None, "{text}");
    }
    assert_eq!(Price::parse("999999999999999.00 EUR"), None, "does not fit");
}

/// The minor units of ISO 4217.
#[test]
fn an_amount_has_the_decimals_of_its_currency() {
    for (zeros, codes) in [
        ("", "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
        (".00", "EUR GBP USD CHF PLN"),
        (".000", "BHD IQD JOD KWD LYD OMR TND"),
        (".0000", "CLF UYW"),
    ] {
        for code in codes.split(' ') {
            assert_eq!(price(&format!("7 {code}")).to_string(), format!("7{zeros} {code}"));
        }
    }
}

#[test]
fn account_before_group_before_sale_before_list() {
    let chair = chair();
    let mut shopper = caller("GBP");
    assert_eq!(paid(&chair, &shopper).as_deref(), Some("12.50 GBP"));
    shopper.now = 150;
    assert_eq!(paid(&chair, &shopper).as_deref(), Some("9.99 GBP"));
    shopper.group = Some("trade".to_owned());
    assert_eq!(paid(&chair, &shopper).as_deref(), Some("10.50 GBP"));
    shopper.now = 250;
    assert_eq!(paid(&chair, &shopper).as_deref(), Some("11.00 GBP"));
    shopper.account_tag = Some("tag-17".to_owned());
    assert_eq!(paid(&chair, &shopper).as_deref(), Some("10.00 GBP"));
    assert_eq!(resolve(&chair.encode(), &shopper).list, Some(price("12.50 GBP")));
}

#[test]
fn a_sale_price_counts_during_the_sale() {
    let chair = chair();
    for (now, expected) in [(99, "12.50 GBP"), (100, "9.99 GBP"), (199, "9.99 GBP"), (200, "12.50 GBP")] {
        assert_eq!(paid(&chair, &BuyerContext { now, ..caller("GBP") }).as_deref(), Some(expected), "{now}");
    }
}

#[test]
fn a_sale_price_that_is_not_lower_is_none() {
    let offers = [
        (terms(&["10 GBP", "50 GBP"], &["40 GBP"]), "10.00 GBP"),
        (terms(&["100 GBP"], &["120 GBP"]), "100.00 GBP"),
        (terms(&["100 GBP"], &["100 GBP"]), "100.00 GBP"),
        (terms(&["100 GBP"], &["99 GBP"]), "99.00 GBP"),
        (terms(&[], &["99 GBP"]), "99.00 GBP"),
    ];
    for (prices, expected) in offers {
        let usual = terms(&["1000 GBP"], &[]);
        let own = |named: PriceTerms| vec![("trade".to_owned(), named)];
        let everybody = OfferTerms { prices: prices.clone(), ..OfferTerms::default() };
        let group =
            OfferTerms { prices: usual.clone(), groups: own(prices.clone()), ..OfferTerms::default() };
        let account = OfferTerms { prices: usual, accounts: own(prices), ..OfferTerms::default() };
        let trade = || Some("trade".to_owned());
        assert_eq!(paid(&everybody, &caller("GBP")).as_deref(), Some(expected));
        assert_eq!(
            paid(&group, &BuyerContext { group: trade(), ..caller("GBP") }).as_deref(),
            Some(expected)
        );
        assert_eq!(
            paid(&account, &BuyerContext { account_tag: trade(), ..caller("GBP") }).as_deref(),
            Some(expected)
        );
    }
    let dearer = vec![("trade".to_owned(), terms(&[], &["12 GBP"]))];
    let offer = OfferTerms { prices: terms(&["11 GBP"], &[]), groups: dearer, ..OfferTerms::default() };
    let trade = BuyerContext { group: Some("trade".to_owned()), ..caller("GBP") };
    assert_eq!(paid(&offer, &trade).as_deref(), Some("11.00 GBP"), "compared with what everybody pays");
    let equal = vec![("trade".to_owned(), terms(&[], &["11 GBP"]))];
    let prices = terms(&["11 GBP"], &["9 GBP"]);
    let offer = OfferTerms { prices, groups: equal, ..OfferTerms::default() };
    assert_eq!(paid(&offer, &trade).as_deref(), Some("9.00 GBP"), "none of the group, so that of everybody");
}

#[test]
fn of_the_prices_of_variants_the_lowest_counts() {
    assert_eq!(paid(&chair(), &caller("EUR")).as_deref(), Some("18.00 EUR"));
}

#[test]
fn another_currency_has_no_price() {
    let offered = resolve(&chair().encode(), &caller("USD"));
    assert_eq!(offered, Offer::default());
    let anybody = resolve(&chair().encode(), &BuyerContext::default());
    assert_eq!(anybody.price, Some(price("12.50 GBP")), "without a currency the first");
    let free = resolve(&OfferTerms::default().encode(), &BuyerContext::default());
    assert_eq!(free, Offer { visible: true, ..Offer::default() });
    assert!(!resolve(&OfferTerms::default().encode(), &caller("EUR")).visible);
}

#[test]
fn a_hidden_product_is_shown_to_nobody() {
    let hidden = OfferTerms { hidden: true, ..chair() }.encode();
    assert_eq!(resolve(&hidden, &caller("GBP")), Offer::default());
    let unlisted = OfferTerms { unlisted: true, ..chair() }.encode();
    assert!(resolve(&unlisted, &caller("GBP")).visible);
    let asking = |purpose| BuyerContext { purpose, ..caller("GBP") };
    assert!(!resolve(&unlisted, &asking(QueryPurpose::Listing)).visible);
    let unrecommended = OfferTerms { unrecommended: true, ..chair() }.encode();
    assert!(resolve(&unrecommended, &asking(QueryPurpose::Listing)).visible);
    assert!(!resolve(&unrecommended, &asking(QueryPurpose::Recommendation)).visible);
    assert!(resolve(&hidden, &asking(QueryPurpose::Recommendation)).visible, "search alone leaves it out");
    let later = OfferTerms { shown: Period { from: 10, until: 20 }, ..chair() }.encode();
    let is_visible = |now| resolve(&later, &BuyerContext { now, ..caller("GBP") }).visible;
    assert_eq!([9, 10, 19, 20].map(is_visible), [false, true, true, false]);
}

#[test]
fn inclusions_and_exclusions_decide_who_sees_it() {
    let tags = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let terms = OfferTerms { inclusions: tags(&["a", "b"]), exclusions: tags(&["b"]), ..chair() }.encode();
    let is_visible = |account: Option<&str>| {
        resolve(&terms, &BuyerContext { account_tag: account.map(str::to_owned), ..caller("GBP") }).visible
    };
    assert_eq!([Some("a"), Some("b"), Some("c"), None].map(is_visible), [true, false, false, false]);
}

#[test]
fn an_account_may_see_prices_of_its_own_only() {
    let chair = OfferTerms { own_prices_only: true, ..chair() };
    let of = |tag: &str| BuyerContext { account_tag: Some(tag.to_owned()), ..BuyerContext::default() };
    assert_eq!(paid(&chair, &of("tag-17")).as_deref(), Some("10.00 GBP"));
    assert_eq!(resolve(&chair.encode(), &of("tag-17")).list, Some(price("10.00 GBP")));
    let other = resolve(&chair.encode(), &of("tag-18"));
    assert_eq!(other, Offer { visible: true, price: None, list: None });
    assert_eq!(paid(&chair, &caller("GBP")).as_deref(), Some("12.50 GBP"), "no account: the shop's prices");
}

#[test]
fn prices_of_accounts_from_rows_of_their_own_replace_those_of_the_product() {
    let mut chair = chair();
    let row = |text: &str| ("tag-17".to_owned(), terms(&[text], &[]));
    chair.add_account_prices(vec![row("8.00 GBP"), row("7.00 GBP")]);
    let caller = BuyerContext { account_tag: Some("tag-17".to_owned()), ..caller("GBP") };
    assert_eq!(paid(&chair, &caller).as_deref(), Some("7.00 GBP"));
}

/// The rules once more, on the terms themselves.
fn expected(terms: &OfferTerms, caller: &BuyerContext) -> Offer {
    let tag = caller.account_tag.as_ref();
    let is_in = |tags: &[String]| tag.is_some_and(|tag| tags.contains(tag));
    let is_shut_out = (!terms.inclusions.is_empty() && !is_in(&terms.inclusions)) || is_in(&terms.exclusions);
    let is_flagged = match caller.purpose {
        QueryPurpose::Search => terms.hidden,
        QueryPurpose::Listing => terms.hidden || terms.unlisted,
        QueryPurpose::Recommendation => terms.unrecommended,
    };
    let is_left_out = is_flagged || !terms.shown.contains(caller.now);
    if is_shut_out || is_left_out {
        return Offer::default();
    }
    let named = |all: &[(String, PriceTerms)], name: Option<&String>| {
        all.iter().rev().find(|(key, _)| Some(key) == name).map(|(_, terms)| terms.clone())
    };
    let own_only = terms.own_prices_only && tag.is_some();
    let account = named(&terms.accounts, tag);
    let group = named(&terms.groups, caller.group.as_ref()).filter(|_| !own_only);
    let default = Some(terms.prices.clone()).filter(|_| !own_only);
    let lowest = |prices: &[Price], currency| {
        prices.iter().filter(|price| price.currency == currency).min_by_key(|price| price.amount).copied()
    };
    let usual = if own_only { account.clone() } else { default.clone() };
    let mut candidates: Vec<Vec<Price>> = Vec::new();
    for level in [&account, &group, &default].into_iter().flatten() {
        let compared = |currency| {
            let usual = || lowest(&usual.as_ref()?.lists, currency);
            lowest(&level.lists, currency).or_else(usual)
        };
        let is_lower = |sale: &Price| compared(sale.currency).is_none_or(|other| sale.amount < other.amount);
        if terms.sale.contains(caller.now) {
            let mut currencies: Vec<_> = level.sales.iter().map(|sale| sale.currency).collect();
            let mut seen = std::collections::HashSet::new();
            currencies.retain(|currency| seen.insert(*currency));
            let lowest = currencies.into_iter().filter_map(|currency| lowest(&level.sales, currency));
            candidates.push(lowest.filter(is_lower).collect());
        }
        candidates.push(level.lists.clone());
    }
    let currency = caller.currency.or(terms.prices.lists.first().map(|first| first.currency));
    let mut price = currency.and_then(|wanted| candidates.iter().find_map(|prices| lowest(prices, wanted)));
    if price.is_none() && caller.currency.is_none() {
        price = candidates.iter().find_map(|prices| lowest(prices, prices.first()?.currency));
    }
    let list = price.and_then(|price| lowest(&usual?.lists, price.currency));
    Offer { visible: price.is_some() || caller.currency.is_none(), price, list }
}

fn some_prices() -> impl Strategy<Value = Vec<Price>> {
    let currency = prop::sample::select(vec![*b"EUR", *b"GBP", *b"USD"]);
    // Some are the same as others.
    let amount = prop_oneof![0_i64..1_000_000, (0_i64..10).prop_map(|tens| tens * 100_000)];
    let one = (amount, currency).prop_map(|(amount, currency)| Price { amount, currency });
    prop::collection::vec(one, 0..4)
}

fn some_terms() -> impl Strategy<Value = PriceTerms> {
    (some_prices(), some_prices()).prop_map(|(lists, sales)| PriceTerms { lists, sales })
}

fn some_period() -> impl Strategy<Value = Period> {
    prop_oneof![Just(Period::ALWAYS), (0_i64..5, 0_i64..9).prop_map(|(from, until)| Period { from, until })]
}

/// Any terms of a product.
pub(in crate::search) fn some_offer() -> impl Strategy<Value = OfferTerms> {
    let named = || prop::collection::vec(("[a-d]", some_terms()), 0..4);
    let tags = || prop::collection::vec("[a-d]", 0..3);
    let lists = (some_terms(), named(), named(), tags(), tags());
    let rest = (some_period(), some_period(), any::<(bool, bool, bool)>(), prop::bool::weighted(0.1));
    (lists, rest).prop_map(|((prices, groups, accounts, inclusions, exclusions), rest)| {
        let (sale, shown, (own_prices_only, unlisted, unrecommended), hidden) = rest;
        OfferTerms {
            prices,
            sale,
            shown,
            groups,
            accounts,
            inclusions,
            exclusions,
            own_prices_only,
            hidden,
            unlisted,
            unrecommended,
        }
    })
}

/// Any caller.
pub(in crate::search) fn some_caller() -> impl Strategy<Value = BuyerContext> {
    let currency = prop::option::of(prop::sample::select(vec![*b"EUR", *b"GBP", *b"CHF"]));
    let named = || prop::option::of("[a-d]");
    let purposes = vec![QueryPurpose::Search, QueryPurpose::Listing, QueryPurpose::Recommendation];
    let all = (named(), named(), currency, 0_i64..9, prop::sample::select(purposes));
    all.prop_map(|(account_tag, group, currency, now, purpose)| BuyerContext {
        account_tag,
        group,
        currency,
        now,
        purpose,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_encoded_terms_say_what_the_terms_say(terms in some_offer(), caller in some_caller()) {
        prop_assert_eq!(resolve(&terms.encode(), &caller), expected(&terms, &caller));
    }

    #[test]
    fn what_nobody_sees_has_no_price(terms in some_offer(), caller in some_caller()) {
        let offered = resolve(&terms.encode(), &caller);
        prop_assert!(offered.visible || (offered.price.is_none() && offered.list.is_none()));
        if let (Some(wanted), Some(price)) = (caller.currency, offered.price) {
            prop_assert_eq!(price.currency, wanted);
        }
    }

    #[test]
    fn torn_terms_show_nothing_and_do_not_panic(
        terms in some_offer(), caller in some_caller(), cut in 0_usize..200, noise in any::<Vec<u8>>(),
    ) {
        let bytes = terms.encode();
        let _ = resolve(&bytes[..cut.min(bytes.len())], &caller);
        let _ = resolve(&noise, &caller);
    }
}
