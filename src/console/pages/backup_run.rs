//! The backup that runs, and the last one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// The backup that was made from here last, or is being made: in memory, until the server ends.
#[derive(Default)]
pub(crate) struct Backups(Mutex<Value>);

impl Backups {
    /// `null`, or its `State` (`runs`, `made`, `failed`), its `Target`, and the details of that state.
    pub(super) fn state(&self) -> Value {
        self.lock().clone()
    }

    /// Begins one, unless one runs.
    pub(super) fn begin(&self, target: &str) -> bool {
        let mut told = self.lock();
        let is_busy = told["State"] == "runs";
        if !is_busy {
            *told = json!({"State": "runs", "Target": target});
        }
        !is_busy
    }

    pub(super) fn apply_event(&self, event: &str, data: &Value) {
        let mut told = self.lock();
        match event {
            "progress" => told["Progress"] = data.clone(),
            "end" => *told = json!({"State": "made", "Target": told["Target"], "Made": data}),
            _ => *told = json!({"State": "failed", "Target": told["Target"], "Error": data["Error"]}),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
