//! Nothing a server sends takes more memory, bytes or time than allowed.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use super::scripted::{
    Answer, Script, Server, door, door_with, fetch, gzip, lasting, ok, open, transient, trusting, zstd,
};
use crate::outbound::{FeedUrl, FetchFault, FetchLimits, FetchProgress, Outbound, Resolve, Resolving};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n";
const MIB: usize = 1 << 20;

/// 300 MiB of zeros in about 300 KB.
fn bomb() -> Vec<u8> {
    gzip(&vec![0; 3 * MIB]).repeat(100)
}

/// Fetches until a fault, keeping nothing; gives the fault and the progress at that point.
async fn burst(door: &Outbound, sent: Vec<u8>) -> (FetchFault, Arc<FetchProgress>) {
    let server = Server::new(move |_| ok("", &sent)).await;
    let url = FeedUrl::parse(&server.url("feed"), door.policy()).ok().unwrap();
    let progress = Arc::<FetchProgress>::default();
    let mut bytes = open(door, &url, progress.clone()).await.ok().unwrap();
    let read = tokio::task::spawn_blocking(move || std::io::copy(&mut bytes, &mut std::io::sink()));
    let error = read.await.unwrap().unwrap_err();
    (FetchFault::from_io(&error).unwrap().clone(), progress)
}

/// The most memory this process has held, in bytes (a process of its own under nextest).
fn peak_memory_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

#[tokio::test]
async fn a_bomb_is_stopped_at_the_ratio() {
    let (fault, progress) = burst(&door(), bomb()).await;
    assert_eq!(lasting::<()>(Err(fault)), "the feed grows too much when decompressed");
    assert!(progress.decoded_bytes() <= 200 * progress.wire_bytes() + MIB as u64);
}

#[tokio::test]
async fn a_bomb_is_stopped_at_the_decoded_size_in_bounded_memory() {
    let limits =
        FetchLimits { ratio_max: u64::MAX, decoded_bytes: 250 * MIB as u64, ..FetchLimits::default() };
    let (fault, progress) = burst(&door_with(limits), bomb()).await;
    assert_eq!(lasting::<()>(Err(fault)), "the feed is too large once decompressed");
    assert!((250 * MIB as u64..251 * MIB as u64).contains(&progress.decoded_bytes()));
    assert!(peak_memory_bytes() < 150 * MIB, "{}", peak_memory_bytes());
}

#[tokio::test]
async fn a_bomb_that_decodes_to_nothing_is_stopped_at_its_outer_layer() {
    let empty_frames = zstd(&zstd(b"").repeat(500_000));
    let (fault, progress) = burst(&door(), empty_frames).await;
    assert_eq!(lasting::<()>(Err(fault)), "the feed grows too much when decompressed");
    assert_eq!(progress.decoded_bytes(), 0);
}

#[tokio::test]
async fn a_small_feed_may_compress_as_well_as_it_likes() {
    for packed in [gzip(&vec![b' '; MIB]), zstd(&vec![b' '; MIB])] {
        let server = Server::new(move |_| ok("", &packed)).await;
        assert_eq!(fetch(&door(), &server.url("feed")).await.unwrap().len(), MIB);
    }
}

#[tokio::test]
async fn a_zstd_feed_that_needs_a_huge_window_is_refused() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    std::io::copy(&mut std::io::repeat(b' ').take(2 * MIB as u64), &mut encoder).unwrap();
    let (fault, progress) = burst(&door(), encoder.finish().unwrap()).await;
    lasting::<()>(Err(fault));
    assert_eq!(progress.decoded_bytes(), 0);
}

#[tokio::test]
async fn an_endless_body_is_stopped_at_the_wire_limit() {
    let server = Server::new(|_| Answer::Repeat(HEAD.to_vec(), vec![b' '; 10_000], Duration::ZERO)).await;
    let door = door_with(FetchLimits { wire_bytes: 200_000, ..FetchLimits::default() });
    assert_eq!(lasting(fetch(&door, &server.url("feed")).await), "the feed is too large");
}

#[tokio::test]
async fn the_decoded_limit_holds_for_a_feed_without_compression_too() {
    let door = door_with(FetchLimits { decoded_bytes: 1000, ..FetchLimits::default() });
    let (fault, _) = burst(&door, vec![b' '; 1001]).await;
    assert_eq!(lasting::<()>(Err(fault)), "the feed is too large once decompressed");
}

#[tokio::test]
async fn an_announced_body_above_the_limit_is_refused_before_it_is_read() {
    let server =
        Server::new(|_| Answer::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 2147483649\r\n\r\n".to_vec()))
            .await;
    assert_eq!(lasting(fetch(&door(), &server.url("feed")).await), "the feed is too large");
}

#[tokio::test]
async fn a_body_of_exactly_the_announced_limit_is_read() {
    let server = Server::new(|_| ok("Content-Length: 2\r\n", b"{}")).await;
    for (wire_bytes, read) in [(2, Ok(b"{}".to_vec())), (1, Err("the feed is too large".to_owned()))] {
        let door = door_with(FetchLimits { wire_bytes, ..FetchLimits::default() });
        let fetched = fetch(&door, &server.url("feed")).await;
        assert_eq!(fetched.map_err(|fault| fault.reason), read);
    }
}

#[tokio::test]
async fn a_dripping_body_is_given_up() {
    let server =
        Server::new(|_| Answer::Repeat(HEAD.to_vec(), b" ".to_vec(), Duration::from_millis(5))).await;
    let rate_span = Duration::from_millis(100);
    let total = Duration::from_secs(5);
    let door = door_with(FetchLimits { rate_span, total, ..FetchLimits::default() });
    assert_eq!(transient(fetch(&door, &server.url("feed")).await), "the feed arrives too slowly");
}

#[tokio::test]
async fn a_body_that_falls_silent_is_given_up() {
    let server = Server::new(|_| Answer::Stall([HEAD, b"{"].concat())).await;
    let door = door_with(FetchLimits { idle: Duration::from_millis(50), ..FetchLimits::default() });
    assert_eq!(transient(fetch(&door, &server.url("feed")).await), "the feed stopped arriving");
}

#[tokio::test]
async fn a_whole_fetch_has_a_deadline_before_and_after_the_head() {
    let reason = "the feed took longer than a whole fetch may take";
    let door = door_with(FetchLimits { total: Duration::from_millis(150), ..FetchLimits::default() });
    for head in [HEAD.to_vec(), Vec::new()] {
        let server = Server::new(move |_| Answer::Stall(head.clone())).await;
        assert_eq!(transient(fetch(&door, &server.url("feed")).await), reason);
    }
}

#[tokio::test]
async fn a_head_that_does_not_come_or_drips_is_given_up() {
    let moment = Duration::from_millis(50);
    let door = door_with(FetchLimits { connect: moment, head: moment, ..FetchLimits::default() });
    let silent = Server::new(|_| Answer::Stall(Vec::new())).await;
    let dripping = Server::new(|_| {
        Answer::Repeat(b"HTTP/1.1 200 OK\r\nX: ".to_vec(), b"x".to_vec(), Duration::from_millis(5))
    })
    .await;
    let interim = Server::new(|_| {
        Answer::Repeat(Vec::new(), b"HTTP/1.1 103 A\r\n\r\n".to_vec(), Duration::from_millis(5))
    })
    .await;
    for server in [silent, dripping, interim] {
        assert_eq!(
            transient(fetch(&door, &server.url("feed")).await),
            "the feed's server did not answer in time"
        );
    }
}

#[tokio::test]
async fn slow_tls_is_given_up() {
    let server = Server::new(|_| Answer::Stall(Vec::new())).await;
    let door = door_with(FetchLimits { connect: Duration::from_millis(50), ..FetchLimits::default() });
    let url = server.url("feed").replace("http:", "https:");
    assert_eq!(transient(fetch(&door, &url).await), "the feed's server did not answer in time");
}

#[tokio::test]
async fn a_resolver_that_does_not_answer_is_given_up() {
    struct Silent;
    impl Resolve for Silent {
        fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
            Box::pin(std::future::pending())
        }
    }
    let limits = FetchLimits { connect: Duration::from_millis(20), ..FetchLimits::default() };
    let door = Outbound::new(trusting("127.0.0.0/8"), Arc::new(Silent), limits);
    let reason = transient(fetch(&door, "http://shop.test/").await);
    assert_eq!(reason, "the name of the feed's server could not be resolved");
}

#[tokio::test]
async fn a_large_head_and_too_many_headers_are_refused() {
    let large = "X: ".to_owned() + &"x".repeat(600_000) + "\r\n";
    let many = |count| (0..count).map(|number| format!("X-{number}: CANARY\r\n")).collect::<String>();
    for headers in [large, many(101)] {
        let server = Server::new(move |_| ok(&headers, b"{}")).await;
        let reason = lasting(fetch(&door(), &server.url("feed")).await);
        assert_eq!(reason, "the answer has too many or too large headers");
    }
    let headers = many(100);
    let server = Server::new(move |_| ok(&headers, b"{}")).await;
    assert_eq!(fetch(&door(), &server.url("feed")).await.unwrap(), b"{}");
}

#[tokio::test]
async fn a_reader_that_is_dropped_cancels_the_download() {
    let (closed, wait) = tokio::sync::oneshot::channel();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/feed", listener.local_addr().unwrap());
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 1024];
        assert!(stream.read(&mut head).await.unwrap() > 0);
        stream.write_all(HEAD).await.unwrap();
        closed.send(stream.read(&mut head).await.is_ok_and(|count| count > 0)).unwrap();
    });
    let door = Outbound::new(trusting("127.0.0.0/8"), Arc::new(Script::default()), FetchLimits::default());
    let url = FeedUrl::parse(&url, door.policy()).ok().unwrap();
    let bytes = open(&door, &url, Arc::default()).await.ok().unwrap();
    drop(bytes);
    let more = tokio::time::timeout(Duration::from_secs(5), wait).await;
    assert!(!more.expect("the connection is closed").unwrap());
}

#[tokio::test]
async fn progress_tells_wire_and_decoded_bytes_and_the_announced_length() {
    let packed = gzip(&vec![b' '; 5000]);
    let length = packed.len() as u64;
    let server = Server::new(move |_| ok(&format!("Content-Length: {length}\r\n"), &packed)).await;
    let door = door();
    let url = FeedUrl::parse(&server.url("feed"), door.policy()).ok().unwrap();
    let progress = Arc::<FetchProgress>::default();
    let bytes = open(&door, &url, progress.clone()).await.ok().unwrap();
    super::scripted::read_whole(bytes).await.unwrap();
    let seen = (progress.wire_bytes(), progress.decoded_bytes(), progress.content_length());
    assert_eq!(seen, (length, 5000, Some(length)));
}

#[tokio::test]
async fn a_fault_is_given_again_by_every_later_read() {
    let server = Server::new(|_| ok("Content-Length: 9\r\n", b"{")).await;
    let door = door();
    let url = FeedUrl::parse(&server.url("feed"), door.policy()).ok().unwrap();
    let mut bytes = open(&door, &url, Arc::default()).await.ok().unwrap();
    let faults = tokio::task::spawn_blocking(move || {
        let first = bytes.read_to_end(&mut Vec::new()).unwrap_err();
        let second = bytes.read(&mut [0; 8]).unwrap_err();
        [first, second].map(|error| FetchFault::from_io(&error).unwrap().clone())
    });
    let [first, second] = faults.await.unwrap();
    assert_eq!(first, second);
}
