//! `/health`, `/ready` and `/metrics`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use crate::args;
use crate::evidence::{self, erasures::Waiting};
use crate::keys::constant_time_eq;
use crate::limits;
use crate::node::Node;
use crate::sql;
use crate::store::StoreFault;
use crate::submissions;
use crate::upkeep::doctor;

/// The process lives.
#[utoipa::path(get, path = "/health", tag = "operation of the server", responses((status = 200, description = "Alive")))]
pub async fn health() -> &'static str {
    "OK"
}

/// The process can take requests: the store answers.
#[utoipa::path(get, path = "/ready", tag = "operation of the server", responses(
    (status = 200, description = "Ready"), (status = 503, description = "Not ready, with the reason")))]
pub async fn ready(State(node): State<Arc<Node>>) -> Response {
    if let Some(problem) = node.standby.problem() {
        let body = json!({"Ready": false, "Error": format!("nothing is accepted: {problem}")});
        return (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response();
    }
    let counted = tokio::time::timeout(limits::READY_DURATION, counts(&node)).await;
    match counted.unwrap_or(Err(StoreFault::Busy)) {
        Ok(_) if !is_caught_up(&node).await => {
            let body =
                json!({"Ready": false, "Error": "what is derived from the catalogues is not up to date"});
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
        Ok((counts, _)) => {
            let epoch = node.keys.epoch();
            let epoch =
                json!({"Number": epoch.number, "MadeAt": epoch.made_at, "Rotating": epoch.is_rotating});
            let warnings: Vec<_> = node
                .key_warnings
                .iter()
                .cloned()
                .chain(doctor::unreadable(&node))
                .chain(doctor::lost(&node))
                .collect();
            let body = json!({"Ready": true, "Store": node.store.engine(), "Waiting": counts,
                              "KeyEpoch": epoch, "Warnings": warnings});
            Json(body).into_response()
        }
        Err(fault) => {
            let body = json!({"Ready": false, "Error": fault.to_string()});
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
    }
}

/// Whether everything derived that is loaded shows what its account shows. What just came is waited for a little.
async fn is_caught_up(node: &Node) -> bool {
    let mut looks = tokio::time::interval(limits::READY_DURATION / 20);
    for _ in 0..10 {
        looks.tick().await;
        if node.derived.is_caught_up() {
            return true;
        }
    }
    false
}

/// What waits: submissions by kind, erasures.
async fn counts(node: &Node) -> Result<(Value, Waiting), StoreFault> {
    let now = node.clock.now();
    node.store
        .read(move |tx| {
            // Every kind is named: one that is missing would keep its last value in the metrics.
            let open =
                submissions::count_open(tx)?.map(|(kind, count)| (kind.as_str().to_owned(), count.into()));
            let mut waiting: Map<_, _> = open.into_iter().collect();
            let erasures = evidence::erasures::waiting(tx, now)?;
            waiting.insert("erasure".to_owned(), erasures.open.into());
            Ok((Value::Object(waiting), erasures))
        })
        .await
}

/// Prometheus text. With the token also one line for each account.
#[utoipa::path(get, path = "/metrics", tag = "operation of the server", responses((status = 200, description = "Prometheus text")))]
pub async fn metrics(State(node): State<Arc<Node>>, headers: HeaderMap) -> Response {
    let rendered = crate::telemetry::metrics();
    if let Ok((Value::Object(waiting), erasures)) = counts(&node).await {
        for (kind, count) in waiting {
            metrics::gauge!("lethe_waiting", "kind" => kind).set(count.as_f64().unwrap_or_default());
        }
        let oldest_millis = erasures.oldest_at.map_or(0, |at| node.clock.now() - at);
        metrics::gauge!("lethe_erasures_overdue").set(erasures.overdue as f64);
        metrics::gauge!("lethe_erasures_failing").set(erasures.failing as f64);
        metrics::gauge!("lethe_erasure_oldest_seconds").set(oldest_millis as f64 / 1000.0);
    }
    let age = node.clock.now().saturating_sub(node.keys.epoch().made_at);
    metrics::gauge!("lethe_key_epoch_age_seconds").set((age / 1000) as f64);
    metrics::gauge!("lethe_store_queue").set(node.store.waiting() as f64);
    let lost = node.store.acknowledged().all_lost().map_or(0, |lost| lost.requests);
    metrics::gauge!("lethe_acknowledged_lost").set(lost as f64);
    let mut text = rendered.render();
    text.push_str(&process());
    // red: it::wire::sqlite::health_readiness_and_metrics_name_no_account
    if mutant!("metrics-open", may_see_accounts(&node, &headers), true) {
        text.push_str(&accounts(&node).await);
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

fn may_see_accounts(node: &Node, headers: &HeaderMap) -> bool {
    let Some(token) = &node.config.metrics_token else { return false };
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    given
        .and_then(|value| value.strip_prefix("Bearer "))
        .is_some_and(|given| constant_time_eq(given.as_bytes(), token.as_bytes()))
}

async fn accounts(node: &Node) -> String {
    let listed = node
        .store
        .read(|tx| {
            let mut subjects = String::from("# TYPE lethe_subjects gauge\n");
            let mut kept_out = String::from("# TYPE lethe_rows_kept_out_total counter\n");
            for account in crate::accounts::list(tx)? {
                let Some(row) = tx.row(&sql::subject_count, args![account.id.0])? else { continue };
                let name = account.name;
                subjects.push_str(&format!("lethe_subjects{{account=\"{name}\"}} {}\n", row.int(0)?));
                let dropped = row.opt_int(1)?.unwrap_or(0);
                kept_out.push_str(&format!("lethe_rows_kept_out_total{{account=\"{name}\"}} {dropped}\n"));
            }
            Ok::<_, StoreFault>(subjects + &kept_out)
        })
        .await;
    listed.unwrap_or_default()
}

/// Memory and descriptors of this process, from /proc.
fn process() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().split(' ').next()?.parse::<u64>().ok()
    };
    let resident = kilobytes("VmRSS:").unwrap_or(0) * 1024;
    let peak = kilobytes("VmHWM:").unwrap_or(0) * 1024;
    let open = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    format!(
        "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes {resident}\n\
         # TYPE lethe_process_resident_memory_peak_bytes gauge\nlethe_process_resident_memory_peak_bytes {peak}\n\
         # TYPE process_open_fds gauge\nprocess_open_fds {open}\n"
    )
}
