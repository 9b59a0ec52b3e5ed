//! `/control/account/…` and `/control/key/…`: for the operator, over the control socket only.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::{Value, json};

use crate::accounts::deletion::{self, Decision};
use crate::accounts::{self, AccountFault, AccountSecret, about, quota};
use crate::api::account_about::{self, Shop};
use crate::api::account_change::{change, load_owner};
use crate::api::account_quota::DiskUse;
use crate::api::body::read_json;
use crate::api::detached_task::to_its_end;
use crate::api::json_fields::JsonFields;
use crate::clock::{Millis, millis};
use crate::node::Node;
use crate::recovery::ledger_copy;
use crate::store::{Owner, StoreFault};
use crate::transport::refusal::{ErrorCode, Refusal};
use crate::{accept, limits};

impl From<AccountFault> for Refusal {
    fn from(fault: AccountFault) -> Self {
        match fault {
            AccountFault::Store(fault) => fault.into(),
            AccountFault::Keys(fault) => crate::api::faults::key_fault(fault),
            AccountFault::ListTooSoon(_) => Self::too_many_changes(fault.to_string()),
            AccountFault::Unknown
            | AccountFault::SecretUnknown
            | AccountFault::ListUnknown(_)
            | AccountFault::DeletionUnknown => Self::unknown(fault.to_string()),
            AccountFault::NameTaken | AccountFault::TooManySecrets | AccountFault::Closed => {
                Self::conflict(fault.to_string())
            }
            AccountFault::ListChanged(_) => Self::new(ErrorCode::ChangedMeanwhile, fault.to_string()),
            AccountFault::NameMalformed
            | AccountFault::CurrencyUnknown
            | AccountFault::PercentMalformed
            | AccountFault::QuotaMalformed
            | AccountFault::SearchLanguage
            | AccountFault::BoughtTogether
            | AccountFault::SearchAttributes
            | AccountFault::SearchOrigins
            | AccountFault::SearchPictures
            | AccountFault::TextLength { .. }
            | AccountFault::TextSigns { .. }
            | AccountFault::DisplayNameAddress => Self::malformed(fault.to_string()),
        }
    }
}

async fn body(request: Request<Body>) -> Result<bytes::Bytes, Refusal> {
    read_json(request, limits::REQUEST_BODY_BYTES).await
}

/// Makes an account; its secret is in this answer and nowhere else.
///
/// # Errors
/// A refusal when the request is malformed, the name is taken or cannot be used, the currency is unknown, the
/// system gives no random bytes, or the store fails.
pub async fn create(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let currency = fields.opt_text(&["Currency"])?;
    to_its_end(create_account(node, name, currency)).await
}

async fn create_account(
    node: Arc<Node>,
    name: String,
    currency: Option<String>,
) -> Result<Json<Value>, Refusal> {
    let keys = node.keys.clone();
    let now = node.clock.now();
    // With the second account limits begin.
    quota::keep_single(&node.store, node.quota_part()).await?;
    let creating = change(&node, Owner::STORE, move |tx| {
        accept::account::create(tx, &keys, &name, currency.as_deref(), now)
    });
    let (account, secret) = creating.await?;
    tracing::info!(account = account.id.0, "an account was created");
    node.full_accounts.clear();
    // An auditor may ask for a checkpoint now: its ledger has to outlive the store, as every later state of it does.
    let followed = ledger_copy::follow(&node.store, &node.journal, account.id).await;
    followed
        .unwrap_or_else(|fault| tracing::error!(%fault, "a new ledger could not be copied into the journal"));
    Ok(Json(json!({"Name": account.name, "AccessKey": account.access_key, "SecretKey": secret.reveal()})))
}

/// An account in the list.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListedAccount {
    /// As the log calls it.
    number: i64,
    #[serde(flatten)]
    shop: Shop,
    access_key: String,
    created_at: Millis,
    closed_at: Option<Millis>,
    removal_guard: i64,
    #[serde(flatten)]
    held: DiskUse,
}

/// All accounts.
///
/// # Errors
/// A refusal when the store fails.
pub async fn list(State(node): State<Arc<Node>>) -> Result<Json<Vec<ListedAccount>>, Refusal> {
    let part = node.quota_part();
    let listed = node
        .store
        .read(move |tx| Ok::<_, StoreFault>((accounts::list(tx)?, about::list(tx)?, quota::list(tx, part)?)));
    let (accounts, mut abouts, holdings) = listed.await?;
    let mut shown = Vec::with_capacity(accounts.len());
    for account in accounts {
        let Some(holding) = holdings.get(&account.id.0) else { continue };
        let about = abouts.remove(&account.id.0).unwrap_or_default();
        shown.push(ListedAccount {
            number: account.id.0,
            shop: account_about::shop(&node, &account, &about),
            access_key: account.access_key,
            created_at: account.created_at,
            closed_at: account.closed_at,
            removal_guard: account.removal_percent.unwrap_or(limits::REMOVAL_GUARD_PERCENT),
            held: (*holding).into(),
        });
    }
    Ok(Json(shown))
}

/// All deletions of accounts that were asked for.
///
/// # Errors
/// A refusal when the store fails.
pub async fn list_deletion_requests(State(node): State<Arc<Node>>) -> Result<Json<Value>, Refusal> {
    let asked = node.store.read(deletion::list).await.map_err(|fault: StoreFault| Refusal::from(fault))?;
    let shown = asked.iter().map(|asked| {
        json!({"Name": asked.name, "State": asked.state, "AskedAt": asked.asked_at,
               "DecidedAt": asked.decided_at})
    });
    Ok(Json(Value::Array(shown.collect())))
}

/// Closes the account of a deletion that waits.
///
/// # Errors
/// A refusal when the request is malformed, no account has the name, no deletion of the account waits, or the store
/// fails.
pub async fn confirm_deletion(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Value>, Refusal> {
    decide(&node, request, Decision::Confirm).await
}

/// Leaves everything as it is.
///
/// # Errors
/// As [`confirm_deletion`].
pub async fn dismiss_deletion(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Value>, Refusal> {
    decide(&node, request, Decision::Dismiss).await
}

async fn decide(node: &Node, request: Request<Body>, decision: Decision) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let name = JsonFields::parse(&body)?.text(&["Name"])?;
    let now = node.clock.now();
    let owner = load_owner(node, &name).await?;
    let account = change(node, owner, move |tx| deletion::decide(tx, &name, decision, now)).await?;
    match decision {
        Decision::Confirm => tracing::info!(account = account.id.0, "an account was closed"),
        Decision::Dismiss => {
            tracing::info!(account = account.id.0, "the deletion of an account was dismissed");
        }
    }
    Ok(Json(json!({"Name": account.name, "State": decision.as_str()})))
}

/// Sets the removal guard; without `Percent` back to the default.
///
/// # Errors
/// A refusal when the request is malformed, the percentage is not in 1 to 100, no account has the name, or
/// the store fails.
pub async fn guard(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let percent = fields.find(&["Percent"])?.map(|value| serde_json::from_str::<i64>(value.get()));
    let percent = percent.transpose().map_err(|_| Refusal::malformed("Percent has to be a whole number"))?;
    let owner = load_owner(&node, &name).await?;
    let account = change(&node, owner, move |tx| accounts::guard(tx, &name, percent)).await?;
    let percent = account.removal_percent.unwrap_or(limits::REMOVAL_GUARD_PERCENT);
    tracing::info!(account = account.id.0, percent, "the removal guard of an account was set");
    Ok(Json(json!({"Name": account.name, "RemovalGuard": percent})))
}

/// Makes a second secret; the live one ends after `Hours`, by default 24.
///
/// # Errors
/// A refusal when the request is malformed, no account has the name, the account is closed or has two live
/// secrets already, the system gives no random bytes, or the store fails.
pub async fn rotate(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let hours = match fields.find(&["Hours"])? {
        None => limits::SECRET_OVERLAP_HOURS,
        Some(value) => serde_json::from_str::<u32>(value.get())
            .ok()
            .filter(|hours| *hours <= limits::SECRET_OVERLAP_MAX_HOURS)
            .ok_or_else(|| {
                let most = limits::SECRET_OVERLAP_MAX_HOURS;
                Refusal::malformed(format!("Hours has to be a whole number of at most {most}"))
            })?,
    };
    let keys = node.keys.clone();
    let now = node.clock.now();
    let until = now + i64::from(hours) * millis(Duration::from_secs(3600));
    let owner = load_owner(&node, &name).await?;
    let (account, secret) =
        change(&node, owner, move |tx| accounts::rotate(tx, &keys, &name, until, now)).await?;
    tracing::info!(account = account.id.0, hours, "a secret of an account was made");
    Ok(Json(json!({"Name": account.name, "AccessKey": account.access_key, "SecretKey": secret.reveal(),
                   "OldSecretUntil": until})))
}

/// Ends a secret at once.
///
/// # Errors
/// A refusal when the request is malformed, no account has the name, it has no such secret or the secret was
/// revoked already, or the store fails.
pub async fn revoke(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let number = fields.find(&["Number"])?.ok_or_else(|| Refusal::missing("Number is missing"))?;
    let number: i64 = serde_json::from_str(number.get())
        .map_err(|_| Refusal::malformed("Number has to be a whole number"))?;
    let now = node.clock.now();
    let owner = load_owner(&node, &name).await?;
    let account = change(&node, owner, move |tx| accounts::revoke(tx, &name, number, now)).await?;
    tracing::info!(account = account.id.0, number, "a secret of an account was revoked");
    Ok(Json(json!({"Name": account.name, "Number": number, "State": "revoked"})))
}

/// The secrets of an account, without the secrets.
///
/// # Errors
/// A refusal when the request is malformed, no account has the name, or the store fails.
pub async fn list_keys(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let name = JsonFields::parse(&body)?.text(&["Name"])?;
    let now = node.clock.now();
    let (account, secrets) = node
        .store
        .read(move |tx| {
            let account = accounts::by_name(tx, &name)?;
            let secrets = accounts::secrets(tx, account.id)?;
            Ok::<_, AccountFault>((account, secrets))
        })
        .await?;
    let shown = secrets.iter().map(|secret: &AccountSecret| {
        json!({"Number": secret.number, "Live": secret.is_live(now), "CreatedAt": secret.created_at,
               "ExpiresAt": secret.expires_at, "RevokedAt": secret.revoked_at})
    });
    Ok(Json(
        json!({"Name": account.name, "AccessKey": account.access_key, "Secrets": shown.collect::<Vec<_>>()}),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::list_kind::ListKind;
    use crate::admin::testing::assert_refused_as;
    use crate::keys::KeyFault;

    #[test]
    fn each_fault_of_an_account_is_a_refusal_of_its_kind() {
        let rules = ListKind::Rules;
        for (fault, code) in [
            (AccountFault::Store(StoreFault::Busy), ErrorCode::Busy),
            (AccountFault::Store(StoreFault::Panicked), ErrorCode::Fault),
            (AccountFault::Keys(KeyFault::InUse), ErrorCode::Busy),
            (AccountFault::ListTooSoon(rules), ErrorCode::TooManyChanges),
            (AccountFault::ListChanged(rules), ErrorCode::ChangedMeanwhile),
            (AccountFault::ListUnknown(rules), ErrorCode::NotFound),
            (AccountFault::Unknown, ErrorCode::NotFound),
            (AccountFault::SecretUnknown, ErrorCode::NotFound),
            (AccountFault::DeletionUnknown, ErrorCode::NotFound),
            (AccountFault::NameTaken, ErrorCode::Conflict),
            (AccountFault::TooManySecrets, ErrorCode::Conflict),
            (AccountFault::Closed, ErrorCode::Conflict),
            (AccountFault::NameMalformed, ErrorCode::Malformed),
            (AccountFault::CurrencyUnknown, ErrorCode::Malformed),
            (AccountFault::PercentMalformed, ErrorCode::Malformed),
            (AccountFault::QuotaMalformed, ErrorCode::Malformed),
            (AccountFault::SearchLanguage, ErrorCode::Malformed),
            (AccountFault::BoughtTogether, ErrorCode::Malformed),
            (AccountFault::SearchAttributes, ErrorCode::Malformed),
            (AccountFault::SearchOrigins, ErrorCode::Malformed),
            (AccountFault::SearchPictures, ErrorCode::Malformed),
            (AccountFault::TextLength { field: "Contact", limit_bytes: 7 }, ErrorCode::Malformed),
            (AccountFault::TextSigns { field: "Contact" }, ErrorCode::Malformed),
            (AccountFault::DisplayNameAddress, ErrorCode::Malformed),
        ] {
            assert_refused_as(fault, code);
        }
    }
}
