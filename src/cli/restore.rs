//! `lethe restore`.

use std::path::PathBuf;

use super::backup::{Bar, show_content};
use super::{CliFault, Context, say};
use crate::node::{FolderLock, Node};
use crate::recovery::restore::{self, Asked};
use crate::recovery::{RecoveryFault, backup};

/// What to restore.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  lethe restore /mnt/backups/2026-11-21 --data-dir /var/lib/lethe/data \
    --key-dir /var/lib/lethe/keys\n\n\
    The data folder (and a PostgreSQL database) has to be empty. All of the backup is checked first; one that is\n\
    foreign, cut off or damaged changes nothing. People who came after the backup are lost with their keys:\n\
    restore the newest backup first, and rehearse with a key folder of its own.")]
pub struct Options {
    /// Folder of the backup
    backup: PathBuf,
}

/// Runs it.
pub async fn run(context: &Context, options: Options) -> Result<(), CliFault> {
    let config = context.flags.load()?;
    let lock = FolderLock::take(&config.data_dir)?;
    let bar = Bar::new(context);
    let (copying, mut tell) = (config.clone(), bar.tell());
    let asked = Asked { backup: options.backup };
    let copied =
        tokio::task::spawn_blocking(move || Ok((restore::run(&copying, &lock, &asked, &mut tell)?, lock)));
    let copied = copied.await.unwrap_or(Err(RecoveryFault::BrokeOff));
    bar.clear();
    let (manifest, lock) = copied?;
    // The first start clears up, before anybody can ask anything.
    let node = Node::open_in(config, lock).await?;
    node.release().await;
    let restored = backup::summary(&manifest);
    if context.json {
        say(&restored);
    } else {
        say("Restored.");
        show_content(&restored);
    }
    Ok(())
}
