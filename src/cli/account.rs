//! `lethe account …`.

use serde_json::{Value, json};

use super::{CliFault, Context, control, say};

/// What to do with accounts.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Make an account; prints its keys once
    #[command(
        after_help = "Examples:\n  lethe account create myshop --currency EUR\n  lethe account create myshop --json > keys.json"
    )]
    Create {
        /// A name of your choice: letters, digits, '-', '_' and '.'
        name: String,
        /// Currency of prices that name none, such as EUR
        #[arg(long)]
        currency: Option<String>,
    },
    /// List accounts; secrets are not shown
    #[command(after_help = "Example:\n  lethe account list")]
    List,
    /// Set the removal guard: how large a part of its products a feed may remove
    #[command(
        after_help = "Examples:\n  lethe account guard myshop 50\n  lethe account guard myshop     the default again"
    )]
    Guard {
        /// Name of the account
        name: String,
        /// Percent from 1 to 100, where 100 switches it off; left out: the default
        percent: Option<u8>,
    },
    /// Deletions of accounts that plugins asked for
    #[command(subcommand)]
    Deletion(Deletion),
}

/// What to do with a deletion that was asked for. None removes data.
#[derive(clap::Subcommand)]
pub enum Deletion {
    /// List all that were asked for, and what was decided
    #[command(after_help = "Example:\n  lethe account deletion list")]
    List,
    /// Close the account: its keys open nothing from now on, and what is stored stays
    #[command(after_help = "Example:\n  lethe account deletion confirm myshop")]
    Confirm {
        /// Name of the account
        name: String,
    },
    /// Leave the account as it is
    #[command(after_help = "Example:\n  lethe account deletion dismiss myshop")]
    Dismiss {
        /// Name of the account
        name: String,
    },
}

/// Runs it.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Create { name, currency } => {
            let mut body = json!({"Name": name});
            if let Some(currency) = currency {
                body["Currency"] = currency.into();
            }
            let made = control::ask_first(context, "/control/account/create", &body).await?;
            show_keys(context, &made);
        }
        Command::List => {
            let accounts = control::ask(context, "/control/account/list", &json!({})).await?;
            if context.json {
                say(&accounts);
            } else {
                for account in accounts.as_array().into_iter().flatten() {
                    let state = if account["ClosedAt"].is_null() { "" } else { "  closed" };
                    say(format!("{}  {}{state}", text(account, "AccessKey"), text(account, "Name")));
                }
            }
        }
        Command::Guard { name, percent } => {
            let mut body = json!({"Name": name});
            if let Some(percent) = percent {
                body["Percent"] = percent.into();
            }
            let set = control::ask(context, "/control/account/guard", &body).await?;
            if context.json {
                say(&set);
            } else {
                say(format!("A feed may remove up to {} % of the products.", set["RemovalGuard"]));
            }
        }
        Command::Deletion(command) => return run_deletion(context, command).await,
    }
    Ok(())
}

async fn run_deletion(context: &Context, command: Deletion) -> Result<(), CliFault> {
    let (path, body) = match command {
        Deletion::List => ("/control/account/deletion/list", json!({})),
        Deletion::Confirm { name } => ("/control/account/deletion/confirm", json!({"Name": name})),
        Deletion::Dismiss { name } => ("/control/account/deletion/dismiss", json!({"Name": name})),
    };
    let answer = control::ask(context, path, &body).await?;
    if context.json {
        say(&answer);
        return Ok(());
    }
    let one = std::slice::from_ref(&answer);
    for deletion in answer.as_array().map_or(one, Vec::as_slice) {
        say(format!("{}  {}", text(deletion, "Name"), text(deletion, "State")));
    }
    Ok(())
}

/// Prints keys that are never shown again.
pub fn show_keys(context: &Context, made: &Value) {
    if context.json {
        return say(made);
    }
    say(format!("Name:      {}", text(made, "Name")));
    say(format!("AccessKey: {}", text(made, "AccessKey")));
    say(format!("SecretKey: {}", text(made, "SecretKey")));
    say("The secret is not stored and is not shown again.");
}

/// A text member of an answer.
pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
