//! `lethe feed submit FILE`: a feed of this machine, sent to the server in pieces.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::api::Api;
use super::fault::CliFault;
use super::feed_file;
use super::wait::SubmissionBar;
use crate::feeds::{FaultReason, FeedFault, FeedReader};
use crate::limits;
use crate::outbound::{FeedBytes, FetchFault, FetchProgress};

/// Bytes of the feed in one request. A form writes a byte with three letters at most, so the request stays below the
/// 1 MiB that a proxy such as nginx lets through unless told otherwise.
const PIECE_BYTES: usize = 256 << 10;
const _: () = assert!(limits::FEED_WIRE_BYTES / PIECE_BYTES as u64 <= limits::UPLOAD_PIECES as u64);

/// Returns true if a feed is named by a URL; otherwise it is a file, or `-` for standard input.
pub fn is_url(feed: &str) -> bool {
    feed.contains("://")
}

/// Sends a file, or standard input, and returns the token of its submission. A compressed file is sent decompressed.
///
/// # Errors
/// When it cannot be read or begins as no feed does, or the server cannot be asked or refuses.
pub async fn upload(api: &Api<'_>, feed: &str, is_dry_run: bool) -> Result<String, CliFault> {
    require_file(feed)?;
    let progress = Arc::new(FetchProgress::default());
    let source = feed_file::open(feed, &progress).await?;
    let (source, first) = read_piece(source, feed).await?;
    check_beginning(feed, &first)?;
    let bar = SubmissionBar::new();
    let sending = FeedSending { api, feed, progress: &progress, bar: &bar };
    let token = sending.send(source, first, is_dry_run).await;
    bar.clear();
    token
}

/// A feed on its way to the server.
struct FeedSending<'a> {
    api: &'a Api<'a>,
    feed: &'a str,
    progress: &'a FetchProgress,
    bar: &'a SubmissionBar,
}

impl FeedSending<'_> {
    async fn send(
        &self,
        mut source: FeedBytes,
        first: Vec<u8>,
        is_dry_run: bool,
    ) -> Result<String, CliFault> {
        // Two that send at once get an upload each.
        let name = format!("product-{}", uuid::Uuid::new_v4());
        let name = ("feedName", name.as_bytes());
        let dry_run: &[u8] = if is_dry_run { b"true" } else { b"false" };
        self.show_progress();
        let begun = [name, ("dryRun", dry_run), ("payLoad", first.as_slice())];
        self.api.post_form("/feed-create", &begun).await?;
        let mut is_last = first.len() < PIECE_BYTES;
        while !is_last {
            let (rest, piece) = read_piece(source, self.feed).await?;
            is_last = piece.len() < PIECE_BYTES;
            source = rest;
            self.show_progress();
            if !piece.is_empty() {
                self.api.post_form("/feed-append", &[name, ("payLoad", piece.as_slice())]).await?;
            }
        }
        let token = self.api.post_form("/feed-close", &[name]).await?.feed_token;
        token.ok_or_else(|| CliFault::Failed("the server told no token".to_owned()))
    }

    fn show_progress(&self) {
        self.bar.update(&json!({
            "Phase": "sending",
            "Bytes": self.progress.wire_bytes(),
            "BytesTotal": self.progress.content_length(),
        }));
    }
}

/// Refuses a name that is neither a file nor a URL.
fn require_file(feed: &str) -> Result<(), CliFault> {
    if feed == "-" || Path::new(feed).exists() {
        return Ok(());
    }
    Err(CliFault::Usage(format!(
        "there is no file {feed}; a feed is a file, or an absolute URL that begins with https:// or http://"
    )))
}

/// Reads the next piece away from the threads that serve the network; one that is not full is the last.
async fn read_piece(mut source: FeedBytes, feed: &str) -> Result<(FeedBytes, Vec<u8>), CliFault> {
    let reading = tokio::task::spawn_blocking(move || {
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        let read = source.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut piece);
        read.map(|_| (source, piece))
    });
    let read = reading.await.map_err(|_| CliFault::Failed(format!("{feed} cannot be read")))?;
    read.map_err(|error| match FetchFault::from_io(&error) {
        Some(fault) => CliFault::Failed(format!("{feed}: {}", fault.reason)),
        None => CliFault::unreadable(feed, &error),
    })
}

/// Refuses bytes that begin as no feed does, before any of them are sent. The server judges the rest.
fn check_beginning(feed: &str, first: &[u8]) -> Result<(), CliFault> {
    use FaultReason::{Empty, Markup, NotObject, NotText};
    match FeedReader::new(first).next_piece() {
        Err(FeedFault::Malformed { reason: reason @ (Empty | Markup | NotObject | NotText), .. }) => {
            Err(CliFault::Refused(format!("{feed} was not sent: {reason}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_that_begin_as_a_feed_are_sent() {
        let refused = |begun: &[u8]| check_beginning("f", begun).err().map(|fault| fault.to_string());
        for begun in [
            &b"{\"Products\": []}"[..],
            b"\xef\xbb\xbf {\"Products\": [{\"Id\": \"1\"",
            b"{\"FileType\": \"ndjson\"}\n{\"Type\": \"Products\"}\n",
        ] {
            assert_eq!(refused(begun), None, "{}", String::from_utf8_lossy(begun));
        }
        let refusals: [(&[u8], &str); 6] = [
            (b"", "the feed is empty"),
            (b" \n", "the feed is empty"),
            (b"<html>", "a web page or XML document was sent instead of a JSON feed"),
            (b"\x00\x01\x02", "the feed is not UTF-8 text"),
            (
                b"Id,Title\n1,Chair\n",
                "the feed is not a JSON object; it must look like {\"Products\": [...]}",
            ),
            (b"[1]", "the feed is not a JSON object"),
        ];
        for (begun, why) in refusals {
            let said = refused(begun).unwrap_or_default();
            assert!(said.starts_with(&format!("f was not sent: {why}")), "{said}");
        }
    }

    #[test]
    fn a_name_that_is_no_file_and_no_url_is_told_what_is_expected() {
        assert!(is_url("https://shop.example/feed.json") && !is_url("shop.example/feed.json"));
        let fault = require_file("shop.example/feed.json").expect_err("no file");
        assert_eq!(
            fault.to_string(),
            "there is no file shop.example/feed.json; a feed is a file, or an absolute URL that begins with https:// or \
             http://"
        );
        assert!(require_file("-").is_ok() && require_file(env!("CARGO_MANIFEST_DIR")).is_ok());
    }
}
