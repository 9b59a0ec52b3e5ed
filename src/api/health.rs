//! `/health`, `/ready` and `/metrics`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde_json::{Map, Value};

use crate::accounts::quota::{self, QuotaUse};
use crate::admission::TenantSemaphore;
use crate::evidence::{self, erasures::ErasureBacklog};
use crate::keys::constant_time_eq;
use crate::maintenance::doctor;
use crate::node::{Node, missing_in_words};
use crate::store::StoreFault;
use crate::telemetry::head;
use crate::transport::error_body::ErrorBody;
use crate::transport::peer::Peer;
use crate::transport::refusal::{OfServer, Refusal};
use crate::{args, limits, sql, submissions};

/// The process lives.
#[utoipa::path(get, path = "/health", operation_id = "health", tag = "operation of the server", responses(OfServer,
    (status = 200, description = "`OK`", body = String, content_type = "text/plain")))]
pub async fn health() -> &'static str {
    "OK"
}

/// Readiness of the server for requests, for its operator.
#[derive(serde::Serialize, utoipa::ToSchema, Default)]
#[serde(rename_all = "PascalCase")]
pub struct Readiness {
    /// True if it can take requests.
    ready: bool,
    /// The database.
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<&'static str>,
    /// Numbers of waiting jobs, by kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = BTreeMap<String, i64>, required = false)]
    waiting: Option<Value>,
    /// The key epoch in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_epoch: Option<ReadyEpoch>,
    /// Sentences about where the keys lie, and about people whose keys are lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<String>>,
    /// Reason why it cannot take requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A key epoch.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ReadyEpoch {
    /// Its number.
    number: u32,
    /// Time when it was made, in milliseconds since 1970.
    made_at: i64,
    /// True while a new one is being made.
    rotating: bool,
}

impl Readiness {
    fn not(reason: String) -> Self {
        Self { error: Some(reason), ..Self::default() }
    }
}

/// The process can take requests: the store answers. The reason why not, and the waiting jobs, are for the operator
/// only.
#[utoipa::path(get, path = "/ready", operation_id = "ready", tag = "operation of the server",
    security((), ("metrics_token" = [])), responses(OfServer,
    (status = 200, description = "Ready; no body, and with the metrics token the schema Readiness as JSON"),
    (status = 401, description = "Not the metrics token", body = ErrorBody<'static>),
    (status = 503, description = "Not ready; no body, and with the metrics token the schema Readiness as JSON")))]
pub async fn ready(
    State(node): State<Arc<Node>>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let is_operator = is_operator(&node, peer, &headers)?;
    let told = readiness(&node).await;
    let status = if told.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    Ok(if is_operator { (status, Json(told)).into_response() } else { status.into_response() })
}

async fn readiness(node: &Arc<Node>) -> Readiness {
    if let Some(problem) = node.standby.problem() {
        return Readiness::not(format!("nothing is accepted: {problem}"));
    }
    let counted = tokio::time::timeout(limits::READY_DURATION, counts(node)).await;
    match counted.unwrap_or(Err(StoreFault::Busy)) {
        Ok(_) if !is_caught_up(node).await => {
            Readiness::not("what is derived from the catalogues is not up to date".to_owned())
        }
        Ok((waiting, _)) => {
            let missing = node.missing_files().await;
            match missing {
                Ok(missing) => {
                    if let Some(sentence) = missing_in_words(&missing) {
                        return Readiness::not(sentence);
                    }
                }
                Err(fault) => return Readiness::not(fault.to_string()),
            }
            let epoch = node.keys.epoch();
            let key_epoch =
                ReadyEpoch { number: epoch.number, made_at: epoch.made_at, rotating: epoch.is_rotating };
            let warnings = node
                .key_warnings
                .iter()
                .cloned()
                .chain(doctor::unreadable(node))
                .chain(doctor::describe_loss(node))
                .collect();
            Readiness {
                ready: true,
                store: Some(node.store.engine()),
                waiting: Some(waiting),
                key_epoch: Some(key_epoch),
                warnings: Some(warnings),
                error: None,
            }
        }
        Err(fault) => Readiness::not(fault.to_string()),
    }
}

/// Returns true if all loaded derived state shows the same as its account. Waits a little for the newest changes.
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

/// Counts what waits: submissions by kind, and erasures.
async fn counts(node: &Node) -> Result<(Value, ErasureBacklog), StoreFault> {
    let now = node.clock.now();
    node.store
        .read(move |tx| {
            // Every kind is named: a missing one would keep its last value in the metrics.
            let open =
                submissions::count_open(tx)?.map(|(kind, count)| (kind.as_str().to_owned(), count.into()));
            let mut waiting: Map<_, _> = open.into_iter().collect();
            let erasures = evidence::erasures::waiting(tx, now)?;
            waiting.insert("erasure".to_owned(), erasures.open.into());
            Ok((Value::Object(waiting), erasures))
        })
        .await
}

/// Prometheus text, for the operator: over the control socket, or with the metrics token.
#[utoipa::path(get, path = "/metrics", operation_id = "metrics", tag = "operation of the server",
    security(("metrics_token" = [])), responses(OfServer,
    (status = 200, description = "Prometheus text", body = String, content_type = "text/plain"),
    (status = 401, description = "Not the metrics token, or none is set", body = ErrorBody<'static>)))]
pub async fn metrics(
    State(node): State<Arc<Node>>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    if !is_operator(&node, peer, &headers)? {
        return Err(Refusal::operator_only());
    }
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
    for share in node.resources.all_shares().map(TenantSemaphore::gauge) {
        metrics::gauge!("lethe_share_taken", "of" => share.name).set(share.taken as f64);
        metrics::gauge!("lethe_share_all", "of" => share.name).set(share.all as f64);
        metrics::gauge!("lethe_share_waiting", "of" => share.name).set(share.waiting as f64);
    }
    metrics::gauge!("lethe_store_queue").set(node.store.waiting() as f64);
    metrics::counter!("lethe_store_steps_total").absolute(node.store.steps());
    let lost = node.store.acknowledged_numbers().all_lost().map_or(0, |lost| lost.requests);
    metrics::gauge!("lethe_acknowledged_lost").set(lost as f64);
    let mut text = rendered.render();
    text.push_str(&process_metrics());
    text.push_str(&accounts(&node).await);
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}

/// Returns true if the operator asks: over the control socket, or with the metrics token. A wrong token is refused.
fn is_operator(node: &Node, peer: Peer, headers: &HeaderMap) -> Result<bool, Refusal> {
    let given = headers.get(header::AUTHORIZATION);
    let (Peer::Address(_), Some(given)) = (peer, given) else { return Ok(peer == Peer::Operator) };
    let given = given.as_bytes().strip_prefix(b"Bearer ");
    let token = node.config.metrics_token.as_deref();
    let is_right = given.zip(token).is_some_and(|(given, token)| constant_time_eq(given, token.as_bytes()));
    if is_right { Ok(true) } else { Err(Refusal::operator_only()) }
}

async fn accounts(node: &Node) -> String {
    let part = node.quota_part();
    let listed = node
        .store
        .read(move |tx| {
            let mut subjects = head("lethe_subjects", "gauge");
            let mut kept_out = head("lethe_rows_kept_out_total", "counter");
            let mut bytes = head("lethe_account_bytes", "gauge");
            let mut quotas = head("lethe_account_quota_bytes", "gauge");
            let holdings = quota::list(tx, part)?;
            for account in crate::accounts::list(tx)? {
                let Some(QuotaUse { held_bytes, limit_bytes }) = holdings.get(&account.id.0) else {
                    continue;
                };
                let name = &account.name;
                bytes.push_str(&format!("lethe_account_bytes{{account=\"{name}\"}} {held_bytes}\n"));
                if let Some(limit) = limit_bytes {
                    quotas.push_str(&format!("lethe_account_quota_bytes{{account=\"{name}\"}} {limit}\n"));
                }
                let Some(row) = tx.row(&sql::subject_count, args![account.id.0])? else { continue };
                let name = account.name;
                subjects.push_str(&format!("lethe_subjects{{account=\"{name}\"}} {}\n", row.int("counted")?));
                let dropped = row.opt_int("kept_out")?.unwrap_or(0);
                kept_out.push_str(&format!("lethe_rows_kept_out_total{{account=\"{name}\"}} {dropped}\n"));
            }
            Ok::<_, StoreFault>(subjects + &kept_out + &bytes + &quotas)
        })
        .await;
    listed.unwrap_or_default()
}

/// Memory and descriptors of this process, from /proc.
fn process_metrics() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().split(' ').next()?.parse::<u64>().ok()
    };
    let resident = kilobytes("VmRSS:").unwrap_or(0) * 1024;
    let peak = kilobytes("VmHWM:").unwrap_or(0) * 1024;
    let open = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    [
        ("process_resident_memory_bytes", resident),
        ("lethe_process_resident_memory_peak_bytes", peak),
        ("process_open_fds", open as u64),
    ]
    .into_iter()
    .map(|(name, value)| format!("{}{name} {value}\n", head(name, "gauge")))
    .collect()
}
