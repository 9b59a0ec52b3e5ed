//! All keys of a data folder.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use lethe_verify::hex;

use super::epoch::EpochFile;
use super::fault::KeyFault;
use super::key_file::{KeyFile, SetId};
use super::key_pool::{Pool, SlotSweep};
use super::replicas::KeyReplicas;
use super::rotation::{Epoch, Rotation};
use super::sealer::Sealer;
use super::slot_number::SlotNumber;
use super::slots::SlotFile;
use super::static_keys::{StaticKeys, Tag};
use super::stream::{SealedReader, SealedWriter};
use super::user_token::TokenKey;
use super::{fault, key_file, mirror, slots};
use crate::clock::Millis;
use crate::disk::Lock;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::limits::KEY_POOL_WAIT_DURATION;

/// The open key folder. Cloning gives the same one; the last clone to go closes it.
#[derive(Clone)]
pub struct Keys(pub(super) Arc<KeysInner>);

pub(super) struct KeysInner {
    set: SetId,
    pub(super) statics: StaticKeys,
    pub(super) pool: Arc<Pool>,
    filler: Mutex<Option<JoinHandle<()>>>,
    _locks: (Lock, Option<Lock>),
}

static_assertions::assert_not_impl_any!(Keys: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(Sealer: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(SealedWriter<Vec<u8>>: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(SealedReader<&'static [u8]>: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl Keys {
    /// Opens a key folder without a mirror whose first epoch, if it is made now, counts as made long ago.
    ///
    /// # Errors
    /// As [`Keys::open_with`].
    pub fn open(folder: &Path) -> Result<Self, KeyFault> {
        Self::open_with(folder, None, 0)
    }

    /// Opens the key folder, and makes it with fresh keys when it is missing or empty. One process at a time.
    /// An empty mirror gets its first copy; otherwise the two are made equal, and of each key the newer state
    /// wins.
    ///
    /// # Errors
    /// When another process holds the folder or the mirror, a file is damaged, a restore did not end, or the
    /// disk refuses. When a file is missing that another one needs or that the mirror has: a new one could
    /// open nothing. When a mirror was in use and is now empty or not named, holds other keys, or was changed
    /// apart from the folder.
    pub fn open_with(folder: &Path, mirror: Option<&Path>, now: Millis) -> Result<Self, KeyFault> {
        let lock = key_file::claim_folder(folder)?;
        let mirror_lock = mirror.map(|mirror| key_file::claim_folder(mirror).map_err(KeyFault::in_mirror));
        let locks = (lock, mirror_lock.transpose()?);
        mirror::check_folder(folder, mirror)?;
        let in_use = KeyFile::Slots.exists(folder)?;
        make_if_missing(KeyFile::Statics, folder, in_use, || StaticKeys::create(folder))?;
        let (set, statics) = StaticKeys::open(folder)?;
        make_if_missing(KeyFile::Epochs, folder, in_use, || EpochFile::create(folder, set, now))?;
        make_if_missing(KeyFile::Slots, folder, false, || SlotFile::create(folder, set))?;
        mirror.map(|mirror| mirror::prepare(folder, mirror)).transpose()?;
        let epochs = EpochFile::open(KeyReplicas::open(KeyFile::Epochs, folder, mirror)?, set)?;
        let slots = SlotFile::open(KeyReplicas::open(KeyFile::Slots, folder, mirror)?, set)?;
        let pool = Arc::new(Pool::new(slots, epochs));
        Ok(Self(Arc::new(KeysInner { set, statics, pool, filler: Mutex::new(None), _locks: locks })))
    }

    /// Copies the mirror into an empty key folder.
    ///
    /// # Errors
    /// When the folder holds keys, either is in use, the mirror has no whole set of keys, or the disk
    /// refuses.
    pub fn restore(folder: &Path, mirror: &Path) -> Result<(), KeyFault> {
        mirror::restore(folder, mirror)
    }

    /// Checks that the file of slots, here or in the mirror, reaches to `last`, the highest slot that a row
    /// names.
    ///
    /// # Errors
    /// [`KeyFault::SlotsLost`] when it is missing or ends before; or when it cannot be read.
    pub fn check_reach(folder: &Path, mirror: Option<&Path>, last: SlotNumber) -> Result<(), KeyFault> {
        slots::check_reach(folder, mirror, last)
    }

    /// Random number of this set of keys. A store keeps it and refuses to start with the keys of another
    /// store: [`Keys::start`] would overwrite every key that the wrong store does not name.
    #[must_use]
    pub fn set_id(&self) -> [u8; 16] {
        self.0.set
    }

    /// Overwrites every key whose slot is not in `used` (all slots that any row names), fills the pool and
    /// starts the thread that keeps it full. Once, before anything is accepted; after a fault, open again.
    ///
    /// # Errors
    /// [`KeyFault::StartedBefore`] at a second call; or when a key file cannot be read or written, or no
    /// thread started.
    pub fn start(&self, used: impl IntoIterator<Item = SlotNumber>) -> Result<SlotSweep, KeyFault> {
        let sweep = self.0.pool.start(used)?;
        let pool = Arc::clone(&self.0.pool);
        let thread = std::thread::Builder::new().name("lethe-keys".into()).spawn(move || pool.keep_filled());
        let thread = thread.map_err(fault::while_doing("Starting the key thread"))?;
        *self.0.filler.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(sweep)
    }

    /// Takes a slot for a new subject or job; its fresh key is durable. Takes microseconds, unless the pool
    /// is empty: then up to 5 s. A slot that no row ever names is swept by the next start. Blocks while it
    /// waits; async code uses [`Keys::take_slot_async`].
    ///
    /// # Errors
    /// [`KeyFault::PoolEmpty`] when no key is ready in time; [`KeyFault::NotStarted`] before [`Keys::start`].
    pub fn take_slot(&self) -> Result<SlotNumber, KeyFault> {
        self.0.pool.take_slot(KEY_POOL_WAIT_DURATION)
    }

    /// As [`Keys::take_slot`], but the wait for an empty pool holds up no thread that serves others.
    ///
    /// # Errors
    /// As [`Keys::take_slot`].
    pub async fn take_slot_async(&self) -> Result<SlotNumber, KeyFault> {
        if let Some(slot) = self.0.pool.take_ready()? {
            return Ok(slot);
        }
        let keys = self.clone();
        tokio::task::spawn_blocking(move || keys.take_slot()).await.unwrap_or(Err(KeyFault::PoolEmpty))
    }

    /// Gives a slot up for reuse under a fresh key. Only when no row names it: its transaction was
    /// certainly rolled back, or the one that removed the last row naming it is committed.
    ///
    /// # Errors
    /// [`KeyFault::SlotNotHeld`] when the slot is not in use; [`KeyFault::NotStarted`] before
    /// [`Keys::start`].
    pub fn put_back(&self, slot: SlotNumber) -> Result<(), KeyFault> {
        self.0.pool.put_back(slot)
    }

    /// Gives back a slot whose key has sealed nothing: the next one who takes it gets the same key.
    ///
    /// # Errors
    /// As [`Keys::put_back`].
    pub fn return_unused(&self, slot: SlotNumber) -> Result<(), KeyFault> {
        self.0.pool.return_unused(slot)
    }

    /// Overwrites keys in place: durable when it returns, and then nothing they sealed can be opened. May be repeated.
    /// The slots are not reused before [`Keys::put_back`] or the next start, so that a repetition, while a row still
    /// names the slot, cannot meet the key of another owner.
    ///
    /// # Errors
    /// [`KeyFault::SlotNotHeld`] when a slot is not in use, [`KeyFault::NotStarted`] before [`Keys::start`]:
    /// then no key was overwritten. [`KeyFault::Disk`] when the disk refuses: then some may have been.
    pub fn destroy(&self, slots: &[SlotNumber]) -> Result<(), KeyFault> {
        self.0.pool.destroy(slots)
    }

    /// Seals and opens under the key in this slot.
    ///
    /// # Errors
    /// [`KeyFault::KeyDestroyed`] when the key was destroyed, [`KeyFault::SlotDamaged`] when it cannot be
    /// unwrapped; or when the file of slots cannot be read.
    pub fn sealer(&self, slot: SlotNumber) -> Result<Sealer, KeyFault> {
        Sealer::new(self.0.pool.key(slot)?)
    }

    /// The key-encryption epoch in force.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.0.pool.epoch()
    }

    /// Makes a new epoch, wraps every living key under it and destroys the old one; durable when it returns.
    /// From then on no older copy of `slots.key` opens anything. Takes microseconds a key and blocks; keys
    /// are used meanwhile.
    ///
    /// # Errors
    /// When a key file cannot be read or written. Both epochs live then, and the next rotation ends this one
    /// first.
    pub fn rotate(&self, now: Millis) -> Result<Rotation, KeyFault> {
        self.0.pool.rotate(now)
    }

    /// Does the same if the epoch is as old as [`crate::limits::KEY_EPOCH_DURATION`] or a rotation has not
    /// ended; otherwise returns `None`.
    ///
    /// # Errors
    /// As [`Keys::rotate`].
    pub fn rotate_if_due(&self, now: Millis) -> Result<Option<Rotation>, KeyFault> {
        self.0.pool.rotate_if_due(now)
    }

    /// Counts the keys of people, of jobs and the ready ones. Reads the whole slot file.
    ///
    /// # Errors
    /// When the slot file cannot be read.
    pub fn living(&self) -> Result<usize, KeyFault> {
        self.0.pool.living()
    }

    /// Leads to a subject by identifier.
    #[must_use]
    pub fn lookup_tag(&self, account: AccountId, id: &Identifier) -> Tag {
        self.0.statics.lookup(account, id)
    }

    /// Recognises an order by its id as the shop writes it.
    #[must_use]
    pub fn order_tag(&self, account: AccountId, id: &str) -> Tag {
        self.0.statics.order(account, id)
    }

    /// Recognises a forgotten identifier; kept after the erasure.
    #[must_use]
    pub fn suppression_tag(&self, account: AccountId, id: &Identifier) -> Tag {
        self.0.statics.suppression(account, id)
    }

    /// Stands for an account id (a company of the shop) in prices and visibility: 32 hexadecimal digits.
    /// `text` is taken as it is; pass the normal form.
    #[must_use]
    pub fn account_tag(&self, account: AccountId, text: &str) -> String {
        hex::encode(&self.0.statics.account(account, text))
    }

    /// Recognises a feed URL, which may carry a secret.
    #[must_use]
    pub fn url_tag(&self, account: AccountId, url: &str) -> Tag {
        self.0.statics.url(account, url)
    }

    /// Recognises the name of an upload, which its sender chooses freely.
    #[must_use]
    pub fn upload_tag(&self, account: AccountId, name: &str) -> Tag {
        self.0.statics.upload(account, name)
    }

    /// Recognises the content of a submission when it is sent again; `kind` is the kind of content.
    #[must_use]
    pub fn content_tag(&self, account: AccountId, kind: &str, content: &[u8]) -> Tag {
        self.0.statics.content(account, kind, content)
    }

    /// Shows that the number of a visitor was issued here, for this account.
    #[must_use]
    pub fn visitor_tag(&self, account: AccountId, random: &str) -> Tag {
        self.0.statics.visitor(account, random)
    }

    /// Hash of a secret key, as it is stored. A plain keyed hash is enough: the secret has 256 random bits.
    #[must_use]
    pub fn secret_hash(&self, secret: &str) -> [u8; 32] {
        self.0.statics.secret(secret)
    }

    /// Seals the key that signs the tokens of an account's secret `number`, to be stored with its hash.
    ///
    /// # Errors
    /// When the cryptographic library refuses.
    pub fn seal_token_key(
        &self,
        account: AccountId,
        number: i64,
        key: &TokenKey,
    ) -> Result<Vec<u8>, KeyFault> {
        self.0.statics.token_sealer()?.seal(&place_of_token_key(account, number), key.bytes())
    }

    /// Opens it.
    ///
    /// # Errors
    /// [`KeyFault::SealBroken`] when it was sealed for another secret or by other keys.
    pub fn open_token_key(
        &self,
        account: AccountId,
        number: i64,
        sealed: &[u8],
    ) -> Result<TokenKey, KeyFault> {
        let opened = self.0.statics.token_sealer()?.open(&place_of_token_key(account, number), sealed)?;
        Ok(TokenKey::of_bytes(opened))
    }

    /// Signs a checkpoint or certificate (Ed25519). The message names its kind.
    ///
    /// # Errors
    /// [`KeyFault::Cryptography`] when the library refuses.
    pub fn sign_ledger(&self, message: &[u8]) -> Result<[u8; 64], KeyFault> {
        self.0.statics.sign_ledger(message)
    }

    /// The public half of the key that signs the ledger, for auditors.
    ///
    /// # Errors
    /// [`KeyFault::Cryptography`] when the library refuses.
    pub fn ledger_public_key(&self) -> Result<[u8; 32], KeyFault> {
        self.0.statics.ledger_public_key()
    }
}

impl Drop for KeysInner {
    fn drop(&mut self) {
        self.pool.stop();
        let thread = self.filler.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // A panicked thread has said so itself; no caller is left to use its result.
        let _ = thread.map(JoinHandle::join);
    }
}

pub(super) fn place_of_token_key(account: AccountId, number: i64) -> Vec<u8> {
    format!("secret/{}/{number}/token_key", account.0).into_bytes()
}

pub(super) fn make_if_missing(
    file: KeyFile,
    folder: &Path,
    in_use: bool,
    make: impl FnOnce() -> Result<(), KeyFault>,
) -> Result<(), KeyFault> {
    match (file.exists(folder)?, in_use) {
        (true, _) => Ok(()),
        (false, true) => Err(KeyFault::FileMissing { file: file.name() }),
        (false, false) => make(),
    }
}
