//! Work that goes on when its client has disconnected.

use crate::transport::refusal::Refusal;

/// Runs `work` in a task of its own, so that a client that disconnects leaks neither a key slot nor a file.
pub(crate) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Refusal>> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::spawn(work).await.unwrap_or_else(|_| Err(Refusal::fault()))
}
