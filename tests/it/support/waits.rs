//! Waits for another process.

use std::time::{Duration, Instant};

/// Longest wait for anything that has to happen by itself.
pub const PATIENCE: Duration = Duration::from_secs(40);

/// Asks again and again until there is an answer.
pub fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "it did not happen that {what}");
        pause(Duration::from_millis(10));
    }
}

/// The other side is another process: there is nothing to wait on but time.
#[expect(clippy::disallowed_methods, reason = "another process gives no signal that could be waited on")]
pub fn pause(duration: Duration) {
    std::thread::sleep(duration);
}
