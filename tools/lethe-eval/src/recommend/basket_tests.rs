//! Files of baskets, and figures that do not depend on the run.

use std::collections::HashSet;
use std::num::NonZero;

use super::basket_categories::CATEGORY_ITEMS;
use super::basket_recommenders::BasketRecommender;
use super::basket_scores::BasketScores;
use super::baskets::{
    BasketEvalFault, BasketFile, BasketLine, BasketOptions, BasketQuality, BasketTask, DAY, Naming,
    measure_baskets, read_baskets,
};

fn options(threads: usize, days: Option<i64>) -> BasketOptions {
    BasketOptions { cut: 20, days, threads: NonZero::new(threads).expect("some") }
}

/// Baskets of twenty households, a day apart: each buys bread, something of its own, and milk every other time.
fn baskets(count: usize) -> BasketFile {
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
    assert!(read.categories.is_empty());
    let read = read.baskets;
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
fn a_line_may_name_the_category_of_an_item() {
    let read =
        read_baskets("category\t5\tFRESH FRUIT\nh1\t8\t2000\t5 6\ncategory\t6\tbread\r\n").expect("baskets");
    let category = |item: &str| read.categories.get(item).map(String::as_str);
    assert_eq!([category("5"), category("6"), category("7")], [Some("FRESH FRUIT"), Some("bread"), None]);
    assert_eq!(read.baskets.len(), 1);
    for wrong in ["category\t5\t ", "category\t\tbread", "category\t5 6\tbread", "5\tbread", "h\t1", "bread"]
    {
        let fault = read_baskets(&format!("h\t1\t2\t5\n{wrong}"));
        assert!(matches!(fault, Err(BasketEvalFault::Line(2))), "{wrong}");
    }
}

#[test]
fn the_number_of_a_basket_and_the_category_of_an_item_are_given_once() {
    for repeated in
        ["h1\t8\t2000\t5", "h2\t8\t3000\t6", "h2\t08\t3000\t6", "category\t7\tbread", "category\t7\tfruit"]
    {
        let fault = read_baskets(&format!("h1\t8\t2000\t5\ncategory\t7\tfruit\n\n{repeated}\n"));
        assert!(matches!(fault, Err(BasketEvalFault::Repeated(4))), "{repeated}");
    }
}

fn scores_of(
    quality: &BasketQuality,
    task: BasketTask,
    naming: Naming,
    recommender: BasketRecommender,
) -> BasketScores {
    let is_it =
        |line: &&BasketLine| (line.task, line.naming, line.recommender) == (task, naming, recommender);
    quality.lines.iter().find(is_it).expect("a line").scores
}

/// Baskets of two households in turn, each an hour after the other, all of one day: the items of each line.
fn in_turn(lines: &[&str]) -> String {
    let line = |(number, items): (usize, &&str)| {
        format!("h{}\t{number}\t{}\t{items}\n", number % 2, number as i64 * DAY / 24)
    };
    lines.iter().enumerate().map(line).collect()
}

#[test]
fn items_are_new_to_a_person_that_are_in_no_earlier_basket_of_theirs() {
    // Four of five are learned from. The last basket asks: bread was had, tea is known of the other household alone.
    let file =
        read_baskets(&in_turn(&["bread", "tea bread", "milk", "tea bread", "bread tea"])).expect("baskets");
    let measured = measure_baskets(&file, options(1, None)).expect("measured");
    for (naming, recommender) in [
        (Naming::Person, BasketRecommender::ForYou),
        (Naming::Person, BasketRecommender::MostBought),
        (Naming::All, BasketRecommender::Default),
    ] {
        let scores = scores_of(&measured, BasketTask::ForYou, naming, recommender);
        assert_eq!((scores.cases, scores.mrr(), scores.recall()), (1, 100.0, 100.0), "{recommender:?}");
    }
    let nothing_new = read_baskets(&in_turn(&["bread", "tea bread", "milk", "tea", "bread milk"]));
    let measured = measure_baskets(&nothing_new.expect("baskets"), options(1, None)).expect("measured");
    let scores = scores_of(&measured, BasketTask::ForYou, Naming::Person, BasketRecommender::ForYou);
    assert_eq!(scores.cases, 0);
}

#[test]
fn what_a_person_had_is_new_again_once_it_is_forgotten() {
    // A basket a day in turn, so that each household orders every other day; the last one repeats the first.
    let line = |number: i64, items: &str| format!("h{}\t{number}\t{}\t{items}\n", number % 2, number * DAY);
    let lines = ["bread", "bread tea", "milk", "bread tea", "bread"];
    let text: String = (0..).zip(lines).map(|(number, items)| line(number, items)).collect();
    let cases = |days| {
        let file = read_baskets(&text).expect("baskets");
        let measured = measure_baskets(&file, options(1, days)).expect("measured");
        scores_of(&measured, BasketTask::ForYou, Naming::Person, BasketRecommender::ForYou).cases
    };
    assert_eq!([None, Some(5), Some(4), Some(3)].map(cases), [0, 0, 1, 1]);
    assert_eq!(cases(Some(2)), 0, "a person of whom nothing is remembered is unknown");
}

/// Baskets with `size` kinds of fruit, the higher numbers in more of them, and bread in each; the last three are of a
/// household that had bread twice and kind 0 once: it takes kind 0 again.
fn fruit(size: usize) -> BasketFile {
    let kinds = |number: usize| (number..size).map(|kind| format!(" f{kind}")).collect::<String>();
    let of_others = (0..size).map(|number| format!("bread{}", kinds(number)));
    let lines: Vec<String> = of_others.chain(["bread", "bread f0", "f0"].map(str::to_owned)).collect();
    let last = lines.len() - 3;
    let person = |number: usize| if number < last { number } else { last };
    let baskets = lines.iter().enumerate();
    let baskets =
        baskets.map(|(number, items)| format!("h{}\t{number}\t{number}\t{items}\n", person(number)));
    let categories = (0..size).map(|kind| format!("category\tf{kind}\tfruit\n"));
    read_baskets(&baskets.chain(categories).collect::<String>()).expect("baskets")
}

#[test]
fn on_the_page_of_a_category_its_items_alone_are_recommended() {
    let options = BasketOptions { cut: 2, ..options(1, None) };
    let measured = measure_baskets(&fruit(CATEGORY_ITEMS), options).expect("measured");
    assert_eq!(measured.tested, 1);
    let scores = |naming, recommender| scores_of(&measured, BasketTask::CategoryPage, naming, recommender);
    // Kind 0 is in one basket of another household and in one of its own: last but one of all.
    assert_eq!(scores(Naming::Person, BasketRecommender::MostBought).hit_rate(), 0.0);
    let own = scores(Naming::Person, BasketRecommender::OwnCount);
    assert_eq!((own.cases, own.mrr()), (1, 100.0));
    assert_eq!(scores(Naming::PersonInCategory, BasketRecommender::Default).cases, 1);
    // The last basket has one item, and nothing is left to ask with.
    assert_eq!(scores(Naming::All, BasketRecommender::Default).cases, 0);
}

#[test]
fn a_small_category_has_no_page_and_without_categories_there_is_none() {
    let options = BasketOptions { cut: 2, ..options(1, None) };
    let mut file = fruit(CATEGORY_ITEMS);
    file.categories.remove("f9");
    let measured = measure_baskets(&file, options).expect("measured");
    let own = scores_of(&measured, BasketTask::CategoryPage, Naming::Person, BasketRecommender::OwnCount);
    assert_eq!(own.cases, 0);
    file.categories.clear();
    let measured = measure_baskets(&file, options).expect("measured");
    assert!(measured.lines.iter().all(|line| line.task != BasketTask::CategoryPage));
}

#[test]
fn an_item_left_out_is_asked_for_on_the_page_of_its_category() {
    // Ten kinds of bread go with five kinds of fruit each.
    let basket = |number: usize| {
        let kind = number * 7 % CATEGORY_ITEMS;
        format!("h{number}\t{number}\t{number}\tf{kind} bread-{}\n", kind / 5)
    };
    let categories = (0..CATEGORY_ITEMS).map(|kind| format!("category\tf{kind}\tfruit\n"));
    let text: String = (0..500).map(basket).chain(categories).collect();
    let file = read_baskets(&text).expect("baskets");
    let measured = measure_baskets(&file, options(1, None)).expect("measured");
    assert_eq!(measured, measure_baskets(&file, options(8, None)).expect("measured"));
    for naming in [Naming::One, Naming::All] {
        let scores = |recommender| scores_of(&measured, BasketTask::CategoryPage, naming, recommender);
        let plain = scores(BasketRecommender::MostBought);
        let session = scores(BasketRecommender::Default);
        assert!(plain.cases > 9 && plain.cases == session.cases, "bread has no category");
        assert!(session.hit_rate() == 100.0 && plain.hit_rate() < 50.0, "{plain:?} {session:?}");
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
