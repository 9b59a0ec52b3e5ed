//! A request's body while it arrives: within its size, its time, and its sender's share of the memory.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, Request, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use tokio::time::Instant;

use super::min_rate::BodyRate;
use super::peer::{peer_of, resources_of, who_is};
use super::refusal::Refusal;
use crate::admission::{Permit, SharedResources, Tenant};
use crate::ids::AccountId;
use crate::limits;

/// A share grows by at least this much at a time.
const STEP_BYTES: usize = 64 * 1024;
/// Memory that a byte of body takes: as it was sent, and decoded.
const TIMES: usize = 2;
/// The largest body of a client that does not say early who it is.
const OF_CLIENT_BYTES: usize = limits::REQUEST_MEMORY_OF_CLIENT_BYTES / TIMES;

/// A request's body while it arrives. While it makes another request wait, its bytes are taken from the memory of its
/// sender: of the client's address, until the account is known.
pub struct IncomingBody {
    body: Body,
    limit_bytes: usize,
    /// Length that the head announces.
    announced: Option<usize>,
    until: Instant,
    longest: Duration,
    pace: BodyRate,
    resources: Arc<SharedResources>,
    who: Tenant,
    share: Option<Permit>,
    /// Bytes that came first: mostly the whole body, which then needs no copy.
    first: Bytes,
    whole: BytesMut,
    is_whole: bool,
}

fn announced_bytes(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

impl IncomingBody {
    /// A body of at most `limit_bytes`, which takes at most `longest`.
    ///
    /// # Errors
    /// A refusal when the head announces more than `limit_bytes`.
    pub fn begin(request: Request<Body>, limit_bytes: usize, longest: Duration) -> Result<Self, Refusal> {
        let announced = announced_bytes(request.headers());
        if announced.is_some_and(|bytes| bytes > limit_bytes) {
            return Err(Refusal::too_large(limit_bytes));
        }
        let until = Instant::now() + longest;
        Ok(Self {
            limit_bytes,
            announced,
            until,
            longest,
            pace: BodyRate::default(),
            resources: resources_of(&request),
            who: who_is(peer_of(&request)),
            share: None,
            body: request.into_body(),
            first: Bytes::new(),
            whole: BytesMut::new(),
            is_whole: false,
        })
    }

    /// Returns the bytes that have arrived so far.
    pub fn so_far(&self) -> &[u8] {
        if self.whole.is_empty() { &self.first } else { &self.whole }
    }

    /// Reads on until `shown` finds the account in the bytes so far, within the part that has to name it.
    ///
    /// # Errors
    /// As [`IncomingBody::read_to`]; also when a large body does not say early whose it is, and the refusal of
    /// `shown`.
    pub async fn find_owner<Shown>(&mut self, shown: impl Fn(Vec<u8>) -> Shown) -> Result<(), Refusal>
    where
        Shown: Future<Output = Result<Option<AccountId>, Refusal>>,
    {
        for first in [limits::REQUEST_MEMORY_FREE_BYTES, limits::CREDENTIALS_WITHIN_BYTES] {
            self.read_to(first).await?;
            if self.is_whole {
                return Ok(());
            }
            if let Some(account) = shown(self.so_far().to_vec()).await? {
                return self.belongs_to(account).await;
            }
        }
        let is_of_client = matches!(self.who, Tenant::Client(_));
        match self.announced {
            Some(bytes) if is_of_client && bytes > OF_CLIENT_BYTES => {
                Err(Refusal::unknown_sender(OF_CLIENT_BYTES))
            }
            _ => Ok(()),
        }
    }

    /// The account is known: the memory is taken from its share, all at once. Bodies of one account that took theirs
    /// bit by bit would each hold a part, and none would ever get the rest.
    async fn belongs_to(&mut self, account: AccountId) -> Result<(), Refusal> {
        self.who = Tenant::Account(account);
        self.share = None;
        let arrived = self.so_far().len();
        let all = self.announced.unwrap_or(arrived);
        let waiting = Instant::now();
        self.reserve_memory(TIMES * all, limits::REQUEST_MEMORY_ACCOUNT_WAIT_DURATION).await?;
        // The wait for memory does not count against the sender's time.
        self.until += waiting.elapsed();
        Ok(())
    }

    /// Reads all.
    ///
    /// # Errors
    /// As [`IncomingBody::read_to`].
    pub async fn read_all(&mut self) -> Result<(), Refusal> {
        self.read_to(usize::MAX).await
    }

    /// Reads until at least this much has arrived, or all.
    ///
    /// # Errors
    /// A refusal when the body ends too early, is too large, or arrives too late or too slowly, or there is no
    /// memory for it.
    pub async fn read_to(&mut self, bytes: usize) -> Result<(), Refusal> {
        while !self.is_whole && self.so_far().len() < bytes {
            self.make_room().await?;
            match self.next().await? {
                None => self.is_whole = true,
                Some(piece) => self.add(piece)?,
            }
        }
        Ok(())
    }

    /// Waits for the next piece, within the time for all and at the least pace.
    async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let asked = Instant::now();
        let slow_at = asked + self.pace.time_left();
        let Ok(next) = tokio::time::timeout_at(slow_at.min(self.until), self.body.frame()).await else {
            return Err(if slow_at < self.until {
                BodyRate::refusal()
            } else {
                Refusal::too_late(self.longest)
            });
        };
        let Some(frame) = next else { return Ok(None) };
        let frame = frame.map_err(|_| Refusal::malformed("The body of the request ended too early"))?;
        let piece = frame.into_data().unwrap_or_default();
        self.pace.record_arrival(piece.len(), asked.elapsed());
        Ok(Some(piece))
    }

    fn add(&mut self, piece: Bytes) -> Result<(), Refusal> {
        if self.so_far().len() + piece.len() > self.limit_bytes {
            return Err(Refusal::too_large(self.limit_bytes));
        }
        if self.so_far().is_empty() {
            self.first = piece;
            return Ok(());
        }
        if self.whole.is_empty() {
            self.whole.extend_from_slice(&std::mem::take(&mut self.first));
        }
        self.whole.extend_from_slice(&piece);
        Ok(())
    }

    /// Takes memory for the bytes that arrived, before it waits for more.
    async fn make_room(&mut self) -> Result<(), Refusal> {
        let bytes = self.so_far().len();
        let needed = if bytes > limits::REQUEST_MEMORY_FREE_BYTES { TIMES * bytes } else { 0 };
        let held = self.share.as_ref().map_or(0, Permit::amount);
        if needed <= held {
            return Ok(());
        }
        let more = (needed - held).max(STEP_BYTES);
        let Some(share) = &mut self.share else {
            return self.reserve_memory(more, limits::REQUEST_MEMORY_WAIT_DURATION).await;
        };
        if share.acquire_more(more, limits::REQUEST_MEMORY_WAIT_DURATION).await {
            Ok(())
        } else {
            Err(self.no_room())
        }
    }

    async fn reserve_memory(&mut self, amount: usize, longest: Duration) -> Result<(), Refusal> {
        let memory = self.resources.request_memory.clone();
        self.share = memory.acquire(self.who, amount, longest).await;
        match &self.share {
            Some(_) => Ok(()),
            None => Err(self.no_room()),
        }
    }

    fn no_room(&self) -> Refusal {
        match self.who {
            Tenant::Client(_) if self.so_far().len() + STEP_BYTES > OF_CLIENT_BYTES => {
                Refusal::unknown_sender(OF_CLIENT_BYTES)
            }
            _ => Refusal::busy(),
        }
    }

    /// The body; its memory is its reader's from now on.
    pub fn into_bytes(self) -> Bytes {
        self.into_parts().0
    }

    /// The body, and the share of the memory it stands in.
    pub fn into_parts(self) -> (Bytes, Option<Permit>) {
        let bytes = if self.whole.is_empty() { self.first } else { self.whole.freeze() };
        (bytes, self.share)
    }
}

#[cfg(test)]
#[path = "body_stream_tests.rs"]
mod tests;
