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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;
    use crate::admission::{Permit, SharedResources};

    /// The connections of a listener, with the permits that they hold.
    struct Listener {
        silent: Arc<SilentConnections>,
        shares: Arc<TenantSemaphore>,
    }

    impl Listener {
        fn new() -> Self {
            Self { silent: Arc::default(), shares: SharedResources::default().connections }
        }

        /// A connection of the client of this number.
        async fn open(&self, client: u8) -> (ClientConnection, Permit) {
            let who = Tenant::Client(Ipv4Addr::new(203, 0, 113, client).into());
            let permit = self.shares.acquire(who, 1, Duration::from_secs(1)).await.expect("a place");
            (self.silent.open(Some(who)), permit)
        }

        fn close_oldest(&self) -> bool {
            self.silent.close_oldest(&self.shares)
        }
    }

    fn are_closed<const N: usize>(connections: [&(ClientConnection, Permit); N]) -> [bool; N] {
        connections.map(|(connection, _)| connection.close.is_cancelled())
    }

    #[tokio::test]
    async fn the_longest_silent_connection_of_who_holds_most_closes_first() {
        let listener = Listener::new();
        let [one, first, second] = [listener.open(1).await, listener.open(2).await, listener.open(2).await];
        assert!(listener.close_oldest());
        assert_eq!(are_closed([&one, &first, &second]), [false, true, false]);
        assert!(listener.close_oldest());
        assert_eq!(are_closed([&one, &first, &second]), [false, true, true]);
        // Of the client that holds most none is silent any more.
        assert!(listener.close_oldest());
        assert_eq!(are_closed([&one, &first, &second]), [true, true, true]);
        assert!(!listener.close_oldest());
    }

    #[tokio::test]
    async fn a_connection_is_silent_from_the_end_of_its_last_answer_on() {
        let listener = Listener::new();
        let [first, second] = [listener.open(1).await, listener.open(1).await];
        assert!(first.0.is_silent());
        let asked = first.0.begin_request();
        assert!(!first.0.is_silent());
        drop(asked);
        assert!(first.0.is_silent());
        assert!(listener.close_oldest());
        assert_eq!(are_closed([&first, &second]), [false, true]);
        first.0.leave();
        assert!(!first.0.is_silent() && !listener.close_oldest());
        assert_eq!(are_closed([&first]), [false]);
    }

    #[tokio::test]
    async fn the_operators_connection_is_never_closed_for_others() {
        let listener = Listener::new();
        let connection = listener.silent.open(None);
        assert!(!connection.is_silent() && !listener.close_oldest());
        drop(connection.begin_request());
        assert!(!connection.is_silent() && !listener.close_oldest());
    }

    #[tokio::test]
    async fn who_waits_for_a_place_is_told_of_each_silence() {
        let listener = Listener::new();
        let is_told = || listener.silent.wait_for_silence().now_or_never().is_some();
        assert!(!is_told());
        let (connection, _permit) = listener.open(1).await;
        assert!(is_told() && !is_told());
        let asked = connection.begin_request();
        assert!(!is_told());
        drop(asked);
        assert!(is_told() && !is_told());
        assert!(connection.wait_until_closed().now_or_never().is_none());
        assert!(listener.close_oldest());
        assert!(connection.wait_until_closed().now_or_never().is_some());
    }
}
