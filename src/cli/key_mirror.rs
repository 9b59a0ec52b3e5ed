//! `lethe key-mirror …`.

use serde_json::json;

use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use crate::keys::Keys;
use crate::node::StartFault;

/// Commands for the mirror.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Copy the mirror into an empty key folder; no server may run on either
    #[command(
        after_help = "Example:\n  lethe key-mirror restore --key-dir /var/lib/lethe/keys --key-mirror /mnt/second/keys"
    )]
    Restore,
}

/// Runs it.
///
/// # Errors
/// When the settings cannot be used, they name no mirror, or the key folder cannot be restored from it.
pub fn run(context: &CommandContext, command: &Command) -> Result<(), CliFault> {
    let Command::Restore = command;
    let config = context.flags.load()?;
    let Some(mirror) = &config.key_mirror else {
        return Err(CliFault::Usage("name the mirror with --key-mirror or LETHE_KEY_MIRROR".to_owned()));
    };
    Keys::restore(&config.key_dir, mirror).map_err(StartFault::from)?;
    if context.json {
        print_line(json!({"Restored": true}))
    } else {
        print_line("The key folder is restored; start the server as before, with the mirror.")
    }
    Ok(())
}
