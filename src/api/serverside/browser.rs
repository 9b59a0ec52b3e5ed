//! Owners of a browser's histories, and the history that an answer may count.

use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::node::Node;
use crate::people::log_in;
use crate::people::subject::SubjectId;
use crate::personalise::request::ShopperIdentity;
use crate::store::{StoreFault, Tx};
use crate::transport::refusal::Refusal;

/// Owners of the histories of a browser.
#[derive(Default)]
pub(super) struct BrowserOf {
    /// Owner of present events there.
    pub now: Option<SubjectId>,
    /// Owner of events there without a log-in.
    visitor: Option<SubjectId>,
}

impl BrowserOf {
    /// Shopper for whom a page asks. The page itself sends what its shopper did; only clients with the secret get the
    /// use of a history. Events that the browser sent without a log-in are excluded from the statistics.
    pub fn seen_by_page(&self) -> ShopperIdentity {
        self.visitor.map_or(ShopperIdentity::Unknown, ShopperIdentity::LeftOut)
    }
}

/// Finds the owners of a browser's histories, if the call asks for something that counts them.
pub(super) async fn who_is(
    node: &Node,
    account: AccountId,
    visitor: &Identifier,
    asks: bool,
) -> Result<BrowserOf, Refusal> {
    if !asks {
        return Ok(BrowserOf::default());
    }
    let keys = node.keys.clone();
    let visitor = visitor.clone();
    let now = node.clock.now();
    let looking = move |tx: &mut Tx<'_>| {
        let now = log_in::subject_at(tx, &keys, account, &visitor, now)?;
        let visitor = log_in::visitor_at(tx, &keys, account, &visitor)?;
        Ok::<_, StoreFault>(BrowserOf { now, visitor })
    };
    Ok(node.store.look_up(looking).await?)
}
