//! `lethe events import`: a history of shoppers' events, from a file.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, IsTerminal, Lines, Read};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::HumanCount;
use serde_json::{Value, json};

use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::{print_line, print_warning};
use super::table::many;
use super::wait::SubmissionBar;
use crate::addresses::printable;
use crate::api::events::LATER;
use crate::limits;

/// Wait before events of new visitors are sent again: some more are taken by then.
const LATER_DURATION: Duration = Duration::from_secs(2);
/// Tries without a taken event before the command gives up: other callers send as many as the server takes.
const LATER_TRIES: u32 = 150;
/// Time between two lines of progress, where no terminal shows a bar.
const LINE_DURATION: Duration = Duration::from_secs(10);

/// Commands for events.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Send the events of a file, one JSON object a line, the oldest first
    #[command(after_help = "\
A line is an event as /api/events takes it:
  {\"Name\": \"product_view\", \"Product\": \"4711\", \"UserId\": \"7\", \"At\": 1795600000000}
  {\"Name\": \"order\", \"Order\": \"1001\", \"Items\": [{\"Product\": \"4711\", \"Quantity\": 2}], \"UserId\": \"7\"}
What cannot be is left out and counted by its reason, with the first line that has it. Of a history with many
visitors the server takes 20 new ones a second: the command waits and sends the others again. It shows how far it is on
standard error: as a bar on a terminal, otherwise as a line each ten seconds.

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
    let mut total = None;
    let source: Box<dyn Read + Send> = match file.to_str() {
        Some("-") => Box::new(std::io::stdin()),
        _ => {
            let file = std::fs::File::open(&file).map_err(unreadable)?;
            total = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|found| found.len());
            Box::new(file)
        }
    };
    let mut lines = BufReader::new(source).lines();
    let api = Api::open(context, &whose)?;
    let bar = std::io::stderr().is_terminal().then(SubmissionBar::new);
    let mut imported = EventImport { total, bar, ..EventImport::new() };
    let outcome = loop {
        let batch = match imported.batch(&mut lines) {
            Ok(batch) if batch.is_empty() => break Ok(()),
            Ok(batch) => batch,
            Err(fault) => break Err(unreadable(fault)),
        };
        if let Err(fault) = imported.send_all(&api, batch).await {
            break Err(fault);
        }
        imported.done = imported.read;
    };
    if let Some(bar) = &imported.bar {
        bar.clear();
    }
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
    /// Bytes of the lines that were read, and of all of them, if that is known.
    bytes: u64,
    total: Option<u64>,
    /// Time of the last line of progress.
    said_at: Instant,
    bar: Option<SubmissionBar>,
    /// For each reason, the number of lines and the first one.
    left_out: BTreeMap<String, (u64, u64)>,
}

impl EventImport {
    fn new() -> Self {
        Self {
            read: 0,
            done: 0,
            accepted: 0,
            bytes: 0,
            total: None,
            said_at: Instant::now(),
            bar: None,
            left_out: BTreeMap::new(),
        }
    }

    /// The next events, each with its line; none at the end.
    fn batch(&mut self, lines: &mut Lines<impl BufRead>) -> std::io::Result<Vec<(u64, Value)>> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while batch.len() < limits::EVENTS_OF_REQUEST && bytes < limits::EVENTS_BODY_BYTES / 2 {
            let Some(line) = lines.next() else { break };
            let line = line?;
            bytes += line.len();
            self.bytes += line.len() as u64 + 1;
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
    async fn send_all(&mut self, api: &Api<'_>, mut batch: Vec<(u64, Value)>) -> Result<(), CliFault> {
        let mut idle = 0;
        loop {
            let count = batch.len();
            batch = self.send(api, batch).await?;
            self.say_progress();
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

    /// Draws the bar, or prints a line when it is time for one.
    fn say_progress(&mut self) {
        match &self.bar {
            Some(bar) => bar.draw(self.describe_progress(), self.bytes, self.total),
            None if self.is_line_due(Instant::now()) => {
                self.said_at = Instant::now();
                print_warning(&self.describe_progress());
            }
            None => {}
        }
    }

    fn is_line_due(&self, now: Instant) -> bool {
        now.duration_since(self.said_at) >= LINE_DURATION
    }

    fn describe_progress(&self) -> String {
        let taken = many(self.accepted, "event", "events");
        let lines = many(self.read, "line", "lines");
        match self.total.filter(|total| *total > 0) {
            Some(total) => {
                let percent = (self.bytes.saturating_mul(100) / total).min(100);
                format!("{taken} taken so far, {lines} read ({percent} %)")
            }
            None => format!("{taken} taken so far, {lines} read"),
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
        let taken = many(self.accepted, "event was", "events were");
        let left_out: u64 = self.left_out.values().map(|(count, _)| count).sum();
        print_line(match left_out {
            0 => format!("{taken} taken, none left out."),
            _ => format!("{taken} taken, {} left out:", HumanCount(left_out)),
        });
        for (reason, (count, first)) in &self.left_out {
            print_line(format!("  {}, the first in line {first}: {}", HumanCount(*count), printable(reason)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_a_line_each_ten_seconds_with_the_part_of_the_file() {
        let mut import = EventImport { accepted: 1200, read: 1450, bytes: 400, ..EventImport::new() };
        assert_eq!(import.describe_progress(), "1,200 events taken so far, 1,450 lines read");
        import.total = Some(1000);
        assert_eq!(import.describe_progress(), "1,200 events taken so far, 1,450 lines read (40 %)");
        let began = import.said_at;
        assert!(!import.is_line_due(began + Duration::from_secs(9)));
        assert!(import.is_line_due(began + Duration::from_secs(10)));
    }

    #[test]
    fn a_request_ends_with_the_line_that_fills_half_of_its_body() {
        let half = limits::EVENTS_BODY_BYTES / 2;
        let line = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
        for (first, numbers) in [(half + 1, &[1][..]), (half, &[1]), (half - 1, &[1, 3])] {
            let text = format!("{}\n\n{}\n", line(first), line(9));
            let mut lines = text.as_bytes().lines();
            let batch = EventImport::new().batch(&mut lines).expect("lines");
            assert_eq!(batch.iter().map(|(number, _)| *number).collect::<Vec<_>>(), numbers, "{first}");
        }
        let many = "{}\n".repeat(limits::EVENTS_OF_REQUEST + 1);
        let mut lines = many.as_bytes().lines();
        let mut import = EventImport::new();
        let sizes = [(); 3].map(|()| import.batch(&mut lines).map_or(0, |batch| batch.len()));
        assert_eq!(sizes, [limits::EVENTS_OF_REQUEST, 1, 0]);
    }
}
