//! The ledger on both engines, proved by the library of `lethe-verify`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lethe::ledger::{self, LedgerFault};
use lethe::store::StoreFault;
use lethe_verify::{
    Body, Checkpoint, Entry, Hex, Key, Scan, VERSION, check_certificate, check_growth, check_ledger, day,
};
use serde_json::json;
use uuid::Uuid;

use crate::world::{NOON, World, on_both_engines};

on_both_engines! {
    a_thousand_entries_are_proved_by_whoever_has_the_key
    a_ledger_grows_through_a_restart_and_every_checkpoint_is_its_beginning
    entries_appended_at_once_are_all_there_once
    an_entry_goes_with_the_transaction_that_appended_it
    a_ledger_catches_up_with_a_later_copy_of_itself_and_with_no_other
    what_the_ledger_never_had_is_not_proved
}

fn body(number: u128) -> Body {
    Body {
        version: VERSION,
        erasure: Uuid::from_u128(number),
        shop: "one".to_owned(),
        asked_at: NOON - 1000,
        fenced_at: None,
        shredded_at: Some(NOON - 500),
        deleted_at: None,
        unlearned_at: None,
        settled_at: None,
        verified_at: NOON,
        due_at: NOON + 1000,
        identifiers: [("Email".to_owned(), 1)].into(),
        places: vec![],
        kept: vec![],
        database: "SQLite".to_owned(),
        remains: vec![],
        scan: Scan { folders: vec![], files: 1, bytes: 2, scanned: 1, walk_only: 0, found: 0 },
        program: "a \"test\" \u{e9}".to_owned(),
    }
}

fn came_back(number: u128) -> Entry {
    Entry::Consent { consent: Uuid::from_u128(number), day: day(NOON) }
}

/// Appends an entry for each number, 100 in a transaction.
async fn append(world: &World, numbers: std::ops::Range<u128>) {
    let store = &world.node().store;
    for first in numbers.clone().step_by(100) {
        let numbers = first..numbers.end.min(first + 100);
        let appended = store.write(move |tx| {
            numbers.clone().try_for_each(|number| ledger::append(tx, &came_back(number)).map(drop))
        });
        appended.await.map_err(|fault: StoreFault| fault).expect("appended");
    }
}

async fn issue(world: &World, number: u128) -> ledger::Issued {
    let keys = world.node().keys.clone();
    let issued = world.node().store.write(move |tx| ledger::issue(tx, &keys, &body(number)));
    issued.await.map_err(|fault: LedgerFault| fault).expect("issued")
}

async fn certificate(world: &World, issued: &ledger::Issued) -> String {
    let (keys, index) = (world.node().keys.clone(), issued.index);
    let (body, signature) = (issued.body.clone(), issued.signature);
    let made = world.node().store.read(move |tx| {
        let issued = ledger::Issued { index, body: body.clone(), signature };
        ledger::certificate(tx, &keys, issued, NOON)
    });
    made.await.map_err(|fault: LedgerFault| fault).expect("a certificate").to_string()
}

/// The key as the operator hands it out.
async fn key(world: &World) -> Key {
    let signer = world.control("/control/ledger/key", json!({})).await;
    signer["Key"].as_str().and_then(|key| key.parse().ok()).expect("a key")
}

async fn checkpoint(world: &World) -> Checkpoint {
    let answer = world.control("/control/ledger/checkpoint", json!({})).await;
    lethe_verify::read_checkpoint(&answer.to_string()).expect("a checkpoint in its exact form")
}

async fn export(world: &World) -> String {
    world.control_text("/control/ledger/export", json!({})).await
}

async fn entries(world: &World) -> Vec<String> {
    let all = world.node().store.read(|tx| ledger::entries(tx, 0, 1 << 40));
    all.await.map_err(|fault: StoreFault| fault).expect("entries")
}

async fn a_thousand_entries_are_proved_by_whoever_has_the_key(world: World) {
    let key = key(&world).await;
    let (first, early) = (issue(&world, 1).await, checkpoint(&world).await);
    append(&world, 2..900).await;
    let middle = issue(&world, 900).await;
    append(&world, 901..1000).await;
    let last = issue(&world, 1000).await;
    assert_eq!((first.index, middle.index, last.index), (1, 900, 1000));
    for issued in [&first, &middle, &last] {
        let text = certificate(&world, issued).await;
        let checked = check_certificate(&text, Some(&key)).expect("good");
        assert_eq!((checked.index, checked.checkpoint.size), (issued.index, 1001));
    }
    let checked = check_ledger(export(&world).await.as_bytes(), Some(&key), Some(&early)).expect("good");
    assert_eq!((checked.erasures, checked.consents, checked.checkpoint.size), (3, 997, 1001));
    let mut lines: Vec<_> = export(&world).await.lines().map(str::to_owned).collect();
    assert_eq!(lines.pop(), Some(checked.checkpoint.to_string()));
    assert_eq!(lines, entries(&world).await);
    lines.remove(500);
    let dropped = format!("{}\n{}\n", lines.join("\n"), checked.checkpoint);
    assert!(check_ledger(dropped.as_bytes(), Some(&key), None).is_err());
    every_entry_is_proved(&world, &checked.checkpoint).await;
}

/// Proofs from the store, against a tree in memory.
async fn every_entry_is_proved(world: &World, checkpoint: &Checkpoint) {
    let mut tree = ct_merkle::mem_backed_tree::MemoryBackedTree::<sha2::Sha256, Vec<u8>>::new();
    entries(world).await.into_iter().for_each(|entry| tree.push(entry.into_bytes()));
    assert_eq!(tree.root().as_bytes().as_slice(), checkpoint.root.0);
    for index in (0..1001).step_by(37).chain([1000]) {
        let proof = world.node().store.read(move |tx| ledger::inclusion(tx, index, 1001));
        let proof = proof.await.map_err(|fault: LedgerFault| fault).expect("a proof").concat();
        assert_eq!(proof, tree.prove_inclusion(usize::try_from(index).expect("a number")).as_bytes());
    }
}

async fn a_ledger_grows_through_a_restart_and_every_checkpoint_is_its_beginning(mut world: World) {
    let key = key(&world).await;
    let mut kept = vec![checkpoint(&world).await];
    assert_eq!(kept[0].size, 1, "the genesis");
    for round in 0..12 {
        append(&world, 100 * round..100 * round + 1 + 3 * round).await;
        kept.push(checkpoint(&world).await);
        if round % 5 == 2 {
            world.restart().await;
        }
    }
    assert_eq!(self::key(&world).await, key);
    for old in &kept {
        let grown = world.control("/control/ledger/growth", json!({"Size": old.size})).await.to_string();
        let new = check_growth(old, &grown, Some(&key)).expect("grown");
        assert_eq!(new.size, kept[12].size);
        check_ledger(export(&world).await.as_bytes(), Some(&key), Some(old)).expect("its beginning");
        let other = Checkpoint { root: Hex([7; 32]), ..old.clone() };
        assert!(check_growth(&other, &grown, Some(&key)).is_err());
    }
}

async fn entries_appended_at_once_are_all_there_once(world: World) {
    let shop = world.shop("one").await;
    let units: Vec<_> = (0..200)
        .map(|number| {
            let store = world.node().store.clone();
            tokio::spawn(async move { store.write(move |tx| ledger::append(tx, &came_back(number))).await })
        })
        .collect();
    let mut indexes = Vec::new();
    for unit in units {
        indexes.push(unit.await.expect("it ran").map_err(|fault: StoreFault| fault).expect("appended"));
    }
    indexes.sort_unstable();
    assert!(indexes.into_iter().eq(1..=200));
    world.delta(&shop, json!({})).await;
    let checked = check_ledger(export(&world).await.as_bytes(), None, None).expect("good");
    assert_eq!(checked.consents, 200);
}

async fn an_entry_goes_with_the_transaction_that_appended_it(world: World) {
    let before = export(&world).await;
    let failed = world.node().store.write(|tx| {
        ledger::append(tx, &came_back(1))?;
        Err::<(), _>(StoreFault::Panicked)
    });
    assert!(failed.await.is_err());
    assert_eq!(export(&world).await, before);
    // A unit that runs a second time appends once.
    let ran = Arc::new(AtomicBool::new(false));
    let twice = world.node().store.write(move |tx| {
        ledger::append(tx, &came_back(2))?;
        match ran.swap(true, Ordering::SeqCst) {
            false => Err(StoreFault::Conflict),
            true => Ok(()),
        }
    });
    let _ = twice.await;
    append(&world, 3..5).await;
    let checked = check_ledger(export(&world).await.as_bytes(), None, None).expect("good");
    assert!((2..=3).contains(&checked.consents));
}

async fn catch_up(world: &World, from: u64, lines: &[String]) -> Result<u64, LedgerFault> {
    let lines = lines.to_vec();
    world.node().store.write(move |tx| ledger::catch_up(tx, from, &lines)).await
}

async fn a_ledger_catches_up_with_a_later_copy_of_itself_and_with_no_other(world: World) {
    append(&world, 0..20).await;
    let known = entries(&world).await;
    let mut later = known.clone();
    later.extend((100..140).map(|number| came_back(number).to_string()));
    let mut other = later.clone();
    other[7] = came_back(999).to_string();
    let mut foreign = later.clone();
    foreign[30] = foreign[30].replace("Consent", "Consens");
    for (from, lines) in [(0, &other[..]), (0, &foreign[..]), (0, &later[1..]), (25, &later[25..])] {
        assert!(matches!(catch_up(&world, from, lines).await, Err(LedgerFault::Other)));
    }
    assert_eq!(entries(&world).await, known);
    assert_eq!(catch_up(&world, 15, &later[15..30]).await.expect("later"), 9);
    assert_eq!(catch_up(&world, 0, &later).await.expect("later"), 31);
    assert_eq!(catch_up(&world, 0, &later).await.expect("the same"), 0);
    assert_eq!(catch_up(&world, 3, &known[3..9]).await.expect("a part"), 0);
    assert_eq!(entries(&world).await, later);
    check_ledger(export(&world).await.as_bytes(), None, None).expect("good");
}

async fn what_the_ledger_never_had_is_not_proved(world: World) {
    append(&world, 0..5).await;
    for (index, size) in [(6, 6), (0, 7), (0, 0), (u64::MAX, u64::MAX)] {
        let proof = world.node().store.read(move |tx| ledger::inclusion(tx, index, size)).await;
        assert!(matches!(proof, Err(LedgerFault::Beyond)), "{index} {size}");
    }
    for (old, new) in [(0, 6), (4, 3), (6, 7), (u64::MAX, u64::MAX)] {
        let proof = world.node().store.read(move |tx| ledger::consistency(tx, old, new)).await;
        assert!(matches!(proof, Err(LedgerFault::Beyond)), "{old} {new}");
    }
}
