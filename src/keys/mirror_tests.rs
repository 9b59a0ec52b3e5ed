//! The mirror: the same bytes in two places, no key destroyed in one only, and no way back for a destroyed key.

use std::path::PathBuf;

use super::*;
use crate::keys::SlotNumber;
use crate::keys::key_file::KEY_BYTES;
use crate::keys::key_set::Keys;
use crate::keys::testing::Machine;

const DAY: i64 = 86_400_000;

struct Places {
    _above: tempfile::TempDir,
    folder: PathBuf,
    mirror: PathBuf,
}

fn places() -> Places {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("keys");
    let mirror = above.path().join("mirror");
    Places { _above: above, folder, mirror }
}

impl Places {
    fn open(&self) -> Result<Keys, KeyFault> {
        Keys::open_with(&self.folder, Some(&self.mirror), DAY)
    }

    fn started(&self, used: &[SlotNumber]) -> Keys {
        let keys = self.open().ok().unwrap();
        keys.start(used.iter().copied()).unwrap();
        keys
    }

    fn assert_equal(&self) {
        for file in FILES {
            assert!(file.is_equal(&self.folder, &self.mirror).unwrap(), "{}", file.name());
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    std::fs::set_permissions(to, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    for file in FILES {
        std::fs::copy(file.path(from), file.path(to)).unwrap();
    }
}

fn fault<T>(outcome: Result<T, KeyFault>) -> KeyFault {
    outcome.err().unwrap()
}

fn sealed(keys: &Keys, slot: SlotNumber) -> Vec<u8> {
    keys.sealer(slot).ok().unwrap().seal(b"row", b"anna").unwrap()
}

fn opens(keys: &Keys, slot: SlotNumber, sealed: &[u8]) -> bool {
    keys.sealer(slot).ok().is_some_and(|sealer| sealer.open(b"row", sealed).is_ok())
}

#[test]
fn a_new_mirror_gets_a_copy_and_then_every_write() {
    let places = places();
    let alone = Keys::open(&places.folder).ok().unwrap();
    alone.start([]).unwrap();
    let slot = alone.take_slot().unwrap();
    let record = sealed(&alone, slot);
    drop(alone);
    let keys = places.started(&[slot]);
    places.assert_equal();
    let other = keys.take_slot().unwrap();
    keys.destroy(&[other]).unwrap();
    keys.rotate(DAY).unwrap();
    keys.put_back(other).unwrap();
    assert!(opens(&keys, slot, &record));
    drop(keys);
    places.assert_equal();
}

#[test]
fn a_lost_key_folder_is_restored_from_the_mirror_and_only_by_command() {
    let places = places();
    let keys = places.started(&[]);
    let slot = keys.take_slot().unwrap();
    let record = sealed(&keys, slot);
    assert!(matches!(fault(Keys::restore(&places.folder, &places.mirror)), KeyFault::InUse));
    drop(keys);
    assert!(matches!(fault(Keys::restore(&places.folder, &places.mirror)), KeyFault::FolderInUse));
    for file in FILES {
        let away = places.folder.join("away");
        std::fs::rename(file.path(&places.folder), &away).unwrap();
        let said = fault(places.open());
        assert!(
            matches!(said, KeyFault::OnlyInMirror { .. }) && said.to_string().contains("key-mirror restore")
        );
        std::fs::rename(&away, file.path(&places.folder)).unwrap();
    }
    std::fs::remove_dir_all(&places.folder).unwrap();
    assert!(matches!(fault(places.open()), KeyFault::OnlyInMirror { .. }));
    Keys::restore(&places.folder, &places.mirror).unwrap();
    assert!(opens(&places.started(&[slot]), slot, &record));
}

#[test]
fn a_restore_that_broke_off_is_noticed_and_repeated() {
    let places = places();
    let keys = places.started(&[]);
    let slot = keys.take_slot().unwrap();
    let record = sealed(&keys, slot);
    drop(keys);
    for copied in 0..=FILES.len() {
        std::fs::remove_dir_all(&places.folder).unwrap();
        std::fs::create_dir(&places.folder).unwrap();
        std::fs::set_permissions(&places.folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .unwrap();
        std::fs::write(places.folder.join(UNFINISHED), "").unwrap();
        FILES[..copied].iter().for_each(|file| {
            let whole = std::fs::read(file.path(&places.mirror)).unwrap();
            std::fs::write(file.path(&places.folder), &whole[..whole.len() / 2]).unwrap();
        });
        assert!(matches!(fault(places.open()), KeyFault::RestoreUnfinished));
        Keys::restore(&places.folder, &places.mirror).unwrap();
        places.assert_equal();
    }
    assert!(opens(&places.started(&[slot]), slot, &record));
}

#[test]
fn a_first_copy_that_broke_off_is_made_again() {
    let places = places();
    drop(Keys::open(&places.folder).ok().unwrap());
    copy_folder(&places.folder, &places.mirror);
    std::fs::remove_file(KeyFile::Statics.path(&places.mirror)).unwrap();
    std::fs::write(KeyFile::Slots.path(&places.mirror), vec![9; 10_000]).unwrap();
    drop(places.open().ok().unwrap());
    places.assert_equal();
}

#[test]
fn an_empty_mount_point_gets_no_keys_once_there_was_a_mirror() {
    let places = places();
    drop(places.started(&[]));
    let away = places.mirror.with_extension("away");
    std::fs::rename(&places.mirror, &away).unwrap();
    let refused = fault(places.open());
    assert!(matches!(refused, KeyFault::MirrorGone) && refused.to_string().contains(MIRRORED));
    assert!(FILES.iter().all(|file| !file.path(&places.mirror).exists()));
    assert!(matches!(fault(Keys::open(&places.folder)), KeyFault::MirrorUnnamed));
    std::fs::remove_file(places.folder.join(MIRRORED)).unwrap();
    drop(Keys::open(&places.folder).ok().unwrap());
    drop(places.started(&[]));
    places.assert_equal();
}

/// Either side may come back from an older snapshot: people forgotten since stay forgotten, people who came since
/// stay.
#[test]
fn a_copy_out_of_an_old_snapshot_brings_nobody_back_and_takes_nobody_away() {
    for is_ours in [true, false] {
        for rotations in 0..3 {
            let places = places();
            let keys = places.started(&[]);
            let gone = keys.take_slot().unwrap();
            let reused = keys.take_slot().unwrap();
            let kept = keys.take_slot().unwrap();
            let records = [gone, reused, kept].map(|slot| sealed(&keys, slot));
            drop(keys);
            let (stale, snapshot) = if is_ours {
                (&places.folder, places.folder.with_extension("old"))
            } else {
                (&places.mirror, places.mirror.with_extension("old"))
            };
            copy_folder(stale, &snapshot);
            let keys = places.started(&[gone, reused, kept]);
            keys.destroy(&[gone, reused]).unwrap();
            keys.put_back(reused).unwrap();
            for _ in 0..rotations {
                keys.rotate(DAY).unwrap();
            }
            drop(keys);
            let keys = places.started(&[gone, kept]);
            let later: Vec<_> = (0..50).map(|_| keys.take_slot().unwrap()).collect();
            assert!(later.contains(&reused));
            let new = later.iter().map(|slot| (*slot, sealed(&keys, *slot))).collect::<Vec<_>>();
            drop(keys);
            copy_folder(&snapshot, stale);
            let keys = places.started(&[&later[..], &[gone, kept]].concat());
            let when = format!("ours: {is_ours}, {rotations} rotations");
            assert!(!opens(&keys, gone, &records[0]) && !opens(&keys, reused, &records[1]), "{when}");
            assert!(opens(&keys, kept, &records[2]), "{when}");
            assert!(new.iter().all(|(slot, record)| opens(&keys, *slot, record)), "{when}");
            drop(keys);
            places.assert_equal();
        }
    }
}

/// The newest epoch of a folder's file: its block, which holds the key.
fn newest_epoch(folder: &Path, number: u32) -> Vec<u8> {
    let bytes = std::fs::read(KeyFile::Epochs.path(folder)).unwrap();
    let block = bytes.chunks(64).skip(1).find(|block| block[..4] == number.to_le_bytes());
    block.unwrap().to_vec()
}

/// With the key of an ended epoch an old copy of the slots would open again, in whosever backup it is.
#[test]
fn a_copy_out_of_an_old_snapshot_brings_no_ended_epoch_back() {
    for is_ours in [true, false] {
        let places = places();
        let keys = places.started(&[]);
        let ended = keys.epoch().number;
        drop(keys);
        let stale = if is_ours { &places.folder } else { &places.mirror };
        let snapshot = stale.with_extension("old");
        copy_folder(stale, &snapshot);
        let block = newest_epoch(stale, ended);
        let keys = places.started(&[]);
        keys.rotate(DAY).unwrap();
        drop(keys);
        copy_folder(&snapshot, stale);
        let keys = places.started(&[]);
        let epoch = keys.epoch();
        assert!(epoch.number == ended + 1 && !epoch.is_rotating, "ours: {is_ours}, {epoch:?}");
        for folder in [&places.folder, &places.mirror] {
            let bytes = std::fs::read(KeyFile::Epochs.path(folder)).unwrap();
            assert!(
                !bytes.windows(KEY_BYTES).any(|some| some == &block[4..][..KEY_BYTES]),
                "ours: {is_ours}"
            );
        }
    }
}

#[test]
fn a_mirror_of_other_keys_or_with_a_file_missing_or_changed_is_refused() {
    let one = places();
    let other = places();
    drop((one.open().ok().unwrap(), other.open().ok().unwrap()));
    let mixed = Keys::open_with(&one.folder, Some(&other.mirror), DAY);
    assert!(matches!(fault(mixed), KeyFault::MirrorOfOtherSet));
    std::fs::remove_file(KeyFile::Epochs.path(&one.mirror)).unwrap();
    assert!(matches!(fault(one.open()), KeyFault::Mirror { .. }));
    std::fs::copy(KeyFile::Epochs.path(&other.mirror), KeyFile::Epochs.path(&one.mirror)).unwrap();
    assert!(matches!(fault(one.open()), KeyFault::Mirror { .. }));
    assert!(matches!(fault(Keys::restore(&one.mirror, &one.folder.join("none"))), KeyFault::MirrorEmpty));
}

/// A mirror whose hashes were changed, with right checksums: its keys would recognise other people.
#[test]
fn hashes_that_differ_in_the_mirror_are_refused() {
    let places = places();
    drop(places.open().ok().unwrap());
    let path = KeyFile::Statics.path(&places.mirror);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[64 + 10] ^= 1;
    let block = crate::keys::key_file::with_crc(*bytes[64..].first_chunk().unwrap());
    bytes[64..128].copy_from_slice(&block);
    std::fs::write(&path, bytes).unwrap();
    assert!(matches!(fault(places.open()), KeyFault::MirrorApart { file: "static.key" }));
}

#[test]
fn a_restore_brings_the_mark_of_the_store_along_and_changes_nothing_if_a_file_is_foreign() {
    let [one, other] = [(), ()].map(|()| places());
    drop((one.open().ok().unwrap(), other.open().ok().unwrap()));
    let mark = StoreMark { engine: "sqlite".to_owned(), history: 7, starts: 3 };
    mark.write(&one.folder, Some(&one.mirror)).unwrap();
    std::fs::remove_dir_all(&one.folder).unwrap();
    let epochs = std::fs::read(KeyFile::Epochs.path(&one.mirror)).unwrap();
    std::fs::copy(KeyFile::Epochs.path(&other.mirror), KeyFile::Epochs.path(&one.mirror)).unwrap();
    let said = fault(Keys::restore(&one.folder, &one.mirror)).to_string();
    assert_eq!(said, "the key mirror: epoch.key belongs to another set of keys than static.key");
    assert!(
        FILES.iter().all(|file| !file.path(&one.folder).exists()) && !one.folder.join(UNFINISHED).exists()
    );
    std::fs::write(KeyFile::Epochs.path(&one.mirror), epochs).unwrap();
    Keys::restore(&one.folder, &one.mirror).unwrap();
    assert_eq!(StoreMark::load(&one.folder).unwrap(), Some(mark));
    assert!(!one.folder.join(UNFINISHED).exists());
    // One file is enough: a folder in use has lost some at most.
    std::fs::remove_file(KeyFile::Epochs.path(&one.folder)).unwrap();
    std::fs::remove_file(KeyFile::Slots.path(&one.folder)).unwrap();
    assert!(matches!(fault(Keys::restore(&one.folder, &one.mirror)), KeyFault::FolderInUse));
}

#[test]
fn epochs_that_were_made_apart_are_not_mixed() {
    let places = places();
    drop(places.open().ok().unwrap());
    // As if each had been used without the other.
    std::fs::remove_file(places.folder.join(MIRRORED)).unwrap();
    for folder in [&places.folder, &places.mirror] {
        let keys = Keys::open(folder).ok().unwrap();
        keys.start([]).unwrap();
        keys.rotate(DAY).unwrap();
    }
    assert!(matches!(fault(places.open()), KeyFault::MirrorApart { file: "epoch.key" }));
}

#[test]
fn what_is_written_is_durable_in_both_places() {
    let machine = Machine::new(2);
    let pool = machine.open().ok().unwrap();
    pool.start([]).unwrap();
    let slot = pool.take_slot(std::time::Duration::ZERO).unwrap();
    pool.destroy(&[slot]).unwrap();
    pool.rotate(DAY).unwrap();
    pool.destroy(&[pool.take_slot(std::time::Duration::ZERO).unwrap()]).unwrap();
    machine.crash(|| false);
    assert!(machine.slots[0].bytes() == machine.slots[1].bytes());
    assert!(machine.epochs[0].bytes() == machine.epochs[1].bytes());
}

#[test]
fn a_mirror_that_cannot_be_written_holds_up_destruction_until_it_can() {
    let machine = Machine::new(2);
    let pool = machine.open().ok().unwrap();
    pool.start([]).unwrap();
    let slot = pool.take_slot(std::time::Duration::ZERO).unwrap();
    machine.slots[1].break_down(true);
    assert!(pool.destroy(&[slot]).is_err());
    assert!(pool.rotate(DAY).is_err());
    machine.slots[1].break_down(false);
    pool.destroy(&[slot]).unwrap();
    assert!(pool.rotate_if_due(DAY).unwrap().is_some());
    assert!(machine.slots[0].bytes() == machine.slots[1].bytes());
    assert!(machine.epochs[0].bytes() == machine.epochs[1].bytes());
}

/// Bytes that flip by themselves, in either copy or in the only one: each key opens as before, or its loss is
/// reported.
#[test]
fn two_hundred_flipped_bytes_are_found_or_harmless_and_bring_no_key_back() {
    let mut number = 7_u64;
    let mut roll = |sides: usize| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) as usize % sides
    };
    let mut refused = 0;
    let mut lost = 0;
    for turn in 0..200 {
        let machine = Machine::new(1 + turn % 2);
        let pool = machine.open().ok().unwrap();
        pool.start([]).unwrap();
        let slots: Vec<_> = (0..40).map(|_| pool.take_slot(std::time::Duration::ZERO).unwrap()).collect();
        let keys: Vec<_> = slots.iter().map(|slot| pool.key(*slot).ok().unwrap()).collect();
        pool.destroy(&slots[..20]).unwrap();
        drop(pool);
        let disks = if turn % 5 == 0 { &machine.epochs } else { &machine.slots };
        let disk = &disks[roll(disks.len())];
        let at = match turn {
            _ if turn % 5 == 0 => roll(disk.bytes().len()),
            _ if turn % 7 == 0 => roll(64),
            _ => 64 * (slots[roll(slots.len())].index() + 1) + roll(64),
        };
        disk.flip(at, 1 << roll(8));
        let Ok(pool) = machine.open() else {
            refused += 1;
            continue;
        };
        pool.start(slots.iter().copied()).unwrap();
        for round in 0..2 {
            for (index, slot) in slots.iter().enumerate() {
                match pool.key(*slot) {
                    Ok(key) => assert!(index >= 20 && key == keys[index], "turn {turn}, round {round}"),
                    Err(KeyFault::SlotDamaged { .. }) => lost += usize::from(index >= 20),
                    Err(KeyFault::KeyDestroyed { .. }) => assert!(index < 20, "turn {turn}, round {round}"),
                    Err(fault) => panic!("turn {turn}: {fault}"),
                }
                assert!(turn % 2 == 0 || index < 20 || pool.key(*slot).is_ok(), "the mirror has it");
            }
            pool.rotate(DAY).unwrap();
        }
    }
    assert!(refused > 20 && lost > 20, "{refused} refused, {lost} lost");
}
