//! Explanations of ranks.

use serde_json::json;

use super::*;
use crate::search::pricing::BuyerContext;
use crate::search::query::matching::{MatchForm, TermMatch};
use crate::search::statistics::SearchField;

fn explained(shop: &Shop, query: &str) -> Vec<RankExplanation> {
    let answer = shop.search(&SearchQuery { explain: true, ..asking(query) });
    answer.items.into_iter().map(|item| item.why.expect("reasons")).collect()
}

fn forms(why: &RankExplanation) -> Vec<(&str, &MatchForm)> {
    why.held.words.iter().map(|held| (held.word.as_str(), &held.form)).collect()
}

#[test]
fn what_the_words_of_a_hit_score_is_what_it_was_ranked_by() {
    let mut products = shoes();
    for (place, title) in [
        "Laptop 15 inch",
        "Laptop bag",
        "Red laptop with case",
        "Head phone",
        "Head phone, blue",
        "Headphone",
    ]
    .iter()
    .enumerate()
    {
        let mut product = product(&format!("x{place}"), title);
        product.description = "A red thing for a laptop, 15\" wide".to_owned();
        products.push(product);
    }
    let shop = Shop::new(&products);
    for query in ["red shoe", "laptop 15 inch", "red laptop with bag", "headphone", "shoe", "name of it"] {
        let all = explained(&shop, query);
        let sum = |why: &RankExplanation| {
            let words = why.held.words.iter().chain(&why.held.extras);
            words.map(|word: &TermMatch| f64::from(word.score)).sum::<f64>()
        };
        let first = all.first().expect("a hit");
        for (place, why) in all.iter().enumerate() {
            assert_eq!(why.place, place + 1);
            let told = sum(why) / sum(first) * first.of_words;
            assert!(why.of_words > 0.0 && (told - why.of_words).abs() < 1e-5, "{query}: {told} and {why:?}");
            let is_in_texts = |word: &TermMatch| word.fields == [SearchField::Description];
            let is_whole = why.held.lacking.is_empty() && !why.held.words.iter().any(is_in_texts);
            assert_eq!(is_whole, why.coverage == 1.0, "{query}: {why:?}");
        }
    }
}

#[test]
fn a_word_is_held_in_many_ways() {
    let mut products = shoes();
    for (id, title) in
        [("a", "Headphone"), ("b", "Head phone"), ("c", "Headphone stand"), ("d", "Head phone, red")]
    {
        products.push(product(id, title));
    }
    products.push(product("e", "Oak desk, 120 cm"));
    let shop = Shop::new(&products);
    let of = |query: &str, id: &str| {
        let answer = shop.search(&SearchQuery { explain: true, ..asking(query) });
        let item = answer.items.into_iter().find(|item| item.id == id);
        item.and_then(|item| item.why).unwrap_or_else(|| panic!("{query} finds {id}"))
    };
    assert_eq!(forms(&of("headphone", "a")), [("headphone", &MatchForm::Itself)]);
    assert_eq!(forms(&of("headphone", "b")), [("headphone", &MatchForm::Apart)]);
    assert_eq!(forms(&of("head phone", "a")), [("head", &MatchForm::Joined), ("phone", &MatchForm::Joined)]);
    assert_eq!(forms(&of("desk 1.2 m", "e"))[0], ("desk", &MatchForm::Itself));
    assert_eq!(of("red bag shoe", "b1").held.lacking, ["shoe"]);
    assert_eq!(of("oak desk", "e").held.words[0].fields, [SearchField::Title]);
    let by_number = of("e", "e");
    assert!(by_number.is_by_number && !by_number.is_by_words, "{by_number:?}");
}

#[test]
fn what_rules_did_is_told() {
    let shop = Shop::new(&shoes());
    let list = json!([
        {"Id": "front", "Query": "shoe", "Pin": ["s12"]},
        {"Id": "up", "Query": "shoe", "Boost": {"Ids": ["s13"], "By": 30}},
        {"Id": "away", "Query": "shoe", "Hide": {"Ids": ["s14"]}},
        {"Id": "only", "Query": "shoe", "Filter": {"Ids": ["s12", "s13", "s14", "b1"]}},
    ]);
    let request = rules::with("red shoe", &list);
    let answer = shop.search(&SearchQuery { explain: true, ..request.clone() });
    assert_eq!(answer.rules, ["away", "front", "only", "up"]);
    let why: Vec<_> = answer.items.iter().map(|item| item.why.clone().expect("reasons")).collect();
    assert_eq!((ids(&answer)[0].as_str(), why[0].pinned_by.as_deref()), ("s12", Some("front")));
    assert_eq!(why[1].weighed_by, Some(("up".to_owned(), 0.3)));
    assert!((why[1].boosts.rules - 0.3 * why[1].of_words).abs() < 1e-9, "{:?}", why[1]);
    let verdict = |id: &str| {
        shop.index.snapshot().verdict(id, &[], &request, &BuyerContext::default()).expect("an answer")
    };
    assert_eq!(verdict("s14"), SearchExplanation::Missing(vec![NotFoundReason::Ruled("away".to_owned())]),);
    assert_eq!(verdict("s15"), SearchExplanation::Missing(vec![NotFoundReason::Ruled("only".to_owned())]));
    let SearchExplanation::Found(found) = verdict("s13") else { panic!("it is found") };
    assert_eq!(*found, why[1]);
}

#[test]
fn the_products_of_a_page_are_explained_at_their_own_places() {
    let shop = Shop::new(&shoes());
    let places = |page: usize| {
        let answer = shop.search(&SearchQuery { explain: true, page, size: 3, ..asking("red shoe") });
        let places = answer.items.into_iter().map(|item| item.why.map(|why| why.place));
        places.collect::<Option<Vec<_>>>().expect("reasons")
    };
    assert_eq!([0, 1, 2].map(places), [[1, 2, 3], [1, 2, 3], [4, 5, 6]]);
}
