//! Logs and metrics. No personal datum, no secret and no body goes in; other crates are capped at warn, because
//! some print their arguments below it.

use std::io::IsTerminal;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;

/// What is logged at a level: our own lines, and those of others where they do not print what they work on.
#[must_use]
pub fn filter(level: &str) -> EnvFilter {
    let level = match level {
        "error" | "warn" | "info" | "debug" | "trace" => level,
        _ => "info",
    };
    let others = if matches!(level, "error" | "warn") { level } else { "warn" };
    EnvFilter::new(format!("{others},lethe={level}"))
}

/// Starts logging to standard error: text on a terminal, JSON otherwise.
pub fn start_logs(level: &str) {
    let logs = tracing_subscriber::fmt().with_env_filter(filter(level)).with_writer(std::io::stderr);
    // The message of a panic can quote what it was working on; where it happened says enough.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a thread panicked");
    }));
    // A second start in one process (tests) keeps the first.
    let _ = if std::io::stderr().is_terminal() {
        logs.try_init().is_ok()
    } else {
        logs.json().flatten_event(true).try_init().is_ok()
    };
}

/// Counters that are told from the start, as nothing, with the values of a label where they have one. One that was told
/// from its first fault on would look to an alert as if nothing grew then.
const COUNTERS: [(&str, &str, &[&str]); 13] = [
    ("lethe_connections_closed_total", "", &[]),
    ("lethe_console_sign_ins_refused_total", "", &[]),
    ("lethe_derived_rebuilds_total", "name", &["listing", "search"]),
    ("lethe_events_total", "outcome", &["accepted", "claimed", "later", "left_out", "lost", "withdrawn"]),
    ("lethe_failed_credentials_limited_total", "", &[]),
    ("lethe_job_faults_total", "lane", &["delta", "erase", "feed", "fetch"]),
    ("lethe_key_faults_total", "", &[]),
    ("lethe_quota_refusals_total", "", &[]),
    ("lethe_search_written_products_total", "", &[]),
    ("lethe_searches_limited_total", "", &[]),
    ("lethe_webhooks_total", "outcome", &["again", "delivered", "given_up", "switched_off"]),
    ("lethe_zone_fields_left_out_total", "", &[]),
    ("lethe_zones_total", "outcome", &["empty", "left_out", "shown", "unknown"]),
];

fn begin_counters() {
    for (name, label, values) in COUNTERS {
        if values.is_empty() {
            metrics::counter!(name).absolute(0);
        }
        for value in values {
            metrics::counter!(name, label => *value).absolute(0);
        }
    }
}

/// The process's metrics, installed once.
pub fn metrics() -> PrometheusHandle {
    static HANDLE: std::sync::OnceLock<PrometheusHandle> = std::sync::OnceLock::new();
    HANDLE
        .get_or_init(|| {
            let recorder = PrometheusBuilder::new().build_recorder();
            let handle = recorder.handle();
            // Somebody else's recorder would only lose our numbers.
            let _ = metrics::set_global_recorder(recorder);
            // red: it::monitoring::sqlite::every_expression_asks_for_what_is_told
            mutant!("counters-begin-with-a-fault", begin_counters(), ());
            handle
        })
        .clone()
}
