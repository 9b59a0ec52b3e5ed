//! Known answers: scores that another program computed by plain loops over all sessions, as the descriptions say.

use std::ops::Range;

use super::co_view::also_viewed;
use super::history::{ClickHistory, SessionKey};
use super::leave_one_out::OtherSessions;
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
        (&["i0"], [(356_307_191, "i1"), (317_870_015, "i0"), (302_781_279, "i4"), (294_407_740, "i30")]),
        (&["i3", "i3"], [(385_259_954, "i3"), (315_443_405, "i0"), (313_605_753, "i6"), (308_673_685, "i1")]),
        (
            &["i9", "i1", "i20"],
            [(332_046_381, "i17"), (311_357_760, "i1"), (304_176_838, "i22"), (298_078_476, "i21")],
        ),
        (
            &["i5", "i2", "i7", "i1", "i2"],
            [(403_302_438, "i5"), (342_450_527, "i3"), (308_497_413, "i7"), (306_534_707, "i1")],
        ),
        (
            &["i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "i8"],
            [(430_401_821, "i5"), (363_183_787, "i4"), (360_710_832, "i1"), (344_297_494, "i0")],
        ),
        (
            &["i30", "nothing", "i2"],
            [(329_764_781, "i30"), (316_106_150, "i3"), (283_372_182, "i27"), (278_948_356, "i1")],
        ),
    ];
    for (clicks, first) in known {
        let found = recommender.recommend(&others, clicks, 4, |_| true);
        assert_eq!(with_ids(&history, found), first, "{clicks:?}");
    }
    let without = OtherSessions::than_all(&history, &[key(40), key(5)]);
    let found = recommender.recommend(&without, &["i5", "i2", "i7", "i1", "i2"], 3, |_| true);
    assert_eq!(with_ids(&history, found), [(404_079_942, "i5"), (346_148_416, "i3"), (304_212_414, "i1")]);
}

#[test]
fn a_long_session_beside_many_others_is_answered_with_the_known_scores() {
    let history = sessions_of(0..900);
    let others = OtherSessions::including_all(&history);
    let mut recommender = SessionRecommender::default();
    let known: [KnownAnswer<6>; 4] = [
        (
            &["i30", "i2", "i33", "i4", "i5", "i31", "i7", "i8", "i9", "i10", "i11", "i12", "i0"],
            [
                (499_363_897, "i1"),
                (446_729_542, "i8"),
                (445_079_573, "i5"),
                (413_744_517, "i13"),
                (405_578_002, "i9"),
                (400_810_007, "i2"),
            ],
        ),
        (
            &["i5", "i0", "i2", "i1", "i0", "i3"],
            [
                (456_139_494, "i4"),
                (438_810_563, "i0"),
                (426_615_490, "i5"),
                (423_556_539, "i2"),
                (393_821_768, "i7"),
                (375_511_558, "i8"),
            ],
        ),
        (
            &["i1", "i2", "i3", "i0"],
            [
                (497_656_314, "i5"),
                (454_817_988, "i4"),
                (452_201_742, "i1"),
                (397_473_382, "i2"),
                (375_481_141, "i7"),
                (360_454_798, "i3"),
            ],
        ),
        (
            &["i4", "i0", "i0"],
            [
                (450_231_909, "i1"),
                (438_320_825, "i5"),
                (425_853_827, "i2"),
                (425_024_639, "i4"),
                (411_797_948, "i0"),
                (384_697_779, "i3"),
            ],
        ),
    ];
    for (clicks, first) in known {
        let found = recommender.recommend(&others, clicks, 6, |_| true);
        assert_eq!(with_ids(&history, found), first, "{clicks:?}");
    }
}

#[test]
fn a_session_beside_hundreds_of_others_is_answered_with_the_known_scores() {
    let history = crowded();
    let others = OtherSessions::including_all(&history);
    let mut recommender = SessionRecommender::default();
    let known: [KnownAnswer<3>; 3] = [
        (&["shared"], [(325_254_050, "end"), (273_830_227, "shared"), (197_738_232, "own-699")]),
        (
            &["end", "own-3", "shared"],
            [(252_397_202, "shared"), (233_665_012, "end"), (187_990_075, "own-699")],
        ),
        (&["shared", "own-699"], [(180_196_725, "end"), (124_974_857, "own-698"), (123_482_805, "own-697")]),
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
