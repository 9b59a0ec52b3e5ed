//! Jobs: lanes, leases, retries, and fair shares.

pub mod admission;
pub mod edges;
pub mod lanes;
pub mod late_holders;
pub mod midnight;
pub mod retries;
pub mod submission_events;
