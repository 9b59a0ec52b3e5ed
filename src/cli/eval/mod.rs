//! `lethe eval …`: how good answers are, measured on files, without a server.

pub mod feed;
mod recommend;
mod report;
mod search;

use super::context::CommandContext;
use super::fault::CliFault;

/// Commands for measurements.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Measure the search of a feed by queries whose answers people rated
    Search(search::Options),
    /// Measure recommendations on sessions of a shop: do they contain the next click?
    Recommend(recommend::Options),
}

/// Measures.
///
/// # Errors
/// When a file cannot be read, or a figure is below its floor with `--floors`.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Search(options) => search::run(context, options).await,
        Command::Recommend(options) => recommend::run(context, options).await,
    }
}
