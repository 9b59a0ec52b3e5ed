//! Properties of answers for random sessions: of the wanted size, of known items, in one order.

use proptest::prelude::*;

use super::bought_together_focus::BoughtTogetherFocus;
use super::co_purchase::{Goods, also_bought, bought_again, bought_together};
use super::co_view::{also_viewed, most_viewed};
use super::history::{ClickHistory, SessionKey};
use super::leave_one_out::OtherSessions;
use super::model::{Interaction, Model, PersonAction};
use super::session::SessionRecommender;
use super::trending::trending;

/// Sizes that are asked for: none, few, and more than any shop has.
const SIZES: [usize; 4] = [0, 1, 7, usize::MAX];
/// Day on which the sessions count, and on which they are new.
const TODAY: i64 = 40;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// An answer by catalogue ids.
type Answer = Vec<(i64, String)>;

/// An id: one of few that are easily taken for each other, or one of many plain ones.
fn any_id() -> impl Strategy<Value = String> {
    let odd = ["", " ", "a", "A", "a\0", "\0", "é", "e\u{301}", "7", "07", "\u{202e}a", "\u{10ffff}", "\n"];
    prop_oneof![
        3 => prop::sample::select(odd.map(str::to_owned).to_vec()),
        6 => (0_u32..25).prop_map(|number| format!("p{number}")),
        1 => "\\PC{0,20}",
        1 => (500_usize..2_000).prop_map(|bytes| "x".repeat(bytes)),
    ]
}

/// A session: of one click, of one item again and again, of very many items, or of any clicks.
fn any_session() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![
        2 => any_id().prop_map(|id| vec![id]),
        2 => (any_id(), 2_usize..700).prop_map(|(id, count)| vec![id; count]),
        1 => (0_usize..40, 65_usize..1_200)
            .prop_map(|(first, count)| (first..first + count).map(|number| format!("p{number}")).collect()),
        4 => prop::collection::vec(any_id(), 2..30),
        1 => (any_id(), any_id(), 2_usize..90)
            .prop_map(|(one, other, count)| [one, other].into_iter().cycle().take(count).collect()),
    ]
}

/// Two sessions begin in every minute, in the days that are compared, and some before 1970.
fn key(number: usize) -> SessionKey {
    let start = if number % 5 == 4 { -7 } else { TODAY * DAY - (number / 2 * 60_000) as i64 };
    SessionKey { start, id: (number as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15) }
}

fn history_of<'s>(sessions: impl Iterator<Item = (usize, &'s Vec<String>)>) -> ClickHistory {
    let mut history = ClickHistory::default();
    for (number, session) in sessions {
        session.iter().for_each(|id| history.add(key(number), id));
    }
    history
}

/// The same sessions, of which each click arrives with those of the others, the last session first.
fn mix_sessions(sessions: &[Vec<String>]) -> ClickHistory {
    let mut history = ClickHistory::default();
    let longest = sessions.iter().map(Vec::len).max().unwrap_or_default();
    for click in 0..longest {
        for (number, session) in sessions.iter().enumerate().rev() {
            session.get(click).into_iter().for_each(|id| history.add(key(number), id));
        }
    }
    history
}

/// Answers of all recommenders that read views.
fn view_answers(others: &OtherSessions<'_>, clicks: &[String], size: usize) -> [Answer; 4] {
    let history = others.history();
    let mut recommender = SessionRecommender::default();
    // A recommender remembers nothing of the request before.
    recommender.recommend(others, &clicks[..clicks.len() / 2], size, |_| true);
    let best = recommender.recommend(others, clicks, size, |_| true);
    best.iter().for_each(|(_, item)| _ = recommender.explain(others, *item, clicks));
    let newest = clicks.last().map(String::as_str).unwrap_or_default();
    let all = [
        best,
        also_viewed(others, newest, size, |_| true),
        most_viewed(others, size, |_| true),
        trending(others, TODAY, size, |_| true),
    ];
    all.map(|scored| scored.into_iter().map(|(score, item)| (score, history.id(item).to_owned())).collect())
}

/// Answers of all recommenders that read orders and baskets.
fn purchase_answers(model: &Model, ids: &[String], size: usize) -> [Answer; 5] {
    let among = [(model.orders(), 2), (model.baskets(), 1)]
        .map(|(history, counts)| (OtherSessions::including_all(history), counts));
    let with_ids = |goods: Vec<Goods<'_>>| -> Answer {
        goods.into_iter().map(|(score, id)| (score, id.to_owned())).collect()
    };
    let [likely, balanced, specific] =
        BoughtTogetherFocus::ALL.map(|focus| with_ids(bought_together(&among, ids, focus, size)));
    [
        likely,
        balanced,
        specific,
        with_ids(also_bought(model, Some(&[1; 16]), ids, size)),
        with_ids(bought_again(model, &[1; 16], size)),
    ]
}

fn check_answer(answer: &Answer, whole: &Answer, size: usize, is_known: impl Fn(&str) -> bool) {
    assert!(answer.len() <= size, "{} of {size}", answer.len());
    assert_eq!(answer[..], whole[..size.min(whole.len())], "a shorter answer is the begin of a longer one");
    for (score, id) in answer {
        assert!(is_known(id), "{id:?}");
        assert!(score.unsigned_abs() < 1 << 56, "{score} of {id:?} fits with room for the next sum");
    }
    let is_ordered = |pair: &[(i64, String)]| {
        let [one, other] = pair else { return false };
        one.0 > other.0 || one.0 == other.0 && one.1.as_bytes() < other.1.as_bytes()
    };
    // By score, then by id: none stands there twice with one score.
    assert!(answer.windows(2).all(is_ordered), "{answer:?}");
    let mut ids: Vec<_> = answer.iter().map(|(_, id)| id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), answer.len(), "each once");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn answers_from_views_are_bounded_and_the_same_however_the_sessions_came(
        sessions in prop::collection::vec(any_session(), 0..14),
        asking in any_session(),
        own in 0_usize..14,
    ) {
        let history = history_of(sessions.iter().enumerate());
        let backwards = history_of(sessions.iter().enumerate().rev());
        let mixed = mix_sessions(&sessions);
        for keys in [&[][..], &[key(own)], &[key(own), key(own + 1), key(own)]] {
            let others = OtherSessions::than_all(&history, keys);
            let whole = view_answers(&others, &asking, usize::MAX);
            for other in [&backwards, &mixed] {
                let same = view_answers(&OtherSessions::than_all(other, keys), &asking, usize::MAX);
                prop_assert_eq!(&same, &whole);
            }
            for size in SIZES {
                for (answer, whole) in view_answers(&others, &asking, size).iter().zip(&whole) {
                    check_answer(answer, whole, size, |id| others.item(id).is_some());
                }
            }
        }
    }

    #[test]
    fn answers_from_purchases_are_bounded_and_the_same_however_the_orders_came(
        sessions in prop::collection::vec((any_session(), 0_u8..4, any::<bool>()), 0..14),
        asking in any_session(),
    ) {
        let model_of = |numbers: &mut dyn Iterator<Item = usize>| {
            let mut model = Model::default();
            for number in numbers {
                let (items, person, is_order) = sessions[number].clone();
                let act = if is_order { PersonAction::Ordered(items) } else { PersonAction::Basket(items) };
                model.add(&Interaction { person: [person; 16], session: key(number), ends: 99, act });
            }
            model
        };
        let model = model_of(&mut (0..sessions.len()));
        let backwards = model_of(&mut (0..sessions.len()).rev());
        let whole = purchase_answers(&model, &asking, usize::MAX);
        prop_assert_eq!(&purchase_answers(&backwards, &asking, usize::MAX), &whole);
        let is_known = |id: &str| model.orders().item(id).is_some() || model.baskets().item(id).is_some();
        for size in SIZES {
            for (answer, whole) in purchase_answers(&model, &asking, size).iter().zip(&whole) {
                check_answer(answer, whole, size, is_known);
            }
        }
    }
}
