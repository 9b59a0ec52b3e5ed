//! Each node's cache of access keys. Twice a second the node asks whether any account changed. So a request needs no
//! look-up in the store, however many accounts there are, and a revoked secret is dead within a second on every node.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

use tokio::sync::Mutex;

use super::account::{Account, AccountSecret};
use super::search::{self, SearchSettings};
use super::{list_kind, lists};
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::secret::SecretKey;
use crate::keys::{KeyFault, Keys, constant_time_eq};
use crate::limits;
use crate::store::{Store, StoreFault};
use crate::zones::CampaignList;

/// An account with the hashes of its secrets.
pub struct KnownAccount {
    /// The account.
    pub account: Arc<Account>,
    /// Search settings of its shop.
    pub search: SearchSettings,
    /// Campaigns in its zones.
    pub campaigns: Arc<CampaignList>,
    secrets: Vec<AccountSecret>,
}

impl KnownAccount {
    /// An account that does not exist, so that an unknown key causes the same work as a known one.
    #[must_use]
    pub fn dummy() -> Self {
        let account = Account {
            id: AccountId(0),
            name: String::new(),
            access_key: String::new(),
            currency: None,
            created_at: 0,
            closed_at: None,
            removal_percent: None,
        };
        let secret = AccountSecret {
            number: 0,
            hash: [0; 32],
            token_key: None,
            created_at: 0,
            expires_at: None,
            revoked_at: Some(0),
        };
        Self {
            account: Arc::new(account),
            search: SearchSettings::default(),
            campaigns: Arc::default(),
            secrets: vec![secret],
        }
    }

    /// True if `secret` is one of the live ones; every hash is compared, in constant time.
    #[must_use]
    pub fn accepts(&self, keys: &Keys, secret: &SecretKey, now: Millis) -> bool {
        let hash = keys.secret_hash(secret.reveal());
        self.secrets
            .iter()
            .fold(false, |found, known| found | (constant_time_eq(&known.hash, &hash) & known.is_live(now)))
    }

    /// Returns true if a live secret of the account signed `text`: `mac` is HMAC-SHA-256 under the key of its tokens.
    ///
    /// # Errors
    /// When a key that is stored cannot be opened.
    pub fn is_valid_mac(&self, keys: &Keys, text: &[u8], mac: &[u8], now: Millis) -> Result<bool, KeyFault> {
        for secret in self.secrets.iter().filter(|secret| secret.is_live(now)) {
            let Some(sealed) = &secret.token_key else { continue };
            if keys.open_token_key(self.account.id, secret.number, sealed)?.verifies(text, mac) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Access key → account, remembered until some account is changed, on whatever node.
#[derive(Clone, Default)]
pub struct Directory {
    state: Arc<RwLock<DirectoryCache>>,
    /// Held by the request that asks whether something changed; others wait for its answer.
    asking: Arc<Mutex<()>>,
}

#[derive(Default)]
struct DirectoryCache {
    /// Number of changes of accounts when this was read. All that is remembered is from then.
    changes: i64,
    /// Time of the last check for changes; `None`: a check is due.
    asked: Option<Instant>,
    /// Number of times that everything was forgotten.
    cleared: u64,
    remembered: HashMap<String, Option<Arc<KnownAccount>>>,
}

impl DirectoryCache {
    fn is_fresh(&self) -> bool {
        self.asked.is_some_and(|asked| asked.elapsed() < limits::KEYS_REMEMBERED_DURATION)
    }

    /// Drops the cache if accounts were changed since it was read.
    fn forget_if_changed(&mut self, changes: i64) {
        if changes != self.changes {
            self.remembered.clear();
            self.changes = changes;
        }
    }
}

impl Directory {
    /// The account of an access key, as it was at most [`limits::KEYS_REMEMBERED_DURATION`] ago.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn find(
        &self,
        store: &Store,
        access_key: &str,
    ) -> Result<Option<Arc<KnownAccount>>, StoreFault> {
        if access_key.len() > limits::ACCESS_KEY_BYTES {
            return Ok(None);
        }
        self.check_for_changes(store).await?;
        if let Some(known) = self.state().remembered.get(access_key) {
            return Ok(known.clone());
        }
        let key = access_key.to_owned();
        let cleared = self.state().cleared;
        let reading = store.look_up(move |tx| {
            let changes = super::account::changes(tx)?;
            let Some(account) = super::account::by_key(tx, &key)? else {
                return Ok::<_, StoreFault>((changes, None));
            };
            let secrets = super::account::secrets(tx, account.id)?;
            let search = search::get(tx, account.id)?;
            let (_, campaigns) = lists::get(tx, account.id, list_kind::ListKind::Campaigns)?;
            let campaigns = Arc::new(CampaignList::from_stored(&campaigns));
            Ok((
                changes,
                Some(Arc::new(KnownAccount { account: Arc::new(account), search, campaigns, secrets })),
            ))
        });
        let (changes, known) = reading.await?;
        let mut state = self.state_to_change();
        // A read from before a change must not be remembered after it: a new secret would be refused for a while.
        let is_current = state.cleared == cleared && state.changes == changes;
        if is_current {
            if state.remembered.len() >= limits::KEYS_REMEMBERED {
                state.remembered.clear();
            }
            state.remembered.insert(access_key.to_owned(), known.clone());
        }
        Ok(known)
    }

    /// The account of an access key from the cache, even if it was changed since.
    #[must_use]
    pub fn find_cached(&self, access_key: &str) -> Option<Arc<KnownAccount>> {
        self.state().remembered.get(access_key).cloned().flatten()
    }

    /// Asks whether accounts were changed, unless that was asked a moment ago.
    async fn check_for_changes(&self, store: &Store) -> Result<(), StoreFault> {
        if self.state().is_fresh() {
            return Ok(());
        }
        let _one = self.asking.lock().await;
        let (is_fresh, cleared) = {
            let state = self.state();
            (state.is_fresh(), state.cleared)
        };
        if is_fresh {
            return Ok(());
        }
        let asked = Instant::now();
        let changes = store.look_up(super::account::changes).await?;
        let mut state = self.state_to_change();
        state.forget_if_changed(changes);
        state.asked = (state.cleared == cleared).then_some(asked);
        Ok(())
    }

    /// Forgets everything remembered, after a change on this node.
    pub fn clear(&self) {
        let mut state = self.state_to_change();
        state.cleared += 1;
        state.asked = None;
        state.remembered.clear();
    }

    fn state(&self) -> RwLockReadGuard<'_, DirectoryCache> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_to_change(&self) -> RwLockWriteGuard<'_, DirectoryCache> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_forgotten_after_a_change_alone() {
        let mut cache = DirectoryCache::default();
        let mut note = |changes| {
            cache.forget_if_changed(changes);
            let is_kept = cache.remembered.contains_key("key");
            cache.remembered.insert("key".to_owned(), None);
            (is_kept, cache.changes)
        };
        let noted = [0, 0, 3, 3, 2].map(&mut note);
        assert_eq!(noted, [(false, 0), (true, 0), (false, 3), (true, 3), (false, 2)]);
    }

    #[test]
    fn a_check_for_changes_is_due_at_first_and_again_after_a_while() {
        let is_fresh = |asked| DirectoryCache { asked, ..DirectoryCache::default() }.is_fresh();
        let long_ago = Instant::now().checked_sub(limits::KEYS_REMEMBERED_DURATION);
        assert!(long_ago.is_some() && !is_fresh(long_ago) && !is_fresh(None));
        assert!(is_fresh(Some(Instant::now())));
    }
}
