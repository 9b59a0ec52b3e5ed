//! Truncated, compressed and lying bodies: either the right bytes or a fault, never a part that looks whole.

use super::scripted::{Answer, Server, door, fetch, gzip, lasting, ok, transient, zstd};
use crate::limits;
use crate::outbound::FetchFault;
use std::io::Write;

const FEED: &[u8] = br#"{"Products":[{"Sku":"a"},{"Sku":"b"}]}"#;
const TRUNCATED: &str = "the feed ended before it was complete";
const DAMAGED: &str = "the feed's gzip or zstd compression is damaged, or needs a window of more than 8 MiB (zstd --ultra or --long)";

/// Fetches a body after these header lines, closed at its end.
async fn body(headers: &'static str, body: &[u8]) -> Result<Vec<u8>, FetchFault> {
    let body = body.to_vec();
    let server = Server::new(move |_| ok(headers, &body)).await;
    fetch(&door(), &server.url("feed")).await
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let piece = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    body.chunks(10).map(piece).collect::<Vec<_>>().concat()
}

#[tokio::test]
async fn a_whole_body_is_read_however_it_is_delimited() {
    assert_eq!(body("", FEED).await.unwrap(), FEED);
    assert_eq!(body("Content-Length: 38\r\n", FEED).await.unwrap(), FEED);
    let chunks = [&chunked(FEED)[..], b"0\r\n\r\n"].concat();
    assert_eq!(body("Transfer-Encoding: chunked\r\n", &chunks).await.unwrap(), FEED);
}

#[tokio::test]
async fn a_body_shorter_than_announced_is_truncated() {
    assert_eq!(transient(body("Content-Length: 39\r\n", FEED).await), TRUNCATED);
    assert_eq!(transient(body("Content-Length: 39\r\n", b"").await), TRUNCATED);
}

#[tokio::test]
async fn what_follows_the_announced_body_is_not_part_of_the_feed() {
    let long = [FEED, b"HTTP/1.1 200 OK\r\n\r\ngarbage"].concat();
    assert_eq!(body("Content-Length: 38\r\n", &long).await.unwrap(), FEED);
}

#[tokio::test]
async fn a_chunked_body_without_its_end_is_truncated() {
    let chunks = chunked(FEED);
    assert_eq!(transient(body("Transfer-Encoding: chunked\r\n", &chunks).await), TRUNCATED);
    let cut = &chunks[..chunks.len() - 5];
    assert_eq!(transient(body("Transfer-Encoding: chunked\r\n", cut).await), TRUNCATED);
}

#[tokio::test]
async fn contradictory_lengths_are_not_believed() {
    transient(body("Content-Length: 38\r\nContent-Length: 12\r\n", FEED).await);
    transient(body("Content-Length: many\r\n", FEED).await);
}

#[tokio::test]
async fn a_compressed_feed_is_recognised_with_and_without_being_declared() {
    for (declared, sent) in [
        ("", gzip(FEED)),
        ("", zstd(FEED)),
        ("Content-Encoding: gzip\r\n", gzip(FEED)),
        ("Content-Encoding: X-GZIP\r\n", gzip(FEED)),
        ("Content-Encoding: zstd\r\n", zstd(FEED)),
        ("Content-Encoding: identity\r\n", FEED.to_vec()),
        ("Content-Encoding: identity\r\n", gzip(FEED)),
        ("Content-Encoding: gzip\r\n", gzip(&gzip(FEED))),
        ("Content-Encoding: zstd, gzip\r\n", gzip(&zstd(FEED))),
        ("", zstd(&gzip(FEED))),
        ("Content-Type: text/html\r\n", FEED.to_vec()),
        ("Content-Type: image/png\r\n", gzip(FEED)),
    ] {
        assert_eq!(body(declared, &sent).await.unwrap(), FEED, "{declared}");
    }
}

#[tokio::test]
async fn three_compressions_are_too_many() {
    assert_eq!(lasting(body("", &gzip(&zstd(&gzip(FEED)))).await), "the feed is compressed more than twice");
}

#[tokio::test]
async fn an_encoding_that_was_not_asked_for_or_is_not_there_is_a_fault() {
    let reason = lasting(body("Content-Encoding: br\r\n", FEED).await);
    assert_eq!(reason, "the feed's content encoding is not gzip, zstd or identity");
    assert_eq!(lasting(body("Content-Encoding: gzip\r\n", FEED).await), DAMAGED);
    assert_eq!(lasting(body("Content-Encoding: gzip, gzip\r\n", &gzip(FEED)).await), DAMAGED);
    assert_eq!(transient(body("Content-Encoding: gzip\r\n", b"").await), TRUNCATED);
}

#[tokio::test]
async fn all_members_and_frames_are_decoded() {
    let (one, two) = FEED.split_at(20);
    assert_eq!(body("", &[gzip(one), gzip(two)].concat()).await.unwrap(), FEED);
    assert_eq!(body("", &[zstd(one), zstd(two)].concat()).await.unwrap(), FEED);
    let skippable = [0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9];
    assert_eq!(body("", &[&skippable[..], &zstd(FEED)].concat()).await.unwrap(), FEED);
}

#[tokio::test]
async fn a_compressed_feed_cut_anywhere_is_truncated() {
    for whole in [gzip(FEED), zstd(FEED), [gzip(FEED), gzip(FEED)].concat()] {
        let ends_of_members = [gzip(FEED).len()];
        for end in (5..whole.len()).filter(|end| !ends_of_members.contains(end)) {
            let reason = transient(body("", &whole[..end]).await);
            assert_eq!(reason, TRUNCATED, "{end} of {}", whole.len());
        }
    }
}

#[tokio::test]
async fn a_wrong_trailer_and_trailing_garbage_are_damage() {
    for from_end in [1, 5, 8] {
        let mut wrong = gzip(FEED);
        let at = wrong.len() - from_end;
        wrong[at] ^= 1;
        assert_eq!(lasting(body("", &wrong).await), DAMAGED, "{from_end} from the end");
    }
    assert_eq!(lasting(body("", &[&gzip(FEED)[..], b"garbage, long enough"].concat()).await), DAMAGED);
    assert_eq!(lasting(body("", &[&zstd(FEED)[..], b"garbage, long enough"].concat()).await), DAMAGED);
}

#[tokio::test]
async fn zeros_behind_a_gzip_are_padding_however_many() {
    for length in (1..=12).chain([512, 200_000]) {
        let padded = [gzip(FEED), vec![0; length]].concat();
        assert_eq!(body("", &padded).await.unwrap(), FEED, "{length}");
        assert_eq!(body("Content-Encoding: gzip\r\n", &padded).await.unwrap(), FEED, "{length}");
        let not_only = [&padded[..], b"x"].concat();
        assert_eq!(lasting(body("", &not_only).await), DAMAGED, "{length} and a letter");
    }
    let (one, two) = FEED.split_at(20);
    assert_eq!(body("", &[gzip(one), gzip(two), vec![0; 7]].concat()).await.unwrap(), FEED);
    assert_eq!(lasting(body("", &[gzip(one), vec![0; 7], gzip(two)].concat()).await), DAMAGED);
}

#[tokio::test]
async fn a_gzip_of_empty_members_is_damage() {
    let few = [gzip(FEED), gzip(b"").repeat(999), gzip(FEED)].concat();
    assert_eq!(body("", &few).await.unwrap(), [FEED, FEED].concat());
    let many = [gzip(FEED), gzip(b"").repeat(1000), gzip(FEED)].concat();
    assert_eq!(lasting(body("", &many).await), DAMAGED);
}

#[tokio::test]
async fn what_follows_a_gzip_is_damage_however_short() {
    for length in 1..=12 {
        let followed = [&gzip(FEED)[..], &b"garbage junk"[..length]].concat();
        assert_eq!(lasting(body("", &followed).await), DAMAGED, "{length}");
        let chunks = [&chunked(&followed)[..], b"0\r\n\r\n"].concat();
        let reason = lasting(body("Transfer-Encoding: chunked\r\n", &chunks).await);
        assert_eq!(reason, DAMAGED, "{length}, chunked");
    }
    assert_eq!(lasting(body("", &[&gzip(FEED)[..], b"\x1fx"].concat()).await), DAMAGED);
}

#[tokio::test]
async fn two_members_are_read_in_pieces_of_any_size_and_a_cut_second_one_is_truncated() {
    for at in 1..FEED.len() {
        let (one, two) = FEED.split_at(at);
        let whole = [gzip(one), gzip(two)].concat();
        let chunks = [&chunked(&whole)[..], b"0\r\n\r\n"].concat();
        assert_eq!(body("Transfer-Encoding: chunked\r\n", &chunks).await.unwrap(), FEED, "{at}");
    }
    for length in 1..=12 {
        let cut = [&gzip(FEED)[..], &gzip(FEED)[..length]].concat();
        assert_eq!(transient(body("", &cut).await), TRUNCATED, "{length}");
    }
}

#[tokio::test]
async fn an_empty_body_is_an_empty_feed_for_the_reader_to_refuse() {
    assert_eq!(body("Content-Length: 0\r\n", b"").await.unwrap(), b"");
}

#[tokio::test]
async fn an_answer_that_is_not_http_may_heal() {
    let server = Server::new(|_| Answer::Bytes(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec())).await;
    let reason = transient(fetch(&door(), &server.url("feed")).await);
    assert_eq!(reason, "the feed's server broke the connection or did not answer in HTTP");
}

#[tokio::test]
async fn a_window_that_needs_much_memory_is_refused() {
    for (log2, is_read) in [(limits::FEED_ZSTD_WINDOW_LOG2, true), (limits::FEED_ZSTD_WINDOW_LOG2 + 1, false)]
    {
        let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(log2).unwrap();
        encoder.write_all(FEED).unwrap();
        let read = body("", &encoder.finish().unwrap()).await;
        assert_eq!(read.err().map(|fault| fault.reason), (!is_read).then(|| DAMAGED.to_owned()), "{log2}");
    }
}
