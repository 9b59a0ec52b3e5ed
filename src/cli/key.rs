//! `lethe key …`.

use serde_json::{Value, json};

use super::account::{show_keys, text};
use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::print::print_line;
use super::table::many;

/// Commands for keys.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Make a second secret; the live one ends after some hours
    #[command(
        after_help = "Examples:\n  lethe key rotate myshop\n  lethe key rotate myshop --hours 1 --json > keys.json"
    )]
    Rotate {
        /// Name of the account
        name: String,
        /// Hours that the older secret still works
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
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Rotate { name, hours } => {
            let body = json!({"Name": name, "Hours": hours});
            let made = control::call(context, "/control/key/rotate", &body).await?;
            show_keys(context, &made);
            if !context.json {
                let hours = many(hours.into(), "hour", "hours");
                print_line(format!("The older secret works for another {hours}."));
            }
        }
        Command::Revoke { name, number } => {
            let body = json!({"Name": name, "Number": number});
            let revoked = control::call(context, "/control/key/revoke", &body).await?;
            if context.json {
                print_line(&revoked);
            } else {
                print_line(format!("Secret {number} of {name} is revoked."));
            }
        }
        Command::List { name } => {
            let keys = control::call(context, "/control/key/list", &json!({"Name": name})).await?;
            if context.json {
                print_line(&keys);
            } else {
                show_list(&keys);
            }
        }
    }
    Ok(())
}

fn show_list(keys: &Value) {
    print_line(format!("AccessKey: {}", text(keys, "AccessKey")));
    for secret in keys.get("Secrets").and_then(Value::as_array).into_iter().flatten() {
        let state = match (secret["Live"].as_bool(), secret["ExpiresAt"].is_null()) {
            (Some(true), true) => "live",
            (Some(true), false) => "live, being rotated out",
            _ => "ended",
        };
        print_line(format!("  {}  {state}", secret["Number"]));
    }
}
