//! Random families: few user ids, few addresses, and whatever a shop may send about them, against the model.
//!
//! `LETHE_TEST_FAMILIES` sets how many are drawn on each engine (200). Again: `LETHE_TEST_SEED=17 cargo nextest run
//! --cargo-profile ci --test it families::random::sqlite::random_1`.

use serde_json::json;

use super::family::{apply_profile, forget_exactly, is_suppressed, send_orders};
use super::model::{Email, Model, User};
use super::rows::contents;
use crate::support::log_traces;
use crate::support::postgres::Database;
use crate::support::world::{Shop, World, runtime};

const PARTS: u64 = 8;
const USERS: u8 = 4;
const EMAILS: u8 = 4;

macro_rules! part {
    ($($name:ident $part:literal)*) => {
        mod sqlite { $(#[test] fn $name() { super::run_part(None, $part); })* }
        mod postgres {
            $(#[test] fn $name() {
                if let Some(database) = super::Database::create() {
                    super::run_part(Some(database), $part);
                }
            })*
        }
    };
}
part! { random_1 0 random_2 1 random_3 2 random_4 3 random_5 4 random_6 5 random_7 6 random_8 7 }

fn read_number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn run_part(database: Option<Database>, part: u64) {
    log_traces::capture_logs();
    runtime().block_on(async { run(&World::open_in_memory(database).await, part).await });
    log_traces::assert_clean();
}

async fn run(world: &World, part: u64) {
    let seeds: Vec<u64> = match read_number("LETHE_TEST_SEED") {
        Some(seed) => vec![seed],
        None => (0..read_number("LETHE_TEST_FAMILIES").unwrap_or(200))
            .filter(|seed| seed % PARTS == part)
            .collect(),
    };
    for seed in seeds {
        let shop = world.shop(&format!("family-{seed}")).await;
        family(world, &shop, seed).await;
    }
}

/// A source of numbers: SplitMix64 (Steele, Lea and Flood, 2014).
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u8) -> u8 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % u64::from(end)) as u8
    }

    fn email(&mut self) -> Option<Email> {
        (self.below(4) > 0).then(|| self.below(EMAILS))
    }
}

fn user(user: User) -> String {
    format!("u{user}")
}

fn email(email: Option<Email>) -> String {
    email.map_or_else(String::new, |email| format!("e{email}@x.test"))
}

async fn family(world: &World, shop: &Shop, seed: u64) {
    let mut draw = Draw(seed);
    let mut model = Model::default();
    let mut told = Vec::new();
    let ops = 10 + draw.below(8);
    for at in 0..ops {
        let who = draw.below(USERS);
        match draw.below(10) {
            0..3 => {
                let has = draw.email();
                let mark = format!("m{at}");
                told.push(format!("profile {who} {has:?}"));
                apply_profile(world, shop, &user(who), &email(has), &mark).await;
                model.profile(who, has, &mark);
            }
            3..7 => {
                let mut rows = Vec::new();
                for n in 0..1 + draw.below(3) {
                    let who = (draw.below(4) > 0).then(|| draw.below(USERS));
                    let has = if who.is_some() { draw.email() } else { Some(draw.below(EMAILS)) };
                    // Some are sent again later.
                    let id = if draw.below(4) == 0 {
                        format!("same-{who:?}-{has:?}")
                    } else {
                        format!("o{at}-{n}")
                    };
                    rows.push((id, who, has));
                }
                told.push(format!("orders {rows:?}"));
                let lines: Vec<[String; 3]> = rows
                    .iter()
                    .map(|(id, who, has)| [id.clone(), who.map(user).unwrap_or_default(), email(*has)])
                    .collect();
                let lines: Vec<[&str; 3]> =
                    lines.iter().map(|line| line.each_ref().map(String::as_str)).collect();
                send_orders(world, shop, &lines).await;
                rows.iter().for_each(|(id, who, has)| model.order(*who, *has, id));
            }
            7 => {
                told.push(format!("removal {who}"));
                world.apply_delta(shop, json!({"DeleteUsers": [user(who)]})).await;
                model.remove(who);
            }
            _ if draw.below(3) > 0 => {
                let asked = draw.below(EMAILS);
                told.push(format!("forget e{asked}"));
                forget_exactly(world, shop, &email(Some(asked))).await;
                model.forget_email(asked);
            }
            _ => {
                told.push(format!("forget u{who}"));
                forget_exactly(world, shop, &format!("userid:{}", user(who))).await;
                model.forget_user(who);
            }
        }
        let story = || format!("seed {seed} after\n{}", told.join("\n"));
        assert_eq!(contents(world, shop).await, model.contents(), "{}", story());
        let is_last_or_forget = told.last().is_some_and(|told| told.starts_with("forget")) || at == ops - 1;
        if !is_last_or_forget {
            continue;
        }
        for who in 0..USERS {
            let is_shut = is_suppressed(world, shop, &format!("userid:{}", user(who))).await;
            assert_eq!(is_shut, model.shut_users.contains(&who), "user {who}: {}", story());
        }
        for has in 0..EMAILS {
            let is_shut = is_suppressed(world, shop, &email(Some(has))).await;
            assert_eq!(is_shut, model.shut_emails.contains(&has), "email {has}: {}", story());
        }
    }
}
