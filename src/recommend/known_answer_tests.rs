//! Known answers: scores that another program computed by plain loops over all sessions, as the descriptions say.

use std::ops::Range;

use super::co_purchase::{also_bought, bought_again, bought_together};
use super::co_view::also_viewed;
use super::history::{ClickHistory, SessionKey};
use super::leave_one_out::OtherSessions;
use super::model::{Interaction, Model, Person, PersonAction};
use super::session::SessionRecommender;
use super::tests::{item_of, key};
use super::top_k::ScoredItem;
use super::trending::trending;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// Sessions of one to eleven clicks, and one of seventy: items with few clicks and with many, some twice in a session.
fn sessions_of(numbers: Range<u64>) -> ClickHistory {
    let mut history = ClickHistory::default();
    for session in numbers {
        let clicks = if session == 40 { 70 } else { 1 + session % 11 };
        (0..clicks).for_each(|click| history.add(key(session), &item_of(session, click)));
    }
    history
}

/// Sessions with two items that all have, and one of its own between them, the oldest first.
fn crowded() -> ClickHistory {
    let mut history = ClickHistory::default();
    for number in 0..700 {
        let key = SessionKey { start: number, id: number as u128 };
        let own = format!("own-{number}");
        ["shared", own.as_str(), "end"].iter().for_each(|item| history.add(key, item));
    }
    history
}

fn with_ids(history: &ClickHistory, scored: Vec<ScoredItem>) -> Vec<(i64, &str)> {
    scored.into_iter().map(|(score, item)| (score, history.id(item))).collect()
}

/// Clicks of a session, and the first answers: score and item.
type KnownAnswer<const N: usize> = (&'static [&'static str], [(i64, &'static str); N]);

#[test]
fn a_session_is_answered_with_the_known_scores() {
    let history = sessions_of(0..90);
    let others = OtherSessions::including_all(&history);
    // One recommender for all, as requests share its memory.
    let mut recommender = SessionRecommender::default();
    let known: [KnownAnswer<4>; 6] = [
        (&["i0"], [(26_032_078, "i0"), (24_763_317, "i1"), (20_039_062, "i3"), (19_509_013, "i4")]),
        (&["i3", "i3"], [(53_043_219, "i3"), (23_762_681, "i6"), (22_157_585, "i8"), (21_870_938, "i1")]),
        (
            &["i9", "i1", "i20"],
            [(31_175_630, "i1"), (24_016_292, "i20"), (23_067_245, "i17"), (20_794_748, "i9")],
        ),
        (
            &["i5", "i2", "i7", "i1", "i2"],
            [(31_409_064, "i1"), (30_424_551, "i2"), (24_018_937, "i5"), (23_337_035, "i3")],
        ),
        (
            &["i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "i8"],
            [(53_368_306, "i8"), (32_835_445, "i4"), (30_977_847, "i6"), (29_715_416, "i5")],
        ),
        (
            &["i30", "nothing", "i2"],
            [(33_484_557, "i30"), (22_955_341, "i2"), (21_316_685, "i3"), (20_184_915, "i27")],
        ),
    ];
    for (clicks, first) in known {
        let found = recommender.recommend(&others, clicks, 4, |_| true);
        assert_eq!(with_ids(&history, found), first, "{clicks:?}");
    }
    let without = OtherSessions::than_all(&history, &[key(40), key(5)]);
    let found = recommender.recommend(&without, &["i5", "i2", "i7", "i1", "i2"], 3, |_| true);
    assert_eq!(with_ids(&history, found), [(31_306_245, "i1"), (30_828_523, "i2"), (23_762_884, "i3")]);
}

#[test]
fn a_session_beside_hundreds_of_others_is_answered_with_the_known_scores() {
    let history = crowded();
    let others = OtherSessions::including_all(&history);
    let mut recommender = SessionRecommender::default();
    let known: [KnownAnswer<3>; 3] = [
        (&["shared"], [(7_645_397, "shared"), (5_610_999, "own-650"), (5_610_999, "own-651")]),
        (
            &["end", "own-3", "shared"],
            [(7_643_885, "shared"), (5_606_904, "own-650"), (5_606_904, "own-651")],
        ),
        (&["shared", "own-699"], [(14_175_912, "shared"), (11_077_559, "own-699"), (8_002_109, "own-650")]),
    ];
    for (clicks, first) in known {
        let found = recommender.recommend(&others, clicks, 3, |_| true);
        assert_eq!(with_ids(&history, found), first, "{clicks:?}");
    }
    let beside = with_ids(&history, also_viewed(&others, "shared", 3, |_| true));
    assert_eq!(beside, [(785_123, "end"), (1_744, "own-100"), (1_744, "own-101")]);
}

#[test]
fn what_is_viewed_beside_an_item_has_the_known_scores() {
    let history = sessions_of(0..90);
    let others = OtherSessions::including_all(&history);
    let beside = |id: &str| with_ids(&history, also_viewed(&others, id, 4, |_| true));
    assert_eq!(beside("i0"), [(602_324, "i1"), (391_325, "i3"), (175_182, "i5"), (158_286, "i4")]);
    assert_eq!(beside("i33"), [(573_897, "i30"), (396_726, "i32"), (359_277, "i31"), (354_596, "i36")]);
    let hidden = history.item("i1");
    let shown = also_viewed(&others, "i0", 1, |item| Some(item) != hidden);
    assert_eq!(with_ids(&history, shown), [(391_325, "i3")]);
}

#[test]
fn a_trend_has_the_known_score_and_equal_ones_are_in_the_order_of_their_ids() {
    let mut views = ClickHistory::default();
    let mut number = 0;
    // Today is day 40: the first number is of views since day 34, the second of those before.
    for (id, newer, older) in
        [("b-tie", 2, 3), ("a-tie", 2, 3), ("least", 1, 3), ("even", 1, 4), ("gone", 0, 5), ("new", 3, 0)]
    {
        for view in 0..newer + older {
            let start = if view < newer { 34 * DAY } else { 34 * DAY - 1 };
            views.add(SessionKey { start, id: number }, id);
            number += 1;
        }
    }
    let others = OtherSessions::including_all(&views);
    let found = with_ids(&views, trending(&others, 40, 9, |_| true));
    assert_eq!(found, [(4_448_724, "new"), (1_580_785, "a-tie"), (1_580_785, "b-tie"), (316_157, "least")]);
    let hidden = views.item("new");
    let shown = trending(&others, 40, 1, |item| Some(item) != hidden);
    assert_eq!(with_ids(&views, shown), [(1_580_785, "a-tie")]);
}

#[test]
fn what_stands_together_in_orders_and_baskets_has_the_known_scores() {
    let orders = sessions_of(0..30);
    let baskets = sessions_of(30..60);
    let among = [(OtherSessions::including_all(&orders), 2), (OtherSessions::including_all(&baskets), 1)];
    assert_eq!(
        bought_together(&among, &["i1", "i0"], 5),
        [(16_986_931, "i3"), (13_726_813, "i30"), (9_532_509, "i25"), (7_456_540, "i27"), (7_456_540, "i31")]
    );
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
fn a_buyer_counts_once_for_each_product_however_often_they_ordered_it() {
    let mut model = Model::default();
    order(&mut model, 1, 1, &["asked", "often"]);
    order(&mut model, 2, 2, &["asked", "often", "often"]);
    order(&mut model, 1, 3, &["asked", "beside"]);
    order(&mut model, 1, 4, &["alone"]);
    // Two of two buyers over three times anywhere and twenty, and one of them over once and twenty.
    assert_eq!(
        also_bought(&model, None, &["asked"], 9),
        [(4 * (1 << 20) / 23, "often"), ((1 << 20) / 21, "alone"), ((1 << 20) / 21, "beside")]
    );
    assert_eq!(also_bought(&model, None, &["asked"], 1), [(4 * (1 << 20) / 23, "often")]);
    assert_eq!(also_bought(&model, None, &["unknown"], 9), []);
}

#[test]
fn the_first_five_hundred_buyers_count() {
    let mut model = Model::default();
    for number in 0..600 {
        let asked = format!("asked-{}", number / 200);
        let own = format!("own-{number:03}");
        order(&mut model, number, i64::from(number), &[asked.as_str(), own.as_str()]);
    }
    let found = also_bought(&model, None, &["asked-0", "asked-1", "asked-2"], 999);
    let ids: Vec<_> = found.iter().map(|(_, id)| *id).collect();
    assert_eq!((ids.len(), ids.first(), ids.last()), (500, Some(&"own-000"), Some(&"own-499")));
}

#[test]
fn what_was_bought_as_often_is_told_by_its_latest_order_then_by_its_id() {
    let mut model = Model::default();
    for (start, items) in [(1, ["d", "c"]), (5, ["a", "b"]), (6, ["b", "a"]), (9, ["d", "c"])] {
        order(&mut model, 1, start, &items);
    }
    order(&mut model, 1, 10, &["once"]);
    assert_eq!(bought_again(&model, &person_of(1), 9), [(2, "c"), (2, "d"), (2, "a"), (2, "b"), (1, "once")]);
    assert_eq!(bought_again(&model, &person_of(1), 2), [(2, "c"), (2, "d")]);
    // Somebody who viewed and never ordered.
    let session = SessionKey { start: 11, id: 11 };
    let act = PersonAction::Viewed("a".to_owned());
    model.add(&Interaction { person: person_of(2), session, ends: 9, act });
    assert_eq!(bought_again(&model, &person_of(2), 9), []);
}
