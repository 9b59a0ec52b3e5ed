//! Accepting something that is sealed under a key of its own.

use std::sync::Arc;

use zeroize::Zeroizing;

use super::detached_task::to_its_end;
use crate::api::faults::key_fault;
use crate::ids::AccountId;
use crate::keys::SlotNumber;
use crate::node::Node;
use crate::people::subject::SubjectFault;
use crate::store::{StoreFault, Tx};
use crate::transport::refusal::Refusal;

/// Seals something under a fresh key and runs the accepting transaction. The key slot is given back unless the answer
/// of the transaction `uses` it.
pub(crate) async fn accept_under_key<S, T, F, Sealing>(
    node: Arc<Node>,
    account: AccountId,
    seal: impl FnOnce(SlotNumber) -> Sealing + Send,
    accept: impl Fn(&mut Tx<'_>, SlotNumber, &S) -> Result<T, F> + Send + 'static,
    uses: fn(&T) -> bool,
) -> Result<T, Refusal>
where
    S: Send + 'static,
    T: Send + 'static,
    F: Into<SubjectFault>,
    Sealing: Future<Output = Result<S, Refusal>> + Send,
{
    let slot = node.keys.take_slot_async().await.map_err(key_fault)?;
    let stored = match seal(slot).await {
        Ok(sealed) => {
            let accepting = move |tx: &mut Tx<'_>| accept(tx, slot, &sealed).map_err(Into::into);
            Ok(node.store.write(account, accepting).await)
        }
        Err(refusal) => Err(refusal),
    };
    let is_used = match &stored {
        Ok(Ok(answer)) => uses(answer),
        // Nobody can say; the sweep at the next start will.
        Ok(Err(SubjectFault::Store(fault))) if fault.is_outcome_unknown() => true,
        Ok(Err(_)) | Err(_) => false,
    };
    if !is_used {
        node.keys.put_back(slot).map_err(key_fault)?;
    }
    Ok(stored??)
}

/// Seals `plain` under a fresh key and runs the accepting transaction; `uses` says whether it stored what was sealed.
pub(crate) async fn accept_sealed<T: Send + 'static>(
    node: &Arc<Node>,
    account: AccountId,
    aad: Vec<u8>,
    plain: Zeroizing<Vec<u8>>,
    accept: impl Fn(&mut Tx<'_>, SlotNumber, &[u8]) -> Result<T, StoreFault> + Send + 'static,
    uses: fn(&T) -> bool,
) -> Result<T, Refusal> {
    let keys = node.keys.clone();
    let seal = move |slot| async move {
        keys.sealer(slot).and_then(|sealer| sealer.seal(&aad, &plain)).map_err(key_fault)
    };
    let accept = move |tx: &mut Tx<'_>, slot, sealed: &Vec<u8>| accept(tx, slot, sealed);
    to_its_end(accept_under_key(node.clone(), account, seal, accept, uses)).await
}
