//! Logs and metrics. No personal datum, no secret and no body goes in; other crates are capped at warn, because
//! some print their arguments below it.

use std::io::IsTerminal;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;

/// Filter of the log at a level: our own lines, and those of libraries that do not print their data.
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
    // The message of a panic can quote its data; the place says enough.
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

/// Counters that exist from the start, at zero, with the values of a label where they have one. To an alert, a counter
/// that appeared with its first fault would look as if nothing grew then.
const COUNTERS: [(&str, &str, &[&str]); 17] = [
    ("lethe_answers_broken_off_total", "", &[]),
    ("lethe_answers_refused_total", "", &[]),
    ("lethe_connections_closed_for_others_total", "", &[]),
    ("lethe_connections_closed_total", "", &[]),
    ("lethe_console_sign_ins_refused_total", "", &[]),
    ("lethe_derived_rebuilds_total", "name", &["listing", "search"]),
    ("lethe_descriptors_lacking_total", "", &[]),
    (
        "lethe_events_total",
        "outcome",
        &["accepted", "claimed", "later", "left_out", "limited", "lost", "withdrawn"],
    ),
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

/// Descriptions of the metrics, for a reader who sees only the name. The manual says more.
const DESCRIPTIONS: [(&str, &str); 36] = [
    ("lethe_account_bytes", "What an account holds in files, in bytes"),
    ("lethe_account_quota_bytes", "How much an account may hold in files, in bytes"),
    ("lethe_acknowledged_lost", "Requests that were acknowledged and that the database has lost"),
    ("lethe_answers_broken_off_total", "Large answers that ended because nobody read them"),
    ("lethe_answers_refused_total", "Large answers for which others left no memory"),
    ("lethe_connections_closed_for_others_total", "Silent connections closed so that others find room"),
    ("lethe_connections_closed_total", "Connections closed at once because their address had its share"),
    ("lethe_descriptors_lacking_total", "Connections that were not taken because descriptors were lacking"),
    ("lethe_console_sign_ins_refused_total", "Wrong passwords at the console"),
    ("lethe_derived_rebuilds_total", "How often what is derived from a catalogue was made anew"),
    ("lethe_erasure_oldest_seconds", "Age of the oldest erasure that is not verified"),
    ("lethe_erasures_failing", "Erasures that failed and have not gone on since"),
    ("lethe_erasures_overdue", "Erasures that are not verified a month after they were asked for"),
    ("lethe_events_total", "Events of shoppers, by what became of them"),
    (
        "lethe_failed_credentials_limited_total",
        "Refusals because an address showed wrong credentials too often",
    ),
    ("lethe_job_faults_total", "Jobs that failed on the side of the server"),
    ("lethe_key_epoch_age_seconds", "Age of the key epoch in force"),
    ("lethe_key_faults_total", "Writes of a key file or its mirror that failed"),
    ("lethe_process_resident_memory_peak_bytes", "Most memory that the process has had, in bytes"),
    ("lethe_quota_refusals_total", "Requests refused because their account holds as much as it may"),
    ("lethe_requests_total", "Answers, by route and status"),
    ("lethe_rows_kept_out_total", "Rows about forgotten people that were dropped"),
    ("lethe_search_written_products_total", "Products written into search indices"),
    (
        "lethe_searches_limited_total",
        "Searches without the secret refused because their address asks too often",
    ),
    ("lethe_share_all", "How much there is of what is handed out in shares"),
    ("lethe_share_taken", "How much is taken of what is handed out in shares"),
    ("lethe_share_waiting", "How many wait for a share"),
    ("lethe_store_queue", "Units of work that wait for a writer of the store"),
    ("lethe_store_steps_total", "Steps of the embedded database's machine"),
    ("lethe_subjects", "People stored of an account"),
    ("lethe_waiting", "Submissions and erasures that have not ended"),
    ("lethe_webhooks_total", "Tries to tell servers of shops what ended"),
    ("lethe_zone_fields_left_out_total", "Fields of items of zones for which an answer had no room"),
    ("lethe_zones_total", "Zones that pages asked for, by what stood there"),
    ("process_open_fds", "Open descriptors of the process"),
    ("process_resident_memory_bytes", "Memory of the process, in bytes"),
];

/// Describes each metric.
fn describe() {
    for (name, says) in DESCRIPTIONS {
        if name.ends_with("_total") {
            metrics::describe_counter!(name, says);
        } else {
            metrics::describe_gauge!(name, says);
        }
    }
}

/// The head of a metric that is written here: its description and kind.
#[must_use]
pub fn head(name: &str, kind: &str) -> String {
    let says = DESCRIPTIONS.iter().find(|(known, _)| *known == name).map_or("", |(_, says)| says);
    format!("# HELP {name} {says}\n# TYPE {name} {kind}\n")
}

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
            // Another recorder would only lose our numbers.
            let _ = metrics::set_global_recorder(recorder);
            describe();
            begin_counters();
            handle
        })
        .clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_lines_are_told_at_a_level_and_those_of_others_from_warnings_on() {
        for (level, ours, others) in [
            ("error", "error", "error"),
            ("warn", "warn", "warn"),
            ("info", "info", "warn"),
            ("debug", "debug", "warn"),
            ("trace", "trace", "warn"),
            ("INFO", "info", "warn"),
            ("lethe=off", "info", "warn"),
        ] {
            let told = filter(level).to_string().to_lowercase();
            let mut told: Vec<_> = told.split(',').collect();
            told.sort_unstable();
            let mut expected = [format!("lethe={ours}"), others.to_owned()];
            expected.sort_unstable();
            assert_eq!(told, expected, "{level}");
        }
    }

    #[test]
    fn every_counter_is_there_from_the_start_at_zero_with_its_description() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || {
            describe();
            begin_counters();
        });
        let text = handle.render();
        let lines: Vec<_> = text.lines().collect();
        let mut counters = 0;
        for (name, label, values) in COUNTERS {
            assert!(text.contains(&head(name, "counter")), "{name}: {text}");
            let unlabelled = if values.is_empty() { vec![format!("{name} 0")] } else { Vec::new() };
            let labelled = values.iter().map(|value| format!("{name}{{{label}=\"{value}\"}} 0"));
            for line in unlabelled.into_iter().chain(labelled) {
                assert!(lines.contains(&line.as_str()), "no {line}: {text}");
                counters += 1;
            }
        }
        assert_eq!(lines.iter().filter(|line| line.ends_with(" 0")).count(), counters);
    }

    #[test]
    fn the_head_of_a_metric_describes_it() {
        let expected = "# HELP lethe_subjects People stored of an account\n# TYPE lethe_subjects gauge\n";
        assert_eq!(head("lethe_subjects", "gauge"), expected);
        assert_eq!(head("x_total", "counter"), "# HELP x_total \n# TYPE x_total counter\n");
    }
}
