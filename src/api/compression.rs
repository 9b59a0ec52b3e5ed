//! Compressed answers. The length of a compressed answer reveals its content to an attacker who chooses a part of it
//! and watches the wire (BREACH). So only answers without a secret, a token, or the name of a person, a session or a
//! browser are compressed. Everything else is sent as it is.

use std::io::Write;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::json_fields::{JsonFields, RequestFields};
use super::unknown_members::PERSONAL;
use crate::limits;

/// Compression of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Never: it may hold something of a person, or of the shop's own.
    Never,
    /// It may be, but the client does not accept it.
    Unwanted,
    /// By gzip.
    Gzip,
}

/// The bytes of an answer as they are sent.
pub struct EncodedBody {
    bytes: Vec<u8>,
    packing: Packing,
    is_packed: bool,
}

impl Packing {
    /// Chooses the compression of a request's answer. `is_proven`: the shop's server or the operator asks.
    pub fn from_request(headers: &HeaderMap, fields: &JsonFields<'_>, is_proven: bool) -> Self {
        let is_named = |name: &&&str| {
            !matches!(fields.as_sent(&[**name]).as_ref().map(Option::as_deref), Ok(None | Some("" | "null")))
        };
        let is_personal = is_proven || PERSONAL.iter().any(|name| is_named(&name));
        if is_personal {
            Self::Never
        } else if accepts_gzip(headers) {
            Self::Gzip
        } else {
            Self::Unwanted
        }
    }

    /// Compresses an answer, unless it is small. It takes a processor: in the turn in which the answer is made.
    pub fn pack(self, bytes: Vec<u8>) -> EncodedBody {
        let is_large = bytes.len() >= limits::PACKED_ANSWER_MIN_BYTES;
        if self == Self::Gzip && is_large {
            EncodedBody { bytes: gzip(&bytes, Compression::fast()), packing: self, is_packed: true }
        } else {
            EncodedBody { bytes, packing: self, is_packed: false }
        }
    }
}

impl From<Vec<u8>> for EncodedBody {
    fn from(bytes: Vec<u8>) -> Self {
        Packing::Never.pack(bytes)
    }
}

impl IntoResponse for EncodedBody {
    fn into_response(self) -> Response {
        let Self { bytes, packing, is_packed } = self;
        let mut response = bytes.into_response();
        let headers = response.headers_mut();
        if packing != Packing::Never {
            headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        if is_packed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

/// The bytes compressed.
pub fn gzip(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), level);
    // Writing to a vector cannot fail.
    packed.write_all(bytes).and_then(|()| packed.finish()).unwrap_or_default()
}

/// Returns true if the client reads gzip: `Accept-Encoding` names it, and does not refuse it with the weight 0.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let is_zero = |part: &str| {
            let weight = part.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
            weight.is_some_and(|(_, weight)| weight.trim().parse() == Ok(0.0_f32))
        };
        is_gzip && !parts.any(is_zero)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_read_by_who_names_it_and_does_not_refuse_it() {
        for (accepted, reads) in [
            ("gzip", true),
            ("GZIP, br", true),
            ("br;q=1.0, gzip;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip ; q = 0.0", false),
            ("*", false),
            ("br", false),
            ("xgzip", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!(accepts_gzip(&headers), reads, "{accepted}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    fn packing(accepts: bool, asked: &str, is_proven: bool) -> Packing {
        let mut headers = HeaderMap::new();
        if accepts {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        }
        let fields = JsonFields::parse(asked.as_bytes()).expect("fields");
        Packing::from_request(&headers, &fields, is_proven)
    }

    #[test]
    fn an_answer_about_a_person_or_to_the_shop_is_never_compressed() {
        for asked in ["{}", r#"{"UserToken":""}"#, r#"{"sessionid":null,"GroupId":""}"#, r#"{"Query":"x"}"#] {
            assert_eq!(packing(true, asked, false), Packing::Gzip, "{asked}");
            assert_eq!(packing(false, asked, false), Packing::Unwanted, "{asked}");
            assert_eq!(packing(true, asked, true), Packing::Never, "{asked}");
        }
        for name in PERSONAL {
            assert_eq!(packing(true, &format!("{{\"{name}\":7}}"), false), Packing::Never, "{name}");
            let twice = format!("{{\"{name}\":null,\"{}\":7}}", name.to_lowercase());
            assert_eq!(packing(true, &twice, false), Packing::Never, "{name} twice");
        }
    }

    #[test]
    fn an_answer_is_compressed_from_a_kilobyte_on_and_says_so() {
        const SMALLEST: usize = limits::PACKED_ANSWER_MIN_BYTES;
        for (packing, bytes, is_packed, varies) in [
            (Packing::Gzip, SMALLEST, true, true),
            (Packing::Gzip, SMALLEST - 1, false, true),
            (Packing::Unwanted, SMALLEST, false, true),
            (Packing::Never, SMALLEST, false, false),
        ] {
            let sent = packing.pack(vec![b'a'; bytes]);
            assert_eq!(sent.bytes.len() < bytes, is_packed, "{packing:?} {bytes}");
            let response = sent.into_response();
            let value_of =
                |name: header::HeaderName| response.headers().get(name).and_then(|value| value.to_str().ok());
            assert_eq!(value_of(header::CONTENT_ENCODING), is_packed.then_some("gzip"));
            assert_eq!(value_of(header::VARY), varies.then_some("accept-encoding"));
        }
    }

    #[test]
    fn compressed_bytes_are_the_same_bytes() {
        let sent: Vec<u8> = (0..5000_u32).map(|number| (number % 251) as u8).collect();
        let mut read = Vec::new();
        let packed = gzip(&sent, Compression::fast());
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut read)
            .expect("gzip");
        assert_eq!(read, sent);
    }
}
