//! `lethe operator …`.

use serde_json::{Value, json};

use super::account::text;
use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{row, table, time};

/// Commands for the operators of the console.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Add an operator, and print the link by which they choose a password; it works once, and is not shown again
    #[command(after_help = "\
Roles: owner (everything, in all shops), merchandiser (changes what shoppers find), privacy-officer (finds, exports and
forgets people), viewer (looks at what is of no person). All but owners work for the shops named.

Examples:
  lethe operator add 'Front desk'                                    an owner
  lethe operator add privacy@shop.example --role privacy-officer --shop myshop")]
    Add {
        /// Name, also for signing in
        name: String,
        /// Role
        #[arg(long, default_value = "owner", value_name = "ROLE")]
        role: String,
        /// A shop they work for; may be repeated
        #[arg(long = "shop", value_name = "ACCOUNT")]
        shops: Vec<String>,
    },
    /// List the operators
    #[command(after_help = "Example:\n  lethe operator list")]
    List,
    /// Change an operator's role or shops; it ends their sessions
    #[command(after_help = "Example:\n  lethe operator set 'Front desk' --role viewer --shop myshop")]
    Set {
        /// Name of the operator
        name: String,
        /// Role
        #[arg(long, value_name = "ROLE")]
        role: Option<String>,
        /// The shops they work for; may be repeated, and replaces the earlier list
        #[arg(long = "shop", value_name = "ACCOUNT")]
        shops: Vec<String>,
    },
    /// Take the password and the codes away, and print a link to choose a password; it ends their sessions
    #[command(after_help = "Example:\n  lethe operator reset 'Front desk'")]
    Reset {
        /// Name of the operator
        name: String,
    },
    /// Disable an operator; it ends their sessions
    #[command(after_help = "Example:\n  lethe operator disable 'Front desk'")]
    Disable {
        /// Name of the operator
        name: String,
    },
    /// Enable a disabled operator
    #[command(after_help = "Example:\n  lethe operator enable 'Front desk'")]
    Enable {
        /// Name of the operator
        name: String,
    },
    /// Remove an operator: the name is gone; their lines in the audit log stay under their number
    #[command(after_help = "Example:\n  lethe operator remove 'Front desk'")]
    Remove {
        /// Name of the operator
        name: String,
    },
    /// Show what operators did at the console: the newest hundred lines, or those after a line
    #[command(
        after_help = "Examples:\n  lethe operator acts\n  lethe operator acts --before 1795262400000 --behind 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --json"
    )]
    Acts {
        /// Continue after the line with this `At`, in milliseconds since 1970
        #[arg(long, value_name = "MILLIS")]
        before: Option<i64>,
        /// `Line` of the same line
        #[arg(long, value_name = "ID", requires = "before")]
        behind: Option<String>,
    },
}

/// Runs it.
///
/// # Errors
/// When there is neither a server nor a store, or the server refuses.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    let (path, body, print): (_, _, fn(&Value)) = match command {
        Command::Add { name, role, shops } => {
            ("add", json!({"Name": name, "Role": role, "Shops": shops}), print_link)
        }
        Command::List => ("list", json!({}), print_list),
        Command::Set { name, role, shops } => {
            let mut body = json!({"Name": name});
            if let Some(role) = role {
                body["Role"] = role.into();
            }
            if !shops.is_empty() {
                body["Shops"] = shops.into();
            }
            ("set", body, |_| print_line("It is changed; they have to sign in again."))
        }
        Command::Reset { name } => ("reset", json!({"Name": name}), print_link),
        Command::Disable { name } => ("set", json!({"Name": name, "State": "disabled"}), |_| {
            print_line("They may not sign in any more.")
        }),
        Command::Enable { name } => {
            ("set", json!({"Name": name, "State": "enabled"}), |_| print_line("They may sign in again."))
        }
        Command::Remove { name } => {
            ("remove", json!({"Name": name}), |_| print_line("The operator is removed."))
        }
        Command::Acts { before, behind } => {
            let mut body = json!({});
            if let Some(before) = before {
                let behind = behind.unwrap_or_default();
                body = json!({"Before": before, "Behind": behind});
            }
            ("acts", body, print_acts)
        }
    };
    let answer = control::call(context, &format!("/control/operator/{path}"), &body).await?;
    if context.json {
        print_line(&answer);
    } else {
        print(&answer);
    }
    Ok(())
}

fn print_link(answer: &Value) {
    let link = text(answer, "Link");
    print_line(link);
    if link.starts_with('/') {
        print_line(
            "No console listens now: put this behind its address, which the log of `lethe serve` says.",
        );
    }
    print_line(format!(
        "Open it in a browser to choose a password. It works once, until {}, and is not shown again.",
        time(&answer["Until"])
    ));
}

fn print_list(answer: &Value) {
    let mut rows = vec![row(["Name", "Role", "Shops", "Since", "State"])];
    for operator in answer.as_array().into_iter().flatten() {
        let shops = operator["Shops"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let shops = match operator["Role"].as_str() {
            Some("owner") => "all".to_owned(),
            _ => shops.collect::<Vec<_>>().join(", "),
        };
        let state = match (&operator["DisabledAt"], &operator["HasPassword"]) {
            (Value::Null, Value::Bool(true)) if operator["HasCode"] == true => "active, with codes",
            (Value::Null, Value::Bool(true)) => "active",
            (Value::Null, _) => "has to choose a password",
            _ => "disabled",
        };
        let name = operator["Name"].as_str().unwrap_or("(left)");
        rows.push(row([name, text(operator, "Role"), &shops, &time(&operator["MadeAt"]), state]));
    }
    table(&rows).iter().for_each(print_line);
}

fn print_acts(answer: &Value) {
    let mut rows = vec![row(["When", "Who", "What", "Shop"])];
    for act in answer.as_array().into_iter().flatten() {
        let who = act["Name"].as_str().unwrap_or_else(|| text(act, "Operator"));
        let shop = act["Shop"].as_str().unwrap_or("-");
        rows.push(row([&time(&act["At"]), who, text(act, "Act"), shop]));
    }
    table(&rows).iter().for_each(print_line);
}
