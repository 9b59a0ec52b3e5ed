//! Addresses in stored data of people that belong to others who were forgotten: checked before the data is stored.

use std::cell::RefCell;
use std::collections::HashSet;

use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::limits;
use crate::node::Node;
use crate::people::suppression_gate;
use crate::store::StoreFault;
use crate::work::fault::WorkFault;

/// Runs `read`, which checks each address for a forgotten owner. Runs it once to collect the addresses, and again with
/// the answers if one address is forgotten. A person who is forgotten between the check and the storing stays in the
/// result, as in data stored before.
///
/// # Errors
/// When `read` or the store fails.
pub async fn reading<T>(
    node: &Node,
    account: AccountId,
    read: impl Fn(&dyn Fn(&str) -> bool) -> Result<T, WorkFault>,
) -> Result<T, WorkFault> {
    let asked = RefCell::new(HashSet::new());
    let first = read(&|email| {
        asked.borrow_mut().insert(email.to_owned());
        false
    })?;
    let asked = asked.into_inner();
    if asked.is_empty() {
        return Ok(first);
    }
    let forgotten = find_forgotten(node, account, asked).await?;
    if forgotten.is_empty() {
        return Ok(first);
    }
    read(&|email| forgotten.contains(email))
}

/// Finds the addresses among these that belong to forgotten people.
async fn find_forgotten(
    node: &Node,
    account: AccountId,
    emails: HashSet<String>,
) -> Result<HashSet<String>, StoreFault> {
    let emails: Vec<_> = emails.into_iter().collect();
    let mut forgotten = HashSet::new();
    // One row may name hundreds of thousands.
    for some in emails.chunks(limits::UNIT_ROWS) {
        let keys = node.keys.clone();
        let some = some.to_vec();
        let asking = node.store.read(move |tx| {
            let mut forgotten = Vec::new();
            for email in &some {
                let Ok(id) = Identifier::email(email) else { continue };
                if suppression_gate::is_suppressed(tx, account, &keys.suppression_tag(account, &id))? {
                    forgotten.push(email.clone());
                }
            }
            Ok::<_, StoreFault>(forgotten)
        });
        forgotten.extend(asking.await?);
    }
    Ok(forgotten)
}
