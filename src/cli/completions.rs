//! `lethe completions`.

use clap::CommandFactory;

/// Which shell.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  lethe completions bash > ~/.local/share/bash-completion/completions/lethe"
)]
pub struct Options {
    /// The shell that is to complete lethe's commands
    shell: clap_complete::Shell,
}

/// Prints the shell's script.
pub fn run(options: &Options) {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut super::Cli::command(), "lethe", &mut script);
    super::say_text(&String::from_utf8_lossy(&script));
}
