//! A fresh PostgreSQL database for each test, on the server of `LETHE_TEST_POSTGRES` or, without one, on a
//! server of this process that `scripts/with-postgres` starts and stops.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use lethe::store::{PostgresAddress, Store, StoreOptions};

/// A server for one test alone, for properties of a whole server. It ends with this value.
pub struct Private {
    child: Child,
    url: String,
}

/// A database that is dropped with this value.
pub struct Database {
    server: String,
    name: String,
}

/// The server of this process; it ends when our end of its input is closed, however we end.
static SERVER: OnceLock<Option<(Child, String)>> = OnceLock::new();

/// Prints the skipped part.
#[expect(clippy::print_stderr, reason = "for the person who runs the tests")]
pub fn not_run(what: &str) {
    eprintln!("{what}: NOT RUN");
}

/// Returns true if a missing part is an error.
pub fn is_strict() -> bool {
    std::env::var("LETHE_TEST_STRICT").is_ok_and(|value| value == "1")
}

fn server() -> Option<String> {
    if let Ok(url) = std::env::var("LETHE_TEST_POSTGRES") {
        return Some(url);
    }
    SERVER.get_or_init(start_server).as_ref().map(|(_, url)| url.clone())
}

/// The server; `None`, after saying so, where there is none.
fn demanded_server() -> Option<String> {
    let server = server();
    if server.is_none() {
        assert!(!is_strict(), "PostgreSQL is missing, and LETHE_TEST_STRICT=1 demands it");
        not_run("PostgreSQL");
    }
    server
}

fn start_server() -> Option<(Child, String)> {
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

/// Works with a connection to a server, on a thread of its own: the synchronous driver must not run inside another
/// runtime.
fn with_client<T: Send + 'static>(
    url: String,
    work: impl FnOnce(&mut postgres::Client) -> T + Send + 'static,
) -> T {
    let working = std::thread::spawn(move || {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).expect("a connection");
        work(&mut client)
    });
    working.join().expect("the work is done")
}

/// Runs statements on a server.
pub fn run_on(url: String, statements: String) {
    with_client(url, move |client| client.batch_execute(&statements).expect("the statements"));
}

/// Name of the template database of this build: another build may have other migrations.
fn template_name() -> String {
    let program = std::env::current_exe().and_then(std::fs::metadata).expect("this program");
    let built = program.modified().expect("a time").duration_since(UNIX_EPOCH);
    format!("lethe_template_{}", built.expect("a time since 1970").as_nanos())
}

/// Makes a database with the schema, and gives it its name when it is whole.
fn make_template(client: &mut postgres::Client, name: &str) {
    let unfinished = format!("{name}_unfinished");
    let run = |client: &mut postgres::Client, text: String| client.batch_execute(&text).expect("a statement");
    run(client, format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)"));
    run(client, format!("CREATE DATABASE {unfinished} TEMPLATE template0"));
    let mut url = url::Url::parse(&server().expect("a server")).expect("the server's address");
    url.set_path(&unfinished);
    let address = PostgresAddress::new(url.to_string(), None);
    drop(Store::open(&StoreOptions::Postgres(address)).expect("a store"));
    // Its connections end a moment later.
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";
    while client.execute(end, &[&unfinished]).expect("the connections") > 0 {
        client.execute("SELECT pg_sleep(0.01)", &[]).expect("a pause");
    }
    run(client, format!("ALTER DATABASE {unfinished} RENAME TO {name}"));
}

/// The only value that a statement on a server gives.
pub fn value_of(url: String, statement: &'static str) -> i64 {
    with_client(url, move |client| client.query_one(statement, &[]).expect("a row").get(0))
}

/// The same of a text.
pub fn text_of(url: String, statement: &'static str) -> String {
    with_client(url, move |client| client.query_one(statement, &[]).expect("a row").get(0))
}

impl Private {
    /// Starts one; `None`, after saying so, where there is no program of a server.
    pub fn start() -> Option<Self> {
        let started = start_server();
        if started.is_none() {
            assert!(!is_strict(), "PostgreSQL is missing, and LETHE_TEST_STRICT=1 demands it");
            not_run("PostgreSQL");
        }
        started.map(|(child, url)| Self { child, url })
    }

    /// Address at which its superuser gets in without a password and without TLS.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    pub fn port(&self) -> u16 {
        url::Url::parse(&self.url).expect("an address").port().expect("a port")
    }

    /// Runs statements as its superuser.
    pub fn run(&self, statements: &str) {
        run_on(self.url(), statements.to_owned());
    }

    /// Writes a file into the folder of its data, readable by the owner only.
    pub fn put(&self, name: &str, text: &str) {
        self.run(&format!(
            "COPY (SELECT unnest(string_to_array('{}', chr(10)))) TO PROGRAM 'umask 077; cat > {name}'",
            text.trim_end()
        ));
    }
}

impl Private {
    /// Ends at once, without sending or writing anything more.
    pub fn kill(&self) {
        let killed = std::thread::spawn({
            let url = self.url();
            move || {
                let mut client = postgres::Client::connect(&url, postgres::NoTls).expect("a connection");
                client.batch_execute("COPY (SELECT 1) TO PROGRAM 'kill -QUIT $(head -1 postmaster.pid)'")
            }
        });
        // Its answer may get lost with it.
        let _ = killed.join().expect("it was told");
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

impl Database {
    /// A new database; `None`, after saying so, where there is no server.
    pub fn create() -> Option<Self> {
        let server = demanded_server()?;
        let name = format!("lethe_{}", uuid::Uuid::new_v4().simple());
        run_on(server.clone(), format!("CREATE DATABASE {name} TEMPLATE template0"));
        Some(Self { server, name })
    }

    /// A new database that has the schema already: a copy of one that the first test of this build makes. Migrating each
    /// one takes twice as long; tests of migrations begin with an empty one ([`Database::create`]).
    pub fn create_migrated() -> Option<Self> {
        let server = demanded_server()?;
        let name = format!("lethe_{}", uuid::Uuid::new_v4().simple());
        let database = Self { server: server.clone(), name };
        let of_build = template_name();
        let copy = format!("CREATE DATABASE {} TEMPLATE {of_build}", database.name);
        let copied = with_client(server, move |client| {
            // One process makes the template, the others wait for it.
            client.batch_execute("SELECT pg_advisory_lock(4815162342)").expect("a lock");
            let there = client.query("SELECT FROM pg_database WHERE datname = $1", &[&of_build]);
            let is_there = !there.expect("the databases").is_empty();
            if !is_there {
                make_template(client, &of_build);
            }
            client.batch_execute("SELECT pg_advisory_unlock(4815162342)").expect("no lock");
            client.batch_execute(&copy)
        });
        copied.expect("a copy of the template");
        Some(database)
    }

    /// A new database on a server of the test's own; statements from outside wait for no standby.
    pub fn create_on(server: &Private) -> Self {
        let name = "lethe_test".to_owned();
        server.run(&format!("CREATE DATABASE {name} TEMPLATE template0"));
        Self { server: format!("{}?options=-c%20synchronous_commit%3Dlocal", server.url()), name }
    }

    /// Runs statements on its server, in another database.
    pub fn run(&self, statements: &str) {
        run_on(self.server.clone(), statements.replace("DATABASE_NAME", &self.name));
    }

    /// From now on a row that is written without its owner's row being held is an error.
    pub fn watch_owners(&self) {
        run_on(self.url(), include_str!("owners.sql").to_owned());
    }

    /// Ends the watch.
    pub fn watch_no_owners(&self) {
        let watches =
            "DROP FUNCTION watch_rows_of_an_account, watch_accounts, watch_rows_of_the_store CASCADE";
        run_on(self.url(), watches.to_owned());
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
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
