//! `lethe-eval recommend`: the share of shoppers' next clicks that are among twenty recommendations.

use std::io::Read;
use std::num::NonZero;
use std::sync::Arc;

use lethe::cli::{CliFault, feed_file, print_line, row, table};
use lethe::outbound::FetchProgress;
use serde_json::{Map, Value, json};

use crate::recommend::{
    Case, Measured, ProtocolScores, RecommenderEvalFault, RecommenderQuality, history_of, measure,
    read_cases, read_sessions, split_test_cases,
};

/// The measurement, and its data.
#[derive(clap::Args)]
#[command(after_help = "\
A training file has a session a line, the oldest first: ids of items with spaces between, in the order of the clicks.
A test file has a case a line: the ids so far, a tab, the id that was clicked next. All cases count, those too whose
items nobody clicked in the training. HitRate@20 is how often the next item is among the first twenty, MRR@20 the
mean of 1 / its rank, coverage the share of all items that were recommended at all, in percent; once without the
newest item, once with it.

Examples:
  lethe-eval recommend --train sessions.txt.gz --test cases.txt.gz
  lethe-eval recommend --train sessions.txt --cut 5 --json")]
pub struct Options {
    /// The sessions to learn from: a file, a URL, or - for standard input; plain, gzip or zstd
    #[arg(long, value_name = "FILE")]
    train: String,
    /// The cases to measure, likewise
    #[arg(long, value_name = "FILE", required_unless_present = "cut", conflicts_with = "cut")]
    test: Option<String>,
    /// Without a test file: percentage of the sessions to measure, the last ones; they are not learned from
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=50))]
    cut: Option<u8>,
    /// Measure only this recommender (may be given several times)
    #[arg(long, value_name = "NAME", value_parser = parse_measured)]
    only: Vec<Measured>,
    /// Threads to measure with; the figures are the same for any number [default: those of the machine]
    #[arg(long, value_name = "NUMBER")]
    threads: Option<NonZero<usize>>,
}

fn parse_measured(name: &str) -> Result<Measured, String> {
    let found = Measured::ALL.into_iter().find(|measured| name_of(*measured) == name);
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
    let train = read_text(&options.train).await?;
    let test = match &options.test {
        Some(test) => Some(read_text(test).await?),
        None => None,
    };
    let measuring =
        tokio::task::spawn_blocking(move || RecommendEvalReport::measure(&options, &train, test.as_deref()));
    let report = measuring.await.map_err(|_| CliFault::Failed("the measuring broke off".to_owned()))?;
    let report = report.map_err(|fault| CliFault::Failed(fault.to_string()))?;
    if json {
        print_line(report.to_json());
    } else {
        report.lines().iter().for_each(print_line);
    }
    Ok(())
}

async fn read_text(name: &str) -> Result<String, CliFault> {
    let mut source = feed_file::open(name, &Arc::new(FetchProgress::default())).await?;
    let name = name.to_owned();
    let reading = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        source.read_to_string(&mut text).map(|_| text)
    });
    let read = reading.await.map_err(|_| CliFault::Failed(format!("{name} could not be read")))?;
    read.map_err(|error| CliFault::Failed(format!("{name} cannot be read: {error}")))
}

struct RecommendEvalReport {
    sessions: usize,
    cases: usize,
    lines: Vec<(Measured, RecommenderQuality)>,
}

impl RecommendEvalReport {
    fn measure(options: &Options, train: &str, test: Option<&str>) -> Result<Self, RecommenderEvalFault> {
        let mut sessions = read_sessions(train);
        let cases: Vec<Case> = match test {
            Some(test) => read_cases(test)?,
            None => split_test_cases(&mut sessions, options.cut.unwrap_or_default().into()),
        };
        if sessions.is_empty() {
            return Err(RecommenderEvalFault::Empty("learn from"));
        }
        if cases.is_empty() {
            return Err(RecommenderEvalFault::Empty("measure"));
        }
        let history = history_of(&sessions);
        let one = NonZero::<usize>::MIN;
        let threads = options.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(one);
        let wanted = |one: &Measured| options.only.is_empty() || options.only.contains(one);
        let lines = Measured::ALL.into_iter().filter(wanted);
        let lines = lines.map(|one| (one, measure(&history, one, &cases, threads))).collect();
        Ok(Self { sessions: sessions.len(), cases: cases.len(), lines })
    }

    fn to_json(&self) -> Value {
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
        Value::Object(report)
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{} sessions, {} cases", self.sessions, self.cases)];
        let mut rows = vec![row(["Recommender", "newest item", "HitRate@20", "MRR@20", "coverage@20"])];
        for (one, quality) in &self.lines {
            let protocols = [("left out", &quality.last_excluded), ("allowed", &quality.repeats_allowed)];
            rows.extend(protocols.map(|(protocol, figures)| {
                let shown = [figures.hit_rate(), figures.mrr(), figures.coverage()];
                let mut cells = row([name_of(*one), protocol]);
                cells.extend(shown.map(|percent| format!("{percent:.2}")));
                cells
            }));
        }
        lines.extend(table(&rows));
        lines
    }
}
