//! `lethe-eval recommend`: the share of shoppers' next clicks that are among twenty recommendations, and of their
//! purchases that are among ten.

use std::io::Read;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;

use lethe::cli::{CliFault, feed_file, print_line, row, table};
use lethe::outbound::FetchProgress;
use serde_json::{Map, Value, json};

use super::print_warning;
use super::recommend_baskets::{basket_lines, baskets_to_json};
use crate::recommend::baskets::{
    BasketEvalFault, BasketOptions, BasketQuality, measure_baskets, read_baskets,
};
use crate::recommend::{
    Case, Measured, ProtocolScores, RecommenderEvalFault, RecommenderQuality, history_of, measure,
    read_cases, read_sessions, split_test_cases,
};

/// Percentage of the baskets that is measured.
const BASKETS_CUT: u8 = 5;

/// The measurement, and its data.
#[derive(clap::Args)]
#[command(after_help = "\
A training file has a session a line, the oldest first: ids of items with spaces between, in the order of the clicks.
A test file has a case a line: the ids so far, a tab, the id that was clicked next. All cases count, those too whose
items nobody clicked in the training. HitRate@20 is how often the next item is among the first twenty, MRR@20 the
mean of 1 / its rank, coverage the share of all items that were recommended at all, in percent; once without the
newest item, once with it.

A file of baskets has a basket a line: household, number of the basket, time in milliseconds since 1970, and the ids of
its items with spaces between; with tabs between the four. It may also have lines of the word
`category`, an item and the name of its category, with tabs between.
scripts/measure/complete-journey makes one. The last baskets are measured, with these questions:
  - one item of every other basket is left out: which one?
  - a person's last order is known: what is in the next one?
  - all their earlier orders are known: what do they buy again, and which items that they never had? For the latter
    the session recommender takes orders for views.
  - if items have categories: which items of one category, of 50 items or more, are left out, or in the next order?
    Only items of that category are candidates.
HitRate@10 is how often an item that is wanted is among the first ten, MRR@10 the mean of 1 / the rank of the first of
them, recall@10 the mean share of them that is there, in percent.

Examples:
  lethe-eval recommend --train sessions.txt.gz --test cases.txt.gz
  lethe-eval recommend --train sessions.txt --cut 5 --json > before.json      (one build)
  lethe-eval recommend --train sessions.txt --cut 5 --compare before.json     (another)
  lethe-eval recommend --baskets complete-journey.txt --days 60")]
pub struct Options {
    /// The sessions to learn from: a file, a URL, or - for standard input; plain, gzip or zstd
    #[arg(long, value_name = "FILE", required_unless_present = "baskets")]
    train: Option<String>,
    /// The cases to measure, likewise
    #[arg(long, value_name = "FILE", required_unless_present_any = ["cut", "baskets"], conflicts_with = "cut",
          requires = "train")]
    test: Option<String>,
    /// Without a test file: percentage of the sessions to measure, the last ones; they are not learned from. For
    /// baskets likewise [default there: 5]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=50))]
    cut: Option<u8>,
    /// Measure only this recommender (may be given several times)
    #[arg(long, value_name = "NAME", value_parser = parse_measured)]
    only: Vec<Measured>,
    /// The baskets to learn from and to measure, likewise; without the file they are not measured
    #[arg(long, value_name = "FILE")]
    baskets: Option<String>,
    /// Days that a basket is learned from, 60 at a server [default: all]
    #[arg(long, value_name = "NUMBER", requires = "baskets", value_parser = clap::value_parser!(u16).range(1..))]
    days: Option<u16>,
    /// Learn from so many sessions alone, the newest: what a small shop has [default: from all]
    #[arg(long, value_name = "NUMBER", requires = "train")]
    newest: Option<NonZero<usize>>,
    /// Show beside each figure of sessions that of an earlier run with --json, such as one of the version before
    #[arg(long, value_name = "FILE", requires = "train")]
    compare: Option<String>,
    /// Threads to measure with; the figures are the same for any number [default: those of the machine]
    #[arg(long, value_name = "NUMBER")]
    threads: Option<NonZero<usize>>,
}

fn parse_measured(name: &str) -> Result<Measured, String> {
    // `most_viewed` is the name on the wire.
    let plain = name.replace('_', "");
    let found = Measured::ALL.into_iter().find(|measured| name_of(*measured).eq_ignore_ascii_case(&plain));
    found.ok_or_else(|| format!("one of {}", Measured::ALL.map(name_of).join(", ")))
}

const fn name_of(measured: Measured) -> &'static str {
    match measured {
        Measured::Default => "Default",
        Measured::VmisKnn => "VmisKnn",
        Measured::AlsoViewed => "AlsoViewed",
        Measured::MostViewed => "MostViewed",
    }
}

/// Measures and prints.
///
/// # Errors
/// When a file cannot be read or has a line of another form, or there is nothing to learn from or to measure.
pub(super) async fn run(options: Options, json: bool) -> Result<(), CliFault> {
    let files = RecommendEvalFiles {
        train: read_named(options.train.as_deref()).await?,
        test: read_named(options.test.as_deref()).await?,
        baskets: read_named(options.baskets.as_deref().filter(|name| is_there(name))).await?,
        before: read_named(options.compare.as_deref()).await?.map(|text| parse_report(&text)).transpose()?,
    };
    let measuring = tokio::task::spawn_blocking(move || RecommendEvalReport::measure(&options, &files));
    let report = measuring.await.map_err(|_| CliFault::Failed("the measuring broke off".to_owned()))??;
    if json {
        print_line(report.to_json());
    } else {
        report.lines().iter().for_each(print_line);
    }
    Ok(())
}

/// Returns false, after a warning, for a file that does not exist: the data are not everybody's.
fn is_there(name: &str) -> bool {
    let is_there = name == "-" || name.contains("://") || Path::new(name).exists();
    if !is_there {
        print_warning(&format!(
            "what needs {name}: NOT RUN; scripts/measure/complete-journey makes such a file"
        ));
    }
    is_there
}

async fn read_named(name: Option<&str>) -> Result<Option<String>, CliFault> {
    match name {
        Some(name) => Ok(Some(read_text(name).await?)),
        None => Ok(None),
    }
}

/// Reads a file, a URL or standard input.
pub(super) async fn read_text(name: &str) -> Result<String, CliFault> {
    let mut source = feed_file::open(name, &Arc::new(FetchProgress::default())).await?;
    let name = name.to_owned();
    let reading = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        source.read_to_string(&mut text).map(|_| text)
    });
    let read = reading.await.map_err(|_| CliFault::Failed(format!("{name} could not be read")))?;
    read.map_err(|error| CliFault::Failed(format!("{name} cannot be read: {error}")))
}

/// Number of threads that the machine runs at once.
pub(super) fn available_threads() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// The texts of the named files.
struct RecommendEvalFiles {
    train: Option<String>,
    test: Option<String>,
    baskets: Option<String>,
    before: Option<Value>,
}

fn parse_report(text: &str) -> Result<Value, CliFault> {
    let report = serde_json::from_str(text).ok().filter(|report: &Value| report["Sessions"].is_u64());
    report.ok_or_else(|| CliFault::Usage("the file to compare with is no report of sessions".to_owned()))
}

struct RecommendEvalReport {
    sessions: Option<SessionsReport>,
    baskets: Option<BasketQuality>,
}

impl RecommendEvalReport {
    fn measure(options: &Options, files: &RecommendEvalFiles) -> Result<Self, CliFault> {
        let threads = options.threads.unwrap_or_else(available_threads);
        let measure_sessions = |train: &String| SessionsReport::measure(options, train, files, threads);
        let sessions = files.train.as_ref().map(measure_sessions).transpose();
        let sessions = sessions.map_err(|fault| CliFault::Failed(fault.to_string()))?;
        let cut = usize::from(options.cut.unwrap_or(BASKETS_CUT));
        let days = options.days.map(i64::from);
        let measure_file = |text: &String| -> Result<BasketQuality, BasketEvalFault> {
            measure_baskets(&read_baskets(text)?, BasketOptions { cut, days, threads })
        };
        let baskets = files.baskets.as_ref().map(measure_file).transpose();
        let baskets = baskets.map_err(|fault| CliFault::Failed(fault.to_string()))?;
        Ok(Self { sessions, baskets })
    }

    fn to_json(&self) -> Value {
        let mut report = self.sessions.as_ref().map(SessionsReport::to_json).unwrap_or_default();
        if let Some(baskets) = &self.baskets {
            report.insert("Baskets".to_owned(), baskets_to_json(baskets));
        }
        Value::Object(report)
    }

    fn lines(&self) -> Vec<String> {
        let sessions = self.sessions.as_ref().map(SessionsReport::lines).unwrap_or_default();
        let baskets = self.baskets.as_ref().map(basket_lines).unwrap_or_default();
        sessions.into_iter().chain(baskets).collect()
    }
}

struct SessionsReport {
    sessions: usize,
    cases: usize,
    lines: Vec<(Measured, RecommenderQuality)>,
    /// An earlier report to compare with.
    before: Option<Value>,
}

impl SessionsReport {
    fn measure(
        options: &Options,
        train: &str,
        files: &RecommendEvalFiles,
        threads: NonZero<usize>,
    ) -> Result<Self, RecommenderEvalFault> {
        let mut sessions = read_sessions(train);
        let cases: Vec<Case> = match &files.test {
            Some(test) => read_cases(test)?,
            None => split_test_cases(&mut sessions, options.cut.unwrap_or_default().into()),
        };
        if let Some(newest) = options.newest {
            sessions.drain(..sessions.len().saturating_sub(newest.get()));
        }
        if sessions.is_empty() {
            return Err(RecommenderEvalFault::Empty("learn from"));
        }
        if cases.is_empty() {
            return Err(RecommenderEvalFault::Empty("measure"));
        }
        let history = history_of(&sessions);
        let wanted = |one: &Measured| options.only.is_empty() || options.only.contains(one);
        let lines = Measured::ALL.into_iter().filter(wanted);
        let lines = lines.map(|one| (one, measure(&history, one, &cases, threads))).collect();
        Ok(Self { sessions: sessions.len(), cases: cases.len(), lines, before: files.before.clone() })
    }

    fn to_json(&self) -> Map<String, Value> {
        let figures = |figures: &ProtocolScores| {
            let rounded = |percent: f64| (percent * 100.0).round() / 100.0;
            json!({"HitRate20": rounded(figures.hit_rate()), "Mrr20": rounded(figures.mrr()),
                   "Coverage20": rounded(figures.coverage())})
        };
        let quality = |quality: &RecommenderQuality| {
            json!({"LastItemExcluded": figures(&quality.last_excluded),
                   "RepeatsAllowed": figures(&quality.repeats_allowed)})
        };
        let lines = self.lines.iter().map(|(one, found)| (name_of(*one).to_owned(), quality(found)));
        let mut report: Map<String, Value> = lines.collect();
        report.insert("Sessions".to_owned(), self.sessions.into());
        report.insert("Cases".to_owned(), self.cases.into());
        if let Some(before) = &self.before {
            report.insert("Before".to_owned(), before.clone());
        }
        report
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{} sessions, {} cases", self.sessions, self.cases)];
        let mut rows = vec![row(["Recommender", "newest item", "HitRate@20", "MRR@20", "coverage@20"])];
        for (one, quality) in &self.lines {
            let excluded = self.cells(*one, "LastItemExcluded", &quality.last_excluded);
            rows.push([row([name_of(*one), "left out"]), excluded].concat());
            let allowed = self.cells(*one, "RepeatsAllowed", &quality.repeats_allowed);
            rows.push([row([name_of(*one), "allowed"]), allowed].concat());
        }
        lines.extend(table(&rows));
        lines
    }

    /// The figures of a recommender under a protocol, each with that of the earlier report.
    fn cells(&self, measured: Measured, protocol: &str, figures: &ProtocolScores) -> Vec<String> {
        let before = self.before.as_ref().map(|before| &before[name_of(measured)][protocol]);
        let cell = |percent: f64, name: &str| match before.and_then(|before| before[name].as_f64()) {
            Some(earlier) => format!("{percent:.2} (before {earlier:.2})"),
            None => format!("{percent:.2}"),
        };
        vec![
            cell(figures.hit_rate(), "HitRate20"),
            cell(figures.mrr(), "Mrr20"),
            cell(figures.coverage(), "Coverage20"),
        ]
    }
}
