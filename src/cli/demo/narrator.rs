//! Tells the tour as it happens: the step, the curl line for it, and the answer.

use serde_json::{Map, Value, json};

use crate::addresses::printable;
use crate::cli::print::print_line;
use crate::cli::table::cell;

/// Prints for people; for scripts it keeps the steps for one JSON value.
pub struct Narrator {
    is_quiet: bool,
    url: String,
    keys: Map<String, Value>,
    steps: Vec<Value>,
}

impl Narrator {
    /// A narrator of calls to `url` with the account's keys. A quiet one prints nothing.
    pub fn new(is_quiet: bool, url: &str, access_key: &str, secret_key: &str) -> Self {
        let mut keys = Map::new();
        keys.insert("AccessKey".to_owned(), access_key.into());
        keys.insert("SecretKey".to_owned(), secret_key.into());
        Self { is_quiet, url: url.to_owned(), keys, steps: Vec::new() }
    }

    /// Begins a step.
    pub fn heading(&mut self, title: &str) {
        self.steps.push(json!({"Step": title, "Shown": {}}));
        self.line(&format!("\n{}. {title}", self.steps.len()));
    }

    /// Prints a sentence of the tour.
    pub fn narrate(&self, sentence: &str) {
        self.line(&format!("   {sentence}"));
    }

    /// Shows the curl line of a call, with everything it needs.
    pub fn curl(&self, path: &str, body: &Value) {
        let mut whole = self.keys.clone();
        whole.extend(body.as_object().cloned().unwrap_or_default());
        // A ' ends the shell's quotes; the demo's own values hold none, but a copied line has to be right.
        let body = Value::Object(whole).to_string().replace('\'', "'\\''");
        self.line(&format!("   $ curl -i --json '{body}' {}{path}", self.url));
    }

    /// Shows the answer; scripts find it under its name.
    pub fn evidence(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        self.line(&format!("   > {name}: {}", printable(&cell(&value))));
        if let Some(step) = self.steps.last_mut() {
            step["Shown"][name] = value;
        }
    }

    /// The steps of the tour, as they were shown.
    pub fn into_steps(self) -> Vec<Value> {
        self.steps
    }

    fn line(&self, line: &str) {
        if !self.is_quiet {
            print_line(line);
        }
    }
}
