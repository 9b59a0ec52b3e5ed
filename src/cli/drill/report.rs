//! The report of a drill.

use serde_json::{Value, json};

use crate::clock::Clock;

/// The steps and observations, in order.
pub struct DrillReport {
    began: String,
    steps: Vec<DrillStep>,
}

struct DrillStep {
    what: String,
    is_right: bool,
    seen: Value,
}

impl DrillReport {
    /// A report of now.
    pub fn begin() -> Self {
        let now = jiff::Timestamp::from_millisecond(Clock::system().now());
        Self { began: now.map_or_else(|_| String::new(), |at| at.to_string()), steps: Vec::new() }
    }

    /// Adds a step.
    pub fn add_step(&mut self, what: impl Into<String>, is_right: bool, seen: Value) {
        self.steps.push(DrillStep { what: what.into(), is_right, seen });
    }

    /// Steps that did not show what they should.
    pub fn count_failed(&self) -> usize {
        self.steps.iter().filter(|step| !step.is_right).count()
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let steps = self
            .steps
            .iter()
            .map(|step| json!({"Step": step.what, "Right": step.is_right, "Seen": step.seen}));
        json!({"Began": self.began, "Lethe": env!("CARGO_PKG_VERSION"), "Failed": self.count_failed(),
               "Steps": steps.collect::<Vec<_>>()})
    }

    /// For people.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "# Erasure drill, {}\n\nLethe {}, on a store of its own.\n\n",
            self.began,
            env!("CARGO_PKG_VERSION")
        );
        text.push_str("| step | as it should be | seen |\n|---|---|---|\n");
        for step in &self.steps {
            let right = if step.is_right { "yes" } else { "**NO**" };
            text.push_str(&format!("| {} | {right} | `{}` |\n", step.what, step.seen));
        }
        text.push_str(match self.count_failed() {
            0 => "\nNothing of the person was found after they were forgotten, in the places named above.\n",
            _ => "\n**Not everything was as it should be.**\n",
        });
        text
    }
}
