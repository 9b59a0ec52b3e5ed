//! Reads the command line of this process, runs its command, and prints its fault.

use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use super::command::{Command, dispatch};
use super::context::CommandContext;
use super::fault::CliFault;
use super::{hardening, serve};
use crate::addresses::printable;
use crate::config::Flags;

/// Personalisation and search backend for online shops that forgets exactly.
///
/// Without a command it serves. Settings: flag > LETHE_* > lethe.toml > default.
#[derive(Parser)]
#[command(name = "lethe", version, after_help = AFTER_HELP)]
pub(super) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print one JSON value instead of text; a fault is one too, on standard error
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(super) const AFTER_HELP: &str = "\
Start here:
  lethe demo                      a guided tour in a temporary folder
  lethe serve                     serve from ./lethe-data on 127.0.0.1:8080
  lethe account create myshop     make an account; prints its keys once
  lethe check feed.json           what the server would say to a feed

The commands of a shop (feed, snapshot, delta, status, forget, erasure, export, scan,
suppression, return, product, catalogue, search, complete, recommend, events, issues, refused, submissions) read LETHE_URL
(default http://127.0.0.1:8080), LETHE_ACCESS_KEY and LETHE_SECRET_KEY or LETHE_SECRET_KEY_FILE. With --account
NAME they need no keys and reach the server of the data folder.

Exit codes: 0 done; 1 failed or refused; 2 bad usage, setting or variable, or a fault
that only the operator can mend; 3 a folder or the database is in use; 4 the store was written by another
version of lethe; 5 something of a person was found; 6 the server does not take these keys (403); 7 what was
asked for is not there (404), or its key is lost (410). With --json a fault is {\"Error\", \"ExitCode\"} on standard
error, with \"Status\" when a server answered it.";

/// Runs the command of this process.
#[must_use]
pub fn run() -> ExitCode {
    let parsed = crate::config::with_defaults(Cli::command()).try_get_matches();
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (Cli { command, flags, json }, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return print_usage_error(&error),
    };
    let given = matches
        .ids()
        .map(clap::Id::as_str)
        .filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine));
    let context = CommandContext { flags, given: given.map(str::to_owned).collect(), json };
    if let Err(fault) = crate::config::check_environment() {
        return print_fault(&fault.into(), json);
    }
    hardening::harden();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return print_fault(&CliFault::Failed(format!("no threads can be started: {error}")), json);
        }
    };
    let ended = runtime.block_on(async {
        dispatch(&context, Cli::command(), command.unwrap_or(Command::Serve(serve::Options::default()))).await
    });
    // Blocked threads (a name look-up, a feed that is being read) must not hold the exit up.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => print_fault(&fault, json),
    }
}

/// Prints clap's answer to a command line: help, the version, or a fault.
pub(super) fn print_usage_error(error: &clap::Error) -> ExitCode {
    let is_json = std::env::args_os().any(|word| word == "--json");
    if !is_json || !error.use_stderr() {
        error.exit();
    }
    let text = error.to_string();
    // The missing arguments stand below the first line.
    let sentence: Vec<_> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    print_fault(&CliFault::Usage(sentence.join(" ").trim_start_matches("error: ").to_owned()), true)
}

#[expect(clippy::print_stderr, reason = "what a person reads goes here")]
pub(super) fn print_fault(fault: &CliFault, is_json: bool) -> ExitCode {
    if is_json {
        eprintln!("{}", fault.to_json());
    } else {
        // A server's sentence about a request may hold anything.
        let sentence = fault.to_string();
        let lines: Vec<String> = sentence.split('\n').map(printable).collect();
        eprintln!("lethe: {}", lines.join("\n"));
    }
    ExitCode::from(fault.exit_code())
}
