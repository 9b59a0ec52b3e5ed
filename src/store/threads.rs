//! Threads of the engines.

use super::fault::StoreFault;

/// Starts a thread of the store.
pub(super) fn spawn(name: String, body: impl FnOnce() + Send + 'static) -> Result<(), StoreFault> {
    std::thread::Builder::new()
        .name(name)
        .spawn(body)
        .map(drop)
        .map_err(|_| StoreFault::Open("no thread can be started".to_owned()))
}
