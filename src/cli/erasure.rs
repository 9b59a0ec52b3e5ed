//! `lethe erasure …`: what became of requests to forget, and the evidence.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::page_file::{LanguageOptions, PageFile};
use super::print::print_line;
use super::table::{cell, row, table, time};
use crate::addresses::printable;
use crate::evidence::documents::{self, LetterFacts, ShopContact};

/// The pause between two looks.
const LOOK_DURATION: Duration = Duration::from_millis(500);
/// Time since the last answer in which a busy server is asked again.
const BUSY_DURATION: Duration = Duration::from_secs(60);

/// Commands for erasures.
#[derive(clap::Subcommand)]
pub enum Command {
    /// List erasures, newest first: how far each is, and by when it is due
    #[command(
        after_help = "Examples:\n  lethe erasure list --account myshop\n  lethe erasure list --state overdue\n  lethe erasure list --reference DSR-2026"
    )]
    List {
        /// Only those that go on (open), that are overdue, or that are in one state: accepted, fenced, shredded,
        /// deleted, unlearned, settled, verified or lost
        #[arg(long)]
        state: Option<String>,
        /// Only those whose reference holds this text
        #[arg(long, value_name = "TEXT")]
        reference: Option<String>,
        /// Go on before this number
        #[arg(long)]
        before: Option<i64>,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Count the erasures that go on, are overdue, or failed when they were tried last
    #[command(after_help = "Example:\n  lethe erasure count --account myshop")]
    Count {
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Show one erasure: its steps, and the number of things removed from each place
    #[command(
        after_help = "Example:\n  lethe erasure show 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop"
    )]
    Show {
        /// Its id
        erasure: String,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Set the shop's own references of an erasure, or clear them
    ///
    /// A reference has up to 64 letters, digits, blanks and - _ / . #. It is kept after the erasure: name
    /// nobody in it.
    #[command(after_help = "Example:
  lethe erasure reference 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 DSR-2026-114 --account myshop
  lethe erasure reference 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --clear --account myshop")]
    Reference {
        /// Its id
        erasure: String,
        /// The reference, or up to five with commas between them
        #[arg(required_unless_present = "clear")]
        reference: Option<String>,
        /// Clear the references
        #[arg(long, conflicts_with = "reference")]
        clear: bool,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Print the certificate of an erasure; `lethe-verify certificate` checks it, offline
    #[command(after_help = "Example:
  lethe erasure certificate 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop > certificate.json
  lethe-verify certificate certificate.json --key key.txt
--page writes a page to print instead, and with --json beside it:
  lethe erasure certificate 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop --page certificate.html")]
    Certificate {
        /// Its id
        erasure: String,
        #[command(flatten)]
        page: PageFile,
        #[command(flatten)]
        language: LanguageOptions,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Print a letter in plain words for the person, made from the certificate
    #[command(
        after_help = "Example:\n  lethe erasure letter 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --account myshop > letter.txt"
    )]
    Letter {
        /// Its id
        erasure: String,
        #[command(flatten)]
        language: LanguageOptions,
        #[command(flatten)]
        whose: AccountOption,
    },
}

/// Runs it.
///
/// # Errors
/// When the server cannot be asked or refuses, or a page cannot be made or written.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::List { state, reference, before, whose } => {
            let mut asked = json!({});
            for (name, text) in [("State", state), ("Reference", reference)] {
                if let Some(text) = text {
                    asked[name] = text.into();
                }
            }
            if let Some(before) = before {
                asked["Before"] = before.into();
            }
            list(context, &asked, &whose).await?;
        }
        Command::Count { whose } => {
            let counted = Api::open(context, &whose)?.post("/api/erasures/count", &json!({})).await?;
            if context.json {
                print_line(&counted);
                return Ok(());
            }
            let [open, overdue, failing] = ["Open", "Overdue", "Failing"].map(|name| cell(&counted[name]));
            print_line(format!(
                "{open} go on, {overdue} are overdue, {failing} failed when they were tried last."
            ));
        }
        Command::Show { erasure, whose } => {
            let shown =
                Api::open(context, &whose)?.post("/api/erasure", &json!({"Erasure": erasure})).await?;
            if context.json { print_line(&shown) } else { print_erasure(&shown) }
        }
        Command::Reference { erasure, reference, clear, whose } => {
            let reference = reference.filter(|_| !clear).unwrap_or_default();
            let asked = json!({"Erasure": erasure, "Reference": reference});
            let set = Api::open(context, &whose)?.post("/api/erasure/reference", &asked).await?;
            match set["Reference"].as_str() {
                _ if context.json => print_line(&set),
                Some(reference) => print_line(format!("Its reference is {}.", printable(reference))),
                None => print_line("It has no reference any more."),
            }
        }
        Command::Certificate { erasure, page, language, whose } => {
            page.check(context)?;
            let certificate = certificate(context, &erasure, &whose).await?;
            if page.is_wanted() {
                let about = Api::open(context, &whose)?.post("/api/account", &json!({})).await?;
                let shop = ShopContact::from_json(&about);
                let language = language.resolve(&about);
                let shown = documents::certificate_page(&certificate.to_string(), &shop, language);
                page.write(context, &shown.map_err(|fault| CliFault::Failed(fault.to_string()))?)?;
            }
            if context.json || !page.is_wanted() {
                print_line(certificate);
            }
        }
        Command::Letter { erasure, language, whose } => {
            print_letter(context, &erasure, &language, &whose).await?;
        }
    }
    Ok(())
}

async fn list(context: &CommandContext, asked: &Value, whose: &AccountOption) -> Result<(), CliFault> {
    let listed = Api::open(context, whose)?.post("/api/erasures", asked).await?;
    if context.json {
        print_line(&listed);
        return Ok(());
    }
    let mut rows = vec![row(["Number", "Erasure", "Reference", "State", "Asked", "Due", "Verified", ""])];
    rows.extend(listed.as_array().into_iter().flatten().map(|erasure| {
        let at = |name: &str| if erasure[name].is_null() { String::new() } else { time(&erasure[name]) };
        let [number, id, reference, state] =
            ["Number", "Erasure", "Reference", "State"].map(|name| cell(&erasure[name]));
        vec![number, id, reference, state, at("AskedAt"), at("DueAt"), at("VerifiedAt"), remark(erasure)]
    }));
    table(&rows).iter().for_each(print_line);
    Ok(())
}

/// Prints the letter of an erasure.
async fn print_letter(
    context: &CommandContext,
    erasure: &str,
    language: &LanguageOptions,
    whose: &AccountOption,
) -> Result<(), CliFault> {
    let certificate = certificate(context, erasure, whose).await?;
    let api = Api::open(context, whose)?;
    let about = api.post("/api/account", &json!({})).await?;
    let shown = api.post("/api/erasure", &json!({"Erasure": erasure})).await?;
    let facts = LetterFacts { body: &certificate["Body"], reference: shown["Reference"].as_str() };
    let language = language.resolve(&about);
    let letter = documents::letter(facts, &ShopContact::from_json(&about), language);
    let letter = letter.map_err(|fault| CliFault::Failed(fault.to_string()))?;
    if context.json {
        print_line(json!({"Letter": letter, "Language": language.code()}));
    } else {
        print_line(letter);
    }
    Ok(())
}

async fn certificate(
    context: &CommandContext,
    erasure: &str,
    whose: &AccountOption,
) -> Result<Value, CliFault> {
    Api::open(context, whose)?.post("/api/erasure/certificate", &json!({"Erasure": erasure})).await
}

/// Remark that an officer has to see at once.
fn remark(erasure: &Value) -> String {
    match (&erasure["Fault"], &erasure["WaitsFor"]) {
        _ if erasure["State"] == "lost" => "LOST with its key: send the request again".to_owned(),
        _ if erasure["Overdue"] == true => "OVERDUE".to_owned(),
        (Value::String(fault), _) => format!("FAILS: {fault}"),
        (_, Value::String(reason)) => format!("waits for {reason}"),
        _ => String::new(),
    }
}

fn print_erasure(erasure: &Value) {
    print_line(printable(&format!("Erasure {} is {}", cell(&erasure["Erasure"]), cell(&erasure["State"]))));
    if let Some(reference) = erasure["Reference"].as_str() {
        print_line(format!("Reference: {}", printable(reference)));
    }
    print_line(printable(format!("Due by {}. {}", time(&erasure["DueAt"]), remark(erasure)).trim_end()));
    let mut rows = vec![row(["Step", "At"])];
    let steps = erasure["Steps"].as_array().into_iter().flatten();
    rows.extend(steps.map(|step| vec![cell(&step["State"]), time(&step["At"])]));
    table(&rows).iter().for_each(print_line);
    let mut rows = vec![row(["Place", "Removed", "Left", "What"])];
    let places = erasure["Places"].as_array().into_iter().flatten();
    rows.extend(
        places.map(|place| ["Name", "Removed", "Left", "Says"].map(|name| cell(&place[name])).to_vec()),
    );
    table(&rows).iter().for_each(print_line);
}

/// Waits until an erasure is verified.
///
/// # Errors
/// When no server runs, it cannot be asked or refuses, or the erasure is lost or fails.
pub async fn wait_until_verified(
    context: &CommandContext,
    api: &Api<'_>,
    erasure: &str,
) -> Result<(), CliFault> {
    let named = |fault| add_erasure_id(fault, erasure);
    if !api.is_served().await.map_err(named)? {
        return Err(named(CliFault::Failed(
            "no server runs on the data folder, so nobody does it; start `lethe serve`".to_owned(),
        )));
    }
    let mut answered = Instant::now();
    loop {
        let shown = match api.post("/api/erasure", &json!({"Erasure": erasure})).await {
            Err(CliFault::Answered { status: 429 | 503, .. }) if answered.elapsed() < BUSY_DURATION => {
                tokio::time::sleep(LOOK_DURATION).await;
                continue;
            }
            shown => shown.map_err(named)?,
        };
        answered = Instant::now();
        let stuck = stuck(&shown);
        if stuck.is_none() && shown["State"] != "verified" {
            tokio::time::sleep(LOOK_DURATION).await;
            continue;
        }
        if context.json {
            print_line(&shown)
        } else {
            print_erasure(&shown)
        }
        return stuck.map_or(Ok(()), |why| Err(CliFault::Failed(why.to_owned())));
    }
}

/// Adds the id of an accepted erasure to the fault that ended the wait for it.
fn add_erasure_id(fault: CliFault, erasure: &str) -> CliFault {
    let add_id = |sentence: String| {
        format!(
            "{sentence}; erasure {erasure} was accepted: `lethe erasure show {erasure}` says how far it is"
        )
    };
    match fault {
        CliFault::Answered { status, sentence } => CliFault::Answered { status, sentence: add_id(sentence) },
        CliFault::Failed(sentence) => CliFault::Failed(add_id(sentence)),
        other => other,
    }
}

/// Reason to stop waiting for an erasure, and what comes next.
fn stuck(erasure: &Value) -> Option<&'static str> {
    match &erasure["Fault"] {
        _ if erasure["State"] == "lost" => Some(
            "the key of the erasure is lost, and it has ended; send the request again: it becomes a new erasure",
        ),
        Value::Null => None,
        _ if erasure["State"] == "verified" => None,
        _ => Some("the erasure fails; the server goes on trying"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_officer_sees_at_once_what_is_wrong_with_an_erasure() {
        for (erasure, expected) in [
            (
                json!({"State": "lost", "Overdue": true, "Fault": "x"}),
                "LOST with its key: send the request again",
            ),
            (json!({"State": "fenced", "Overdue": true, "Fault": "x", "WaitsFor": "y"}), "OVERDUE"),
            (json!({"State": "fenced", "Overdue": false, "Fault": "x", "WaitsFor": "y"}), "FAILS: x"),
            (json!({"State": "fenced", "Fault": null, "WaitsFor": "y"}), "waits for y"),
            (json!({"State": "verified", "Fault": null, "WaitsFor": null}), ""),
        ] {
            assert_eq!(remark(&erasure), expected, "{erasure}");
        }
    }

    #[test]
    fn a_fault_while_waiting_names_the_erasure_that_was_accepted_and_keeps_its_code() {
        let more = "; erasure 7 was accepted: `lethe erasure show 7` says how far it is";
        for (fault, sentence, code) in [
            (
                CliFault::Answered { status: 404, sentence: "gone".to_owned() },
                format!("gone{more}"),
                super::super::fault::NOT_THERE,
            ),
            (CliFault::Failed("away".to_owned()), format!("away{more}"), 1),
            (CliFault::Usage("wrong".to_owned()), "wrong".to_owned(), 2),
        ] {
            let named = add_erasure_id(fault, "7");
            assert_eq!((named.to_string(), named.exit_code()), (sentence, code));
        }
    }

    #[test]
    fn an_erasure_that_is_lost_has_to_be_sent_again_and_one_that_fails_goes_on() {
        assert_eq!(stuck(&json!({"State": "fenced", "Fault": null})), None);
        assert!(
            stuck(&json!({"State": "lost", "Fault": "x"}))
                .is_some_and(|why| why.contains("send the request again"))
        );
        assert!(
            stuck(&json!({"State": "settled", "Fault": "x"}))
                .is_some_and(|why| why.contains("goes on trying"))
        );
    }
}
