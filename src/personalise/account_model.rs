//! The model of an account, where an answer must not fail for lack of one.

use crate::ids::AccountId;
use crate::node::Node;
use crate::projections::models::{ModelFault, ModelHandle};

/// Returns the account's model. While it is built, and when it cannot be, returns an empty model without events:
/// products can be recommended at any time.
pub async fn model_or_empty(node: &Node, account: AccountId) -> ModelHandle {
    match node.derived.models().get_or_build(account).await {
        Ok(model) => model,
        Err(fault) => {
            if !matches!(fault, ModelFault::Making) {
                tracing::error!(%fault, account = account.0, "a model cannot be used; recommendations go without it");
            }
            ModelHandle::default()
        }
    }
}
