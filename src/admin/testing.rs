//! Faults of tests, as they are refused.

use std::fmt::Display;

use crate::transport::refusal::{ErrorCode, Refusal};

/// Checks that a fault is refused with this code, and with its own sentence unless it is one of the server.
pub(super) fn assert_refused_as(fault: impl Into<Refusal> + Display, code: ErrorCode) {
    let says = fault.to_string();
    let refusal: Refusal = fault.into();
    assert_eq!(refusal.code(), code, "{says}");
    let is_of_the_server = matches!(code, ErrorCode::Busy | ErrorCode::Fault);
    assert_eq!(refusal.sentence() == says, !is_of_the_server, "{says}");
}
