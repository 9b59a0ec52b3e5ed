//! Runs the program in a folder of its own, without the caller's environment.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::Sender;

use lethe::sample::{SampleShop, write_feed};
use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};

use crate::support::log_traces::assert_impersonal;

/// A folder to run in.
pub struct Program {
    pub folder: TempDir,
    /// Variables of every run.
    pub variables: Vec<(String, String)>,
}

/// End of a run.
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// The one JSON value of a run that succeeded.
    pub fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.err);
        serde_json::from_str(&self.out).expect("exactly one JSON value")
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Self {
            code: output.status.code().expect("no signal"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl Program {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), variables: Vec::new() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    fn command(&self, words: &str) -> Command {
        let mut command = self.prepare_command(env!("CARGO_BIN_EXE_lethe"));
        command.args(words.split(' ').filter(|word| !word.is_empty()));
        command
    }

    /// Any program in the folder, with the variables.
    fn prepare_command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path());
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.envs(std::env::vars_os().filter(|(name, _)| name == "LETHE_MUTANT"));
        command.stdin(Stdio::null());
        command
    }

    /// Runs to the end; the words are parted by blanks.
    pub fn run(&self, words: &str) -> Ended {
        self.command(words).output().expect("the program").into()
    }

    /// Runs to the end with text on standard input.
    pub fn run_with(&self, words: &str, input: &str) -> Ended {
        end_with_input(self.command(words), input)
    }

    /// Runs to the end at a terminal at which somebody types. The words may lead streams elsewhere, as in a shell. All
    /// that is shown is output.
    pub fn run_at_terminal(&self, words: &str, typed: &str) -> Ended {
        let mut command = self.prepare_command("script");
        let line = format!("{} {words}", env!("CARGO_BIN_EXE_lethe"));
        command.args(["-qec", &line, "/dev/null"]);
        end_with_input(command, typed)
    }

    /// Starts a run and gives its standard output.
    pub fn start(&self, words: &str) -> (Child, BufReader<ChildStdout>) {
        let mut child = self.command(words).stdout(Stdio::piped()).spawn().expect("the program");
        let out = BufReader::new(child.stdout.take().expect("its output"));
        (child, out)
    }

    /// Starts serving on a free port; the commands of a shop reach it.
    pub fn serve(&mut self) -> Served {
        self.serve_at("127.0.0.1:0")
    }

    /// Starts serving at an address.
    pub fn serve_at(&mut self, address: &str) -> Served {
        let words = format!("serve --listen {address} --feed-allow 127.0.0.1/32 --log trace");
        let log = NamedTempFile::new().expect("a file");
        let mut command = self.command(&words);
        command.stdout(Stdio::piped()).stderr(log.reopen().expect("the file"));
        let mut child = command.spawn().expect("the program");
        let mut lines = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        let url = line.trim().strip_prefix("lethe listens on ").expect("the address").to_owned();
        self.set("LETHE_URL", &url);
        Served { child, url, log }
    }

    /// Makes an account and uses its keys from now on.
    pub fn account(&mut self, name: &str) -> Value {
        let made = self.run(&format!("account create {name} --new-store --json")).json();
        self.use_keys(&made);
        made
    }

    /// The commands of the manual that do something themselves, with a `-` between their words.
    pub fn list_commands(&self) -> BTreeSet<String> {
        let folder = self.path().join("pages");
        std::fs::create_dir(&folder).expect("a folder");
        assert_eq!(self.run("man pages").code, 0);
        let pages = std::fs::read_dir(folder).expect("pages").map(|page| page.expect("a page").path());
        let is_own = |page: &PathBuf| {
            let text = std::fs::read_to_string(page).expect("a page");
            !text.contains(".SH SUBCOMMANDS")
        };
        let name = |page: PathBuf| {
            let stem = page.file_stem().and_then(|stem| stem.to_str()).expect("a name");
            stem.replace("lethe-", "")
        };
        pages.filter(is_own).map(name).collect()
    }

    pub fn use_keys(&mut self, keys: &Value) {
        self.set("LETHE_ACCESS_KEY", keys["AccessKey"].as_str().expect("a key"));
        self.set("LETHE_SECRET_KEY", keys["SecretKey"].as_str().expect("a secret"));
    }
}

fn end_with_input(mut command: Command, input: &str) -> Ended {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program");
    let written = child.stdin.take().expect("its input").write_all(input.as_bytes());
    // A program that refuses its command line ends without reading.
    let is_closed = written.as_ref().is_err_and(|fault| fault.kind() == ErrorKind::BrokenPipe);
    assert!(written.is_ok() || is_closed, "{written:?}");
    child.wait_with_output().expect("the program").into()
}

/// A server that is killed when the test ends, which passes only if nothing personal was logged.
pub struct Served {
    child: Child,
    pub url: String,
    log: NamedTempFile,
}

impl Served {
    /// Its log.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log.path()).expect("its log")
    }

    /// Asks it to end, and waits.
    pub fn terminate(self) -> ExitStatus {
        self.terminated().0
    }

    /// The same, with all that it has logged.
    pub fn terminated(mut self) -> (ExitStatus, String) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        let ended = self.child.wait().expect("it ends");
        (ended, self.log())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if !std::thread::panicking() {
            assert_impersonal(&std::fs::read(self.log.path()).expect("its log"));
        }
    }
}

/// Serves one body at every address, for as long as the test runs; the URL.
pub fn web_server(body: Vec<u8>) -> String {
    gated_web_server(body).0
}

/// The same; the second half of the body comes only when the gate is dropped.
pub fn gated_web_server(body: Vec<u8>) -> (String, Sender<()>) {
    let (gate, opened) = std::sync::mpsc::channel();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/feed.json", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut head = [0; 4096];
            // The request's head is small and comes at once.
            let _ = stream.read(&mut head);
            let length = body.len();
            let _ =
                write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
            let (first, second) = body.split_at(body.len() / 2);
            let _ = stream.write_all(first);
            // An error is the open gate.
            while let Ok(()) = opened.recv() {}
            let _ = stream.write_all(second);
        }
    });
    (url, gate)
}

/// The feed of a made-up shop with so many products.
pub fn sample_feed(products: u64) -> Vec<u8> {
    let mut feed = Vec::new();
    write_feed(&mut feed, &SampleShop { products, ..SampleShop::default() })
        .expect("memory takes everything");
    feed
}
