//! `lethe forget`.

use serde_json::json;

use super::api::Api;
use super::person::{self, Who};
use super::{CliFault, Context, erasure, say};

/// Whom to forget.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    who: Who,
    /// Only show under which identifiers the person is known and how much would go, and change nothing
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// Wait until it is verified that nothing is left
    #[arg(long)]
    wait: bool,
}

const EXAMPLES: &str = "\
The answer is the same whether the person was known or not. From then on no feed and no delta brings them back. The id
that is printed is that of the erasure: `lethe erasure show ID` tells how far it is, `lethe erasure certificate ID`
proves it.

Examples:
  lethe forget ann@mail.example --dry-run
  lethe forget ann@mail.example --wait
  printf %s userid:4711 | lethe forget - --account myshop";

/// Asks for it.
pub async fn run(context: &Context, options: Options) -> Result<(), CliFault> {
    if options.dry_run {
        return person::held(context, &options.who).await;
    }
    let api = Api::open(context, &options.who.whose)?;
    let reply = api.post_text("/api/user/forget", &options.who.asked()?.to_string()).await?;
    let id = reply.erasure_id.unwrap_or_default();
    match (options.wait, context.json) {
        (true, true) => {}
        (false, true) => say(json!({"Answer": reply.answer, "Erasure": id})),
        (_, false) => say(format!(
            "Accepted: nothing about this person is stored from now on, and what was stored is destroyed soon.\n\
             Erasure: {id}"
        )),
    }
    match options.wait {
        true => erasure::waited(context, &api, &id).await,
        false => Ok(()),
    }
}
