//! The part of `lethe-eval recommend` on baskets, as text and as JSON.

use lethe::cli::{row, table};
use serde_json::{Map, Value, json};

use crate::recommend::basket_recommenders::BasketRecommender;
use crate::recommend::basket_scores::BasketScores;
use crate::recommend::baskets::{BasketLine, BasketQuality, BasketTask, Naming};

const fn name_of_recommender(recommender: BasketRecommender) -> &'static str {
    match recommender {
        BasketRecommender::BoughtTogether => "BoughtTogether",
        BasketRecommender::AlsoBought => "AlsoBought",
        BasketRecommender::BuyAgain => "BuyAgain",
        BasketRecommender::Default => "Default",
        BasketRecommender::ForYou => "ForYou",
        BasketRecommender::Count => "Count",
        BasketRecommender::Cosine => "Cosine",
        BasketRecommender::Lift => "Lift",
        BasketRecommender::MostBought => "MostBought",
        BasketRecommender::OwnCount => "OwnCount",
        BasketRecommender::Newest => "Newest",
    }
}

const fn name_of_task(task: BasketTask) -> &'static str {
    match task {
        BasketTask::LeftOut => "LeftOut",
        BasketTask::NextOrder => "NextOrder",
        BasketTask::BuyAgain => "BuyAgain",
        BasketTask::ForYou => "ForYou",
        BasketTask::CategoryPage => "CategoryPage",
    }
}

const fn name_of_naming(naming: Naming) -> &'static str {
    match naming {
        Naming::One => "One",
        Naming::All => "All",
        Naming::Person => "Person",
        Naming::PersonInCategory => "PersonInCategory",
    }
}

/// The question in words, and the items that it names.
const fn describe_question(line: &BasketLine) -> [&'static str; 2] {
    match (line.task, line.naming) {
        (BasketTask::LeftOut, Naming::One) => ["item left out of a basket", "one item of it"],
        (BasketTask::LeftOut, _) => ["item left out of a basket", "the rest of it"],
        (BasketTask::NextOrder, Naming::One) => ["next order", "one item of the last"],
        (BasketTask::NextOrder, _) => ["next order", "the last order"],
        (BasketTask::BuyAgain, _) => ["bought again", "the person"],
        (BasketTask::ForYou, Naming::Person) => ["new to the person", "all they had"],
        (BasketTask::ForYou, _) => ["new to the person", "the last order"],
        (BasketTask::CategoryPage, Naming::One) => ["on its category's page", "one item of the basket"],
        (BasketTask::CategoryPage, Naming::Person) => ["on a category's page", "all they had"],
        (BasketTask::CategoryPage, Naming::PersonInCategory) => {
            ["on a category's page", "what they had of it"]
        }
        (BasketTask::CategoryPage, _) => ["on its category's page", "the rest of the basket"],
    }
}

/// The table of all figures.
pub(super) fn basket_lines(quality: &BasketQuality) -> Vec<String> {
    let mut lines = vec![format!("{} baskets to learn from, {} to measure", quality.learned, quality.tested)];
    let mut rows =
        vec![row(["Wanted", "asked with", "Recommender", "cases", "HitRate@10", "MRR@10", "recall@10"])];
    for line in &quality.lines {
        let [wanted, asked_with] = describe_question(line);
        let mut cells = row([wanted, asked_with, name_of_recommender(line.recommender)]);
        cells.push(line.scores.cases.to_string());
        let shown = [line.scores.hit_rate(), line.scores.mrr(), line.scores.recall()];
        cells.extend(shown.map(|percent| format!("{percent:.2}")));
        rows.push(cells);
    }
    lines.extend(table(&rows));
    lines
}

/// The same in JSON: by question, by the items that it names, by recommender.
pub(super) fn baskets_to_json(quality: &BasketQuality) -> Value {
    let rounded = |percent: f64| (percent * 100.0).round() / 100.0;
    let figures = |scores: &BasketScores| {
        json!({"Cases": scores.cases, "HitRate10": rounded(scores.hit_rate()), "Mrr10": rounded(scores.mrr()),
               "Recall10": rounded(scores.recall())})
    };
    let mut report = Map::new();
    for line in &quality.lines {
        let question = report.entry(name_of_task(line.task)).or_insert_with(|| json!({}));
        question[name_of_naming(line.naming)][name_of_recommender(line.recommender)] = figures(&line.scores);
    }
    report.insert("Learned".to_owned(), quality.learned.into());
    report.insert("Tested".to_owned(), quality.tested.into());
    Value::Object(report)
}
