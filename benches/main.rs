//! `cargo bench`: the figures of the README, each compared with a peer or a bare loop in the same run.
//!
//! Usage: `cargo bench --bench throughput -- --help`.

#![expect(clippy::print_stdout, reason = "the figures are its purpose")]

mod accounts;
mod apart;
mod applied;
mod attacks;
mod backup;
mod bare;
mod besieged;
mod claims;
mod client;
mod dashboard;
mod doors;
mod epoch;
mod erasure;
mod flood;
mod hostile;
mod people;
mod personal;
mod pressure;
mod process;
mod report;
mod reporting;
mod scenario;
mod search;
mod server;
mod shops;
mod snapshot;
mod visible;
mod worst;

use std::process::ExitCode;

use report::Options;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "Usage: cargo bench --bench throughput -- [SCENARIO]... [OPTIONS]";

const OPTIONS: &str = "\
Options:
  --products N     products of a feed (330000); sizes of search, visible and shops change with it
  --people N       people of a list (1000000)
  --rounds N       runs of which the middle one counts (3)
  --seconds N      length of what is measured over a time (5)
  --data FOLDER    the electronics catalogue with its judged queries, for search (../shared/data)
  --postgres URL   measure PostgreSQL too; or LETHE_TEST_POSTGRES, which scripts/with-postgres sets
  --help           this

LETHE_TEST_PROGRAM names another lethe that is measured instead of this build's, such as an older one.";

fn help() -> String {
    let scenarios = report::SCENARIOS.iter().map(|(name, what)| format!("  {name:<10}{what}"));
    let scenarios = scenarios.collect::<Vec<_>>().join("\n");
    format!(
        "Measures what the README promises, each figure beside a peer or a bare loop in the same run.\n\n{USAGE}\n\n\
         Scenarios, all of them unless some are named:\n{scenarios}\n\n{OPTIONS}"
    )
}

#[expect(clippy::print_stderr, reason = "a wrong argument is told where it is not a figure")]
fn main() -> ExitCode {
    if std::env::args().skip(1).any(|word| word == "--help" || word == "-h") {
        println!("{}", help());
        return ExitCode::SUCCESS;
    }
    match Options::from_args(std::env::args().skip(1)) {
        Ok(options) => {
            measure(&options);
            ExitCode::SUCCESS
        }
        Err(fault) => {
            eprintln!("{fault}\n{USAGE}\nScenarios: {}", report::names());
            ExitCode::from(2)
        }
    }
}

fn measure(options: &Options) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        report::machine();
        if options.wants("accept") {
            scenario::accept(options).await;
        }
        if options.wants("accounts") {
            accounts::accounts(options).await;
        }
        if options.wants("status") {
            scenario::status(options).await;
        }
        if options.wants("applied") {
            applied::applied(options).await;
        }
        if options.wants("import") {
            scenario::import(options).await;
        }
        if options.wants("steady") {
            doors::steady(options).await;
        }
        if options.wants("uploads") {
            doors::uploads(options).await;
        }
        if options.wants("overload") {
            pressure::overload(options).await;
        }
        if options.wants("apart") {
            apart::apart(options).await;
        }
        if options.wants("attacks") {
            apart::attacks(options).await;
        }
        if options.wants("fairness") {
            pressure::fairness(options).await;
        }
        if options.wants("besieged") {
            besieged::besieged(options).await;
        }
        if options.wants("claims") {
            claims::claims(options).await;
        }
        if options.wants("flood") {
            flood::flood(options).await;
        }
        if options.wants("epoch") {
            epoch::epoch(options);
        }
        if options.wants("erasure") {
            erasure::erasure(options).await;
        }
        if options.wants("backup") {
            backup::backup(options).await;
        }
        if options.wants("hostile") {
            hostile::hostile(options).await;
        }
        if options.wants("people") {
            people::people(options).await;
        }
        if options.wants("snapshot") {
            snapshot::snapshot(options);
        }
        if options.wants("search") {
            search::search(options).await;
        }
        if options.wants("variants") {
            search::variants(options).await;
        }
        if options.wants("personal") {
            personal::personal(options).await;
        }
        if options.wants("reporting") {
            reporting::reporting(options).await;
        }
        if options.wants("dashboard") {
            dashboard::dashboard(options).await;
        }
        if options.wants("visible") {
            visible::visible(options).await;
        }
        if options.wants("worst") {
            worst::worst(options).await;
        }
        if options.wants("shops") {
            shops::shops(options).await;
        }
    });
}
