//! `lethe export`, `lethe scan`, `lethe suppression check` and `lethe return`: a person's data, and their suppression.

use serde_json::{Value, json};

use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::control::answer_of;
use super::fault::CliFault;
use super::page_file::{LanguageOptions, PageFile};
use super::print::print_line;
use super::table::{cell, many, pretty, row, table, time};
use crate::addresses::{printable, shell_word};
use crate::evidence::documents;

/// A person, by an identifier.
#[derive(clap::Args)]
pub struct PersonOptions {
    /// Email address or id of the person; `email:`, `userid:`, `accid:` and `visitor:` say which; - reads it from
    /// standard input, where no list of processes shows it
    identifier: String,
    #[command(flatten)]
    pub whose: AccountOption,
}

impl PersonOptions {
    /// The body of a request about the person.
    ///
    /// # Errors
    /// When standard input cannot be read, or the identifier has an unknown prefix.
    pub fn request_body(&self) -> Result<Value, CliFault> {
        let identifier = match self.identifier.as_str() {
            "-" => std::io::read_to_string(std::io::stdin())
                .map_err(|error| CliFault::unreadable("standard input", &error))?,
            identifier => identifier.to_owned(),
        };
        let identifier = identifier.trim_end_matches(['\r', '\n']);
        if has_unknown_prefix(identifier) {
            Err(CliFault::Usage(UNKNOWN_PREFIX.to_owned()))
        } else {
            Ok(json!({"Identifier": identifier}))
        }
    }

    /// True if the identifier comes on standard input.
    pub fn is_on_standard_input(&self) -> bool {
        self.identifier == "-"
    }

    async fn post(&self, context: &CommandContext, path: &str) -> Result<Value, CliFault> {
        Api::open(context, &self.whose)?.post(path, &self.request_body()?).await
    }
}

/// The identifier itself is not repeated: this line may stand in a log.
const UNKNOWN_PREFIX: &str = "the word before the `:` is none that says what the identifier is: those are email:, \
    userid:, accid: and visitor:. If it belongs to the id itself, put one of them before it, such as userid:crm:4711";

/// True if a text begins with an unknown word and a colon, like a kind of identifier: the wrong person would be
/// forgotten.
fn has_unknown_prefix(identifier: &str) -> bool {
    let Some((prefix, _)) = identifier.trim().split_once(':') else { return false };
    !["email", "userid", "accid", "visitor"].iter().any(|known| prefix.eq_ignore_ascii_case(known))
}

/// Person to export.
#[derive(clap::Args)]
#[command(after_help = "\
The JSON goes to standard output; it holds personal data. --page writes a page that people can read instead, and with
--json beside it.

Examples:
  lethe export ann@mail.example --account myshop > ann.json
  lethe export ann@mail.example --account myshop --page ann.html
  lethe export ann@mail.example --account myshop --page ann.html --json > ann.json")]
pub struct ExportOptions {
    #[command(flatten)]
    who: PersonOptions,
    #[command(flatten)]
    page: PageFile,
    #[command(flatten)]
    language: LanguageOptions,
}

/// Prints everything that is stored about a person.
///
/// # Errors
/// When the identifier cannot be used, the server cannot be asked or refuses, or the page cannot be written.
pub async fn export(context: &CommandContext, options: &ExportOptions) -> Result<(), CliFault> {
    options.page.check(context)?;
    let export = options.who.post(context, "/api/user/export").await?;
    if options.page.is_wanted() {
        let page = documents::export_page(&export, options.language.resolve(&export));
        options.page.write(context, &page.map_err(|fault| CliFault::Failed(fault.to_string()))?)?;
    }
    match (context.json, options.page.is_wanted()) {
        (true, _) => print_line(&export),
        (false, true) => {}
        (false, false) => print_line(pretty(&export)),
    }
    Ok(())
}

/// Person to look for.
#[derive(clap::Args)]
#[command(after_help = "\
Every place is looked at: rows by the person's keyed hashes; for the operator (--account NAME) also every file, byte by
byte, as the files hold all shops. Identifiers that are short or only digits
stand in large files by chance: they are looked up, not scanned. Exit code 5 when something is found.

Example:
  lethe scan ann@mail.example --account myshop")]
pub struct Scan {
    #[command(flatten)]
    who: PersonOptions,
}

/// Looks for a person everywhere.
///
/// # Errors
/// When something is found, the identifier cannot be used, or the server cannot be asked or refuses.
pub async fn scan(context: &CommandContext, options: &Scan) -> Result<(), CliFault> {
    let api = Api::open(context, &options.who.whose)?;
    let body = api.stream("/api/user/scan", &options.who.request_body()?).await?;
    let body = body.ok_or_else(|| CliFault::Failed("the server has too much to do; try again".to_owned()))?;
    let bytes = axum::body::to_bytes(body, usize::MAX).await;
    let found = answer_of(&bytes.map_err(|_| CliFault::Failed("the server's answer broke off".to_owned()))?);
    if context.json {
        print_line(&found);
    } else {
        show_places(&found);
        show_files(&found["Scan"]);
    }
    if found["FoundAnywhere"] == true {
        return Err(CliFault::Found("something of this person was found".to_owned()));
    }
    if !context.json {
        print_line("Nothing of this person was found.");
    }
    Ok(())
}

/// Result of a search of the files; a shop is told that there was none.
fn show_files(scan: &Value) {
    if scan.is_null() {
        print_line(
            "Files were not searched: only the operator may, with --account NAME on the machine of the server.",
        );
        return;
    }
    let number = |name: &str| scan[name].as_u64().unwrap_or(0);
    print_line(format!(
        "{}, {}: {} looked for byte by byte, {} looked up only.",
        many(number("Files"), "file", "files"),
        many(number("Bytes"), "byte", "bytes"),
        many(number("IdentifiersScanned"), "identifier", "identifiers"),
        number("IdentifiersWalkedOnly")
    ));
    for file in scan["FoundIn"].as_array().into_iter().flatten() {
        print_line(format!("Found in the file {}", printable(&cell(file))));
    }
}

/// The people that would be forgotten.
///
/// # Errors
/// When the identifier cannot be used, or the server cannot be asked or refuses.
pub async fn run_held(context: &CommandContext, who: &PersonOptions) -> Result<(), CliFault> {
    let held = who.post(context, "/api/user/held").await?;
    if context.json {
        print_line(&held);
        return Ok(());
    }
    if held["Known"] == true {
        print_line("Known under these identifiers:");
        let known = held["Who"].as_array().into_iter().flatten();
        let known: Vec<_> = known.map(|id| ["Kind", "Value"].map(|name| cell(&id[name])).to_vec()).collect();
        table(&known).iter().for_each(|line| print_line(format!("  {line}")));
        print_line("This would go:");
    } else if held["FoundAnywhere"] == true {
        print_line(
            "This is nobody's own here: orders of others came with it. They would go, and what else is theirs stays:",
        );
    } else {
        print_line("Nobody is known under this identifier. It would be shut out all the same.");
    }
    show_places(&held);
    show_left(&held);
    print_line("Nothing was changed.");
    Ok(())
}

/// Data about the person that would stay, and how to have it erased too.
fn show_left(held: &Value) {
    for left in held["Left"].as_array().into_iter().flatten() {
        print_line(printable(&format!("{} would be left: {}.", cell(&left["Count"]), cell(&left["Says"]))));
        for request in left["Requests"].as_array().into_iter().flatten() {
            print_line(format!("  lethe forget {}", shell_word(&cell(request))));
        }
    }
}

fn show_places(found: &Value) {
    let mut rows = vec![row(["Place", "Found", "What"])];
    let places = found["Places"].as_array().into_iter().flatten();
    rows.extend(places.map(|place| ["Name", "Found", "Says"].map(|name| cell(&place[name])).to_vec()));
    table(&rows).iter().for_each(print_line);
}

/// Commands for the list of the forgotten.
#[derive(clap::Subcommand)]
pub enum SuppressionCommand {
    /// Check whether an identifier was forgotten, and since when
    #[command(after_help = "Examples:\n  lethe suppression check ann@mail.example --account myshop
  lethe suppression check userid:4711")]
    Check(PersonOptions),
}

/// Runs it.
///
/// # Errors
/// When the identifier cannot be used, or the server cannot be asked or refuses.
pub async fn suppression(context: &CommandContext, command: &SuppressionCommand) -> Result<(), CliFault> {
    let SuppressionCommand::Check(who) = command;
    let found = who.post(context, "/api/user/suppression").await?;
    if context.json {
        print_line(&found);
    } else if found["Suppressed"] == true {
        print_line(format!(
            "Forgotten since {}, as {}: kept out at every door.",
            time(&found["Since"]),
            cell(&found["Kind"])
        ));
    } else if found["CameBack"] == true {
        print_line("Was forgotten, and came back since: let in.");
    } else {
        print_line("Not forgotten: let in.");
    }
    Ok(())
}

/// Person who comes back.
#[derive(clap::Args)]
#[command(after_help = "\
Only for a person who asked for it. What is accepted from now on is stored again; nothing of before returns, and what
was accepted before stays out. The ledger notes that somebody came back, not who. Each identifier comes back alone:
return the email address and the user id under which the person is a customer now, one after the other.

Example:
  lethe return ann@mail.example --account myshop
  lethe return userid:4711 --account myshop")]
pub struct Return {
    #[command(flatten)]
    who: PersonOptions,
}

/// Lets a forgotten person in again.
///
/// # Errors
/// When the identifier cannot be used, or the server cannot be asked or refuses.
pub async fn come_back(context: &CommandContext, options: &Return) -> Result<(), CliFault> {
    let answer = options.who.post(context, "/api/user/return").await?;
    if context.json {
        print_line(&answer);
    } else if answer["Returned"] == true {
        print_line(
            "Let in again, from now on. Nothing of before returns. Each identifier comes back alone: return the user id \
             too (or the email address), or the person's rows stay out.",
        );
    } else {
        print_line("This identifier was not forgotten; nothing was changed.");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_of(identifier: &str) -> Result<Value, String> {
        let who = PersonOptions { identifier: identifier.to_owned(), whose: AccountOption { account: None } };
        assert!(!who.is_on_standard_input());
        who.request_body().map_err(|fault| fault.to_string())
    }

    #[test]
    fn an_identifier_is_sent_as_it_was_typed_but_for_the_ends_of_its_line() {
        for (typed, sent) in
            [("ann@mail.example", "ann@mail.example"), (" a b\r\n\n", " a b"), ("userid:7\n", "userid:7")]
        {
            assert_eq!(body_of(typed), Ok(json!({"Identifier": sent})));
        }
        assert_eq!(body_of("crm:7"), Err(UNKNOWN_PREFIX.to_owned()));
        let dash = PersonOptions { identifier: "-".to_owned(), whose: AccountOption { account: None } };
        assert!(dash.is_on_standard_input());
    }

    #[test]
    fn a_word_that_says_nothing_is_told_from_those_that_say_the_kind() {
        for good in ["ann@mail.example", "4711", "email:a@b.example", "UserId:crm:4711", " visitor:x"] {
            assert!(!has_unknown_prefix(good), "{good}");
        }
        for wrong in ["mail:ann@mail.example", "user:4711", "crm:4711", ":4711"] {
            assert!(has_unknown_prefix(wrong), "{wrong}");
        }
    }
}
