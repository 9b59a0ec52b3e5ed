//! The store on both engines.

pub mod both_engines;
pub mod interleaved;
pub mod postgres_connection;
pub mod query_plans;
