//! The models of a node: which of them are followed, whole or behind, and what is known of them.

use std::path::Path;

use super::*;
use crate::recommend::history::SessionKey;
use crate::recommend::model::{Interaction, PersonAction};
use crate::store::StoreOptions;

const SHOP: AccountId = AccountId(1);
const TODAY: Day = 20_000;

fn open(folder: &Path) -> Models {
    let store = Store::open(&StoreOptions::Sqlite(folder.join("lethe.db"))).expect("a store");
    let keys = Keys::open(&folder.join("keys")).expect("keys");
    Models::new(&store, &keys, &Clock::set_to(TODAY * 24 * 60 * 60 * 1000))
}

/// Adds a view of a person to a model that has room for one.
fn add(entry: &ModelEntry, person: u8, ends: Day) {
    let session = SessionKey { start: ends, id: person.into() };
    let act = PersonAction::Viewed("a".to_owned());
    entry.state_mut().model.add(&Interaction { person: [person; 16], session, ends, act });
}

#[tokio::test]
async fn a_model_is_followed_while_it_is_whole_or_being_made() {
    let entry = ModelEntry::default();
    assert!(!entry.is_followed());
    let turn = entry.turn.lock().await;
    assert!(entry.is_followed());
    drop(turn);
    entry.whole_day.store(1, Ordering::SeqCst);
    assert!(entry.is_followed());
    assert_eq!([0, 1, 2].map(|day| entry.is_of(day)), [true, true, false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_asked_for_is_that_of_today() {
    let folder = tempfile::tempdir().expect("a folder");
    let models = open(folder.path());
    assert_eq!(models.count(SHOP, &[[1; 16]]).await, 0);
    let shown = models.get_or_build(SHOP).await.expect("a model");
    let entry = models.find_entry(SHOP).expect("it is there");
    assert_eq!((entry.whole_day.load(Ordering::SeqCst), entry.state().upto), (TODAY, 0));
    for _ in 0..2 {
        assert_eq!(shown.with_model(|model, _| (model.day(), model.people())), (TODAY, 0));
        assert_eq!(models.0.recommenders.lock().expect("nobody panicked").len(), 1, "it is used again");
    }
    assert!(models.get_or_build(SHOP).await.is_ok() && models.shown_if_made(SHOP).is_some());
    add(&entry, 1, TODAY + 9);
    assert_eq!(models.count(SHOP, &[[1; 16], [2; 16], [3; 16]]).await, 1);
    models.forget(SHOP, &[[1; 16], [2; 16]]).await;
    assert_eq!((models.count(SHOP, &[[1; 16]]).await, entry.leaving.load(Ordering::SeqCst)), (0, 0));
    assert!(models.is_caught_up());
    let behind = LagGuard::new(&models.0.behind);
    assert!(!models.is_caught_up());
    drop(behind);
    models.catch_up(SHOP).await;
    assert!(models.is_caught_up());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_a_search_begins_is_there_for_a_later_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let models = open(folder.path());
    assert!(models.shown_if_made(SHOP).is_none());
    let entry = models.find_entry(SHOP).expect("it is begun");
    let made = async {
        while !entry.is_of(TODAY) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(30), made).await.is_ok());
    assert!(models.shown_if_made(SHOP).is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_compared_with_one_that_is_made_anew_and_people_may_wait_to_leave_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let models = open(folder.path());
    let same = |live: &Model, anew: &Model| live.canonical() == anew.canonical() && anew.day() == TODAY;
    assert_eq!(models.compare_with_rebuilt(SHOP, same).await.expect("a model"), (true, false));
    let entry = models.find_entry(SHOP).expect("it is there");
    add(&entry, 1, TODAY + 9);
    let leaving = LagGuard::new(&entry.leaving);
    assert_eq!(models.compare_with_rebuilt(SHOP, same).await.expect("a model"), (false, true));
    drop(leaving);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_was_cut_is_thrown_away_when_a_session_goes_and_not_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let models = open(folder.path());
    let entry = models.touch_entry(SHOP);
    entry.state_mut().model = Model::of_most(1);
    entry.whole_day.store(5, Ordering::SeqCst);
    entry.state_mut().upto = 7;
    add(&entry, 1, 8);
    add(&entry, 2, 9);
    models.leave_out(SHOP, &[]).await;
    models.leave_out(AccountId(2), &[1]).await;
    assert!(entry.is_of(5) && entry.state().model.is_cut());
    models.leave_out(SHOP, &[77]).await;
    let left = (entry.whole_day.load(Ordering::SeqCst), entry.state().upto, entry.state().model.people());
    assert_eq!(left, (0, 0, 0));
}
