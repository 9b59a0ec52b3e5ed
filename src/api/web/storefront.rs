//! `GET /ACCESSKEY/cs.js`: the script of a shop's pages. It sends shoppers' events, as far as they consent, fills
//! zones, and completes the text in the search box. It is the same for all shops, and reads the key from its own
//! address. `GET /ACCESSKEY/cs.css` is a style for what it draws, for pages that have none of their own.

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
    include_str!("storefront/options.js"),
    include_str!("storefront/style.js"),
    include_str!("storefront/box.js"),
    include_str!("storefront/calls.js"),
    "})();\n",
);

/// A file of shops' pages as it is sent.
struct StorefrontFile {
    content_type: &'static str,
    text: String,
    version: String,
    /// Its bytes compressed.
    packed: Vec<u8>,
}

/// The script without comments and indentation. Each comment stands on lines of its own.
static SCRIPT: LazyLock<StorefrontFile> = LazyLock::new(|| {
    let lines = SOURCE.lines().map(str::trim_start);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/**"));
    StorefrontFile::new("text/javascript; charset=utf-8", code.flat_map(|line| [line, "\n"]).collect())
});

/// The style, which people read to make their own of it.
static STYLE: LazyLock<StorefrontFile> = LazyLock::new(|| {
    StorefrontFile::new("text/css; charset=utf-8", include_str!("storefront/cs.css").to_owned())
});

impl StorefrontFile {
    fn new(content_type: &'static str, text: String) -> Self {
        let digest = digest::digest(&digest::SHA256, text.as_bytes());
        let version = lethe_verify::hex::encode(&digest.as_ref()[..8]);
        let packed = gzip(text.as_bytes(), Compression::best());
        Self { content_type, text, version, packed }
    }
}

/// The script, to a page of the shop with the access key.
///
/// # Errors
/// A refusal when no shop has the key, the address asks too often, or the store fails.
pub async fn get_script(State(node): State<Arc<Node>>, request: Request) -> Result<Response, Refusal> {
    send_file(&node, request, "/cs.js", &SCRIPT).await
}

/// The style of zones and completions, to a page of the shop with the access key.
///
/// # Errors
/// As [`get_script`].
pub async fn get_style(State(node): State<Arc<Node>>, request: Request) -> Result<Response, Refusal> {
    send_file(&node, request, "/cs.css", &STYLE).await
}

async fn send_file(
    node: &Node,
    request: Request,
    name: &str,
    file: &'static StorefrontFile,
) -> Result<Response, Refusal> {
    search::count(node, peer_of(&request), 1)?;
    let path = request.uri().path();
    let key = path.strip_suffix(name).unwrap_or_default().trim_start_matches('/');
    let known = node.directory.find(&node.store, key).await?;
    known.ok_or_else(|| Refusal::unknown("There is no shop with this access key"))?;
    Ok(file_response(request.headers(), file))
}

fn file_response(asked: &HeaderMap, file: &'static StorefrontFile) -> Response {
    let StorefrontFile { content_type, text, version, packed } = file;
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
        _ => text.as_str().into_response(),
    };
    let headers = response.headers_mut();
    if is_packed && !is_known {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    for (name, value) in [
        (header::CONTENT_TYPE, *content_type),
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
    fn the_files_are_small_and_unpack_to_themselves() {
        for (file, bytes) in [(&*SCRIPT, 11_000), (&*STYLE, 1_500)] {
            let StorefrontFile { text, packed, .. } = file;
            assert!(packed.len() < bytes, "{} bytes", packed.len());
            let mut unpacked = String::new();
            GzDecoder::new(&**packed).read_to_string(&mut unpacked).unwrap();
            assert_eq!(unpacked, *text);
        }
    }

    #[test]
    fn the_style_names_classes_that_the_script_makes() {
        let names = STYLE.text.split(".pc-").skip(1);
        for name in names.filter_map(|rest| rest.split(|sign: char| !sign.is_ascii_lowercase()).next()) {
            assert!(SCRIPT.text.contains(&format!("pc-{name}")), "{name}");
        }
    }

    #[test]
    fn a_browser_keeps_what_was_looked_at_as_long_as_the_server_keeps_visits() {
        let days = crate::limits::VISITS_KEPT_DURATION.as_secs() / (24 * 60 * 60);
        assert!(SCRIPT.text.contains(&format!("const VIEWED_DAYS = {days};\n")));
    }
}
