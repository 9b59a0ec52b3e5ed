//! Webhook setting of an account: the address of its server and the key that signs the messages. Both are sealed,
//! since an address may hold a token.

use std::time::Duration;

use zeroize::Zeroizing;

use super::signature::WebhookSecret;
use crate::args;
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys};
use crate::limits;
use crate::outbound::FeedUrl;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

const ADDRESS: &str = "address";
const SECRET: &str = "secret";

/// An account's webhook, and how its deliveries went.
pub struct Webhook {
    address: Vec<u8>,
    secret: Vec<u8>,
    old_secret: Option<Vec<u8>>,
    /// Time until which messages are signed with the secret before this one as well.
    pub old_until: Option<Millis>,
    /// Time at which the address was set.
    pub set_at: Millis,
    /// Reason for which nothing is sent any more, if so.
    pub off: Option<String>,
    /// Time of the last delivery.
    pub delivered_at: Option<Millis>,
    /// Time of the last failed try.
    pub failed_at: Option<Millis>,
    /// Reason of that failure.
    pub failure: Option<String>,
    /// Number of tries that failed since the last that did not.
    pub fails: i64,
    /// Messages that were given up.
    pub given_up: i64,
    /// Messages that were left out because too many waited.
    pub left_out: i64,
    /// Messages that wait.
    pub waiting: i64,
}

static_assertions::assert_not_impl_any!(Webhook: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl Webhook {
    /// Address of the webhook, as it was set.
    ///
    /// # Errors
    /// When it was sealed by other keys.
    pub fn address(&self, keys: &Keys, account: AccountId) -> Result<Zeroizing<String>, KeyFault> {
        let opened = keys.open_webhook(account, ADDRESS, &self.address)?;
        Ok(Zeroizing::new(String::from_utf8_lossy(&opened).into_owned()))
    }

    /// Secrets that sign messages at `now`: for a while after a change also the secret before.
    ///
    /// # Errors
    /// When one was sealed by other keys.
    pub fn secrets(
        &self,
        keys: &Keys,
        account: AccountId,
        now: Millis,
    ) -> Result<Vec<WebhookSecret>, KeyFault> {
        let old = self.old_secret.as_ref().filter(|_| self.old_until.is_some_and(|until| now < until));
        let sealed = [Some(&self.secret), old].into_iter().flatten();
        sealed.map(|sealed| keys.open_webhook(account, SECRET, sealed).map(WebhookSecret::of_bytes)).collect()
    }

    fn from_row(row: &Row) -> Result<Self, StoreFault> {
        Ok(Self {
            address: row.blob("address")?.to_vec(),
            secret: row.blob("secret")?.to_vec(),
            old_secret: row.opt_blob("old_secret")?.map(<[u8]>::to_vec),
            old_until: row.opt_int("old_until")?,
            set_at: row.int("set_at")?,
            off: row.opt_text("off_reason")?.map(str::to_owned),
            delivered_at: row.opt_int("delivered_at")?,
            failed_at: row.opt_int("failed_at")?,
            failure: row.opt_text("failure")?.map(str::to_owned),
            fails: row.int("fails")?,
            given_up: row.int("given_up")?,
            left_out: row.int("left_out")?,
            waiting: row.int("waiting")?,
        })
    }
}

/// The webhook of an account, if it has one.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &mut Tx<'_>, account: AccountId) -> Result<Option<Webhook>, StoreFault> {
    tx.row(&sql::webhook_get, args![account.0])?.map(|row| Webhook::from_row(&row)).transpose()
}

/// Returns true if the account is to be told anything.
///
/// # Errors
/// When the store fails.
pub fn is_on(tx: &mut Tx<'_>, account: AccountId) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::webhook_is_on, args![account.0])?.is_some())
}

/// Sets the address of an account's server. The first time it makes and returns the secret, which is shown once; later
/// the secret stays. A webhook that was switched off is on again.
///
/// # Errors
/// When the store or the keys fail.
pub fn set<E: From<StoreFault> + From<KeyFault>>(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    url: &FeedUrl,
    now: Millis,
) -> Result<Option<WebhookSecret>, E> {
    let address = keys.seal_webhook(account, ADDRESS, url.expose().as_bytes())?;
    if let Some(before) = get(tx, account)? {
        // This tells an earlier try from those that begin now.
        let set_at = now.max(before.set_at + 1);
        tx.exec(&sql::webhook_set, args![account.0, address.as_slice(), set_at])?;
        tx.exec(&sql::webhook_message_anew, args![account.0, now])?;
        return Ok(None);
    }
    let secret = WebhookSecret::random()?;
    let sealed = keys.seal_webhook(account, SECRET, secret.bytes())?;
    tx.exec(&sql::webhook_insert, args![account.0, address.as_slice(), sealed.as_slice(), now])?;
    Ok(Some(secret))
}

/// Makes a new secret, which is shown once. Messages are signed with the one before as well for a day; of several
/// changes within a day with the one before the first. `None`: there is no webhook.
///
/// # Errors
/// When the store or the keys fail.
pub fn rotate<E: From<StoreFault> + From<KeyFault>>(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    now: Millis,
) -> Result<Option<(WebhookSecret, Millis)>, E> {
    let secret = WebhookSecret::random()?;
    let sealed = keys.seal_webhook(account, SECRET, secret.bytes())?;
    let until = now + millis(Duration::from_secs(3600)) * i64::from(limits::SECRET_OVERLAP_HOURS);
    let rotated = tx.exec(&sql::webhook_rotate, args![account.0, sealed.as_slice(), until, now])?;
    Ok((rotated > 0).then_some((secret, until)))
}

/// Removes the webhook of an account and all waiting messages; returns whether there was one.
///
/// # Errors
/// When the store fails.
pub fn remove(tx: &mut Tx<'_>, account: AccountId) -> Result<bool, StoreFault> {
    tx.exec(&sql::webhook_message_clear, args![account.0])?;
    Ok(tx.exec(&sql::webhook_delete, args![account.0])? > 0)
}

/// Marks of the last messages about lasting states, so that each goes out once, or once a day.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MessageMarks {
    /// The due date and the place of the last erasure that was reported as due soon.
    pub due: (Millis, i64),
    /// The last day on which an old backup was reported.
    pub backup_day: i64,
    /// The last day on which its quota was reported.
    pub quota_day: i64,
}

/// The accounts with news for their webhook, and the mark of each.
///
/// # Errors
/// When the store fails.
pub fn listening(tx: &mut Tx<'_>) -> Result<Vec<(AccountId, MessageMarks)>, StoreFault> {
    let rows = tx.run(&sql::webhook_listening, args![])?;
    rows.iter().map(|row| Ok((AccountId(row.int("account_id")?), read_marks(row)?))).collect()
}

fn read_marks(row: &Row) -> Result<MessageMarks, StoreFault> {
    let due = (row.int("due_told")?, row.int("due_told_seq")?);
    Ok(MessageMarks { due, backup_day: row.int("backup_told")?, quota_day: row.int("quota_told")? })
}

/// Moves the marks of an account from their last values; false, and unchanged, when another worker moved them.
///
/// # Errors
/// When the store fails.
pub fn mark(
    tx: &mut Tx<'_>,
    account: AccountId,
    before: MessageMarks,
    marks: MessageMarks,
) -> Result<bool, StoreFault> {
    let row = tx.row(&sql::webhook_marks, args![account.0])?;
    let now = row.map(|row| read_marks(&row)).transpose()?;
    if now != Some(before) {
        return Ok(false);
    }
    let MessageMarks { due: (due_at, seq), backup_day, quota_day } = marks;
    tx.exec(&sql::webhook_mark, args![account.0, due_at, seq, backup_day, quota_day])?;
    Ok(true)
}
