//! Weights that are fitted on made-up shops, and shops that are left out.

use std::num::NonZero;

use lethe::recommend::session_score::{FIRST_OWN_SIGNAL, SIGNAL_COUNT, SignalWeights};

use super::leave_one_shop_out::{
    LeaveOneShopOut, LeaveOneShopOutFault, LeaveOneShopOutOptions, LeftOutShop, ShopSessions,
    leave_one_shop_out,
};
use super::{Measured, history_of, measure, measure_with_weights, split_test_cases};

/// The last place of an item but one: that of the item before the newest.
const BEFORE_NEWEST: usize = FIRST_OWN_SIGNAL + 1;

/// A number that only looks random: the same in every run.
fn scattered(number: u64) -> u64 {
    number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33
}

/// A shop whose shoppers look at two items by chance and come back to the first, or (`is_onward`) look at a third.
fn shop(name: &str, sessions: u64, is_onward: bool) -> ShopSessions {
    let item = |number: u64| format!("i{}", scattered(number) % 150);
    let session = |number: u64| {
        let [first, second, third] =
            [0, 1, 2].map(|click| item(number * 3 + click + 1_000 * name.len() as u64));
        vec![first.clone(), second, if is_onward { third } else { first }]
    };
    ShopSessions { name: name.to_owned(), sessions: (0..sessions).map(session).collect() }
}

fn options(threads: usize) -> LeaveOneShopOutOptions {
    let threads = NonZero::new(threads).expect("some");
    LeaveOneShopOutOptions { cut: 20, cases: 60, passes: 20, threads }
}

fn leave_out(shops: &[ShopSessions], threads: usize) -> LeaveOneShopOut {
    leave_one_shop_out(shops.to_vec(), options(threads)).expect("shops")
}

/// Weight of the item before the newest, to which half the clicks return: of its place, and of the repeats, whose
/// logarithm is near 10.
fn weight_of_return(left_out: &LeftOutShop) -> i64 {
    let weights = left_out.weights.0.map(|weight| weight.base);
    weights[BEFORE_NEWEST] + 10 * weights[SIGNAL_COUNT - 1]
}

#[test]
fn weights_of_shops_whose_shoppers_come_back_find_it_in_another_such_shop() {
    let shops = [shop("a", 400, false), shop("bb", 300, false), shop("ccc", 500, false)];
    let report = leave_out(&shops, 2);
    let unfitted = LeaveOneShopOutOptions { passes: 0, ..options(1) };
    let unfitted = leave_one_shop_out(shops.to_vec(), unfitted).expect("shops");
    for (left_out, before) in report.shops.iter().zip(&unfitted.shops) {
        assert_eq!(weight_of_return(before), 0);
        assert!(weight_of_return(left_out) > 3_000, "{}: {:?}", left_out.name, left_out.weights);
        // One case in two comes back; the other goes on to an item by chance.
        let mrr = left_out.fitted_on_others.repeats_allowed.mrr();
        assert!(mrr > 48.0, "{}: {mrr}", left_out.name);
        assert!(mrr > before.fitted_on_others.repeats_allowed.mrr() + 10.0, "{}: {mrr}", left_out.name);
        assert!(mrr > left_out.vmis_knn.repeats_allowed.mrr(), "{}: {mrr}", left_out.name);
    }
    // A shop says nothing about itself.
    let otherwise = leave_out(&[shops[0].clone(), shops[1].clone(), shop("ccc", 500, true)], 2);
    assert_eq!(otherwise.shops[2].weights, report.shops[2].weights);
    assert_ne!(otherwise.shops[0].weights, report.shops[0].weights);
    assert_ne!(otherwise.weights_of_all, report.weights_of_all);
}

#[test]
fn shops_left_out_have_the_same_figures_for_any_number_of_threads() {
    let shops = [shop("a", 200, false), shop("bb", 150, true)];
    let one = leave_out(&shops, 1);
    assert_eq!(one, leave_out(&shops, 3));
    let counts = |report: &LeaveOneShopOut| -> Vec<_> {
        report.shops.iter().map(|shop| (shop.name.clone(), shop.sessions, shop.cases)).collect()
    };
    assert_eq!(counts(&one), [("a".to_owned(), 160, 60), ("bb".to_owned(), 120, 60)]);
    assert!(one.shops.iter().all(|shop| (1..=60).contains(&shop.fit_cases)), "{one:?}");
    // With two shops, each is measured with the weights of the other.
    assert_ne!(one.shops[0].weights, one.shops[1].weights);
}

#[test]
fn what_cannot_be_left_out_is_told() {
    let told = |shops: &[ShopSessions]| leave_one_shop_out(shops.to_vec(), options(1)).expect_err("a fault");
    let good = shop("good", 200, false);
    assert_eq!(told(&[]), LeaveOneShopOutFault::OneShop);
    assert_eq!(told(std::slice::from_ref(&good)), LeaveOneShopOutFault::OneShop);
    let named = |name: &str, lines: &[&str]| {
        let session = |line: &&str| line.split(' ').map(str::to_owned).collect();
        ShopSessions { name: name.to_owned(), sessions: lines.iter().map(session).collect() }
    };
    let empty = |purpose| LeaveOneShopOutFault::Empty { shop: "bad".to_owned(), purpose };
    assert_eq!(told(&[good.clone(), named("bad", &[])]), empty("learn from"));
    assert_eq!(told(&[good.clone(), named("bad", &["1 2"; 4])]), empty("measure"));
    assert_eq!(told(&[good.clone(), named("bad", &["1"; 5])]), empty("measure"));
    let new = named("bad", &["1", "1", "1", "1", "1 2"]);
    assert_eq!(told(&[good, new]), LeaveOneShopOutFault::NothingToFit { shop: "bad".to_owned() });
}

#[test]
fn the_default_is_measured_with_the_shipped_weights_unless_others_are_given() {
    let mut sessions = shop("a", 300, false).sessions;
    let cases = split_test_cases(&mut sessions, 20);
    let history = history_of(&sessions);
    let one = NonZero::<usize>::MIN;
    let with = |weights| measure_with_weights(&history, Measured::Default, weights, &cases, one);
    let shipped = measure(&history, Measured::Default, &cases, one);
    assert_eq!(with(SignalWeights::SHIPPED), shipped);
    assert_eq!(with(SignalWeights::default()), shipped);
    let mut others = SignalWeights::SHIPPED;
    others.0[BEFORE_NEWEST].base -= 100_000;
    assert_ne!(with(others), shipped);
}
