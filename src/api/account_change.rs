//! Changing an account so that every node notices.

use crate::accounts::{self, AccountFault};
use crate::node::Node;
use crate::store::{Owner, Tx};

/// The account of that name, for who changes it.
pub(crate) async fn load_owner(node: &Node, name: &str) -> Result<Owner, AccountFault> {
    let name = name.to_owned();
    let account = node.store.read(move |tx| accounts::by_name(tx, &name)).await?;
    Ok(Owner::with_store(account.id))
}

/// Changes an account or its secrets, and tells all nodes that what they remember of keys is old.
pub(crate) async fn change<T: Send + 'static>(
    node: &Node,
    owner: Owner,
    work: impl Fn(&mut Tx<'_>) -> Result<T, AccountFault> + Send + 'static,
) -> Result<T, AccountFault> {
    let changing = node.store.write(owner, move |tx| {
        let done = work(tx)?;
        accounts::note_change(tx)?;
        Ok::<_, AccountFault>(done)
    });
    let done = changing.await?;
    node.directory.clear();
    Ok(done)
}
