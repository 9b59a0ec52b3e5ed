//! A model forgets without a trace; its answers about baskets and orders.

use super::bought_together_focus::BoughtTogetherFocus;
use super::co_purchase::bought_together;
use super::history::{ClickHistory, SessionKey};
use super::leave_one_out::OtherSessions;
use super::model::{Interaction, Model, PersonAction};
use super::model_diff::compare_models;
use super::tests::{item_of, key, scattered};
use super::trending::trending;

/// Sessions of six people, each ending on a day of its own.
fn model_of(people: impl Iterator<Item = u8>) -> Model {
    filled(Model::default(), people)
}

fn filled(mut model: Model, people: impl Iterator<Item = u8>) -> Model {
    model.begin_day(1);
    for person in people {
        for number in 0..20 {
            let session = u64::from(person) * 100 + number;
            let mut add = |session: SessionKey, act: PersonAction| {
                let ends = 2 + i64::from(person);
                model.add(&Interaction { person: [person; 16], session, ends, act });
            };
            for click in 0..2 + number % 4 {
                add(key(session), PersonAction::Viewed(item_of(session, click)));
            }
            // A basket changes; its last state counts.
            let goods = |from: u64| (from..from + 3).map(|click| item_of(session, click)).collect();
            add(key(session), PersonAction::Basket(goods(0)));
            add(key(session), PersonAction::Basket(if number % 5 == 0 { Vec::new() } else { goods(1) }));
            add(key(session + 10_000), PersonAction::Ordered(goods(1)));
        }
    }
    model
}

#[test]
fn sessions_go_at_midnight_as_if_they_had_never_been() {
    let mut model = model_of(0..6);
    for day in 2..8 {
        model.begin_day(day);
        let mut never = model_of((day as u8 - 1)..6);
        never.begin_day(day);
        let found = compare_models(&model, &never, usize::MAX);
        assert!(found.is_same() && found.asked > 0, "{day}: {found:?}");
        assert_eq!(model.people(), 7 - day as usize);
    }
    model.begin_day(3);
    assert_eq!(model.day(), 7, "no day comes again");
    let late = Interaction {
        person: [9; 16],
        session: key(1),
        ends: 7,
        act: PersonAction::Viewed("late".to_owned()),
    };
    model.add(&late);
    assert!(!model.knows(&[9; 16]) && model.views().item("late").is_none());
}

#[test]
fn who_is_forgotten_has_never_been_and_a_difference_is_seen() {
    let mut model = model_of(0..6);
    assert_eq!(model.forget(&[9; 16]), 0);
    assert_eq!(
        compare_models(&model, &model_of(0..6), 10).asked,
        10,
        "nine of 36 items, and what many look at"
    );
    assert!(model.forget(&[3; 16]) > 40);
    assert!(!compare_models(&model, &model_of(0..6), usize::MAX).is_same());
    let found = compare_models(&model, &model_of((0..6).filter(|person| *person != 3)), usize::MAX);
    assert!(found.is_same() && found.asked > 30, "{found:?}");
}

#[test]
fn a_basket_is_what_was_said_of_it_last_and_goes_with_its_session() {
    let session = key(1);
    let basket = |items: &[&str]| PersonAction::Basket(items.iter().map(|id| (*id).to_owned()).collect());
    let mut model = Model::default();
    let mut never = Model::default();
    let add = |model: &mut Model, act: PersonAction| {
        model.add(&Interaction { person: [1; 16], session, ends: 9, act })
    };
    add(&mut model, basket(&["a", "b"]));
    add(&mut model, basket(&["b", "c"]));
    add(&mut never, basket(&["b", "c"]));
    assert!(compare_models(&model, &never, usize::MAX).is_same());
    assert!(model.baskets().item("a").is_none());
    let order = SessionKey { start: 5, id: 99 };
    let ordered = PersonAction::Ordered(vec!["o".to_owned()]);
    model.add(&Interaction { person: [1; 16], session: order, ends: 9, act: ordered });
    assert_eq!(model.sessions_of(&[1; 16]), [session, order]);
    assert_eq!(model.owner(99), Some(&[1; 16]));
    // One order goes and the person stays.
    model.leave_out(99);
    assert!(compare_models(&model, &never, usize::MAX).is_same());
    assert_eq!(model.forget(&[1; 16]), 2);
    assert!(compare_models(&model, &Model::default(), usize::MAX).is_same());
}

#[test]
fn what_stands_together_often_counts_more_than_what_stands_everywhere() {
    let mut orders = ClickHistory::default();
    let mut order = |number: u64, items: &[&str]| items.iter().for_each(|id| orders.add(key(number), id));
    for number in 0..20 {
        order(number, if number < 6 { &["phone", "case", "bag"] } else { &["bag", "shoe"] });
    }
    order(20, &["phone", "once"]);
    let among = [(OtherSessions::including_all(&orders), 2)];
    let ids = |ids: &[&str]| -> Vec<&str> {
        bought_together(&among, ids, BoughtTogetherFocus::Likely, 9).into_iter().map(|(_, id)| id).collect()
    };
    assert_eq!(ids(&["phone"]), ["case", "bag", "once"]);
    assert_eq!(ids(&["phone", "case"]), ["bag", "once"]);
    assert!(ids(&["unknown"]).is_empty());
    // The caller's own session is left out of the items that go with their basket.
    let asking = [(OtherSessions::than(&orders, key(20)), 2)];
    assert_eq!(bought_together(&asking, &["phone"], BoughtTogetherFocus::Likely, 9).len(), 2);
}

#[test]
fn what_trends_is_looked_at_more_than_it_was() {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let mut views = ClickHistory::default();
    let mut number = 0;
    let mut view = |id: &str, day: i64, times: u64| {
        for _ in 0..times {
            number += 1;
            views.add(SessionKey { start: day * DAY + 5, id: u128::from(scattered(number)) }, id);
        }
    };
    (0..36).for_each(|day| view("always", day, 10));
    (29..36).for_each(|day| view("new", day, 5));
    (1..29).for_each(|day| view("gone", day, 20));
    (1..36).for_each(|day| view("grows", day, if day < 29 { 2 } else { 6 }));
    let others = OtherSessions::including_all(&views);
    let ids = |day: i64| -> Vec<&str> {
        let scored = trending(&others, day, 9, |_| true);
        scored.into_iter().map(|(_, item)| views.id(item)).collect()
    };
    assert_eq!(ids(35), ["new", "grows"], "what stays as it was does not trend");
    assert!(ids(80).is_empty(), "whole days go");
}

#[test]
fn who_is_forgotten_stands_nowhere_in_memory() {
    let mut model = model_of(0..6);
    let person = format!("{:?}", [3_u8; 16]);
    assert!(format!("{model:?}").contains(&person));
    model.forget(&[3; 16]);
    assert!(!format!("{model:?}").contains(&person));
}

#[test]
fn what_is_kept_of_people_counts_as_memory() {
    let model = model_of(0..6);
    let histories: usize = model.histories().iter().map(|history| history.bytes()).sum();
    let of_people = model.people() * 64;
    assert!(model.bytes() - histories - of_people > model.views().sessions() * size_of::<SessionKey>());
}

#[test]
fn a_model_of_too_many_clicks_is_one_of_the_last_days() {
    const OF_PERSON: usize = 178;
    for days in 0..6_u8 {
        // In any order of arrival, and whatever came before midnight.
        let most = OF_PERSON * usize::from(days) + 30;
        let newest = model_of(6 - days..6);
        let orders: [Vec<u8>; 3] = [(0..6).collect(), (0..6).rev().collect(), vec![3, 0, 5, 1, 4, 2]];
        for order in orders {
            let cut = filled(Model::of_most(most), order.clone().into_iter());
            assert!(cut.is_cut());
            let found = compare_models(&cut, &newest, usize::MAX);
            assert!(found.is_same(), "{days} of {order:?}: {found:?}");
            let mut live = cut;
            live.begin_day(4);
            let mut anew = Model::of_most(most);
            anew.begin_day(4);
            let anew = filled(anew, order.into_iter());
            assert!(compare_models(&live, &anew, usize::MAX).is_same() && live.is_cut() == anew.is_cut());
        }
    }
    assert!(!model_of(0..6).is_cut());
}

#[test]
fn a_search_is_told_when_enough_people_made_it() {
    let searched = |model: &mut Model, person: u8, session: u64, query: &str| {
        let act = PersonAction::Searched(query.to_owned());
        model.add(&Interaction { person: [person; 16], session: key(session), ends: 9, act });
    };
    let mut model = Model::default();
    model.begin_day(1);
    for person in 0..3 {
        // Twice in a session, and in another one: it is one person.
        for session in [0, 0, 100] {
            searched(&mut model, person, session + u64::from(person), "red lamp");
        }
        searched(&mut model, person, u64::from(person), "red shoe");
    }
    searched(&mut model, 7, 7, "red shoe");
    searched(&mut model, 7, 7, "rug");
    assert_eq!(model.popular_searches("red", 3), [(4, "red shoe"), (3, "red lamp")]);
    assert_eq!(model.popular_searches("r", 1).len(), 3);
    assert!(model.popular_searches("blue", 1).is_empty() && model.popular_searches("red", 5).is_empty());
    assert_eq!(model.forget(&[7; 16]), 2);
    assert_eq!(model.popular_searches("r", 1), [(3, "red lamp"), (3, "red shoe")]);
    let mut never = Model::default();
    never.begin_day(1);
    (0..2).for_each(|person| searched(&mut never, person, u64::from(person), "red shoe"));
    let bytes = model.bytes();
    model.forget(&[2; 16]);
    assert!(model.bytes() < bytes && model.canonical() != never.canonical());
    model.begin_day(9);
    assert!(model.popular_searches("", 1).is_empty() && model.canonical() == Model::default().canonical());
}

#[test]
fn searches_count_by_the_room_that_they_take() {
    let mut model = Model::of_most(20);
    model.begin_day(1);
    for person in 0..9_u8 {
        let act = PersonAction::Searched(format!("{person} {}", "x".repeat(150)));
        model.add(&Interaction {
            person: [person; 16],
            session: key(person.into()),
            ends: 2 + i64::from(person),
            act,
        });
    }
    assert!(model.is_cut() && (1..4).contains(&model.people()), "{}", model.people());
    assert!(model.popular_searches("8", 1).len() == 1 && model.popular_searches("0", 1).is_empty());
}

#[test]
fn views_of_a_session_are_in_the_order_in_which_they_were_told() {
    let mut model = Model::default();
    // `s` is sent by the server, `p` by a page.
    let all = ["s", "p", "sp", "ps", "psspp", "spsps", "ppss", "ssppssp"];
    let add = |model: &mut Model, number: usize, at: usize, by: u8| {
        let item = at.to_string();
        let act = if by == b'p' { PersonAction::ViewedAlone(item) } else { PersonAction::Viewed(item) };
        model.add(&Interaction { person: [number as u8; 16], session: key(number as u64), ends: 9, act });
    };
    // Sessions at once: each has its own order.
    for at in 0..7 {
        for (number, told) in all.iter().enumerate() {
            if let Some(by) = told.as_bytes().get(at) {
                add(&mut model, number, at, *by);
            }
        }
    }
    for (number, told) in all.iter().enumerate() {
        let views = model.views_of(key(number as u64));
        let places: Vec<_> = views.iter().map(|view| view.parse::<usize>().expect("a place")).collect();
        assert_eq!(places, (0..told.len()).collect::<Vec<_>>(), "{told}");
    }
    // The order alone is a difference, and goes with its session.
    let one_of = |told: &str| {
        let mut model = Model::default();
        told.bytes().for_each(|by| add(&mut model, 0, usize::from(by == b'p'), by));
        model
    };
    assert_ne!(one_of("sp").canonical(), one_of("ps").canonical());
    for (number, told) in all.iter().enumerate() {
        assert_eq!(model.forget(&[number as u8; 16]), told.len());
    }
    assert!(compare_models(&model, &Model::default(), usize::MAX).is_same());
}

/// Adds the sessions of a day: three clicks that influence others, and six that count for their person alone.
fn told_by_pages(model: &mut Model, day: u8, has_alone: bool) {
    let view = |number: u64| item_of(u64::from(day), number);
    let deeds = [
        (0, PersonAction::Viewed(view(0))),
        (1, PersonAction::ViewedAlone(view(1))),
        (0, PersonAction::Viewed(view(2))),
        (1, PersonAction::BasketAlone(vec![view(3), view(4)])),
        (1, PersonAction::ViewedAlone(view(5))),
        (2, PersonAction::ViewedAlone(view(6))),
        (2, PersonAction::Viewed(view(7))),
        (2, PersonAction::ViewedAlone(view(8))),
        // Without a click, and known all the same.
        (3, PersonAction::BasketAlone(Vec::new())),
        (3, PersonAction::Basket(Vec::new())),
    ];
    for (number, act) in deeds {
        if has_alone || matches!(act, PersonAction::Viewed(_) | PersonAction::Basket(_)) {
            let session = key(u64::from(day) * 10 + number);
            let person = if number < 2 { [day; 16] } else { [100 + day; 16] };
            model.add(&Interaction { person, session, ends: 2 + i64::from(day), act });
        }
    }
}

#[test]
fn what_counts_for_its_person_alone_cuts_nothing_else() {
    // Half of 40: three days of six.
    let mut expected = Model::default();
    (0..10).for_each(|day| told_by_pages(&mut expected, day, day >= 7));
    let orders: [Vec<u8>; 3] =
        [(0..10).collect(), (0..10).rev().collect(), vec![3, 9, 0, 5, 8, 1, 4, 2, 7, 6]];
    for order in orders {
        let mut cut = Model::of_most(40);
        order.iter().for_each(|day| told_by_pages(&mut cut, *day, true));
        assert!(cut.is_cut());
        let found = compare_models(&cut, &expected, usize::MAX);
        assert!(found.is_same(), "{order:?}: {found:?}");
    }
    // Others have the whole limit for themselves.
    let mut few = Model::of_most(11);
    let mut last = Model::default();
    (0..10).for_each(|day| told_by_pages(&mut few, day, true));
    (7..10).for_each(|day| told_by_pages(&mut last, day, false));
    assert_eq!(few.views().canonical(), last.views().canonical());
}
