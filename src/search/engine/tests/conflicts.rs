//! Rules that want different things resolve as docs/search.md says.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::rules::{among_tables, with};
use super::*;
use crate::limits;

/// Effect of a rule; products are numbers from 10 to 29.
#[derive(Debug, Clone)]
enum Effect {
    Pin(Vec<u8>),
    Boost(BTreeSet<u8>, u8),
    Bury(BTreeSet<u8>, u8),
    Hide(BTreeSet<u8>),
    Filter(BTreeSet<u8>),
    Redirect,
    Banner,
}

/// Priority, id, effect.
type Made = (i64, u8, Effect);

fn some_rule() -> impl Strategy<Value = Made> {
    let some = || proptest::collection::btree_set(10..30_u8, 1..8);
    let most = proptest::collection::btree_set(10..30_u8, 12..20);
    let effect = prop_oneof![
        proptest::collection::vec(10..30_u8, 1..6).prop_map(Effect::Pin),
        (some(), 1..5_u8).prop_map(|(of, tenths)| Effect::Boost(of, tenths)),
        (some(), 1..5_u8).prop_map(|(of, tenths)| Effect::Bury(of, tenths)),
        some().prop_map(Effect::Hide),
        most.prop_map(Effect::Filter),
        Just(Effect::Redirect),
        Just(Effect::Banner),
    ];
    (-1..2_i64, any::<u8>(), effect)
}

fn id_of(number: u8) -> String {
    format!("s{number}")
}

fn ids_of<'n>(numbers: impl IntoIterator<Item = &'n u8>) -> Vec<String> {
    numbers.into_iter().map(|number| id_of(*number)).collect()
}

fn as_json((priority, id, effect): &Made) -> Json {
    let mut rule = json!({"Id": format!("r{id:03}"), "Priority": priority});
    let weight = |of, tenths: &u8| json!({"Ids": ids_of(of), "By": 10 * tenths});
    match effect {
        Effect::Pin(of) => rule["Pin"] = ids_of(of).into(),
        Effect::Boost(of, tenths) => rule["Boost"] = weight(of, tenths),
        Effect::Bury(of, tenths) => rule["Bury"] = weight(of, tenths),
        Effect::Hide(of) => rule["Hide"] = json!({"Ids": ids_of(of)}),
        Effect::Filter(of) => rule["Filter"] = json!({"Ids": ids_of(of)}),
        Effect::Redirect => rule["Redirect"] = format!("/{id}").into(),
        Effect::Banner => rule["Banner"] = id.to_string().into(),
    }
    rule
}

/// The answer that is required.
#[derive(Debug, Default, PartialEq)]
struct Expected {
    shoes: Vec<String>,
    redirect: Option<String>,
    banners: Vec<String>,
}

fn expected(mut rules: Vec<Made>) -> Expected {
    rules.sort_by_key(|(priority, id, _)| (-priority, *id));
    let mut found: BTreeSet<u8> = (10..30).collect();
    let mut pins: Vec<&u8> = Vec::new();
    let mut weights: BTreeMap<u8, i64> = BTreeMap::new();
    let mut expected = Expected::default();
    for (_, id, effect) in &rules {
        match effect {
            Effect::Pin(of) => pins.extend(of),
            Effect::Boost(of, tenths) => {
                of.iter().for_each(|one| {
                    weights.entry(*one).or_insert_with(|| i64::from(*tenths));
                });
            }
            Effect::Bury(of, tenths) => {
                of.iter().for_each(|one| {
                    weights.entry(*one).or_insert_with(|| -i64::from(*tenths));
                });
            }
            Effect::Hide(of) => found.retain(|one| !of.contains(one)),
            Effect::Filter(of) => found.retain(|one| of.contains(one)),
            Effect::Redirect => expected.redirect = expected.redirect.or_else(|| Some(format!("/{id}"))),
            Effect::Banner => expected.banners.push(id.to_string()),
        }
    }
    let mut seen = BTreeSet::new();
    let pins: Vec<u8> =
        pins.into_iter().copied().filter(|pin| found.contains(pin) && seen.insert(*pin)).collect();
    let mut others: Vec<u8> = found.into_iter().filter(|one| !pins.contains(one)).collect();
    others.sort_by_key(|one| (-weights.get(one).copied().unwrap_or_default(), *one));
    expected.shoes = ids_of(pins.iter().chain(&others));
    expected.banners.truncate(limits::SEARCH_RULE_BANNERS);
    expected
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn rules_in_conflict_resolve_as_documented(
        // With many rules, the last are evaluated in another way.
        rules in prop_oneof![
            3 => proptest::collection::vec(some_rule(), 0..9),
            1 => proptest::collection::vec(some_rule(), 20..60),
        ],
        query in prop_oneof![Just("red shoe"), Just("shoes, red"), Just("")],
    ) {
        let mut ids = BTreeSet::new();
        let rules: Vec<_> = rules.into_iter().filter(|(_, id, _)| ids.insert(*id)).collect();
        let shop = Shop::new(&among_tables(shoes()));
        let list = Json::Array(rules.iter().map(as_json).collect());
        let answer = shop.search(&SearchQuery { size: 250, ..with(query, &list) });
        let found: Vec<_> = super::ids(&answer).into_iter().filter(|id| id.starts_with('s')).collect();
        let got = Expected { shoes: found, redirect: answer.redirect, banners: answer.banners };
        prop_assert_eq!(got, expected(rules));
    }
}
