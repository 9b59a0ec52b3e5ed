//! `lethe events import`: a history of shoppers' events, from a file.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Lines, Read};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::{print_line, print_warning};
use crate::addresses::printable;
use crate::api::events::LATER;
use crate::limits;

/// Wait before events of new visitors are sent again: some more are taken by then.
const LATER_DURATION: Duration = Duration::from_secs(2);
/// Tries without a taken event before the command gives up: other callers send as many as the server takes.
const LATER_TRIES: u32 = 150;
/// Time between two reports of progress.
const SAID_DURATION: Duration = Duration::from_secs(30);

/// Commands for events.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Send the events of a file, one JSON object a line, the oldest first
    #[command(after_help = "\
A line is an event as /api/events takes it:
  {\"Name\": \"product_view\", \"Product\": \"4711\", \"UserId\": \"7\", \"At\": 1795600000000}
  {\"Name\": \"order\", \"Order\": \"1001\", \"Items\": [{\"Product\": \"4711\", \"Quantity\": 2}], \"UserId\": \"7\"}
What cannot be is left out and counted by its reason, with the first line that has it. Of a history with many
visitors the server takes 20 new ones a second: the command waits and sends the others again.

When it breaks off it says from which line to go on:
  tail -n +120001 visits.ndjson | lethe events import - --account myshop

Examples:
  lethe events import visits.ndjson --account myshop
  zcat visits.ndjson.gz | lethe events import -")]
    Import {
        /// The file; - is standard input
        file: PathBuf,
        #[command(flatten)]
        whose: AccountOption,
    },
}

/// Runs it.
///
/// # Errors
/// When the file cannot be read, or the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    let Command::Import { file, whose } = command;
    let unreadable = |error: std::io::Error| CliFault::unreadable(file.display(), &error);
    let source: Box<dyn Read + Send> = match file.to_str() {
        Some("-") => Box::new(std::io::stdin()),
        _ => Box::new(std::fs::File::open(&file).map_err(unreadable)?),
    };
    let mut lines = BufReader::new(source).lines();
    let api = Api::open(context, &whose)?;
    let mut imported = EventImport::new();
    let outcome = loop {
        let batch = match imported.batch(&mut lines) {
            Ok(batch) if batch.is_empty() => break Ok(()),
            Ok(batch) => batch,
            Err(fault) => break Err(unreadable(fault)),
        };
        if let Err(fault) = imported.send_all(context, &api, batch).await {
            break Err(fault);
        }
        imported.done = imported.read;
    };
    if outcome.is_err() {
        imported.say_where_to_go_on();
    }
    imported.print_summary(context);
    outcome
}

/// Import of a file.
struct EventImport {
    read: u64,
    /// The last line up to which nothing is to be sent again.
    done: u64,
    accepted: u64,
    /// Number of reports of progress.
    told: u64,
    said_at: Instant,
    /// For each reason, the number of lines and the first one.
    left_out: BTreeMap<String, (u64, u64)>,
}

impl EventImport {
    fn new() -> Self {
        Self { read: 0, done: 0, accepted: 0, told: 0, said_at: Instant::now(), left_out: BTreeMap::new() }
    }

    /// The next events, each with its line; none at the end.
    fn batch(&mut self, lines: &mut Lines<impl BufRead>) -> std::io::Result<Vec<(u64, Value)>> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while batch.len() < limits::EVENTS_OF_REQUEST && bytes < limits::EVENTS_BODY_BYTES / 2 {
            let Some(line) = lines.next() else { break };
            let line = line?;
            bytes += line.len();
            self.read += 1;
            match serde_json::from_str::<Value>(&line) {
                Ok(event) => batch.push((self.read, event)),
                Err(_) if line.trim().is_empty() => {}
                Err(_) => self.leave_out(self.read, "The line is no JSON object"),
            }
        }
        Ok(batch)
    }

    /// Sends events until each was taken or left out: those of new visitors again, as long as some are taken.
    async fn send_all(
        &mut self,
        context: &CommandContext,
        api: &Api<'_>,
        mut batch: Vec<(u64, Value)>,
    ) -> Result<(), CliFault> {
        let mut idle = 0;
        loop {
            let count = batch.len();
            batch = self.send(api, batch).await?;
            self.say_progress(context);
            if batch.is_empty() {
                return Ok(());
            }
            idle = if batch.len() < count { 0 } else { idle + 1 };
            if idle > LATER_TRIES {
                return Err(CliFault::Refused(LATER.to_owned()));
            }
            tokio::time::sleep(LATER_DURATION).await;
        }
    }

    /// Sends events once; gives those that are to be sent again later.
    async fn send(&mut self, api: &Api<'_>, batch: Vec<(u64, Value)>) -> Result<Vec<(u64, Value)>, CliFault> {
        let events: Vec<_> = batch.iter().map(|(_, event)| event).collect();
        let answer = api.post("/api/events", &json!({"Events": events})).await?;
        self.accepted += answer["Accepted"].as_u64().unwrap_or(0);
        let taken = answer["Events"].as_array().into_iter().flatten();
        let mut later = Vec::new();
        for ((number, event), taken) in batch.into_iter().zip(taken) {
            match taken["LeftOut"].as_str() {
                Some(LATER) => later.push((number, event)),
                Some(reason) => self.leave_out(number, reason),
                None => {}
            }
        }
        Ok(later)
    }

    fn say_progress(&mut self, context: &CommandContext) {
        let is_due = self.accepted / 100_000 > self.told || self.said_at.elapsed() > SAID_DURATION;
        if !context.json && is_due {
            self.told = self.accepted / 100_000;
            self.said_at = Instant::now();
            print_warning(&format!("{} events so far, line {}", self.accepted, self.read));
        }
    }

    /// The last request may have taken some or all of the lines after the completed ones.
    fn say_where_to_go_on(&self) {
        let first = self.done + 1;
        print_warning(&format!(
            "it broke off between line {first} and line {}: all lines before are done, of these some may be. To go on: \
             tail -n +{first} FILE | lethe events import -",
            self.read.max(first)
        ));
    }

    fn leave_out(&mut self, line: u64, reason: &str) {
        self.left_out.entry(reason.to_owned()).or_insert((0, line)).0 += 1;
    }

    fn print_summary(&self, context: &CommandContext) {
        if context.json {
            let told = |(reason, (count, first)): (&String, &(u64, u64))| json!({"Reason": reason, "Count": count, "FirstLine": first});
            let left_out: Vec<_> = self.left_out.iter().map(told).collect();
            print_line(json!({"Accepted": self.accepted, "LeftOut": left_out}));
            return;
        }
        print_line(format!("{} events were taken.", self.accepted));
        for (reason, (count, first)) in &self.left_out {
            print_line(format!("{count} left out, the first in line {first}: {}", printable(reason)));
        }
    }
}
