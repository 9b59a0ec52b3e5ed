//! `lethe key …`.

use serde_json::{Value, json};

use super::account::{show_keys, text};
use super::table::many;
use super::{CliFault, Context, control, say};

/// What to do with keys.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Make a second secret; the live one ends after some hours
    #[command(
        after_help = "Examples:\n  lethe key rotate myshop\n  lethe key rotate myshop --hours 1 --json > keys.json"
    )]
    Rotate {
        /// Name of the account
        name: String,
        /// How long the older secret still works
        #[arg(long, default_value_t = 24)]
        hours: u32,
    },
    /// End a secret at once
    #[command(
        after_help = "Example:\n  lethe key revoke myshop 1     the number is from `lethe key list myshop`"
    )]
    Revoke {
        /// Name of the account
        name: String,
        /// Number of the secret, as `lethe key list` shows it
        number: i64,
    },
    /// List the secrets of an account by number; the secrets themselves are not stored
    #[command(after_help = "Example:\n  lethe key list myshop")]
    List {
        /// Name of the account
        name: String,
    },
}

/// Runs it.
///
/// # Errors
/// When there is neither a server nor a store, or the server refuses.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Rotate { name, hours } => {
            let body = json!({"Name": name, "Hours": hours});
            let made = control::ask(context, "/control/key/rotate", &body).await?;
            show_keys(context, &made);
            if !context.json {
                let hours = many(hours.into(), "hour", "hours");
                say(format!("The older secret works for another {hours}."));
            }
        }
        Command::Revoke { name, number } => {
            let body = json!({"Name": name, "Number": number});
            let revoked = control::ask(context, "/control/key/revoke", &body).await?;
            if context.json {
                say(&revoked);
            } else {
                say(format!("Secret {number} of {name} is revoked."));
            }
        }
        Command::List { name } => {
            let keys = control::ask(context, "/control/key/list", &json!({"Name": name})).await?;
            if context.json {
                say(&keys);
            } else {
                show_list(&keys);
            }
        }
    }
    Ok(())
}

fn show_list(keys: &Value) {
    say(format!("AccessKey: {}", text(keys, "AccessKey")));
    for secret in keys.get("Secrets").and_then(Value::as_array).into_iter().flatten() {
        let state = match (secret["Live"].as_bool(), secret["ExpiresAt"].is_null()) {
            (Some(true), true) => "live",
            (Some(true), false) => "live, being rotated out",
            _ => "ended",
        };
        say(format!("  {}  {state}", secret["Number"]));
    }
}
