//! Bytes of models, those that are compared and those that are counted, and the limits of clicks, exactly.

use super::history::{ClickHistory, SessionKey};
use super::leave_one_out::OtherSessions;
use super::model::{Interaction, Model, Person, PersonAction};
use super::model_diff::compare_models;
use super::own_events::OwnEvents;
use super::searches::SearchHistory;

/// People of the model below: each has a session and an order.
const PEOPLE: u8 = 6;

/// Session of a person. Ids are in another order than starts.
fn visit_of(person: u8) -> SessionKey {
    SessionKey { start: person.into(), id: 100 - u128::from(person) }
}

fn order_of(person: u8) -> SessionKey {
    SessionKey { start: 10 + i64::from(person), id: 200 - u128::from(person) }
}

fn act(model: &mut Model, person: u8, session: SessionKey, ends: i64, act: PersonAction) {
    model.add(&Interaction { person: [person; 16], session, ends, act });
}

/// Adds all that people did; the order first, which is later than the session.
fn fill(model: &mut Model, people: impl Iterator<Item = u8>) {
    for person in people {
        let ends = 50 + i64::from(person);
        act(model, person, order_of(person), ends, PersonAction::Ordered(vec![format!("o{person}")]));
        let acts = [
            PersonAction::Viewed(format!("v{person}")),
            PersonAction::ViewedAlone(format!("p{person}")),
            PersonAction::Basket(vec![format!("b{person}")]),
            PersonAction::BasketAlone(Vec::new()),
            PersonAction::Searched(format!("q{person}")),
        ];
        acts.into_iter().for_each(|told| act(model, person, visit_of(person), ends, told));
    }
}

/// Bytes of a text: its length, and itself.
fn text(text: &str) -> Vec<u8> {
    [(text.len() as u64).to_be_bytes().as_slice(), text.as_bytes()].concat()
}

/// Bytes of a session's key.
fn key(session: SessionKey) -> Vec<u8> {
    [session.start.to_be_bytes().as_slice(), &session.id.to_be_bytes()].concat()
}

/// Bytes of repeats: nobody clicked twice.
const NO_REPEATS: [u8; 144] = [0; 144];

/// Bytes of a history in which each of the people has one item, after their length.
fn history(kind: &str, session_of: fn(u8) -> SessionKey) -> Vec<u8> {
    let session = |person: u8| {
        let one = 1_u64.to_be_bytes().to_vec();
        [key(session_of(person)), one, text(&format!("{kind}{person}"))].concat()
    };
    let sessions: Vec<u8> = (1..=PEOPLE).flat_map(session).chain(NO_REPEATS).collect();
    [(sessions.len() as u64).to_be_bytes().to_vec(), sessions].concat()
}

#[test]
fn a_model_is_written_in_the_order_of_keys_ids_and_people() {
    let mut model = Model::default();
    fill(&mut model, [3, 1, 6, 2, 5, 4].into_iter());
    let mut expected =
        [history("v", visit_of), history("b", visit_of), history("o", order_of), history("p", visit_of)]
            .concat();
    // No basket counts for its person alone, and six were emptied. One view came before each of the pages.
    expected.extend([144_u64.to_be_bytes().as_slice(), &NO_REPEATS].concat());
    let ids = || (1..=PEOPLE).rev().map(|person| visit_of(person).id.to_be_bytes());
    for id in ids() {
        expected.extend([id.as_slice(), &1_u64.to_be_bytes(), &1_u32.to_be_bytes()].concat());
    }
    expected.extend(6_u64.to_be_bytes());
    ids().for_each(|id| expected.extend(id));
    for person in 1..=PEOPLE {
        expected.extend([text(&format!("q{person}")), 1_u64.to_be_bytes().to_vec()].concat());
        expected.extend(visit_of(person).id.to_be_bytes());
    }
    for person in 1..=PEOPLE {
        expected.extend([person; 16]);
        expected.extend(2_u64.to_be_bytes());
        for session in [visit_of(person), order_of(person)] {
            expected.extend([key(session), (50 + i64::from(person)).to_be_bytes().to_vec()].concat());
        }
    }
    // No view has a variant, of either kind.
    expected.extend([0; 16]);
    assert_eq!(model.canonical(), expected);
}

#[test]
fn a_model_counts_its_memory_and_gives_the_room_of_who_left_to_others() {
    let mut model = Model::default();
    fill(&mut model, 1..=PEOPLE);
    // Four histories with six clicks, sessions and items.
    let histories = 4 * 6 * (34 + 112 + 192);
    // The views before those of pages, their sessions, and the emptied baskets.
    let alone = 6 * 6 + 6 * 80 + 6 * 32;
    let searches = 6 * 430 + 2 * 12;
    let whole = 6 * 64 + histories + alone + searches + 12 * 170;
    assert_eq!(model.bytes(), whole);
    let clicks: Vec<_> = (1..=PEOPLE).map(|person| model.forget(&[person; 16])).collect();
    assert_eq!(clicks, [6; 6], "two views, a basket, an order, an emptied basket and a search");
    assert_eq!(model.bytes(), 4 * 6 * (112 + 192));
    let debug = format!("{model:?}");
    for nothing in ["people: {}", "owners: {}", "ending: {}", "before: {}", "emptied: {}", "only: {}"] {
        assert!(debug.contains(nothing), "{nothing} in {debug}");
    }
    assert!(!debug.contains("SessionKey") && !debug.contains("\"v1\""), "{debug}");
    fill(&mut model, 11..=10 + PEOPLE);
    assert_eq!(model.bytes(), whole + 2 * 6, "the same room; their searches are a letter longer");
}

#[test]
fn events_that_count_for_their_person_alone_take_their_memory_along() {
    let mut own = OwnEvents::default();
    let session = SessionKey { start: 1, id: 1 };
    assert_eq!(own.bytes(), 0);
    own.note_new(1);
    assert_eq!((own.bytes(), own.is_only_here(1), own.is_only_here(2)), (32, true, false));
    own.set_basket(session, &[]);
    own.add_view(session, "a", 0);
    assert_eq!((own.bytes(), own.clicks()), (2 * 32, 2));
    own.add_view(session, "b", 3);
    assert_eq!((own.bytes(), own.clicks()), (2 * 32 + 80 + 2 * 6, 3));
    own.set_basket(session, &["c".to_owned(), "d".to_owned()]);
    assert_eq!((own.is_emptied(session), own.clicks()), (false, 4));
    assert_eq!(own.remove(session), 4);
    assert_eq!((own.bytes(), own.clicks(), own.is_only_here(1)), (0, 0, false));
}

#[test]
fn searches_are_written_and_counted_once_a_session() {
    let mut searches = SearchHistory::default();
    for (session, query) in [(7, "lamp"), (7, "lamp"), (9, "lamp"), (7, "ä")] {
        searches.add(session, query);
    }
    assert_eq!((searches.count(), searches.bytes()), (3, 3 * 430 + 2 * (4 + 4 + 2)));
    assert_eq!([7, 7, 8].map(|session| searches.remove(session)), [2, 0, 0]);
    assert_eq!((searches.count(), searches.bytes()), (1, 430 + 2 * 4));
    let id = 9_u128.to_be_bytes();
    assert_eq!(searches.canonical(), [text("lamp").as_slice(), &1_u64.to_be_bytes(), &id].concat());
}

fn view(model: &mut Model, person: u8, told: fn(String) -> PersonAction) {
    act(model, person, visit_of(person), person.into(), told("a".to_owned()));
}

fn list_known_people(model: &Model) -> Vec<u8> {
    (1..=9).filter(|person| model.knows(&[*person; 16])).collect()
}

#[test]
fn a_model_has_as_many_clicks_as_it_may_and_with_one_more_the_first_day_goes() {
    let mut model = Model::of_most(3);
    assert_eq!((model.day(), model.is_cut()), (0, false));
    (1..=3).for_each(|person| view(&mut model, person, PersonAction::Viewed));
    assert_eq!((list_known_people(&model), model.is_cut()), (vec![1, 2, 3], false));
    view(&mut model, 4, PersonAction::Viewed);
    assert_eq!((list_known_people(&model), model.is_cut()), (vec![2, 3, 4], true));
    // There is room again, but not for that day.
    assert_eq!(model.forget(&[4; 16]), 1);
    view(&mut model, 1, PersonAction::Viewed);
    assert_eq!(list_known_people(&model), [2, 3]);
    act(&mut model, 5, visit_of(5), 2, PersonAction::Viewed("a".to_owned()));
    assert_eq!(list_known_people(&model), [2, 3, 5]);
    model.begin_day(1);
    assert_eq!((list_known_people(&model), model.is_cut()), (vec![2, 3, 5], false), "all of today are there");
}

#[test]
fn half_as_many_count_for_their_person_alone_and_a_day_of_them_goes_without_the_others() {
    let mut model = Model::of_most(6);
    view(&mut model, 1, PersonAction::Viewed);
    (1..=3).for_each(|person| view(&mut model, person, PersonAction::ViewedAlone));
    assert_eq!((list_known_people(&model), model.is_cut()), (vec![1, 2, 3], false));
    assert_eq!(model.views_of(visit_of(1)).len(), 2);
    view(&mut model, 4, PersonAction::ViewedAlone);
    assert_eq!((list_known_people(&model), model.is_cut()), (vec![1, 2, 3, 4], true));
    assert_eq!(model.views_of(visit_of(1)).len(), 1, "the view that counts for others too");
    view(&mut model, 5, PersonAction::ViewedAlone);
    assert_eq!(list_known_people(&model), [1, 3, 4, 5], "of the second there was no other");
    // On days that are cut, what counts for others comes all the same.
    model.forget(&[4; 16]);
    view(&mut model, 2, PersonAction::ViewedAlone);
    view(&mut model, 1, PersonAction::Viewed);
    assert_eq!((list_known_people(&model), model.views_of(visit_of(1)).len()), (vec![1, 3, 5], 2));
    model.begin_day(2);
    assert_eq!((list_known_people(&model), model.is_cut()), (vec![3, 5], false));
}

#[test]
fn a_session_that_is_left_out_leaves_the_others_of_its_day_to_midnight() {
    let mut model = Model::default();
    let session = |number: u8| SessionKey { start: number.into(), id: number.into() };
    for (number, ends) in [(1, 5), (2, 5), (3, 9), (4, 7)] {
        act(&mut model, 1, session(number), ends, PersonAction::Viewed("a".to_owned()));
    }
    model.leave_out(1);
    model.leave_out(4);
    model.leave_out(44);
    let left = |model: &Model| model.sessions_of(&[1; 16]);
    assert_eq!(left(&model), [session(2), session(3)]);
    let days: Vec<_> = [5, 6, 9]
        .map(|day| {
            model.begin_day(day);
            left(&model).len()
        })
        .to_vec();
    assert_eq!((days, list_known_people(&model)), (vec![1, 1, 0], Vec::new()));
    act(&mut model, 1, session(5), 12, PersonAction::Viewed("a".to_owned()));
    model.leave_out(5);
    let debug = format!("{model:?}");
    assert!(debug.contains("people: {}") && debug.contains("ending: {}"), "{debug}");
}

#[test]
fn a_session_without_a_basket_has_not_that_of_another() {
    let mut model = Model::default();
    act(&mut model, 1, visit_of(1), 9, PersonAction::Basket(vec!["a".to_owned()]));
    act(&mut model, 2, visit_of(2), 9, PersonAction::BasketAlone(vec!["b".to_owned()]));
    act(&mut model, 3, visit_of(3), 9, PersonAction::Viewed("c".to_owned()));
    let baskets = [1, 2, 3].map(|person| model.basket_of(visit_of(person)).concat());
    assert_eq!(baskets, ["a", "b", ""]);
}

#[test]
fn clicks_of_others_are_all_but_those_of_the_asking_sessions() {
    let mut history = ClickHistory::default();
    let [first, second, third] =
        [11, 22, 33].map(|id: u8| SessionKey { start: i64::from(id / 11), id: id.into() });
    for (session, items) in [(first, "cac"), (second, "ba"), (third, "adc")] {
        items.chars().for_each(|item| history.add(session, &item.to_string()));
    }
    let others = OtherSessions::than_all(&history, &[second, first]);
    let item = |id: &str| history.item(id).expect("an item");
    assert_eq!(["a", "b", "c", "d"].map(|id| others.clicks_of(item(id))), [1, 0, 1, 1]);
    assert_eq!(
        ["a", "b", "c", "d", "e"].map(|id| others.item(id).is_some()),
        [true, false, true, true, false]
    );
    let since = |others: &OtherSessions<'_>, id: &str| {
        [first, second, third].map(|from| others.clicks_since(item(id), from))
    };
    assert_eq!(["a", "b", "c", "d"].map(|id| since(&others, id)), [[1; 3], [0; 3], [1; 3], [1; 3]]);
    let all = OtherSessions::including_all(&history);
    let expected = [[3, 2, 1], [1, 1, 0], [3, 1, 1], [1, 1, 1]];
    assert_eq!(["a", "b", "c", "d"].map(|id| since(&all, id)), expected);
    assert_eq!(all.clicks_since(item("a"), SessionKey { start: 3, id: 34 }), 0);
}

#[test]
fn models_that_answer_alike_are_not_the_same_if_a_byte_differs() {
    let model_until = |ends: i64| {
        let mut model = Model::default();
        act(&mut model, 1, visit_of(1), ends, PersonAction::Viewed("a".to_owned()));
        model
    };
    let found = compare_models(&model_until(8), &model_until(9), 0);
    assert_eq!((found.asked, found.answered_alike, found.has_same_bytes), (2, 2, false));
    assert!(!found.is_same() && compare_models(&model_until(8), &model_until(8), 0).is_same());
    let person: Person = [1; 16];
    assert_eq!(model_until(8).owner(visit_of(1).id), Some(&person));
}
