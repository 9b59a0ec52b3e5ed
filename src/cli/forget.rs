//! `lethe forget`.

use serde_json::json;

use super::api::{Api, Whose};
use super::{CliFault, Context, say};

/// Whom to forget.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Email address or id of the person; `email:`, `userid:`, `accid:` and `visitor:` say which; - reads it from
    /// standard input, where no list of processes shows it
    identifier: String,
    #[command(flatten)]
    whose: Whose,
}

const EXAMPLES: &str = "\
The answer is the same whether the person was known or not. From then on no feed and no delta brings them back.

Examples:
  lethe forget ann@mail.example
  printf %s userid:4711 | lethe forget - --account myshop";

/// Asks for it.
pub async fn run(context: &Context, options: Options) -> Result<(), CliFault> {
    let api = Api::open(context, &options.whose)?;
    let identifier = match options.identifier.as_str() {
        "-" => std::io::read_to_string(std::io::stdin())
            .map_err(|error| CliFault::Usage(format!("standard input cannot be read: {error}")))?,
        _ => options.identifier,
    };
    let body = json!({"Identifier": identifier.trim_end_matches(['\r', '\n'])});
    let answer = api.post("/api/user/forget", &body).await?;
    if context.json {
        say(json!({"Answer": answer}));
    } else {
        say(
            "Accepted: nothing about this person is stored from now on, and what was stored is destroyed soon.",
        );
    }
    Ok(())
}
