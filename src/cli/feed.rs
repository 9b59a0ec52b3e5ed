//! `lethe feed …`.

use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::{difference, feed_upload, status, wait};
use crate::addresses::{printable, shell_word};

/// Commands for feeds.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Submit a feed: a file, or its URL
    ///
    /// A file is sent to the server in pieces; a URL the server fetches itself. It checks every row and publishes the
    /// feed whole or not at all. Prints the token of the submission; `lethe status TOKEN` asks where it is.
    #[command(after_help = EXAMPLES, visible_alias = "upload")]
    Submit {
        /// A file, plain, gzip or zstd; - for standard input; or an absolute http or https URL, which has to stay
        /// downloadable for 24 hours
        #[arg(value_name = "FILE|URL")]
        feed: String,
        /// Wait for the end, with a progress bar; exit 1 with the reason when it fails
        ///
        /// Each failed fetch of a URL is told on standard error. After three in a row that the feed's server answered
        /// with the same status of 400 to 499 the command ends with 1; the server goes on trying.
        #[arg(long)]
        wait: bool,
        /// Check and compare it, and stop before publishing; `lethe feed publish TOKEN` goes on
        #[arg(long)]
        dry_run: bool,
        /// With a URL, a GUID of your own: submitting the same again under it changes nothing
        #[arg(long, value_name = "GUID")]
        token: Option<String>,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Publish a feed that was held back: a dry run, or one that the removal guard stopped
    ///
    /// Deltas accepted after that feed was submitted stay on top of it.
    #[command(after_help = PUBLISH_EXAMPLES)]
    Publish {
        /// Token of the feed
        token: String,
        /// Also when it removes more products than the removal guard lets
        #[arg(long)]
        anyway: bool,
        /// Wait for the end; exit 1 with the reason when it fails
        #[arg(long)]
        wait: bool,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// End a feed that waits, runs or is between two tries, so that it is not published
    ///
    /// It ends as failed, with the reason "cancelled", and so do submissions of the same URL that wait for its fetch.
    /// One that has ended stays as it ended, and the command says how.
    #[command(
        after_help = "Example:\n  lethe feed cancel 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop"
    )]
    Cancel {
        /// Token of the feed
        token: String,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Show the changes of a feed: added, changed, removed; prices that jump, become 0 or lose a currency
    #[command(
        after_help = "Example:\n  lethe feed difference 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop"
    )]
    Difference {
        /// Token of the feed
        token: String,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Say where feeds are, as `lethe status` does: why the last try failed, when the next one is
    Status(status::Options),
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
        whose: AccountOption,
    },
}

const EXAMPLES: &str = "\
Examples:
  lethe feed submit feed.json --wait
  make-feed | lethe feed submit - --account myshop
  lethe feed submit https://shop.example/feed.json --account myshop --json
  lethe feed submit https://shop.example/feed.json --dry-run --wait";

const PUBLISH_EXAMPLES: &str = "\
Examples:
  lethe feed publish 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --wait
  lethe feed publish 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --anyway --account myshop";

const WATCH_EXAMPLES: &str = "\
Examples:
  lethe feed watch 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55
  lethe feed watch 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop --json";

/// Runs it.
///
/// # Errors
/// When the server cannot be asked or refuses; with `--wait` and for `watch`, also when the submission fails.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Submit { feed, wait, dry_run, token, whose } if feed_upload::is_url(&feed) => {
            let api = Api::open(context, &whose)?;
            let mut asked = json!({"url": feed, "DryRun": dry_run});
            if let Some(token) = token {
                asked["Token"] = token.into();
            }
            submit(context, &api, "/api/productfeed", &asked, wait).await
        }
        Command::Submit { token: Some(_), .. } => Err(CliFault::Usage(
            "--token is for a feed with a URL; a file gets its token from the server".to_owned(),
        )),
        Command::Submit { feed, wait, dry_run, token: None, whose } => {
            let api = Api::open(context, &whose)?;
            let token = feed_upload::upload(&api, &feed, dry_run).await?;
            wait::print_submission(context, &api, &token, wait).await
        }
        Command::Publish { token, anyway, wait, whose } => {
            let api = Api::open(context, &whose)?;
            let held = json!({"Token": token, "Anyway": anyway});
            submit(context, &api, "/api/feed/publish", &held, wait).await
        }
        Command::Cancel { token, whose } => cancel(context, &Api::open(context, &whose)?, &token).await,
        Command::Difference { token, whose } => {
            let api = Api::open(context, &whose)?;
            let found = api.post("/api/feed/difference", &json!({"Token": token})).await?;
            if context.json {
                print_line(&found);
                return Ok(());
            }
            let sections = found["Sections"].as_array().map_or(&[][..], Vec::as_slice);
            if sections.is_empty() {
                print_line(
                    "Nothing was compared: the feed holds nothing of the catalogue, is unchanged, or is not read yet.",
                );
            }
            sections.iter().for_each(difference::show_difference);
            if found["Held"] == true {
                print_line(format!(
                    "It is not published. `lethe feed publish {}` does that.",
                    shell_word(&token)
                ));
            }
            Ok(())
        }
        Command::Status(options) => status::run(context, &options).await,
        Command::Watch { token, whose } => {
            let api = Api::open(context, &whose)?;
            wait::watch_submission(context, &api, &token).await
        }
    }
}

async fn cancel(context: &CommandContext, api: &Api<'_>, token: &str) -> Result<(), CliFault> {
    let ended = api.post("/api/feed/cancel", &json!({"Token": token})).await?;
    let token = printable(token);
    if context.json {
        print_line(&ended);
    } else if ended["Cancelled"] == true {
        print_line(format!("The feed {token} is cancelled; the catalogue is as it was."));
    } else if ended["FinishedAt"].is_null() {
        print_line(format!("The feed {token} was published before it could be cancelled."));
    } else if let Some(reason) = ended["Reason"].as_str() {
        let status = text(&ended, "Status");
        print_line(printable(&format!("The feed {token} had ended before: {status}, {reason}")));
    } else {
        print_line(format!("The feed {token} had ended before: {}", text(&ended, "Status")));
    }
    Ok(())
}

/// Submits something that is answered with a token.
///
/// # Errors
/// When the server cannot be asked, refuses or gives no token; with `wait`, also when the submission fails.
pub async fn submit(
    context: &CommandContext,
    api: &Api<'_>,
    path: &str,
    body: &Value,
    wait: bool,
) -> Result<(), CliFault> {
    let token = api.post_text(path, &body.to_string()).await?.feed_token;
    let token = token.ok_or_else(|| CliFault::Failed("the server told no token".to_owned()))?;
    wait::print_submission(context, api, &token, wait).await
}
