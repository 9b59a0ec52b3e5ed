//! The ledgers on both engines, one for each account, proved by the library of `lethe-verify`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lethe::ids::AccountId;
use lethe::ledger::{self, Head, LedgerFault};
use lethe::limits;
use lethe::store::{Owner, StoreFault};
use lethe_verify::{
    Body, Checkpoint, Entry, Hex, Key, Scan, VERSION, check_certificate, check_growth, check_ledger, day,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::world::{NOON, Shop, World, on_both_engines, on_sqlite};

on_both_engines! {
    a_thousand_entries_are_proved_by_whoever_has_the_key
    a_ledger_grows_through_a_restart_and_every_checkpoint_is_its_beginning
    entries_appended_at_once_are_all_there_once
    an_entry_goes_with_the_transaction_that_appended_it
    a_ledger_catches_up_with_a_later_copy_of_itself_and_with_no_other
    what_the_ledger_never_had_is_not_proved
    what_another_shop_erases_changes_nothing_in_a_shops_certificate
    the_operator_names_whose_ledger_it_is
}

/// The account of the first shop of a world.
const ONE: AccountId = AccountId(1);

fn body(ledger: Uuid, number: u128) -> Body {
    Body {
        version: VERSION,
        erasure: Uuid::from_u128(number),
        ledger,
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
        scan: Scan { folders: vec!["data".to_owned()], complete: true, scanned: 1, walk_only: 0, found: 0 },
        program: "a \"test\" \u{e9}".to_owned(),
    }
}

fn came_back(ledger: Uuid, number: u128) -> Entry {
    Entry::Consent { ledger, consent: Uuid::from_u128(number), day: day(NOON) }
}

/// Appends an entry for each number, 100 in a transaction.
async fn append(world: &World, numbers: std::ops::Range<u128>) {
    let store = &world.node().store;
    for first in numbers.clone().step_by(100) {
        let numbers = first..numbers.end.min(first + 100);
        let appended = store.write(ONE, move |tx| {
            numbers
                .clone()
                .try_for_each(|number| ledger::append(tx, ONE, |ledger| came_back(ledger, number)).map(drop))
        });
        appended.await.map_err(|fault: StoreFault| fault).expect("appended");
    }
}

async fn head(world: &World, account: AccountId) -> Head {
    let found = world.node().store.read(move |tx| ledger::head(tx, account)).await;
    found.map_err(|fault: StoreFault| fault).expect("read").expect("every account has a ledger")
}

async fn issue(world: &World, number: u128) -> ledger::IssuedCertificate {
    let keys = world.node().keys.clone();
    let ledger = head(world, ONE).await.ledger;
    let issued =
        world.node().store.write(ONE, move |tx| ledger::issue(tx, &keys, ONE, &body(ledger, number)));
    issued.await.map_err(|fault: LedgerFault| fault).expect("issued")
}

async fn certificate(world: &World, issued: &ledger::IssuedCertificate) -> String {
    let keys = world.node().keys.clone();
    let index = issued.index;
    let body = issued.body.clone();
    let signature = issued.signature;
    let made = world.node().store.read(move |tx| {
        let issued = ledger::IssuedCertificate { index, body: body.clone(), signature };
        ledger::certificate(tx, &keys, ONE, issued, NOON)
    });
    made.await.map_err(|fault: LedgerFault| fault).expect("a certificate").to_string()
}

/// The key as the operator hands it out.
async fn key(world: &World) -> Key {
    let signer = world.control("/control/ledger/key", json!({})).await;
    signer["Key"].as_str().and_then(|key| key.parse().ok()).expect("a key")
}

async fn checkpoint(world: &World) -> Checkpoint {
    let answer = world.control("/control/ledger/checkpoint", json!({"Name": "one"})).await;
    lethe_verify::read_checkpoint(&answer.to_string()).expect("a checkpoint in its exact form")
}

async fn export(world: &World) -> String {
    world.control_text("/control/ledger/export", json!({"Name": "one"})).await
}

async fn entries(world: &World) -> Vec<String> {
    let all = world.node().store.read(|tx| ledger::entries(tx, ONE, 0, 1 << 40));
    all.await.map_err(|fault: StoreFault| fault).expect("entries")
}

async fn a_thousand_entries_are_proved_by_whoever_has_the_key(world: World) {
    world.shop("one").await;
    let key = key(&world).await;
    let first = issue(&world, 1).await;
    let early = checkpoint(&world).await;
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
    assert_every_entry_proved(&world, &checked.checkpoint).await;
}

/// Proofs from the store, against a tree in memory.
async fn assert_every_entry_proved(world: &World, checkpoint: &Checkpoint) {
    let mut tree = ct_merkle::mem_backed_tree::MemoryBackedTree::<sha2::Sha256, Vec<u8>>::new();
    entries(world).await.into_iter().for_each(|entry| tree.push(entry.into_bytes()));
    assert_eq!(tree.root().as_bytes().as_slice(), checkpoint.root.0);
    for index in (0..1001).step_by(37).chain([1000]) {
        let proof = world.node().store.read(move |tx| ledger::inclusion(tx, ONE, index, 1001));
        let proof = proof.await.map_err(|fault: LedgerFault| fault).expect("a proof").concat();
        assert_eq!(proof, tree.prove_inclusion(usize::try_from(index).expect("a number")).as_bytes());
    }
}

async fn a_ledger_grows_through_a_restart_and_every_checkpoint_is_its_beginning(mut world: World) {
    world.shop("one").await;
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
        let grown = world
            .control("/control/ledger/growth", json!({"Name": "one", "Size": old.size}))
            .await
            .to_string();
        let new = check_growth(old, &grown, Some(&key)).expect("grown");
        assert_eq!(new.size, kept[12].size);
        check_ledger(export(&world).await.as_bytes(), Some(&key), Some(old)).expect("its beginning");
        let other = Checkpoint { root: Hex([7; 32]), ..*old };
        assert!(check_growth(&other, &grown, Some(&key)).is_err());
    }
}

async fn entries_appended_at_once_are_all_there_once(world: World) {
    let shop = world.shop("one").await;
    let units: Vec<_> = (0..200)
        .map(|number| {
            let store = world.node().store.clone();
            tokio::spawn(async move {
                store.write(ONE, move |tx| ledger::append(tx, ONE, |ledger| came_back(ledger, number))).await
            })
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
    world.shop("one").await;
    let before = export(&world).await;
    let failed = world.node().store.write(ONE, |tx| {
        ledger::append(tx, ONE, |ledger| came_back(ledger, 1))?;
        Err::<(), _>(StoreFault::Panicked)
    });
    assert!(failed.await.is_err());
    assert_eq!(export(&world).await, before);
    // A unit that runs a second time appends once.
    let ran = Arc::new(AtomicBool::new(false));
    let twice = world.node().store.write(ONE, move |tx| {
        ledger::append(tx, ONE, |ledger| came_back(ledger, 2))?;
        if ran.swap(true, Ordering::SeqCst) { Ok(()) } else { Err(StoreFault::Conflict) }
    });
    let _ = twice.await;
    append(&world, 3..5).await;
    let checked = check_ledger(export(&world).await.as_bytes(), None, None).expect("good");
    assert!((2..=3).contains(&checked.consents));
}

async fn catch_up(world: &World, from: u64, lines: &[String]) -> Result<u64, LedgerFault> {
    catch_up_of(world, ONE, from, lines).await
}

async fn catch_up_of(
    world: &World,
    account: AccountId,
    from: u64,
    lines: &[String],
) -> Result<u64, LedgerFault> {
    let lines = lines.to_vec();
    world.node().store.write(Owner::STORE, move |tx| ledger::catch_up(tx, account, from, &lines)).await
}

async fn a_ledger_catches_up_with_a_later_copy_of_itself_and_with_no_other(world: World) {
    world.shop("one").await;
    world.shop("two").await;
    append(&world, 0..20).await;
    let known = entries(&world).await;
    let ledger = head(&world, ONE).await.ledger;
    let others = head(&world, AccountId(2)).await.ledger;
    let mut later = known.clone();
    later.extend((100..140).map(|number| came_back(ledger, number).to_string()));
    let mut other = later.clone();
    other[7] = came_back(ledger, 999).to_string();
    let mut anothers = later.clone();
    anothers[33] = came_back(others, 999).to_string();
    let mut foreign = later.clone();
    foreign[30] = foreign[30].replace("Consent", "Consens");
    let refused = [(0, &other), (0, &foreign), (0, &anothers)].map(|(from, lines)| (from, &lines[..]));
    for (from, lines) in refused.into_iter().chain([(0, &later[1..]), (25, &later[25..])]) {
        assert!(matches!(catch_up(&world, from, lines).await, Err(LedgerFault::Other)));
    }
    assert_eq!(entries(&world).await, known);
    assert_eq!(catch_up(&world, 15, &later[15..30]).await.expect("later"), 9);
    assert_eq!(catch_up(&world, 0, &later).await.expect("later"), 31);
    assert_eq!(catch_up(&world, 0, &later).await.expect("the same"), 0);
    assert_eq!(catch_up(&world, 3, &known[3..9]).await.expect("a part"), 0);
    assert_eq!(entries(&world).await, later);
    assert_eq!(head(&world, AccountId(2)).await.size, 1, "nobody else's");
    // An account that a restore did not bring back has no ledger, and gets one from its beginning only.
    let lost: Vec<_> =
        later.iter().map(|line| line.replace(&ledger.to_string(), &Uuid::from_u128(7).to_string())).collect();
    assert!(matches!(catch_up_of(&world, AccountId(3), 1, &lost[1..]).await, Err(LedgerFault::Other)));
    assert_eq!(catch_up_of(&world, AccountId(3), 0, &lost).await.expect("a ledger"), 61);
    assert_eq!(head(&world, AccountId(3)).await.ledger, Uuid::from_u128(7));
    check_ledger(export(&world).await.as_bytes(), None, None).expect("good");
}

async fn what_the_ledger_never_had_is_not_proved(world: World) {
    world.shop("one").await;
    // Another account's data makes no ledger longer.
    world.shop("two").await;
    append(&world, 0..5).await;
    for (index, size) in [(6, 6), (0, 7), (0, 0), (u64::MAX, u64::MAX)] {
        let proof = world.node().store.read(move |tx| ledger::inclusion(tx, ONE, index, size)).await;
        assert!(matches!(proof, Err(LedgerFault::Beyond)), "{index} {size}");
    }
    for (old, new) in [(0, 6), (4, 3), (6, 7), (u64::MAX, u64::MAX)] {
        let proof = world.node().store.read(move |tx| ledger::consistency(tx, ONE, old, new)).await;
        assert!(matches!(proof, Err(LedgerFault::Beyond)), "{old} {new}");
    }
}

/// Forgets an unknown person, and returns the certificate.
async fn forget_unknown(world: &World, shop: &Shop, identifier: &str) -> String {
    let asked = world.ask(shop, "/api/user/forget", json!({"Identifier": identifier})).await;
    world.run_all_jobs().await;
    fetch_certificate(world, shop, asked.header("x-erasure-id")).await
}

async fn fetch_certificate(world: &World, shop: &Shop, erasure: &str) -> String {
    world.ask(shop, "/api/erasure/certificate", json!({"Erasure": erasure})).await.text
}

/// A certificate without the time at which its checkpoint was signed.
fn timeless(certificate: &str) -> Value {
    let mut json: Value = serde_json::from_str(certificate).expect("JSON");
    for member in ["At", "Signature"] {
        assert!(json["Checkpoint"][member].take() != Value::Null, "{certificate}");
    }
    json
}

async fn what_another_shop_erases_changes_nothing_in_a_shops_certificate(world: World) {
    let key = key(&world).await;
    let shops = [world.shop("one").await, world.shop("two").await];
    for shop in &shops {
        world.apply_delta(shop, json!({"Users": [{"UserId": "u-1", "Email": "ada@shop.test"}]})).await;
    }
    let mut sizes = [1, 1];
    let mut ledgers = [Uuid::nil(); 2];
    for (round, turn) in (0..6).zip([0, 1, 1, 0, 1, 1]) {
        let other = 1 - turn;
        // A known person, and then others.
        let identifier = if round < 2 { "ada@shop.test".to_owned() } else { format!("x-{round}@shop.test") };
        let text = forget_unknown(&world, &shops[turn], &identifier).await;
        let checked = check_certificate(&text, Some(&key)).expect("good");
        // The genesis and its own erasures are counted, and nothing else.
        sizes[turn] += 1;
        assert_eq!((checked.index + 1, checked.checkpoint.size), (sizes[turn], sizes[turn]), "{round}");
        ledgers[turn] = checked.checkpoint.ledger;
        assert_eq!(checked.body.ledger, ledgers[turn]);
        forget_unknown(&world, &shops[other], &format!("beside-{round}@shop.test")).await;
        sizes[other] += 1;
        let later = fetch_certificate(&world, &shops[turn], &checked.body.erasure.to_string()).await;
        assert_eq!(timeless(&later), timeless(&text), "{round}");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        let scan: Vec<_> = json["Body"]["Scan"].as_object().expect("a scan").keys().cloned().collect();
        // No files and no bytes: they are those of all shops.
        assert_eq!(scan, ["Folders", "Complete", "Scanned", "WalkOnly", "Found"]);
    }
    assert_ne!(ledgers[0], ledgers[1]);
    for (name, size) in [("one", sizes[0]), ("two", sizes[1])] {
        let text = world.control_text("/control/ledger/export", json!({"Name": name})).await;
        let checked = check_ledger(text.as_bytes(), Some(&key), None).expect("good");
        assert_eq!((checked.erasures, checked.checkpoint.size), (size - 1, size));
    }
}

async fn the_operator_names_whose_ledger_it_is(world: World) {
    let key = key(&world).await;
    let _ = world.shop("one").await;
    world.shop("two").await;
    let one = checkpoint(&world).await;
    let ask = async |path: &str, body: Value| world.control(path, body).await;
    let two = ask("/control/ledger/checkpoint", json!({"Name": "two"})).await.to_string();
    let two = lethe_verify::read_checkpoint(&two).expect("a checkpoint");
    assert_ne!(one.ledger, two.ledger);
    // By its id too: that is all an auditor has of an account that a restore did not bring back.
    let by_id = ask("/control/ledger/checkpoint", json!({"Name": two.ledger})).await.to_string();
    assert_eq!(lethe_verify::read_checkpoint(&by_id).expect("a checkpoint"), two);
    append(&world, 0..5).await;
    let grown = ask("/control/ledger/growth", json!({"Name": "one", "Size": 1})).await.to_string();
    assert_eq!(check_growth(&one, &grown, Some(&key)).expect("grown").size, 6);
    let fault = check_growth(&two, &grown, Some(&key)).expect_err("another's").to_string();
    assert!(fault.contains("another account"), "{fault}");
    for (path, body, says) in [
        ("/control/ledger/checkpoint", json!({}), "Name is missing"),
        ("/control/ledger/export", json!({}), "Name is missing"),
        ("/control/ledger/growth", json!({"Size": 1}), "Name is missing"),
        ("/control/ledger/growth", json!({"Name": "one"}), "Size is missing"),
        ("/control/ledger/growth", json!({"Name": "two", "Size": 2}), "no such entry"),
        ("/control/ledger/checkpoint", json!({"Name": "three"}), "no account has that name"),
        ("/control/ledger/export", json!({"Name": Uuid::nil()}), "no account has that name"),
    ] {
        let (status, told) = world.control_answer(path, body.clone()).await;
        assert!(status.is_client_error() && told.contains(says), "{path} {body}: {status} {told}");
    }
}

/// On one engine: it takes its time, and the same of both.
#[test]
fn an_export_has_the_entries_of_every_page() {
    on_sqlite(long_export);
}

async fn long_export(world: World) {
    world.shop("one").await;
    let key = key(&world).await;
    let most = u128::from(limits::LEDGER_PAGE_ENTRIES) + 5;
    append(&world, 0..most).await;
    let text = export(&world).await;
    let checked = check_ledger(text.as_bytes(), Some(&key), None).expect("good");
    assert_eq!(u128::from(checked.checkpoint.size), most + 1);
    // Each entry, the one that begins the ledger, and the checkpoint.
    assert_eq!(text.lines().count() as u128, most + 2);
}
