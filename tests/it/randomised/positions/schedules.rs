//! Seeded schedules of a catalogue: whatever happens in whatever order, a client that follows it from any stop to any
//! other shows the same as one that reads everything.
//!
//! `LETHE_TEST_SCHEDULES` sets how many are run on the embedded store (1,000; a tenth of them on PostgreSQL, 200 at the
//! least). One of them again: `LETHE_TEST_SEED=17 cargo nextest run --cargo-profile ci --test it
//! positions::schedules::sqlite::part_1 --no-capture`.

use super::drive::run_seeds;
use crate::support::random::{list_seeds, read_number};

/// Tests that share the seeds of an engine, so that they run side by side.
const PARTS: u64 = 10;

macro_rules! part {
    ($(fn $name:ident() $part:literal)*) => {
        mod sqlite { $(#[test] fn $name() { super::run_part(false, $part); })* }
        mod postgres { $(#[test] fn $name() { super::run_part(true, $part); })* }
    };
}
part! {
    fn part_1() 0 fn part_2() 1 fn part_3() 2 fn part_4() 3 fn part_5() 4
    fn part_6() 5 fn part_7() 6 fn part_8() 7 fn part_9() 8 fn part_10() 9
}

fn run_part(is_postgres: bool, part: u64) {
    let all = read_number("LETHE_TEST_SCHEDULES").unwrap_or(1000);
    let all = if is_postgres { (all / 10).max(200.min(all)) } else { all };
    run_seeds(is_postgres, &list_seeds(all, PARTS, part), false);
}
