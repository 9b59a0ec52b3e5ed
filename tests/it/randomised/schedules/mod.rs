//! Seeded schedules: whatever happens in whatever order, at rest nothing of a forgotten person is left that is older
//! than the request, and everybody else is as a small model of the rules says.
//!
//! `LETHE_TEST_SCHEDULES` sets how many are run on the embedded store (1,000; a fifth of them on PostgreSQL). One that
//! fails is made short, printed, and kept in `tests/seeds.txt`, whose seeds are run first. Again:
//! `LETHE_TEST_SEED=17 cargo nextest run --cargo-profile ci --test it schedules::sqlite::part_1 --no-capture`.

mod drive;
mod loss;
mod model;
mod operations;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use crate::support::log_traces;
use crate::support::postgres::{Database, is_strict};
use crate::support::residue::{contains_bytes, spellings, visit_all_bytes};
use crate::support::world::{World, runtime};
use drive::Drive;
use operations::{EMAIL_CANARY, ID_CANARY, Operation, draw_operations};

/// Tests that share the seeds of an engine, so that they run side by side.
const PARTS: u64 = 8;
/// Schedules on one node, one after the other.
const ON_ONE_NODE: usize = 25;
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/seeds.txt");

macro_rules! part {
    ($(fn $name:ident() $part:literal)*) => {
        mod sqlite { $(#[test] fn $name() { super::run_part(super::Engine::Sqlite, $part); })* }
        mod postgres { $(#[test] fn $name() { super::run_part(super::Engine::Postgres, $part); })* }
    };
}
part! {
    fn part_1() 0 fn part_2() 1 fn part_3() 2 fn part_4() 3
    fn part_5() 4 fn part_6() 5 fn part_7() 6 fn part_8() 7
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    /// An empty world; `None` where there is no PostgreSQL.
    async fn world(self) -> Option<World> {
        let database = match self {
            Self::Sqlite => None,
            // It connects by itself, which it must not do on a thread of the runtime.
            Self::Postgres => Some(tokio::task::spawn_blocking(Database::create).await.expect("a database")?),
        };
        Some(World::open_in_memory(database).await)
    }

    fn schedules(self) -> u64 {
        let wanted = std::env::var("LETHE_TEST_SCHEDULES").ok().and_then(|text| text.parse().ok());
        let all = wanted.unwrap_or(1000);
        if self == Self::Sqlite { all } else { all / 5 }
    }
}

fn read_asked_seed() -> Option<u64> {
    std::env::var("LETHE_TEST_SEED").ok().and_then(|text| text.parse().ok())
}

fn read_kept_seeds() -> Vec<u64> {
    let text = std::fs::read_to_string(KEPT).expect("the seeds that failed once");
    text.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect()
}

/// Runs a share of the seeds; the first share begins with those that failed once.
fn run_part(engine: Engine, part: u64) {
    log_traces::capture_logs();
    let mine = (0..engine.schedules()).filter(|seed| seed % PARTS == part);
    let seeds: Vec<u64> = match (read_asked_seed(), part) {
        (Some(seed), 0) => {
            said_aloud(engine, seed);
            return;
        }
        (Some(_), _) => return,
        (None, 0) => read_kept_seeds().into_iter().chain(mine).collect(),
        (None, _) => mine.collect(),
    };
    for some in seeds.chunks(ON_ONE_NODE) {
        let at = Arc::new(AtomicU64::new(0));
        if let Err(why) = run_some(engine, some, &at) {
            // A fault found at the end of a node may belong to any schedule.
            let is_bad = |seed: &u64| run_alone(engine, *seed, &draw_operations(*seed)).is_err();
            let seed =
                Some(at.load(Ordering::SeqCst)).filter(is_bad).or_else(|| some.iter().copied().find(is_bad));
            match seed {
                Some(seed) => panic!("{}", shorten_failure(engine, seed, &why)),
                None => panic!("only one after the other fail {some:?}: {why}"),
            }
        }
    }
}

/// Runs one on request, and prints the observations.
#[expect(clippy::print_stdout, reason = "for the person who asked for it")]
fn said_aloud(engine: Engine, seed: u64) {
    match run_alone(engine, seed, &draw_operations(seed)) {
        Ok(trace) => println!("{}", trace.join("\n")),
        Err(why) => panic!("{}", shorten_failure(engine, seed, &why)),
    }
}

/// Runs schedules on one node, then looks at every byte; `at` shows which one it is.
fn run_some(engine: Engine, seeds: &[u64], at: &Arc<AtomicU64>) -> Result<(), String> {
    let seeds = seeds.to_vec();
    let at = at.clone();
    let ran = catch_unwind(AssertUnwindSafe(|| {
        runtime().block_on(async {
            let Some(mut world) = engine.world().await else { return };
            for (run, seed) in seeds.iter().enumerate() {
                at.store(*seed, Ordering::SeqCst);
                Drive::new(&mut world, *seed, run).await.run(&draw_operations(*seed)).await;
            }
            assert_no_residue(&world).await;
            log_traces::assert_clean();
        });
    }));
    ran.map_err(|panic| said(&*panic))
}

/// Runs a schedule on a node of its own; returns the observations.
fn run_alone(engine: Engine, seed: u64, operations: &[Operation]) -> Result<Vec<String>, String> {
    let ran = catch_unwind(AssertUnwindSafe(|| {
        runtime().block_on(async {
            let Some(mut world) = engine.world().await else { return Vec::new() };
            let trace = Drive::new(&mut world, seed, 0).await.run(operations).await;
            assert_no_residue(&world).await;
            trace
        })
    }));
    ran.map_err(|panic| said(&*panic))
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// No canary stands anywhere in any encoding.
async fn assert_no_residue(world: &World) {
    let mut never = spellings(ID_CANARY);
    never.extend(spellings(EMAIL_CANARY));
    let mut found = Vec::new();
    visit_all_bytes(world, &mut |name, bytes| {
        if never.iter().any(|canary| contains_bytes(bytes, canary)) {
            found.push(name.to_owned());
        }
    })
    .await;
    assert!(found.is_empty(), "a canary in {found:?}");
}

/// Makes a failing schedule short, keeps its seed, and says how it is run again.
fn shorten_failure(engine: Engine, seed: u64, why: &str) -> String {
    let whole = draw_operations(seed);
    let fails = |operations: &[Operation]| run_alone(engine, seed, operations).err();
    let short = match (1..=whole.len()).find(|length| fails(&whole[..*length]).is_some()) {
        Some(length) => without_needless(whole[..length].to_vec(), &fails),
        None => return format!("seed {seed} fails only behind others of its node: {why}"),
    };
    let why = fails(&short).unwrap_or_default();
    if !is_strict() && !read_kept_seeds().contains(&seed) {
        let mut text = std::fs::read_to_string(KEPT).expect("the seeds");
        text.push_str(&format!("{seed}\n"));
        std::fs::write(KEPT, text).expect("the seed is kept");
    }
    let steps: Vec<String> = short.iter().map(|operation| format!("  {operation:?}")).collect();
    let name = format!("{engine:?}").to_lowercase();
    format!(
        "seed {seed} fails: {why}\nafter\n{}\nagain: LETHE_TEST_SEED={seed} cargo nextest run --cargo-profile ci \
         --test it schedules::{name}::part_1 --no-capture\nIts place is in tests/seeds.txt.",
        steps.join("\n")
    )
}

/// Leaves out the operations that the failure does not need.
fn without_needless(
    mut operations: Vec<Operation>,
    fails: &dyn Fn(&[Operation]) -> Option<String>,
) -> Vec<Operation> {
    for at in (0..operations.len()).rev() {
        let mut fewer = operations.clone();
        fewer.remove(at);
        if fails(&fewer).is_some() {
            operations = fewer;
        }
    }
    operations
}

#[test]
fn the_same_seed_is_the_same_schedule_to_the_last_byte() {
    for seed in 0..3 {
        let trace = || run_alone(Engine::Sqlite, seed, &draw_operations(seed)).expect("it holds");
        let hash = || Sha256::digest(trace().join("\n"));
        assert_eq!(hash(), hash(), "seed {seed}");
    }
    let first = |seed| format!("{:?}", draw_operations(seed));
    assert_ne!(first(1), first(2));
}
