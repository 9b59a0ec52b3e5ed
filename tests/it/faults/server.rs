//! The real binary as a child process, and a small client for it.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::log_traces::{assert_impersonal, assert_silent};
use crate::support::postgres::Database;
use crate::support::waits::wait_until;
use crate::support::world::METRICS_TOKEN;

/// Longest wait of the client for an answer.
const ANSWER_DURATION: Duration = Duration::from_secs(20);

/// Folders, port and flags of a server that is started again and again.
#[derive(Clone)]
pub struct Home {
    pub data: PathBuf,
    pub keys: PathBuf,
    pub address: SocketAddr,
    pub flags: Vec<String>,
    /// Address at which the test reads the PostgreSQL database.
    postgres: Option<String>,
    _database: Option<Arc<Database>>,
    logs: Arc<Logs>,
}

/// Logs of the servers of a home at the finest level; next to the data, but on a disk that is not hurt.
struct Logs(TempDir);

impl Logs {
    fn path(&self) -> PathBuf {
        self.0.path().join("log")
    }
}

impl Drop for Logs {
    /// No test passes that makes a server log something personal.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_impersonal(&std::fs::read(self.path()).unwrap_or_default());
        }
    }
}

impl Home {
    /// Data and keys under `folder`; feeds may come from this machine.
    pub fn new(folder: &Path) -> Self {
        let flags = ["--feed-allow", "127.0.0.0/8", "--log", "trace"].map(str::to_owned).to_vec();
        let logs = Arc::new(Logs(TempDir::new().unwrap()));
        let data = folder.join("data");
        let keys = folder.join("keys");
        Self { data, keys, address: free_address(), flags, postgres: None, _database: None, logs }
    }

    /// The same, with its store in a database of PostgreSQL.
    pub fn on(mut self, database: Database) -> Self {
        let url = database.url();
        self._database = Some(Arc::new(database));
        self.on_servers(&url, &url)
    }

    /// The same with the address of several servers; the test looks at one.
    pub fn on_servers(mut self, store: &str, looked_at: &str) -> Self {
        self.flags.extend(["--store".to_owned(), store.to_owned()]);
        self.look_at(looked_at);
        self
    }

    /// The server that is looked at from now on.
    pub fn look_at(&mut self, url: &str) {
        self.postgres = Some(url.to_owned());
    }

    pub fn is_postgres(&self) -> bool {
        self.postgres.is_some()
    }

    /// `lethe` with this home's folders; `wrapper` goes in front (`strace …`).
    pub fn command(&self, wrapper: &[&str], args: &[&str]) -> Command {
        let binary = env!("CARGO_BIN_EXE_lethe");
        let mut command = match wrapper {
            [] => Command::new(binary),
            [program, rest @ ..] => {
                let mut command = Command::new(program);
                command.args(rest).arg(binary);
                command
            }
        };
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("LETHE_") && name != "LETHE_MUTANT" {
                command.env_remove(name);
            }
        }
        command.args(args).arg("--data-dir").arg(&self.data).arg("--key-dir").arg(&self.keys);
        // A folder without `lethe.toml`.
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    /// Starts the server without waiting for it.
    pub fn spawn(&self, wrapper: &[&str]) -> Server {
        let mut command = self.command(wrapper, &["serve", "--listen", &self.address.to_string()]);
        command.args(&self.flags).env("LETHE_METRICS_TOKEN", METRICS_TOKEN);
        // Servers of tests stand on adjacent ports, where a console would take the next one's.
        command.env("LETHE_CONSOLE_LISTEN", "off");
        command.stdout(Stdio::null()).stderr(self.log());
        Server { child: command.spawn().unwrap(), address: self.address }
    }

    /// Starts the server and waits until it is ready.
    pub fn start(&self) -> Server {
        self.start_under(&[])
    }

    /// The same with a wrapper.
    pub fn start_under(&self, wrapper: &[&str]) -> Server {
        let mut server = self.spawn(wrapper);
        wait_until("the server is ready", || match server.child.try_wait().unwrap() {
            Some(status) => panic!("the server ended with {status}: {}", self.log_text()),
            None => server.is_ready().then_some(()),
        });
        server
    }

    /// Makes an account with the command that people use; `None` when no server answers any more.
    pub fn account(&self, name: &str) -> Option<Keys> {
        let made = self.command(&[], &["account", "create", name, "--json"]).output().unwrap();
        let made: Value = serde_json::from_slice(&made.stdout).ok()?;
        let text = |field: &str| made[field].as_str().map(str::to_owned);
        Some(Keys { access: text("AccessKey")?, secret: text("SecretKey")? })
    }

    /// The database of the embedded store, for looking only.
    pub fn database(&self) -> rusqlite::Connection {
        let database = rusqlite::Connection::open(self.data.join("lethe.db")).unwrap();
        database.busy_timeout(Duration::from_secs(5)).unwrap();
        database
    }

    fn client(&self) -> Option<postgres::Client> {
        let url = self.postgres.as_ref()?;
        Some(postgres::Client::connect(url, postgres::NoTls).unwrap())
    }

    /// A number out of the store.
    pub fn count(&self, query: &str) -> i64 {
        match self.client() {
            None => self.database().query_row(query, [], |row| row.get(0)).unwrap(),
            Some(mut client) => client.query_one(query, &[]).unwrap().get(0),
        }
    }

    /// The first column of every row, as text.
    pub fn texts(&self, query: &str) -> Vec<String> {
        if let Some(mut client) = self.client() {
            return client.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect();
        }
        let database = self.database();
        let mut statement = database.prepare(query).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// Runs statements in the store, past the server.
    pub fn execute(&self, sqlite: &str, postgres: &str) {
        match self.client() {
            None => self.database().execute_batch(sqlite).unwrap(),
            Some(mut client) => client.batch_execute(postgres).unwrap(),
        }
    }

    /// Logs of the servers of this home.
    pub fn log_text(&self) -> String {
        std::fs::read_to_string(self.logs.path()).unwrap_or_default()
    }

    fn log(&self) -> std::fs::File {
        std::fs::File::options().create(true).append(true).open(self.logs.path()).unwrap()
    }
}

/// A port below those the system hands out, so that no client of another test sits on it at a restart.
fn free_address() -> SocketAddr {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    for _ in 0..10_000 {
        let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let port = 12_000 + (std::process::id() * 37 + next) % 20_000;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, u16::try_from(port).unwrap()));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
    panic!("no port is free");
}

/// A running server. Killed when dropped.
pub struct Server {
    pub child: Child,
    pub address: SocketAddr,
}

impl Server {
    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// `kill -9`, and waits until it is gone.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }

    /// Stops each of its threads where it is.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
        let stat = format!("/proc/{}/task", self.child.id());
        wait_until("every thread is frozen", || {
            let threads = std::fs::read_dir(&stat).ok()?;
            let frozen = |thread: io::Result<std::fs::DirEntry>| {
                let stat = std::fs::read_to_string(thread.ok()?.path().join("stat")).ok()?;
                stat.rsplit(") ").next().map(|rest| rest.starts_with('T'))
            };
            threads.map(frozen).all(|frozen| frozen.unwrap_or(true)).then_some(())
        });
    }

    /// Asks it to end and waits.
    pub fn stop(&mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        wait_until("the server has ended", || self.child.try_wait().unwrap())
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn is_ready(&self) -> bool {
        self.get("/ready").is_ok_and(|answer| answer.status == 200)
    }

    /// Asks as the operator.
    pub fn get(&self, path: &str) -> io::Result<Answer> {
        let head = format!("Host: l\r\nAuthorization: Bearer {METRICS_TOKEN}\r\nConnection: close");
        ask(self.address, &format!("GET {path} HTTP/1.1\r\n{head}\r\n\r\n"))
    }

    /// Sends a JSON body with the keys put into it.
    pub fn post(&self, keys: &Keys, path: &str, mut body: Value) -> io::Result<Answer> {
        body["AccessKey"] = keys.access.clone().into();
        body["SecretKey"] = keys.secret.clone().into();
        let body = body.to_string();
        ask(
            self.address,
            &format!(
                "POST {path} HTTP/1.1\r\nHost: l\r\nConnection: close\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            ),
        )
    }

    /// The title the shop shows of an item, or none.
    pub fn title(&self, keys: &Keys, section: &str, id: &str) -> Option<String> {
        let answer = self.post(keys, "/api/product", json!({"Section": section, "Id": id})).unwrap();
        if answer.status == 404 {
            return None;
        }
        let item = answer.json()["Item"].clone();
        let title = item.get("Title").or(item.get("DisplayName")).and_then(Value::as_str);
        Some(title.unwrap_or_else(|| panic!("{section} {id}: {}", answer.body)).to_owned())
    }

    /// A number of `/metrics`.
    pub fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").unwrap().body;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        value.unwrap_or_else(|| panic!("no {name} in {text}"))
    }

    /// Submits a feed; its token when it was accepted.
    pub fn submit(&self, keys: &Keys, url: &str) -> Result<String, Answer> {
        let answer = self.post(keys, "/api/productfeed", json!({"url": url})).unwrap();
        let token = answer.header("x-feed-token");
        if answer.status == 200 { Ok(token.unwrap()) } else { Err(answer) }
    }

    /// Waits for the end of a feed: `Complete`, or its error.
    pub fn feed_end(&self, keys: &Keys, token: &str) -> Result<(), String> {
        wait_until("the feed has ended", || {
            let answer = self.post(keys, "/api/productfeedstatus", json!({"Tokens": [token]})).ok()?;
            let item = answer.json()[0].clone();
            match item["Status"].as_str()? {
                "Complete" => Some(Ok(())),
                "Error" => Some(Err(item["Error"].as_str().unwrap_or_default().to_owned())),
                _ => None,
            }
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keys of an account.
#[derive(Clone)]
pub struct Keys {
    pub access: String,
    pub secret: String,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// Reads a server's answer.
    pub fn parse(text: &str) -> io::Result<Self> {
        let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let (head, body) = text.split_once("\r\n\r\n").ok_or_else(cut)?;
        let status = head.get(9..12).and_then(|code| code.parse().ok()).ok_or_else(cut)?;
        Ok(Self { status, head: head.to_owned(), body: body.to_owned() })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }

    pub fn header(&self, name: &str) -> Option<String> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).next()
    }
}

fn ask(address: SocketAddr, request: &str) -> io::Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
    stream.set_read_timeout(Some(ANSWER_DURATION))?;
    stream.set_write_timeout(Some(ANSWER_DURATION))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = Answer::parse(&String::from_utf8_lossy(&answer))?;
    assert_silent(request.split(' ').nth(1).unwrap_or_default(), answer.status, &answer.body);
    Ok(answer)
}
