//! `lethe restore`.

use std::path::{Path, PathBuf};

use serde_json::json;
use zeroize::Zeroizing;

use super::backup::{ProgressLine, show_content};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::many;
use crate::maintenance::backup;
use crate::node::{FolderLock, Node};
use crate::recovery::RecoveryFault;
use crate::recovery::bundle::RecoveryKey;
use crate::recovery::restore::{self, RestoreRequest};

/// Backup to restore.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  lethe restore /mnt/backups/2026-11-21 --data-dir /var/lib/lethe/data \
    --key-dir /var/lib/lethe/keys\n\n\
    The data folder (and a PostgreSQL database) has to be empty. All of the backup is checked first; one that is\n\
    foreign, cut off or damaged changes nothing. People who came after the backup are lost with their keys:\n\
    restore the newest backup first, and rehearse with a key folder of its own.")]
pub struct Options {
    /// Folder of the backup
    backup: PathBuf,
    /// File with the recovery key, or - for standard input: when the key folder is lost
    #[arg(long, value_name = "FILE")]
    recovery_key: Option<PathBuf>,
    /// Folder with a newer copy of the journal of erasures: the one of --journal-mirror
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// Go on although a part of the journal is missing, or everything after the backup: people forgotten in that part
    /// may come back
    #[arg(long)]
    accept_journal_gap: bool,
    /// Allow restoring to another engine than the key folder's; the old store becomes unusable
    #[arg(long)]
    change_engine: bool,
}

fn recovery_key(path: &Path) -> Result<RecoveryKey, CliFault> {
    let read = if path.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    let unreadable = |error| CliFault::unreadable(format!("the recovery key {}", path.display()), &error);
    let text = read.map(Zeroizing::new).map_err(unreadable)?;
    Ok(RecoveryKey::parse(&text)?)
}

/// Runs it.
///
/// # Errors
/// When the settings, the backup, the recovery key or a folder cannot be used, or the restored store does not
/// open.
pub async fn run(context: &CommandContext, options: Options) -> Result<(), CliFault> {
    let mut config = context.flags.load()?;
    config.accept_journal_gap = options.accept_journal_gap;
    if !options.backup.is_dir() {
        let sentence = format!("there is no backup there: {} is no folder", options.backup.display());
        return Err(CliFault::Usage(sentence));
    }
    let key = options.recovery_key.as_deref().map(recovery_key).transpose()?;
    let lock = FolderLock::acquire(&config.data_dir)?;
    let bar = ProgressLine::new(context);
    let copying = config.clone();
    let mut tell = bar.progress_callback();
    let journal = options.journal.or_else(|| config.journal_mirror.clone());
    let accept_gap = options.accept_journal_gap;
    let change_engine = options.change_engine;
    let asked =
        RestoreRequest { backup: options.backup, recovery_key: key, journal, accept_gap, change_engine };
    let copied = tokio::task::spawn_blocking(move || {
        Ok((restore::restore_backup(&copying, &lock, &asked, &mut tell)?, lock))
    });
    let copied = copied.await.unwrap_or(Err(RecoveryFault::BrokeOff));
    bar.clear();
    let (manifest, lock) = copied?;
    // The first start clears up, before anybody can ask anything.
    let node = Node::open_in(config, lock).await?;
    backup::note_restored(&node, &manifest).await.map_err(RecoveryFault::from)?;
    node.release().await;
    let recovered = node.recovered;
    let mut restored = backup::summary(&manifest);
    restored["Replayed"] = json!({
        "Records": recovered.replayed.records, "Erasures": recovered.replayed.erasures, "People": recovered.replayed.subjects,
        "Identifiers": recovered.replayed.tags,
        "UnknownAccounts": recovered.replayed.unknown_accounts, "GapAccepted": recovered.replayed.gap_accepted,
    });
    restored["Lost"] = recovered.lost.into();
    if context.json {
        print_line(&restored);
        return Ok(());
    }
    print_line("Restored; a server may start.");
    show_content(&restored);
    print_line(format!(
        "Forgotten since that backup, and again now: {}, {} in it.",
        many(recovered.replayed.erasures, "erasure", "erasures"),
        many(recovered.replayed.subjects, "person who was", "people who were")
    ));
    if recovered.replayed.unknown_accounts > 0 {
        print_line(format!(
            "Of accounts that came after the backup: {}; the numbers of these accounts are not given again.",
            many(recovered.replayed.unknown_accounts, "erasure", "erasures")
        ));
    }
    if recovered.lost > 0 {
        print_line(format!(
            "Lost: {} with orders and all, as the keys are gone. Nothing of them is stored any more.",
            many(recovered.lost, "person", "people")
        ));
    }
    Ok(())
}
