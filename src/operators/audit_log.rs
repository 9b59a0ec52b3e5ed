//! Audit log of operators, append-only. A line names the operator by their random number, and no other person.

use super::operator::OperatorId;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Something that an operator did.
pub struct OperatorAct {
    /// Its number: random.
    pub id: [u8; 16],
    /// Time of the act.
    pub at: Millis,
    /// The operator who did it.
    pub operator: OperatorId,
    /// Name of the act, as one word.
    pub act: String,
    /// Shop in which it was done.
    pub account: Option<AccountId>,
    /// Object of the act: an id of ours.
    pub about: Option<String>,
}

impl OperatorAct {
    /// Act of an operator at `at`, in no shop and about nothing.
    #[must_use]
    pub fn new(operator: OperatorId, act: &str, at: Millis) -> Self {
        let id = *uuid::Uuid::new_v4().as_bytes();
        Self { id, at, operator, act: act.to_owned(), account: None, about: None }
    }
}

/// Notes it.
///
/// # Errors
/// When the store fails.
pub fn record(tx: &mut Tx<'_>, act: &OperatorAct) -> Result<(), StoreFault> {
    let account = act.account.map(|account| account.0);
    let row = args![act.at, &act.id, &act.operator.0, act.act.as_str(), account, act.about.as_deref()];
    tx.exec(&sql::operator_act_insert, row).map(drop)
}

/// Lists the acts before a line, which its time and number name, newest first; `most` lines at most.
///
/// # Errors
/// When the store fails.
pub fn list(
    tx: &mut Tx<'_>,
    (before, behind): (Millis, [u8; 16]),
    most: i64,
) -> Result<Vec<OperatorAct>, StoreFault> {
    let rows = tx.run(&sql::operator_act_list, args![before, &behind, most])?;
    rows.iter()
        .map(|row| {
            Ok(OperatorAct {
                id: row.bytes("id")?,
                at: row.int("at")?,
                operator: OperatorId(row.bytes("operator_id")?),
                act: row.text("act")?.to_owned(),
                account: row.opt_int("shop_id")?.map(AccountId),
                about: row.opt_text("about")?.map(str::to_owned),
            })
        })
        .collect()
}
