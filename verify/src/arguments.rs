//! The command line of `lethe-verify`.

use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value, ValueExt};
use uuid::Uuid;

/// Text of `--help`.
pub const HELP: &str = "\
Checks erasure certificates and the ledger of Lethe. Needs no network and no server.

Usage: lethe-verify certificate FILE [OPTIONS]          the certificate of an erasure
       lethe-verify ledger FILE [OPTIONS]               a whole ledger, as `lethe ledger export` writes it
       lethe-verify growth CHECKPOINT GROWTH [OPTIONS]  that a ledger has only grown, without its entries

Options:
      --key KEY             The key that has to have signed: 64 hexadecimal digits, or a file with them
      --ledger ID           The ledger it has to belong to: the `Ledger` of a checkpoint of that account
      --earlier CHECKPOINT  With `ledger`: a checkpoint kept from earlier, whose ledger has to be the beginning
      --json                Print one JSON value instead of text
  -h, --help                Print this help
  -V, --version             Print the version

Exit codes: 0 it proves what it says; 5 it does not, and the sentence says why; 2 bad usage.
Without --key everything is checked but who signed: compare the key that is printed with one you got another way.";

const VERSION: &str = concat!("lethe-verify ", env!("CARGO_PKG_VERSION"));

/// The command line.
pub enum Asked {
    Say(&'static str),
    Check(Arguments),
}

/// The check, the expected key and ledger, and the form of the verdict.
pub struct Arguments {
    pub command: Command,
    pub key: Option<String>,
    pub ledger: Option<Uuid>,
    pub json: bool,
}

pub enum Command {
    Certificate { file: PathBuf },
    Ledger { file: PathBuf, earlier: Option<PathBuf> },
    Growth { old: PathBuf, growth: PathBuf },
}

/// Reads the command line.
///
/// # Errors
/// When it names no command, or not the files of the command, or has an option that is not known there.
pub fn read(mut parser: lexopt::Parser) -> Result<Asked, lexopt::Error> {
    let mut values = Vec::new();
    let mut earlier = None;
    let mut key = None;
    let mut ledger = None;
    let mut json = false;
    while let Some(argument) = parser.next()? {
        match argument {
            Long("key") => key = Some(parser.value()?.string()?),
            Long("ledger") => ledger = Some(parser.value()?.parse()?),
            Long("earlier") => earlier = Some(PathBuf::from(parser.value()?)),
            Long("json") => json = true,
            Short('h') | Long("help") => return Ok(Asked::Say(HELP)),
            Short('V') | Long("version") => return Ok(Asked::Say(VERSION)),
            Value(value) => values.push(PathBuf::from(value)),
            _ => return Err(argument.unexpected()),
        }
    }
    let mut values = values.into_iter();
    let name = values.next().unwrap_or_default();
    let command = match (name.to_str(), values.next(), values.next(), values.next(), earlier) {
        (Some("certificate"), Some(file), None, None, None) => Command::Certificate { file },
        (Some("ledger"), Some(file), None, None, earlier) => Command::Ledger { file, earlier },
        (Some("growth"), Some(old), Some(growth), None, None) => Command::Growth { old, growth },
        _ => return Err("a command with its files is needed".into()),
    };
    Ok(Asked::Check(Arguments { command, key, ledger, json }))
}
