//! Creating an account: its row, its first secret and its ledger, together or not at all.

use crate::accounts::{self, Account, AccountFault};
use crate::clock::Millis;
use crate::keys::Keys;
use crate::keys::secret::SecretKey;
use crate::ledger;
use crate::store::Tx;

/// Makes an account with its ledger and its first secret, which is never shown again.
///
/// # Errors
/// When the name is taken or cannot be used, the currency is unknown, or the store or the keys fail.
pub fn create(
    tx: &mut Tx<'_>,
    keys: &Keys,
    name: &str,
    currency: Option<&str>,
    now: Millis,
) -> Result<(Account, SecretKey), AccountFault> {
    let (account, secret) = accounts::create(tx, keys, name, currency, now)?;
    ledger::begin(tx, account.id, now)?;
    Ok((account, secret))
}
