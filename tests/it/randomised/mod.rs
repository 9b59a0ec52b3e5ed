//! Random histories against models: people, schedules, positions, writers, churn.

pub mod churn;
pub mod families;
pub mod positions;
pub mod schedules;
pub mod writers;
