//! Files that no row names any more are removed.

use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::instance::Node;
use super::missing_files;
use crate::accounts::quota;
use crate::catalogue::base;
use crate::store::StoreFault;

/// Pause between two looks whether files are held.
const FREE_LOOK_DURATION: Duration = Duration::from_millis(50);

impl Node {
    /// Checks the files at a start: their sizes, the unneeded ones, and the missing ones.
    pub(super) async fn look_through_files(&self) -> Result<(), StoreFault> {
        quota::keep_sizes(&self.store, self.quota_part()).await?;
        self.sweep_blobs(Duration::ZERO).await?;
        if let Some(sentence) = missing_files::in_words(&self.look_for_files().await?) {
            tracing::error!("{sentence}");
        }
        Ok(())
    }

    /// Notes that files may be left that no row names, so that they are looked for soon.
    pub fn note_files_left(&self) {
        self.is_sweep_due.store(true, Ordering::SeqCst);
    }

    /// Removes catalogue files that no snapshot needs, if a feed has ended since and no earlier hold on files is left.
    /// Waits for earlier holds, for `patience` at most: on a busy server there is always some hold.
    ///
    /// # Errors
    /// When the store fails. A file that cannot be removed is only logged.
    pub async fn sweep_blobs(&self, patience: Duration) -> Result<(), StoreFault> {
        if !self.is_sweep_due.swap(false, Ordering::SeqCst) {
            return Ok(());
        }
        if let Err(error) = self.sweep(patience).await? {
            tracing::warn!(kind = ?error.kind(), "files that are no longer needed cannot be removed");
        }
        Ok(())
    }

    async fn sweep(&self, patience: Duration) -> Result<Result<bool, io::Error>, StoreFault> {
        let swept = self.sweep_once(patience).await;
        if !matches!(swept, Ok(Ok(true))) {
            self.note_files_left();
        }
        swept
    }

    /// False when an earlier hold lasts longer than `patience`, or a sweep runs already.
    async fn sweep_once(&self, patience: Duration) -> Result<Result<bool, io::Error>, StoreFault> {
        let blobs = self.blobs.clone();
        let begun = match blocking(move || blobs.begin_sweep()).await {
            Ok(begun) => begun,
            Err(error) => return Ok(Err(error)),
        };
        let Some(mut sweep) = begun else { return Ok(Ok(false)) };
        sweep.leave(&self.store.read(base::blobs_needed).await?);
        let until = Instant::now() + patience;
        while !sweep.is_free() {
            if Instant::now() >= until {
                return Ok(Ok(false));
            }
            tokio::time::sleep(FREE_LOOK_DURATION).await;
        }
        sweep.leave(&self.store.read(base::blobs_needed).await?);
        Ok(blocking(move || sweep.remove()).await.map(|()| true))
    }
}

/// Folders are read and files removed on a thread that may wait.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}
