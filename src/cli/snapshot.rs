//! `lethe snapshot …`.

use serde_json::json;

use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::difference::show_difference;
use super::fault::CliFault;
use super::feed;
use super::print::print_line;
use super::table::{cell, row, table, time};

/// Commands for snapshots: the state of a section as a feed left it.
#[derive(clap::Subcommand)]
pub enum Command {
    /// List the snapshots that are kept, newest first, each with the number of its feed
    #[command(after_help = "Example:\n  lethe snapshot list --account myshop")]
    List {
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Show what one snapshot changes in another
    #[command(after_help = "Example:\n  lethe snapshot compare 12 17")]
    Compare {
        /// Number of the snapshot before
        from: i64,
        /// Number of the snapshot after
        to: i64,
        #[command(flatten)]
        whose: AccountOption,
        /// Section
        #[arg(long, default_value = "Products")]
        section: String,
    },
    /// Go back to a snapshot: the shop shows it from then on, with the deltas since the last feed on top
    ///
    /// The next feed that is submitted replaces it again.
    #[command(after_help = "Example:\n  lethe snapshot back 12 --wait")]
    Back {
        /// Number of the snapshot
        number: i64,
        /// Section
        #[arg(long, default_value = "Products")]
        section: String,
        /// Wait for the end; exit 1 with the reason when it fails
        #[arg(long)]
        wait: bool,
        #[command(flatten)]
        whose: AccountOption,
    },
}

/// Runs it.
///
/// # Errors
/// When the server cannot be asked or refuses; with `--wait`, also when going back fails.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::List { whose } => {
            let listed = Api::open(context, &whose)?.post("/api/snapshots", &json!({})).await?;
            if context.json {
                print_line(&listed);
                return Ok(());
            }
            let mut rows = vec![row(["Number", "Feed", "Section", "Items", "Bytes", "Published", ""])];
            rows.extend(listed.as_array().into_iter().flatten().map(|kept| {
                let [number, feed, section, items, bytes] =
                    ["Number", "KindNumber", "Section", "Items", "Bytes"].map(|name| cell(&kept[name]));
                let shown = if kept["Shown"] == true { "shown" } else { "" };
                vec![number, feed, section, items, bytes, time(&kept["PublishedAt"]), shown.to_owned()]
            }));
            table(&rows).iter().for_each(print_line);
        }
        Command::Compare { from, to, section, whose } => {
            let asked = json!({"Section": section, "From": from, "To": to});
            let found = Api::open(context, &whose)?.post("/api/snapshots/compare", &asked).await?;
            if context.json {
                print_line(&found);
            } else {
                show_difference(&found);
            }
        }
        Command::Back { number, section, wait, whose } => {
            let api = Api::open(context, &whose)?;
            let asked = json!({"Section": section, "Number": number});
            feed::submit(context, &api, "/api/snapshots/back", &asked, wait).await?;
        }
    }
    Ok(())
}
