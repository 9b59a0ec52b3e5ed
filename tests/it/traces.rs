//! What every test of the world demands beside its own promise: at the finest level of logging nothing personal is in a
//! log line, in an error body or in the metrics. Whatever the tests send about people has the word `canary` in it.

use std::io::{self, Write};
use std::sync::{Mutex, Once, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

const CANARY: &[u8] = b"canary";

static WRITTEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}

/// Logs everything that the program would log with `--log trace`.
pub fn begin() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let logs = tracing_subscriber::fmt().with_env_filter(lethe::telemetry::filter("trace"));
        logs.with_ansi(false).with_writer(Log).init();
        tracing::trace!(target: "lethe", "the log is written");
    });
}

/// What was logged so far.
pub fn logged() -> String {
    String::from_utf8_lossy(&WRITTEN.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}

/// Fails when something personal was logged.
pub fn assert_clean() {
    let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(holds(&written, b"the log is written"), "nothing was logged at the finest level");
    if holds(&written, CANARY) {
        let text = String::from_utf8_lossy(&written).into_owned();
        let line = text.lines().find(|line| holds(line.as_bytes(), CANARY)).unwrap_or_default().to_owned();
        panic!("something personal was logged: {line}");
    }
}

/// Fails when an answer that must not name anybody does.
pub fn assert_silent(path: &str, status: u16, body: &str) {
    let is_told = status >= 400 || ["/metrics", "/ready", "/health"].contains(&path);
    assert!(!is_told || !holds(body.as_bytes(), CANARY), "{path} {status}: {body}");
}

fn holds(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

#[test]
#[should_panic(expected = "something personal was logged")]
fn a_canary_in_a_log_is_seen() {
    begin();
    tracing::trace!(target: "lethe::anything", whose = "ada-CANARY@shop.test", "a line");
    assert_clean();
}
