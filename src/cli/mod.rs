//! The command line: each command is one file, and prints for people, or JSON with `--json`.

mod account;
mod config;
mod control;
mod key;
mod sample;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::{ConfigFault, Flags};
use crate::node::StartFault;

/// Personalisation and search backend for online shops that forgets exactly.
///
/// Without a command it serves. Settings: flag > LETHE_* > lethe.toml > default.
#[derive(Parser)]
#[command(name = "lethe", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    flags: Flags,
    /// Print one JSON value instead of text
    #[arg(long, global = true)]
    json: bool,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 failed; 2 bad usage or setting; 3 the data folder or database is in use; \
4 the store was written by a newer lethe.";

#[derive(Subcommand)]
enum Command {
    /// Serve (the default)
    Serve,
    /// Make and list accounts
    #[command(subcommand)]
    Account(account::Command),
    /// Rotate, revoke and list secret keys
    #[command(subcommand)]
    Key(key::Command),
    /// Show the effective settings, or a commented template
    #[command(subcommand)]
    Config(config::Command),
    /// Write the feed of a made-up shop, of any size
    Sample(sample::Options),
}

/// What a command needs to know.
struct Context {
    flags: Flags,
    json: bool,
}

/// How a command failed.
#[derive(Debug, thiserror::Error)]
enum CliFault {
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigFault),
    /// The server or the store could not be started.
    #[error(transparent)]
    Start(#[from] StartFault),
    /// The server said no; its own sentence.
    #[error("{0}")]
    Refused(String),
    /// The server cannot be reached, or something else stands in the way.
    #[error("{0}")]
    Failed(String),
}

impl CliFault {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) => 2,
            Self::Start(fault) => fault.exit_code(),
            Self::Refused(_) | Self::Failed(_) => 1,
        }
    }
}

/// Runs the command of this process.
#[must_use]
pub fn run() -> ExitCode {
    let Cli { command, flags, json } = Cli::parse();
    let context = Context { flags, json };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return say_fault(&CliFault::Failed(format!("no threads can be started: {error}"))),
    };
    let ended = runtime.block_on(async {
        match command.unwrap_or(Command::Serve) {
            Command::Serve => serve::run(&context).await,
            Command::Account(command) => account::run(&context, command).await,
            Command::Key(command) => key::run(&context, command).await,
            Command::Config(command) => config::run(&context, &command),
            Command::Sample(options) => sample::run(&context, &options),
        }
    });
    // Blocked threads (a name look-up, a feed that is being read) must not hold the exit up.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => say_fault(&fault),
    }
}

#[expect(clippy::print_stderr, reason = "what a person reads goes here")]
fn say_fault(fault: &CliFault) -> ExitCode {
    eprintln!("lethe: {fault}");
    ExitCode::from(fault.exit_code())
}

/// Prints a line of a command's answer.
#[expect(clippy::print_stdout, reason = "what a command answers goes here")]
fn say(line: impl std::fmt::Display) {
    println!("{line}");
}
