//! Notifications to systemd.

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use crate::support::program::Program;

/// The next message; a server that says nothing more is waited for a minute.
fn next(socket: &UnixDatagram) -> String {
    let mut message = [0; 256];
    let length = socket.recv(&mut message).expect("a message in time");
    String::from_utf8_lossy(&message[..length]).trim_end().to_owned()
}

#[test]
fn a_service_manager_is_told_when_the_server_is_ready_alive_and_stopping() {
    let mut program = Program::new();
    let path = program.path().join("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a bound");
    program.set("NOTIFY_SOCKET", &path.display().to_string());
    program.set("WATCHDOG_USEC", "3000000");
    let served = program.serve();
    let mut ready = 0;
    let mut beats = 0;
    while ready == 0 || beats < 3 {
        match next(&socket).as_str() {
            "READY=1" => ready += 1,
            "WATCHDOG=1" => beats += 1,
            other => panic!("{other}"),
        }
        assert!(beats < 20, "it never says that it is ready");
    }
    assert_eq!(served.terminate().code(), Some(0));
    let last = std::iter::repeat_with(|| next(&socket)).find(|message| message != "WATCHDOG=1");
    assert_eq!((ready, last.as_deref()), (1, Some("STOPPING=1")));
}

#[test]
fn without_a_watchdog_no_beat_is_sent() {
    let mut program = Program::new();
    let path = program.path().join("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a bound");
    program.set("NOTIFY_SOCKET", &path.display().to_string());
    let served = program.serve();
    assert_eq!(next(&socket), "READY=1");
    assert_eq!(served.terminate().code(), Some(0));
    assert_eq!(next(&socket), "STOPPING=1");
}
