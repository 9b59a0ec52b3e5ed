//! Removing what is not kept any longer, whoever's it is.

use crate::clock::day_of;
use crate::node::Node;
use crate::subjects::retention;

use super::{WorkFault, spares};

/// Removes all records whose day has come, some at a time.
///
/// # Errors
/// When the store or the keys fail.
pub async fn end(node: &Node) -> Result<(), WorkFault> {
    let today = day_of(node.clock.now());
    loop {
        let ended = node.store.read(move |tx| retention::ended(tx, today)).await?;
        let Some(account) = ended.first().map(|record| record.account) else { return Ok(()) };
        let freed = node.store.write_of_job(account, move |tx| retention::end(tx, account, &ended)).await?;
        spares::release(node, freed).await?;
    }
}
