//! `lethe-verify`: checks certificates and the ledger, offline.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use jiff::Timestamp;
use lethe_verify::{CheckedCertificate, CheckedLedger, Checkpoint, Fault, Kept, Key, Place, Scan};
use lethe_verify::{FILE_BYTES, check_certificate, check_growth, check_ledger, read_checkpoint};
use serde_json::json;

/// Checks erasure certificates and the ledger of Lethe. Needs no network and no server.
#[derive(Parser)]
#[command(name = "lethe-verify", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// The key that has to have signed: 64 hexadecimal digits, or a file with them
    #[arg(long, global = true)]
    key: Option<String>,
    /// Print one JSON value instead of text
    #[arg(long, global = true)]
    json: bool,
}

const EXIT_CODES: &str = "\
Exit codes: 0 it proves what it says; 5 it does not, and the sentence says why; 2 bad usage.
Without --key everything is checked but who signed: compare the key that is printed with one you got another way.";

#[derive(Subcommand)]
enum Command {
    /// Check the certificate of an erasure
    ///
    /// Example: lethe-verify certificate certificate.json --key ledger.key
    Certificate {
        /// The certificate
        file: PathBuf,
    },
    /// Check a whole ledger, as `lethe ledger export` writes it
    ///
    /// Example: lethe-verify ledger ledger.ndjson --key ledger.key --earlier checkpoint.json
    Ledger {
        /// The ledger
        file: PathBuf,
        /// A checkpoint kept from earlier: its ledger has to be the beginning of this one
        #[arg(long)]
        earlier: Option<PathBuf>,
    },
    /// Check that a ledger has only grown, without its entries
    ///
    /// Example: lethe-verify growth checkpoint.json growth.json --key ledger.key
    Growth {
        /// The checkpoint kept from earlier
        old: PathBuf,
        /// What `lethe ledger growth` wrote
        growth: PathBuf,
    },
}

/// What was checked: the key that signed, and sentences.
type Checked = (Key, Vec<String>);

fn main() -> ExitCode {
    let cli = Cli::parse();
    let key_of = |text: &String| text.parse().or_else(|_| read(Path::new(text))?.trim().parse());
    let ran = cli
        .key
        .as_ref()
        .map(key_of)
        .transpose()
        .and_then(|key| Ok((run(&cli.command, key.as_ref())?, key.is_some())));
    let code = match &ran {
        Ok(_) => 0,
        Err(Fault::File(_) | Fault::NoHex) => 2,
        Err(_) => 5,
    };
    let text = match ran {
        Ok(((key, says), _)) if cli.json => json!({"Good": true, "Key": key, "Checked": says}).to_string(),
        Err(fault) if cli.json => json!({"Good": false, "Error": fault.to_string()}).to_string(),
        Ok(((key, says), true)) => format!("{}\nSigned by {key}, the expected key.\nGOOD", says.join("\n")),
        Ok(((key, says), false)) => {
            format!("{}\nSigned by {key}.\nGOOD, if that is the key you know: NOT COMPARED.", says.join("\n"))
        }
        Err(fault) => format!("{}: {fault}", if code == 2 { "NOT CHECKED" } else { "BAD" }),
    };
    // A verdict that nobody can read is no good one.
    let said = writeln!(std::io::stdout(), "{text}");
    ExitCode::from(if said.is_ok() { code } else { 2 })
}

fn run(command: &Command, key: Option<&Key>) -> Result<Checked, Fault> {
    match command {
        Command::Certificate { file } => certificate(file, key),
        Command::Ledger { file, earlier } => ledger(file, earlier.as_deref(), key),
        Command::Growth { old, growth } => {
            let old = read_checkpoint(&read(old)?)?;
            let new = check_growth(&old, &read(growth)?, key)?;
            let grown = format!("The ledger of {} entries is the beginning of the later one.", old.size);
            Ok((new.key, vec![grown, counted(&new)]))
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
    let Scan { files, bytes, scanned, walk_only, found, .. } = body.scan;
    says.push(format!("{files} files of {bytes} bytes searched for {scanned} identifiers: {found} found."));
    says.push(format!("{walk_only} more identifiers are proved gone by the walk through the places alone."));
    says.push(format!("The text is what was signed, and entry {index} of the ledger names it."));
    says.push(counted(&checkpoint));
    Ok((checkpoint.key, says))
}

fn ledger(file: &Path, earlier: Option<&Path>, key: Option<&Key>) -> Result<Checked, Fault> {
    let earlier = earlier.map(|earlier| read_checkpoint(&read(earlier)?)).transpose()?;
    let export = BufReader::new(File::open(file)?);
    let CheckedLedger { erasures, consents, restores, checkpoint } =
        check_ledger(export, key, earlier.as_ref())?;
    let kinds = format!("{erasures} erasures, {consents} people who came back, {restores} restored backups.");
    let mut says = vec![kinds, counted(&checkpoint)];
    if let Some(Checkpoint { size, .. }) = earlier {
        says.push(format!("The ledger of {size} entries is the beginning of this one."));
    }
    Ok((checkpoint.key, says))
}

fn counted(checkpoint: &Checkpoint) -> String {
    format!("The ledger had {} entries on {}.", checkpoint.size, time(checkpoint.at))
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
