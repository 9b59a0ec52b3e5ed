//! Scores of what is bought together, by the same buyers, and again: another program computed them by plain loops, as
//! the descriptions say.

use super::bought_together_focus::BoughtTogetherFocus;
use std::ops::Range;

use super::co_purchase::{also_bought, bought_again, bought_together};
use super::history::{ClickHistory, SessionKey};
use super::leave_one_out::OtherSessions;
use super::model::{Interaction, Model, Person, PersonAction};
use super::tests::{item_of, key};

/// Orders, the oldest first.
fn orders_of(orders: &[&[&str]]) -> ClickHistory {
    let mut history = ClickHistory::default();
    for (number, items) in orders.iter().enumerate() {
        let key = SessionKey { start: number as i64, id: number as u128 };
        let items: Vec<String> = items.iter().map(|id| (*id).to_owned()).collect();
        history.set_session(key, &items);
    }
    history
}

/// The sessions of the other known answers as orders: each item once.
fn orders_of_sessions(numbers: Range<u64>) -> ClickHistory {
    let mut history = ClickHistory::default();
    for session in numbers {
        let clicks = if session == 40 { 70 } else { 1 + session % 11 };
        let items: Vec<String> = (0..clicks).map(|click| item_of(session, click)).collect();
        history.set_session(key(session), &items);
    }
    history
}

fn ids_together(orders: &ClickHistory, named: &[&str]) -> Vec<String> {
    let found =
        bought_together(&[(OtherSessions::including_all(orders), 2)], named, BoughtTogetherFocus::Likely, 99);
    found.into_iter().map(|(_, id)| id.to_owned()).collect()
}

fn person_of(number: u16) -> Person {
    let mut person = [0; 16];
    person[..2].copy_from_slice(&number.to_be_bytes());
    person
}

fn order(model: &mut Model, person: u16, start: i64, items: &[&str]) {
    let session = SessionKey { start, id: start as u128 };
    let act = PersonAction::Ordered(items.iter().map(|id| (*id).to_owned()).collect());
    model.add(&Interaction { person: person_of(person), session, ends: 9, act });
}

#[test]
fn what_stands_together_in_orders_and_baskets_has_the_known_scores() {
    let orders = orders_of_sessions(0..30);
    let baskets = orders_of_sessions(30..60);
    let among = [(OtherSessions::including_all(&orders), 2), (OtherSessions::including_all(&baskets), 1)];
    assert_eq!(
        bought_together(&among, &["i1", "i0"], BoughtTogetherFocus::Likely, 5),
        [
            (24_628_244, "i30"),
            (24_626_694, "i3"),
            (24_416_862, "i2"),
            (24_393_848, "i4"),
            (24_344_914, "i34")
        ]
    );
    assert_eq!(
        bought_together(&among[..1], &["i1"], BoughtTogetherFocus::Likely, 3),
        [(24_347_722, "i0"), (24_113_226, "i30"), (24_098_924, "i2")]
    );
}

/// With p1: p2 in eight orders and 42 others, p3 in five and no other.
#[test]
fn what_is_bought_with_little_else_comes_first_where_a_shop_wants_specific_products() {
    let with = |orders: usize, items: &'static [&'static str]| std::iter::repeat_n(items, orders);
    let orders: Vec<_> =
        with(8, &["p1", "p2"]).chain(with(5, &["p1", "p3"])).chain(with(42, &["p2"])).collect();
    let orders = orders_of(&orders);
    let first = |focus| {
        let among = [(OtherSessions::including_all(&orders), 2)];
        bought_together(&among, &["p1"], focus, 1)[0].1.to_owned()
    };
    assert_eq!(BoughtTogetherFocus::ALL.map(first), ["p2", "p2", "p3"]);
}

#[test]
fn an_order_says_less_the_more_it_holds() {
    let orders = orders_of(&[&["asked", "a-crowd", "x", "y"], &["asked", "b-pair"]]);
    assert_eq!(ids_together(&orders, &["asked"])[..2], ["b-pair", "a-crowd"]);
}

#[test]
fn an_item_counts_once_in_an_order_however_often_it_stands_there() {
    let orders = orders_of(&[&["asked", "b-twice", "b-twice"], &["asked", "a-once"]]);
    assert_eq!(ids_together(&orders, &["asked"]), ["a-once", "b-twice"]);
}

#[test]
fn a_named_product_that_is_seldom_bought_says_more() {
    let mut orders = vec![["common", "a-of-common"].as_slice(), &["rare", "b-of-rare"]];
    orders.extend([["common"].as_slice(); 30]);
    assert_eq!(ids_together(&orders_of(&orders), &["rare", "common"]), ["b-of-rare", "a-of-common"]);
}

#[test]
fn an_order_of_a_buyer_counts_once_for_each_product() {
    let mut model = Model::default();
    order(&mut model, 1, 1, &["asked", "often"]);
    order(&mut model, 2, 2, &["asked", "often", "often"]);
    order(&mut model, 1, 3, &["asked", "beside"]);
    order(&mut model, 1, 4, &["alone"]);
    // The first buyer has four products, 1/√4; the second has two, 1/√2: 741,455 parts of 2⁻²⁰. The logarithm is
    // 2¹⁶.
    let [often, other] = [(524_288 + 741_455) << 16, 524_288 << 16];
    assert_eq!(
        also_bought(&model, None, &["asked"], 9),
        [(often, "often"), (other, "alone"), (other, "beside")]
    );
    assert_eq!(also_bought(&model, None, &["asked"], 1), [(often, "often")]);
    assert_eq!(also_bought(&model, None, &["unknown"], 9), []);
}

#[test]
fn a_buyer_says_more_with_more_of_the_named_products_and_an_item_with_more_of_their_orders() {
    let mut model = Model::default();
    order(&mut model, 1, 1, &["asked-1", "a-of-one"]);
    order(&mut model, 2, 2, &["asked-1", "asked-2", "b-of-two", "c-twice"]);
    order(&mut model, 2, 3, &["c-twice"]);
    let found = also_bought(&model, None, &["asked-1", "asked-2"], 9);
    // 1/√2 of one with one; 1/√4 of one with two, times log₂ 2 and log₂ 3, 103,872 parts of 2⁻¹⁶.
    assert_eq!(
        found,
        [(2 * 524_288 * 103_872, "c-twice"), ((2 * 524_288) << 16, "b-of-two"), (741_455 << 16, "a-of-one")]
    );
}

#[test]
fn the_five_hundred_buyers_of_most_named_products_count() {
    let mut model = Model::default();
    for number in 0..600 {
        let asked = format!("asked-{}", number / 200);
        let own = format!("own-{number:03}");
        order(&mut model, number, i64::from(number), &[asked.as_str(), own.as_str()]);
    }
    let found = |model: &Model| -> Vec<String> {
        let found = also_bought(model, None, &["asked-0", "asked-1", "asked-2"], 999);
        found.into_iter().map(|(_, id)| id.to_owned()).collect()
    };
    let ids = found(&model);
    assert_eq!((ids.len(), ids[0].as_str(), ids[499].as_str()), (500, "own-000", "own-499"));
    // The last buyer now has two of them; the order of buyer 200 is no longer among the newest 200 with its product.
    order(&mut model, 599, 600, &["asked-1"]);
    let ids = found(&model);
    assert_eq!((ids.len(), ids[0].as_str(), ids[499].as_str()), (500, "own-599", "own-499"));
    assert!(!ids.contains(&"own-200".to_owned()));
}

#[test]
fn an_order_counts_for_less_the_more_orders_were_made_since() {
    let mut model = Model::default();
    for (start, items) in [(1, ["d", "c"]), (5, ["a", "b"]), (6, ["b", "a"]), (9, ["d", "c"])] {
        order(&mut model, 1, start, &items);
    }
    order(&mut model, 1, 10, &["once"]);
    // 20/21 and 20/24 of 2²⁰; 20/22 and 20/23.
    let [outer, inner] = [998_644 + 873_813, 953_251 + 911_805];
    let scores = [(outer, "c"), (outer, "d"), (inner, "a"), (inner, "b"), (1 << 20, "once")];
    assert_eq!(bought_again(&model, &person_of(1), 9), scores);
    assert_eq!(bought_again(&model, &person_of(1), 2), scores[..2]);
    // A person who viewed and never ordered.
    let session = SessionKey { start: 11, id: 11 };
    let act = PersonAction::Viewed("a".to_owned());
    model.add(&Interaction { person: person_of(2), session, ends: 9, act });
    assert_eq!(bought_again(&model, &person_of(2), 9), []);
}
