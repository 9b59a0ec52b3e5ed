//! The rules of a shop's search. Each list that was set is kept for a while, so that a change can be undone.

use super::AccountFault;
use crate::args;
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::limits;
use crate::search::rules::RuleList;
use crate::search::text::Language;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

/// A list of rules that was set, without the rules: all that are kept can be large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleVersion {
    /// Its number, from 1.
    pub version: i64,
    /// When it was set.
    pub made_at: Millis,
    /// The earlier version that it brought back, if it did.
    pub restored: Option<i64>,
    /// How many rules it has.
    pub count: i64,
}

/// A list of rules as it is stored.
struct Stored {
    version: i64,
    made_at: Millis,
    count: i64,
    text: String,
}

fn stored(row: Option<Row>) -> Result<Option<Stored>, StoreFault> {
    row.map(|row| {
        Ok(Stored {
            version: row.int("version")?,
            made_at: row.int("made_at")?,
            count: row.int("rules_count")?,
            text: row.text("rules")?.to_owned(),
        })
    })
    .transpose()
}

fn newest(tx: &mut Tx<'_>, account: AccountId) -> Result<Option<Stored>, StoreFault> {
    stored(tx.row(&sql::search_rules_newest, args![account.0])?)
}

/// The rules that act now, of a shop whose texts are in this language.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &mut Tx<'_>, account: AccountId, language: Language) -> Result<RuleList, StoreFault> {
    let newest = newest(tx, account)?;
    let (version, text) = newest.map_or((0, String::new()), |newest| (newest.version, newest.text));
    Ok(RuleList::new(version, text, language))
}

/// The rules of a version that is kept, as JSON: a list.
///
/// # Errors
/// [`AccountFault::RulesUnknown`] when it is not; or when the store fails.
pub fn of_version(tx: &mut Tx<'_>, account: AccountId, version: i64) -> Result<String, AccountFault> {
    let found = stored(tx.row(&sql::search_rules_get, args![account.0, version])?)?;
    found.map(|found| found.text).ok_or(AccountFault::RulesUnknown)
}

/// The lists that are kept, newest first.
///
/// # Errors
/// When the store fails.
pub fn history(tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<RuleVersion>, StoreFault> {
    let rows = tx.run(&sql::search_rules_list, args![account.0])?;
    rows.iter()
        .map(|row| {
            Ok(RuleVersion {
                version: row.int("version")?,
                made_at: row.int("made_at")?,
                restored: row.opt_int("restored")?,
                count: row.int("rules_count")?,
            })
        })
        .collect()
}

/// Sets a list of so many rules, unless another one was set since `before`; gives its version.
///
/// # Errors
/// [`AccountFault::RulesChanged`], [`AccountFault::RulesTooSoon`]; or when the store fails.
pub fn set(
    tx: &mut Tx<'_>,
    account: AccountId,
    before: Option<i64>,
    (text, count): (&str, usize),
    now: Millis,
) -> Result<i64, AccountFault> {
    let newest = newest(tx, account)?;
    pause(newest.as_ref(), now)?;
    let newest = newest.map_or(0, |newest| newest.version);
    // red: it::rules::sqlite::who_has_not_seen_the_last_change_changes_nothing
    if mutant!("rules-overwrite-what-nobody-saw", before.is_some_and(|before| before != newest), false) {
        return Err(AccountFault::RulesChanged);
    }
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let list = Stored { version: newest + 1, made_at: now, count, text: text.to_owned() };
    Ok(insert(tx, account, &list, None)?)
}

/// Brings a list back, by default the one before the last; gives the version that it is now.
///
/// # Errors
/// [`AccountFault::RulesUnknown`] when there is no such version any more, [`AccountFault::RulesTooSoon`]; or when the
/// store fails.
pub fn undo(
    tx: &mut Tx<'_>,
    account: AccountId,
    version: Option<i64>,
    now: Millis,
) -> Result<i64, AccountFault> {
    let newest = newest(tx, account)?;
    pause(newest.as_ref(), now)?;
    let newest = newest.ok_or(AccountFault::RulesUnknown)?.version;
    let wanted = version.unwrap_or(newest - 1);
    let found = stored(tx.row(&sql::search_rules_get, args![account.0, wanted])?)?;
    // Before the first there were no rules.
    let none = (wanted == 0).then(|| Stored { version: 0, made_at: now, count: 0, text: String::new() });
    let list = found.or(none).ok_or(AccountFault::RulesUnknown)?;
    Ok(insert(tx, account, &Stored { version: newest + 1, made_at: now, ..list }, Some(wanted))?)
}

/// Every change makes all servers read accounts again, those of other shops too.
fn pause(newest: Option<&Stored>, now: Millis) -> Result<(), AccountFault> {
    let since = newest.map_or(Millis::MAX, |newest| now - newest.made_at);
    // red: it::rules::sqlite::rules_change_once_in_a_while
    let is_too_soon = mutant!(
        "rules-change-all-the-time",
        (0..millis(limits::SEARCH_RULES_DURATION)).contains(&since),
        false
    );
    if is_too_soon { Err(AccountFault::RulesTooSoon) } else { Ok(()) }
}

fn insert(
    tx: &mut Tx<'_>,
    account: AccountId,
    list: &Stored,
    restored: Option<i64>,
) -> Result<i64, StoreFault> {
    let Stored { version, made_at, count, text } = list;
    let row = args![account.0, *version, *made_at, restored, *count, text.as_str()];
    tx.exec(&sql::search_rules_insert, row)?;
    tx.exec(&sql::search_rules_delete, args![account.0, *version - limits::SEARCH_RULE_VERSIONS])?;
    Ok(*version)
}
