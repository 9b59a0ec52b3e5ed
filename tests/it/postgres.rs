//! A fresh PostgreSQL database for each test, on the server of `LETHE_TEST_POSTGRES` or, without one, on a
//! server of this process that `scripts/with-postgres` starts and stops.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// A database that is dropped with this value.
pub struct Database {
    server: String,
    name: String,
}

/// The server of this process; it ends when our end of its input is closed, however we end.
static SERVER: OnceLock<Option<(Child, String)>> = OnceLock::new();

/// Says what was left out.
#[expect(clippy::print_stderr, reason = "for the person who runs the tests")]
pub fn not_run(what: &str) {
    eprintln!("{what}: NOT RUN");
}

/// Whether whatever is missing is an error.
pub fn is_strict() -> bool {
    std::env::var("LETHE_TEST_STRICT").is_ok_and(|value| value == "1")
}

fn server() -> Option<String> {
    if let Ok(url) = std::env::var("LETHE_TEST_POSTGRES") {
        return Some(url);
    }
    SERVER.get_or_init(start).as_ref().map(|(_, url)| url.clone())
}

fn start() -> Option<(Child, String)> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/with-postgres");
    let mut child = Command::new(script)
        .args(["sh", "-c", "echo $LETHE_TEST_POSTGRES; cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut url = String::new();
    BufReader::new(child.stdout.take()?).read_line(&mut url).ok()?;
    Some((child, url.trim().to_owned())).filter(|(_, url)| !url.is_empty())
}

/// Runs statements on the server, on a thread of its own: the synchronous driver must not run inside another
/// runtime.
pub fn run_on(url: String, statements: String) {
    let ran = std::thread::spawn(move || {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).expect("a connection");
        client.batch_execute(&statements).expect("the statements");
    });
    ran.join().expect("the statements ran");
}

impl Database {
    /// A new database; `None`, after saying so, where there is no server.
    pub fn create() -> Option<Self> {
        let Some(server) = server() else {
            assert!(!is_strict(), "PostgreSQL is missing, and LETHE_TEST_STRICT=1 demands it");
            not_run("PostgreSQL");
            return None;
        };
        let name = format!("lethe_{}", uuid::Uuid::new_v4().simple());
        run_on(server.clone(), format!("CREATE DATABASE {name} TEMPLATE template0"));
        Some(Self { server, name })
    }

    /// Its address.
    pub fn url(&self) -> String {
        let mut url = url::Url::parse(&self.server).expect("the server's address");
        url.set_path(&self.name);
        url.to_string()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        run_on(self.server.clone(), format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}
