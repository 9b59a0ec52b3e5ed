//! `lethe events import`: a history of what shoppers did, from a file.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::api::{Api, Whose};
use super::{CliFault, Context, say, say_warning};
use crate::limits;
use crate::spelling::printable;

/// What to do with events.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Send the events of a file, one JSON object a line, the oldest first
    #[command(after_help = "\
A line is an event as /api/events takes it:
  {\"Name\": \"product_view\", \"Product\": \"4711\", \"UserId\": \"7\", \"At\": 1795600000000}
  {\"Name\": \"order\", \"Order\": \"1001\", \"Items\": [{\"Product\": \"4711\", \"Quantity\": 2}], \"UserId\": \"7\"}
What cannot be is left out and counted by its reason, with the first line that has it.

Examples:
  lethe events import visits.ndjson --account myshop
  zcat visits.ndjson.gz | lethe events import -")]
    Import {
        /// The file; - is standard input
        file: PathBuf,
        #[command(flatten)]
        whose: Whose,
    },
}

/// Runs it.
///
/// # Errors
/// When the file cannot be read, or the server cannot be asked or refuses.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    let Command::Import { file, whose } = command;
    let named = |fault: std::io::Error| CliFault::Usage(format!("{}: {fault}", file.display()));
    let source: Box<dyn Read + Send> = match file.to_str() {
        Some("-") => Box::new(std::io::stdin()),
        _ => Box::new(std::fs::File::open(&file).map_err(named)?),
    };
    let mut lines = BufReader::new(source).lines();
    let api = Api::open(context, &whose)?;
    let mut imported = Imported::default();
    loop {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while batch.len() < limits::EVENTS_OF_REQUEST && bytes < limits::EVENTS_BODY_BYTES / 2 {
            let Some(line) = lines.next() else { break };
            let line = line.map_err(named)?;
            bytes += line.len();
            imported.read += 1;
            match serde_json::from_str::<Value>(&line) {
                Ok(event) => batch.push((imported.read, event)),
                Err(_) if line.trim().is_empty() => {}
                Err(_) => imported.leave_out(imported.read, "The line is no JSON object"),
            }
        }
        if batch.is_empty() {
            break;
        }
        imported.send(&api, batch).await?;
        if !context.json && imported.accepted / 100_000 > imported.told {
            imported.told = imported.accepted / 100_000;
            say_warning(&format!("{} events so far", imported.accepted));
        }
    }
    imported.tell(context);
    Ok(())
}

/// What became of a file.
#[derive(Default)]
struct Imported {
    read: u64,
    accepted: u64,
    /// How often it was said how far it is.
    told: u64,
    /// By reason: how many lines, and the first of them.
    left_out: BTreeMap<String, (u64, u64)>,
}

impl Imported {
    async fn send(&mut self, api: &Api<'_>, batch: Vec<(u64, Value)>) -> Result<(), CliFault> {
        let (numbers, events): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let answer = api.post("/api/events", &json!({"Events": events})).await?;
        self.accepted += answer["Accepted"].as_u64().unwrap_or(0);
        let taken = answer["Events"].as_array().into_iter().flatten();
        for (number, taken) in numbers.into_iter().zip(taken) {
            if let Some(reason) = taken["LeftOut"].as_str() {
                self.leave_out(number, reason);
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, line: u64, reason: &str) {
        self.left_out.entry(reason.to_owned()).or_insert((0, line)).0 += 1;
    }

    fn tell(&self, context: &Context) {
        if context.json {
            let told = |(reason, (count, first)): (&String, &(u64, u64))| json!({"Reason": reason, "Count": count, "FirstLine": first});
            let left_out: Vec<_> = self.left_out.iter().map(told).collect();
            say(json!({"Accepted": self.accepted, "LeftOut": left_out}));
            return;
        }
        say(format!("{} events were taken.", self.accepted));
        for (reason, (count, first)) in &self.left_out {
            say(format!("{count} left out, the first in line {first}: {}", printable(reason)));
        }
    }
}
