//! Files of baskets, and figures that do not depend on the run.

use std::collections::HashSet;
use std::num::NonZero;

use super::basket_recommenders::BasketRecommender;
use super::baskets::{
    Basket, BasketEvalFault, BasketOptions, BasketScores, BasketTask, DAY, measure_baskets, read_baskets,
};

fn options(threads: usize, days: Option<i64>) -> BasketOptions {
    BasketOptions { cut: 20, days, threads: NonZero::new(threads).expect("some") }
}

/// Baskets of twenty households, a day apart: each buys bread, something of its own, and milk every other time.
fn baskets(count: usize) -> Vec<Basket> {
    let line = |number: usize| {
        let milk = if (number / 20).is_multiple_of(2) { " milk" } else { "" };
        let household = number % 20;
        format!("h{household}\t{number}\t{}\tbread own-{household}{milk}\n", number as i64 * DAY)
    };
    read_baskets(&(0..count).map(line).collect::<String>()).expect("baskets")
}

#[test]
fn baskets_are_read_line_by_line_and_the_oldest_come_first() {
    let read = read_baskets("h1\t8\t2000\t5 6 5\n\nh2\t7\t1000\t5\r\nh1\t9\t1000\t6\n").expect("baskets");
    let ids: Vec<_> = read.iter().map(|basket| basket.key.id).collect();
    assert_eq!(ids, [7, 9, 8]);
    assert_eq!(read[1].person, read[2].person);
    assert_ne!(read[0].person, read[1].person);
    assert_eq!(read[2].items.len(), 2, "each item once");
    for wrong in ["h\t1\t2", "h\tx\t2\t5", "h\t1\tx\t5", "h\t1\t2\t ", "\t1\t2\t5", "h\t1\t2\t5\t6"] {
        let fault = read_baskets(&format!("h\t1\t2\t5\n{wrong}"));
        assert!(matches!(fault, Err(BasketEvalFault::Line(2))), "{wrong}");
    }
}

#[test]
fn basket_figures_are_the_same_for_any_number_of_threads() {
    let baskets = baskets(1_000);
    let one = measure_baskets(&baskets, options(1, None)).expect("measured");
    assert_eq!(one, measure_baskets(&baskets, options(3, None)).expect("measured"));
    assert_eq!((one.learned, one.tested), (800, 200));
    let line = |task, recommender| {
        one.lines.iter().find(|line| line.task == task && line.recommender == recommender).expect("a line")
    };
    let again = line(BasketTask::BuyAgain, BasketRecommender::BuyAgain).scores;
    assert_eq!((again.cases, again.hit_rate(), again.recall()), (200, 100.0, 100.0));
    // An item of a household alone is in no order of another.
    let next = line(BasketTask::NextOrder, BasketRecommender::AlsoBought).scores;
    assert!(next.cases == 100 && next.recall() < 100.0, "{next:?}");
}

#[test]
fn a_basket_is_learned_from_for_so_many_days() {
    let measured = measure_baskets(&baskets(100), options(1, Some(30))).expect("measured");
    assert_eq!((measured.learned, measured.tested), (29, 20));
}

#[test]
fn what_leaves_nothing_to_measure_or_to_learn_from_is_refused() {
    let refused = |count, options| measure_baskets(&baskets(count), options).map(|_| ());
    assert!(matches!(refused(4, options(1, None)), Err(BasketEvalFault::Empty("measure"))));
    let all = BasketOptions { cut: 100, ..options(1, None) };
    assert!(matches!(refused(9, all), Err(BasketEvalFault::Empty("learn from"))));
}

#[test]
fn a_figure_counts_the_first_ten() {
    let mut scores = BasketScores::default();
    let ids: Vec<String> = (0..11).map(|number| number.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    scores.add_case(&ids, &HashSet::from(["1", "3", "10", "none"]));
    scores.add_case(&ids, &HashSet::from(["10"]));
    assert_eq!((scores.hit_rate(), scores.mrr(), scores.recall()), (50.0, 25.0, 25.0));
}
