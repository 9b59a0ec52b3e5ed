//! `lethe ledger …`: evidence for an auditor; `lethe-verify` checks it. Every account has a ledger of its own.

use std::io::{BufReader, BufWriter, Seek};
use std::path::{Path, PathBuf};

use lethe_verify::{CheckedLedger, Fault, Key, check_growth, check_ledger, read_checkpoint};
use serde_json::{Value, json};

use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, many};
use crate::disk;

/// Commands for the ledgers of erasures.
#[derive(clap::Subcommand)]
#[command(after_help = "Examples:
  lethe ledger key > key.txt
  lethe ledger checkpoint myshop > checkpoint.json
  lethe ledger export myshop --output ledger.ndjson && lethe-verify ledger ledger.ndjson --key key.txt
  lethe ledger growth myshop checkpoint.json > growth.json && lethe-verify growth checkpoint.json growth.json
  lethe ledger check")]
pub enum Command {
    /// Print the public key that signs every ledger: an auditor keeps it
    #[command(after_help = "Example:\n  lethe ledger key > key.txt")]
    Key,
    /// Print the present state of an account's ledger, signed: an auditor keeps it
    #[command(after_help = "Example:\n  lethe ledger checkpoint myshop > checkpoint.json")]
    Checkpoint {
        /// Name of the account; for one that a restore did not bring back, the `Ledger` of a checkpoint
        name: String,
    },
    /// Write all entries of an account, a line each, and their checkpoint
    #[command(after_help = "Example:\n  lethe ledger export myshop --output ledger.ndjson")]
    Export {
        /// Name of the account; for one that a restore did not bring back, the `Ledger` of a checkpoint
        name: String,
        /// File to write, or - for standard output
        #[arg(long, default_value = "-", value_name = "FILE")]
        output: PathBuf,
    },
    /// Print the proof that the ledger of an account has only grown since a checkpoint
    #[command(after_help = "Example:\n  lethe ledger growth myshop checkpoint.json > growth.json")]
    Growth {
        /// Name of the account; for one that a restore did not bring back, the `Ledger` of the checkpoint
        name: String,
        /// File with the checkpoint kept from earlier
        #[arg(value_name = "OLD_CHECKPOINT")]
        old: PathBuf,
    },
    /// Check the ledgers of all accounts, every entry of each
    #[command(after_help = "Examples:\n  lethe ledger check\n  lethe ledger check myshop")]
    Check {
        /// Name of one account; without it all are checked
        name: Option<String>,
    },
}

/// Runs it.
///
/// # Errors
/// When the server cannot be asked or refuses, a file cannot be read or written, or a checked ledger or proof
/// is not good.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Key => {
            let signer = control::call(context, "/control/ledger/key", &json!({})).await?;
            if context.json { print_line(&signer) } else { print_line(cell(&signer["Key"])) }
        }
        // Both are JSON in the form whose bytes count.
        Command::Checkpoint { name } => {
            print_line(control::call(context, "/control/ledger/checkpoint", &json!({"Name": name})).await?);
        }
        Command::Growth { name, old } => print_line(growth(context, &name, &old).await?),
        Command::Export { name, output } => export(context, &name, &output).await?,
        Command::Check { name } => check(context, name).await?,
    }
    Ok(())
}

/// The proof, checked before anybody relies on it.
async fn growth(context: &CommandContext, name: &str, old: &Path) -> Result<String, CliFault> {
    let shown = old.display();
    let text = std::fs::read_to_string(old).map_err(|error| CliFault::unreadable(&shown, &error))?;
    let old = read_checkpoint(&text).map_err(|fault| CliFault::Usage(format!("{shown}: {fault}")))?;
    let asked = json!({"Name": name, "Size": old.size});
    let grown = control::call(context, "/control/ledger/growth", &asked).await?;
    let grown = grown.to_string();
    let checked = check_growth(&old, &grown, None);
    checked.map_err(|fault: Fault| CliFault::Refused(format!("since {shown}: {fault}")))?;
    Ok(grown)
}

async fn export(context: &CommandContext, name: &str, output: &Path) -> Result<(), CliFault> {
    let asked = json!({"Name": name});
    if output == Path::new("-") {
        return control::copy(context, "/control/ledger/export", &asked, std::io::stdout()).await;
    }
    let shown = output.display();
    let failed = |error: std::io::Error| CliFault::Failed(format!("{shown} could not be written: {error}"));
    let file = disk::open_output(output).map_err(failed)?;
    // An answer that breaks off leaves the ledger that the file holds.
    let mut whole = BufWriter::new(tempfile::tempfile().map_err(failed)?);
    control::copy(context, "/control/ledger/export", &asked, &mut whole).await?;
    let mut whole = whole.into_inner().map_err(|fault| failed(fault.into_error()))?;
    let written = whole.rewind().and_then(|()| disk::write_output(&file, &mut whole));
    let bytes = written.map_err(failed)?;
    if context.json {
        print_line(json!({"File": shown.to_string(), "Bytes": bytes}));
    } else {
        print_line(format!("{shown}: {}", many(bytes, "byte", "bytes")));
    }
    Ok(())
}

/// Checks the ledger of each account, and continues after a bad one.
async fn check(context: &CommandContext, name: Option<String>) -> Result<(), CliFault> {
    let names = match name {
        Some(name) => vec![name],
        None => {
            let accounts = control::call(context, "/control/account/list", &json!({})).await?;
            accounts.as_array().into_iter().flatten().map(|account| cell(&account["Name"])).collect()
        }
    };
    let signer = control::call(context, "/control/ledger/key", &json!({})).await?;
    let key = cell(&signer["Key"]).parse::<Key>().map_err(|fault| CliFault::Failed(fault.to_string()))?;
    let mut verdicts = Vec::new();
    for name in names {
        verdicts.push(judge(context, name, key).await?);
    }
    if context.json {
        print_line(verdicts.iter().map(LedgerVerdict::to_json).collect::<Value>());
    } else {
        verdicts.iter().for_each(|verdict| print_line(verdict.to_line()));
    }
    let bad: Vec<_> = verdicts.iter().filter(|verdict| verdict.checked.is_err()).collect();
    if bad.is_empty() {
        Ok(())
    } else {
        let names: Vec<_> = bad.iter().map(|verdict| verdict.name.as_str()).collect();
        Err(CliFault::Refused(format!("not good: the ledger of {}", names.join(", "))))
    }
}

/// Result of the check of one ledger.
struct LedgerVerdict {
    name: String,
    checked: Result<CheckedLedger, Fault>,
}

impl LedgerVerdict {
    fn to_json(&self) -> Value {
        match &self.checked {
            Ok(CheckedLedger { checkpoint, .. }) => {
                json!({"Name": self.name, "Good": true, "Ledger": checkpoint.ledger, "Size": checkpoint.size})
            }
            Err(fault) => json!({"Name": self.name, "Good": false, "Error": fault.to_string()}),
        }
    }

    fn to_line(&self) -> String {
        match &self.checked {
            Ok(checked) => {
                format!("{}: {}, good", self.name, many(checked.checkpoint.size, "entry", "entries"))
            }
            Err(fault) => format!("{}: {fault}", self.name),
        }
    }
}

/// Reads a ledger through the checker while it is sent, whatever its size.
async fn judge(context: &CommandContext, name: String, key: Key) -> Result<LedgerVerdict, CliFault> {
    let failed = |error: std::io::Error| CliFault::Failed(format!("the ledger could not be read: {error}"));
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let checking =
        tokio::task::spawn_blocking(move || check_ledger(BufReader::new(reader), Some(&key), None));
    control::copy(context, "/control/ledger/export", &json!({"Name": name}), writer).await?;
    let checked = checking.await.map_err(|_| CliFault::Failed("the check broke off".to_owned()))?;
    Ok(LedgerVerdict { name, checked })
}
