//! Reads the command line of this process, runs its command, and prints its fault.

use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use super::command::{Command, dispatch};
use super::context::CommandContext;
use super::fault::CliFault;
use super::hardening;
use super::print::print_text;
use super::settings_use::check_settings;
use crate::addresses::printable;
use crate::config::Flags;

/// Personalisation and search backend for online shops that forgets exactly.
///
/// Settings: flag > LETHE_* > lethe.toml > default. A command refuses a flag of a setting that it does not use.
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

/// Name of this program in front of its faults.
const PROGRAM: &str = "lethe";
/// The answer to `lethe eval`.
const EVAL_MOVED: &str = "`lethe eval` is a program of its own now: `lethe-eval` (docs/relevance.md)";

/// Runs the command of this process.
#[must_use]
pub fn run() -> ExitCode {
    let parsed = crate::config::with_defaults(Cli::command()).subcommand(moved_eval()).try_get_matches();
    if parsed.as_ref().is_ok_and(|matches| matches.subcommand_name() == Some("eval")) {
        return print_fault(PROGRAM, &CliFault::Usage(EVAL_MOVED.to_owned()), asks_for_json());
    }
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (Cli { command, flags, json }, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return print_usage_error(PROGRAM, &error),
    };
    let given = matches
        .ids()
        .map(clap::Id::as_str)
        .filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine));
    let context = CommandContext { flags, given: given.map(str::to_owned).collect(), json };
    let Some(command) = command else { return print_missing_command(&context) };
    let checked = check_settings(&matches, &context.given);
    if let Err(fault) = checked.and_then(|()| Ok(crate::config::check_environment()?)) {
        return print_fault(PROGRAM, &fault, json);
    }
    hardening::harden_process();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let fault = CliFault::Failed(format!("no threads can be started: {error}"));
            return print_fault(PROGRAM, &fault, json);
        }
    };
    let ended = runtime.block_on(dispatch(&context, Cli::command(), command));
    // Blocked threads (a name look-up, a feed that is being read) must not hold the exit up.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => print_fault(PROGRAM, &fault, json),
    }
}

/// The answer to a command line without a command: the help, or a refusal if it asks for something.
fn print_missing_command(context: &CommandContext) -> ExitCode {
    if context.given.is_empty() {
        print_text(&Cli::command().render_help().to_string());
        return ExitCode::SUCCESS;
    }
    let sentence = "a command is missing: `lethe serve` serves, `lethe --help` lists all";
    print_fault(PROGRAM, &CliFault::Usage(sentence.to_owned()), context.json)
}

/// `lethe eval` with any arguments, in no help, manual or completion. One version says where it went; then this goes.
fn moved_eval() -> clap::Command {
    let rest = clap::Arg::new("rest").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
    clap::Command::new("eval").hide(true).disable_help_flag(true).arg(rest)
}

/// Returns true if the command line asks for JSON, also where it cannot be parsed.
fn asks_for_json() -> bool {
    std::env::args_os().any(|word| word == "--json")
}

/// Prints clap's answer to a command line of a program: help, the version, or a fault.
pub fn print_usage_error(program: &str, error: &clap::Error) -> ExitCode {
    if !asks_for_json() || !error.use_stderr() {
        error.exit();
    }
    let text = error.to_string();
    // The missing arguments stand below the first line.
    let sentence: Vec<_> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let sentence = sentence.join(" ").trim_start_matches("error: ").to_owned();
    print_fault(program, &CliFault::Usage(sentence), true)
}

/// Prints the fault of a program's command on standard error; returns its exit code.
#[expect(clippy::print_stderr, reason = "what a person reads goes here")]
pub fn print_fault(program: &str, fault: &CliFault, is_json: bool) -> ExitCode {
    if is_json {
        eprintln!("{}", fault.to_json());
    } else {
        // A server's sentence about a request may hold anything.
        let sentence = fault.to_string();
        let lines: Vec<String> = sentence.split('\n').map(printable).collect();
        eprintln!("{program}: {}", lines.join("\n"));
    }
    ExitCode::from(fault.exit_code())
}
