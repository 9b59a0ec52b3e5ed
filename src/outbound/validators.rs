//! Validators from a server, by which it recognises a feed that has not changed.

use reqwest::header::{
    ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};

use crate::limits;

/// The validators of a fetched feed, to be given to the next fetch of the same URL.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// The `ETag` as sent, quotes included.
    pub etag: Option<String>,
    /// The `Last-Modified` as sent.
    pub last_modified: Option<String>,
}

impl Validators {
    /// The validators of an answer. A long one, or one with other signs than letters, digits and those of version
    /// names, is left out.
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        Self { etag: read_validator(headers, ETAG), last_modified: read_validator(headers, LAST_MODIFIED) }
    }

    /// The headers of a conditional request; empty when nothing is known.
    pub(super) fn conditions(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, known) in [(IF_NONE_MATCH, &self.etag), (IF_MODIFIED_SINCE, &self.last_modified)] {
            if let Some(value) = known.as_deref().and_then(|text| HeaderValue::from_str(text).ok()) {
                headers.insert(name, value);
            }
        }
        headers
    }
}

/// A validator is stored as it was sent, so that it must not be able to hold an address, however encoded, nor
/// much else.
fn read_validator(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b" \"'+,-./:=_~".contains(byte);
    if !value.iter().all(is_plain) || value.is_empty() || value.len() > limits::FETCH_VALIDATOR_BYTES {
        return None;
    }
    String::from_utf8(value.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_etag(value: &[u8]) -> Option<String> {
        Validators::from_headers(&HeaderMap::from_iter([(ETAG, HeaderValue::from_bytes(value).unwrap())]))
            .etag
    }

    #[test]
    fn a_validator_is_kept_only_if_it_is_short_and_can_hold_no_address() {
        assert_eq!(kept_etag(b"W/\"a 1\"").as_deref(), Some("W/\"a 1\""));
        assert_eq!(kept_etag(&[b'a'; 128]).map(|etag| etag.len()), Some(128));
        assert_eq!(kept_etag(&[b'a'; 129]), None);
        assert_eq!(kept_etag(b"a\tb"), None);
        assert_eq!(kept_etag("\"ü\"".as_bytes()), None);
        assert_eq!(kept_etag(b""), None);
        assert!(kept_etag(b"\"5d8c72a5-1b4:gzip/A+b==\"").is_some());
        for address in ["\"a@b.test\"", "\"a%40b.test\"", "\"a&#64;b.test\"", "\"a\\u0040b.test\""] {
            assert_eq!(kept_etag(address.as_bytes()), None, "{address}");
        }
    }
}
