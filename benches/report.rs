//! Options of a run, medians, and what the machine was doing meanwhile.

use std::time::Duration;

/// Everything that can be measured.
pub const SCENARIOS: &[&str] = &[
    "accept", "accounts", "status", "applied", "import", "steady", "uploads", "overload", "apart", "attacks",
    "fairness", "epoch", "erasure", "backup", "hostile", "people", "snapshot",
];

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
    /// What the command line asks for.
    ///
    /// # Errors
    /// A sentence about an argument that is neither a scenario nor an option, or lacks its value.
    pub fn from_args(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            which: Vec::new(),
            postgres: std::env::var("LETHE_TEST_POSTGRES").ok(),
            products: 330_000,
            people: 1_000_000,
            rounds: 3,
            length: Duration::from_secs(5),
        };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--products" => options.products = number(&arg, args.next())?,
                "--people" => options.people = number(&arg, args.next())?,
                "--rounds" => options.rounds = number(&arg, args.next())?.max(1) as usize,
                "--seconds" => options.length = Duration::from_secs(number(&arg, args.next())?),
                "--postgres" => {
                    options.postgres = Some(args.next().ok_or("--postgres: an address is missing")?);
                }
                // `cargo bench` adds it.
                "--bench" => {}
                name if SCENARIOS.contains(&name) => options.which.push(arg),
                _ => return Err(format!("{arg} is neither a scenario nor an option")),
            }
        }
        Ok(options)
    }

    /// The engines that are measured: their names, and the server of PostgreSQL.
    pub fn engines(&self) -> Vec<(&'static str, Option<&str>)> {
        let embedded = std::iter::once(("SQLite", None));
        embedded.chain(self.postgres.as_deref().map(|url| ("PostgreSQL", Some(url)))).collect()
    }

    /// Whether to run a scenario, one of [`SCENARIOS`].
    pub fn wants(&self, scenario: &str) -> bool {
        assert!(SCENARIOS.contains(&scenario), "{scenario} is not in the list that --help prints");
        self.which.is_empty() || self.which.iter().any(|name| name == scenario)
    }
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
