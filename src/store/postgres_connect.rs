//! Connecting to PostgreSQL: the only function that does, for the store, its copies and every reconnection.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::fault::StoreFault;
use super::postgres_address::PostgresAddress;
use super::postgres_error::connect_fault_of;
use super::postgres_fault::PostgresFault;
use super::{postgres_check, postgres_tls, schema};

/// A connection to a database that was looked at, with the tables of this binary.
pub(super) fn open(address: &PostgresAddress) -> Result<postgres::Client, StoreFault> {
    let server = address.parse()?.host_list();
    let mut client = open_as_it_is(address)?;
    schema::migrate_postgres(&mut client).map_err(|fault| match fault {
        StoreFault::DiskFull => PostgresFault::Full { server }.into(),
        other => other,
    })?;
    Ok(client)
}

/// The same without making or changing a table.
pub(super) fn open_as_it_is(address: &PostgresAddress) -> Result<postgres::Client, StoreFault> {
    let mut client = connect(address)?;
    postgres_check::check(&mut client, &address.parse()?)?;
    Ok(client)
}

/// A COMMIT that came back has to be on the disk, whatever the server's default is. Statements are short: compiling one
/// takes longer than running it.
const SETTINGS: &str = "SET synchronous_commit = on; SET client_min_messages = warning; SET statement_timeout = '60s'; \
                        SET jit = off";

fn connect(address: &PostgresAddress) -> Result<postgres::Client, PostgresFault> {
    let mut server = address.parse()?;
    server.take_password()?;
    let tls = postgres_tls::connector(&server.trust)?;
    let mut client = server.config.connect(tls).map_err(|error| connect_fault_of(&server, &error))?;
    client.batch_execute(SETTINGS).map_err(|error| connect_fault_of(&server, &error))?;
    Ok(client)
}

/// The way to one database, which all connections of a node have in common: it is lost once, and back once.
#[derive(Clone)]
pub(super) struct DatabaseLink {
    address: PostgresAddress,
    state: Arc<Mutex<LinkState>>,
}

#[derive(Default)]
struct LinkState {
    is_lost: bool,
    /// Time of the last loss: a connection from before that is no new loss.
    lost_at: Option<Instant>,
}

impl DatabaseLink {
    pub(super) fn new(address: &PostgresAddress) -> Self {
        Self { address: address.clone(), state: Arc::default() }
    }

    /// Connects, and tells of a loss and of its end. `replaced` is when the connection was made that ended.
    pub(super) fn connect(&self, replaced: Option<Instant>) -> Result<postgres::Client, StoreFault> {
        if replaced.is_some() {
            self.note_loss(replaced, &"a connection was closed");
        }
        match connect(&self.address) {
            Ok(client) => {
                self.note_return();
                Ok(client)
            }
            Err(fault) => {
                self.note_loss(None, &fault);
                Err(StoreFault::Disconnected)
            }
        }
    }

    fn note_loss(&self, made_at: Option<Instant>, reason: &dyn std::fmt::Display) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = made_at.zip(state.lost_at).is_some_and(|(made, lost)| made < lost);
        if state.is_lost || is_old {
            return;
        }
        *state = LinkState { is_lost: true, lost_at: Some(Instant::now()) };
        tracing::warn!(%reason, "the connection to PostgreSQL is lost; it is tried again until it is back");
    }

    fn note_return(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut state.is_lost) {
            tracing::info!("the connection to PostgreSQL is back");
        }
    }
}
