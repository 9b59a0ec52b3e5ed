//! Faults of the key folder: which lose data for ever, and which files are refused.

use std::path::Path;

use super::key_file::{KeyFile, with_crc};
use super::*;
use crate::ids::AccountId;
use crate::keys::user_token::TokenKey;

const SLOT: SlotNumber = SlotNumber(7);

fn fault_sentence(folder: &Path) -> Option<String> {
    Keys::open(folder).err().map(|fault| fault.to_string())
}

#[test]
fn data_is_lost_with_its_key_and_by_no_fault_that_may_pass() {
    let error = || std::io::Error::other("broken");
    for (fault, expected, sentence) in [
        (KeyFault::KeyDestroyed { slot: SLOT }, true, "the key in slot 7 was destroyed"),
        (KeyFault::SlotDamaged { slot: SLOT }, true, "slot 7 is damaged"),
        (KeyFault::SealBroken, true, "a sealed record does not open under its key"),
        (KeyFault::SlotUnknown { slot: SLOT }, false, "slot 7 is not in the key file"),
        (KeyFault::SlotNotHeld { slot: SLOT }, false, "slot 7 is not in use"),
        (
            KeyFault::SealVersion { version: 2 },
            false,
            "a sealed record has version 2, which this program does not know",
        ),
        (KeyFault::PoolEmpty, false, "no key is ready; the disk of the key folder is full or too slow"),
        (KeyFault::Disk { doing: "Reading", source: error() }, false, "Reading failed: broken"),
        (KeyFault::Cryptography, false, "the cryptographic library failed"),
        (
            KeyFault::PoolEmpty.in_mirror(),
            false,
            "the key mirror: no key is ready; the disk of the key folder is full or too slow",
        ),
    ] {
        assert_eq!((fault.is_lost(), fault.to_string().as_str()), (expected, sentence));
    }
}

#[test]
fn a_file_of_a_newer_format_is_told_with_its_number() {
    for file in [KeyFile::Statics, KeyFile::Epochs, KeyFile::Slots] {
        let folder = tempfile::tempdir().unwrap();
        drop(Keys::open(folder.path()).unwrap());
        let mut bytes = std::fs::read(file.path(folder.path())).unwrap();
        let mut header = *bytes.first_chunk::<64>().unwrap();
        header[8] = 2;
        bytes[..64].copy_from_slice(&with_crc(header));
        std::fs::write(file.path(folder.path()), &bytes).unwrap();
        let sentence = format!("{} has format version 2, which this program does not know", file.name());
        assert_eq!(fault_sentence(folder.path()), Some(sentence));
    }
}

#[test]
fn a_file_of_hashes_that_lacks_one_of_its_keys_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    drop(Keys::open(folder.path()).unwrap());
    let path = KeyFile::Statics.path(folder.path());
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(whole.len(), 8 * 64);
    for number in 1..=7 {
        let mut lacking = whole.clone();
        lacking[number * 64..][..64].fill(0);
        std::fs::write(&path, lacking).unwrap();
        assert_eq!(
            fault_sentence(folder.path()).as_deref(),
            Some("static.key is damaged; restore it"),
            "key {number}"
        );
    }
    std::fs::write(&path, [&whole[..], &[0; 64]].concat()).unwrap();
    assert_eq!(fault_sentence(folder.path()), None, "a destroyed key is left out");
}

#[test]
fn an_epoch_in_the_place_of_another_or_none_at_all_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    drop(Keys::open(folder.path()).unwrap());
    let path = KeyFile::Epochs.path(folder.path());
    let whole = std::fs::read(&path).unwrap();
    let (head, blocks) = whole.split_at(64);
    let (even, odd) = blocks.split_at(64);
    assert_eq!((even, &odd[..4]), (&[0; 64][..], &[1, 0, 0, 0][..]));
    for blocks in [[odd, even], [even, even], [odd, odd]] {
        std::fs::write(&path, [head, blocks[0], blocks[1]].concat()).unwrap();
        assert_eq!(fault_sentence(folder.path()).as_deref(), Some("epoch.key is damaged; restore it"));
    }
    std::fs::write(&path, &whole).unwrap();
    let keys = Keys::open(folder.path()).unwrap();
    assert_eq!(keys.epoch(), Epoch { number: 1, made_at: 0, is_rotating: false });
}

#[test]
fn the_keys_that_recognise_go_back_into_a_folder_that_has_lost_them_and_into_no_other() {
    let above = tempfile::tempdir().unwrap();
    let [full, empty] = ["full", "empty"].map(|name| above.path().join(name));
    drop(Keys::open(&full).unwrap());
    let lost = KeyFolder::claim(&empty).unwrap();
    assert!(lost.path() == empty && lost.recognition().unwrap().is_none());
    let recognition = LookupKeys::load(&full).unwrap().unwrap();
    lost.give_back(&recognition).unwrap();
    let given = lost.recognition().unwrap().unwrap();
    assert!(given.file() == recognition.file() && given.set_id() == recognition.set_id());
    let again = lost.give_back(&recognition).map_err(|fault| fault.to_string());
    assert_eq!(again, Err("static.key belongs to another set of keys than static.key".to_owned()));
    assert!(matches!(KeyFolder::claim(&empty), Err(KeyFault::InUse)));
}

#[test]
fn what_is_sealed_for_a_shop_or_an_operator_opens_again_and_codes_are_random() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keys::open(folder.path()).unwrap();
    let key = TokenKey::of_bytes(b"key".to_vec().into());
    let sealed = keys.seal_token_key(AccountId(7), 2, &key).unwrap();
    assert_eq!(keys.open_token_key(AccountId(7), 2, &sealed).ok().unwrap().bytes(), b"key");
    let sealed = keys.seal_webhook(AccountId(7), "address", b"https://shop.test").unwrap();
    assert_eq!(&**keys.open_webhook(AccountId(7), "address", &sealed).ok().unwrap(), b"https://shop.test");
    let sealed = keys.seal_operator_name(&[3; 16], b"ann").unwrap();
    assert_eq!(&**keys.open_operator_name(&[3; 16], &sealed).ok().unwrap(), b"ann");
    assert!(keys.open_operator_code(&[3; 16], &sealed).is_err());
    let [one, other] = [(), ()].map(|()| random_code_secret().unwrap());
    let sealed = keys.seal_operator_code(&[3; 16], &one).unwrap();
    assert!(keys.open_operator_code(&[3; 16], &sealed).ok().unwrap() == one);
    assert!((one.len(), other.len()) == (20, 20) && one != other);
}
