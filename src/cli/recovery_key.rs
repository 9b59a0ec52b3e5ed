//! `lethe recovery-key new`, and the key that the first start makes.

use std::io::IsTerminal;

use serde_json::json;

use super::context::CommandContext;
use super::fault::CliFault;
use super::print::{print_line, print_warning};
use crate::config::Config;
use crate::keys::LookupKeys;
use crate::node::{Node, StartFault};
use crate::recovery::bundle::{self, RecoveryKey};
use crate::recovery::journal;

/// The key that gives accounts, secrets and suppression back when the key folder is lost.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Make a recovery key and show its private half once; backups from now on are for it
    ///
    /// Older backups still need the key they were made for.
    #[command(after_help = "Examples:
  lethe recovery-key new
  lethe recovery-key new > /media/safe/recovery.txt     `lethe restore --recovery-key` reads that file")]
    New,
}

/// Runs it.
///
/// # Errors
/// When the settings cannot be used, the key folder has no keys yet, or it cannot be written.
pub fn run(context: &CommandContext, command: &Command) -> Result<(), CliFault> {
    let Command::New = command;
    let config = context.flags.load()?;
    if !config.key_dir.join("static.key").exists() {
        return Err(CliFault::Failed("the key folder has no keys yet; start `lethe serve` first".to_owned()));
    }
    create_key(context, &config)
}

/// A start on a terminal, or with `--json`, makes the key when there is none. Otherwise it would not be read.
///
/// # Errors
/// When the system gives no random bytes, or the key folder or the mirror of the journal cannot be read or
/// written.
pub fn made_at_first(context: &CommandContext, node: &Node) -> Result<(), CliFault> {
    let key_dir = &node.config.key_dir;
    if bundle::public(key_dir)?.is_some() {
        return Ok(());
    }
    if !context.json && !std::io::stdout().is_terminal() {
        tracing::warn!(
            "there is no recovery key: without one, losing the key folder loses everything. Make one with \
             `lethe recovery-key new`"
        );
        return Ok(());
    }
    create_key(context, &node.config)
}

fn create_key(context: &CommandContext, config: &Config) -> Result<(), CliFault> {
    let key = RecoveryKey::random()?;
    let text = key.reveal();
    key.adopt(&config.key_dir)?;
    print_key(context, &text);
    let Some(mirror) = &config.journal_mirror else { return Ok(()) };
    match LookupKeys::load(&config.key_dir).map_err(StartFault::from)? {
        Some(recognition) if journal::is_begun(mirror) => {
            Ok(bundle::refresh(&recognition, &config.key_dir, mirror)?)
        }
        _ => {
            print_warning("the mirror of the journal holds none; it gets its bundle at the next start");
            Ok(())
        }
    }
}

fn print_key(context: &CommandContext, text: &str) {
    if context.json {
        return print_line(json!({"RecoveryKey": text}));
    }
    print_line("Recovery key, shown only now:");
    print_line(format!("  {text}"));
    print_line(
        "Keep it where neither the server nor its backups are. With it and a backup, accounts, secrets, the catalogue",
    );
    print_line("and who was forgotten survive a lost key folder; it opens no record of a person.");
}
