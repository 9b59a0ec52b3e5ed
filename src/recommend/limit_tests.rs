//! Limits of what recommenders read: the newest counts, and what lies beyond does not.

use std::cell::Cell;

use super::bought_together_focus::BoughtTogetherFocus;
use super::candidates::CandidateSet;
use super::co_purchase::{also_bought, bought_again, bought_together};
use super::co_view::{also_viewed, most_viewed};
use super::history::{ClickHistory, SessionKey};
use super::leave_one_out::OtherSessions;
use super::model::{Interaction, Model, PersonAction};
use super::row_cache::{NeighbourCache, NeighbourSums};
use super::searches::SearchHistory;
use super::similar_sessions::{self, AlikeSessions};
use super::trending::trending;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn key(number: usize) -> SessionKey {
    SessionKey { start: number as i64, id: number as u128 }
}

fn texts(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

fn act(model: &mut Model, person: u8, session: usize, act: PersonAction) {
    model.add(&Interaction { person: [person; 16], session: key(session), ends: 9, act });
}

/// So many sessions, each of an item that all have and one of its own, the oldest first.
fn sessions_with(shared: &str, count: usize) -> ClickHistory {
    let mut history = ClickHistory::default();
    for number in 0..count {
        history.add(key(number), shared);
        history.add(key(number), &format!("own-{number}"));
    }
    history
}

#[test]
fn the_last_sixteen_products_ask_for_what_goes_with_them() {
    let mut orders = ClickHistory::default();
    orders.set_session(key(1), &texts(&["asking", "found"]));
    let among = [(OtherSessions::including_all(&orders), 1)];
    let mut asking: Vec<_> = (0..15).map(|number| format!("other-{number}")).collect();
    asking.insert(0, "asking".to_owned());
    assert_eq!(bought_together(&among, &asking, BoughtTogetherFocus::Likely, 9).len(), 1);
    asking.push("other-15".to_owned());
    assert_eq!(bought_together(&among, &asking, BoughtTogetherFocus::Likely, 9), []);
}

#[test]
fn emptied_baskets_have_the_limit_of_the_clicks_that_count_for_their_person_alone() {
    let mut model = Model::of_most(6);
    for number in 0..9 {
        let person = [number; 16];
        let act = PersonAction::BasketAlone(Vec::new());
        model.add(&Interaction { person, session: key(number.into()), ends: 9 + i64::from(number), act });
        assert!(model.people() <= 3, "{number}");
    }
}

#[test]
fn the_newest_fifty_orders_of_a_person_count() {
    let mut model = Model::default();
    act(&mut model, 1, 0, PersonAction::Ordered(texts(&["old"])));
    (1..50).for_each(|number| act(&mut model, 1, number, PersonAction::Ordered(texts(&["always"]))));
    assert_eq!(bought_again(&model, &[1; 16], 9), [(26_346_908, "always"), (303_935, "old")]);
    act(&mut model, 1, 50, PersonAction::Ordered(texts(&["new"])));
    assert_eq!(bought_again(&model, &[1; 16], 9), [(25_602_267, "always"), (1 << 20, "new")]);
}

#[test]
fn who_asks_is_no_other_buyer() {
    let mut model = Model::default();
    act(&mut model, 1, 1, PersonAction::Ordered(texts(&["asked", "mine"])));
    act(&mut model, 2, 2, PersonAction::Ordered(texts(&["asked", "theirs"])));
    let found = |asking: Option<u8>| -> Vec<&str> {
        let asking = asking.map(|person| [person; 16]);
        also_bought(&model, asking.as_ref(), &["asked"], 9).into_iter().map(|(_, id)| id).collect()
    };
    assert_eq!((found(None), found(Some(1))), (vec!["mine", "theirs"], vec!["theirs"]));
}

#[test]
fn the_newest_clicks_on_an_item_say_what_is_near() {
    let history = sessions_with("shared", 601);
    let others = OtherSessions::including_all(&history);
    let near = also_viewed(&others, "shared", 999, |_| true);
    let has = |id: &str| near.iter().any(|(_, item)| history.id(*item) == id);
    assert_eq!((near.len(), has("own-0"), has("own-1"), has("own-600")), (600, false, true, true));
}

#[test]
fn the_newest_of_equally_like_sessions_count() {
    let history = sessions_with("shared", 201);
    let others = OtherSessions::including_all(&history);
    let mut candidates = CandidateSet::default();
    candidates.clear(history.items_end());
    let shared = history.item("shared").expect("an item");
    similar_sessions::add(&others, &[shared], &mut AlikeSessions::default(), &mut candidates);
    let has = |number: usize| {
        let item = history.item(&format!("own-{number}")).expect("an item");
        candidates.get(item).is_some_and(|candidate| candidate.alike > 0)
    };
    assert_eq!([0, 1, 200].map(has), [false, true, true]);
}

#[test]
fn what_the_asking_session_alone_viewed_is_not_most_viewed() {
    let history = sessions_with("shared", 2);
    let others = OtherSessions::than(&history, key(0));
    let most = most_viewed(&others, 9, |_| true);
    let most: Vec<_> = most.into_iter().map(|(clicks, item)| (clicks, history.id(item))).collect();
    assert_eq!(most, [(1, "own-1"), (1, "shared")]);
}

#[test]
fn a_trend_compares_seven_days_with_the_twenty_eight_before() {
    let mut views = ClickHistory::default();
    let mut number = 0;
    let mut view = |id: &str, start: i64, times: usize| {
        for _ in 0..times {
            number += 1;
            views.add(SessionKey { start, id: number }, id);
        }
    };
    // Today is day 40: new is from the begin of day 34 on, and before is from that of day 6 on.
    view("new", 34 * DAY, 1);
    view("late", 34 * DAY - 1, 1);
    for (id, start) in [("steady", 6 * DAY), ("fresh", 6 * DAY - 1)] {
        view(id, start, 8);
        view(id, 40 * DAY, 2);
    }
    let scored = trending(&OtherSessions::including_all(&views), 40, 9, |_| true);
    let ids: Vec<_> = scored.into_iter().map(|(_, item)| views.id(item)).collect();
    assert_eq!(ids, ["fresh", "new"]);
}

#[test]
fn so_many_searches_of_a_beginning_are_looked_through() {
    let mut searches = SearchHistory::default();
    for number in 0..=1_000_u128 {
        searches.add(number, &format!("a{number:04}"));
    }
    let found: Vec<_> = searches.beginning_with("a", |_| Some([1; 16])).collect();
    assert_eq!((found.len(), found.last().copied()), (1_000, Some((1, "a0999"))));
    // And so many sessions of each: two hundred of one person leave none for others.
    let mut searches = SearchHistory::default();
    (0..201).for_each(|session| searches.add(session, "lamp"));
    let owner = |session: &u128| Some([if *session < 199 { 1 } else { *session as u8 }; 16]);
    let found: Vec<_> = searches.beginning_with("lamp", owner).collect();
    assert_eq!(found, [(2, "lamp")]);
}

#[test]
fn a_row_is_made_once_of_an_item_with_more_than_a_few_clicks_all_of_others() {
    let history = sessions_with("shared", 9);
    let shared = history.item("shared").expect("an item");
    let made = Cell::new(0);
    let row_of = |others: &OtherSessions<'_>, few: usize| {
        let make = || {
            made.set(made.get() + 1);
            vec![NeighbourSums::default()].into_boxed_slice()
        };
        others.row(shared, few, |rows| &rows.newest, make).map(<[NeighbourSums]>::len)
    };
    let all = OtherSessions::including_all(&history);
    assert_eq!([9, 8, 8].map(|few| row_of(&all, few)), [None, Some(1), Some(1)]);
    assert_eq!(made.get(), 1);
    assert_eq!(row_of(&OtherSessions::than(&history, key(0)), 8), None, "the asking session has it too");
}

#[test]
fn a_row_that_is_dropped_leaves_its_room_to_others() {
    let mut cache = NeighbourCache::default();
    cache.reserve_items(2);
    let row = |bytes: usize| vec![NeighbourSums::default(); bytes / size_of::<NeighbourSums>()].into();
    let make = |cache: &NeighbourCache, item: u32, bytes: usize| {
        cache.get_or_make(item, 0, |rows| &rows.newest, || row(bytes)).is_some()
    };
    assert!(make(&cache, 0, 1 << 17));
    assert!(!make(&cache, 1, 100), "there is no room");
    assert!(make(&cache, 0, 100), "it is there already");
    cache.drop_of(0);
    assert!(make(&cache, 1, 100));
}

#[test]
fn a_session_has_the_basket_that_was_told_last_and_is_known_by_a_page_alone() {
    let mut model = Model::default();
    act(&mut model, 1, 7, PersonAction::ViewedAlone("a".to_owned()));
    assert_eq!((model.session(7), model.session(8)), (Some(key(7)), None));
    let told = [
        PersonAction::Basket(texts(&["server"])),
        PersonAction::BasketAlone(texts(&["page"])),
        PersonAction::BasketAlone(Vec::new()),
        PersonAction::Basket(texts(&["server again"])),
    ];
    let baskets = told.map(|told| {
        act(&mut model, 1, 7, told);
        model.basket_of(key(7)).join(" ")
    });
    assert_eq!(baskets, ["server", "page", "", "server again"]);
    // That a page emptied it is a difference, and goes with the session.
    let before = model.canonical();
    act(&mut model, 1, 7, PersonAction::BasketAlone(Vec::new()));
    assert!(model.canonical() != before);
    model.forget(&[1; 16]);
    assert!(model.canonical() == Model::default().canonical());
}
