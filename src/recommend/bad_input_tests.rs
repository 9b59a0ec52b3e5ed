//! Sessions and ids that no page of a shop sends: one click, thousands of them, one item over and over, any text.

use super::bought_together_focus::BoughtTogetherFocus;
use super::candidates::CandidateSet;
use super::co_purchase::{also_bought, bought_again, bought_together};
use super::co_view::{also_viewed, most_viewed};
use super::cooccurrence::{WalkSums, add_near, add_second};
use super::fixed_point::ONE;
use super::history::{ClickHistory, SessionKey};
use super::leave_one_out::OtherSessions;
use super::model::{Interaction, Model, PersonAction};
use super::repeats::RepeatCounts;
use super::session::SessionRecommender;
use super::similar_sessions::{self, AlikeSessions};
use super::top_k::ScoredItem;

const LONG: usize = 10_000;

/// Ids that are easily taken for each other, or for something else than a text.
fn odd_ids() -> Vec<String> {
    const SHORT: &str = "| |  |a|A|a | a|7|07|7.0|+7|-7|1e400|NaN|null|٧|é|e\u{301}|É|ß|ss|İ|i\u{307}|\
        ﬁ|fi|Å|A\u{30a}|\0|a\0|a\0b|\n|\r\n|\t|\u{7f}|\u{1b}[2J|\u{202e}cba|مرحبا|\u{200b}a|\
        \u{feff}a|👩\u{200d}👧|\u{fffd}|\u{10ffff}|../..|%00|' OR 1=1 --";
    let mut ids: Vec<String> = SHORT.split('|').map(str::to_owned).collect();
    ids.push("9".repeat(400));
    ids.extend([512, LONG].map(|bytes| "x".repeat(bytes)));
    ids
}

fn key(number: usize) -> SessionKey {
    SessionKey { start: number as i64, id: number as u128 }
}

fn number_of(history: &ClickHistory, id: &str) -> u32 {
    history.item(id).expect("an item")
}

/// Id of a click in a long session.
fn nth(click: usize) -> String {
    format!("c{click:05}")
}

fn add_all(history: &mut ClickHistory, session: usize, ids: &[impl AsRef<str>]) {
    ids.iter().for_each(|id| history.add(key(session), id.as_ref()));
}

fn with_ids(history: &ClickHistory, scored: Vec<ScoredItem>) -> Vec<(i64, String)> {
    scored.into_iter().map(|(score, item)| (score, history.id(item).to_owned())).collect()
}

fn recommended(others: &OtherSessions<'_>, clicks: &[impl AsRef<str>], size: usize) -> Vec<(i64, String)> {
    with_ids(others.history(), SessionRecommender::default().recommend(others, clicks, size, |_| true))
}

fn ids_of(scored: Vec<(i64, String)>) -> Vec<String> {
    scored.into_iter().map(|(_, id)| id).collect()
}

/// A session of ten thousand items between two that share none with it.
fn long_history() -> ClickHistory {
    let mut history = ClickHistory::default();
    add_all(&mut history, 1, &["before", "x"]);
    add_all(&mut history, 2, &(0..LONG).map(nth).collect::<Vec<_>>());
    add_all(&mut history, 3, &["after", "y"]);
    history
}

#[test]
fn sessions_of_one_click_count_as_clicks_and_bring_no_other_item() {
    let mut history = ClickHistory::default();
    (0..50).for_each(|session| add_all(&mut history, session, &["a"]));
    add_all(&mut history, 50, &["b"]);
    assert_eq!(*history.repeats(), RepeatCounts::default());
    let others = OtherSessions::including_all(&history);
    assert_eq!(ids_of(recommended(&others, &["a"], 9)), ["a"]);
    assert_eq!(recommended(&others, &["a"], 9), recommended(&others, &["unknown", "a"], 9));
    assert_eq!(ids_of(recommended(&others, &["b", "a"], 9)).len(), 2);
    assert_eq!(also_viewed(&others, "a", 9, |_| true), []);
    let most = with_ids(&history, most_viewed(&others, 9, |_| true));
    assert_eq!(most, [(50, "a".to_owned()), (1, "b".to_owned())]);
    let last = OtherSessions::than(&history, key(50));
    assert_eq!(recommended(&last, &["b"], 9), [], "nobody else clicked it");
}

#[test]
fn a_session_of_ten_thousand_clicks_is_walked_a_few_clicks_to_each_side() {
    let history = long_history();
    let others = OtherSessions::including_all(&history);
    let middle = number_of(&history, &nth(5_000));
    let reached = |add: &dyn Fn(&mut CandidateSet)| -> Vec<String> {
        let mut candidates = CandidateSet::default();
        candidates.clear(history.items_end());
        add(&mut candidates);
        let found = candidates.as_slice().iter().filter(|one| {
            let all = [one.near[0], one.near[1], one.two_steps[0], one.two_steps[1], one.alike];
            all.into_iter().any(|signal| signal > 0)
        });
        let mut ids: Vec<_> = found.map(|one| history.id(one.item).to_owned()).collect();
        ids.sort_unstable();
        ids
    };
    let around = |far: usize, itself: bool| -> Vec<String> {
        (5_000 - far..=5_000 + far).filter(|click| itself || *click != 5_000).map(nth).collect()
    };
    let near = reached(&|found| add_near(&others, middle, &mut WalkSums::default(), found));
    assert_eq!(near, around(10, false));
    let second = reached(&|found| add_second(&others, &[(1, middle)], &mut WalkSums::default(), found));
    assert_eq!(second, around(5, false));
    let alike =
        reached(&|found| similar_sessions::add(&others, &[middle], &mut AlikeSessions::default(), found));
    assert_eq!(alike, around(63, true));
    // An answer has nothing else: what is near in two steps is among these.
    let mut all = ids_of(recommended(&others, &[nth(5_000)], usize::MAX));
    all.sort_unstable();
    assert_eq!(all, alike);
    let mut beside = ids_of(with_ids(&history, also_viewed(&others, &nth(5_000), usize::MAX, |_| true)));
    beside.sort_unstable();
    assert_eq!(beside, near);
}

#[test]
fn the_ends_of_a_session_of_ten_thousand_clicks_have_neighbours_on_one_side() {
    let history = long_history();
    let others = OtherSessions::including_all(&history);
    for (asked, reached) in [(0, 0..64), (LONG - 1, LONG - 64..LONG)] {
        let mut all = ids_of(recommended(&others, &[nth(asked)], usize::MAX));
        all.sort_unstable();
        assert_eq!(all, reached.map(nth).collect::<Vec<_>>(), "{asked}");
    }
}

#[test]
fn an_asking_session_of_ten_thousand_clicks_is_its_newest_sixty_four() {
    let history = long_history();
    let others = OtherSessions::including_all(&history);
    let long: Vec<_> = (0..LONG).map(nth).collect();
    let best = |clicks: &[String]| recommended(&others, clicks, usize::MAX);
    assert_eq!(best(&long), best(&long[LONG - 64..]));
    // The oldest that counts is there, and the one before it is nowhere.
    let mut asking = vec!["x".to_owned()];
    asking.extend((0..63).map(|click| nth(click * 150)));
    let has = |clicks: &[String], id: &str| best(clicks).iter().any(|(_, found)| found == id);
    assert!(has(&asking, "x"));
    asking.push(nth(9_999));
    assert!(!has(&asking, "x") && !has(&asking, "before"));
    // Repetitions and unknown items count among them.
    let same = |count: usize| vec![nth(7); count];
    assert_eq!(best(&same(LONG)), best(&same(64)));
    assert_ne!(best(&same(64)), best(&same(1)));
    let unknown = [vec![nth(7)], vec!["unknown".to_owned(); 64]].concat();
    assert_eq!(best(&unknown), []);
}

#[test]
fn one_session_of_one_item_hides_nothing_that_a_hundred_others_viewed_next() {
    let history_with = |sessions: &[&[&str]], repeated: &[&str]| {
        let mut history = ClickHistory::default();
        (0..100).for_each(|number| add_all(&mut history, number, &["a", "b"]));
        (100..).zip(sessions).for_each(|(number, ids)| add_all(&mut history, number, ids));
        add_all(&mut history, 100, &repeated.repeat(1_000));
        history
    };
    for repeated in [&["a"][..], &["a", "c"], &["a", "c", "d"]] {
        let history = history_with(&[], repeated);
        let others = OtherSessions::including_all(&history);
        let first = |found: Vec<(i64, String)>| found[0].1.clone();
        assert_eq!(first(with_ids(&history, also_viewed(&others, "a", 9, |_| true))), "b", "{repeated:?}");
        let mut candidates = CandidateSet::default();
        candidates.clear(history.items_end());
        add_near(&others, number_of(&history, "a"), &mut WalkSums::default(), &mut candidates);
        let [next, least] = [candidates.get(number_of(&history, "b")).map_or(0, |b| b.next), 7 * ONE / 10];
        assert!(next > least, "{next} of {ONE}, {repeated:?}");
    }
    // Every click of a session that holds the item four times counts as before.
    let four = history_with(&[&["a", "c", "a", "a", "c", "a"]], &[]);
    let read = OtherSessions::including_all(&four).newest(number_of(&four, "a"), 300).count();
    assert_eq!(read, 104);
}

#[test]
fn a_session_of_one_item_ten_thousand_times_is_counted_and_goes_without_a_trace() {
    let mut history = ClickHistory::default();
    add_all(&mut history, 1, &["b", "c"]);
    let without = history.canonical();
    add_all(&mut history, 2, &vec!["a"; LONG]);
    add_all(&mut history, 3, &["a", "b"]);
    let others = OtherSessions::including_all(&history);
    assert_eq!(history.repeats().times, [63, 0, 0, 0, 0, 0, 0, 0, 0], "one session says little");
    let best = ids_of(recommended(&others, &["a"], 9));
    assert_eq!(best.len(), 3, "the item, the one after it, and the one after that: {best:?}");
    assert_eq!(recommended(&others, &vec!["a"; LONG], 9), recommended(&others, &vec!["a"; 64], 9));
    assert_eq!(with_ids(&history, most_viewed(&others, 1, |_| true)), [(LONG as i64 + 1, "a".to_owned())]);
    // Who asks is left out with all their clicks.
    let last = OtherSessions::than(&history, key(2));
    assert_eq!(last.clicks_of(number_of(&history, "a")), 1);
    let twice = OtherSessions::than_all(&history, &[key(2), key(2)]);
    assert_eq!(twice.clicks_of(number_of(&history, "a")), 1);
    assert_eq!(twice.repeats(), last.repeats());
    assert_eq!(last.repeats().times, RepeatCounts::default().times);
    assert_eq!(history.remove(key(3)), 2);
    assert_eq!((history.remove(key(2)), history.item("a")), (LONG, None));
    assert!(history.canonical() == without);
}

#[test]
fn an_order_of_one_item_ten_thousand_times_is_one_purchase_of_it() {
    let mut once = Model::default();
    let mut often = Model::default();
    for (model, count) in [(&mut once, 1), (&mut often, 200)] {
        let lines = [vec!["b"], vec!["a"; count]].concat().into_iter().map(str::to_owned).collect();
        let order =
            |session, act| Interaction { person: [session as u8; 16], session: key(session), ends: 9, act };
        model.add(&order(1, PersonAction::Ordered(lines)));
        model.add(&order(2, PersonAction::Ordered(vec!["a".to_owned(); LONG])));
    }
    let again =
        |model| bought_again(model, &[2; 16], 9).into_iter().map(|(score, _)| score).collect::<Vec<_>>();
    assert_eq!((again(&once), again(&often)), (vec![1 << 20], vec![1 << 20]));
    assert_eq!(also_bought(&often, None, &["a"], 9), also_bought(&once, None, &["a"], 9));
    let among = [(OtherSessions::including_all(often.orders()), 1)];
    let asking = vec!["a"; LONG];
    let together: Vec<_> = bought_together(&among, &asking, BoughtTogetherFocus::Likely, 9)
        .into_iter()
        .map(|(_, id)| id)
        .collect();
    assert_eq!(together, ["b"]);
}

#[test]
fn ids_are_told_apart_and_ordered_by_their_bytes_alone() {
    let mut ids = odd_ids();
    let mut history = ClickHistory::default();
    for (session, id) in ids.iter().enumerate() {
        add_all(&mut history, session, &[id.as_str()]);
    }
    assert_eq!(history.items().count(), ids.len());
    assert!(ids.iter().all(|id| history.id(number_of(&history, id)) == id));
    ids.sort_unstable_by(|one, other| one.as_bytes().cmp(other.as_bytes()));
    let others = OtherSessions::including_all(&history);
    assert_eq!(ids_of(with_ids(&history, most_viewed(&others, usize::MAX, |_| true))), ids);
    for id in &ids {
        assert_eq!(ids_of(recommended(&others, &[id], usize::MAX)), [id.as_str()]);
    }
    (0..ids.len()).for_each(|session| assert_eq!(history.remove(key(session)), 1));
    assert!(history.canonical() == ClickHistory::default().canonical());
}

#[test]
fn equal_scores_of_any_ids_are_in_the_order_of_their_bytes() {
    let mut ids = odd_ids();
    // Each stands beside the asked item in one of many sessions, and once in an order and a basket with it.
    let mut history = ClickHistory::default();
    let mut model = Model::default();
    for (session, id) in ids.iter().enumerate() {
        let session_key = SessionKey { start: 0, id: session as u128 };
        ["asked", id.as_str()].iter().for_each(|id| history.add(session_key, id));
        let order = PersonAction::Ordered(vec!["asked".to_owned(), id.clone()]);
        model.add(&Interaction { person: [session as u8; 16], session: key(session), ends: 9, act: order });
    }
    ids.sort_unstable_by(|one, other| one.as_bytes().cmp(other.as_bytes()));
    let others = OtherSessions::including_all(&history);
    let beside = ids_of(with_ids(&history, also_viewed(&others, "asked", usize::MAX, |_| true)));
    assert_eq!(beside, ids);
    let among = [(OtherSessions::including_all(model.orders()), 1)];
    let goods = [
        bought_together(&among, &["asked"], BoughtTogetherFocus::Likely, usize::MAX),
        also_bought(&model, None, &["asked"], usize::MAX),
    ];
    for goods in goods {
        assert_eq!(goods.into_iter().map(|(_, id)| id).collect::<Vec<_>>(), ids);
    }
    let best = ids_of(recommended(&others, &["asked"], usize::MAX));
    assert_eq!(best.len(), ids.len() + 1, "each and the asked one");
}
