//! Deletions of accounts: a shop's plugin asks when it is uninstalled, the operator decides. Neither removes data.

use super::account::{Account, by_name};
use super::fault::AccountFault;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};
use crate::{args, sql, webhooks};

/// Decision of the operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The account is closed: its keys open nothing any more.
    Confirm,
    /// Everything stays as it is; the shop may ask again.
    Dismiss,
}

impl Decision {
    /// The decision as it stands in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirm => "confirmed",
            Self::Dismiss => "dismissed",
        }
    }
}

/// A deletion that was asked for.
pub struct DeletionRequest {
    /// Name of the account.
    pub name: String,
    /// `asked`, `confirmed` or `dismissed`.
    pub state: String,
    /// When it was asked for.
    pub asked_at: Millis,
    /// When the operator decided.
    pub decided_at: Option<Millis>,
}

/// Records that the deletion of an account is asked for. That alone changes nothing.
///
/// # Errors
/// When the store fails.
pub fn request_deletion(tx: &mut Tx<'_>, account: AccountId, now: Millis) -> Result<(), StoreFault> {
    tx.exec(&sql::account_deletion_ask, args![account.0, now])?;
    Ok(())
}

/// All deletions that were asked for, oldest first.
///
/// # Errors
/// When the store fails.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<DeletionRequest>, StoreFault> {
    let rows = tx.run(&sql::account_deletion_list, args![])?;
    rows.iter()
        .map(|row| {
            Ok(DeletionRequest {
                name: row.text("name")?.to_owned(),
                state: row.text("state")?.to_owned(),
                asked_at: row.int("asked_at")?,
                decided_at: row.opt_int("decided_at")?,
            })
        })
        .collect()
}

/// Decides on the waiting deletion. A confirmed one ends every secret, the access key and the webhook in this
/// transaction; requests accepted before are still done, and stored data stay.
///
/// # Errors
/// [`AccountFault::Unknown`] when no account has the name, [`AccountFault::DeletionUnknown`] when no deletion of the
/// account waits; or when the store fails.
pub fn decide(tx: &mut Tx<'_>, name: &str, decision: Decision, now: Millis) -> Result<Account, AccountFault> {
    let account = by_name(tx, name)?;
    if tx.exec(&sql::account_deletion_decide, args![account.id.0, decision.as_str(), now])? == 0 {
        return Err(AccountFault::DeletionUnknown);
    }
    if decision == Decision::Confirm {
        tx.exec(&sql::account_close, args![account.id.0, now])?;
        tx.exec(&sql::secret_revoke_all, args![account.id.0, now])?;
        webhooks::remove(tx, account.id)?;
    }
    Ok(account)
}
