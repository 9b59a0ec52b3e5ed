//! Options of a run, medians, and the load of the machine meanwhile.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// All scenarios, each with a description.
pub const SCENARIOS: &[(&str, &str)] = &[
    ("accept", "durable accepts of deltas"),
    ("accounts", "the same for many accounts on one PostgreSQL"),
    ("status", "questions for what became of deltas"),
    ("applied", "applying deltas that wait"),
    ("import", "a large feed: rows per second of CPU, memory, the same feed again"),
    ("steady", "deltas at a steady rate while large feeds import"),
    ("uploads", "uploads in many pieces"),
    ("overload", "ten times the rated load, and another shop meanwhile"),
    ("apart", "one shop beside hostile ones, all at once"),
    ("attacks", "one shop beside each of them"),
    ("fairness", "a feed beside another shop's deltas"),
    ("besieged", "a shop's searches beside the worst that two other shops' access keys allow"),
    ("claims", "whether a page can tell by time who was forgotten"),
    ("flood", "a million requests with ever new visitors, beside another shop"),
    ("epoch", "another key over 200,000 slots"),
    ("erasure", "people forgotten in a large store"),
    ("backup", "backup and restore"),
    ("hostile", "feeds made to cost much"),
    ("people", "a large list of people beside a plain loop"),
    ("snapshot", "the file of a catalogue"),
    (
        "search",
        "the search by itself and through a server: indexing, queries, facets, completion, and each step's cost",
    ),
    (
        "variants",
        "variants: searches and filters with 0, 8 and 100 of them, bytes of the index, a change of stock",
    ),
    (
        "visible",
        "from a delta to a search that finds it; searches while a large feed imports; what its index costs",
    ),
    (
        "personal",
        "recommendations: what an event costs, a recommendation, a start with them, the forgetting of people",
    ),
    ("reporting", "reports of what shoppers searched, clicked and ordered: time and CPU of each"),
    ("dashboard", "a shop's start page in the console with a year of events: time and size"),
    ("worst", "the worst that each operation can be asked: body, answer, processor and memory"),
    ("shops", "a thousand small shops that are searched; one shop's expensive searches beside another's"),
];

/// Products of the large feed, unless others are asked for: about 250 MB.
const PRODUCTS: u64 = 330_000;
/// Length of one round under load, unless another is asked for.
const LENGTH: Duration = Duration::from_secs(5);

/// Options of a run.
pub struct Options {
    which: Vec<String>,
    /// A PostgreSQL server with the right to make databases.
    pub postgres: Option<String>,
    /// Folder of the catalogue with judged queries.
    pub data: PathBuf,
    /// Products of the large feed.
    pub products: u64,
    /// People in the store; some are erased.
    pub people: u64,
    /// Rounds; their median counts.
    pub rounds: usize,
    /// Length of one round under load.
    pub length: Duration,
}

impl Options {
    /// Reads the options from the command line.
    ///
    /// # Errors
    /// A sentence about an argument that is neither a scenario nor an option, or lacks its value.
    pub fn from_args(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            which: Vec::new(),
            postgres: std::env::var("LETHE_TEST_POSTGRES").ok(),
            data: Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
            products: PRODUCTS,
            people: 1_000_000,
            rounds: 3,
            length: LENGTH,
        };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--data" => options.data = args.next().ok_or("--data: a folder is missing")?.into(),
                "--products" => options.products = number(&arg, args.next())?,
                "--people" => options.people = number(&arg, args.next())?,
                "--rounds" => options.rounds = number(&arg, args.next())?.max(1) as usize,
                "--seconds" => options.length = Duration::from_secs(number(&arg, args.next())?),
                "--postgres" => {
                    options.postgres = Some(args.next().ok_or("--postgres: an address is missing")?);
                }
                // `cargo bench` adds it.
                "--bench" => {}
                name if is_scenario(name) => options.which.push(arg),
                _ => return Err(format!("{arg} is neither a scenario nor an option")),
            }
        }
        Ok(options)
    }

    /// A size that a scenario has of its own, made smaller or larger as `--products` makes the large feed.
    pub fn scaled(&self, size: u64) -> u64 {
        (size * self.products / PRODUCTS).max(1)
    }

    /// The length of one that needs more than a few seconds: `seconds`, unless another was asked for.
    pub fn length_or(&self, seconds: u64) -> Duration {
        if self.length == LENGTH { Duration::from_secs(seconds) } else { self.length }
    }

    /// The engines that are measured: their names, and the server of PostgreSQL.
    pub fn engines(&self) -> Vec<(&'static str, Option<&str>)> {
        let embedded = std::iter::once(("SQLite", None));
        embedded.chain(self.postgres.as_deref().map(|url| ("PostgreSQL", Some(url)))).collect()
    }

    /// Returns true if a scenario, one of [`SCENARIOS`], is to run.
    pub fn wants(&self, scenario: &str) -> bool {
        assert!(is_scenario(scenario), "{scenario} is not in the list that --help prints");
        self.which.is_empty() || self.which.iter().any(|name| name == scenario)
    }
}

fn is_scenario(name: &str) -> bool {
    SCENARIOS.iter().any(|(scenario, _)| *scenario == name)
}

/// Their names.
pub fn names() -> String {
    SCENARIOS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
}

fn number(option: &str, value: Option<String>) -> Result<u64, String> {
    let value = value.ok_or_else(|| format!("{option}: a number is missing"))?;
    value.parse().map_err(|_| format!("{option}: {value} is not a number"))
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The value that 99 of 100 stay under.
pub fn p99(values: &mut [Duration]) -> Duration {
    percentile(values, 99)
}

/// The median.
pub fn p50(values: &mut [Duration]) -> Duration {
    percentile(values, 50)
}

/// The value that so many of a hundred stay under.
pub fn percentile(values: &mut [Duration], percent: usize) -> Duration {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
}

/// Cores and load average.
pub fn machine() {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("machine: {cores} cores, load {}", load());
}

pub fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
