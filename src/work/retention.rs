//! Removing what is not kept any longer, whoever's it is.

use crate::clock::day_of;
use crate::limits;
use crate::node::Node;
use crate::subjects::{retention, rows};

use super::{WorkFault, spares};

/// Removes all records whose day has come, and the rest of people whose keys were lost, some at a time.
///
/// # Errors
/// When the store or the keys fail.
pub async fn end(node: &Node) -> Result<(), WorkFault> {
    loop {
        let Some((account, subject)) = node.store.read(retention::given_up).await? else { break };
        let removing = node.store.write_of_job(account, move |tx| {
            rows::delete_some(tx, account, &subject, limits::UNIT_ROWS as i64)
        });
        removing.await?;
    }
    let today = day_of(node.clock.now());
    loop {
        let ended = node.store.read(move |tx| retention::ended(tx, today)).await?;
        let Some(account) = ended.first().map(|record| record.account) else { return Ok(()) };
        let freed = node.store.write_of_job(account, move |tx| retention::end(tx, account, &ended)).await?;
        spares::release(node, freed).await?;
    }
}
