//! `lethe feed submit FILE`: a feed of this machine, sent to the server in pieces.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::api::Api;
use super::fault::CliFault;
use super::feed_file;
use super::serve::ignores_hangup;
use super::wait::SubmissionBar;
use crate::formats::detect::detect_format;
use crate::limits;
use crate::outbound::{FeedBytes, FetchFault, FetchProgress};

/// Returns true if a feed is named by a URL; otherwise it is a file, or `-` for standard input.
pub fn is_url(feed: &str) -> bool {
    feed.contains("://")
}

/// Sends a file, or standard input, and returns the token of its submission. A compressed file is sent decompressed.
/// An upload that breaks off, also by Ctrl-C, is cancelled at once.
///
/// # Errors
/// When it cannot be read or begins as no feed does, the server cannot be asked or refuses, or the user interrupts.
pub async fn upload(api: &Api<'_>, feed: &str, is_dry_run: bool) -> Result<String, CliFault> {
    require_file(feed)?;
    let progress = Arc::new(FetchProgress::default());
    let source = feed_file::open(feed, &progress).await?;
    let (source, first) = read_piece(source, feed).await?;
    if let Err(what) = detect_format(&first) {
        return Err(CliFault::Refused(format!("{feed} was not sent: {what}")));
    }
    let bar = SubmissionBar::new();
    let sending = FeedSending { api, feed, progress: &progress, bar: &bar, begun: OnceLock::new() };
    let mut interrupts = Interrupts::listen()?;
    let sent = sending.send(source, first, is_dry_run, &mut interrupts).await;
    bar.clear();
    if sent.is_err() {
        tokio::select! {
            () = sending.cancel() => {}
            _ = interrupts.next() => {}
        }
    }
    sent
}

/// Signals of Ctrl-C, of the system and of a closed terminal that ask the command to end, received from
/// [`Interrupts::listen`] on.
struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
    /// `None`: the command was started to outlive its terminal.
    hangup: Option<Signal>,
}

impl Interrupts {
    fn listen() -> Result<Self, CliFault> {
        let open = |kind| signal(kind).map_err(|error| CliFault::Failed(format!("no signals: {error}")));
        let hangup = if ignores_hangup() { None } else { Some(open(SignalKind::hangup())?) };
        Ok(Self {
            interrupt: open(SignalKind::interrupt())?,
            terminate: open(SignalKind::terminate())?,
            hangup,
        })
    }

    async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangup => {}
        }
    }
}

/// A feed on its way to the server.
struct FeedSending<'a> {
    api: &'a Api<'a>,
    feed: &'a str,
    progress: &'a FetchProgress,
    bar: &'a SubmissionBar,
    /// Token of the upload, once it has begun.
    begun: OnceLock<String>,
}

impl FeedSending<'_> {
    async fn send(
        &self,
        source: FeedBytes,
        first: Vec<u8>,
        is_dry_run: bool,
        interrupts: &mut Interrupts,
    ) -> Result<String, CliFault> {
        // Two that send at once get an upload each.
        let name = format!("product-{}", uuid::Uuid::new_v4());
        let name = name.as_bytes();
        let dry_run: &[u8] = if is_dry_run { b"true" } else { b"false" };
        self.show_progress();
        let is_last = first.len() < limits::UPLOAD_SENT_BYTES;
        let begun = [("feedName", name), ("dryRun", dry_run), ("payLoad", first.as_slice())];
        // Not interrupted: only its answer says what to cancel.
        if let Some(token) = self.api.post_form("/feed-create", &begun).await?.feed_token {
            let _ = self.begun.set(token);
        }
        let rest = async {
            if !is_last {
                self.append_rest(source, name).await?;
            }
            self.api.post_form("/feed-close", &[("feedName", name)]).await
        };
        let closed = tokio::select! {
            biased;
            () = interrupts.next() => return Err(CliFault::Failed("interrupted: the feed was not sent".to_owned())),
            closed = rest => closed?,
        };
        closed.feed_token.ok_or_else(|| CliFault::Failed("the server told no token".to_owned()))
    }

    /// Sends the pieces after the first.
    async fn append_rest(&self, mut source: FeedBytes, name: &[u8]) -> Result<(), CliFault> {
        loop {
            let (rest, piece) = read_piece(source, self.feed).await?;
            source = rest;
            self.show_progress();
            if !piece.is_empty() {
                let fields = [("feedName", name), ("payLoad", piece.as_slice())];
                self.api.post_form("/feed-append", &fields).await?;
            }
            if piece.len() < limits::UPLOAD_SENT_BYTES {
                return Ok(());
            }
        }
    }

    /// Cancels the upload if it has begun: it would stay open for a day. Nothing is told of a failure, as the command
    /// fails for a reason of its own.
    async fn cancel(&self) {
        if let Some(token) = self.begun.get() {
            let _ = self.api.post("/api/feed/cancel", &json!({"Token": token})).await;
        }
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

/// Reads the next piece; one that is not full is the last.
async fn read_piece(source: FeedBytes, feed: &str) -> Result<(FeedBytes, Vec<u8>), CliFault> {
    source.read_piece(limits::UPLOAD_SENT_BYTES).await.map_err(|error| match FetchFault::from_io(&error) {
        Some(fault) => CliFault::Failed(format!("{feed}: {}", fault.reason)),
        None => CliFault::unreadable(feed, &error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
