//! Options of a run, medians, and what the machine was doing meanwhile.

use std::time::Duration;

/// What to run.
pub struct Options {
    which: Vec<String>,
    /// A PostgreSQL server with the right to make databases.
    pub postgres: Option<String>,
    /// Products of the large feed; 330,000 are about 250 MB.
    pub products: u64,
    /// People in the store out of which some are erased.
    pub people: u64,
    /// Rounds of which the median counts.
    pub rounds: usize,
    /// Length of one round under load.
    pub length: Duration,
}

impl Options {
    pub fn from_args(args: impl Iterator<Item = String>) -> Self {
        let mut options = Self {
            which: Vec::new(),
            postgres: std::env::var("LETHE_TEST_POSTGRES").ok(),
            products: 330_000,
            people: 1_000_000,
            rounds: 3,
            length: Duration::from_secs(5),
        };
        let mut args = args.peekable();
        while let Some(arg) = args.next() {
            let mut number = || args.next().and_then(|value| value.parse::<u64>().ok()).expect("a number");
            match arg.as_str() {
                "--products" => options.products = number(),
                "--people" => options.people = number(),
                "--rounds" => options.rounds = number() as usize,
                "--seconds" => options.length = Duration::from_secs(number()),
                "--postgres" => options.postgres = args.next(),
                name if !name.starts_with('-') => options.which.push(name.to_owned()),
                // `cargo bench` adds its own flags.
                _ => {}
            }
        }
        options
    }

    /// The engines that are measured: their names, and the server of PostgreSQL.
    pub fn engines(&self) -> Vec<(&'static str, Option<&str>)> {
        let embedded = std::iter::once(("SQLite", None));
        embedded.chain(self.postgres.as_deref().map(|url| ("PostgreSQL", Some(url)))).collect()
    }

    pub fn wants(&self, scenario: &str) -> bool {
        self.which.is_empty() || self.which.iter().any(|name| name == scenario)
    }
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The value that 99 of 100 stay under.
pub fn p99(values: &mut [Duration]) -> Duration {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) * 99 / 100).copied().unwrap_or_default()
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
