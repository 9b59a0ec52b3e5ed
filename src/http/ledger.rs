//! `/control/ledger/…`: what an operator hands to an auditor. Checked with `lethe-verify`.

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use lethe_verify::{Checkpoint, Growth, Key};
use serde::Serialize;
use tokio::sync::mpsc;

use super::answer;
use super::body::{Fields, read_json};
use super::refusal::Refusal;
use crate::ledger::{self, LedgerFault};
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;

impl From<LedgerFault> for Refusal {
    fn from(fault: LedgerFault) -> Self {
        match fault {
            LedgerFault::Store(fault) => fault.into(),
            LedgerFault::Keys(fault) => super::key_fault(fault),
            LedgerFault::Beyond => Self::unknown(fault.to_string()),
            LedgerFault::Other => Self::conflict(fault.to_string()),
            LedgerFault::Form(fault) => {
                tracing::error!(%fault, "what is stored of the ledger is damaged");
                Self::fault()
            }
        }
    }
}

/// The key that signs the ledger.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Signer {
    key: Key,
}

/// The public key for auditors.
pub async fn key(State(node): State<Arc<Node>>) -> Result<Json<Signer>, Refusal> {
    Ok(Json(Signer { key: ledger::public_key(&node.keys).map_err(super::key_fault)? }))
}

/// What the ledger is now, signed.
pub async fn checkpoint(State(node): State<Arc<Node>>) -> Result<Json<Checkpoint>, Refusal> {
    Ok(Json(signed(&node).await?))
}

async fn signed(node: &Node) -> Result<Checkpoint, LedgerFault> {
    let (keys, now) = (node.keys.clone(), node.clock.now());
    node.store.read(move |tx| ledger::checkpoint(tx, &keys, now)).await
}

/// Proof that the ledger of `Size` entries is the beginning of what it is now.
pub async fn growth(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Growth>, Refusal> {
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let size = Fields::parse(&body)?.find(&["Size"])?.ok_or_else(|| Refusal::malformed("Size is missing"))?;
    let size: u64 =
        serde_json::from_str(size.get()).map_err(|_| Refusal::malformed("Size has to be a whole number"))?;
    let (keys, now) = (node.keys.clone(), node.clock.now());
    Ok(Json(node.store.read(move |tx| ledger::growth(tx, &keys, size, now)).await?))
}

/// The whole ledger, a line for each entry and one for the checkpoint of these entries, sent while it is read.
pub async fn export(State(node): State<Arc<Node>>) -> Result<Response, Refusal> {
    let checkpoint = signed(&node).await?;
    let (sender, pieces) = mpsc::channel(1);
    tokio::spawn(async move {
        if let Err(fault) = send(&node, &checkpoint, &sender).await {
            tracing::warn!(%fault, "an export of the ledger broke off");
            // The connection breaks off too, so that nobody takes a part for the whole.
            let _ = sender.send(Err(fault)).await;
        }
    });
    Ok(answer::lines(pieces, "application/x-ndjson"))
}

async fn send(
    node: &Node,
    checkpoint: &Checkpoint,
    sender: &mpsc::Sender<Result<Bytes, StoreFault>>,
) -> Result<(), StoreFault> {
    let mut from = 0;
    while from < checkpoint.size {
        let limit = limits::LEDGER_PAGE_ENTRIES.min(checkpoint.size - from);
        let page = node.store.read(move |tx| ledger::entries(tx, from, limit)).await?;
        if page.len() as u64 != limit {
            return Err(StoreFault::Shape { statement: "ledger_list", column: 0 });
        }
        from += limit;
        if sender.send(Ok((page.join("\n") + "\n").into())).await.is_err() {
            // Nobody reads on.
            return Ok(());
        }
    }
    let _ = sender.send(Ok(format!("{checkpoint}\n").into())).await;
    Ok(())
}
