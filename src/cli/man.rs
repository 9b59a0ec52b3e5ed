//! `lethe man`.

use std::path::{Path, PathBuf};

use clap_mangen::Man;
use serde_json::json;

use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;

/// Target of the pages.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  lethe man ~/.local/share/man/man1")]
pub struct Options {
    /// An existing folder, which gets a page for each command, and one for lethe-verify
    folder: PathBuf,
}

/// Writes the pages of `commands`.
///
/// # Errors
/// When a file cannot be written.
pub fn run(context: &CommandContext, commands: clap::Command, options: &Options) -> Result<(), CliFault> {
    let folder = options.folder.display();
    write(commands, &options.folder)
        .map_err(|error| CliFault::Failed(format!("{folder} could not be written: {error}")))?;
    if context.json {
        print_line(json!({"Folder": folder.to_string()}));
    } else {
        print_line(format!("{folder}: a page for each command, and one for lethe-verify"));
    }
    Ok(())
}

fn write(commands: clap::Command, folder: &Path) -> std::io::Result<()> {
    clap_mangen::generate_to(with_long_help(commands), folder)?;
    Man::new(verifier()).generate_to(folder)?;
    Ok(())
}

/// All commands; the pages also have the options that `-h` leaves to `--help`.
fn with_long_help(commands: clap::Command) -> clap::Command {
    crate::config::with_defaults(commands).mut_args(|argument| match argument.get_help().cloned() {
        Some(help) if argument.get_long_help().is_none() => argument.long_help(help),
        _ => argument,
    })
}

/// `lethe-verify` as a page shows it. It reads its command line without clap, to stay small; its page is its help.
fn verifier() -> clap::Command {
    let (about, usage) = lethe_verify::HELP.split_once("\n\n").unwrap_or(("", lethe_verify::HELP));
    clap::Command::new("lethe-verify")
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .after_help(usage)
}
