//! `lethe refused`: recently refused requests of an account.

use serde_json::json;

use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, row, table, time};

/// Shop of the requests.
#[derive(clap::Args)]
#[command(after_help = "\
Up to 50 of who showed a secret of the account, and up to 50 of who showed its access key alone, which stands in the
shop's pages. They are kept in memory, since the server began.

Example:
  lethe refused --account myshop")]
pub struct Options {
    #[command(flatten)]
    whose: AccountOption,
}

/// Shows them, newest first.
///
/// # Errors
/// When the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, options: &Options) -> Result<(), CliFault> {
    let refused = Api::open(context, &options.whose)?.post("/api/refused", &json!({})).await?;
    if context.json {
        print_line(&refused);
        return Ok(());
    }
    let mut rows = vec![row(["At", "Times", "Operation", "Status", "Keys", "Why"])];
    rows.extend(refused.as_array().into_iter().flatten().map(|one| {
        let [times, path, status, why] = ["Count", "Path", "Status", "Error"].map(|name| cell(&one[name]));
        let keys = if one["WithSecret"] == true { "with secret" } else { "access key" };
        vec![time(&one["At"]), times, path, status, keys.to_owned(), why]
    }));
    table(&rows).iter().for_each(print_line);
    Ok(())
}
