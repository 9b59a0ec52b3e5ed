//! Files of sessions, and figures that do not depend on the run.

use std::num::NonZero;

use lethe::recommend::history::{ClickHistory, SessionKey};

use super::vmis::VmisKnn;
use super::{
    Case, Measured, RecommenderEvalFault, history_of, measure, read_cases, read_sessions, split_test_cases,
};

const ITEMS: u64 = 40;

/// A number that only looks random: the same in every run.
fn scattered(number: u64) -> u64 {
    number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33
}

fn item_of(session: u64, click: u64) -> String {
    format!("i{}", (scattered(session * 31 + click) % ITEMS).min(scattered(session + 7 * click) % ITEMS))
}

#[test]
fn the_reference_answers_as_if_a_removed_session_had_never_been() {
    let key = |session: u64| SessionKey { start: session as i64, id: u128::from(scattered(session)) };
    let add = |history: &mut ClickHistory, session: u64| {
        (0..2 + session % 5).for_each(|click| history.add(key(session), &item_of(session, click)));
    };
    let mut history = ClickHistory::default();
    (0..600).for_each(|session| add(&mut history, session));
    let mut never = ClickHistory::default();
    for session in 0..600 {
        if scattered(session).is_multiple_of(3) {
            history.remove(key(session));
        } else {
            add(&mut never, session);
        }
    }
    let answer = |history: &ClickHistory, ids: [String; 2]| -> Vec<String> {
        let clicks: Vec<_> = ids.iter().filter_map(|id| history.item(id)).collect();
        let items = VmisKnn::new(history).recommend(&clicks, 20).into_iter();
        items.map(|item| history.id(item).to_owned()).collect()
    };
    for number in 0..ITEMS {
        let ids = [format!("i{}", (number + 3) % ITEMS), format!("i{number}")];
        assert_eq!(answer(&history, ids.clone()), answer(&never, ids), "{number}");
    }
}

#[test]
fn files_of_sessions_and_cases_are_read_line_by_line() {
    let mut sessions = read_sessions("1 2\n\n3  4 5\n6 7\r\n8 9\n");
    assert_eq!(sessions.len(), 4);
    let cases = read_cases("1 2\t3\n\n4\t5\r\n").expect("cases");
    let case = |clicks: &[&str], next: &str| Case {
        clicks: clicks.iter().map(|id| (*id).to_owned()).collect(),
        next: next.to_owned(),
    };
    assert_eq!(cases, [case(&["1", "2"], "3"), case(&["4"], "5")]);
    for wrong in ["1 2", "\t3", "1\t", "1\t2 3"] {
        assert!(
            matches!(read_cases(&format!("1\t2\n{wrong}")), Err(RecommenderEvalFault::Case(2))),
            "{wrong}"
        );
    }
    assert_eq!(split_test_cases(&mut sessions, 50), [case(&["6"], "7"), case(&["8"], "9")]);
    assert_eq!(sessions.len(), 2);
}

#[test]
fn figures_are_the_same_for_any_number_of_threads() {
    let session = |number: u64| (0..2 + number % 4).map(|click| item_of(number, click)).collect::<Vec<_>>();
    let mut sessions: Vec<_> = (0..2_000).map(session).collect();
    let mut cases = split_test_cases(&mut sessions, 20);
    cases.push(Case { clicks: vec!["nothing".to_owned()], next: "i0".to_owned() });
    let history = history_of(&sessions);
    for measured in Measured::ALL {
        let with = |threads| measure(&history, measured, &cases, NonZero::new(threads).expect("some"));
        let one = with(1);
        assert_eq!(one, with(3), "{measured:?}");
        assert_eq!(one.repeats_allowed.cases, cases.len());
        assert!(one.repeats_allowed.hit_rate() > one.repeats_allowed.mrr());
        assert!(one.last_excluded.coverage() > 20.0, "{measured:?}");
    }
}
