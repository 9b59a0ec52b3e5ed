//! `lethe key-epoch …`.

use serde_json::json;

use super::table::{cell, time};
use super::{CliFault, Context, control, say};

/// What to do with the epoch.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Show the epoch in force, since when, and how many keys it wraps
    Show,
    /// Make a new one now; older copies of slots.key open nothing afterwards
    Rotate,
}

/// Runs it.
pub async fn run(context: &Context, command: &Command) -> Result<(), CliFault> {
    let path = match command {
        Command::Show => "/control/key-epoch/show",
        Command::Rotate => "/control/key-epoch/rotate",
    };
    let told = control::ask(context, path, &json!({})).await?;
    if context.json {
        say(&told);
        return Ok(());
    }
    match command {
        Command::Show => {
            say(format!("Epoch:    {}", cell(&told["Number"])));
            say(format!("Since:    {}", time(&told["MadeAt"])));
            say(format!("Next:     {}", time(&told["DueAt"])));
            say(format!("Keys:     {}", cell(&told["Keys"])));
            if told["Rotating"] == true {
                say("A rotation has not ended: the epoch before still lives.");
            }
        }
        Command::Rotate => {
            let (number, survivors) = (cell(&told["Number"]), cell(&told["Survivors"]));
            say(format!(
                "Epoch {number} is in force. {survivors} keys live on; the epoch before is destroyed."
            ));
            if told["Damaged"] != 0 {
                say(format!("{} keys were damaged before and are lost.", cell(&told["Damaged"])));
            }
        }
    }
    Ok(())
}
