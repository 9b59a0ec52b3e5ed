//! The rotation: no key is lost and none comes back, wherever it breaks off and whatever runs at the same time.

use super::*;
use crate::keys::key_file::KeyBytes;
use crate::keys::testing::{Disk, Machine};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

const DAY: Millis = 86_400_000;

fn take(pool: &Pool) -> SlotNumber {
    pool.take_slot(Duration::from_secs(5)).unwrap()
}

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// People whose keys are known, and those who were forgotten.
struct People {
    keys: HashMap<SlotNumber, KeyBytes>,
    asked: Vec<SlotNumber>,
    forgotten: Vec<SlotNumber>,
}

impl People {
    fn new(pool: &Pool, count: usize) -> Self {
        let mut keys = HashMap::new();
        for _ in 0..count {
            let slot = take(pool);
            keys.insert(slot, pool.key(slot).ok().unwrap());
        }
        Self { keys, asked: Vec::new(), forgotten: Vec::new() }
    }

    fn slots(&self) -> Vec<SlotNumber> {
        let mut slots: Vec<_> = self.keys.keys().copied().collect();
        slots.sort_unstable();
        slots
    }

    fn forget(&mut self, pool: &Pool, index: usize) {
        let slot = self.slots()[index];
        self.asked.push(slot);
        if pool.destroy(&[slot]).is_ok() {
            self.forgotten.push(slot);
        }
    }

    /// Living people are readable, forgotten ones are not, and for those being forgotten either is right.
    fn verify(&self, pool: &Pool, when: &str) {
        for (slot, key) in &self.keys {
            match pool.key(*slot) {
                Ok(found) => {
                    assert!(found == *key, "{when}: another key");
                    assert!(!self.forgotten.contains(slot), "{when}: {slot} came back");
                }
                Err(KeyFault::KeyDestroyed { .. }) => {
                    assert!(self.asked.contains(slot), "{when}: {slot} is lost")
                }
                Err(fault) => panic!("{when}: {fault}"),
            }
        }
    }
}

/// A life with a rotation in it and erasures before, after and repeated.
fn live(pool: &Pool, people: &mut People) -> Result<Rotation, KeyFault> {
    people.forget(pool, 1);
    let rotated = pool.rotate(DAY);
    people.forget(pool, 2);
    people.forget(pool, 1);
    rotated
}

fn crash_everywhere(places: usize) {
    let mut dice = Dice(7);
    let mut points = 0;
    for point in 1.. {
        let mut is_over = false;
        for kept in ["nothing", "everything", "some", "some"] {
            let machine = Machine::new(places);
            let pool = machine.open().ok().unwrap();
            pool.start([]).unwrap();
            let mut people = People::new(&pool, 6);
            people.forget(&pool, 0);
            machine.power.fail_at(point, true);
            let before = machine.slots[0].bytes();
            let rotated = live(&pool, &mut people);
            drop(pool);
            is_over = machine.power.heal() < point;
            machine.crash(|| match kept {
                "nothing" => false,
                "everything" => true,
                _ => dice.roll() & 1 == 1,
            });
            let when = format!("{places} places, call {point}, {kept} survived");
            let pool = machine.open().unwrap_or_else(|fault| panic!("{when}: {fault}"));
            people.verify(&pool, &format!("{when}, opened"));
            pool.start(people.slots()).unwrap();
            people.verify(&pool, &format!("{when}, started"));
            let went_on = pool.rotate_if_due(DAY + 1).unwrap();
            assert!(rotated.is_err() || went_on.is_none(), "{when}: it had ended");
            assert!(!pool.epoch().is_rotating && pool.epoch().number == 2, "{when}");
            people.verify(&pool, &format!("{when}, rotated"));
            old_copy_opens_nothing(&machine, before, &people);
        }
        points = point;
        if is_over {
            break;
        }
    }
    assert!(points > 10, "only {points} points");
}

/// The slot file as it was before, under the epochs as they are now.
fn old_copy_opens_nothing(machine: &Machine, slots: Vec<u8>, people: &People) {
    let mut thief = Machine::new(1);
    thief.slots = vec![Disk::new(&thief.power, slots)];
    thief.epochs = vec![Disk::new(&thief.power, machine.epochs[0].bytes())];
    let pool = thief.open().ok().unwrap();
    assert!(people.slots().into_iter().all(|slot| pool.key(slot).is_err()));
}

#[test]
fn a_crash_at_any_write_or_sync_of_a_rotation_loses_nobody_and_brings_nobody_back() {
    crash_everywhere(1);
}

#[test]
fn a_crash_at_any_write_or_sync_of_a_rotation_with_a_mirror_loses_nobody_and_brings_nobody_back() {
    crash_everywhere(2);
}

#[test]
fn a_write_or_sync_that_fails_once_is_repeated_and_a_crash_afterwards_loses_nobody() {
    for places in [1, 2] {
        for point in 1.. {
            let machine = Machine::new(places);
            let pool = machine.open().ok().unwrap();
            pool.start([]).unwrap();
            let mut people = People::new(&pool, 6);
            machine.power.fail_at(point, false);
            let first = live(&pool, &mut people);
            let is_over = machine.power.heal() < point;
            people.asked.clone().into_iter().for_each(|slot| pool.destroy(&[slot]).unwrap());
            people.forgotten.clone_from(&people.asked);
            let second = pool.rotate_if_due(DAY).unwrap();
            assert_eq!(first.is_err(), second.is_some(), "call {point}");
            assert_eq!(pool.epoch(), Epoch { number: 2, made_at: DAY, is_rotating: false });
            drop(pool);
            machine.crash(|| false);
            let pool = machine.open().ok().unwrap();
            assert_eq!(pool.epoch(), Epoch { number: 2, made_at: DAY, is_rotating: false }, "call {point}");
            people.verify(&pool, &format!("{places} places, call {point} failed once"));
            if is_over {
                break;
            }
        }
    }
}

#[test]
fn the_next_epoch_is_made_when_its_day_has_come_and_when_the_clock_went_backwards() {
    let machine = Machine::new(1);
    let pool = machine.open().ok().unwrap();
    pool.start([]).unwrap();
    let rotated = |now| pool.rotate_if_due(now).unwrap().map(|rotation| rotation.number);
    assert_eq!(rotated(DAY), Some(2));
    assert_eq!(rotated(DAY), None);
    assert_eq!(rotated(DAY + millis(KEY_EPOCH_DURATION) - 1), None);
    assert_eq!(rotated(DAY + millis(KEY_EPOCH_DURATION)), Some(3));
    // Ten years ahead for a moment, then right again.
    assert_eq!(rotated(3650 * DAY), Some(4));
    assert_eq!(rotated(3 * DAY), Some(5));
    assert_eq!(rotated(3 * DAY + 1), None);
    drop(pool);
    let pool = machine.open().ok().unwrap();
    assert_eq!(pool.epoch(), Epoch { number: 5, made_at: 3 * DAY, is_rotating: false });
    assert!(pool.rotate_if_due(4 * DAY).unwrap().is_some());
}

#[test]
fn a_rotation_counts_survivors_and_what_is_damaged_and_leaves_no_other_key() {
    let machine = Machine::new(1);
    let pool = machine.open().ok().unwrap();
    pool.start([]).unwrap();
    let people = People::new(&pool, 3);
    let slots = people.slots();
    let ready = pool.living().unwrap() - 3;
    pool.destroy(&slots[..1]).unwrap();
    machine.slots[0].flip(64 * (slots[1].index() + 1) + 20, 4);
    let rotation = pool.rotate(DAY).unwrap();
    assert_eq!((rotation.number, rotation.survivors, rotation.damaged), (2, ready + 1, 1));
    assert!(pool.key(slots[2]).is_ok());
    assert!(matches!(pool.key(slots[1]), Err(KeyFault::SlotDamaged { .. })));
}

/// Threads that take, use, destroy and give back keys during rotations without a pause.
#[test]
fn keys_are_taken_used_and_destroyed_beside_rotations() {
    let machine = Machine::new(2);
    let pool = machine.open().ok().unwrap();
    pool.start([]).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| pool.keep_filled());
        let workers: Vec<_> = (0..4).map(|seed| threads.spawn(move_keys(&pool, seed))).collect();
        threads.spawn(|| {
            for now in 1.. {
                pool.rotate(now * DAY).unwrap();
                if stop.load(Ordering::SeqCst) {
                    break;
                }
            }
        });
        let ended: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        stop.store(true, Ordering::SeqCst);
        pool.stop();
        assert!(ended.into_iter().all(|ended| ended.is_ok()));
    });
}

fn move_keys(pool: &Pool, seed: u64) -> impl FnOnce() + Send {
    move || {
        let mut dice = Dice(seed + 1);
        let mut mine: Vec<(SlotNumber, KeyBytes)> = Vec::new();
        let mut dead: Vec<SlotNumber> = Vec::new();
        for turn in 0.. {
            if turn >= 1000 && pool.epoch().number > 5 {
                break;
            }
            match dice.roll() % 4 {
                0 | 1 => {
                    let slot = take(pool);
                    mine.push((slot, pool.key(slot).ok().unwrap()));
                }
                2 if !mine.is_empty() => {
                    let (slot, key) = &mine[dice.roll() as usize % mine.len()];
                    assert!(pool.key(*slot).ok().unwrap() == *key);
                }
                _ if !mine.is_empty() => {
                    let (slot, _) = mine.swap_remove(dice.roll() as usize % mine.len());
                    pool.destroy(&[slot]).unwrap();
                    dead.push(slot);
                }
                _ => {}
            }
            let some = dead.get(dice.roll() as usize % dead.len().max(1));
            assert!(some.is_none_or(|slot| matches!(pool.key(*slot), Err(KeyFault::KeyDestroyed { .. }))));
            if dead.len() > 50 {
                pool.put_back(dead.swap_remove(0)).unwrap();
            }
        }
        mine.iter().for_each(|(slot, key)| assert!(pool.key(*slot).ok().unwrap() == *key));
    }
}
