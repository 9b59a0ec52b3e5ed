//! Progress of a backup or a restore.

/// Progress of a backup or a restore.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryProgress {
    /// Step that is running.
    pub step: &'static str,
    /// Amount that is done …
    pub done: u64,
    /// … of this amount: pages, tables or files.
    pub total: u64,
}

/// Receives progress.
pub type ReportProgress<'a> = dyn FnMut(RecoveryProgress) + Send + 'a;
