//! `GET /ACCESSKEY/cs.js`: the script of a shop's pages. It sends shoppers' events, as far as they consent, fills
//! zones, and completes the text in the search box. It is the same for all shops, and reads the key from its own
//! address.

use std::sync::{Arc, LazyLock};

use aws_lc_rs::digest;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;

use crate::api::compression::{accepts_gzip, gzip};
use crate::api::search;
use crate::node::Node;
use crate::transport::peer::peer_of;
use crate::transport::refusal::Refusal;

/// Its parts in their order, within one scope of their own.
const SOURCE: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("storefront/consent.js"),
    include_str!("storefront/server.js"),
    include_str!("storefront/zones.js"),
    include_str!("storefront/style.js"),
    include_str!("storefront/box.js"),
    include_str!("storefront/calls.js"),
    "})();\n",
);

/// The script without comments and indentation. Each comment stands on lines of its own.
static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let lines = SOURCE.lines().map(str::trim_start);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/**"));
    code.flat_map(|line| [line, "\n"]).collect()
});

/// The script as it is sent: its version, and its bytes compressed.
static SENT: LazyLock<(String, Vec<u8>)> = LazyLock::new(|| {
    let digest = digest::digest(&digest::SHA256, SCRIPT.as_bytes());
    let version = lethe_verify::hex::encode(&digest.as_ref()[..8]);
    (version, gzip(SCRIPT.as_bytes(), Compression::best()))
});

/// The script, to a page of the shop with the access key.
///
/// # Errors
/// A refusal when no shop has the key, the address asks too often, or the store fails.
pub async fn get(State(node): State<Arc<Node>>, request: Request) -> Result<Response, Refusal> {
    search::count(&node, peer_of(&request), 1)?;
    let path = request.uri().path();
    let key = path.strip_suffix("/cs.js").unwrap_or_default().trim_start_matches('/');
    let known = node.directory.find(&node.store, key).await?;
    known.ok_or_else(|| Refusal::unknown("There is no shop with this access key"))?;
    Ok(script_response(request.headers()))
}

fn script_response(asked: &HeaderMap) -> Response {
    let (version, packed) = &*SENT;
    let names = |header: header::HeaderName, wanted: &str| {
        let lines = asked.get_all(header).iter().filter_map(|line| line.to_str().ok());
        lines.flat_map(|line| line.split(',')).any(|one| one.trim().trim_start_matches("W/") == wanted)
    };
    let is_packed = accepts_gzip(asked);
    // The two forms differ in bytes: a strong tag names one form (RFC 9110, 8.8.3).
    let form = if is_packed { "-gzip" } else { "" };
    let tag = format!("\"{version}{form}\"");
    let is_known = names(header::IF_NONE_MATCH, &tag);
    let mut response = match (is_known, is_packed) {
        (true, _) => StatusCode::NOT_MODIFIED.into_response(),
        (_, true) => packed.as_slice().into_response(),
        _ => SCRIPT.as_str().into_response(),
    };
    let headers = response.headers_mut();
    if is_packed && !is_known {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    for (name, value) in [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=300"),
        (header::VARY, "accept-encoding"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A page that loads nothing from elsewhere without permission may load it.
    let policy = header::HeaderName::from_static("cross-origin-resource-policy");
    headers.insert(policy, HeaderValue::from_static("cross-origin"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn the_script_is_small_and_unpacks_to_itself() {
        let (_, packed) = &*SENT;
        assert!(packed.len() < 10_000, "{} bytes", packed.len());
        let mut unpacked = String::new();
        GzDecoder::new(&**packed).read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, *SCRIPT);
    }

    #[test]
    fn a_browser_keeps_what_was_looked_at_as_long_as_the_server_keeps_visits() {
        let days = crate::limits::VISITS_KEPT_DURATION.as_secs() / (24 * 60 * 60);
        assert!(SCRIPT.contains(&format!("const VIEWED_DAYS = {days};\n")));
    }
}
