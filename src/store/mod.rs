//! The store: one text of SQL on two engines. Only this module knows that there are two.
//!
//! A unit of work is a closure handed to a thread that owns a connection; see `engine`, `queue` and `batch`.

mod batch;
mod batched_sql;
mod connection;
mod copy;
mod copy_postgres;
mod engine;
mod failover_guard;
mod fault;
mod owner;
mod postgres;
mod postgres_address;
mod postgres_check;
mod postgres_client;
mod postgres_connect;
mod postgres_fault;
mod postgres_tls;
mod postgres_values;
mod prefetch;
mod queue;
mod row;
mod schema;
mod sqlite;
pub mod statement;

pub use copy::{CopyContent, check_copy, read_copy};
pub use engine::{Store, StoreOptions};
pub use failover_guard::{Acknowledged, Lost};
pub use fault::StoreFault;
pub use owner::Owner;
pub use postgres_address::PostgresAddress;
pub use postgres_fault::PostgresFault;
pub use row::Row;
pub use statement::{Arg, Statement, Tx};

/// Schema version this binary writes; an older binary refuses a newer one.
pub const SCHEMA_VERSION: i32 = schema::LATEST;
pub use schema::sqlite_texts;
