//! The store: one text of SQL on two engines. Only this module knows that there are two.
//!
//! A unit of work is a closure handed to a thread that owns a connection; see `engine`, `unit_queue` and `batch`.

mod account_counts;
mod batch;
mod batched_sql;
mod connection;
mod copied_table;
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
mod postgres_error;
mod postgres_fault;
mod postgres_tls;
mod postgres_values;
mod prefetch;
mod row;
mod schema;
mod sqlite;
pub mod statement;
mod threads;
pub mod tx;
mod tx_prefetch;
mod unit_of_work;
mod unit_queue;

pub use self::account_counts::AccountCounts;
pub use self::copy::{CopyContent, check_copy, read_copy};
pub use self::engine::{Store, StoreOptions};
pub use self::failover_guard::{AcknowledgedNumbers, LostRequests};
pub use self::fault::StoreFault;
pub use self::owner::Owner;
pub use self::postgres_address::PostgresAddress;
pub use self::postgres_fault::PostgresFault;
pub use self::row::Row;
pub use self::statement::{Arg, Statement};
pub use self::tx::Tx;

/// Schema version this binary writes; an older binary refuses a newer one.
pub const SCHEMA_VERSION: i32 = schema::LATEST;
pub use self::schema::sqlite_texts;
