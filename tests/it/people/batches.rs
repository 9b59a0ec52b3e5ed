//! Many people in one unit of work: the result is the same as for one after the other.

use std::time::Duration;

use lethe::ids::AccountId;
use lethe::ids::identifier::Identifier;
use lethe::jobs::Lane;
use lethe::keys::SlotNumber;
use lethe::people::subject::{identifier_aad, record_aad};
use lethe::store::StoreFault;
use lethe::{args, limits, sql};
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_feed_of_many_people_is_many_feeds_of_one
    a_feed_of_more_people_than_a_unit_of_work_takes_is_stored_whole
    an_older_feed_replaces_no_newer_profile
}

/// User ids and addresses there are: few, so that rows often meet.
const NAMES: u64 = 9;
/// Rows of a feed.
const ROWS: usize = 40;

/// Numbers that are the same for the same seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ (mixed >> 27)) % bound
    }
}

/// A user of few: the same ones come twice, share addresses, get others and lose them.
fn user(random: &mut Random) -> Value {
    let id = random.below(NAMES);
    let mut user = json!({"UserId": format!("u{id}"), "FirstName": format!("F{}", random.below(3))});
    match random.below(4) {
        0 => {}
        1 => user["Email"] = json!(format!("own{id}@people.test")),
        _ => user["Email"] = json!(format!("shared{}@people.test", random.below(NAMES))),
    }
    user
}

fn users(random: &mut Random, count: usize) -> Vec<Value> {
    (0..count).map(|_| user(random)).collect()
}

fn names() -> impl Iterator<Item = String> {
    (0..NAMES).flat_map(|n| {
        [format!("userid:u{n}"), format!("own{n}@people.test"), format!("shared{n}@people.test")]
    })
}

/// Submits users as one feed, or as a feed each.
async fn submit(world: &World, shop: &Shop, users: &[Value], at_once: usize, round: usize) {
    for (n, users) in users.chunks(at_once).enumerate() {
        let body = json!({"Users": users}).to_string();
        let url = world.feeds.serve(&format!("/{}/{round}/{n}", shop.name), [Answer::ok(body)]);
        world.feed(shop, &url).await;
        // The feeds are stored in this order.
        world.clock.advance(Duration::from_millis(1));
    }
}

/// All that is stored of a shop's people, opened, without random ids; and which names are forgotten.
async fn list_stored(world: &World, account: i64) -> Vec<String> {
    let keys = world.node().keys.clone();
    let account = AccountId(account);
    let reading = world.node().store.read(move |tx| {
        let mut people = Vec::new();
        for row in tx.run(&sql::subject_page, args![0, &[0; 16], 1000])? {
            let id = row.bytes::<16>("id")?;
            let slot = SlotNumber::from_row(row.int("slot")?).expect("a slot");
            if row.int("account_id")? != account.0 {
                continue;
            }
            let sealer = keys.sealer(slot).expect("a key");
            let mut parts = Vec::new();
            for row in tx.run(&sql::identifier_of_subject, args![account.0, &id])? {
                let text =
                    sealer.open(&identifier_aad(account, &id, row.blob("tag")?), row.blob("sealed")?).ok();
                let role = row.int("role").unwrap_or_default();
                parts.push(format!(
                    "{} {role} {}",
                    row.int("kind")?,
                    String::from_utf8_lossy(&text.expect("it opens"))
                ));
            }
            for row in tx.run(&sql::record_all, args![account.0, &id, "", -1, 1000])? {
                let kind = row.text("kind")?.to_owned();
                let n = row.int("n")?;
                let text = sealer.open(&record_aad(account, &id, &kind, n), row.blob("sealed")?).ok();
                parts.push(format!("{kind} {n} {}", String::from_utf8_lossy(&text.expect("it opens"))));
            }
            parts.sort();
            people.push(parts.join("; "));
        }
        people.sort();
        for name in names() {
            let id = Identifier::parse_forget(&name).expect("a name").first().clone();
            let tag = keys.suppression_tag(account, &id);
            let is_shut = tx.row(&sql::suppression_get, args![account.0, &tag])?.is_some();
            people.push(format!("{name} {is_shut}"));
        }
        let kept_out =
            tx.row(&sql::subject_count, args![account.0])?.map_or(Ok(0), |row| row.int("kept_out"))?;
        people.push(format!("kept out: {kept_out}"));
        Ok(people)
    });
    reading.await.map_err(|fault: StoreFault| fault).expect("it is stored")
}

/// Known people, some of them forgotten; a feed, while a delta removes others; a forget; another feed.
async fn live(world: &World, shop: &Shop, seed: u64, at_once: usize) {
    let random = &mut Random(seed);
    let known = users(random, 10);
    world.apply_delta(shop, json!({"Users": known})).await;
    let forgotten: Vec<_> = names().filter(|_| random.below(6) == 0).collect();
    for name in &forgotten {
        world.forget(shop, name).await;
    }
    world.run_all_jobs().await;
    submit(world, shop, &users(random, ROWS), at_once, 1).await;
    let removed: Vec<_> = (0..2).map(|_| format!("u{}", random.below(NAMES))).collect();
    world.delta(shop, json!({"DeleteUsers": removed})).await;
    world.run_jobs(Lane::DELTA).await;
    world.run_all_jobs().await;
    let late = names().nth(usize::try_from(random.below(3 * NAMES)).expect("a place")).expect("a name");
    world.forget(shop, &late).await;
    submit(world, shop, &users(random, ROWS), at_once, 2).await;
    world.run_all_jobs().await;
}

async fn a_feed_of_many_people_is_many_feeds_of_one(world: World) {
    for seed in 0..6 {
        let together = world.shop(&format!("together-{seed}")).await;
        let apart = world.shop(&format!("apart-{seed}")).await;
        live(&world, &together, seed, ROWS).await;
        live(&world, &apart, seed, 1).await;
        let account = i64::try_from(2 * seed).expect("a number");
        let one = list_stored(&world, account + 1).await;
        let other = list_stored(&world, account + 2).await;
        assert_eq!(one, other, "seed {seed}");
        assert!(one.len() > 3 * 9 + 1, "nobody is stored: {one:?}");
    }
}

async fn a_feed_of_more_people_than_a_unit_of_work_takes_is_stored_whole(world: World) {
    let shop = world.shop("one").await;
    let users: Vec<_> = (0..=limits::UNIT_PROFILES)
        .map(|n| json!({"UserId": format!("u{n}"), "Email": format!("u{n}@people.test")}))
        .collect();
    submit(&world, &shop, &users, users.len(), 1).await;
    world.run_jobs(Lane::FETCH).await;
    assert_eq!(world.subjects(&shop).await, users.len() as u64);
}

async fn an_older_feed_replaces_no_newer_profile(world: World) {
    let shop = world.shop("one").await;
    let user =
        |name: &str| json!({"UserId": "u1", "FirstName": name, "Email": format!("{name}@people.test")});
    submit(&world, &shop, &[user("older"), user("oldest")], 2, 1).await;
    world.delta(&shop, json!({"Users": [user("newer")]})).await;
    world.run_jobs(Lane::DELTA).await;
    world.run_all_jobs().await;
    let people = list_stored(&world, 1).await;
    assert!(people[0].contains("newer") && !people[0].contains("old"), "{}", people[0]);
}
