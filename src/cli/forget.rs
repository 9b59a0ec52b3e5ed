//! `lethe forget`.

use std::io::{BufRead, IsTerminal, Write};

use serde_json::{Value, json};

use super::api::Api;
use super::context::CommandContext;
use super::erasure;
use super::fault::CliFault;
use super::person::{self, PersonOptions};
use super::print::print_line;

/// Person to forget.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    who: PersonOptions,
    /// Only show under which identifiers the person is known and how much would go, and change nothing
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// Your own reference of the case, such as DSR-2026-114; it is kept after the erasure, so it must name nobody
    #[arg(long, value_name = "TEXT", conflicts_with = "dry_run")]
    reference: Option<String>,
    /// Wait until it is verified that nothing is left
    #[arg(long)]
    wait: bool,
    /// Do not ask on the terminal whether it is meant: for scripts
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

const NOBODY_TO_ASK: &str =
    "an erasure cannot be undone, and there is no terminal to ask on whether it is meant: add --yes";
/// The status of an answer about a person whose key is lost.
const GONE: u16 = 410;

const EXAMPLES: &str = "\
It asks on the terminal before it does what cannot be undone; without one, and with - for the identifier, it wants --yes. It
says whether anybody was known, which the answer of the server does not. From then on no feed and no delta brings them back. The id
that is printed is that of the erasure: `lethe erasure show ID` tells how far it is, `lethe erasure certificate ID`
proves it.

Examples:
  lethe forget ann@mail.example --dry-run
  lethe forget ann@mail.example --wait --reference DSR-2026-114
  printf %s userid:4711 | lethe forget - --yes --account myshop";

/// Asks on the terminal, unless told not to, and then for the erasure.
///
/// # Errors
/// When the user does not confirm it, the identifier cannot be used, or the server cannot be asked or refuses; with
/// `--wait`, also when the erasure is lost or fails.
pub async fn run(context: &CommandContext, options: Options) -> Result<(), CliFault> {
    if options.dry_run {
        return person::run_held(context, &options.who).await;
    }
    let must_ask = !options.yes;
    if must_ask && (options.who.is_on_standard_input() || !can_ask()) {
        return Err(CliFault::Usage(NOBODY_TO_ASK.to_owned()));
    }
    let api = Api::open(context, &options.who.whose)?;
    let mut asked = options.who.request_body()?;
    let known = PersonLookup::fetch(&api, &asked).await?;
    if must_ask && !is_confirmed(known, std::io::stdin().lock(), std::io::stderr().lock()) {
        return Err(CliFault::Failed("nothing was changed".to_owned()));
    }
    if let Some(reference) = &options.reference {
        asked["Reference"] = reference.as_str().into();
    }
    let reply = api.post_text("/api/user/forget", &asked.to_string()).await?;
    let id = reply.erasure_id.unwrap_or_default();
    if context.json && !options.wait {
        print_line(json!({"Answer": reply.answer, "Erasure": id, "Known": known.to_json()}));
    } else if !context.json {
        print_line(
            "Accepted: nothing about this person is stored from now on, and what was stored is destroyed soon.",
        );
        print_line(known.sentence());
        print_line(format!("Erasure: {id}"));
    }
    if options.wait { erasure::wait_until_verified(context, &api, &id).await } else { Ok(()) }
}

/// True if a user at a terminal can answer.
fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks whether it is meant. Whatever is no yes is a no.
fn is_confirmed(known: PersonLookup, mut answers: impl BufRead, mut terminal: impl Write) -> bool {
    let question = format!("{} An erasure cannot be undone. Go on? [y/N] ", known.question());
    let mut answer = String::new();
    let asked = terminal.write_all(question.as_bytes()).and_then(|()| terminal.flush());
    asked.is_ok() && answers.read_line(&mut answer).is_ok() && is_yes(&answer)
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes))
}

/// The person's records before they are forgotten. The server's answer does not show them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PersonLookup {
    /// Something is stored under the identifier.
    Person,
    /// No person's own identifier, but it came with orders of others.
    WithOrdersOfOthers,
    /// Nothing is stored, because of an erasure before this one.
    ForgottenBefore,
    /// An unknown person.
    Nobody,
    /// The key is lost, so that nothing can be looked up.
    Lost,
    /// The server could not look it up now.
    NotLookedUp,
}

impl PersonLookup {
    async fn fetch(api: &Api<'_>, asked: &Value) -> Result<Self, CliFault> {
        match api.post("/api/user/held", asked).await {
            Ok(held) if held["Known"] == true => Ok(Self::Person),
            Ok(held) if held["FoundAnywhere"] == true => Ok(Self::WithOrdersOfOthers),
            Ok(held) if held["Suppression"]["Suppressed"] == true => Ok(Self::ForgottenBefore),
            Ok(_) => Ok(Self::Nobody),
            Err(CliFault::Answered { status: GONE, .. }) => Ok(Self::Lost),
            // A scan may take long, and an erasure does not wait for it.
            Err(CliFault::Answered { status: 429 | 500.., .. }) => Ok(Self::NotLookedUp),
            Err(fault) => Err(fault),
        }
    }

    fn to_json(self) -> Value {
        match self {
            Self::Person | Self::WithOrdersOfOthers | Self::Lost => true.into(),
            Self::ForgottenBefore | Self::Nobody => false.into(),
            Self::NotLookedUp => Value::Null,
        }
    }

    fn question(self) -> &'static str {
        match self {
            Self::Person => "Somebody is known under this identifier (--dry-run shows what would go).",
            Self::WithOrdersOfOthers => "This is nobody's own identifier, but orders of others came with it.",
            Self::ForgottenBefore => "Nobody is known under this identifier: it was forgotten before.",
            Self::Nobody => "Nobody is known under this identifier: it may be mistyped.",
            Self::Lost => "Somebody is known under this identifier, and their key is lost.",
            Self::NotLookedUp => "Whether anybody is known under this identifier cannot be looked up now.",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::Person => "Somebody was known under this identifier.",
            Self::WithOrdersOfOthers => {
                "Nobody's own, but orders of others came with this identifier: they go."
            }
            Self::ForgottenBefore => "Nobody was known under this identifier: it was forgotten before.",
            Self::Nobody => {
                "Nobody was known under this identifier. Was it mistyped? It is shut out all the same."
            }
            Self::Lost => "Somebody was known under this identifier, and their key is lost.",
            Self::NotLookedUp => {
                "Whether anybody was known under this identifier could not be looked up now."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_known_of_a_person_is_asked_about_and_told_in_its_words() {
        for (known, json, question, sentence) in [
            (
                PersonLookup::Person,
                json!(true),
                "Somebody is known under this identifier (--dry-run shows what would go).",
                "Somebody was known under this identifier.",
            ),
            (
                PersonLookup::WithOrdersOfOthers,
                json!(true),
                "This is nobody's own identifier, but orders of others came with it.",
                "Nobody's own, but orders of others came with this identifier: they go.",
            ),
            (
                PersonLookup::ForgottenBefore,
                json!(false),
                "Nobody is known under this identifier: it was forgotten before.",
                "Nobody was known under this identifier: it was forgotten before.",
            ),
            (
                PersonLookup::Nobody,
                json!(false),
                "Nobody is known under this identifier: it may be mistyped.",
                "Nobody was known under this identifier. Was it mistyped? It is shut out all the same.",
            ),
            (
                PersonLookup::Lost,
                json!(true),
                "Somebody is known under this identifier, and their key is lost.",
                "Somebody was known under this identifier, and their key is lost.",
            ),
            (
                PersonLookup::NotLookedUp,
                json!(null),
                "Whether anybody is known under this identifier cannot be looked up now.",
                "Whether anybody was known under this identifier could not be looked up now.",
            ),
        ] {
            assert_eq!((known.to_json(), known.question(), known.sentence()), (json, question, sentence));
            let mut shown = Vec::new();
            assert!(is_confirmed(known, &b"y"[..], &mut shown));
            let expected = format!("{question} An erasure cannot be undone. Go on? [y/N] ");
            assert_eq!(String::from_utf8(shown).expect("text"), expected);
        }
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        for (answer, is_meant) in [
            ("y\n", true),
            (" YES \n", true),
            ("\n", false),
            ("", false),
            ("n\n", false),
            ("yellow\n", false),
        ] {
            let mut shown = Vec::new();
            assert_eq!(
                is_confirmed(PersonLookup::Nobody, answer.as_bytes(), &mut shown),
                is_meant,
                "{answer}"
            );
            let shown = String::from_utf8(shown).expect("text");
            assert!(shown.starts_with("Nobody is known") && shown.contains("cannot be undone"), "{shown}");
        }
    }
}
