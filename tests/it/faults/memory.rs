//! Memory: a large feed, a bomb and a feed without end all stay within the promised 300 MB.

use std::io::Write;
use std::net::TcpStream;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::server::Home;
use super::web::Web;

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
        // The server may hang up on what is too much.
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
