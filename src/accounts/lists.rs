//! Lists that a shop sets: the rules of its search, and the campaigns of its zones. Each version is kept for a while,
//! so that a change can be undone.

use super::fault::AccountFault;
use super::list_kind::ListKind;
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::store::{Row, StoreFault, Tx};
use crate::{args, limits, sql};

/// A list that was set, without its content: all kept lists together can be large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListVersion {
    /// Its number, from 1.
    pub version: i64,
    /// When it was set.
    pub made_at: Millis,
    /// The earlier version that it brought back, if it did.
    pub restored: Option<i64>,
    /// Number of entries.
    pub count: i64,
}

/// A list as it is stored.
struct StoredList {
    version: i64,
    made_at: Millis,
    count: i64,
    text: String,
}

fn read_stored(row: Option<Row>) -> Result<Option<StoredList>, StoreFault> {
    row.map(|row| {
        Ok(StoredList {
            version: row.int("version")?,
            made_at: row.int("made_at")?,
            count: row.int("entry_count")?,
            text: row.text("entries")?.to_owned(),
        })
    })
    .transpose()
}

fn newest(tx: &mut Tx<'_>, account: AccountId, kind: ListKind) -> Result<Option<StoredList>, StoreFault> {
    read_stored(tx.row(&sql::shop_list_newest, args![account.0, kind.name()])?)
}

fn get_version(
    tx: &mut Tx<'_>,
    account: AccountId,
    kind: ListKind,
    version: i64,
) -> Result<Option<StoredList>, StoreFault> {
    read_stored(tx.row(&sql::shop_list_get, args![account.0, kind.name(), version])?)
}

/// The version of the live list, and the list as JSON; 0 and nothing, where none was set.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &mut Tx<'_>, account: AccountId, kind: ListKind) -> Result<(i64, String), StoreFault> {
    let newest = newest(tx, account, kind)?;
    Ok(newest.map_or((0, String::new()), |newest| (newest.version, newest.text)))
}

/// The list of a version that is kept, as JSON.
///
/// # Errors
/// [`AccountFault::ListUnknown`] when it is not; or when the store fails.
pub fn of_version(
    tx: &mut Tx<'_>,
    account: AccountId,
    kind: ListKind,
    version: i64,
) -> Result<String, AccountFault> {
    let found = get_version(tx, account, kind, version)?;
    found.map(|found| found.text).ok_or(AccountFault::ListUnknown(kind))
}

/// The lists that are kept, newest first.
///
/// # Errors
/// When the store fails.
pub fn history(tx: &mut Tx<'_>, account: AccountId, kind: ListKind) -> Result<Vec<ListVersion>, StoreFault> {
    let rows = tx.run(&sql::shop_list_list, args![account.0, kind.name()])?;
    rows.iter()
        .map(|row| {
            Ok(ListVersion {
                version: row.int("version")?,
                made_at: row.int("made_at")?,
                restored: row.opt_int("restored")?,
                count: row.int("entry_count")?,
            })
        })
        .collect()
}

/// Sets a list of so many entries, unless another one was set since `before`; gives its version.
///
/// # Errors
/// [`AccountFault::ListChanged`], [`AccountFault::ListTooSoon`]; or when the store fails.
pub fn set(
    tx: &mut Tx<'_>,
    (account, kind): (AccountId, ListKind),
    before: Option<i64>,
    (text, count): (&str, usize),
    now: Millis,
) -> Result<i64, AccountFault> {
    let newest = newest(tx, account, kind)?;
    pause(kind, newest.as_ref(), now)?;
    let newest = newest.map_or(0, |newest| newest.version);
    if before.is_some_and(|before| before != newest) {
        return Err(AccountFault::ListChanged(kind));
    }
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let list = StoredList { version: newest + 1, made_at: now, count, text: text.to_owned() };
    Ok(insert(tx, (account, kind), &list, None)?)
}

/// Brings a list back, by default the one before the last; gives the version that it is now.
///
/// # Errors
/// [`AccountFault::ListUnknown`] when there is no such version any more, [`AccountFault::ListTooSoon`]; or when the
/// store fails.
pub fn undo(
    tx: &mut Tx<'_>,
    (account, kind): (AccountId, ListKind),
    version: Option<i64>,
    now: Millis,
) -> Result<i64, AccountFault> {
    let newest = newest(tx, account, kind)?;
    pause(kind, newest.as_ref(), now)?;
    let newest = newest.ok_or(AccountFault::ListUnknown(kind))?.version;
    let wanted = version.unwrap_or(newest - 1);
    let found = get_version(tx, account, kind, wanted)?;
    // Before the first there was none.
    let none = (wanted == 0).then(|| StoredList { version: 0, made_at: now, count: 0, text: String::new() });
    let list = found.or(none).ok_or(AccountFault::ListUnknown(kind))?;
    Ok(insert(tx, (account, kind), &StoredList { version: newest + 1, made_at: now, ..list }, Some(wanted))?)
}

/// Every change makes all servers read accounts again, those of other shops too.
fn pause(kind: ListKind, newest: Option<&StoredList>, now: Millis) -> Result<(), AccountFault> {
    let since = newest.map_or(Millis::MAX, |newest| now - newest.made_at);
    let is_too_soon = (0..millis(limits::SEARCH_RULES_DURATION)).contains(&since);
    if is_too_soon { Err(AccountFault::ListTooSoon(kind)) } else { Ok(()) }
}

fn insert(
    tx: &mut Tx<'_>,
    (account, kind): (AccountId, ListKind),
    list: &StoredList,
    restored: Option<i64>,
) -> Result<i64, StoreFault> {
    let StoredList { version, made_at, count, text } = list;
    let row = args![account.0, kind.name(), *version, *made_at, restored, *count, text.as_str()];
    tx.exec(&sql::shop_list_insert, row)?;
    let oldest = *version - limits::SEARCH_RULE_VERSIONS;
    tx.exec(&sql::shop_list_delete, args![account.0, kind.name(), oldest])?;
    Ok(*version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Store, StoreOptions};

    #[test]
    fn a_list_is_not_changed_again_within_a_moment() {
        let list = StoredList { version: 1, made_at: 10_000, count: 0, text: String::new() };
        let is_too_soon =
            |now| matches!(pause(ListKind::Rules, Some(&list), now), Err(AccountFault::ListTooSoon(_)));
        let moment = millis(limits::SEARCH_RULES_DURATION);
        let told = [9_999, 10_000, 10_000 + moment - 1, 10_000 + moment].map(is_too_soon);
        assert_eq!(told, [false, true, true, false], "before it: the clock was set back");
        assert!(pause(ListKind::Rules, None, 10_000).is_ok());
    }

    #[tokio::test]
    async fn so_many_versions_of_a_list_are_kept_and_can_come_back() {
        const KEPT: i64 = limits::SEARCH_RULE_VERSIONS;
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
        let of = (AccountId(1), ListKind::Rules);
        let filling = store.write(of.0, move |tx| {
            for version in 1..=KEPT + 1 {
                let set =
                    set(tx, of, Some(version - 1), (format!("[{version}]").as_str(), 3), version * 1000)?;
                assert_eq!(set, version);
            }
            assert_eq!(set(tx, (of.0, ListKind::Campaigns), None, ("[]", 0), 0)?, 1);
            Ok::<_, AccountFault>(())
        });
        filling.await.expect("filled");
        let looking = store.write(of.0, move |tx| {
            let versions: Vec<_> = history(tx, of.0, of.1)?.iter().map(|list| list.version).collect();
            let is_gone = matches!(undo(tx, of, Some(1), 100_000), Err(AccountFault::ListUnknown(_)));
            let back = [undo(tx, of, Some(2), 100_000)?, undo(tx, of, None, 101_000)?];
            let newest = history(tx, of.0, of.1)?.into_iter().take(2).collect::<Vec<_>>();
            Ok::<_, AccountFault>((versions, is_gone, back, newest, get(tx, of.0, of.1)?))
        });
        let (versions, is_gone, back, newest, acts) = looking.await.expect("looked at");
        assert_eq!(versions, (2..=KEPT + 1).rev().collect::<Vec<_>>());
        assert!(is_gone);
        assert_eq!(back, [KEPT + 2, KEPT + 3]);
        let restored = |version, made_at, of| ListVersion { version, made_at, restored: Some(of), count: 3 };
        let expected = [restored(KEPT + 3, 101_000, KEPT + 1), restored(KEPT + 2, 100_000, 2)];
        assert_eq!(newest, expected);
        assert_eq!(acts, (KEPT + 3, format!("[{}]", KEPT + 1)));
    }
}
