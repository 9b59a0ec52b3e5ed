//! What a node remembers of access keys, for half a second: a request needs no look-up in the store, and a
//! revoked secret is dead within a second on every node.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Instant;

use super::{Account, Secret};
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::secret::SecretKey;
use crate::keys::{Keys, constant_time_eq};
use crate::limits;
use crate::store::{Store, StoreFault};

/// An account with the hashes of its secrets.
pub struct Known {
    /// The account.
    pub account: Arc<Account>,
    secrets: Vec<Secret>,
}

impl Known {
    /// An account nobody has, for doing the same work for an unknown key as for a known one.
    #[must_use]
    pub fn nobody() -> Self {
        let account = Account {
            id: AccountId(0),
            name: String::new(),
            access_key: String::new(),
            currency: None,
            created_at: 0,
            closed_at: None,
            removal_percent: None,
        };
        let secret =
            Secret { number: 0, hash: [0; 32], created_at: 0, expires_at: None, revoked_at: Some(0) };
        Self { account: Arc::new(account), secrets: vec![secret] }
    }

    /// Whether `secret` is one of the live ones; every hash is compared, in constant time.
    #[must_use]
    pub fn accepts(&self, keys: &Keys, secret: &SecretKey, now: Millis) -> bool {
        let hash = keys.secret_hash(secret.reveal());
        self.secrets
            .iter()
            .fold(false, |found, known| found | (constant_time_eq(&known.hash, &hash) & known.is_live(now)))
    }
}

/// When an access key was looked up, and what it led to.
type Remembered = (Instant, Option<Arc<Known>>);

/// Access key → account, remembered for a short while.
#[derive(Clone, Default)]
pub struct Directory {
    remembered: Arc<RwLock<HashMap<String, Remembered>>>,
    /// How often everything was forgotten.
    changes: Arc<AtomicU64>,
}

impl Directory {
    /// The account of an access key, as it was at most [`limits::KEYS_REMEMBERED_DURATION`] ago.
    pub async fn find(&self, store: &Store, access_key: &str) -> Result<Option<Arc<Known>>, StoreFault> {
        if access_key.len() > limits::ACCESS_KEY_BYTES {
            return Ok(None);
        }
        if let Ok(remembered) = self.remembered.read()
            && let Some((at, known)) = remembered.get(access_key)
            && at.elapsed() < limits::KEYS_REMEMBERED_DURATION
        {
            return Ok(known.clone());
        }
        let (asked, changes) = (Instant::now(), self.changes.load(Ordering::SeqCst));
        let key = access_key.to_owned();
        let known = store
            .read(move |tx| {
                let Some(account) = super::by_key(tx, &key)? else { return Ok::<_, StoreFault>(None) };
                let secrets = super::secrets(tx, account.id)?;
                Ok(Some(Arc::new(Known { account: Arc::new(account), secrets })))
            })
            .await?;
        // What was read before a change must not be remembered after it: a new secret would be refused for a while.
        if let Ok(mut remembered) = self.remembered.write()
            && self.changes.load(Ordering::SeqCst) == changes
        {
            if remembered.len() >= limits::KEYS_REMEMBERED {
                remembered.clear();
            }
            remembered.insert(access_key.to_owned(), (asked, known.clone()));
        }
        Ok(known)
    }

    /// Forgets everything remembered, after a change on this node.
    pub fn clear(&self) {
        if let Ok(mut remembered) = self.remembered.write() {
            self.changes.fetch_add(1, Ordering::SeqCst);
            remembered.clear();
        }
    }
}
