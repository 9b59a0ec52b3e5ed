//! Errors match their description, and are the same on every machine.

use std::collections::HashMap;

use std::sync::Arc;

use super::{
    KINDS, TypoKind, TypoQuery, TypoSummary, measure_first_letters, measure_typos, mistype,
    mistype_first_letter, ndcg,
};
use lethe::search::spellcheck::{Corrector, Dictionary, ProductTexts, WordCounter};
use lethe::search::text::{Analyser, ShopLanguage};

#[test]
fn errors_are_the_same_for_the_same_seed() {
    for kind in KINDS {
        let mistyped = mistype("wireless gaming keyboard", kind, 7);
        assert_eq!(mistyped, mistype("wireless gaming keyboard", kind, 7));
        assert_ne!(mistyped.as_deref(), Some("wireless gaming keyboard"));
    }
    assert_eq!(mistype("ssd", TypoKind::Drop, 1), None);
    assert_eq!(mistype("headphones", TypoKind::Join, 1), None);
    assert_eq!(mistype("usb hub", TypoKind::Join, 1).as_deref(), Some("usbhub"));
    for seed in 0..100 {
        assert_eq!(mistype("mouse", TypoKind::Drop, seed).map(|text| text.len()), Some(4));
        assert_eq!(mistype("headphones", TypoKind::Double, seed).map(|text| text.len()), Some(12));
    }
}

#[test]
fn a_first_letter_becomes_that_of_the_adjacent_key() {
    let mistyped: Vec<_> = (0..20).filter_map(|seed| mistype_first_letter("usb Mouse", seed)).collect();
    assert_eq!(mistyped.len(), 20, "every letter of the keyboard has a neighbour");
    assert!(mistyped.iter().all(|text| text == "usb nouse"), "m is the last key of its row: {mistyped:?}");
    let keys: Vec<_> = (0..20).filter_map(|seed| mistype_first_letter("printer", seed)).collect();
    assert!(keys.iter().all(|text| text == "orinter"), "{keys:?}");
    assert_eq!(mistype_first_letter("usb hub", 1), None, "too short");
    assert_eq!(mistype_first_letter("écran", 1), None, "no key of this keyboard");
}

#[test]
fn a_query_counts_once_for_each_wrong_first_letter() {
    let query = TypoQuery { query: "gaming mouse".to_owned(), ratings: [("a".to_owned(), 2)].into() };
    let share = measure_first_letters(std::slice::from_ref(&query), &mut |text| {
        if text.ends_with("mouse") { vec!["a".to_owned()] } else { Vec::new() }
    });
    assert!((2..=3).contains(&share.queries), "faming, haming, nouse: {share:?}");
    let kept = share.retained_share();
    assert!(kept > 0.4 && kept < 0.7, "all but nouse: {share:?}");
}

#[test]
fn the_best_order_has_all_the_gain() {
    let ratings: HashMap<String, u8> = [("a".to_owned(), 3), ("b".to_owned(), 1)].into();
    let order = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    assert!((ndcg(&order(&["a", "b"]), &ratings) - 1.0).abs() < 1e-9);
    assert!(ndcg(&order(&["b", "a"]), &ratings) < 0.75);
    assert!(ndcg(&order(&["c"]), &ratings) == 0.0);
}

#[test]
fn a_search_that_ignores_errors_keeps_all() {
    let query = TypoQuery { query: "gaming mouse".to_owned(), ratings: [("a".to_owned(), 2)].into() };
    let report = measure_typos(std::slice::from_ref(&query), 3, &mut |_| vec!["a".to_owned()]);
    assert!(report.all.queries >= 15);
    assert!((report.all.retained_share() - 1.0).abs() < 1e-9);
    let deaf = measure_typos(&[query], 3, &mut |text| {
        if text == "gaming mouse" { vec!["a".to_owned()] } else { Vec::new() }
    });
    assert!(deaf.all.retained_share() < 0.2);
}

#[test]
fn a_summary_has_all_three_measures() {
    let analyser = Arc::new(Analyser::new(ShopLanguage::English));
    let mut counter = WordCounter::new(Arc::clone(&analyser));
    counter.add(&ProductTexts { title: "gaming mouse", ..ProductTexts::default() });
    let dictionary = Arc::new(Dictionary::new(ShopLanguage::English, ["house"]));
    let corrector = Corrector::new(Arc::new(counter.finish()), Arc::clone(&analyser), dictionary);
    let query = TypoQuery { query: "gaming mouse".to_owned(), ratings: [("a".to_owned(), 2)].into() };
    let mut search = |text: &str| {
        let is_found = corrector.correct(text).searched == "gaming mouse";
        if is_found { vec!["a".to_owned()] } else { Vec::new() }
    };
    let foreign = ["mouse", "house", "moose"];
    let summary = TypoSummary::measure(&[query], foreign.into_iter(), &corrector, &mut search);
    assert!(summary.typos.all.retained_share() > 0.7);
    assert_eq!(summary.clean_changed, []);
    assert_eq!(summary.foreign.words, 2);
    assert_eq!(summary.foreign.replaced, [("moose".to_owned(), "mouse".to_owned())]);
    assert!(!summary.is_good());
}
