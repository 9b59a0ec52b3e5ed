//! `lethe recovery-key new`, and the key that the first start makes.

use std::io::IsTerminal;

use serde_json::json;

use super::{CliFault, Context, say};
use crate::node::Node;
use crate::recovery::bundle::{self, RecoveryKey};

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
pub fn run(context: &Context, command: &Command) -> Result<(), CliFault> {
    let Command::New = command;
    let config = context.flags.load()?;
    if !config.key_dir.join("static.key").exists() {
        return Err(CliFault::Failed("the key folder has no keys yet; start `lethe serve` first".to_owned()));
    }
    make(context, &config.key_dir)
}

/// A start on a terminal, or with `--json`, makes the key when there is none. Otherwise nobody would read it.
pub fn made_at_first(context: &Context, node: &Node) -> Result<(), CliFault> {
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
    make(context, key_dir)
}

fn make(context: &Context, key_dir: &std::path::Path) -> Result<(), CliFault> {
    let key = RecoveryKey::random()?;
    let text = key.reveal()?;
    key.adopt(key_dir)?;
    if context.json {
        say(json!({"RecoveryKey": text.as_str()}));
        return Ok(());
    }
    say("Recovery key, shown only now:");
    say(format!("  {}", text.as_str()));
    say(
        "Keep it where neither the server nor its backups are. With it and a backup, accounts, secrets, the catalogue",
    );
    say("and who was forgotten survive a lost key folder; it opens no record of a person.");
    Ok(())
}
