//! The numbers of visitors that are issued here: random, with a mark that they were issued for this account, so that
//! one is recognised when it comes back from a page, which has no secret.

use crate::http::refusal::Refusal;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::Keys;

/// A new number of a visitor.
///
/// # Errors
/// Never: what is made is a number that can be one.
pub fn issue(keys: &Keys, account: AccountId) -> Result<Identifier, Refusal> {
    let random = uuid::Uuid::new_v4().simple().to_string();
    let mark = mark(keys, account, &random);
    Identifier::visitor_id(&format!("{random}{mark}")).map_err(|_| Refusal::fault())
}

fn mark(keys: &Keys, account: AccountId, random: &str) -> String {
    lethe_verify::hex::encode(&keys.visitor_tag(account, random))
}
