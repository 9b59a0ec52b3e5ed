//! Numbers of repetitions that the environment sets.

/// Number of people to forget one by one, if it was set.
pub fn read_wanted_people() -> u64 {
    std::env::var("LETHE_TEST_UNLEARNED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Number of people who come and go.
pub fn read_wanted_rounds() -> usize {
    let wanted = std::env::var("LETHE_TEST_CHURN").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or(300)
}

/// Number of people of each kind.
pub fn read_wanted_samples() -> usize {
    std::env::var("LETHE_TEST_SAMPLES").ok().and_then(|text| text.parse().ok()).unwrap_or(2)
}
