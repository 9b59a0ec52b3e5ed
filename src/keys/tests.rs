//! The key folder as its users see it, and the bytes in its files.

use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::*;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;

const ACCOUNT: AccountId = AccountId(1);

fn folder() -> (tempfile::TempDir, PathBuf) {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("keys");
    (above, folder)
}

fn started(folder: &Path, used: &[SlotNumber]) -> Keys {
    let keys = Keys::open(folder).ok().unwrap();
    keys.start(used.iter().copied()).unwrap();
    keys
}

fn stored_block(folder: &Path, slot: SlotNumber) -> [u8; 64] {
    let mut block = [1; 64];
    let file = File::open(folder.join("slots.key")).unwrap();
    file.read_exact_at(&mut block, 64 * (slot.row() as u64 + 1)).unwrap();
    block
}

fn fault<T>(outcome: Result<T, KeyFault>) -> KeyFault {
    outcome.err().unwrap()
}

#[test]
fn destroying_a_key_overwrites_its_slot_in_place_and_what_it_sealed_is_gone() {
    let (_above, folder) = folder();
    let keys = started(&folder, &[]);
    let slot = keys.take_slot().unwrap();
    let other = keys.take_slot().unwrap();
    let sealed = keys.sealer(slot).ok().unwrap().seal(b"row", b"anna").unwrap();
    let inode = std::fs::metadata(folder.join("slots.key")).unwrap().ino();
    let other_block = stored_block(&folder, other);
    assert!(stored_block(&folder, slot) != [0; 64]);

    keys.destroy(&[slot]).unwrap();
    keys.destroy(&[slot, slot]).unwrap();

    assert!(stored_block(&folder, slot)[12..60] == [0; 48]);
    assert_eq!(std::fs::metadata(folder.join("slots.key")).unwrap().ino(), inode);
    assert!(stored_block(&folder, other) == other_block);
    assert!(matches!(fault(keys.sealer(slot)), KeyFault::KeyDestroyed { .. }));
    assert!(matches!(fault(keys.sealer(other).ok().unwrap().open(b"row", &sealed)), KeyFault::SealBroken));
}

/// Reason for epochs: until the epoch key is destroyed too, an old copy of the slot file undoes every erasure.
#[test]
fn a_copy_of_the_slot_file_made_before_opens_the_record_as_long_as_the_epoch_lives() {
    let (_above, folder) = folder();
    let keys = started(&folder, &[]);
    let slot = keys.take_slot().unwrap();
    let sealed = keys.sealer(slot).ok().unwrap().seal(b"row", b"anna").unwrap();
    let copy = std::fs::read(folder.join("slots.key")).unwrap();
    keys.destroy(&[slot]).unwrap();
    drop(keys);

    std::fs::write(folder.join("slots.key"), copy).unwrap();
    let keys = Keys::open(&folder).ok().unwrap();
    assert!(keys.sealer(slot).ok().unwrap().open(b"row", &sealed).is_ok());
    drop(keys);

    let epochs = File::options().write(true).open(folder.join("epoch.key")).unwrap();
    epochs.write_all_at(&[0; 128], 64).unwrap();
    assert!(matches!(fault(Keys::open(&folder)), KeyFault::FileDamaged { file: "epoch.key" }));
}

#[test]
fn sealed_records_and_tags_survive_a_restart() {
    let (_above, folder) = folder();
    let keys = started(&folder, &[]);
    let anna = Identifier::email("anna@example.com").ok().unwrap();
    let slot = keys.take_slot().unwrap();
    let sealed = keys.sealer(slot).ok().unwrap().seal(b"row", b"anna").unwrap();
    let before = (keys.set_id(), keys.lookup_tag(ACCOUNT, &anna), keys.secret_hash("ls_x"));
    drop(keys);
    let keys = started(&folder, &[slot]);
    assert_eq!(&**keys.sealer(slot).ok().unwrap().open(b"row", &sealed).ok().unwrap(), b"anna");
    assert_eq!((keys.set_id(), keys.lookup_tag(ACCOUNT, &anna), keys.secret_hash("ls_x")), before);
}

#[test]
fn eight_threads_get_different_slots_while_the_pool_is_refilled() {
    let (_above, folder) = folder();
    let keys = started(&folder, &[]);
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let keys = keys.clone();
            std::thread::spawn(move || {
                let mut mine = Vec::new();
                for turn in 0..700 {
                    let slot = keys.take_slot().unwrap();
                    assert!(keys.sealer(slot).is_ok());
                    mine.push(slot);
                    if turn % 7 == 0 {
                        keys.put_back(mine.swap_remove(0)).unwrap();
                    }
                }
                mine
            })
        })
        .collect();
    let taken: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    assert_eq!(taken.len(), 8 * 600);
    assert_eq!(taken.iter().collect::<HashSet<_>>().len(), taken.len());
}

#[test]
fn a_slot_taken_before_a_crash_and_named_by_no_row_is_swept() {
    let (_above, folder) = folder();
    let keys = started(&folder, &[]);
    let kept = keys.take_slot().unwrap();
    let lost = keys.take_slot().unwrap();
    let sealed = keys.sealer(lost).ok().unwrap().seal(b"", b"anna").unwrap();
    let kept_block = stored_block(&folder, kept);
    drop(keys);
    let keys = started(&folder, &[kept]);
    assert!(stored_block(&folder, kept) == kept_block);
    // The slot has a fresh key by now, or none.
    assert!(keys.sealer(lost).ok().is_none_or(|sealer| sealer.open(b"", &sealed).is_err()));
}

#[test]
fn a_damaged_slot_is_told_from_a_destroyed_one() {
    let (_above, folder) = folder();
    let keys = started(&folder, &[]);
    let one = keys.take_slot().unwrap();
    let other = keys.take_slot().unwrap();
    let file = File::options().write(true).open(folder.join("slots.key")).unwrap();
    let whole = stored_block(&folder, one);
    for at in 0..64 {
        let mut damaged = whole;
        damaged[at] ^= 0x10;
        file.write_all_at(&damaged, 64 * (one.row() as u64 + 1)).unwrap();
        assert!(matches!(fault(keys.sealer(one)), KeyFault::SlotDamaged { .. }), "byte {at}");
    }
    file.write_all_at(&whole, 64 * (other.row() as u64 + 1)).unwrap();
    assert!(matches!(fault(keys.sealer(other)), KeyFault::SlotDamaged { .. }), "moved from another slot");
    drop(keys);
    let keys = Keys::open(&folder).ok().unwrap();
    assert_eq!(keys.start([one, other]).unwrap().damaged, 1);
}

#[test]
fn a_second_process_is_refused_until_the_first_is_gone() {
    let (_above, folder) = folder();
    let keys = started(&folder, &[]);
    let clone = keys.clone();
    drop(keys);
    assert!(matches!(fault(Keys::open(&folder)), KeyFault::InUse));
    drop(clone);
    assert!(Keys::open(&folder).is_ok());
}

#[test]
fn only_the_owner_may_enter_the_folder_and_read_the_files() {
    let (_above, folder) = folder();
    drop(started(&folder, &[]));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    drop(Keys::open(&folder).ok().unwrap());
    assert_eq!(mode(&folder), 0o700, "it is closed");
}

#[test]
fn a_crash_at_the_first_run_leaves_a_folder_that_opens() {
    for left_over in [&["static.key"][..], &["static.key", "epoch.key"]] {
        let (_above, folder) = folder();
        drop(Keys::open(&folder).ok().unwrap());
        for name in ["slots.key", "epoch.key"].iter().filter(|name| !left_over.contains(name)) {
            std::fs::remove_file(folder.join(name)).unwrap();
        }
        std::fs::write(folder.join("epoch.key.new"), b"half a fi").unwrap();
        assert!(started(&folder, &[]).take_slot().is_ok());
    }
}

#[test]
fn a_key_file_that_is_gone_is_not_replaced_while_others_need_it() {
    for name in ["static.key", "epoch.key"] {
        let (_above, folder) = folder();
        drop(started(&folder, &[]));
        std::fs::remove_file(folder.join(name)).unwrap();
        assert!(matches!(fault(Keys::open(&folder)), KeyFault::FileMissing { file } if file == name));
        assert!(!folder.join(name).exists());
    }
}

#[test]
fn every_flipped_byte_and_every_cut_of_the_small_files_is_found() {
    let (_above, folder) = folder();
    drop(Keys::open(&folder).ok().unwrap());
    for name in ["static.key", "epoch.key", "slots.key"] {
        let path = folder.join(name);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            assert!(matches!(fault(Keys::open(&folder)), KeyFault::FileDamaged { file } if file == name));
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(matches!(fault(Keys::open(&folder)), KeyFault::FileDamaged { file } if file == name));
        }
        std::fs::write(&path, whole).unwrap();
    }
    assert!(Keys::open(&folder).is_ok());
}

#[test]
fn files_of_two_key_folders_cannot_be_mixed() {
    for name in ["epoch.key", "slots.key"] {
        let ((_above, one), (_beside, other)) = (folder(), folder());
        drop((Keys::open(&one).ok().unwrap(), Keys::open(&other).ok().unwrap()));
        std::fs::copy(other.join(name), one.join(name)).unwrap();
        assert!(matches!(fault(Keys::open(&one)), KeyFault::FileOfOtherSet { file } if file == name));
    }
}

#[test]
fn tags_differ_by_purpose_account_kind_value_and_key_folder() {
    let ((_above, one), (_beside, other)) = (folder(), folder());
    let keys = Keys::open(&one).ok().unwrap();
    let others = Keys::open(&other).ok().unwrap();
    let ids = [Identifier::user_id("7"), Identifier::visitor_id("7"), Identifier::user_id("8")];
    let mut tags = HashSet::new();
    for id in ids.map(|id| id.ok().unwrap()) {
        for account in [AccountId(1), AccountId(2)] {
            for keys in [&keys, &others] {
                assert!(tags.insert(keys.lookup_tag(account, &id)));
                assert!(tags.insert(keys.suppression_tag(account, &id)));
            }
        }
    }
    let same = Identifier::user_id(" 7 ").ok().unwrap();
    assert!(tags.contains(&keys.lookup_tag(ACCOUNT, &same)));
    assert!(tags.insert(keys.url_tag(ACCOUNT, "7")));
    assert_ne!(keys.url_tag(ACCOUNT, "7"), keys.url_tag(AccountId(2), "7"));
}

#[test]
fn an_account_tag_is_32_hexadecimal_digits() {
    let (_above, folder) = folder();
    let keys = Keys::open(&folder).ok().unwrap();
    let tag = keys.account_tag(ACCOUNT, "company-7");
    assert!(tag.len() == 32 && tag.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(tag, keys.account_tag(ACCOUNT, "company-7"));
    assert_ne!(tag, keys.account_tag(AccountId(2), "company-7"));
}

#[test]
fn equal_is_equal_and_different_lengths_are_not() {
    assert!(constant_time_eq(b"abc", b"abc"));
    assert!(!constant_time_eq(b"abc", b"abd"));
    assert!(!constant_time_eq(b"abc", b"ab"));
}

#[test]
fn keys_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    fn sent<T: Send + 'static>() {}
    shared::<Keys>();
    sent::<Sealer>();
    sent::<SealedWriter<File>>();
    sent::<SealedReader<File>>();
}
