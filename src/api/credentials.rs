//! Credentials of a caller: an account's access key with its secret, the access key alone where no secret is needed,
//! or the operator over the control socket, who names the account.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::Request;

use super::json_fields::RequestFields;
use crate::accounts::{self, Account, AccountFault, KnownAccount};
use crate::ids::AccountId;
use crate::keys::secret::SecretKey;
use crate::node::Node;
use crate::transport::peer::Peer;
use crate::transport::refusal::Refusal;

/// Caller of an operation: the sender of the request, and the keys that it showed.
#[derive(Clone)]
pub struct Caller {
    /// Sender of the request.
    pub peer: Peer,
    showed: Arc<Mutex<Option<CallerKeys>>>,
}

/// Keys that a request showed.
#[derive(Clone, Copy)]
pub struct CallerKeys {
    /// The account of the access key.
    pub account: AccountId,
    /// True if a live secret of the account was shown too.
    pub with_secret: bool,
}

impl Caller {
    /// Caller of a request, as the layer around it noted it.
    pub fn from_request<B>(request: &Request<B>) -> Self {
        let noted = request.extensions().get::<Self>().cloned();
        noted.unwrap_or_else(|| Self::from_peer(crate::transport::peer::peer_of(request)))
    }

    /// Caller that has shown no keys yet.
    #[must_use]
    pub fn from_peer(peer: Peer) -> Self {
        Self { peer, showed: Arc::default() }
    }

    /// Keys that a client on the network showed; `None` for the operator.
    #[must_use]
    pub fn shown_keys(&self) -> Option<CallerKeys> {
        *self.showed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record_keys(&self, account: AccountId, with_secret: bool) {
        if self.peer != Peer::Operator {
            *self.showed.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(CallerKeys { account, with_secret });
        }
    }
}

/// Every name of the access key that a public client uses; compared without case.
pub const ACCESS_KEY: &[&str] = &["AccessKey", "AppKey", "AppId"];
/// Every name of the secret.
pub const SECRET_KEY: &[&str] = &["SecretKey", "Secret"];
/// Every name of the member in which the operator names an account.
pub const ACCOUNT: &[&str] = &["Account"];

/// The account of a request that must prove its secret.
///
/// # Errors
/// A refusal when a key is missing or not a text, the keys do not belong together, the address failed too
/// often, the operator names no account, or the store fails.
pub async fn by_secret(
    node: &Node,
    caller: &Caller,
    fields: &impl RequestFields,
) -> Result<Arc<Account>, Refusal> {
    if let Some(account) = find_named_by_operator(node, caller, fields).await? {
        return Ok(account);
    }
    let access_key = fields.text(ACCESS_KEY)?;
    let secret = fields.text(SECRET_KEY).inspect_err(|_| record_remembered_key(node, caller, &access_key))?;
    owner(node, caller, (&access_key, &secret)).await?.ok_or_else(|| refuse_keys(node, caller.peer))
}

/// The account of a request that has arrived in part, if that part shows right credentials already. Wrong ones are
/// reported and counted when all has arrived.
///
/// # Errors
/// A refusal when the store fails.
pub async fn peek_account(
    node: &Node,
    caller: &Caller,
    begun: &impl RequestFields,
) -> Result<Option<AccountId>, Refusal> {
    let Some((access_key, secret)) = read_key_pair(begun) else { return Ok(None) };
    Ok(owner(node, caller, (&access_key, &secret)).await?.map(|account| account.id))
}

/// The account of a request that has arrived in part, if that part holds credentials already. They have to be right:
/// the rest is large.
///
/// # Errors
/// As [`by_secret`], when the part holds both keys; otherwise never.
pub async fn peek_valid_account(
    node: &Node,
    caller: &Caller,
    begun: &impl RequestFields,
) -> Result<Option<AccountId>, Refusal> {
    match read_key_pair(begun) {
        Some(_) => by_secret(node, caller, begun).await.map(|account| Some(account.id)),
        None => Ok(None),
    }
}

/// The access key and the secret, if both are there and are texts.
fn read_key_pair(begun: &impl RequestFields) -> Option<(String, String)> {
    begun.opt_text(ACCESS_KEY).ok().flatten().zip(begun.opt_text(SECRET_KEY).ok().flatten())
}

/// Notes whose the access key is, where that costs no look into the store.
fn record_remembered_key(node: &Node, caller: &Caller, access_key: &str) {
    if let Some(known) = node.directory.find_cached(access_key) {
        caller.record_keys(known.account.id, false);
    }
}

/// The account that both keys belong to.
async fn owner(
    node: &Node,
    caller: &Caller,
    (access_key, secret): (&str, &str),
) -> Result<Option<Arc<Account>>, Refusal> {
    // A mistyped secret costs no look into the store and no hash, whosever the access key is.
    let Some(secret) = SecretKey::parse(secret) else {
        record_remembered_key(node, caller, access_key);
        return Ok(None);
    };
    let known = node.directory.find(&node.store, access_key).await?;
    let now = node.clock.now();
    let Some(known) = known else {
        // The same work as for a known key, so that time tells nothing.
        std::hint::black_box(KnownAccount::dummy().accepts(&node.keys, &secret, now));
        return Ok(None);
    };
    let is_accepted = known.accepts(&node.keys, &secret, now);
    caller.record_keys(known.account.id, is_accepted);
    Ok(is_accepted.then(|| known.account.clone()))
}

/// The account of a request that needs no secret: the answer reveals only the fate of unguessable tokens.
///
/// # Errors
/// A refusal when the access key is missing, not a text or unknown, the address failed too often, the
/// operator names no account, or the store fails.
pub async fn by_key(
    node: &Node,
    caller: &Caller,
    fields: &impl RequestFields,
) -> Result<Arc<Account>, Refusal> {
    if let Some(account) = find_named_by_operator(node, caller, fields).await? {
        return Ok(account);
    }
    let access_key = fields.text(ACCESS_KEY)?;
    let known = node.directory.find(&node.store, &access_key).await?;
    let known = known.ok_or_else(|| refuse_keys(node, caller.peer))?;
    caller.record_keys(known.account.id, false);
    Ok(known.account.clone())
}

/// The account that the operator names; `None` for every other caller, and where the operator shows an access key.
async fn find_named_by_operator(
    node: &Node,
    caller: &Caller,
    fields: &impl RequestFields,
) -> Result<Option<Arc<Account>>, Refusal> {
    if caller.peer != Peer::Operator || fields.opt_text(ACCESS_KEY)?.is_some() {
        return Ok(None);
    }
    let name = fields.text(ACCOUNT)?;
    let found = node.store.read(move |tx| accounts::by_name(tx, &name)).await;
    found.map(|account| Some(Arc::new(account))).map_err(|fault| match fault {
        AccountFault::Store(fault) => fault.into(),
        other => Refusal::unknown(other.to_string()),
    })
}

/// Failures are counted by client address, never by key: the key is public, and right credentials are not
/// refused for other people's failures.
fn refuse_keys(node: &Node, peer: Peer) -> Refusal {
    let Peer::Address(address) = peer else { return Refusal::credentials() };
    match node.failures.check_key(&crate::transport::peer::prefix(address)) {
        Ok(()) => Refusal::credentials(),
        Err(_) => {
            metrics::counter!("lethe_failed_credentials_limited_total").increment(1);
            Refusal::too_many_failures(60)
        }
    }
}
