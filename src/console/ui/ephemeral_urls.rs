//! Random addresses of texts that are kept in memory for an hour for the operator who sees them: people's pages, and
//! results of forms. So nothing personal and no secret stands in an address, a title or a history.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::limits;
use crate::operators::OperatorId;

/// Owner of a handle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct HandleOwner {
    pub operator: OperatorId,
    /// Version of the operator: any change of the operator ends the handle, as it ends sessions.
    pub version: i64,
    /// Shop whose pages show it; `None` for the pages of the server.
    pub shop: Option<AccountId>,
}

struct Handle {
    id: Uuid,
    seer: HandleOwner,
    text: Zeroizing<String>,
    until: Millis,
    /// Task that ends the address after its time; stopped with it.
    ending: AbortHandle,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.ending.abort();
    }
}

static_assertions::assert_not_impl_any!(Handle: std::fmt::Debug, std::fmt::Display, serde::Serialize);

type HandleList = Mutex<Vec<Handle>>;

/// All addresses, oldest first.
#[derive(Default)]
pub(crate) struct EphemeralUrls(Arc<HandleList>);

impl EphemeralUrls {
    /// A new address for a text.
    pub fn create(&self, seer: HandleOwner, mut text: String, now: Millis) -> Uuid {
        let id = Uuid::new_v4();
        let until = now + millis(limits::HANDLE_DURATION);
        text.shrink_to_fit();
        let ending = self.expire_after(id, limits::HANDLE_DURATION);
        let mut all = lock_handles(&self.0);
        all.push(Handle { id, seer, text: Zeroizing::new(text), until, ending });
        while let Some(operator) = find_operator_over_limit(&all, seer.operator) {
            let Some(oldest) = all.iter().position(|handle| handle.seer.operator == operator) else { break };
            all.remove(oldest);
        }
        id
    }

    /// Ends an address after its time: no secret stays because its page was never loaded.
    fn expire_after(&self, id: Uuid, duration: Duration) -> AbortHandle {
        let kept = Arc::downgrade(&self.0);
        let ending = tokio::spawn(async move {
            tokio::time::sleep(duration).await;
            if let Some(all) = kept.upgrade() {
                lock_handles(&all).retain(|handle| handle.id != id);
            }
        });
        ending.abort_handle()
    }

    /// The text of an address.
    pub fn find(&self, seer: HandleOwner, id: Uuid, now: Millis) -> Option<Zeroizing<String>> {
        let mut all = lock_handles(&self.0);
        all.retain(|handle| handle.until > now);
        let found = all.iter().find(|handle| handle.id == id)?;
        let is_theirs = found.seer == seer;
        is_theirs.then(|| found.text.clone())
    }

    /// Ends an address.
    pub fn end(&self, seer: HandleOwner, id: Uuid) {
        let is_other = |handle: &Handle| handle.id != id || handle.seer != seer;
        lock_handles(&self.0).retain(is_other);
    }

    /// Ends all addresses on the pages of a shop, because a person was just forgotten there.
    pub fn forget(&self, shop: AccountId) {
        let is_other = |handle: &Handle| handle.seer.shop != Some(shop);
        lock_handles(&self.0).retain(is_other);
    }
}

fn lock_handles(all: &HandleList) -> MutexGuard<'_, Vec<Handle>> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Operator whose oldest handle must go: `operator`, if they hold more than their share; otherwise, if all handles
/// exceed the room for them, the operator who holds most. `None` if there is room.
fn find_operator_over_limit(all: &[Handle], operator: OperatorId) -> Option<OperatorId> {
    let of = |operator| all.iter().filter(move |handle| handle.seer.operator == operator);
    let bytes = |operator| of(operator).map(|handle| handle.text.len()).sum::<usize>();
    let is_large = bytes(operator) > limits::HANDLES_BYTES;
    if of(operator).count() > limits::HANDLES || is_large {
        return Some(operator);
    }
    let of_all: usize = all.iter().map(|handle| handle.text.len()).sum();
    if of_all <= limits::HANDLES_OF_ALL_BYTES {
        return None;
    }
    let mut held = HashMap::<_, usize>::new();
    for handle in all {
        *held.entry(handle.seer.operator).or_default() += handle.text.len();
    }
    held.into_iter().max_by_key(|(_, bytes)| *bytes).map(|(operator, _)| operator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seer(operator: u8) -> HandleOwner {
        HandleOwner { operator: OperatorId([operator; 16]), version: 1, shop: None }
    }

    #[tokio::test]
    async fn an_operator_fills_no_more_than_their_share() {
        let handles = EphemeralUrls::default();
        let make = |operator, bytes| handles.create(seer(operator), "x".repeat(bytes), 0);
        let is_kept = |operator, id| handles.find(seer(operator), id, 0).is_some();
        let theirs = make(2, 1);
        let large: Vec<_> = (0..3).map(|_| make(1, limits::HANDLES_BYTES / 2)).collect();
        assert_eq!([0, 1, 2].map(|number| is_kept(1, large[number])), [false, true, true]);
        for _ in 0..limits::HANDLES {
            make(1, 1);
        }
        assert!(is_kept(2, theirs) && !is_kept(1, large[2]));
        // When many fill theirs, the operator with the most gives way, and not one with little.
        for operator in 10..20 {
            make(operator, limits::HANDLES_BYTES);
        }
        assert!(is_kept(2, theirs));
        assert!(
            lock_handles(&handles.0).iter().map(|handle| handle.text.len()).sum::<usize>()
                <= limits::HANDLES_OF_ALL_BYTES
        );
    }

    #[tokio::test]
    async fn what_nobody_asks_for_goes_by_itself() {
        let handles = EphemeralUrls::default();
        let id = handles.create(seer(1), "x".to_owned(), 0);
        handles.expire_after(id, Duration::ZERO);
        for _ in 0..1000 {
            let is_waited_for = tokio::runtime::Handle::current().metrics().num_alive_tasks() > 0;
            if lock_handles(&handles.0).is_empty() && !is_waited_for {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("it stays, or is waited for");
    }

    #[tokio::test]
    async fn an_address_lives_an_hour_for_who_made_it_on_their_page() {
        let handles = EphemeralUrls::default();
        let end = 1000 + millis(limits::HANDLE_DURATION);
        let id = handles.create(seer(1), "x".to_owned(), 1000);
        let other = handles.create(seer(1), "y".to_owned(), 1000);
        let text = |seer, id, now| handles.find(seer, id, now).map(|found| found.to_string());
        assert_eq!(text(seer(1), id, end - 1).as_deref(), Some("x"));
        assert_eq!(text(seer(1), other, end - 1).as_deref(), Some("y"));
        let foreign = [
            seer(2),
            HandleOwner { version: 2, ..seer(1) },
            HandleOwner { shop: Some(AccountId(1)), ..seer(1) },
        ];
        for seer in foreign {
            assert_eq!(text(seer, id, 1000), None);
            handles.end(seer, id);
        }
        assert_eq!(text(seer(1), Uuid::nil(), 1000), None);
        handles.end(seer(1), other);
        assert_eq!(text(seer(1), other, 1000), None);
        assert_eq!(text(seer(1), id, end - 1).as_deref(), Some("x"), "nobody else ended it");
        assert_eq!(text(seer(1), id, end), None);
        assert!(lock_handles(&handles.0).is_empty(), "its text is gone too");
    }

    #[tokio::test]
    async fn what_is_on_the_pages_of_a_shop_goes_and_all_else_stays() {
        let handles = EphemeralUrls::default();
        let of_shop = |shop| HandleOwner { shop, ..seer(1) };
        let owners = [Some(AccountId(1)), Some(AccountId(2)), None].map(of_shop);
        let ids = owners.map(|owner| handles.create(owner, "x".to_owned(), 0));
        handles.forget(AccountId(1));
        // Time passes for those that are waited for.
        tokio::task::yield_now().await;
        let kept = [0, 1, 2].map(|number| handles.find(owners[number], ids[number], 0).is_some());
        assert_eq!(kept, [false, true, true]);
    }

    #[tokio::test]
    async fn so_many_and_so_much_are_kept_and_one_more_ends_the_oldest() {
        let handles = EphemeralUrls::default();
        let make = |operator, bytes| handles.create(seer(operator), "x".repeat(bytes), 0);
        let is_kept = |id: Uuid| lock_handles(&handles.0).iter().any(|handle| handle.id == id);
        let many: Vec<_> = (0..limits::HANDLES).map(|_| make(1, 1)).collect();
        assert!(is_kept(many[0]));
        make(1, 1);
        assert!(!is_kept(many[0]) && is_kept(many[1]));
        // Exactly the share of one, and then exactly the room for all.
        let whole = make(2, limits::HANDLES_BYTES);
        assert!(is_kept(whole));
        make(2, 1);
        assert!(!is_kept(whole));
        lock_handles(&handles.0).clear();
        let count = u8::try_from(limits::HANDLES_OF_ALL_BYTES / limits::HANDLES_BYTES).expect("few");
        let full: Vec<_> = (0..count).map(|operator| make(operator, limits::HANDLES_BYTES)).collect();
        assert!(full.iter().all(|id| is_kept(*id)));
        let small = make(99, 1);
        assert!(is_kept(small));
        assert_eq!(full.iter().filter(|id| is_kept(**id)).count(), full.len() - 1);
    }
}
