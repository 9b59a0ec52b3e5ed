//! The beginning of a feed: bytes that begin as no feed does are refused before any of them is sent on.

use super::fault::{FaultReason, FeedFault};
use super::reader::FeedReader;

/// Reason why bytes that begin so are no feed; `None` when they may be one. The rest is judged when it is read.
#[must_use]
pub fn check_beginning(first: &[u8]) -> Option<FaultReason> {
    use FaultReason::{Empty, Markup, NotObject, NotText};
    match FeedReader::new(first).next_piece() {
        Err(FeedFault::Malformed { reason: reason @ (Empty | Markup | NotObject | NotText), .. }) => {
            Some(reason)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_that_begin_as_a_feed_are_one() {
        for begun in [
            &b"{\"Products\": []}"[..],
            b"\xef\xbb\xbf {\"Products\": [{\"Id\": \"1\"",
            b"{\"FileType\": \"ndjson\"}\n{\"Type\": \"Products\"}\n",
        ] {
            assert!(check_beginning(begun).is_none(), "{}", String::from_utf8_lossy(begun));
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
            let said = check_beginning(begun).map(|reason| reason.to_string()).unwrap_or_default();
            assert!(said.starts_with(why), "{said}");
        }
    }
}
