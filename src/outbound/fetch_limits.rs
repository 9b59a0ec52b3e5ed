//! The bounds of one fetch in one value, so that a test can take small ones.

use std::time::Duration;

use crate::limits;

/// Limits of one fetch in size and time. The defaults stand in `limits.rs`.
#[derive(Clone)]
pub struct FetchLimits {
    /// Most bytes of body on the wire.
    pub wire_bytes: u64,
    /// Most bytes after decompression, also of the stage in between when there are two.
    pub decoded_bytes: u64,
    /// Most decoded bytes for one byte on the wire, once the first MiB is decoded.
    pub ratio_max: u64,
    /// Most redirects followed.
    pub redirects: usize,
    /// Longest whole fetch, from resolving to the last byte read.
    pub total: Duration,
    /// Longest look-up of a name, and longest connecting, TLS included; each hop.
    pub connect: Duration,
    /// Longest wait for the response head once connected; each hop.
    pub head: Duration,
    /// Longest silence in the middle of the body.
    pub idle: Duration,
    /// Slowest tolerated body, averaged over `rate_span` of waiting for the server.
    pub rate_min_bytes_per_second: u64,
    /// Span of that average.
    pub rate_span: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            wire_bytes: limits::FEED_WIRE_BYTES,
            decoded_bytes: limits::FEED_DECODED_BYTES,
            ratio_max: limits::FEED_RATIO_MAX,
            redirects: limits::FETCH_REDIRECTS,
            total: limits::FETCH_TOTAL_DURATION,
            connect: limits::FETCH_CONNECT_DURATION,
            head: limits::FETCH_HEAD_DURATION,
            idle: limits::FETCH_IDLE_DURATION,
            rate_min_bytes_per_second: limits::FETCH_RATE_MIN_BYTES_PER_SECOND,
            rate_span: limits::FETCH_RATE_DURATION,
        }
    }
}
