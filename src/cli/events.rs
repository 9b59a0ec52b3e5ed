//! Server-sent events, as a command reads them.

use std::time::Duration;

use axum::body::Body;
use http_body_util::BodyExt;
use serde_json::Value;

/// The server says that it lives every 15 s.
const SILENCE_DURATION: Duration = Duration::from_secs(45);
/// Far more than any event of ours.
const EVENT_BYTES: usize = 1 << 20;

/// One event.
pub struct ServerSentEvent {
    /// Name of the event.
    pub name: String,
    /// Its JSON.
    pub data: Value,
}

/// Events as they come.
pub struct Events {
    body: Body,
    unread: Vec<u8>,
}

impl Events {
    /// The events of an answer's body.
    pub fn new(body: Body) -> Self {
        Self { body, unread: Vec::new() }
    }

    /// The next event; `None` when the stream has ended, for any reason: a caller that wants more asks again.
    pub async fn next(&mut self) -> Option<ServerSentEvent> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|two| two == b"\n\n") {
                let block: Vec<u8> = self.unread.drain(..end + 2).collect();
                match parse(&block) {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            let frame = tokio::time::timeout(SILENCE_DURATION, self.body.frame()).await.ok()??.ok()?;
            let Ok(piece) = frame.into_data() else { continue };
            if self.unread.len() + piece.len() > EVENT_BYTES {
                return None;
            }
            self.unread.extend_from_slice(&piece);
        }
    }
}

/// An event; `None` for a comment.
fn parse(block: &[u8]) -> Option<ServerSentEvent> {
    let text = std::str::from_utf8(block).ok()?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start);
    let data = serde_json::from_str(field("data:")?).ok()?;
    Some(ServerSentEvent { name: field("event:")?.to_owned(), data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn events_are_read_however_they_are_cut_and_comments_are_passed_over() {
        let pieces =
            [":\n", "\nevent: pro", "gress\ndata: {\"a\"", ":1}\n\nevent: end\ndata: 2\n\n:", "\n\nevent: x"];
        let pieces = pieces.map(Ok::<_, std::io::Error>);
        let mut events = Events::new(Body::from_stream(futures_util::stream::iter(pieces)));
        let mut read = Vec::new();
        while let Some(event) = events.next().await {
            read.push(format!("{} {}", event.name, event.data));
        }
        assert_eq!(read, ["progress {\"a\":1}", "end 2"]);
    }

    #[tokio::test]
    async fn an_event_without_an_end_ends_the_stream() {
        let piece = "x".repeat(EVENT_BYTES / 4);
        let most = |pieces: usize| {
            let begin = std::iter::once("event: end\ndata: 2\nid: ".to_owned());
            let pieces = begin.chain(std::iter::repeat_n(piece.clone(), pieces));
            let pieces = pieces.chain(std::iter::once("\n\n".to_owned())).map(Ok::<_, std::io::Error>);
            Events::new(Body::from_stream(futures_util::stream::iter(pieces.collect::<Vec<_>>())))
        };
        assert!(most(3).next().await.is_some());
        assert!(most(4).next().await.is_none());
    }
}
