//! HTTP itself: connections, the sender's address, bodies as they arrive, and refusals with their status codes.

pub mod body_stream;
pub mod descriptors;
pub mod error_body;
pub mod error_codes;
pub mod error_responses;
pub mod forwarded;
pub mod headers;
pub mod idle_connections;
pub mod listener;
pub mod min_rate;
pub mod peer;
pub mod refusal;
