//! `lethe-verify`: checks certificates and the ledger, offline.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use jiff::Timestamp;
use lethe_verify::{Checkpoint, FILE_BYTES, Fault, Key, check_certificate, check_growth, check_ledger};
use lethe_verify::{public_key, read_checkpoint};

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
    Certificate {
        /// The certificate
        file: PathBuf,
    },
    /// Check a whole ledger, as `lethe ledger export` writes it
    Ledger {
        /// The ledger
        file: PathBuf,
        /// A checkpoint kept from earlier: its ledger has to be the beginning of this one
        #[arg(long)]
        earlier: Option<PathBuf>,
    },
    /// Check that a ledger has only grown, without its entries
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
    let key = match cli.key.as_deref().map(expected_key).transpose() {
        Ok(key) => key,
        Err(fault) => return say(&cli, &format!("--key: {fault}\n"), 2),
    };
    match (run(&cli.command, key.as_ref()), cli.json) {
        (Ok((key, says)), true) => {
            say(&cli, &format!("{}\n", serde_json::json!({"Good": true, "Key": key, "Checked": says})), 0)
        }
        (Err(fault), true) => {
            say(&cli, &format!("{}\n", serde_json::json!({"Good": false, "Error": fault.to_string()})), 5)
        }
        (Ok((signer, says)), false) => {
            let whose = if key.is_some() { "the expected one" } else { "NOT COMPARED: compare it yourself" };
            say(&cli, &format!("{}\nSigned by {signer}, {whose}.\nGOOD\n", says.join("\n")), 0)
        }
        (Err(fault), false) => say(&cli, &format!("BAD: {fault}\n"), 5),
    }
}

fn say(cli: &Cli, text: &str, code: u8) -> ExitCode {
    let to_errors = code != 0 && !cli.json;
    let said = match to_errors {
        true => std::io::stderr().write_all(text.as_bytes()),
        false => std::io::stdout().write_all(text.as_bytes()),
    };
    // A verdict that nobody can read is no good one.
    ExitCode::from(if said.is_ok() { code } else { code.max(1) })
}

fn expected_key(text: &str) -> Result<Key, Fault> {
    public_key(text).or_else(|_| public_key(&read(Path::new(text))?))
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
    let checked = check_certificate(&read(file)?, key)?;
    let (body, scan) = (&checked.body, &checked.body.scan);
    let mut says = vec![
        format!("Erasure {} of the shop {:?}:", body.erasure, body.shop),
        format!(
            "  asked {}, due {}, verified {}",
            time(body.asked_at),
            time(body.due_at),
            time(body.verified_at)
        ),
        "  verified in these places, and in no others:".to_owned(),
    ];
    says.extend(body.places.iter().map(|place| {
        format!(
            "    {}: {} removed, {} left ({:?})",
            printable(&place.name),
            place.removed,
            place.left,
            place.proof
        )
    }));
    says.extend(
        body.kept.iter().map(|kept| format!("  kept: {} of {:?} ({:?})", kept.count, kept.name, kept.says)),
    );
    says.push(format!(
        "  {} files of {} bytes searched for {} identifiers, {} found; {} more proved by the walk alone",
        scan.files, scan.bytes, scan.scanned, scan.found, scan.walk_only
    ));
    says.push(format!("Its text is what was signed, and entry {} of the ledger names it.", checked.index));
    says.push(counted(&checked.checkpoint));
    Ok((checked.checkpoint.key, says))
}

fn ledger(file: &Path, earlier: Option<&Path>, key: Option<&Key>) -> Result<Checked, Fault> {
    let earlier = earlier.map(|earlier| read_checkpoint(&read(earlier)?)).transpose()?;
    let checked = check_ledger(BufReader::new(File::open(file)?), key, earlier.as_ref())?;
    let (erasures, consents, restores) = (checked.erasures, checked.consents, checked.restores);
    let mut says = vec![
        format!("{erasures} erasures, {consents} people who came back, {restores} restored backups."),
        counted(&checked.checkpoint),
    ];
    says.extend(
        earlier
            .map(|earlier| format!("The ledger of {} entries is the beginning of this one.", earlier.size)),
    );
    Ok((checked.checkpoint.key, says))
}

fn counted(checkpoint: &Checkpoint) -> String {
    format!("The ledger had {} entries on {}.", checkpoint.size, time(checkpoint.at))
}

fn time(millis: i64) -> String {
    Timestamp::from_millisecond(millis).map_or_else(|_| "no time".to_owned(), |time| time.to_string())
}

/// Text without signs that a terminal obeys.
fn printable(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_control()).collect()
}

/// Reads a file that has to be small.
fn read(file: &Path) -> Result<String, Fault> {
    let mut text = Vec::new();
    File::open(file)?.take(FILE_BYTES + 2).read_to_end(&mut text)?;
    String::from_utf8(text).map_err(|_| Fault::Unreadable { what: "file" })
}
