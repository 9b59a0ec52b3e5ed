//! The command line: each command is one file, and prints for people, or JSON with `--json`.

mod account;
mod api;
mod backup;
mod check;
mod completions;
mod config;
mod control;
mod delta;
mod demo;
mod doctor;
mod drill;
mod erasure;
mod eval;
mod events;
mod feed;
mod folder;
mod forget;
mod hardening;
mod health;
mod issues;
mod key;
mod key_epoch;
mod key_mirror;
mod ledger;
mod lists;
mod man;
mod model;
mod page;
mod person;
mod quality;
mod recommend;
mod recovery_key;
mod report;
mod restore;
mod rules;
mod sample;
mod search;
mod serve;
mod shopper_events;
mod snapshot;
mod status;
mod systemd;
mod table;
mod view;
mod wait;
mod webhook;
mod why;
mod zones;

use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::config::{ConfigFault, Flags};
use crate::node::StartFault;
use crate::spelling::printable;

/// Personalisation and search backend for online shops that forgets exactly.
///
/// Without a command it serves. Settings: flag > LETHE_* > lethe.toml > default.
#[derive(Parser)]
#[command(name = "lethe", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print one JSON value instead of text; a fault is one too, on standard error
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    flags: Flags,
}

const AFTER_HELP: &str = "\
Start here:
  lethe demo                      a guided tour in a temporary folder
  lethe serve                     serve from ./lethe-data on 127.0.0.1:8080
  lethe account create myshop     make an account; prints its keys once
  lethe check feed.json           what the server would say to a feed

The commands of a shop (feed, snapshot, delta, status, forget, erasure, export, scan,
suppression, return, product, catalogue, search, complete, recommend, events, issues, submissions) read LETHE_URL
(default http://127.0.0.1:8080), LETHE_ACCESS_KEY and LETHE_SECRET_KEY or LETHE_SECRET_KEY_FILE. With --account
NAME they need no keys and reach the server of the data folder.

Exit codes: 0 done; 1 failed or refused; 2 bad usage, setting or variable, or a fault
that only the operator can mend; 3 a folder or the database is in use; 4 the store was written by another
version of lethe; 5 something of a person was found; 6 the server does not take these keys (403); 7 what was
asked for is not there (404), or its key is lost (410). With --json a fault is {\"Error\", \"ExitCode\"} on standard
error, with \"Status\" when a server answered it.";

#[derive(Subcommand)]
enum Command {
    /// Serve (the default)
    Serve(serve::Options),
    /// A guided tour: a whole shop in a temporary folder, from feed to forgetting
    Demo(demo::Options),
    /// Make and list accounts
    #[command(subcommand)]
    Account(account::Command),
    /// Rotate, revoke and list secret keys
    #[command(subcommand)]
    Key(key::Command),
    /// Hand out the ledger of erasures: its key, a checkpoint, all entries, the proof that it only grew
    #[command(subcommand)]
    Ledger(ledger::Command),
    /// Show or rotate the epoch of the keys of people: old copies of the slot file die with it
    #[command(subcommand)]
    KeyEpoch(key_epoch::Command),
    /// Restore a lost key folder from its mirror
    #[command(subcommand)]
    KeyMirror(key_mirror::Command),
    /// Check a feed as the server would, without a server
    Check(check::Options),
    /// Submit product feeds
    #[command(subcommand)]
    Feed(feed::Command),
    /// List, compare and go back to what was shown before
    #[command(subcommand)]
    Snapshot(snapshot::Command),
    /// Put products in front, higher, lower or out of searches, and lead searches elsewhere
    #[command(subcommand)]
    Rules(rules::Command),
    /// What stands in the zones of the shop's pages
    #[command(subcommand)]
    Zones(zones::Command),
    /// Tell the shop's own server what ended
    #[command(subcommand)]
    Webhook(webhook::Command),
    /// Send changes
    #[command(subcommand)]
    Delta(delta::Command),
    /// Ask where feeds and deltas are
    Status(status::Options),
    /// Forget a person
    Forget(forget::Options),
    /// Show what became of requests to forget, with the evidence
    #[command(subcommand)]
    Erasure(erasure::Command),
    /// Print everything that is stored about a person, for them
    Export(person::Export),
    /// Look for a person in every place and every byte
    Scan(person::Scan),
    /// Ask whether somebody is on the list of the forgotten
    #[command(subcommand)]
    Suppression(person::Suppression),
    /// Let a forgotten person in again who came back
    Return(person::Return),
    /// Show one product as the shop shows it now, or why it does (--why)
    Product(view::Product),
    /// Show what the shop shows now: counts, and a page of items
    Catalogue(view::Catalogue),
    /// Search a shop as its shoppers do
    Search(search::Search),
    /// Complete what a shopper types
    Complete(search::Complete),
    /// Recommend products as a shop's page would
    Recommend(recommend::Recommend),
    /// Send what shoppers did
    #[command(subcommand)]
    Events(shopper_events::Command),
    /// Make what recommendations are made of anew, and compare
    #[command(subcommand)]
    Model(model::Command),
    /// Say what products lack, and what mending it would change in searches
    Quality(quality::Quality),
    /// Say what shoppers saw, searched, clicked and bought
    Report(report::Report),
    /// Show what was wrong with the rows of a feed or delta, and what to do
    Issues(issues::Issues),
    /// Show recent feeds and deltas with their progress
    Submissions(view::Submissions),
    /// Make a backup of the database and the catalogue files, while the server goes on
    Backup(backup::Options),
    /// Make a backup the data folder and the database again
    Restore(restore::Options),
    /// Say what has to be done before something is lost; exit 1 when anything has to
    #[command(after_help = "Examples:\n  lethe doctor\n  lethe doctor --json --data-dir /var/lib/lethe/data")]
    Doctor,
    /// Send a made-up person through every door, forget them, restore an old backup, and look for them
    Drill(drill::Options),
    /// Make the key that survives a lost key folder
    #[command(subcommand)]
    RecoveryKey(recovery_key::Command),
    /// Show the effective settings, or a commented template
    #[command(subcommand)]
    Config(config::Command),
    /// Ask a server whether it lives: the one at LETHE_URL or, without it, at --listen
    #[command(after_help = "Examples:\n  lethe health\n  lethe health --listen 127.0.0.1:9090
  LETHE_URL=http://10.0.0.5:8080 lethe health")]
    Health,
    /// Measure how good answers are
    #[command(subcommand)]
    Eval(eval::Command),
    /// Write the feed of a made-up shop, of any size, or a history of its shoppers
    Sample(sample::Options),
    /// Print a completion script for a shell
    Completions(completions::Options),
    /// Write the manual pages into a folder
    Man(man::Options),
}

/// What a command needs to know.
struct Context {
    flags: Flags,
    /// Names of the arguments that stand on the command line, before and behind the command.
    given: Vec<String>,
    json: bool,
}

/// How a command failed.
#[derive(Debug, thiserror::Error)]
enum CliFault {
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigFault),
    /// A variable or file that the command needs; says which.
    #[error("{0}")]
    Usage(String),
    /// The server or the store could not be started.
    #[error(transparent)]
    Start(#[from] StartFault),
    /// The server said no; its own sentence.
    #[error("{sentence}")]
    Answered {
        /// The status of its answer.
        status: u16,
        /// What it said.
        sentence: String,
    },
    /// What was asked for has failed, or something has to be done.
    #[error("{0}")]
    Refused(String),
    /// Something was found that should not be there.
    #[error("{0}")]
    Found(String),
    /// The server cannot be reached, or something else stands in the way.
    #[error("{0}")]
    Failed(String),
}

/// Exit code when the server does not take the keys.
const WRONG_KEYS: u8 = 6;
/// Exit code when what was asked for is not there, or not any more.
const NOT_THERE: u8 = 7;

impl CliFault {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Usage(_) => 2,
            Self::Start(fault) => fault.exit_code(),
            Self::Found(_) => person::FOUND,
            // red: it::cli::errors::exit_codes_tell_wrong_keys_from_what_is_not_there
            Self::Answered { status: 403, .. } => mutant!("wrong-keys-exit-as-any-refusal", WRONG_KEYS, 1),
            Self::Answered { status: 404 | 410, .. } => NOT_THERE,
            Self::Answered { .. } | Self::Refused(_) | Self::Failed(_) => 1,
        }
    }

    /// The fault as one JSON object.
    fn to_json(&self) -> serde_json::Value {
        let mut told = serde_json::json!({"Error": self.to_string(), "ExitCode": self.exit_code()});
        if let Self::Answered { status, .. } = self {
            told["Status"] = (*status).into();
        }
        told
    }
}

/// Runs the command of this process.
#[must_use]
pub fn run() -> ExitCode {
    let parsed = crate::config::with_defaults(Cli::command()).try_get_matches();
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (Cli { command, flags, json }, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return say_usage(&error),
    };
    let given = matches
        .ids()
        .map(clap::Id::as_str)
        .filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine));
    let context = Context { flags, given: given.map(str::to_owned).collect(), json };
    if let Err(fault) = crate::config::check_environment() {
        return say_fault(&fault.into(), json);
    }
    hardening::harden();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return say_fault(&CliFault::Failed(format!("no threads can be started: {error}")), json);
        }
    };
    let ended = runtime.block_on(async {
        dispatch(&context, command.unwrap_or(Command::Serve(serve::Options::default()))).await
    });
    // Blocked threads (a name look-up, a feed that is being read) must not hold the exit up.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => say_fault(&fault, json),
    }
}

/// What clap says of a command line: help, the version, or what is wrong with it.
fn say_usage(error: &clap::Error) -> ExitCode {
    let is_json = std::env::args_os().any(|word| word == "--json");
    if !is_json || !error.use_stderr() {
        error.exit();
    }
    let text = error.to_string();
    let sentence = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    say_fault(&CliFault::Usage(sentence.to_owned()), true)
}

async fn dispatch(context: &Context, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Serve(options) => serve::run(context, &options).await,
        Command::Demo(options) => demo::run(context, &options).await,
        Command::Account(command) => account::run(context, command).await,
        Command::Key(command) => key::run(context, command).await,
        Command::Ledger(command) => ledger::run(context, command).await,
        Command::KeyEpoch(command) => key_epoch::run(context, &command).await,
        Command::KeyMirror(command) => key_mirror::run(context, &command),
        Command::Check(options) => check::run(context, &options).await,
        Command::Feed(command) => feed::run(context, command).await,
        Command::Snapshot(command) => snapshot::run(context, command).await,
        Command::Rules(command) => rules::run(context, command).await,
        Command::Zones(command) => zones::run(context, command).await,
        Command::Webhook(command) => webhook::run(context, command).await,
        Command::Delta(command) => delta::run(context, command).await,
        Command::Status(options) => status::run(context, &options).await,
        Command::Forget(options) => forget::run(context, options).await,
        Command::Erasure(command) => erasure::run(context, command).await,
        Command::Export(options) => person::export(context, &options).await,
        Command::Scan(options) => person::scan(context, &options).await,
        Command::Suppression(command) => person::suppression(context, &command).await,
        Command::Return(options) => person::come_back(context, &options).await,
        Command::Product(options) => view::product(context, &options).await,
        Command::Catalogue(options) => view::catalogue(context, &options).await,
        Command::Search(options) => search::search(context, &options).await,
        Command::Complete(options) => search::complete(context, &options).await,
        Command::Recommend(options) => recommend::run(context, &options).await,
        Command::Events(command) => shopper_events::run(context, command).await,
        Command::Model(command) => model::run(context, &command).await,
        Command::Quality(options) => quality::run(context, &options).await,
        Command::Report(options) => report::run(context, &options).await,
        Command::Issues(options) => issues::run(context, &options).await,
        Command::Submissions(options) => view::submissions(context, &options).await,
        Command::Backup(options) => backup::run(context, options).await,
        Command::Restore(options) => restore::run(context, options).await,
        Command::Doctor => doctor::run(context).await,
        Command::Drill(options) => drill::run(context, &options).await,
        Command::RecoveryKey(command) => recovery_key::run(context, &command),
        Command::Config(command) => config::run(context, &command).await,
        Command::Health => health::run(context).await,
        Command::Eval(command) => eval::run(context, command).await,
        Command::Sample(options) => sample::run(context, &options).await,
        Command::Completions(options) => completions::run(context, &options),
        Command::Man(options) => man::run(context, &options),
    }
}

#[expect(clippy::print_stderr, reason = "what a person reads goes here")]
fn say_fault(fault: &CliFault, is_json: bool) -> ExitCode {
    // red: it::cli::errors::a_fault_is_json_where_json_was_asked_for
    if mutant!("a-fault-is-always-text", is_json, false) {
        eprintln!("{}", fault.to_json());
    } else {
        // What a server says of what was sent to it may hold anything.
        let sentence = fault.to_string();
        let lines: Vec<String> = sentence.split('\n').map(printable).collect();
        eprintln!("lethe: {}", lines.join("\n"));
    }
    ExitCode::from(fault.exit_code())
}

#[expect(clippy::print_stderr, reason = "what a person reads goes here")]
fn say_warning(warning: &str) {
    eprintln!("lethe: {}", printable(warning));
}

/// Prints a line of a command's answer.
fn say(line: impl std::fmt::Display) {
    say_text(&format!("{line}\n"));
}

/// Prints text as it is. When nobody reads on (`| head`) the command ends; when it cannot be written, as failed.
fn say_text(text: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        let code = i32::from(error.kind() != std::io::ErrorKind::BrokenPipe);
        std::process::exit(code);
    }
}
