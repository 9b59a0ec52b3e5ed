//! An account and its secrets: made, rotated, revoked, found by name, id or key.

use super::fault::AccountFault;
use crate::clock::Millis;
use crate::ids::{AccountId, SubmissionPlace};
use crate::keys::Keys;
use crate::keys::secret::{SecretKey, random_access_key};
use crate::keys::user_token::TokenKey;
use crate::store::{AccountCounts, Row, StoreFault, Tx};
use crate::{args, limits, sql};

/// One account. The access key is public: it stands in every page of the shop.
#[derive(Clone)]
pub struct Account {
    /// Number in the store.
    pub id: AccountId,
    /// The operator's name for it.
    pub name: String,
    /// The public key.
    pub access_key: String,
    /// Currency of prices that name none, as three letters.
    pub currency: Option<String>,
    /// When it was made.
    pub created_at: Millis,
    /// When its operator closed it; its keys open nothing from then on.
    pub closed_at: Option<Millis>,
    /// The largest part of its products that a feed may remove, in percent; `None`: the default.
    pub removal_percent: Option<i64>,
}

/// A secret as the list of keys shows it; the secret itself is not stored.
pub struct AccountSecret {
    /// Its number within the account.
    pub number: i64,
    /// Keyed hash.
    pub hash: [u8; 32],
    /// The key of its tokens, sealed; `None`: it was made by a program that knew of none, or it was revoked.
    pub token_key: Option<Vec<u8>>,
    /// When it was made.
    pub created_at: Millis,
    /// When it ends, while it is being rotated out.
    pub expires_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
}

impl AccountSecret {
    /// True if it opens anything at `now`.
    #[must_use]
    pub fn is_live(&self, now: Millis) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }
}

/// Makes an account and its first secret, which is never shown again. Its ledger comes with it: `accept::account`.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    keys: &Keys,
    name: &str,
    currency: Option<&str>,
    now: Millis,
) -> Result<(Account, SecretKey), AccountFault> {
    if !is_name(name) {
        return Err(AccountFault::NameMalformed);
    }
    if currency.is_some_and(|code| iso_currency::Currency::from_code(code).is_none()) {
        return Err(AccountFault::CurrencyUnknown);
    }
    if tx.row(&sql::account_by_name, args![name])?.is_some() {
        return Err(AccountFault::NameTaken);
    }
    let id = tx.row(&sql::account_last_id, args![])?.map_or(Ok(0), |row| row.int("id"))? + 1;
    let access_key = random_access_key()?;
    tx.exec(&sql::account_insert, args![id, name, access_key.as_str(), currency, now])?;
    let account = Account {
        id: AccountId(id),
        name: name.to_owned(),
        access_key,
        currency: currency.map(str::to_owned),
        created_at: now,
        closed_at: None,
        removal_percent: None,
    };
    let secret = add_secret(tx, keys, &account, 1, now)?;
    Ok((account, secret))
}

/// Sets how large a part of its products a feed of the account may remove: 1 to 100 percent, where 100 is no guard;
/// `None` is the default.
///
/// # Errors
/// [`AccountFault::PercentMalformed`] when the percentage is not in 1 to 100, [`AccountFault::Unknown`] when
/// no account has the name; or when the store fails.
pub fn guard(tx: &mut Tx<'_>, name: &str, percent: Option<i64>) -> Result<Account, AccountFault> {
    if percent.is_some_and(|percent| !(1..=100).contains(&percent)) {
        return Err(AccountFault::PercentMalformed);
    }
    let account = by_name(tx, name)?;
    tx.exec(&sql::account_guard, args![account.id.0, percent])?;
    Ok(Account { removal_percent: percent, ..account })
}

pub(super) fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

pub(super) fn add_secret(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: &Account,
    number: i64,
    now: Millis,
) -> Result<SecretKey, AccountFault> {
    let secret = SecretKey::random()?;
    let hash = keys.secret_hash(secret.reveal());
    let token_key = keys.seal_token_key(account.id, number, &TokenKey::from_secret(&secret)?)?;
    tx.exec(&sql::secret_insert, args![account.id.0, number, &hash, token_key.as_slice(), now])?;
    Ok(secret)
}

/// Makes a second secret; the live one ends at `old_until`.
///
/// # Errors
/// When no account has the name, the account is closed or has two live secrets already, the system gives no
/// random bytes, or the store fails.
pub fn rotate(
    tx: &mut Tx<'_>,
    keys: &Keys,
    name: &str,
    old_until: Millis,
    now: Millis,
) -> Result<(Account, SecretKey), AccountFault> {
    let account = by_name(tx, name)?;
    if account.closed_at.is_some() {
        return Err(AccountFault::Closed);
    }
    let secrets = secrets(tx, account.id)?;
    let most = limits::LIVE_SECRETS;
    if secrets.iter().filter(|secret| secret.is_live(now)).count() >= most {
        return Err(AccountFault::TooManySecrets);
    }
    for secret in secrets.iter().filter(|secret| secret.is_live(now)) {
        tx.exec(&sql::secret_expire, args![account.id.0, secret.number, old_until])?;
    }
    let number = secrets.last().map_or(0, |secret| secret.number) + 1;
    let secret = add_secret(tx, keys, &account, number, now)?;
    Ok((account, secret))
}

/// Ends a secret at once.
///
/// # Errors
/// When no account has the name, it has no such secret or the secret was revoked already, or the store fails.
pub fn revoke(tx: &mut Tx<'_>, name: &str, number: i64, now: Millis) -> Result<Account, AccountFault> {
    let account = by_name(tx, name)?;
    match tx.exec(&sql::secret_revoke, args![account.id.0, number, now])? {
        0 => Err(AccountFault::SecretUnknown),
        _ => Ok(account),
    }
}

/// The account of that name.
///
/// # Errors
/// [`AccountFault::Unknown`] when no account has the name; or when the store fails.
pub fn by_name(tx: &mut Tx<'_>, name: &str) -> Result<Account, AccountFault> {
    let row = tx.row(&sql::account_by_name, args![name])?.ok_or(AccountFault::Unknown)?;
    Ok(read_account(&row)?)
}

/// The account of that number.
///
/// # Errors
/// When the store fails.
pub fn by_id(tx: &mut Tx<'_>, id: AccountId) -> Result<Option<Account>, StoreFault> {
    tx.row(&sql::account_by_id, args![id.0])?.map(|row| read_account(&row)).transpose()
}

/// The open account of that access key.
///
/// # Errors
/// When the store fails.
pub fn by_key(tx: &mut Tx<'_>, access_key: &str) -> Result<Option<Account>, StoreFault> {
    tx.row(&sql::account_by_key, args![access_key])?.map(|row| read_account(&row)).transpose()
}

/// All accounts.
///
/// # Errors
/// When the store fails.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<Account>, StoreFault> {
    tx.run(&sql::account_list, args![])?.iter().map(read_account).collect()
}

/// All secrets of an account, oldest first.
///
/// # Errors
/// When the store fails.
pub fn secrets(tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<AccountSecret>, StoreFault> {
    let rows = tx.run(&sql::secret_list, args![account.0])?;
    rows.iter()
        .map(|row| {
            Ok(AccountSecret {
                number: row.int("n")?,
                hash: row.bytes("hash")?,
                token_key: row.opt_blob("token_key")?.map(<[u8]>::to_vec),
                created_at: row.int("created_at")?,
                expires_at: row.opt_int("expires_at")?,
                revoked_at: row.opt_int("revoked_at")?,
            })
        })
        .collect()
}

/// Number of changes of accounts and their secrets so far.
///
/// # Errors
/// When the store fails.
pub fn changes(tx: &mut Tx<'_>) -> Result<i64, StoreFault> {
    tx.row(&sql::node_accounts_get, args![])?.map_or(Ok(0), |row| row.int("accounts_changed"))
}

/// Counts a change of an account or its secrets, in its transaction.
///
/// # Errors
/// When the store fails.
pub fn note_change(tx: &mut Tx<'_>) -> Result<(), StoreFault> {
    tx.exec(&sql::node_accounts_changed, args![]).map(drop)
}

/// The account's next place in the order of acceptance.
///
/// # Errors
/// When the store fails or there is no such account.
pub fn next_seq(tx: &mut Tx<'_>, account: AccountId) -> Result<i64, StoreFault> {
    count_up(tx, account, AccountCounts::ANYTHING).map(|counts| counts.seq)
}

/// The place of the account's next feed, and its number among the feeds.
///
/// # Errors
/// When the store fails or there is no such account.
pub fn next_feed(tx: &mut Tx<'_>, account: AccountId) -> Result<SubmissionPlace, StoreFault> {
    let counts = count_up(tx, account, AccountCounts::FEED)?;
    Ok(SubmissionPlace { seq: counts.seq, kind_number: counts.feeds })
}

/// The place of the account's next delta, and its number among the deltas.
///
/// # Errors
/// When the store fails or there is no such account.
pub fn next_delta(tx: &mut Tx<'_>, account: AccountId) -> Result<SubmissionPlace, StoreFault> {
    let counts = count_up(tx, account, AccountCounts::DELTA)?;
    Ok(SubmissionPlace { seq: counts.seq, kind_number: counts.deltas })
}

fn count_up(tx: &mut Tx<'_>, account: AccountId, step: AccountCounts) -> Result<AccountCounts, StoreFault> {
    let counted = tx.count_up(&sql::account_next_seq, account.0, step)?;
    counted.ok_or(StoreFault::Shape { statement: "account_next_seq", column: "seq" })
}

pub(super) fn read_account(row: &Row) -> Result<Account, StoreFault> {
    Ok(Account {
        id: AccountId(row.int("id")?),
        name: row.text("name")?.to_owned(),
        access_key: row.text("access_key")?.to_owned(),
        currency: row.opt_text("currency")?.map(str::to_owned),
        created_at: row.int("created_at")?,
        closed_at: row.opt_int("closed_at")?,
        removal_percent: row.opt_int("removal_percent")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_of_plain_signs() {
        let longest = "a".repeat(64);
        for name in ["a", "7", "A-1_b.c", "a-", "a.", "0_", &longest] {
            assert!(is_name(name), "{name}");
        }
        let too_long = "a".repeat(65);
        for name in ["", "-a", "_a", ".a", "a b", "a/b", "é", "aé", "a\n", &too_long] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn a_secret_opens_until_its_end_and_not_once_it_is_revoked() {
        let is_live = |expires_at, revoked_at| {
            let secret = AccountSecret {
                number: 1,
                hash: [0; 32],
                token_key: None,
                created_at: 0,
                expires_at,
                revoked_at,
            };
            [9, 10, 11].map(|now| secret.is_live(now))
        };
        assert_eq!(is_live(None, None), [true; 3]);
        assert_eq!(is_live(Some(10), None), [true, false, false]);
        assert_eq!(is_live(None, Some(20)), [false; 3]);
        assert_eq!(is_live(Some(10), Some(5)), [false; 3]);
    }
}
