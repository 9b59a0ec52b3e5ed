//! Prints the tour as it happens: two lines a step, or with `--verbose` each call and each answer.

use serde_json::{Value, json};

use crate::addresses::printable;
use crate::cli::print::print_line;
use crate::cli::table::cell;

/// Extent of what the tour prints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TourVerbosity {
    /// Nothing: the steps are kept for one JSON value.
    Nothing,
    /// A title and a line of each step.
    Steps,
    /// Besides that, each call as a line of curl, and each answer.
    Calls,
}

/// Prints for people; for scripts it keeps the steps for one JSON value.
pub struct Narrator {
    verbosity: TourVerbosity,
    url: String,
    steps: Vec<Value>,
}

impl Narrator {
    /// A narrator of calls to `url`.
    pub fn new(verbosity: TourVerbosity, url: &str) -> Self {
        Self { verbosity, url: url.to_owned(), steps: Vec::new() }
    }

    /// Begins a step.
    pub fn begin_step(&mut self, title: &str) {
        self.steps.push(json!({"Step": title, "Shown": {}}));
        self.print(TourVerbosity::Steps, &format!("\n{}. {title}", self.steps.len()));
    }

    /// Prints the result of a step.
    pub fn narrate(&self, sentence: &str) {
        self.print(TourVerbosity::Steps, &format!("   {}", printable(sentence)));
    }

    /// Prints a call as a line of curl. The keys are those of the variables that the tour prints at its end.
    pub fn print_curl(&self, path: &str, body: &Value) {
        // A ' ends the shell's quotes; the demo's own values hold none, but a copied line has to be right.
        let members = body.to_string().replace('\'', "'\\''");
        let members = members.strip_prefix('{').unwrap_or_default();
        let comma = if members == "}" { "" } else { "," };
        let keys = r#""AccessKey":"'$LETHE_ACCESS_KEY'","SecretKey":"'$LETHE_SECRET_KEY'""#;
        self.print(
            TourVerbosity::Calls,
            &format!("   $ curl -i --json '{{{keys}{comma}{members}' {}{path}", self.url),
        );
    }

    /// Prints a part of an answer; scripts find it under its name.
    pub fn show_answer(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        self.print(TourVerbosity::Calls, &format!("   > {name}: {}", printable(&cell(&value))));
        if let Some(step) = self.steps.last_mut() {
            step["Shown"][name] = value;
        }
    }

    /// The steps of the tour, as they were shown.
    pub fn into_steps(self) -> Vec<Value> {
        self.steps
    }

    fn print(&self, least: TourVerbosity, line: &str) {
        if self.verbosity == TourVerbosity::Calls || self.verbosity == least {
            print_line(line);
        }
    }
}
