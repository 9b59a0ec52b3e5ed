//! `lethe account …`.

use serde_json::{Value, json};

use super::{CliFault, Context, control, say};

/// What to do with accounts.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Make an account; prints its keys once
    Create {
        /// A name of your choice: letters, digits, '-', '_' and '.'
        name: String,
        /// Currency of prices that name none, such as EUR
        #[arg(long)]
        currency: Option<String>,
    },
    /// List accounts; secrets are not shown
    List,
}

/// Runs it.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Create { name, currency } => {
            let mut body = json!({"Name": name});
            if let Some(currency) = currency {
                body["Currency"] = currency.into();
            }
            let made = control::ask(context, "/control/account/create", &body).await?;
            show_keys(context, &made);
        }
        Command::List => {
            let accounts = control::ask(context, "/control/account/list", &json!({})).await?;
            if context.json {
                say(&accounts);
            } else {
                for account in accounts.as_array().into_iter().flatten() {
                    say(format!("{}  {}", text(account, "AccessKey"), text(account, "Name")));
                }
            }
        }
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
