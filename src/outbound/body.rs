//! The body of an answer on its way from the network to its reader.

use std::sync::Arc;

use reqwest::Response;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;

use super::content_coding;
use super::fault::FetchFault;
use super::fetch_limits::FetchLimits;
use super::min_rate::RateMeter;
use super::validators::Validators;
use super::wire::{BodyChunk, BodyReader, FetchProgress, WireReader};
use crate::limits;

/// A feed whose head has arrived and whose body has not been read.
pub struct FetchedBody {
    /// Validators for the next fetch of the same URL; empty when the feed came from another server than the URL names.
    pub validators: Validators,
    response: Response,
    declared: usize,
    limits: FetchLimits,
    deadline: Instant,
}

impl FetchedBody {
    /// Checks the head's statements about the body.
    pub(super) fn new(
        response: Response,
        validators: Validators,
        limits: FetchLimits,
        deadline: Instant,
    ) -> Result<Self, FetchFault> {
        let declared = content_coding::count_codings(response.headers())?;
        if response.content_length().is_some_and(|length| length > limits.wire_bytes) {
            return Err(FetchFault::too_large());
        }
        Ok(Self { validators, response, declared, limits, deadline })
    }

    /// Returns true if the head gives the length of the body. Otherwise a body may be cut off, by a connection that
    /// was closed or by a server that gave up, and only its reader notices.
    #[must_use]
    pub fn is_length_told(&self) -> bool {
        self.response.content_length().is_some()
    }

    /// Downloads on `runtime` while the returned body is read elsewhere; a few pieces wait in between.
    #[must_use]
    pub fn into_wire(self, runtime: &Handle, progress: Arc<FetchProgress>) -> WireReader<BodyReader> {
        let length = self.response.content_length();
        let (to_reader, pieces) = flume::bounded(limits::FETCH_PIECES_WAITING);
        let bounds = self.limits.clone();
        let download = runtime.spawn(download(self.response, bounds, self.deadline, to_reader));
        let arriving = BodyReader::new(pieces, AbortOnDropHandle::new(download));
        WireReader::new(arriving, length, self.declared, self.limits, progress)
    }
}

/// Passes the body on and reports its end.
async fn download(
    response: Response,
    limits: FetchLimits,
    deadline: Instant,
    to_reader: flume::Sender<BodyChunk>,
) {
    let end = match timeout_at(deadline, pass_on(response, &limits, &to_reader)).await {
        Ok(Ok(())) => Ok(None),
        Ok(Err(fault)) => Err(fault),
        Err(_) => Err(FetchFault::deadline()),
    };
    // A reader that has gone needs no end.
    let _ = to_reader.send_async(end).await;
}

async fn pass_on(
    mut response: Response,
    limits: &FetchLimits,
    to_reader: &flume::Sender<BodyChunk>,
) -> Result<(), FetchFault> {
    let mut pace = RateMeter::default();
    loop {
        let asked = Instant::now();
        let arrived = timeout(limits.idle, response.chunk()).await;
        let arrived = arrived.map_err(|_| FetchFault::transient("the feed stopped arriving"))?;
        let Some(piece) = arrived.map_err(|_| FetchFault::truncated_body())? else {
            return Ok(());
        };
        pace.count(asked.elapsed(), piece.len(), limits)?;
        if to_reader.send_async(Ok(Some(piece))).await.is_err() {
            return Ok(());
        }
    }
}
