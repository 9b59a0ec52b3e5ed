//! `lethe webhook …`.

use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, facts, time};

/// Commands for the webhook, which tells the shop's own server about each end.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Set the address that messages go to; the first time it prints their secret, once
    #[command(
        after_help = "Example:\n  lethe webhook set https://shop.example/lethe-webhook --account myshop"
    )]
    Set {
        /// The address
        url: String,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Show the address, what waits, and how the last deliveries went
    #[command(after_help = "Example:\n  lethe webhook show --account myshop")]
    Show {
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Send a test message
    #[command(after_help = "Example:\n  lethe webhook test --account myshop")]
    Test {
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Make a new secret, and print it once; for a day messages are signed with both
    #[command(after_help = "Example:\n  lethe webhook rotate --account myshop")]
    Rotate {
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Remove the address with its secret and the messages that wait
    #[command(after_help = "Example:\n  lethe webhook remove --account myshop")]
    Remove {
        #[command(flatten)]
        whose: AccountOption,
    },
}

/// Runs it.
///
/// # Errors
/// When the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    let (whose, path, body, print): (_, _, _, fn(&Value)) = match &command {
        Command::Set { url, whose } => (whose, "/api/webhook/set", json!({ "Url": url }), print_set),
        Command::Show { whose } => (whose, "/api/webhook", json!({}), print_shown),
        Command::Test { whose } => (whose, "/api/webhook/test", json!({}), |_| {
            print_line("A test message waits to be delivered; `lethe webhook show` says how that went.");
        }),
        Command::Rotate { whose } => (whose, "/api/webhook/rotate", json!({}), print_secret),
        Command::Remove { whose } => (whose, "/api/webhook/remove", json!({}), |_| {
            print_line("The webhook is removed.");
        }),
    };
    let answer = Api::open(context, whose)?.post(path, &body).await?;
    if context.json {
        print_line(&answer);
    } else {
        print(&answer);
    }
    Ok(())
}

fn print_set(answer: &Value) {
    print_line(format!("Messages go to {} from now on.", text(answer, "Url")));
    if answer["Secret"].is_string() {
        print_secret(answer);
    }
}

fn print_secret(answer: &Value) {
    print_line(format!("Secret: {}", text(answer, "Secret")));
    print_line("It is not shown again. Give it to what verifies the messages (docs/webhooks.md).");
    if !answer["OldSecretUntil"].is_null() {
        print_line(format!(
            "Until {} messages are signed with the one before as well.",
            time(&answer["OldSecretUntil"])
        ));
    }
}

fn print_shown(shown: &Value) {
    let when = |name: &str| if shown[name].is_null() { "never".to_owned() } else { time(&shown[name]) };
    let state = shown["Off"].as_str().map_or("on".to_owned(), |why| format!("off: {why}"));
    let failed = match shown["Failure"].as_str() {
        Some(why) => format!("{}: {why}", when("FailedAt")),
        None => when("FailedAt"),
    };
    let lines = facts(&[
        ("Address", text(shown, "Url")),
        ("State", &state),
        ("Waiting", &cell(&shown["Waiting"])),
        ("Last delivered", &when("DeliveredAt")),
        ("Last failure", &failed),
        ("Given up", &cell(&shown["GivenUp"])),
        ("Left out", &cell(&shown["LeftOut"])),
    ]);
    lines.iter().for_each(print_line);
}
