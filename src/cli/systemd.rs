//! Notifies systemd, or another supervisor that speaks sd_notify(3), of the server's state: ready, alive, stopping.

use sd_notify::NotifyState;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Reports that requests are answered. Without a `NOTIFY_SOCKET`, this and the functions below do nothing.
pub fn ready() {
    notify(NotifyState::Ready);
}

/// Says from time to time that the process lives, and at the end that it stops. A beat shows that the threads which
/// answer requests take turns; it asks no store, since a database that is away is waited for.
pub fn watch(told: CancellationToken) -> JoinHandle<()> {
    tokio::spawn(async move {
        tokio::select! { () = beat() => {}, () = told.cancelled() => {} }
        notify(NotifyState::Stopping);
    })
}

/// Beats three times in the service manager's interval; for ever.
async fn beat() {
    let Some(longest) = sd_notify::watchdog_enabled().filter(|longest| !longest.is_zero()) else {
        return std::future::pending().await;
    };
    let mut beats = tokio::time::interval(longest / 3);
    loop {
        beats.tick().await;
        notify(NotifyState::Watchdog);
    }
}

fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager cannot be told");
    }
}
