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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::http::HeaderValue;

    use super::*;

    /// The sentence with which a head is refused that has these lines.
    fn refused(peer: Peer, lines: &[(header::HeaderName, &'static str)]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, HeaderValue::from_static(value));
        }
        check(&headers, peer).err().map(|refusal| refusal.sentence().to_owned())
    }

    #[test]
    fn a_request_names_one_host_and_none_over_the_control_socket() {
        let client = Peer::Address(Ipv4Addr::LOCALHOST.into());
        let says = "The request has to name one Host";
        for (peer, hosts, is_refused) in [
            (client, 0, true),
            (client, 1, false),
            (client, 2, true),
            (Peer::Operator, 0, false),
            (Peer::Operator, 1, false),
            (Peer::Operator, 2, true),
        ] {
            let lines = vec![(header::HOST, "shop.test"); hosts];
            assert_eq!(refused(peer, &lines).as_deref(), is_refused.then_some(says), "{peer:?} {hosts}");
        }
    }

    #[test]
    fn a_body_is_sent_as_it_is_and_in_chunks_at_the_most() {
        let compressed = "The body of a request must not be compressed";
        let coded = "The only Transfer-Encoding understood here is chunked";
        for (name, values, says) in [
            (header::CONTENT_ENCODING, &["identity , IDENTITY"][..], None),
            (header::CONTENT_ENCODING, &["gzip"], Some(compressed)),
            (header::CONTENT_ENCODING, &["identity, gzip"], Some(compressed)),
            (header::CONTENT_ENCODING, &["identity", "gzip"], Some(compressed)),
            (header::CONTENT_ENCODING, &["chunked"], Some(compressed)),
            (header::TRANSFER_ENCODING, &[" Chunked "], None),
            (header::TRANSFER_ENCODING, &["gzip, chunked"], Some(coded)),
            (header::TRANSFER_ENCODING, &["chunked", "gzip"], Some(coded)),
            (header::TRANSFER_ENCODING, &["identity"], Some(coded)),
        ] {
            let lines: Vec<_> = values.iter().map(|value| (name.clone(), *value)).collect();
            assert_eq!(refused(Peer::Operator, &lines).as_deref(), says, "{name} {values:?}");
        }
    }
}
