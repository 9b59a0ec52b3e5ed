//! Recommenders as functions of a history: their order, and the history after a session was taken out.

use proptest::prelude::*;

use super::co_view::{also_viewed, most_viewed};
use super::fixed_point::{ONE, inverse_root, log2, log2_of_share, powers};
use super::history::{ClickHistory, SessionKey};
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::session::SessionRecommender;

const ITEMS: u64 = 40;

/// A number that only looks random: the same in every run.
pub(super) fn scattered(number: u64) -> u64 {
    number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33
}

pub(super) fn key(number: u64) -> SessionKey {
    // Two sessions begin in every moment; their ids are in another order than their arrival.
    SessionKey { start: (number / 2) as i64, id: u128::from(scattered(number)) }
}

pub(super) fn item_of(session: u64, click: u64) -> String {
    format!("i{}", (scattered(session * 31 + click) % ITEMS).min(scattered(session + 7 * click) % ITEMS))
}

fn clicks(history: &mut ClickHistory, session: u64) {
    for click in 0..2 + session % 5 {
        history.add(key(session), &item_of(session, click));
    }
}

fn recommended(history: &ClickHistory, ids: &[String]) -> Vec<(i64, String)> {
    recommended_by(&OtherSessions::including_all(history), ids)
}

fn recommended_by(others: &OtherSessions<'_>, ids: &[String]) -> Vec<(i64, String)> {
    let history = others.history();
    let best = SessionRecommender::default().recommend(others, ids, 20, |_| true);
    best.into_iter().map(|(score, item)| (score, history.id(item).to_owned())).collect()
}

/// Everything observable: the bytes, and answers of every recommender for every item.
fn answers(history: &ClickHistory) -> (Vec<u8>, Vec<String>) {
    let mut all = Vec::new();
    let named = |scored: Vec<(i64, ItemNumber)>| -> Vec<_> {
        scored.into_iter().map(|(score, item)| (score, history.id(item).to_owned())).collect()
    };
    all.push(format!("{:?}", named(most_viewed(&OtherSessions::including_all(history), 100, |_| true))));
    for number in 0..ITEMS {
        let ids = [format!("i{}", (number + 3) % ITEMS), "rare".to_owned(), format!("i{number}")];
        all.push(format!("{:?}", recommended(history, &ids)));
        all.push(format!(
            "{:?}",
            named(also_viewed(&OtherSessions::including_all(history), &ids[2], 9, |_| true))
        ));
    }
    (history.canonical(), all)
}

#[test]
fn logarithms_and_powers_are_those_of_real_numbers() {
    for number in [1, 2, 3, 5, 1_000, 1_025, 1 << 20, (1 << 20) + 12_345, u64::MAX >> 1, u64::MAX] {
        let exact = (number as f64).log2() * 65_536.0;
        assert!((log2(number) as f64 - exact).abs() < 1.5, "{number}: {} {exact}", log2(number));
    }
    assert_eq!(log2_of_share(1_000, 0), 0);
    assert!((log2_of_share(1_000, ONE) as f64 / 65_536.0 - 1_001_f64.log2()).abs() < 1e-4);
    let powers: [u64; 12] = powers(75);
    for (exponent, power) in powers.iter().enumerate() {
        assert!((*power as f64 - 0.75_f64.powi(exponent as i32) * ONE as f64).abs() < 1.0);
    }
    assert_eq!((inverse_root(1), inverse_root(4)), (ONE, ONE / 2));
}

#[test]
fn newer_sessions_say_more_and_equal_scores_are_ordered_by_catalogue_id() {
    let mut history = ClickHistory::default();
    for (number, item) in ["c", "b", "d", "a"].into_iter().enumerate() {
        let session = SessionKey { start: 0, id: number as u128 };
        history.add(session, "x");
        history.add(session, item);
    }
    let ids: Vec<_> = recommended(&history, &["x".to_owned()]).into_iter().map(|(_, id)| id).collect();
    let others: Vec<_> = ids.into_iter().filter(|id| id != "x").collect();
    assert_eq!(others, ["a", "d", "b", "c"], "of equal sessions the newest first");
    let most: Vec<_> = most_viewed(&OtherSessions::including_all(&history), 3, |_| true)
        .into_iter()
        .map(|(_, item)| history.id(item))
        .collect();
    assert_eq!(most, ["x", "a", "b"]);
}

#[test]
fn what_follows_in_sessions_like_this_one_comes_first() {
    let mut history = ClickHistory::default();
    for number in 0..50 {
        let path = if number % 2 == 0 { ["tent", "mat", "lamp"] } else { ["desk", "chair", "lamp"] };
        path.iter().for_each(|item| history.add(key(number), item));
    }
    let all_of = |ids: &[&str]| -> Vec<String> {
        let ids: Vec<_> = ids.iter().map(|id| (*id).to_owned()).collect();
        let others = recommended(&history, &ids).into_iter().map(|(_, id)| id);
        others.filter(|id| !ids.contains(id)).collect()
    };
    assert_eq!(all_of(&["tent", "mat"])[0], "lamp");
    let beside_the_desk = all_of(&["desk"]);
    let place = |id: &str| beside_the_desk.iter().position(|other| other == id);
    assert!(place("chair") < place("mat") && place("lamp") < place("mat"), "{beside_the_desk:?}");
    assert_eq!(recommended(&history, &["nothing".to_owned()]), []);
    assert_eq!(recommended(&history, &[]), []);
    // An item that may not be shown leaves its place to the next.
    let lamp = history.item("lamp");
    let others = OtherSessions::including_all(&history);
    let shown = SessionRecommender::default().recommend(&others, &["tent"], 20, |item| Some(item) == lamp);
    assert_eq!(shown.len(), 1);
}

/// A session's own actions are its request, and are not counted among those of other sessions.
#[test]
fn a_session_that_asks_is_answered_as_if_it_were_not_in_the_history() {
    let history_of = |numbers: &mut dyn Iterator<Item = u64>| {
        let mut history = ClickHistory::default();
        numbers.for_each(|number| clicks(&mut history, number));
        history.add(key(1_000), "mine alone");
        history
    };
    let whole = history_of(&mut (0..300));
    for asking in (0..300).step_by(7) {
        let without = history_of(&mut (0..300).filter(|number| *number != asking));
        let ids: Vec<_> = (0..2 + asking % 5).map(|click| item_of(asking, click)).collect();
        let others = OtherSessions::than(&whole, key(asking));
        let expected = OtherSessions::including_all(&without);
        assert_eq!(recommended_by(&others, &ids), recommended_by(&expected, &ids), "{asking}");
        let named = |others: &OtherSessions<'_>| -> Vec<_> {
            let near = also_viewed(others, &ids[0], 20, |_| true).into_iter();
            near.map(|(score, item)| (score, others.history().id(item).to_owned())).collect()
        };
        assert_eq!(named(&others), named(&expected), "{asking}");
    }
    assert_eq!(OtherSessions::than(&whole, key(1_000)).item("mine alone"), None);
    assert!(OtherSessions::than(&whole, key(999)).item("mine alone").is_some());
}

/// A session that clicks on everything contributes only each item's close neighbours.
#[test]
fn a_session_of_thousands_of_clicks_brings_what_stands_near() {
    let mut history = ClickHistory::default();
    for number in 0..5_000 {
        history.add(key(1), &format!("rare{number}"));
    }
    history.add(key(1), "tent");
    history.add(key(2), "tent");
    history.add(key(2), "mat");
    let shown = SessionRecommender::default().recommend(
        &OtherSessions::including_all(&history),
        &["tent"],
        5_000,
        |_| true,
    );
    assert!(shown.len() < 80, "{}", shown.len());
    let long: Vec<_> = (0..5_000).map(|number| format!("rare{number}")).collect();
    let newest = &long[long.len() - 64..];
    let best = recommended(&history, &long);
    assert_eq!(best, recommended(&history, newest), "the newest clicks decide");
}

/// Sessions that were taken out leave the bytes and the answers of a history in which they never were, in every list:
/// each item has more clicks than are ever read.
#[test]
fn sessions_that_were_taken_out_were_never_there() {
    const SESSIONS: u64 = 12_000;
    let is_out = |session: u64| scattered(session).is_multiple_of(3);
    let mut history = ClickHistory::default();
    (0..SESSIONS).for_each(|session| clicks(&mut history, session));
    history.add(key(SESSIONS + 3), "rare");
    history.add(key(SESSIONS + 3), "i1");
    // They go in between of others that come.
    for session in (0..SESSIONS).filter(|session| is_out(*session)) {
        assert_eq!(history.remove(key(session)), 2 + (session % 5) as usize);
        if session.is_multiple_of(7) {
            clicks(&mut history, SESSIONS + 10 + session);
        }
    }
    assert_eq!((history.remove(key(SESSIONS + 3)), history.remove(key(SESSIONS + 3))), (2, 0));
    assert_eq!(history.item("rare"), None, "an item that nobody clicked is unknown");
    let mut never = ClickHistory::default();
    for session in (0..SESSIONS).rev() {
        if is_out(session) && session.is_multiple_of(7) {
            clicks(&mut never, SESSIONS + 10 + session);
        } else if !is_out(session) {
            clicks(&mut never, session);
        }
    }
    let others = OtherSessions::including_all(&never);
    let long = never.items().filter(|item| others.newest(*item, 600).count() == 600);
    assert!(long.count() > 20, "lists that are cut when they are read");
    assert_eq!(answers(&history), answers(&never));
}

/// A reader builds missing rows; each click and each session that goes drops the rows that it changes. The sessions are
/// long enough that rows are read, and clicks stand beyond the reach of others.
#[test]
fn rows_are_those_of_the_history_as_it_is() {
    const SESSIONS: u64 = 40;
    let item = |number: u64| format!("i{}", scattered(number) % 24);
    let mut history = ClickHistory::default();
    let mut left: Vec<(u64, String)> = Vec::new();
    for step in 0..600 {
        // The first sessions have many clicks on few items, of which not all are read.
        let session = if step % 3 == 0 { step % 2 } else { scattered(step * 5) % SESSIONS };
        let item = |number: u64| if session < 2 { item(number % 3) } else { item(number) };
        if step % 11 == 10 {
            left.retain(|(other, _)| *other != session);
            history.remove(key(session));
        } else {
            history.add(key(session), &item(step));
            left.push((session, item(step)));
        }
        if step < 200 {
            continue;
        }
        let mut never = ClickHistory::default();
        left.iter().for_each(|(session, item)| never.add(key(*session), item));
        for number in 0..6 {
            let ids = [number * 3, number * 7 + 1, number].map(item);
            let what = format!("step {step}, {ids:?}");
            assert_eq!(recommended(&history, &ids), recommended(&never, &ids), "{what}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Clicks of many sessions come mixed; the result is the history of the sessions that were never taken out, in any
    /// order.
    #[test]
    fn any_order_of_clicks_and_removals_leaves_the_same(
        events in prop::collection::vec((0_u64..12, 0_u8..9, any::<bool>()), 0..120),
    ) {
        let mut history = ClickHistory::default();
        let mut left: Vec<(u64, String)> = Vec::new();
        for (session, item, is_click) in events {
            if is_click || item > 2 {
                let item = format!("i{item}");
                history.add(key(session), &item);
                left.push((session, item));
            } else {
                let count = left.len();
                left.retain(|(other, _)| *other != session);
                prop_assert_eq!(history.remove(key(session)), count - left.len());
            }
        }
        let mut never = ClickHistory::default();
        for session in [7, 3, 11, 0, 1, 9, 2, 10, 4, 5, 8, 6] {
            for (_, item) in left.iter().filter(|(other, _)| *other == session) {
                never.add(key(session), item);
            }
        }
        prop_assert_eq!(history.canonical(), never.canonical());
        for item in 0..9 {
            let ids = [format!("i{}", (item + 1) % 9), format!("i{item}")];
            prop_assert_eq!(recommended(&history, &ids), recommended(&never, &ids));
        }
    }
}
