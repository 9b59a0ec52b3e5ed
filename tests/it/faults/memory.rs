//! Memory: a large feed, a bomb and a feed without end all stay within the promised 300 MB.

use std::io::{Read, Seek, SeekFrom, Write};
use std::net::TcpStream;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::server::Home;
use super::web::Web;
use crate::support::machine::has;
use crate::support::waits::wait_until;

const PEAK_BYTES: u64 = 300 << 20;
const BOMB: &str = "the feed grows too much when decompressed";
const TOO_LARGE: &str = "the feed is too large";
/// 66,000 products of about 760 bytes: 50 MB.
const PRODUCTS: usize = 66_000;

fn head(stream: &mut TcpStream, fields: &str) {
    let _ = write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n{fields}\r\n");
}

fn large(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut stream = std::io::BufWriter::with_capacity(1 << 16, stream);
    stream.write_all(b"{\"Products\":[")?;
    let description = "A cup of fired clay. ".repeat(26);
    for n in 0..PRODUCTS {
        let comma = if n == 0 { "" } else { "," };
        write!(
            stream,
            "{comma}{{\"Id\":\"p{n}\",\"Sku\":\"SKU-{n}\",\"Title\":\"Cup number {n}\",\"Link\":\"https://shop.example/{n}\",\
             \"Image\":\"https://shop.example/{n}.jpg\",\"Description\":\"{description}\",\"Prices\":[\"{}.99 EUR\"]}}",
            n % 100
        )?;
    }
    stream.write_all(b"]}")?;
    stream.flush()
}

/// 300 MB of nothing in 300 KB.
fn bomb(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut encoder = GzEncoder::new(stream, Compression::best());
    encoder.write_all(b"{\"Products\":[")?;
    let blank = vec![b' '; 1 << 20];
    (0..300).try_for_each(|_| encoder.write_all(&blank))?;
    encoder.write_all(b"]}")?;
    encoder.finish().map(drop)
}

/// One text that never ends; refused at the limit of the wire.
fn endless(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(b"{\"Products\":[{\"Id\":\"")?;
    let text = vec![b'a'; 1 << 16];
    loop {
        stream.write_all(&text)?;
    }
}

#[test]
fn no_feed_takes_more_memory_than_promised() {
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(([127, 0, 0, 1], 0).into(), |path, stream| {
        let gzip = if path == "/bomb" { "Content-Encoding: gzip\r\n" } else { "" };
        head(stream, gzip);
        // The server may hang up on too large a body.
        let _ = match path {
            "/large" => large(stream),
            "/bomb" => bomb(stream),
            _ => endless(stream),
        };
    });
    let home = Home::new(folder.path());
    let server = home.start();
    let keys = home.account("shop").unwrap();
    for (path, said) in [("/bomb", Err(BOMB)), ("/endless", Err(TOO_LARGE)), ("/large", Ok(()))] {
        let token = server.submit(&keys, &web.url(path)).unwrap();
        let end = server.feed_end(&keys, &token);
        assert_eq!(end.as_ref().copied().map_err(String::as_str), said, "{path}");
        let peak = server.metric("lethe_process_resident_memory_peak_bytes");
        println!("{path}: {end:?}, peak {} MB", peak >> 20);
        assert!(peak < PEAK_BYTES, "{path}: {peak} bytes");
    }
    assert_eq!(server.title(&keys, "Products", "p65999").as_deref(), Some("Cup number 65999"));
}

const PEOPLE: usize = 40;

/// Letters that stand nowhere by chance, of one person.
fn telling_letters(n: usize) -> String {
    format!("qz{n:03}xvkjwhmbrtplsd")
}

/// Number of people in the memory of a process, as bytes that a privileged reader could see.
fn count_remembered(pid: u32) -> usize {
    let mut memory = std::fs::File::open(format!("/proc/{pid}/mem")).unwrap();
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let mut known = [false; PEOPLE];
    for line in maps.lines().filter(|line| line.contains(" rw") && !line.contains("[v")) {
        let (from, to) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let [from, to] = [from, to].map(|text| u64::from_str_radix(text, 16).unwrap());
        let mut bytes = vec![0; usize::try_from(to - from).unwrap()];
        // A part that is not there any more holds nothing.
        if memory.seek(SeekFrom::Start(from)).and_then(|_| memory.read_exact(&mut bytes)).is_err() {
            continue;
        }
        for (n, known) in known.iter_mut().enumerate() {
            *known |= memchr::memmem::find(&bytes, telling_letters(n).as_bytes()).is_some();
        }
    }
    known.iter().filter(|known| **known).count()
}

/// Only a request in progress, and bytes sent within the last moment, are in memory.
#[test]
fn what_a_request_said_of_a_person_does_not_stay_in_memory() {
    if !has("people in memory", true, &[]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let server = home.start();
    let keys = home.account("shop").unwrap();
    let user = |n| {
        let id = telling_letters(n);
        json!({"UserId": format!("u-{id}"), "Email": format!("{id}@shop.example"), "FirstName": id})
    };
    server.post(&keys, "/api/delta", json!({"Users": (0..PEOPLE).map(user).collect::<Vec<_>>()})).unwrap();
    for n in 0..PEOPLE {
        let asked = json!({"Identifier": format!("{}@shop.example", telling_letters(n))});
        assert_eq!(server.post(&keys, "/api/user/forget", asked).unwrap().status, 200);
    }
    wait_until("all is verified", || {
        let erasures = server.post(&keys, "/api/erasures", json!({})).unwrap().json();
        let erasures = erasures.as_array().unwrap().clone();
        let is_all = erasures.len() == PEOPLE && erasures.iter().all(|one| one["State"] == "verified");
        is_all.then_some(())
    });
    // Buffers of connections that are reused keep their last bytes.
    let left = count_remembered(server.child.id());
    assert!(left * 20 <= PEOPLE, "{left} of {PEOPLE} are in memory");
}
