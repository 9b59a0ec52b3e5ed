//! Bodies that arrive in pieces: their limits, their owners, and the memory that they take.

use std::cell::RefCell;
use std::future::ready;

use axum::http::HeaderValue;

use super::*;

const LONGEST: Duration = Duration::from_secs(60);

/// A request whose body comes in these pieces, and whose head announces a length.
fn request(pieces: Vec<Vec<u8>>, announced: Option<&str>) -> Request<Body> {
    let pieces = pieces.into_iter().map(|piece| Ok::<_, std::io::Error>(Bytes::from(piece)));
    let mut request = Request::new(Body::from_stream(futures_util::stream::iter(pieces)));
    if let Some(length) = announced {
        let length = HeaderValue::from_str(length).expect("a length");
        request.headers_mut().insert(header::CONTENT_LENGTH, length);
    }
    request
}

fn arriving(pieces: Vec<Vec<u8>>, announced: Option<&str>) -> IncomingBody {
    IncomingBody::begin(request(pieces, announced), 1 << 30, LONGEST).expect("a body")
}

fn sentence<T>(read: Result<T, Refusal>) -> Option<String> {
    read.err().map(|refusal| refusal.sentence().to_owned())
}

#[tokio::test]
async fn a_body_is_read_up_to_its_limit_in_however_many_pieces() {
    let says = "The body of the request is larger than the 9 bytes allowed here";
    for (pieces, is_refused) in [
        (vec![9], false),
        (vec![10], true),
        (vec![3, 3, 3], false),
        (vec![3, 6, 1], true),
        (vec![0, 9], false),
        (vec![9, 0], false),
    ] {
        let sent = pieces.iter().map(|bytes| vec![b'x'; *bytes]).collect();
        let mut body = IncomingBody::begin(request(sent, None), 9, LONGEST).expect("a body");
        assert_eq!(sentence(body.read_all().await).as_deref(), is_refused.then_some(says), "{pieces:?}");
    }
    for (announced, is_refused) in [("9", false), ("10", true), ("many", false), ("-1", false)] {
        let begun = IncomingBody::begin(request(Vec::new(), Some(announced)), 9, LONGEST);
        assert_eq!(sentence(begun).as_deref(), is_refused.then_some(says), "{announced}");
    }
}

#[tokio::test]
async fn a_body_is_read_as_far_as_it_is_needed_and_kept_in_its_order() {
    let mut body = arriving(vec![b"abc".to_vec(), b"def".to_vec(), b"ghi".to_vec()], None);
    assert_eq!(body.so_far(), b"");
    for (bytes, so_far) in [(0, &b""[..]), (3, b"abc"), (4, b"abcdef"), (6, b"abcdef"), (7, b"abcdefghi")] {
        body.read_to(bytes).await.expect("more");
        assert_eq!((body.so_far(), body.is_whole), (so_far, false), "{bytes}");
    }
    body.read_all().await.expect("all");
    assert!(body.is_whole);
    let (bytes, share) = body.into_parts();
    assert_eq!((&bytes[..], share.is_none()), (&b"abcdefghi"[..], true));
    let mut one = arriving(vec![b"abc".to_vec()], None);
    one.read_all().await.expect("all");
    assert_eq!(&one.into_bytes()[..], b"abc");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_refused() {
    let pieces = [Ok(Bytes::from_static(b"abc")), Err(std::io::Error::other("gone"))];
    let request = Request::new(Body::from_stream(futures_util::stream::iter(pieces)));
    let mut body = IncomingBody::begin(request, 9, LONGEST).expect("a body");
    let says = "The body of the request ended too early";
    assert_eq!(sentence(body.read_all().await).as_deref(), Some(says));
}

#[tokio::test]
async fn a_body_that_does_not_come_is_refused_when_its_time_is_over() {
    let never = futures_util::stream::pending::<std::io::Result<Bytes>>();
    let mut body =
        IncomingBody::begin(Request::new(Body::from_stream(never)), 9, Duration::ZERO).expect("a body");
    let says = "The body of the request did not arrive within 0 s";
    assert_eq!(sentence(body.read_all().await).as_deref(), Some(says));
}

/// Lengths of what is looked at to find the owner of a body, and the sentence of its refusal.
async fn looks(body: &mut IncomingBody, owner: Option<AccountId>) -> (Vec<usize>, Option<String>) {
    let looked = RefCell::new(Vec::new());
    let shown = |begun: Vec<u8>| {
        looked.borrow_mut().push(begun.len());
        ready(Ok(owner))
    };
    let refused = sentence(body.find_owner(shown).await);
    (looked.into_inner(), refused)
}

#[tokio::test]
async fn the_owner_of_a_body_is_looked_for_in_its_first_16_and_64_kilobytes() {
    const FREE: usize = limits::REQUEST_MEMORY_FREE_BYTES;
    for (pieces, expected) in [
        (vec![FREE - 1], vec![]),
        (vec![FREE], vec![FREE]),
        (vec![20_480; 5], vec![20_480, 81_920]),
        (vec![65_535, 1, 1], vec![65_535, 65_536]),
    ] {
        let sent = pieces.iter().map(|bytes| vec![b'x'; *bytes]).collect();
        assert_eq!(looks(&mut arriving(sent, None), None).await, (expected, None), "{pieces:?}");
    }
}

#[tokio::test]
async fn a_body_of_more_than_8_megabytes_has_to_say_early_whose_it_is() {
    let says = "A body of more than 8388608 bytes has to hold the access key and the secret key in its first 65536 bytes";
    for (announced, is_refused) in [("8388608", false), ("8388609", true)] {
        let sent = || vec![vec![b'x'; 70_000]];
        let (_, refused) = looks(&mut arriving(sent(), Some(announced)), None).await;
        assert_eq!(refused.as_deref(), is_refused.then_some(says), "{announced}");
        let mut operators = arriving(sent(), Some(announced));
        operators.who = Tenant::Operator;
        assert_eq!(looks(&mut operators, None).await.1, None);
    }
}

#[tokio::test]
async fn a_body_takes_twice_its_length_of_the_memory_of_its_owner() {
    const SENT: usize = 5 * 20_480;
    let sent = || vec![vec![b'x'; 20_480]; 5];
    let announced = SENT.to_string();
    for (announced, amount) in [
        (Some(announced.as_str()), 2 * SENT),
        // Without a length it grows by 64 kilobytes at a time.
        (None, 2 * 20_480 + 3 * 65_536),
    ] {
        let mut body = arriving(sent(), announced);
        let (looked, refused) = looks(&mut body, Some(AccountId(1))).await;
        assert_eq!((looked, refused, body.who), (vec![20_480], None, Tenant::Account(AccountId(1))));
        body.read_all().await.expect("all");
        let (bytes, share) = body.into_parts();
        assert_eq!((bytes.len(), share.map(|share| share.amount())), (SENT, Some(amount)), "{announced:?}");
    }
    let mut small = arriving(vec![vec![b'x'; limits::REQUEST_MEMORY_FREE_BYTES]], None);
    small.read_all().await.expect("all");
    assert!(small.share.is_none(), "of a small body nothing is taken");
    let mut larger = arriving(vec![vec![b'x'; limits::REQUEST_MEMORY_FREE_BYTES + 1]], None);
    larger.read_all().await.expect("all");
    assert_eq!(larger.share.map(|share| share.amount()), Some(65_536));
}
