//! Connections that wait for a request: when all are taken, the oldest one of the address that holds most closes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::admission::{Tenant, TenantSemaphore};

/// The connections of a listener that wait for a request.
#[derive(Default)]
pub struct SilentConnections {
    state: Mutex<SilentState>,
    /// Told of each that falls silent.
    silence: Notify,
}

#[derive(Default)]
struct SilentState {
    clock: u64,
    /// Silent connections by holder, in the order in which they fell silent.
    silent: HashMap<Tenant, BTreeMap<u64, CancellationToken>>,
}

/// A connection, as far as it may be closed while nothing is asked on it.
#[derive(Clone)]
pub struct ClientConnection {
    of: Arc<SilentConnections>,
    who: Option<Tenant>,
    close: CancellationToken,
    /// Since when it is silent, if it is.
    since: Arc<Mutex<Option<u64>>>,
}

impl SilentConnections {
    /// A new connection: nothing is asked on it yet. Without `who` it is never closed for others.
    pub fn open(self: &Arc<Self>, who: Option<Tenant>) -> ClientConnection {
        let connection = ClientConnection {
            of: self.clone(),
            who,
            close: CancellationToken::new(),
            since: Arc::default(),
        };
        connection.wait();
        connection
    }

    /// Closes the longest silent connection of the tenant that holds most; false when none is silent.
    pub fn close_oldest(&self, connections: &TenantSemaphore) -> bool {
        let mut state = self.lock();
        let crowd = connections.holds_most(state.silent.keys().copied());
        let Some(of_crowd) = crowd.and_then(|crowd| state.silent.get_mut(&crowd)) else { return false };
        let oldest = of_crowd.pop_first();
        if let Some((_, close)) = oldest {
            close.cancel();
        }
        if let Some(crowd) = crowd.filter(|crowd| state.silent.get(crowd).is_some_and(BTreeMap::is_empty)) {
            state.silent.remove(&crowd);
        }
        true
    }

    /// Waits until another connection falls silent.
    pub async fn wait_for_silence(&self) {
        self.silence.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, SilentState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientConnection {
    /// Ends when it is closed for others.
    pub async fn wait_until_closed(&self) {
        self.close.cancelled().await;
    }

    /// Returns true if no request is being answered on it.
    pub fn is_silent(&self) -> bool {
        self.since.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// A request came: it is not silent until the answer is through.
    pub fn begin_request(&self) -> ActiveRequest {
        self.leave();
        ActiveRequest(self.clone())
    }

    /// Nothing is asked on it from now on.
    fn wait(&self) {
        let Some(who) = self.who else { return };
        let mut state = self.of.lock();
        state.clock += 1;
        let now = state.clock;
        state.silent.entry(who).or_default().insert(now, self.close.clone());
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        drop(state);
        self.of.silence.notify_one();
    }

    /// It is not silent any more.
    pub fn leave(&self) {
        let since = self.since.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((who, since)) = self.who.zip(since) else { return };
        let mut state = self.of.lock();
        let Some(of_who) = state.silent.get_mut(&who) else { return };
        of_who.remove(&since);
        if of_who.is_empty() {
            state.silent.remove(&who);
        }
    }
}

/// A request that is being answered.
pub struct ActiveRequest(ClientConnection);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.wait();
    }
}
