//! `lethe erasure …`: what became of requests to forget, and the evidence.

use std::time::Duration;

use serde_json::{Value, json};

use super::api::{Api, Whose};
use super::table::{cell, row, table, time};
use super::{CliFault, Context, erasure_letter, say};

/// The pause between two looks.
const LOOK_DURATION: Duration = Duration::from_millis(500);

/// What to do with erasures.
#[derive(clap::Subcommand)]
pub enum Command {
    /// List erasures, newest first: how far each is, and by when it is due
    #[command(
        after_help = "Examples:\n  lethe erasure list --account myshop\n  lethe erasure list --before 4711"
    )]
    List {
        /// Go on before this number
        #[arg(long)]
        before: Option<i64>,
        #[command(flatten)]
        whose: Whose,
    },
    /// Show one erasure: its steps, and what was removed from each place
    #[command(
        after_help = "Example:\n  lethe erasure show 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop"
    )]
    Show {
        /// Its id
        erasure: String,
        #[command(flatten)]
        whose: Whose,
    },
    /// Print the certificate of an erasure; `lethe-verify certificate` checks it, offline
    #[command(after_help = "Example:
  lethe erasure certificate 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop > certificate.json
  lethe-verify certificate certificate.json --key ledger.key")]
    Certificate {
        /// Its id
        erasure: String,
        #[command(flatten)]
        whose: Whose,
    },
    /// Print a letter in plain words for the person, made from the certificate
    #[command(
        after_help = "Example:\n  lethe erasure letter 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop > letter.txt"
    )]
    Letter {
        /// Its id
        erasure: String,
        #[command(flatten)]
        whose: Whose,
    },
}

/// Runs it.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    match command {
        Command::List { before, whose } => {
            let asked = before.map_or_else(|| json!({}), |before| json!({"Before": before}));
            let listed = Api::open(context, &whose)?.post("/api/erasures", &asked).await?;
            if context.json {
                say(&listed);
                return Ok(());
            }
            let mut rows = vec![row(["Number", "Erasure", "State", "Asked", "Due", "Verified", ""])];
            rows.extend(listed.as_array().into_iter().flatten().map(|erasure| {
                let at =
                    |name: &str| if erasure[name].is_null() { String::new() } else { time(&erasure[name]) };
                let [number, id, state] = ["Number", "Erasure", "State"].map(|name| cell(&erasure[name]));
                vec![number, id, state, at("AskedAt"), at("DueAt"), at("VerifiedAt"), remark(erasure)]
            }));
            table(&rows).iter().for_each(say);
        }
        Command::Show { erasure, whose } => {
            let shown =
                Api::open(context, &whose)?.post("/api/erasure", &json!({"Erasure": erasure})).await?;
            if context.json { say(&shown) } else { show(&shown) }
        }
        Command::Certificate { erasure, whose } => say(certificate(context, &erasure, &whose).await?),
        Command::Letter { erasure, whose } => {
            let certificate = certificate(context, &erasure, &whose).await?;
            say(erasure_letter::letter(&certificate["Body"]));
        }
    }
    Ok(())
}

async fn certificate(context: &Context, erasure: &str, whose: &Whose) -> Result<Value, CliFault> {
    Api::open(context, whose)?.post("/api/erasure/certificate", &json!({"Erasure": erasure})).await
}

/// What an officer has to know at once.
fn remark(erasure: &Value) -> String {
    match (&erasure["Fault"], &erasure["WaitsFor"]) {
        _ if erasure["State"] == "lost" => "LOST with its key: send the request again".to_owned(),
        _ if erasure["Overdue"] == true => "OVERDUE".to_owned(),
        (Value::String(fault), _) => format!("FAILS: {fault}"),
        (_, Value::String(reason)) => format!("waits for {reason}"),
        _ => String::new(),
    }
}

fn show(erasure: &Value) {
    say(format!("Erasure {} is {}", cell(&erasure["Erasure"]), cell(&erasure["State"])));
    say(format!("Due by {}. {}", time(&erasure["DueAt"]), remark(erasure)).trim_end());
    let mut rows = vec![row(["Step", "At"])];
    let steps = erasure["Steps"].as_array().into_iter().flatten();
    rows.extend(steps.map(|step| vec![cell(&step["State"]), time(&step["At"])]));
    table(&rows).iter().for_each(say);
    let mut rows = vec![row(["Place", "Removed", "Left", "What"])];
    let places = erasure["Places"].as_array().into_iter().flatten();
    rows.extend(
        places.map(|place| ["Name", "Removed", "Left", "Says"].map(|name| cell(&place[name])).to_vec()),
    );
    table(&rows).iter().for_each(say);
}

/// Waits until an erasure is verified.
pub async fn waited(context: &Context, api: &Api<'_>, erasure: &str) -> Result<(), CliFault> {
    if !api.is_served().await? {
        return Err(CliFault::Failed(
            "no server runs on the data folder, so nobody does it; start `lethe serve`".to_owned(),
        ));
    }
    loop {
        let shown = api.post("/api/erasure", &json!({"Erasure": erasure})).await?;
        if shown["State"] == "verified" {
            if context.json {
                say(&shown)
            } else {
                show(&shown)
            }
            return Ok(());
        }
        let stuck = match &shown["Fault"] {
            _ if shown["State"] == "lost" => {
                "the key of the erasure is lost, and it has ended; send the request again: it becomes a new erasure"
            }
            Value::Null => {
                tokio::time::sleep(LOOK_DURATION).await;
                continue;
            }
            _ => "the erasure fails; the server goes on trying",
        };
        if context.json {
            say(&shown)
        } else {
            show(&shown)
        }
        return Err(CliFault::Failed(stuck.to_owned()));
    }
}
