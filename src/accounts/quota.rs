//! Disk quota of an account: the bytes of its uploads and catalogues in files. The sum comes from the rows that name
//! the files, so it cannot differ from them. Data in the database is not counted.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::account::{Account, by_name};
use super::fault::AccountFault;
use crate::ids::AccountId;
use crate::store::{Row, Store, StoreFault, Tx};
use crate::{args, limits, sql};

/// As [`Quota::NoLimit`] stands in the store.
const NO_LIMIT: i64 = -1;

/// Quota of an account when none was set and there are others: a part of the volume, in bytes.
#[derive(Clone, Copy)]
pub struct DefaultQuota(pub i64);

/// Quota that was set for an account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quota {
    /// Nothing: no limit for a single account; of several, each has a part of the volume.
    Default,
    /// No limit.
    NoLimit,
    /// So many bytes.
    Bytes(i64),
}

impl Quota {
    /// Reads `none`, or a size such as `4GB`, `1.5 TiB` or `4000000000`.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(text: &str) -> Result<Self, AccountFault> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("none") {
            return Ok(Self::NoLimit);
        }
        let number = text.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
        let unit: i64 = match text[number.len()..].to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "kb" => 1000,
            "mb" => 1_000_000,
            "gb" => 1_000_000_000,
            "tb" => 1_000_000_000_000,
            "kib" => 1 << 10,
            "mib" => 1 << 20,
            "gib" => 1 << 30,
            "tib" => 1 << 40,
            _ => return Err(AccountFault::QuotaMalformed),
        };
        let number = number.trim_end();
        let is_decimal = number.bytes().all(|sign| sign.is_ascii_digit() || sign == b'.');
        let number = number.parse::<f64>().ok().filter(|_| is_decimal);
        // Beyond 2^53 bytes it is rounded, and at the end of i64 it stays there.
        number.map(|number| Self::Bytes((number * unit as f64) as i64)).ok_or(AccountFault::QuotaMalformed)
    }

    fn from_stored(stored: Option<i64>) -> Self {
        match stored {
            None => Self::Default,
            Some(bytes) if bytes < 0 => Self::NoLimit,
            Some(bytes) => Self::Bytes(bytes),
        }
    }

    fn to_stored(self) -> Option<i64> {
        match self {
            Self::Default => None,
            Self::NoLimit => Some(NO_LIMIT),
            Self::Bytes(bytes) => Some(bytes),
        }
    }
}

/// Bytes that an account holds, and its limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuotaUse {
    /// Bytes of its files.
    pub held_bytes: i64,
    /// Limit in bytes; `None`: as many as there is room for.
    pub limit_bytes: Option<i64>,
}

/// An account has no room for something. Says so in half a sentence, with the remedy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuotaExceeded {
    held_bytes: i64,
    limit_bytes: i64,
}

impl fmt::Display for QuotaExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = in_words(self.held_bytes);
        let limit = in_words(self.limit_bytes);
        write!(
            f,
            "the account holds {held} of its {limit} on the disk of the server; wait until its uploads and feeds have \
             ended, or ask the operator for more (lethe account quota)"
        )
    }
}

impl QuotaUse {
    /// Number of bytes more that it may hold.
    #[must_use]
    pub fn room_bytes(&self) -> i64 {
        self.limit_bytes.map_or(i64::MAX, |limit| limit.saturating_sub(self.held_bytes).max(0))
    }

    /// Refuses `bytes` more, one at least, if there is no room for them.
    ///
    /// # Errors
    /// [`QuotaExceeded`] when the account has no room for them.
    pub fn check_room(&self, bytes: i64) -> Result<(), QuotaExceeded> {
        match self.limit_bytes {
            Some(limit_bytes) if bytes.max(1) > self.room_bytes() => {
                Err(QuotaExceeded { held_bytes: self.held_bytes, limit_bytes })
            }
            _ => Ok(()),
        }
    }
}

/// A size as people read it: `3.2 GB`.
#[must_use]
pub fn in_words(bytes: i64) -> String {
    let units = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} bytes"),
    }
}

/// Bytes that an account holds, and its limit. `but` is an upload whose pieces do not count: they are about to go.
///
/// # Errors
/// When the store fails or there is no such account.
pub fn quota_use(
    tx: &mut Tx<'_>,
    account: AccountId,
    but: Option<i64>,
    part: DefaultQuota,
) -> Result<QuotaUse, StoreFault> {
    let row = row_of(tx, account, but)?;
    let is_alone = row.opt_int("other_id")?.is_none();
    read_holding(&row, is_alone, part)
}

/// The same of all accounts, by their number.
///
/// # Errors
/// When the store fails.
pub fn list(tx: &mut Tx<'_>, part: DefaultQuota) -> Result<BTreeMap<i64, QuotaUse>, StoreFault> {
    let rows = tx.run(&sql::account_holds_list, args![limits::UPLOAD_PIECE_QUOTA_BYTES])?;
    let mut open = Vec::new();
    for row in &rows {
        if row.opt_int("closed_at")?.is_none() {
            open.push(row.int("id")?);
        }
    }
    let is_alone = |account: i64| open.iter().take(2).all(|other| *other == account);
    rows.iter().map(|row| Ok((row.int("id")?, read_holding(row, is_alone(row.int("id")?), part)?))).collect()
}

/// The row of an account that [`read_holding`] reads; without the upload `but`.
fn row_of(tx: &mut Tx<'_>, account: AccountId, but: Option<i64>) -> Result<Row, StoreFault> {
    const SHAPE: StoreFault = StoreFault::Shape { statement: "account_holds", column: "quota_bytes" };
    // -1 is the place of no upload.
    let args = args![account.0, but.unwrap_or(-1), limits::UPLOAD_PIECE_QUOTA_BYTES];
    tx.row(&sql::account_holds, args)?.ok_or(SHAPE)
}

fn read_holding(row: &Row, is_alone: bool, part: DefaultQuota) -> Result<QuotaUse, StoreFault> {
    let held_bytes = row.opt_int("file_bytes")?.unwrap_or(0);
    let limit_bytes = match Quota::from_stored(row.opt_int("quota_bytes")?) {
        Quota::NoLimit => None,
        Quota::Bytes(bytes) => Some(bytes),
        Quota::Default if is_alone => None,
        Quota::Default => Some(row.opt_int("grown_bytes")?.unwrap_or(0).max(part.0)),
    };
    Ok(QuotaUse { held_bytes, limit_bytes })
}

/// Sets how much an account may hold. One that holds more than the default keeps its size.
///
/// # Errors
/// When no account has the name, or the store fails.
pub fn set(
    tx: &mut Tx<'_>,
    name: &str,
    quota: Quota,
    part: DefaultQuota,
) -> Result<(Account, QuotaUse), AccountFault> {
    let account = by_name(tx, name)?;
    tx.exec(&sql::account_quota, args![account.id.0, quota.to_stored()])?;
    keep_size(tx, account.id, part)?;
    let holding = quota_use(tx, account.id, None, part)?;
    Ok((account, holding))
}

/// Makes the size of an account its limit if nothing was set and it is more than it would be allowed.
fn keep_size(tx: &mut Tx<'_>, account: AccountId, part: DefaultQuota) -> Result<(), StoreFault> {
    let row = row_of(tx, account, None)?;
    let is_default = Quota::from_stored(row.opt_int("quota_bytes")?) == Quota::Default;
    let grown = row.opt_int("grown_bytes")?.unwrap_or(0);
    let held = read_holding(&row, false, part)?.held_bytes;
    let is_above = held > part.0.max(grown);
    if is_default && is_above {
        tx.exec(&sql::account_grown, args![account.0, held])?;
    }
    Ok(())
}

/// Lets a single account keep its size, before a second one comes and limits begin.
///
/// # Errors
/// When the store fails.
pub async fn keep_single(store: &Store, part: DefaultQuota) -> Result<(), StoreFault> {
    let reading = store.read(|tx| {
        let open = tx.run(&sql::account_open_some, args![])?;
        open.iter().map(|row| row.int("id").map(AccountId)).collect::<Result<Vec<_>, StoreFault>>()
    });
    match reading.await?[..] {
        [single] => store.write(single, move |tx| keep_size(tx, single, part)).await,
        _ => Ok(()),
    }
}

/// Lets each account that holds more than its part keep its size: when a node starts, on whatever volume.
///
/// # Errors
/// When the store fails.
pub async fn keep_sizes(store: &Store, part: DefaultQuota) -> Result<(), StoreFault> {
    let above = store.read(move |tx| {
        let holdings = list(tx, part)?.into_iter();
        let above =
            holdings.filter(|(_, holding)| holding.limit_bytes.is_some() && holding.held_bytes > part.0);
        Ok::<_, StoreFault>(above.map(|(account, _)| AccountId(account)).collect::<Vec<_>>())
    });
    for account in above.await? {
        store.write(account, move |tx| keep_size(tx, account, part)).await?;
    }
    Ok(())
}

/// Accounts that held as much as they may a moment ago, for frequent callers. Cloning gives the same.
#[derive(Clone, Default)]
pub struct FullAccounts(Arc<Mutex<FullAccountsCache>>);

#[derive(Default)]
struct FullAccountsCache {
    full: HashMap<AccountId, QuotaExceeded>,
    /// When that was answered; `None`: it has to be asked.
    answered: Option<Instant>,
    is_being_asked: bool,
    /// Number of changes of limits: an answer to a question from before a change is not used.
    changes: u64,
}

impl FullAccounts {
    /// Reason why an account has no room, if it had none at the last count: not much longer ago than
    /// [`limits::HOLDING_REMEMBERED_DURATION`]. One query counts all accounts. A caller that finds the count too old
    /// counts again and waits; all others get the last count meanwhile, and when the store fails.
    pub async fn find(
        &self,
        store: &Store,
        account: AccountId,
        part: impl FnOnce() -> DefaultQuota,
    ) -> Option<QuotaExceeded> {
        if let Some(changes) = self.begin() {
            let known = self.clone();
            let store = store.clone();
            let part = part();
            // In a task of its own: a client that goes away does not leave the question unanswered.
            let asking = tokio::spawn(async move {
                let answer = store.read(move |tx| full(tx, part)).await;
                known.end(changes, answer);
            });
            let _ = asking.await;
        }
        self.lock().full.get(&account).copied()
    }

    /// Begins a question if it is due and none is running; returns the number of limit changes so far.
    fn begin(&self) -> Option<u64> {
        let mut known = self.lock();
        let is_new = known.answered.is_some_and(|when| when.elapsed() < limits::HOLDING_REMEMBERED_DURATION);
        if is_new || known.is_being_asked {
            return None;
        }
        known.is_being_asked = true;
        Some(known.changes)
    }

    fn end(&self, changes: u64, answer: Result<HashMap<AccountId, QuotaExceeded>, StoreFault>) {
        let mut known = self.lock();
        known.is_being_asked = false;
        if let Ok(full) = answer
            && changes == known.changes
        {
            known.full = full;
            known.answered = Some(Instant::now());
        }
    }

    /// Lets the next one ask: a limit was changed.
    pub fn clear(&self) {
        let mut known = self.lock();
        known.changes += 1;
        known.answered = None;
    }

    fn lock(&self) -> MutexGuard<'_, FullAccountsCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn full(tx: &mut Tx<'_>, part: DefaultQuota) -> Result<HashMap<AccountId, QuotaExceeded>, StoreFault> {
    let holdings = list(tx, part)?.into_iter();
    Ok(holdings.filter_map(|(account, held)| Some((AccountId(account), held.check_room(1).err()?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("4GB", 4_000_000_000),
            ("1.5 GiB", 3 << 29),
            ("1 KiB", 1024),
            ("2mib", 2 << 20),
            ("1TiB", 1 << 40),
            ("3 kB", 3000),
            ("1 TB", 1_000_000_000_000),
            ("4000000000", 4_000_000_000),
            ("0", 0),
            (" 500 mb ", 500_000_000),
            ("12 B", 12),
            ("9000000TB", 9_000_000_000_000_000_000),
            ("99999999TB", i64::MAX),
        ] {
            assert_eq!(Quota::parse(text).unwrap(), Quota::Bytes(bytes), "{text}");
        }
        assert_eq!(Quota::parse("None").unwrap(), Quota::NoLimit);
        for text in ["", "GB", "-1", "4 PB", "1e9", "4GBs", "inf", "NaN", "1.2.3", "é"] {
            assert!(Quota::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_written_as_people_read_them() {
        let written = [0, 999, 1000, 3_240_000_000, 4_000_000_000_000].map(in_words);
        assert_eq!(written, ["0 bytes", "999 bytes", "1.0 kB", "3.2 GB", "4.0 TB"]);
        let filled = [999_999, 1_000_000, 1_000_000_000, 1_000_000_000_000].map(in_words);
        assert_eq!(filled, ["1000.0 kB", "1.0 MB", "1.0 GB", "1.0 TB"]);
    }

    #[test]
    fn there_is_room_up_to_the_limit_and_for_everything_without_one() {
        let quota_use = |limit_bytes| QuotaUse { held_bytes: 70, limit_bytes };
        assert!(quota_use(Some(100)).check_room(30).is_ok() && quota_use(Some(100)).check_room(31).is_err());
        assert!(quota_use(Some(70)).check_room(0).is_err() && quota_use(Some(50)).check_room(1).is_err());
        assert!(quota_use(None).check_room(i64::MAX).is_ok());
        assert_eq!([Some(100), Some(50)].map(|limit| quota_use(limit).room_bytes()), [30, 0]);
    }

    #[test]
    fn a_quota_is_read_as_it_was_stored() {
        let stored = [Quota::Default, Quota::NoLimit, Quota::Bytes(0), Quota::Bytes(7)];
        assert_eq!(stored.map(Quota::to_stored), [None, Some(-1), Some(0), Some(7)]);
        assert_eq!(stored.map(|quota| Quota::from_stored(quota.to_stored())), stored);
    }

    #[test]
    fn one_caller_asks_which_accounts_are_full_and_an_answer_from_before_a_change_is_not_used() {
        let known = FullAccounts::default();
        let full = HashMap::from([(AccountId(1), QuotaExceeded { held_bytes: 2, limit_bytes: 1 })]);
        assert_eq!([known.begin(), known.begin()], [Some(0), None], "another one asks");
        known.end(0, Err(StoreFault::Busy));
        assert_eq!(known.begin(), Some(0), "there was no answer");
        known.end(0, Ok(full.clone()));
        assert_eq!((known.begin(), &known.lock().full), (None, &full), "it was answered just now");
        known.clear();
        assert_eq!(known.begin(), Some(1));
        known.clear();
        known.end(1, Ok(HashMap::new()));
        assert_eq!(known.lock().full, full, "a limit was changed while it was asked");
        assert_eq!(known.begin(), Some(2));
        known.end(2, Ok(HashMap::new()));
        assert_eq!((known.begin(), known.lock().full.len()), (None, 0));
    }
}
