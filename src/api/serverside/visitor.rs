//! The numbers of visitors that are issued here: random, with a mark that they were issued for this account, so that
//! one is recognised when it comes back from a page, which has no secret.

use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{Keys, constant_time_eq};
use crate::transport::refusal::Refusal;

/// Random digits at the beginning of a number.
const RANDOM_DIGITS: usize = 32;

/// A new number of a visitor.
///
/// # Errors
/// Never: the made number is a valid one.
pub fn issue(keys: &Keys, account: AccountId) -> Result<Identifier, Refusal> {
    let random = uuid::Uuid::new_v4().simple().to_string();
    let mark = mark(keys, account, &random);
    Identifier::visitor_id(&format!("{random}{mark}")).map_err(|_| Refusal::fault())
}

/// Returns true if a number was issued here, for this account.
pub fn is_issued(keys: &Keys, account: AccountId, id: &Identifier) -> bool {
    let Some((random, sent)) = id.normal().split_at_checked(RANDOM_DIGITS) else { return false };
    let mark = mark(keys, account, random);
    constant_time_eq(mark.as_bytes(), sent.as_bytes())
}

fn mark(keys: &Keys, account: AccountId, random: &str) -> String {
    lethe_verify::hex::encode(&keys.visitor_tag(account, random))
}

/// Group of a visitor, of 100: always the same one, and no visitor can choose it.
pub fn group(keys: &Keys, account: AccountId, id: &Identifier) -> u8 {
    let tag = keys.visitor_tag(account, &format!("group of {}", id.normal()));
    let number = tag.iter().take(4).fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    (number % 100) as u8
}
