//! The command line of `lethe-eval`: one file a command.

mod floors;
mod leave_one_shop_out;
mod recommend;
mod recommend_baskets;
mod search;
mod search_report;
mod words;
mod words_report;

use std::process::ExitCode;

use clap::Parser;
use lethe::addresses::printable;
use lethe::cli::{CliFault, print_fault, print_usage_error};

/// Name of this program in front of its faults.
const PROGRAM: &str = "lethe-eval";

/// Measures on files how good Lethe's answers are, without a server.
#[derive(Parser)]
#[command(
    name = "lethe-eval",
    version,
    after_help = "Exit codes: 0 done; 1 failed, or below a floor; 2 bad usage."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print one JSON value instead of text; a fault is one too, on standard error
    #[arg(long, global = true)]
    json: bool,
}

/// Commands for measurements.
#[derive(clap::Subcommand)]
enum Command {
    /// Measure the search of a feed by queries whose answers people rated
    Search(search::Options),
    /// Measure recommendations on sessions and baskets of a shop: do they contain the next click, the next purchase?
    Recommend(recommend::Options),
    /// Measure the recommender's weights on a shop that they were not fitted on: fit them on all others
    LeaveOneShopOut(leave_one_shop_out::Options),
    /// Measure how words are found in the languages of Europe: forms, compounds, joins, corrections, cost
    Words(words::Options),
}

/// Runs the command of this process.
#[must_use]
pub fn run() -> ExitCode {
    let Cli { command, json } = match Cli::try_parse() {
        Ok(parsed) => parsed,
        Err(error) => return print_usage_error(PROGRAM, &error),
    };
    let ended = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(measure(command, json)),
        Err(error) => Err(CliFault::Failed(format!("no threads can be started: {error}"))),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => print_fault(PROGRAM, &fault, json),
    }
}

async fn measure(command: Command, json: bool) -> Result<(), CliFault> {
    match command {
        Command::Search(options) => search::run(options, json).await,
        Command::Recommend(options) => recommend::run(options, json).await,
        Command::LeaveOneShopOut(options) => leave_one_shop_out::run(options, json).await,
        Command::Words(options) => words::run(options, json).await,
    }
}

#[expect(clippy::print_stderr, reason = "what a person reads goes here")]
fn print_warning(warning: &str) {
    eprintln!("{PROGRAM}: {}", printable(warning));
}
