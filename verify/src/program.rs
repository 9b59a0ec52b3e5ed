//! The program `lethe-verify`: checks certificates and the ledger, offline.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use jiff::Timestamp;
use serde_json::json;

use crate::arguments::{Arguments, Asked, Command, HELP, read as read_arguments};
use crate::{CheckedCertificate, CheckedLedger, Checkpoint, Fault, Kept, Key, Place, Scan};
use crate::{FILE_BYTES, check_certificate, check_growth, check_ledger, read_checkpoint};

/// Result of a check: the newest checkpoint, and sentences.
type Checked = (Checkpoint, Vec<String>);

/// Runs the command line of this process and prints the verdict.
pub fn run() -> ExitCode {
    let (code, text) = match read_arguments(lexopt::Parser::from_env()) {
        Ok(Asked::Say(text)) => (0, text.to_owned()),
        Ok(Asked::Check(arguments)) => answer(&arguments),
        Err(error) => (2, format!("error: {error}\n\n{HELP}")),
    };
    // A verdict that cannot be read is no good one.
    ExitCode::from(writeln!(std::io::stdout(), "{text}").map_or(2, |()| code))
}

/// Checks, and returns the exit code and the text to print.
fn answer(arguments: &Arguments) -> (u8, String) {
    let (code, json, text) = match check(arguments) {
        Ok((Checkpoint { key, ledger, .. }, says)) => {
            let verdict = match arguments.key {
                Some(_) => format!("Signed by {key}, the expected key.\nGOOD"),
                None => format!("Signed by {key}.\nGOOD, if that is the key you know: NOT COMPARED."),
            };
            let text = format!("{}\n{verdict}", says.join("\n"));
            (0, json!({"Good": true, "Key": key, "Ledger": ledger, "Checked": says}), text)
        }
        Err(fault) => {
            let is_usage = matches!(fault, Fault::File(_) | Fault::NoHex);
            let (code, verdict) = if is_usage { (2, "NOT CHECKED") } else { (5, "BAD") };
            (code, json!({"Good": false, "Error": fault.to_string()}), format!("{verdict}: {fault}"))
        }
    };
    (code, if arguments.json { json.to_string() } else { text })
}

fn check(Arguments { command, key, ledger, .. }: &Arguments) -> Result<Checked, Fault> {
    let key_of = |text: &String| text.parse().or_else(|_| read(Path::new(text))?.trim().parse());
    let key = key.as_ref().map(key_of).transpose()?;
    let checked = match command {
        Command::Certificate { file } => checked_certificate(file, key.as_ref()),
        Command::Ledger { file, earlier } => checked_ledger(file, earlier.as_deref(), key.as_ref()),
        Command::Growth { old, growth } => checked_growth(old, growth, key.as_ref()),
    }?;
    ledger.map_or(Ok(()), |ledger| checked.0.check_ledger(ledger))?;
    Ok(checked)
}

fn checked_certificate(file: &Path, key: Option<&Key>) -> Result<Checked, Fault> {
    let checked = check_certificate(&read(file)?, key)?;
    let says = describe_certificate(&checked);
    Ok((checked.checkpoint, says))
}

/// Sentences that say what a certificate proves.
pub(crate) fn describe_certificate(checked: &CheckedCertificate) -> Vec<String> {
    let CheckedCertificate { body, index, checkpoint } = checked;
    let [asked, due, verified] = [body.asked_at, body.due_at, body.verified_at].map(time);
    let mut says = vec![
        format!("Erasure {} of the shop {:?}: asked {asked}, due {due}.", body.erasure, body.shop),
        format!("Verified {verified} in these places, and in no others:"),
    ];
    for Place { name, removed, left, proof, .. } in &body.places {
        says.push(format!("  {name:?}: {removed} removed, {left} left ({proof:?})"));
    }
    for Kept { name, says: why, count } in &body.kept {
        says.push(format!("Kept in {name:?}: {count} ({why:?})"));
    }
    let Scan { folders, scanned, walk_only, found, complete: _ } = &body.scan;
    says.push(format!("Every file of {folders:?} searched for {scanned} identifiers: {found} found."));
    says.push(format!("{walk_only} more identifiers are proved gone by the walk through the places alone."));
    says.push(format!("The text is what was signed, and entry {index} of the ledger names it."));
    says.push(counted(checkpoint));
    says
}

fn checked_ledger(file: &Path, earlier: Option<&Path>, key: Option<&Key>) -> Result<Checked, Fault> {
    let earlier = earlier.map(|earlier| read_checkpoint(&read(earlier)?)).transpose()?;
    let CheckedLedger { erasures, consents, restores, checkpoint } =
        check_ledger(BufReader::new(File::open(file)?), key, earlier.as_ref())?;
    let kinds = format!("{erasures} erasures, {consents} people who came back, {restores} restored backups.");
    let mut says = vec![kinds, counted(&checkpoint)];
    if let Some(Checkpoint { size, .. }) = earlier {
        says.push(format!("The ledger of {size} entries is the beginning of this one."));
    }
    Ok((checkpoint, says))
}

fn checked_growth(old: &Path, growth: &Path, key: Option<&Key>) -> Result<Checked, Fault> {
    let old = read_checkpoint(&read(old)?)?;
    let new = check_growth(&old, &read(growth)?, key)?;
    let grown = format!("The ledger of {} entries is the beginning of the later one.", old.size);
    Ok((new, vec![grown, counted(&new)]))
}

fn counted(Checkpoint { ledger, size, at, .. }: &Checkpoint) -> String {
    format!("The ledger {ledger} had {size} entries on {}.", time(*at))
}

fn time(millis: i64) -> String {
    Timestamp::from_millisecond(millis).map_or_else(|_| "no time".to_owned(), |time| time.to_string())
}

/// Reads a file that has to be small.
fn read(file: &Path) -> Result<String, Fault> {
    let mut text = Vec::new();
    File::open(file)?.take(FILE_BYTES + 2).read_to_end(&mut text)?;
    String::from_utf8(text).map_err(|_| Fault::Unreadable { what: "file" })
}
