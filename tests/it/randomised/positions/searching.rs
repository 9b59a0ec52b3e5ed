//! The search index as a follower: whatever happened to it, it answers to the last bit as an index that is built at
//! once from the same statistics and the same live items.

use super::drive::run_seeds;
use crate::support::random::{list_seeds, read_number};

/// Tests that share the seeds of an engine.
const PARTS: u64 = 4;

macro_rules! part {
    ($(fn $name:ident() $part:literal)*) => {
        mod sqlite { $(#[test] fn $name() { super::run_part(false, $part); })* }
        mod postgres { $(#[test] fn $name() { super::run_part(true, $part); })* }
    };
}
part! { fn part_1() 0 fn part_2() 1 fn part_3() 2 fn part_4() 3 }

/// One in twenty of the schedules that `LETHE_TEST_SCHEDULES` asks for, and a fifth of those on PostgreSQL: each builds
/// many indices.
fn run_part(is_postgres: bool, part: u64) {
    let all = read_number("LETHE_TEST_SCHEDULES").unwrap_or(1000).div_ceil(20);
    let all = if is_postgres { all.div_ceil(5) } else { all };
    run_seeds(is_postgres, &list_seeds(all, PARTS, part), true);
}
