//! An operator: who works at the console, and with which rights.

use std::collections::HashMap;

use super::role::{OperatorRole, Right};
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys};
use crate::store::{Row, StoreFault, Tx};
use crate::{args, limits, sql};

/// The number of an operator: random.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OperatorId(pub [u8; 16]);

impl std::fmt::Display for OperatorId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        uuid::Uuid::from_bytes(self.0).hyphenated().fmt(f)
    }
}

/// An operator.
#[derive(Clone)]
pub struct Operator {
    /// Their number.
    pub id: OperatorId,
    /// Their name; `None`: they left.
    pub name: Option<String>,
    /// Their role.
    pub role: OperatorRole,
    /// The shops they work for; an owner works for all.
    pub shops: Vec<AccountId>,
    /// The hash of their password; `None`: they have none yet.
    pub password: Option<String>,
    /// The hash of the link by which they choose one.
    pub(super) link: Option<Vec<u8>>,
    /// Time until which it can be used.
    pub link_until: Option<Millis>,
    /// Number of changes to them.
    pub version: i64,
    /// Time at which they were added.
    pub made_at: Millis,
    /// Time since which they may do nothing.
    pub disabled_at: Option<Millis>,
    /// Secret of their codes, sealed; `None`: a password is enough.
    pub(super) code_secret: Option<Vec<u8>>,
    /// The last step of time whose code was used.
    pub(super) code_step: Option<i64>,
}

static_assertions::assert_not_impl_any!(Operator: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl Operator {
    /// Returns true if they may do something, in a shop if it belongs to one.
    #[must_use]
    pub fn is_allowed(&self, right: Right, shop: Option<AccountId>) -> bool {
        self.disabled_at.is_none() && self.role.has(right) && shop.is_none_or(|shop| self.works_for(shop))
    }

    /// Returns true if signing in takes a code too.
    #[must_use]
    pub const fn has_code(&self) -> bool {
        self.code_secret.is_some()
    }

    pub(super) fn forget_code(&mut self) {
        self.code_secret = None;
        self.code_step = None;
    }

    /// Returns true if they work for a shop; an owner works for all.
    #[must_use]
    pub fn works_for(&self, shop: AccountId) -> bool {
        let is_theirs = self.shops.contains(&shop);
        self.role == OperatorRole::Owner || is_theirs
    }
}

/// Reason why a change of an operator cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum OperatorFault {
    /// Another operator has this name.
    #[error("an operator of that name exists already")]
    NameTaken,
    /// Not a name.
    #[error(
        "an operator's name has 1 to {} characters, and none that nobody sees",
        limits::OPERATOR_NAME_CHARS
    )]
    NameMalformed,
    /// Not a role.
    #[error("a role is one of these: owner, merchandiser, privacy-officer, viewer")]
    RoleUnknown,
    /// No operator has this name.
    #[error("no operator has that name; `lethe operator list` shows them")]
    Unknown,
    /// There are as many operators as there may be.
    #[error("there are {} operators already, the most there may be", limits::OPERATORS)]
    TooMany,
    /// No owner would be left to let others in.
    #[error("this is the last owner who may sign in: make another first")]
    LastOwner,
    /// No shop for an operator who is no owner.
    #[error("a {} works for the shops named with --shop: name one at least", .0.name())]
    NoShop(OperatorRole),
    /// The link does not count.
    #[error(
        "this link was used, or is too old, or never was one; `lethe operator reset NAME` prints a new one"
    )]
    LinkUnknown,
    /// Too easy.
    #[error("a password has at least {} characters", limits::PASSWORD_CHARS)]
    PasswordShort,
    /// More than is hashed.
    #[error("a password has at most {} bytes", limits::PASSWORD_BYTES)]
    PasswordLong,
    /// Fault of the library for passwords.
    #[error("the password could not be hashed")]
    Hash,
    /// Fault of the library for codes.
    #[error("the codes could not be made")]
    Code,
    /// Fault of the store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// Fault of the keys.
    #[error(transparent)]
    Keys(#[from] KeyFault),
}

/// All operators, oldest first, with those who left.
///
/// # Errors
/// When the store fails, or a name was sealed by other keys.
pub fn list(tx: &mut Tx<'_>, keys: &Keys) -> Result<Vec<Operator>, OperatorFault> {
    let mut shops = HashMap::<OperatorId, Vec<AccountId>>::new();
    for row in tx.run(&sql::operator_shop_list, args![])? {
        let operator = OperatorId(row.bytes("operator_id")?);
        shops.entry(operator).or_default().push(AccountId(row.int("account_id")?));
    }
    let rows = tx.run(&sql::operator_list, args![])?;
    let read = |row| {
        let mut operator = from_row(row, keys)?;
        operator.shops = shops.remove(&operator.id).unwrap_or_default();
        Ok(operator)
    };
    rows.iter().map(read).collect()
}

/// The operator of a number.
///
/// # Errors
/// As [`list`].
pub fn get(tx: &mut Tx<'_>, keys: &Keys, id: OperatorId) -> Result<Option<Operator>, OperatorFault> {
    let Some(row) = tx.row(&sql::operator_get, args![&id.0])? else { return Ok(None) };
    let mut operator = from_row(&row, keys)?;
    let shops = tx.run(&sql::operator_shop_get, args![&id.0])?;
    operator.shops =
        shops.iter().map(|row| row.int("account_id").map(AccountId)).collect::<Result<_, _>>()?;
    Ok(Some(operator))
}

/// The operator of a name, in any case.
///
/// # Errors
/// [`OperatorFault::Unknown`]; or as [`list`].
pub fn by_name(tx: &mut Tx<'_>, keys: &Keys, name: &str) -> Result<Operator, OperatorFault> {
    let tag = keys.operator_tag(&name.trim().to_lowercase());
    let row = tx.row(&sql::operator_by_tag, args![&tag])?.ok_or(OperatorFault::Unknown)?;
    get(tx, keys, OperatorId(row.bytes("operator_id")?))?.ok_or(OperatorFault::Unknown)
}

/// The operator whose link this is, if it still counts.
///
/// # Errors
/// [`OperatorFault::LinkUnknown`]; or as [`list`].
pub fn by_link(tx: &mut Tx<'_>, keys: &Keys, link: &str, now: Millis) -> Result<Operator, OperatorFault> {
    let hash = keys.secret_hash(link);
    let row = tx.row(&sql::operator_by_link, args![&hash])?.ok_or(OperatorFault::LinkUnknown)?;
    let operator = get(tx, keys, OperatorId(row.bytes("id")?))?.ok_or(OperatorFault::LinkUnknown)?;
    let is_old = operator.link_until.is_none_or(|until| until <= now);
    if is_old || operator.disabled_at.is_some() { Err(OperatorFault::LinkUnknown) } else { Ok(operator) }
}

pub(super) fn from_row(row: &Row, keys: &Keys) -> Result<Operator, OperatorFault> {
    let id = OperatorId(row.bytes("id")?);
    let name = row.opt_blob("name")?.map(|sealed| keys.open_operator_name(&id.0, sealed)).transpose()?;
    Ok(Operator {
        id,
        name: name.map(|name| String::from_utf8_lossy(&name).into_owned()),
        role: OperatorRole::from_name(row.text("role")?).unwrap_or(OperatorRole::Viewer),
        shops: Vec::new(),
        password: row.opt_text("password")?.map(str::to_owned),
        link: row.opt_blob("link")?.map(<[u8]>::to_vec),
        link_until: row.opt_int("link_until")?,
        version: row.int("version")?,
        made_at: row.int("made_at")?,
        disabled_at: row.opt_int("disabled_at")?,
        code_secret: row.opt_blob("code_secret")?.map(<[u8]>::to_vec),
        code_step: row.opt_int("code_step")?,
    })
}
