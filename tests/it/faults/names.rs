//! Names that lead to private addresses, at once, later, or by a redirect: tried in a network namespace of its
//! own, with a name server and "public" addresses that exist only there. Nothing leaves the machine.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::server::Home;
use super::web::{Web, send};
use crate::support::machine::has;
use crate::support::waits::wait_until;

const INSIDE: &str = "LETHE_TEST_INSIDE_NAMESPACE";
const PUBLIC: Ipv4Addr = Ipv4Addr::new(93, 184, 216, 34);
const PRIVATE: Ipv4Addr = Ipv4Addr::new(10, 1, 2, 3);
const METADATA: Ipv4Addr = Ipv4Addr::new(169, 254, 169, 254);
const FORBIDDEN: &str = "the feed's server has an address or port that is not allowed";
const REDIRECT_FORBIDDEN: &str = "the feed is redirected to a URL that is not allowed";

/// A namespace with its own loopback, addresses and name server, then this test again inside.
const ENTER: &str = r#"
set -e
ip link set lo up
for a in 93.184.216.34 10.1.2.3 169.254.169.254; do ip addr add $a/32 dev lo; done
echo "nameserver 127.0.0.1" > "$1/resolv.conf"
mount --bind "$1/resolv.conf" /etc/resolv.conf
exec "$2" --exact "$3" --nocapture
"#;

#[test]
fn no_name_and_no_redirect_leads_to_a_private_address() {
    if std::env::var_os(INSIDE).is_some() {
        return inside();
    }
    if !has("names and redirects in a network namespace", true, &["unshare", "ip", "mount", "bash"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "faults::names::no_name_and_no_redirect_leads_to_a_private_address";
    let mut command = Command::new("unshare");
    command.args(["-n", "-m", "bash", "-c", ENTER, "bash"]).arg(folder.path());
    let ended = command.arg(std::env::current_exe().unwrap()).arg(name).env(INSIDE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
}

fn inside() {
    let asked = serve_names();
    let canaries =
        [PRIVATE, METADATA, Ipv4Addr::LOCALHOST].map(|at| Web::canary(SocketAddr::new(at.into(), 80)));
    let public =
        Web::start(SocketAddr::new(PUBLIC.into(), 80), |path, stream| match path.split_once("?to=") {
            _ if path == "/circle" => redirect(stream, "/circle"),
            Some((_, target)) => redirect(stream, target),
            None => send(stream, r#"{"Products":[{"Id":"1","Title":"t"}]}"#),
        });
    let folder = tempfile::tempdir().unwrap();
    let mut home = Home::new(folder.path());
    home.flags = Vec::new();
    let server = home.start();
    let keys = home.account("shop").unwrap();
    let ends = |url: &str| server.submit(&keys, url).map(|token| server.feed_end(&keys, &token)).unwrap();
    assert_eq!(ends("http://public.test/feed.json"), Ok(()));
    for name in ["private.test", "metadata.test", "loopback.test", "mixed.test"] {
        assert_eq!(ends(&format!("http://{name}/feed.json")), Err(FORBIDDEN.to_owned()), "{name}");
    }
    // One look-up a hop: the second answer of a name that flips is never used.
    let before = asked.load(Ordering::SeqCst);
    assert_eq!(ends("http://flip.test/feed.json"), Ok(()));
    assert_eq!(asked.load(Ordering::SeqCst) - before, 1, "look-ups of the name that flips");
    for (target, error) in [
        ("http://10.1.2.3/", REDIRECT_FORBIDDEN),
        ("http://127.0.0.1/", REDIRECT_FORBIDDEN),
        ("http://2130706433/", REDIRECT_FORBIDDEN),
        ("http://[::ffff:10.1.2.3]/", REDIRECT_FORBIDDEN),
        ("http://169.254.169.254/latest/meta-data/", REDIRECT_FORBIDDEN),
        ("file:///etc/passwd", REDIRECT_FORBIDDEN),
        ("http://private.test/", FORBIDDEN),
        ("http://mixed.test/", FORBIDDEN),
        ("http://public.test/circle", "the feed is redirected in a circle"),
    ] {
        let url = format!("http://public.test/go?to={target}");
        assert_eq!(ends(&url), Err(error.to_owned()), "{target}");
    }
    // Webhook calls go the same way out, and follow nothing.
    let set = |url: &str| server.post(&keys, "/api/webhook/set", json!({ "Url": url })).unwrap();
    assert_eq!(set("http://2130706433/").status, 400);
    let redirected = "the server answered with status 302; a redirect is not followed";
    let forbidden = FORBIDDEN.replace("feed's ", "");
    for (url, why) in [
        ("http://private.test/", &*forbidden),
        ("http://mixed.test/", &forbidden),
        ("http://public.test/go?to=http://10.1.2.3/", redirected),
    ] {
        assert_eq!(set(url).status, 200);
        server.post(&keys, "/api/webhook/test", json!({})).unwrap();
        wait_until(url, || {
            let shown = server.post(&keys, "/api/webhook", json!({})).ok()?.json();
            shown["Failure"].as_str().map(|failure| assert_eq!(failure, why))
        });
    }
    assert_eq!(canaries.map(|canary| canary.visits()), [0; 3], "a canary was asked");
    assert!(public.visits() > 9);
}

fn redirect(stream: &mut std::net::TcpStream, target: &str) {
    let head =
        format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
}

/// A name server; counts the questions for the name that flips.
fn serve_names() -> Arc<AtomicUsize> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 53)).unwrap();
    let flips = Arc::new(AtomicUsize::new(0));
    let counted = flips.clone();
    std::thread::spawn(move || {
        let mut packet = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut packet) {
            let answer = answer_question(&packet[..length], &counted);
            let _ = socket.send_to(&answer, from);
        }
    });
    flips
}

/// The answer to one question: addresses for A, nothing for all other types.
fn answer_question(question: &[u8], flips: &AtomicUsize) -> Vec<u8> {
    let mut name = Vec::new();
    let mut at = 12;
    while question[at] != 0 {
        let end = at + 1 + usize::from(question[at]);
        name.push(String::from_utf8_lossy(&question[at + 1..end]).to_ascii_lowercase());
        at = end;
    }
    let end = at + 5;
    let is_a = question[at + 1..at + 3] == [0, 1];
    let found: Vec<Ipv4Addr> = match name[0].as_str() {
        _ if !is_a => vec![],
        "public" => vec![PUBLIC],
        "private" => vec![PRIVATE],
        "metadata" => vec![METADATA],
        "loopback" => vec![Ipv4Addr::LOCALHOST],
        "mixed" => vec![PUBLIC, PRIVATE],
        "flip" if flips.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) => vec![PUBLIC],
        "flip" => vec![PRIVATE],
        _ => vec![],
    };
    let mut answer = question[..2].to_vec();
    answer.extend([0x81, 0x80, 0, 1, 0, found.len() as u8, 0, 0, 0, 0]);
    answer.extend(&question[12..end]);
    for address in found {
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
        answer.extend(address.octets());
    }
    answer
}
