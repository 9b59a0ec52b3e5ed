//! Numbers and seeds of random schedules.

pub fn read_number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// The seeds of one of several tests that share them.
pub fn list_seeds(all: u64, parts: u64, part: u64) -> Vec<u64> {
    match read_number("LETHE_TEST_SEED") {
        Some(seed) if part == 0 => vec![seed],
        Some(_) => Vec::new(),
        None => (0..all).filter(|seed| seed % parts == part).collect(),
    }
}

/// The numbers of a seed (SplitMix64).
pub struct Random(pub u64);
