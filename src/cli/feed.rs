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
    /// Follow a feed, or a delta, to its end
    ///
    /// Shows phase, rows, rate, bytes and the time left: on a terminal as a bar, otherwise a line for each change,
    /// with --json one JSON object a line. Goes on when the server restarts; gives up after a minute without one.
    /// Exit 0 when it is complete, 1 with the reason when it failed.
    #[command(after_help = WATCH_EXAMPLES)]
    Watch {
        /// Token of a feed or delta
        token: String,
        #[command(flatten)]
        whose: Whose,
    },
}

const EXAMPLES: &str = "\
Examples:
  lethe feed submit https://shop.example/feed.json --wait
  lethe feed submit https://shop.example/feed.json --account myshop --json";

const WATCH_EXAMPLES: &str = "\
Examples:
  lethe feed watch 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55
  lethe feed watch 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop --json";

/// Runs it.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Submit { url, wait, token, whose } => submit(context, &url, wait, token, &whose).await,
        Command::Watch { token, whose } => {
            let api = Api::open(context, &whose)?;
            wait::watched(context, &api, &token).await
        }
    }
}

async fn submit(
    context: &Context,
    url: &str,
    wait: bool,
    token: Option<String>,
    whose: &Whose,
) -> Result<(), CliFault> {
    let api = Api::open(context, whose)?;
    let mut feed = json!({"url": url});
    if let Some(token) = token {
        feed["Token"] = token.into();
    }
    let reply = api.post_text("/api/productfeed", &feed.to_string()).await?;
    let token = reply.feed_token;
    let token = token.ok_or_else(|| CliFault::Failed("the server told no token".to_owned()))?;
    wait::shown(context, &api, &token, wait).await
}
