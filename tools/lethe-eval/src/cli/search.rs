//! `lethe-eval search`: the table of the ranking's steps, and the floors of correction, known items and completion.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lethe::accounts::search;
use lethe::cli::{CliFault, feed_file, print_line};
use lethe::search::spellcheck::Dictionary;

use super::floors::check_floors;
use super::search_report::{ReportDetails, SearchEvalReport};
use crate::search::feed::{Judgments, SearchEvalFault};
use crate::search::report::Evaluation;

/// The measurement, and its data.
#[derive(clap::Args)]
#[command(after_help = "\
Judgments are lines of query,id,rating with a heading, ratings from 0 to 3. The table has nDCG@10 of each step of the
ranking, raw (what nobody rated counts 0) and condensed (without it), with the gain over the first step and its 95 %
interval; below it stands every figure that has a floor. docs/relevance.md explains them.

Examples:
  lethe-eval search --feed products.json --judgments ratings.csv
  lethe-eval search --feed products.json.gz --judgments ratings.csv --typos --known-items --completion --floors --json")]
pub struct Options {
    /// The feed: a file, a URL, or - for standard input
    #[arg(long, value_name = "FILE")]
    feed: String,
    /// The ratings
    #[arg(long, value_name = "FILE")]
    judgments: PathBuf,
    #[command(flatten)]
    details: ReportDetails,
    /// Exit with 1 when a figure is below its floor
    #[arg(long)]
    floors: bool,
    /// Language of the feed's texts
    #[arg(long, value_name = "CODE", default_value = "en")]
    language: String,
    /// Currency of prices that name none, such as EUR
    #[arg(long, value_name = "CODE")]
    currency: Option<String>,
}

/// Measures and prints.
///
/// # Errors
/// When a file cannot be read, or a figure misses its floor with `--floors`.
pub(super) async fn run(options: Options, json: bool) -> Result<(), CliFault> {
    let language = search::language(&options.language).map_err(|fault| CliFault::Usage(fault.to_string()))?;
    let judgments = std::fs::read_to_string(&options.judgments);
    let judgments = judgments.map_err(|error| {
        CliFault::Usage(format!("{} cannot be read: {error}", options.judgments.display()))
    })?;
    let judgments = Judgments::parse(&judgments).map_err(to_cli_fault)?;
    let products = feed_file::read_products(&options.feed, options.currency.clone()).await?;
    let count = products.len();
    let queries = judgments.queries.len();
    let measuring = tokio::task::spawn_blocking(move || {
        let dictionary = Dictionary::of_system(language, &Dictionary::FOLDERS.map(Path::new));
        Evaluation::measure(&products, &judgments, language, Arc::new(dictionary))
    });
    let evaluation = measuring.await.map_err(|_| CliFault::Failed("the measuring broke off".to_owned()))?;
    let report = SearchEvalReport {
        products: count,
        queries,
        evaluation: evaluation.map_err(to_cli_fault)?,
        details: options.details,
    };
    if json {
        print_line(report.to_json())
    } else {
        report.lines().iter().for_each(print_line)
    }
    check_floors(&report.evaluation.floors(), options.floors)
}

pub(super) fn to_cli_fault(fault: SearchEvalFault) -> CliFault {
    CliFault::Failed(fault.to_string())
}
