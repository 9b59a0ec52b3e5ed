//! A job that is run write by write: between two of its transactions a test takes its lease away, or ends the process.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use lethe::ids::AccountId;
use lethe::store::{Store, StoreFault};

/// Holds a writer until it is dropped.
struct Gate(#[expect(dead_code, reason = "its end is what opens the gate")] mpsc::Sender<()>);

/// All writers of a store, held: writes wait, in their order.
pub struct Held {
    store: Store,
    gates: Vec<Gate>,
}

/// The account whose units are stopped: the first one of a store.
pub const SHOP: AccountId = AccountId(1);

/// Holds the writer of the first account.
pub async fn hold_writer(store: &Store) -> Held {
    let mut held = Held { store: store.clone(), gates: Vec::new() };
    held.gate().await;
    held
}

impl Held {
    /// Stops one more writer, when it has done what waits.
    async fn gate(&mut self) {
        let (open, opened) = mpsc::channel::<()>();
        let opened = Mutex::new(opened);
        let is_held = Arc::new(AtomicBool::new(false));
        let store = self.store.clone();
        let holds = is_held.clone();
        tokio::spawn(async move {
            let holding = store.write(SHOP, move |_| {
                holds.store(true, Ordering::SeqCst);
                // An error is the open gate.
                let _ = opened.lock().map(|opened| opened.recv());
                Ok::<_, StoreFault>(())
            });
            holding.await
        });
        while !is_held.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
        self.gates.push(Gate(open));
    }

    /// Drives `job` until `count` units wait for a writer, or it has ended.
    pub async fn drive_until_waiting<F: Future + Unpin>(
        &self,
        count: usize,
        job: &mut F,
    ) -> Option<F::Output> {
        let waiting = async {
            while self.store.waiting() < count {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            ended = job => Some(ended),
            () = waiting => None,
        }
    }

    /// Lets one writer do all that waits, one after the other; no other writer does anything.
    pub fn release_one_writer(&mut self) {
        self.gates.pop();
    }

    /// Lets what waits be written and committed, and nothing that comes after it.
    pub async fn commit_waiting(&mut self) {
        let store = self.store.clone();
        let mut marker = std::pin::pin!(store.write(SHOP, |_| Ok::<_, StoreFault>(())));
        assert!(self.drive_until_waiting(store.waiting() + 1, &mut marker).await.is_none());
        // One writer does what waits in its order: with the marker, all before it is committed.
        self.release_one_writer();
        marker.await.expect("a commit");
        self.gate().await;
    }
}
