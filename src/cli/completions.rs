//! `lethe completions`.

use super::context::CommandContext;
use super::fault::CliFault;

/// The shell.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  lethe completions bash > ~/.local/share/bash-completion/completions/lethe"
)]
pub struct Options {
    /// The shell that is to complete lethe's commands
    shell: clap_complete::Shell,
}

/// Prints the shell's script, which completes `commands`.
///
/// # Errors
/// With `--json`, as a script has no JSON form.
pub fn run(context: &CommandContext, mut commands: clap::Command, options: &Options) -> Result<(), CliFault> {
    if context.json {
        let sentence = "a completion script is read by a shell and has no JSON form: leave --json out";
        return Err(CliFault::Usage(sentence.to_owned()));
    }
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut commands, "lethe", &mut script);
    super::print::print_text(&String::from_utf8_lossy(&script));
    Ok(())
}
