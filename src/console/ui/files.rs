//! The style and the scripts of the pages, their picture, and the icons of the menu. The address of each holds a mark
//! of its content: browsers keep it for long, and ask for another one after an upgrade.

use std::sync::LazyLock;

use aws_lc_rs::digest::{SHA256, digest};
use axum::body::Bytes;
use axum::extract::{Path, Query};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::problem::Problem;

/// Names, types and contents. A file stands behind those that it names.
const SOURCES: [(&str, &str, &str); 6] = [
    ("icon.svg", "image/svg+xml", include_str!("../../api/web/try_page/icon.svg")),
    ("icons.svg", "image/svg+xml", include_str!("files/icons.svg")),
    ("style.css", "text/css; charset=utf-8", include_str!("files/style.css")),
    ("editor.js", "text/javascript; charset=utf-8", include_str!("files/editor.js")),
    ("drop.js", "text/javascript; charset=utf-8", include_str!("files/drop.js")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("files/page.js")),
];

/// A file as it is sent.
struct PageFile {
    name: &'static str,
    content_type: &'static str,
    content: Bytes,
    version: String,
}

impl PageFile {
    fn address(&self) -> String {
        format!("/files/{}?v={}", self.name, self.version)
    }
}

static FILES: LazyLock<Vec<PageFile>> = LazyLock::new(|| {
    let mut files: Vec<PageFile> = Vec::with_capacity(SOURCES.len());
    for (name, content_type, source) in SOURCES {
        let linked = files.iter().fold(source.to_owned(), |text, named| {
            text.replace(&format!("\"/files/{}\"", named.name), &format!("\"{}\"", named.address()))
        });
        let version = lethe_verify::hex::encode(&digest(&SHA256, linked.as_bytes()).as_ref()[..8]);
        files.push(PageFile { name, content_type, content: linked.into(), version });
    }
    files
});

fn find_file(name: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.name == name)
}

/// `file_address(name)` of a template: the address of a file.
pub(super) fn file_address(name: &str) -> Option<minijinja::Value> {
    Some(minijinja::Value::from_safe_string(find_file(name)?.address()))
}

/// Query of the address of a file.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct FileQuery {
    /// Mark of the content that the page was made for.
    v: String,
}

/// A file. A page of another version gets the content of this one, and does not keep it.
pub(crate) async fn get(
    Path(name): Path<String>,
    Query(asked): Query<FileQuery>,
) -> Result<Response, Problem> {
    let file = find_file(&name).ok_or_else(Problem::not_found)?;
    let is_current = asked.v == file.version;
    let kept = if is_current { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [(header::CONTENT_TYPE, file.content_type), (header::CACHE_CONTROL, kept)];
    Ok((headers, file.content.clone()).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_file_and_of_what_it_names_holds_a_mark_of_the_content() {
        let mut versions = std::collections::BTreeSet::new();
        for file in FILES.iter() {
            let name = file.name;
            let version = file.version.as_str();
            assert!(version.len() == 16 && versions.insert(version), "{name} {version}");
            let address = file_address(name).expect("a file");
            assert_eq!(address.to_string(), format!("/files/{name}?v={version}"));
        }
        let style = find_file("style.css").expect("the style");
        let icons = find_file("icons.svg").expect("the icons").address();
        let text = std::str::from_utf8(&style.content).expect("a text");
        assert_eq!(text.matches("/files/").count(), text.matches(&icons).count(), "{icons}");
        assert!(text.contains(&icons) && file_address("nothing").is_none());
    }
}
