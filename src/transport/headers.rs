//! Checks the head of a request: its `Host` and the coding of its body.

use axum::http::{HeaderMap, header};

use super::peer::Peer;
use super::refusal::Refusal;

/// One `Host` (RFC 9112, 3.2; over the control socket none is needed), a body that is sent as it is, and no coding of
/// the transfer but `chunked`.
///
/// # Errors
/// 400 or 415, with a sentence that names the part that is not understood.
pub fn check(headers: &HeaderMap, peer: Peer) -> Result<(), Refusal> {
    let hosts = headers.get_all(header::HOST).iter().count();
    if hosts > 1 || hosts == 0 && peer != Peer::Operator {
        return Err(Refusal::malformed("The request has to name one Host"));
    }
    let codings =
        |name| headers.get_all(name).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    let is = |coding: &[u8], wanted: &str| coding.trim_ascii().eq_ignore_ascii_case(wanted.as_bytes());
    if codings(header::CONTENT_ENCODING).any(|coding| !is(coding, "identity")) {
        return Err(Refusal::content_encoding());
    }
    if codings(header::TRANSFER_ENCODING).any(|coding| !is(coding, "chunked")) {
        return Err(Refusal::malformed("The only Transfer-Encoding understood here is chunked"));
    }
    Ok(())
}
