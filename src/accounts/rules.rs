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

/// A list of rules that was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleVersion {
    /// Its number, from 1.
    pub version: i64,
    /// When it was set.
    pub made_at: Millis,
    /// The earlier version that it brought back, if it did.
    pub restored: Option<i64>,
    /// The rules as JSON: a list.
    pub text: String,
}

fn version_of(row: &Row) -> Result<RuleVersion, StoreFault> {
    Ok(RuleVersion {
        version: row.int("version")?,
        made_at: row.int("made_at")?,
        restored: row.opt_int("restored")?,
        text: row.text("rules")?.to_owned(),
    })
}

/// The rules that act now, of a shop whose texts are in this language.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &mut Tx<'_>, account: AccountId, language: Language) -> Result<RuleList, StoreFault> {
    let newest = history(tx, account, 1)?.pop();
    let (version, text) = newest.map_or((0, String::new()), |newest| (newest.version, newest.text));
    Ok(RuleList::new(version, text, language))
}

/// The newest of the lists that were set, newest first.
///
/// # Errors
/// When the store fails.
pub fn history(tx: &mut Tx<'_>, account: AccountId, limit: i64) -> Result<Vec<RuleVersion>, StoreFault> {
    tx.run(&sql::search_rules_list, args![account.0, limit])?.iter().map(version_of).collect()
}

/// Sets a list, unless another one was set since `before`; gives its version.
///
/// # Errors
/// [`AccountFault::RulesChanged`], [`AccountFault::RulesTooSoon`]; or when the store fails.
pub fn set(
    tx: &mut Tx<'_>,
    account: AccountId,
    before: Option<i64>,
    text: &str,
    now: Millis,
) -> Result<i64, AccountFault> {
    let newest = history(tx, account, 1)?.pop();
    pause(newest.as_ref(), now)?;
    let newest = newest.map_or(0, |newest| newest.version);
    // red: it::rules::sqlite::who_has_not_seen_the_last_change_changes_nothing
    if mutant!("rules-overwrite-what-nobody-saw", before.is_some_and(|before| before != newest), false) {
        return Err(AccountFault::RulesChanged);
    }
    Ok(insert(tx, account, newest + 1, None, text, now)?)
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
    let kept = history(tx, account, limits::SEARCH_RULE_VERSIONS)?;
    pause(kept.first(), now)?;
    let newest = kept.first().map_or(0, |newest| newest.version);
    let wanted = version.unwrap_or(newest - 1);
    // Before the first there were no rules.
    let text = match kept.iter().find(|kept| kept.version == wanted) {
        Some(found) => found.text.as_str(),
        None if wanted == 0 && newest > 0 => "",
        None => return Err(AccountFault::RulesUnknown),
    };
    Ok(insert(tx, account, newest + 1, Some(wanted), text, now)?)
}

/// Every change makes all servers read accounts again, those of other shops too.
fn pause(newest: Option<&RuleVersion>, now: Millis) -> Result<(), AccountFault> {
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
    version: i64,
    restored: Option<i64>,
    text: &str,
    now: Millis,
) -> Result<i64, StoreFault> {
    tx.exec(&sql::search_rules_insert, args![account.0, version, now, restored, text])?;
    let last_kept = version - limits::SEARCH_RULE_VERSIONS;
    tx.exec(&sql::search_rules_delete, args![account.0, last_kept])?;
    Ok(version)
}
