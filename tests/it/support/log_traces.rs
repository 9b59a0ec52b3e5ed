//! Check of every test besides its own: even at the finest level of logging, nothing personal is in a log line, an
//! error body or the metrics. The tests' personal data contain one of [`PERSONAL`].

use std::io::{self, Write};
use std::sync::{LazyLock, Mutex, Once, PoisonError};

use aho_corasick::AhoCorasick;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Directive;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::statements;

const BEGUN: &str = "the log is written";
/// Words that only people of the tests have, in addresses, names and user ids.
const PERSONAL: [&str; 7] =
    ["canary", "@shop.example", "@mail.example", "@shop.test", "quintessa", "brambleworth", "customer-"];

static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder().ascii_case_insensitive(true).build(PERSONAL).expect("a few words")
});

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
pub fn capture_logs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The names of statements are constants, and there are millions of them.
        let statements: Directive = format!("{}=off", statements::TARGET).parse().expect("a directive");
        let filter = lethe::telemetry::filter("trace").add_directive(statements);
        let log = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Log).with_filter(filter);
        tracing_subscriber::registry().with(log).with(statements::name_collector()).init();
        tracing::trace!(target: "lethe", "{BEGUN}");
    });
}

/// The log so far.
pub fn read_log() -> String {
    String::from_utf8_lossy(&WRITTEN.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}

/// Fails when something personal was logged by this process since the last time.
pub fn assert_clean() {
    let written = std::mem::take(&mut *WRITTEN.lock().unwrap_or_else(PoisonError::into_inner));
    assert!(holds(&written, BEGUN.as_bytes()), "nothing was logged at the finest level");
    assert_impersonal(&written);
    tracing::trace!(target: "lethe", "{BEGUN}");
}

/// Fails when anything personal stands in a program's output.
pub fn assert_impersonal(log: &[u8]) {
    if let Some(line) = log.split(|byte| *byte == b'\n').find(|line| WORDS.is_match(line)) {
        panic!("something personal was logged: {}", String::from_utf8_lossy(line));
    }
}

/// Fails when an answer that must not name anybody does.
pub fn assert_silent(path: &str, status: u16, body: &str) {
    let is_told = status >= 400 || ["/metrics", "/ready", "/health"].contains(&path);
    assert!(!is_told || !WORDS.is_match(body), "{path} {status}: {body}");
}

fn holds(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

#[test]
#[should_panic(expected = "something personal was logged")]
fn a_canary_in_a_log_is_seen() {
    capture_logs();
    tracing::trace!(target: "lethe::anything", whose = "ada-CANARY@shop.test", "a line");
    assert_clean();
}

/// The second run of this test, as a process of its own, is the one that panics.
#[test]
fn a_panic_tells_its_place_and_nothing_it_worked_on() {
    const PANICS: &str = "LETHE_TEST_PANICS";
    if std::env::var_os(PANICS).is_some() {
        lethe::telemetry::start_logs("trace");
        panic!("ada-canary@shop.example");
    }
    let mut again = std::process::Command::new(std::env::current_exe().expect("this program"));
    again.args([
        "--exact",
        "support::log_traces::a_panic_tells_its_place_and_nothing_it_worked_on",
        "--nocapture",
    ]);
    let ended = again.env(PANICS, "1").output().expect("it runs");
    let said = [ended.stdout, ended.stderr].concat();
    assert!(!ended.status.success() && holds(&said, b"a thread panicked") && holds(&said, b"log_traces.rs"));
    assert_impersonal(&said);
}
