//! `lethe-eval words`: how words are found in the languages of Europe, and the floors of that.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lethe::accounts::search;
use lethe::cli::{CliFault, feed_file, print_line};
use lethe::search::spellcheck::Dictionary;
use lethe::search::text::ShopLanguage;
use serde_json::json;

use super::floors::check_floors;
use super::print_warning;
use super::search::to_cli_fault;
use super::words_report::{WordsTables, split_lines};
use crate::search::feed::{Judgments, SearchEvalFault, count};
use crate::words::catalogues::CATALOGUES;
use crate::words::corrections::parse_brands;
use crate::words::pairs::WordPair;
use crate::words::report::{JudgedProducts, WordsData, WordsReport};
use crate::words::splits::SplitSample;

const PAIRS: &str = "word-pairs.csv";
/// Pairs of the languages that the list beside the project lacks.
const OWN_PAIRS: &str = include_str!("../../data/word-pairs.csv");
const BRANDS: &str = "brands-unknown.json";
const NATURAL: &str = "natural-queries.csv";

/// The measurement, and its data.
#[derive(clap::Args)]
#[command(after_help = "\
The folder has catalogues with judged queries (de-products.json.gz, de-judgments-dev.csv and so on; those in English
stand one folder above), word-pairs.csv, brands-unknown.json and natural-queries.csv. What needs a file that is not
there is NOT RUN. docs/relevance.md explains the tables.

Examples:
  lethe-eval words --floors
  lethe-eval words --json > before.json     (one build)
  lethe-eval words --compare before.json    (another)
  lethe-eval words --splits 200 --language de")]
pub struct Options {
    /// The folder with the files
    #[arg(long, value_name = "FOLDER", default_value = "../shared/data/words")]
    data: PathBuf,
    /// Measure only this language
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// Print this many words that the index splits, to be read by a person, and nothing else
    #[arg(long, value_name = "NUMBER", requires = "language", conflicts_with_all = ["compare", "floors"])]
    splits: Option<usize>,
    /// Products for the natural queries [default: those of the English catalogue]
    #[arg(long, value_name = "FILE")]
    natural_feed: Option<String>,
    /// Show beside each figure that of an earlier run with --json
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Exit with 1 when a figure is below its floor
    #[arg(long)]
    floors: bool,
}

/// Measures and prints.
///
/// # Errors
/// When a file cannot be read, or a figure misses its floor with `--floors`.
pub(super) async fn run(options: Options, json: bool) -> Result<(), CliFault> {
    let only = options.language.as_deref().map(search::language).transpose();
    let only = only.map_err(|fault| CliFault::Usage(fault.to_string()))?;
    if let (Some(language), Some(most)) = (only, options.splits) {
        return print_splits(&options.data, language, most, json).await;
    }
    let before = options.compare.as_deref().map(read_report).transpose()?;
    let data = read_data(&options, only).await?;
    let measuring = tokio::task::spawn_blocking(move || WordsReport::measure(&data, only));
    let report = measuring.await.map_err(|_| CliFault::Failed("the measuring broke off".to_owned()))?;
    let tables = WordsTables { report: report.map_err(to_cli_fault)?, before };
    if json {
        print_line(tables.to_json());
    } else {
        tables.lines().iter().for_each(print_line);
    }
    for name in &tables.report.not_run {
        print_warning(&format!("what needs {name}: NOT RUN"));
    }
    check_floors(&tables.floors(), options.floors)
}

async fn print_splits(
    folder: &Path,
    language: ShopLanguage,
    most: usize,
    json: bool,
) -> Result<(), CliFault> {
    let code = language.code();
    let catalogue = CATALOGUES.iter().find(|catalogue| catalogue.language == language);
    let catalogue = catalogue.ok_or_else(|| CliFault::Usage(format!("there is no catalogue in {code}")))?;
    let products = feed_file::read_products(&feed_name(folder, catalogue.products), None).await?;
    let measuring = tokio::task::spawn_blocking(move || {
        let knowledge = count(&products, language, Arc::new(Dictionary::empty(language)));
        SplitSample::measure(&knowledge, most)
    });
    let splits = measuring.await.map_err(|_| CliFault::Failed("the reading broke off".to_owned()))?;
    let splits = splits.map_err(to_cli_fault)?;
    if json {
        print_line(json!({"Language": code, "Splits": splits}));
    } else {
        split_lines(code, &splits).iter().for_each(print_line);
    }
    Ok(())
}

async fn read_data(options: &Options, only: Option<ShopLanguage>) -> Result<WordsData, CliFault> {
    let folder = options.data.as_path();
    if !folder.is_dir() {
        return Err(CliFault::Usage(format!("{} is no folder", folder.display())));
    }
    let mut data = WordsData::default();
    for catalogue in CATALOGUES.iter().filter(|one| only.is_none_or(|only| only == one.language)) {
        let judgments = parse_file(folder, catalogue.judgments, Judgments::parse, &mut data.missing)?;
        let is_there = folder.join(catalogue.products).exists();
        if !is_there {
            data.missing.push(catalogue.products.to_owned());
        }
        if let Some(judgments) = judgments.filter(|_| is_there) {
            let products = feed_file::read_products(&feed_name(folder, catalogue.products), None).await?;
            data.catalogues.push(JudgedProducts { language: catalogue.language, products, judgments });
        }
    }
    data.pairs = parse_file(folder, PAIRS, WordPair::parse_all, &mut data.missing)?.unwrap_or_default();
    let own = WordPair::parse_all(OWN_PAIRS);
    data.pairs.extend(own.map_err(|fault| CliFault::Failed(format!("pairs of the program: {fault}")))?);
    if only.is_none_or(|only| only == ShopLanguage::English) {
        data.brands = parse_file(folder, BRANDS, parse_brands, &mut data.missing)?.unwrap_or_default();
        data.natural = parse_file(folder, NATURAL, Judgments::parse, &mut data.missing)?;
    }
    if let Some(feed) = &options.natural_feed {
        data.natural_products = Some(feed_file::read_products(feed, None).await?);
    }
    Ok(data)
}

fn feed_name(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// Reads and parses a file of the folder; a file that is not there is listed as missing.
fn parse_file<T>(
    folder: &Path,
    name: &str,
    parse: impl FnOnce(&str) -> Result<T, SearchEvalFault>,
    missing: &mut Vec<String>,
) -> Result<Option<T>, CliFault> {
    let path = folder.join(name);
    if !path.exists() {
        missing.push(name.to_owned());
        return Ok(None);
    }
    let text = read_text(&path)?;
    let parsed = parse(&text).map_err(|fault| CliFault::Failed(format!("{name}: {fault}")))?;
    Ok(Some(parsed))
}

fn read_report(path: &Path) -> Result<WordsReport, CliFault> {
    let text = read_text(path)?;
    serde_json::from_str(&text)
        .map_err(|fault| CliFault::Usage(format!("{} is no report of words: {fault}", path.display())))
}

fn read_text(path: &Path) -> Result<String, CliFault> {
    let read = std::fs::read_to_string(path);
    read.map_err(|error| CliFault::Usage(format!("{} cannot be read: {error}", path.display())))
}
