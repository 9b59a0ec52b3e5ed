//! `lethe feed …`.

use serde_json::json;

use super::api::{Api, Whose};
use super::{CliFault, Context, wait};

/// What to do with feeds.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Submit a feed by its URL
    ///
    /// The server fetches it, checks every row and publishes it whole or not at all. Prints the token of the
    /// submission; `lethe status TOKEN` asks where it is.
    #[command(after_help = EXAMPLES)]
    Submit {
        /// Absolute http or https URL; it has to stay downloadable for 24 hours
        url: String,
        /// Wait for the end, with a progress bar; exit 1 with the reason when it fails
        #[arg(long)]
        wait: bool,
        /// A GUID of your own: submitting the same again under it changes nothing
        #[arg(long, value_name = "GUID")]
        token: Option<String>,
        #[command(flatten)]
        whose: Whose,
    },
}

const EXAMPLES: &str = "\
Examples:
  lethe feed submit https://shop.example/feed.json --wait
  lethe feed submit https://shop.example/feed.json --account myshop --json";

/// Runs it.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    let Command::Submit { url, wait, token, whose } = command;
    let api = Api::open(context, &whose)?;
    let mut feed = json!({"url": url});
    if let Some(token) = token {
        feed["Token"] = token.into();
    }
    let reply = api.post_text("/api/productfeed", &feed.to_string()).await?;
    let token = reply.feed_token;
    let token = token.ok_or_else(|| CliFault::Failed("the server told no token".to_owned()))?;
    wait::shown(context, &api, &token, wait).await
}
