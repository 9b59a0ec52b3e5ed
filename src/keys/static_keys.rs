//! The keys of the keyed hashes (`static.key`), one for each purpose, and the hashes; and the ledger's signing key.
//!
//! Lookup and suppression use different keys, so that the suppression tag kept after an erasure cannot
//! be joined to the lookup tags in an old backup.

use super::fault::KeyFault;
use super::key_file::{KeyBytes, KeyFile, SetId};
use super::sealer::Sealer;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use aws_lc_rs::{hmac, rand};
use std::path::Path;
use zeroize::Zeroizing;

/// 16 bytes of HMAC-SHA-256: enough to tell billions apart, half the space in an index.
pub type Tag = [u8; 16];

#[derive(Clone, Copy)]
enum KeyPurpose {
    Lookup = 1,
    Suppression = 2,
    AccountTag = 3,
    SecretPepper = 4,
    UrlTag = 5,
    LedgerSigning = 6,
    Journal = 7,
}

const PURPOSES: [KeyPurpose; 7] = [
    KeyPurpose::Lookup,
    KeyPurpose::Suppression,
    KeyPurpose::AccountTag,
    KeyPurpose::SecretPepper,
    KeyPurpose::UrlTag,
    KeyPurpose::LedgerSigning,
    KeyPurpose::Journal,
];

/// The keys, ready to hash and to sign.
pub(super) struct StaticKeys {
    lookup: hmac::Key,
    suppression: hmac::Key,
    account_tag: hmac::Key,
    secret_pepper: hmac::Key,
    url_tag: hmac::Key,
    ledger_signing: Ed25519KeyPair,
}

static_assertions::assert_not_impl_any!(StaticKeys: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl StaticKeys {
    /// Makes the file with fresh random keys, and a new key set with it.
    pub(super) fn create(folder: &Path) -> Result<(), KeyFault> {
        let mut set = SetId::default();
        rand::fill(&mut set)?;
        KeyFile::Statics.create_keys(folder, set, &PURPOSES.map(|purpose| purpose as u32))
    }

    /// Reads the file, and says which key set the folder holds.
    pub(super) fn open(folder: &Path) -> Result<(SetId, Self), KeyFault> {
        let (set, records) = KeyFile::Statics.read_keys(folder)?;
        let key = |purpose| Ok::<_, KeyFault>(hmac::Key::new(hmac::HMAC_SHA256, seed_of(&records, purpose)?));
        let seed = seed_of(&records, KeyPurpose::LedgerSigning)?;
        // Used together with these (`LookupKeys`), and as needed.
        journal_key(&records)?;
        let keys = Self {
            lookup: key(KeyPurpose::Lookup)?,
            suppression: key(KeyPurpose::Suppression)?,
            account_tag: key(KeyPurpose::AccountTag)?,
            secret_pepper: key(KeyPurpose::SecretPepper)?,
            url_tag: key(KeyPurpose::UrlTag)?,
            ledger_signing: Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| KeyFault::Cryptography)?,
        };
        Ok((set, keys))
    }

    pub(super) fn lookup(&self, account: AccountId, id: &Identifier) -> Tag {
        identifier_tag(&self.lookup, "lethe/lookup/v1/", account, id)
    }

    /// Leads to a subject as an identifier does and is erased with it, so it has no key of its own.
    pub(super) fn order(&self, account: AccountId, id: &str) -> Tag {
        tag(&self.lookup, &[b"lethe/order/v1/", &account.0.to_le_bytes(), id.as_bytes()])
    }

    pub(super) fn suppression(&self, account: AccountId, id: &Identifier) -> Tag {
        identifier_tag(&self.suppression, "lethe/suppress/v1/", account, id)
    }

    pub(super) fn account(&self, account: AccountId, text: &str) -> Tag {
        let account = account.0.to_le_bytes();
        tag(&self.account_tag, &[b"lethe/account-tag/v1/", &account, text.as_bytes()])
    }

    pub(super) fn url(&self, account: AccountId, url: &str) -> Tag {
        tag(&self.url_tag, &[b"lethe/url-tag/v1/", &account.0.to_le_bytes(), url.as_bytes()])
    }

    pub(super) fn upload(&self, account: AccountId, name: &str) -> Tag {
        tag(&self.url_tag, &[b"lethe/upload-tag/v1/", &account.0.to_le_bytes(), name.as_bytes()])
    }

    pub(super) fn content(&self, account: AccountId, kind: &str, content: &[u8]) -> Tag {
        let account = account.0.to_le_bytes();
        let length = [u8::try_from(kind.len()).unwrap_or(u8::MAX)];
        tag(&self.url_tag, &[b"lethe/content-tag/v1/", &account, &length, kind.as_bytes(), content])
    }

    pub(super) fn visitor(&self, account: AccountId, random: &str) -> Tag {
        tag(&self.url_tag, &[b"lethe/visitor-tag/v1/", &account.0.to_le_bytes(), random.as_bytes()])
    }

    pub(super) fn secret(&self, secret: &str) -> [u8; 32] {
        full(&self.secret_pepper, &[b"lethe/secret/v1/", secret.as_bytes()])
    }

    /// Sealer of a secret's token key. Its own key is made of that of the secret's hash, so that both end together.
    pub(super) fn token_sealer(&self) -> Result<Sealer, KeyFault> {
        Sealer::new(Zeroizing::new(full(&self.secret_pepper, &[b"lethe/user-token-seal/v1/"]).to_vec()))
    }

    /// The same for the address and the signing key of a shop's webhook.
    pub(super) fn webhook_sealer(&self) -> Result<Sealer, KeyFault> {
        Sealer::new(Zeroizing::new(full(&self.secret_pepper, &[b"lethe/webhook-seal/v1/"]).to_vec()))
    }

    /// The same for the names of operators.
    pub(super) fn operator_sealer(&self) -> Result<Sealer, KeyFault> {
        Sealer::new(Zeroizing::new(full(&self.secret_pepper, &[b"lethe/operator-seal/v1/"]).to_vec()))
    }

    pub(super) fn operator(&self, name: &str) -> Tag {
        tag(&self.secret_pepper, &[b"lethe/operator/v1/", name.as_bytes()])
    }

    pub(super) fn sign_ledger(&self, message: &[u8]) -> Result<[u8; 64], KeyFault> {
        let signature = self.ledger_signing.try_sign(message)?;
        signature.as_ref().try_into().map_err(|_| KeyFault::Cryptography)
    }

    pub(super) fn ledger_public_key(&self) -> Result<[u8; 32], KeyFault> {
        self.ledger_signing.public_key().as_ref().try_into().map_err(|_| KeyFault::Cryptography)
    }
}

/// The key of the erasure journal and of the seals of backups.
pub(super) fn journal_key(records: &[(u32, KeyBytes)]) -> Result<hmac::Key, KeyFault> {
    Ok(hmac::Key::new(hmac::HMAC_SHA256, seed_of(records, KeyPurpose::Journal)?))
}

fn seed_of(records: &[(u32, KeyBytes)], purpose: KeyPurpose) -> Result<&[u8], KeyFault> {
    let record = records.iter().find(|(number, _)| *number == purpose as u32);
    record.map(|(_, seed)| seed.as_slice()).ok_or_else(|| KeyFile::Statics.damaged_fault())
}

/// Account and kind have fixed lengths, so no two identifiers make the same message.
fn identifier_tag(key: &hmac::Key, domain: &str, account: AccountId, id: &Identifier) -> Tag {
    let account = account.0.to_le_bytes();
    let kind = [id.kind().code()];
    tag(key, &[domain.as_bytes(), &account, &kind, id.normal().as_bytes()])
}

fn tag(key: &hmac::Key, parts: &[&[u8]]) -> Tag {
    let mut tag = Tag::default();
    tag.copy_from_slice(&full(key, parts)[..16]);
    tag
}

pub(super) fn full(key: &hmac::Key, parts: &[&[u8]]) -> [u8; 32] {
    let mut context = hmac::Context::with_key(key);
    parts.iter().for_each(|part| context.update(part));
    let mut hash = [0; 32];
    hash.copy_from_slice(context.sign().as_ref());
    hash
}
