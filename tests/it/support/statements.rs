//! Names of the statements that ran in this process, for the check that each ran on both engines
//! (`scripts/statements-ran`).

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Target of the events that name a statement.
pub const TARGET: &str = "lethe::store::tx";

static RAN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

static FAILED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Collects the names that events of [`TARGET`] have.
struct Names;

impl<S: Subscriber> Layer<S> for Names {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        event.record(&mut NameVisitor);
    }
}

struct NameVisitor;

impl Visit for NameVisitor {
    fn record_str(&mut self, field: &Field, value: &str) {
        let names = match field.name() {
            "statement" => &RAN,
            "failed" => &FAILED,
            _ => return,
        };
        let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.contains(value) {
            names.insert(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

/// Layer that collects the names.
pub fn name_collector<S: Subscriber + for<'a> LookupSpan<'a>>() -> impl Layer<S> {
    Names.with_filter(Targets::new().with_target(TARGET, LevelFilter::TRACE))
}

/// Names of the statements that failed since the last time.
pub fn take_failed() -> BTreeSet<String> {
    std::mem::take(&mut *FAILED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Writes the names that ran on an engine to a file of their own in the folder `LETHE_TEST_STATEMENTS`, if that is set.
pub fn write_names(is_postgres: bool) {
    let Some(folder) = std::env::var_os("LETHE_TEST_STATEMENTS") else { return };
    let names = std::mem::take(&mut *RAN.lock().unwrap_or_else(PoisonError::into_inner));
    let engine = if is_postgres { "postgres" } else { "sqlite" };
    let file = PathBuf::from(folder).join(format!("{engine}-{}", uuid::Uuid::new_v4().simple()));
    let names = names.into_iter().map(|name| name + "\n").collect::<String>();
    std::fs::write(file, names).expect("a file of names");
}
