//! What `lethe-verify` does: checks certificates and the ledger, offline.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use jiff::Timestamp;
use serde_json::json;

use crate::arguments::{Arguments, Asked, Command, HELP, read as read_arguments};
use crate::{CheckedCertificate, CheckedLedger, Checkpoint, Fault, Kept, Key, Place, Scan};
use crate::{FILE_BYTES, check_certificate, check_growth, check_ledger, read_checkpoint};

/// What was checked: the newest checkpoint, and sentences.
type Checked = (Checkpoint, Vec<String>);

/// Runs the command line of this process and prints the verdict.
pub fn run() -> ExitCode {
    let (code, text) = match read_arguments(lexopt::Parser::from_env()) {
        Ok(Asked::Say(text)) => (0, text.to_owned()),
        Ok(Asked::Check(arguments)) => answer(&arguments),
        Err(error) => (2, format!("error: {error}\n\n{HELP}")),
    };
    // A verdict that nobody can read is no good one.
    ExitCode::from(writeln!(std::io::stdout(), "{text}").map_or(2, |()| code))
}

/// Checks, and returns the exit code and what to print.
fn answer(Arguments { command, key, ledger, json }: &Arguments) -> (u8, String) {
    let key_of = |text: &String| text.parse().or_else(|_| read(Path::new(text))?.trim().parse());
    let expected = key.as_ref().map(key_of).transpose();
    let checked = expected.and_then(|key| {
        let checked = check(command, key.as_ref())?;
        ledger.as_ref().map_or(Ok(()), |ledger| checked.0.check_ledger(*ledger))?;
        Ok(checked)
    });
    let code = match &checked {
        Ok(_) => 0,
        Err(Fault::File(_) | Fault::NoHex) => 2,
        Err(_) => 5,
    };
    let text = match checked {
        Ok((Checkpoint { key, ledger, .. }, says)) if *json => {
            json!({"Good": true, "Key": key, "Ledger": ledger, "Checked": says}).to_string()
        }
        Err(fault) if *json => json!({"Good": false, "Error": fault.to_string()}).to_string(),
        Ok((Checkpoint { key: signer, .. }, says)) => {
            let verdict = match key {
                Some(_) => format!("Signed by {signer}, the expected key.\nGOOD"),
                None => format!("Signed by {signer}.\nGOOD, if that is the key you know: NOT COMPARED."),
            };
            format!("{}\n{verdict}", says.join("\n"))
        }
        Err(fault) => format!("{}: {fault}", if code == 2 { "NOT CHECKED" } else { "BAD" }),
    };
    (code, text)
}

fn check(command: &Command, key: Option<&Key>) -> Result<Checked, Fault> {
    match command {
        Command::Certificate { file } => certificate(file, key),
        Command::Ledger { file, earlier } => ledger(file, earlier.as_deref(), key),
        Command::Growth { old, growth } => {
            let old = read_checkpoint(&read(old)?)?;
            let new = check_growth(&old, &read(growth)?, key)?;
            let grown = format!("The ledger of {} entries is the beginning of the later one.", old.size);
            Ok((new, vec![grown, counted(&new)]))
        }
    }
}

fn certificate(file: &Path, key: Option<&Key>) -> Result<Checked, Fault> {
    let CheckedCertificate { body, index, checkpoint } = check_certificate(&read(file)?, key)?;
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
    says.push(counted(&checkpoint));
    Ok((checkpoint, says))
}

fn ledger(file: &Path, earlier: Option<&Path>, key: Option<&Key>) -> Result<Checked, Fault> {
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

fn counted(checkpoint: &Checkpoint) -> String {
    let Checkpoint { ledger, size, .. } = checkpoint;
    format!("The ledger {ledger} had {size} entries on {}.", time(checkpoint.at))
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
