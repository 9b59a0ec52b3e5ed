//! `lethe ledger …`: what an auditor needs; `lethe-verify` checks it.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use lethe_verify::{Fault, check_growth, read_checkpoint};
use serde_json::json;

use super::table::{cell, many};
use super::{CliFault, Context, control, say};
use crate::disk;

/// What to hand out of the ledger of erasures.
#[derive(clap::Subcommand)]
#[command(after_help = "Examples:
  lethe ledger key > ledger.key
  lethe ledger checkpoint > checkpoint.json
  lethe ledger export --output ledger.ndjson && lethe-verify ledger ledger.ndjson --key ledger.key
  lethe ledger growth checkpoint.json > growth.json && lethe-verify growth checkpoint.json growth.json")]
pub enum Command {
    /// Print the public key that signs: an auditor keeps it
    #[command(after_help = "Example:\n  lethe ledger key > ledger.key")]
    Key,
    /// Print what the ledger is now, signed: an auditor keeps it
    #[command(after_help = "Example:\n  lethe ledger checkpoint > checkpoint.json")]
    Checkpoint,
    /// Write all entries, a line each, and the checkpoint of them
    #[command(after_help = "Example:\n  lethe ledger export --output ledger.ndjson")]
    Export {
        /// File to write, or - for standard output
        #[arg(long, default_value = "-", value_name = "FILE")]
        output: PathBuf,
    },
    /// Print the proof that the ledger has only grown since a checkpoint
    #[command(after_help = "Example:\n  lethe ledger growth checkpoint.json > growth.json")]
    Growth {
        /// File with the checkpoint kept from earlier
        #[arg(value_name = "OLD_CHECKPOINT")]
        old: PathBuf,
    },
}

/// Runs it.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Key => {
            let signer = control::ask(context, "/control/ledger/key", &json!({})).await?;
            if context.json { say(&signer) } else { say(cell(&signer["Key"])) }
        }
        // Both are JSON in the form whose bytes count.
        Command::Checkpoint => say(control::ask(context, "/control/ledger/checkpoint", &json!({})).await?),
        Command::Growth { old } => say(growth(context, &old).await?),
        Command::Export { output } => export(context, &output).await?,
    }
    Ok(())
}

/// The proof, checked before anybody relies on it.
async fn growth(context: &Context, old: &Path) -> Result<String, CliFault> {
    let shown = old.display();
    let text = std::fs::read_to_string(old)
        .map_err(|error| CliFault::Usage(format!("{shown} cannot be read: {error}")))?;
    let old = read_checkpoint(&text).map_err(|fault| CliFault::Usage(format!("{shown}: {fault}")))?;
    let grown = control::ask(context, "/control/ledger/growth", &json!({"Size": old.size})).await?;
    let grown = grown.to_string();
    let checked = check_growth(&old, &grown, None);
    checked.map_err(|fault: Fault| CliFault::Refused(format!("since {shown}: {fault}")))?;
    Ok(grown)
}

async fn export(context: &Context, output: &Path) -> Result<(), CliFault> {
    if output == Path::new("-") {
        return control::copy(context, "/control/ledger/export", std::io::stdout()).await;
    }
    let shown = output.display();
    let failed = |error: std::io::Error| CliFault::Failed(format!("{shown} could not be written: {error}"));
    let file = disk::output(output).map_err(failed)?;
    let mut out = BufWriter::new(&file);
    control::copy(context, "/control/ledger/export", &mut out).await?;
    out.flush().and_then(|()| disk::sync(&file)).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    if context.json {
        say(json!({"File": shown.to_string(), "Bytes": bytes}));
    } else {
        say(format!("{shown}: {}", many(bytes, "byte", "bytes")));
    }
    Ok(())
}
