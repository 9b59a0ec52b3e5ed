//! `/control/ledger/…`: evidence that an operator hands to an auditor of one account. Checked with `lethe-verify`.

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use lethe_verify::{Checkpoint, Growth, Key};
use serde::Serialize;
use tokio::sync::mpsc;

use crate::accounts::{self, AccountFault};
use crate::api::body::read_json;
use crate::api::json_fields::JsonFields;
use crate::api::plain_answer;
use crate::ids::AccountId;
use crate::ledger::{self, LedgerFault};
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;
use crate::transport::refusal::Refusal;

impl From<LedgerFault> for Refusal {
    fn from(fault: LedgerFault) -> Self {
        match fault {
            LedgerFault::Store(fault) => fault.into(),
            LedgerFault::Keys(fault) => crate::api::faults::key_fault(fault),
            LedgerFault::Beyond => Self::unknown(fault.to_string()),
            LedgerFault::Other => Self::conflict(fault.to_string()),
            LedgerFault::Form(fault) => {
                tracing::error!(%fault, "what is stored of the ledger is damaged");
                Self::fault()
            }
        }
    }
}

/// The key that signs all ledgers.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Signer {
    key: Key,
}

/// The public key for auditors.
///
/// # Errors
/// A refusal when the cryptographic library refuses.
pub async fn key(State(node): State<Arc<Node>>) -> Result<Json<Signer>, Refusal> {
    Ok(Json(Signer { key: ledger::public_key(&node.keys).map_err(crate::api::faults::key_fault)? }))
}

/// The ledger that a request is about.
#[derive(Clone, Copy)]
struct OfLedger {
    account: AccountId,
    /// The size of an older checkpoint, where one was named.
    size: Option<u64>,
}

/// Reads whose ledger is asked for: `Name` is that of an account or, for one that a restore did not bring back, the id
/// of its ledger.
async fn read_of(node: &Node, request: Request<Body>) -> Result<OfLedger, Refusal> {
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let size = fields.find(&["Size"])?.map(|size| serde_json::from_str(size.get())).transpose();
    let size = size.map_err(|_| Refusal::malformed("Size has to be a whole number"))?;
    let found = node.store.read(move |tx| match (accounts::by_name(tx, &name), name.parse()) {
        (Err(AccountFault::Unknown), Ok(ledger)) => {
            Ok::<_, AccountFault>(ledger::account_of(tx, ledger)?.ok_or(AccountFault::Unknown)?)
        }
        (found, _) => Ok(found?.id),
    });
    Ok(OfLedger { account: found.await?, size })
}

/// Signs the ledger of an account as it is now.
///
/// # Errors
/// A refusal when the request is malformed, no account or ledger has the name, the store fails, or the
/// cryptographic library refuses.
pub async fn checkpoint(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Checkpoint>, Refusal> {
    let of = read_of(&node, request).await?;
    Ok(Json(sign_checkpoint(&node, of.account).await?))
}

async fn sign_checkpoint(node: &Node, account: AccountId) -> Result<Checkpoint, LedgerFault> {
    let keys = node.keys.clone();
    let now = node.clock.now();
    node.store.read(move |tx| ledger::checkpoint(tx, &keys, account, now)).await
}

/// Proof that the account's ledger of `Size` entries is the beginning of its present ledger.
///
/// # Errors
/// As [`checkpoint`]; also when `Size` is missing, is 0, or is more than the ledger has.
pub async fn growth(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Growth>, Refusal> {
    let OfLedger { account, size } = read_of(&node, request).await?;
    let size = size.ok_or_else(|| Refusal::missing("Size is missing"))?;
    let keys = node.keys.clone();
    let now = node.clock.now();
    Ok(Json(node.store.read(move |tx| ledger::growth(tx, &keys, account, size, now)).await?))
}

/// The whole ledger of an account, a line for each entry and one for the checkpoint of these entries, sent while it is
/// read.
///
/// # Errors
/// As [`checkpoint`]. When the store fails later, the answer breaks off.
pub async fn export(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let of = read_of(&node, request).await?;
    let checkpoint = sign_checkpoint(&node, of.account).await?;
    let (sender, pieces) = mpsc::channel(1);
    tokio::spawn(async move {
        if let Err(fault) = send(&node, of.account, &checkpoint, &sender).await {
            tracing::warn!(%fault, "an export of a ledger broke off");
            // The connection breaks off too, so that no client takes a part for the whole.
            let _ = sender.send(Err(fault)).await;
        }
    });
    Ok(plain_answer::lines(pieces, "application/x-ndjson"))
}

async fn send(
    node: &Node,
    account: AccountId,
    checkpoint: &Checkpoint,
    sender: &mpsc::Sender<Result<Bytes, StoreFault>>,
) -> Result<(), StoreFault> {
    let mut from = 0;
    while from < checkpoint.size {
        let limit = limits::LEDGER_PAGE_ENTRIES.min(checkpoint.size - from);
        let page = node.store.read(move |tx| ledger::entries(tx, account, from, limit)).await?;
        if page.len() as u64 != limit {
            return Err(StoreFault::Shape { statement: "ledger_list", column: "entry" });
        }
        from += limit;
        if sender.send(Ok((page.join("\n") + "\n").into())).await.is_err() {
            // The client has left.
            return Ok(());
        }
    }
    let _ = sender.send(Ok(format!("{checkpoint}\n").into())).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admin::testing::assert_refused_as;
    use crate::keys::KeyFault;
    use crate::transport::refusal::ErrorCode;

    #[test]
    fn each_fault_of_a_ledger_is_a_refusal_of_its_kind() {
        for (fault, code) in [
            (LedgerFault::Store(StoreFault::Busy), ErrorCode::Busy),
            (LedgerFault::Keys(KeyFault::InUse), ErrorCode::Busy),
            (LedgerFault::Beyond, ErrorCode::NotFound),
            (LedgerFault::Other, ErrorCode::Conflict),
            (LedgerFault::Form(lethe_verify::Fault::NoHex), ErrorCode::Fault),
        ] {
            assert_refused_as(fault, code);
        }
    }
}
