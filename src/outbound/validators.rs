//! What a server gave to recognise a feed that has not changed.

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
    /// Those of an answer; one that is too long or not visible ASCII is left out.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        Self { etag: kept(headers, ETAG), last_modified: kept(headers, LAST_MODIFIED) }
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

fn kept(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?.as_bytes();
    let visible = value.iter().all(|byte| (b' '..=b'~').contains(byte));
    if !visible || value.is_empty() || value.len() > limits::FETCH_VALIDATOR_BYTES {
        return None;
    }
    String::from_utf8(value.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_etag(value: &[u8]) -> Option<String> {
        Validators::of(&HeaderMap::from_iter([(ETAG, HeaderValue::from_bytes(value).unwrap())])).etag
    }

    #[test]
    fn a_validator_is_kept_only_if_short_and_visible() {
        assert_eq!(kept_etag(b"W/\"a 1\"").as_deref(), Some("W/\"a 1\""));
        assert_eq!(kept_etag(&[b'a'; 1024]).map(|etag| etag.len()), Some(1024));
        assert_eq!(kept_etag(&[b'a'; 1025]), None);
        assert_eq!(kept_etag(b"a\tb"), None);
        assert_eq!(kept_etag("\"ü\"".as_bytes()), None);
        assert_eq!(kept_etag(b""), None);
    }
}
