//! Load of other clients and shops, and the shares they take.

use std::time::Duration;

use lethe::admission::{Permit, Tenant};
use lethe::ids::AccountId;
use lethe::limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::world::World;

/// Taken amount of a shared quantity, from the metrics.
pub async fn read_taken_share(world: &World, of: &str) -> usize {
    let text = world.get("/metrics").await.text;
    let line = format!("lethe_share_taken{{of=\"{of}\"}} ");
    let taken = text.lines().find_map(|told| told.strip_prefix(&line)).expect("a gauge");
    taken.parse::<f64>().expect("a number") as usize
}

/// A client that announces as large a piece as it may without credentials, and sends this much; a proxy would name it
/// so.
pub async fn open_dripping_client(world: &World, address: &str, bytes: usize) -> TcpStream {
    announce_piece(world, address, limits::REQUEST_MEMORY_OF_CLIENT_BYTES / 2, bytes).await
}

pub async fn announce_piece(world: &World, address: &str, announced: usize, bytes: usize) -> TcpStream {
    let server = world.url("").replace("http://", "");
    let mut stream = TcpStream::connect(server).await.expect("a connection");
    let head = format!(
        "POST /feed-append HTTP/1.1\r\nHost: l\r\nX-Forwarded-For: {address}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {announced}\r\n\r\npayLoad="
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream.write_all(&vec![b'x'; bytes]).await.expect("sent");
    stream
}

/// The answer to a client that sends from this address; nothing when its connection is closed.
pub async fn get_health_from(world: &World, source: &str) -> String {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(format!("{source}:0").parse().expect("an address")).expect("an address of this machine");
    let server = world.url("").replace("http://", "").parse().expect("an address");
    let mut stream = socket.connect(server).await.expect("a connection");
    // It may be closed by now, and then nothing comes.
    let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHost: l\r\nConnection: close\r\n\r\n").await;
    let mut answer = Vec::new();
    let reading = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer));
    let _ = reading.await.expect("an answer, or the end, in time");
    String::from_utf8_lossy(&answer).into_owned()
}

/// All turns to read a feed, taken by other shops.
pub async fn take_all_turns(world: &World) -> Vec<Permit> {
    let readings = &world.node().resources.readings;
    let mut turns = Vec::new();
    for n in 0..limits::FEEDS_AT_ONCE {
        let other = Tenant::Account(AccountId(100 + n as i64));
        turns.push(readings.acquire(other, 1, limits::READY_DURATION).await.expect("a turn"));
    }
    turns
}
