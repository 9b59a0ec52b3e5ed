//! `lethe model verify`: compares the recommendation models with the stored events.

use serde_json::{Value, json};

use super::account::text;
use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, row, table};
use super::view::items;

/// Commands for models.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Rebuild each recommendation model from the store, and compare its bytes and answers with the live one; exit 1
    /// when they differ
    #[command(after_help = "\
A model is a function of the stored events and of the day. After an erasure it is that of a shop where the person has
never been: this makes it anew and looks. While an erasure is going on a difference is none yet (pending): look again when it
is verified.

Examples:
  lethe model verify
  lethe model verify myshop --sample 5000 --json")]
    Verify {
        /// The account; left out: all accounts
        name: Option<String>,
        /// About how many items both are asked for
        #[arg(long, default_value_t = 200)]
        sample: u32,
    },
}

/// Runs it.
///
/// # Errors
/// When there is neither a server nor a store, the server refuses, or a model differs from the stored events.
pub async fn run(context: &CommandContext, command: &Command) -> Result<(), CliFault> {
    let Command::Verify { name, sample } = command;
    let told =
        control::call(context, "/control/model/verify", &json!({"Name": name, "Sample": sample})).await?;
    if context.json {
        print_line(&told);
    } else {
        let mut rows = vec![row(["Account", "People", "Sessions", "Bytes", "Same bytes", "Same answers"])];
        rows.extend(items(&told).map(|model| {
            let bytes = match (&model["SameBytes"], &model["Pending"]) {
                (Value::Bool(true), _) => "yes",
                (_, Value::Bool(true)) => "pending",
                _ => "NO",
            };
            let answers = format!("{} of {}", model["AnsweredAlike"], model["Asked"]);
            let counts = ["People", "Sessions", "Bytes"].map(|name| cell(&model[name]));
            let [people, sessions, memory] = counts;
            vec![text(model, "Name").to_owned(), people, sessions, memory, bytes.to_owned(), answers]
        }));
        table(&rows).iter().for_each(print_line);
    }
    let may_differ = |model: &Value| model["Pending"] == true;
    if items(&told).all(|model| is_same(model) || may_differ(model)) {
        Ok(())
    } else {
        Err(CliFault::Refused("a model is another than what is stored says".to_owned()))
    }
}

fn is_same(model: &Value) -> bool {
    model["SameBytes"] == true && model["AnsweredAlike"] == model["Asked"]
}
