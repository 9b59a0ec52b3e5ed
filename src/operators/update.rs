//! Adding, changing and removing operators. Whatever changes of one ends their sessions.

use std::collections::BTreeSet;

use zeroize::Zeroizing;

use super::operator::{Operator, OperatorFault, OperatorId, by_link, by_name, get, list};
use super::role::OperatorRole;
use crate::addresses::printable;
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::keys::secret::random_token;
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// Changes to an operator; `None` stays as it is.
#[derive(Clone, Default)]
pub struct OperatorUpdate {
    /// Their role.
    pub role: Option<OperatorRole>,
    /// The shops they work for.
    pub shops: Option<Vec<AccountId>>,
    /// True if they may do anything.
    pub is_enabled: Option<bool>,
}

/// Adds an operator, and gives the link by which they choose a password: it is stored as a hash.
///
/// # Errors
/// [`OperatorFault::NameMalformed`], [`OperatorFault::NameTaken`], [`OperatorFault::TooMany`],
/// [`OperatorFault::NoShop`]; or when the store or a key fails.
pub fn add(
    tx: &mut Tx<'_>,
    keys: &Keys,
    name: &str,
    (role, shops): (OperatorRole, &[AccountId]),
    now: Millis,
) -> Result<(OperatorId, Zeroizing<String>), OperatorFault> {
    let name = name.trim();
    let length = name.chars().count();
    if length == 0 || length > limits::OPERATOR_NAME_CHARS || printable(name) != name {
        return Err(OperatorFault::NameMalformed);
    }
    let tag = keys.operator_tag(&name.to_lowercase());
    if tx.row(&sql::operator_by_tag, args![&tag])?.is_some() {
        return Err(OperatorFault::NameTaken);
    }
    let known = list(tx, keys)?;
    let is_counted = |operator: &&Operator| operator.name.is_some();
    let count = known.iter().filter(is_counted).count();
    if count >= limits::OPERATORS {
        return Err(OperatorFault::TooMany);
    }
    let id = OperatorId(*uuid::Uuid::new_v4().as_bytes());
    let link = random_token()?;
    let hash = keys.secret_hash(&link);
    let until = now + millis(limits::OPERATOR_LINK_DURATION);
    tx.exec(&sql::operator_insert, args![&id.0, role.name(), &hash, until, now])?;
    let sealed = keys.seal_operator_name(&id.0, name.as_bytes())?;
    tx.exec(&sql::operator_name_insert, args![&tag, &id.0, sealed.as_slice()])?;
    set_shops(tx, id, role, shops)?;
    Ok((id, link))
}

/// Changes an operator.
///
/// # Errors
/// [`OperatorFault::Unknown`], [`OperatorFault::LastOwner`], [`OperatorFault::NoShop`]; or when the store or a key
/// fails.
pub fn change(
    tx: &mut Tx<'_>,
    keys: &Keys,
    name: &str,
    change: &OperatorUpdate,
    now: Millis,
) -> Result<(), OperatorFault> {
    let mut operator = by_name(tx, keys, name)?;
    operator.role = change.role.unwrap_or(operator.role);
    if let Some(is_enabled) = change.is_enabled {
        operator.disabled_at = (!is_enabled).then(|| operator.disabled_at.unwrap_or(now));
    }
    keep_an_owner(tx, keys, &operator)?;
    let shops = change.shops.clone().unwrap_or_else(|| operator.shops.clone());
    set_shops(tx, operator.id, operator.role, &shops)?;
    store(tx, &operator)
}

/// Takes the password away from an operator, and their codes, and gives a link to choose another password.
///
/// # Errors
/// [`OperatorFault::Unknown`]; or when the store or a key fails.
pub fn renew(
    tx: &mut Tx<'_>,
    keys: &Keys,
    name: &str,
    now: Millis,
) -> Result<Zeroizing<String>, OperatorFault> {
    let mut operator = by_name(tx, keys, name)?;
    let link = random_token()?;
    operator.password = None;
    operator.forget_code();
    operator.link = Some(keys.secret_hash(&link).to_vec());
    operator.link_until = Some(now + millis(limits::OPERATOR_LINK_DURATION));
    store(tx, &operator)?;
    Ok(link)
}

/// Sets the password, by its hash, that the operator of a link chose. The link is used up.
///
/// # Errors
/// [`OperatorFault::LinkUnknown`]; or when the store or a key fails.
pub fn choose_password(
    tx: &mut Tx<'_>,
    keys: &Keys,
    link: &str,
    hash: &str,
    now: Millis,
) -> Result<OperatorId, OperatorFault> {
    let mut operator = by_link(tx, keys, link, now)?;
    operator.password = Some(hash.to_owned());
    operator.link = None;
    store(tx, &operator)?;
    Ok(operator.id)
}

/// Sets the password, by its hash, of an operator who gave the present one. Returns them as they are now; `None`: they
/// changed since `version`.
///
/// # Errors
/// When the store or a key fails.
pub fn change_password(
    tx: &mut Tx<'_>,
    keys: &Keys,
    id: OperatorId,
    version: i64,
    hash: &str,
) -> Result<Option<Operator>, OperatorFault> {
    let is_as_before = |operator: &Operator| operator.version == version && operator.disabled_at.is_none();
    let Some(mut operator) = get(tx, keys, id)?.filter(is_as_before) else { return Ok(None) };
    operator.password = Some(hash.to_owned());
    store(tx, &operator)?;
    get(tx, keys, id)
}

/// Removes an operator: they may do nothing any more, and their name is gone. Their lines in the audit log stay, under
/// their number.
///
/// # Errors
/// [`OperatorFault::Unknown`], [`OperatorFault::LastOwner`]; or when the store or a key fails.
pub fn remove(tx: &mut Tx<'_>, keys: &Keys, name: &str, now: Millis) -> Result<(), OperatorFault> {
    let mut operator = by_name(tx, keys, name)?;
    operator.disabled_at = Some(now);
    keep_an_owner(tx, keys, &operator)?;
    operator.password = None;
    operator.link = None;
    operator.forget_code();
    tx.exec(&sql::operator_name_delete, args![&operator.id.0])?;
    tx.exec(&sql::operator_shop_clear, args![&operator.id.0])?;
    store(tx, &operator)
}

/// After a restore no operator signs in with the backup's passwords: an operator who was removed, disabled or given
/// another role since would be let in again. Each chooses a new password, by `lethe operator reset`.
///
/// # Errors
/// When the store fails.
pub fn lock_out_all(tx: &mut Tx<'_>) -> Result<(), StoreFault> {
    tx.exec(&sql::operator_restored, args![])?;
    Ok(())
}

/// At least one owner has to be left who can sign in and let others in.
fn keep_an_owner(tx: &mut Tx<'_>, keys: &Keys, changed: &Operator) -> Result<(), OperatorFault> {
    let opens = |operator: &Operator| {
        operator.role == OperatorRole::Owner && operator.disabled_at.is_none() && operator.password.is_some()
    };
    let all = list(tx, keys)?;
    let was = all.iter().any(|operator| operator.id == changed.id && opens(operator));
    let others = all.iter().any(|operator| operator.id != changed.id && opens(operator));
    if was && !opens(changed) && !others { Err(OperatorFault::LastOwner) } else { Ok(()) }
}

fn set_shops(
    tx: &mut Tx<'_>,
    operator: OperatorId,
    role: OperatorRole,
    shops: &[AccountId],
) -> Result<(), OperatorFault> {
    if role != OperatorRole::Owner && shops.is_empty() {
        return Err(OperatorFault::NoShop(role));
    }
    tx.exec(&sql::operator_shop_clear, args![&operator.0])?;
    // A shop may be named twice.
    let shops: BTreeSet<_> = shops.iter().collect();
    for shop in shops {
        tx.exec(&sql::operator_shop_insert, args![shop.0, &operator.0])?;
    }
    Ok(())
}

/// Stores an operator's present state; every session of theirs ends.
pub(super) fn store(tx: &mut Tx<'_>, operator: &Operator) -> Result<(), OperatorFault> {
    let Operator { id, role, password, link, link_until, disabled_at, code_secret, code_step, .. } = operator;
    let row = args![
        &id.0,
        role.name(),
        password.as_deref(),
        link.as_deref(),
        *link_until,
        *disabled_at,
        code_secret.as_deref(),
        *code_step
    ];
    tx.exec(&sql::operator_set, row)?;
    Ok(())
}
