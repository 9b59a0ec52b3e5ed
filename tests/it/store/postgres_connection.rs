//! The connection to PostgreSQL: whom it trusts, requirements on a database, and the report of a loss.

use std::path::Path;
use std::time::{Duration, Instant};

use lethe::store::{PostgresAddress, Store, StoreFault, StoreOptions};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use serde_json::json;

use crate::support::log_traces;
use crate::support::postgres::{Database, Private, value_of};
use crate::support::program::{Ended, Program};
use crate::support::world::{SUPPRESSED, World, on_postgres, runtime};

/// Opens a store and has one of its connections used; on a thread of its own, as the driver demands.
fn open(url: String) -> Result<Store, String> {
    open_with(PostgresAddress::from(url))
}

fn open_with(address: PostgresAddress) -> Result<Store, String> {
    let opened = std::thread::spawn(move || {
        let store = Store::open(&StoreOptions::Postgres(address)).map_err(|fault| fault.to_string())?;
        let read = store.read(|tx| tx.row(&SUPPRESSED, lethe::args![1]).map(drop));
        crate::support::world::runtime().block_on(read).map_err(|fault: StoreFault| fault.to_string())?;
        Ok(store)
    });
    opened.join().expect("it did not panic")
}

fn refusal(url: String) -> String {
    open(url).err().expect("a refusal")
}

/// A signer of certificates.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new(name: &str) -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    /// Gives a server a certificate of `name` that ends with the year.
    fn give(&self, server: &Private, name: &str, year: i32) {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        params.not_after = date_time_ymd(year, 1, 1);
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        server.put("server.crt", &certificate.pem());
        server.put("server.key", &key.serialize_pem());
    }
}

fn write_file(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("a file");
    file.to_str().expect("a path").to_owned()
}

/// A server takes new settings a moment after it was told to.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_server_that_cannot_prove_who_it_is_gets_no_password() {
    let Some(server) = Private::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let ours = Authority::new("ours");
    let others = Authority::new("others");
    let ours_file = write_file(folder.path(), "ours.pem", &ours.pem);
    let others_file = write_file(folder.path(), "others.pem", &others.pem);
    let port = server.port();
    let url = |host: &str, options: &str| format!("postgres://postgres@{host}:{port}/postgres?{options}");
    let full = |host: &str, file: &str| url(host, &format!("sslmode=verify-full&sslrootcert={file}"));

    // A server without TLS: no one may talk it down.
    for demanded in [url("localhost", "sslmode=require"), full("localhost", &ours_file)] {
        let said = refusal(demanded);
        assert!(said.contains("does not offer TLS, which sslmode in --store demands"), "{said}");
    }
    for plain in ["", "sslmode=prefer", "sslmode=allow", "sslmode=disable"] {
        drop(open(url("localhost", plain)).expect("it opens without TLS"));
    }

    ours.give(&server, "localhost", 2120);
    server.run("ALTER SYSTEM SET ssl = on");
    server.run("SELECT pg_reload_conf()");
    let store = until("TLS is on", || open(full("localhost", &ours_file)).ok());
    let encrypted = "SELECT count(*) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) \
                     WHERE a.application_name = 'lethe' AND s.ssl";
    assert!(value_of(server.url(), encrypted) > 0, "a store is read over TLS");
    drop(store);
    for trusting in ["", "sslmode=require", &format!("sslmode=verify-ca&sslrootcert={ours_file}")] {
        drop(open(url("127.0.0.1", trusting)).expect("the name of the host is not looked at"));
    }
    let said = refusal(full("127.0.0.1", &ours_file));
    assert!(said.contains("its certificate is for another host"), "{said}");
    for mode in ["require", "verify-ca", "verify-full"] {
        let said = refusal(url("localhost", &format!("sslmode={mode}&sslrootcert={others_file}")));
        assert!(said.contains("its certificate is signed by nobody in sslrootcert"), "{mode}: {said}");
    }
    let said = refusal(full("localhost", "/no/such/file.pem"));
    assert!(said.contains("the root certificates of the database cannot be used (No such file"), "{said}");

    ours.give(&server, "localhost", 2020);
    server.run("SELECT pg_reload_conf()");
    let said = until("the certificate is another", || open(full("localhost", &ours_file)).err());
    assert!(said.contains("its certificate has expired"), "{said}");
}

#[test]
fn an_address_that_protects_nobody_is_refused_before_anything_is_sent() {
    let program = Program::new();
    for (options, sentence) in [
        ("sslmode=verify-full", "need sslrootcert=FILE"),
        ("sslmode=verify-ca", "need sslrootcert=FILE"),
        ("sslrootcert=ca.pem", "sslrootcert protects nobody unless TLS is demanded"),
        ("sslmode=prefer&sslrootcert=ca.pem", "sslrootcert protects nobody unless TLS is demanded"),
        ("sslmode=require&sslrootcert=system", "write sslmode=verify-full"),
        (
            "sslmode=canary-mode",
            "sslmode is one of disable, allow, prefer, require, verify-ca and verify-full",
        ),
        ("target_session_attrs=read-only", "target_session_attrs can only be read-write"),
        ("passfile=canary", "--store-password-file"),
        ("canary=1", "it has an option that lethe does not know"),
    ] {
        let ended = program.run(&format!("config show --store postgres://u:canary@db.test/shops?{options}"));
        assert_eq!(ended.code, 2, "{}", ended.err);
        assert!(ended.err.contains(sentence), "{options}: {}", ended.err);
        assert!(!ended.err.contains("canary") && ended.err.lines().count() == 1, "{}", ended.err);
    }
    for (address, sentence) in [
        ("postgres://u:canary@canary@db.test/shops", "a password as %40"),
        ("postgres:///shops", "it names no host"),
        ("postgres://u@db.test:port/shops", "is expected"),
        ("postgres://u:canary@db.test/shops --store-password-file x", "keep one of them"),
        ("sqlite: --store-password-file x", "an embedded store has no password"),
    ] {
        let ended = program.run(&format!("config show --store {address}"));
        assert!(ended.code == 2 && ended.err.contains(sentence), "{address}: {}", ended.err);
        assert!(!ended.err.contains("canary"), "{}", ended.err);
    }
}

#[test]
fn of_several_hosts_the_one_that_writes_is_taken() {
    let (Some(standby), Some(database)) = (Private::start(), Database::create()) else { return };
    standby.run(&format!("CREATE DATABASE {}", database.name()));
    standby.run("ALTER SYSTEM SET default_transaction_read_only = on");
    standby.run("SELECT pg_reload_conf()");
    let own = format!("127.0.0.1:{}", standby.port());
    let name = database.name();
    let alone = format!("postgres://postgres@{own}/{name}");
    until("it is read-only", || (value_of(standby.url(), READ_ONLY) == 1).then_some(()));
    let said = refusal(alone);
    assert!(
        said.contains("is read-only: name the primary, or all servers with commas between them"),
        "{said}"
    );
    let primary = url::Url::parse(&database.url()).expect("an address");
    let primary = format!("127.0.0.1:{}", primary.port().expect("a port"));
    let both = format!("postgres://postgres@{own},{primary}/{name}?target_session_attrs=read-write");
    drop(open(both).expect("the second of them writes"));
}

const READ_ONLY: &str = "SELECT (current_setting('transaction_read_only') = 'on')::int::bigint";

#[test]
fn the_password_comes_from_its_file_and_is_told_nobody() {
    let Some(server) = Private::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    server.run("CREATE ROLE lethe LOGIN PASSWORD 'canary of the right'");
    server.run("CREATE DATABASE shops OWNER lethe");
    server.put(
        "pg_hba.conf",
        "host all lethe 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust",
    );
    server.run("SELECT pg_reload_conf()");
    let url = format!("postgres://lethe@127.0.0.1:{}/shops", server.port());
    let file = write_file(folder.path(), "password", "canary of the right\n");
    let with = |file: &str| open_with(PostgresAddress::new(url.clone(), Some(file.into())));
    until("a password is asked for", || open(url.clone()).err());
    drop(with(&file).expect("the right password"));
    write_file(folder.path(), "password", "canary of the wrong");
    let said = with(&file).err().expect("a refusal");
    assert!(said.contains("does not let the user `lethe` in (code 28P01)"), "{said}");
    assert!(!said.contains("canary"), "{said}");
    write_file(folder.path(), "password", "\n");
    assert!(with(&file).err().expect("a refusal").contains("cannot be used (it is empty)"));
    let said = refusal(url.clone());
    assert!(said.contains("does not let the user `lethe` in (password missing)"), "{said}");
    // Sentences about the settings, and about a store that does not open.
    write_file(folder.path(), "password", "canary of the wrong");
    let program = Program::new();
    for words in ["config show", "config show --json", "account create one --new-store"] {
        let ended = program.run(&format!("{words} --store {url} --store-password-file {file}"));
        assert_eq!(ended.code, if words.starts_with("account") { 2 } else { 0 }, "{}", ended.err);
        assert!(!format!("{}{}", ended.out, ended.err).contains("canary"), "{} {}", ended.out, ended.err);
    }
}

/// All that stands in a database, as far as a wrong start could change it.
const CONTENT: &str = "SELECT coalesce(sum(hashtext(c.relname || c.relkind::text || c.relnatts)::bigint), 0)::bigint \
                       FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace";

/// Begins a store in the database; the sentence that it ends with, without having changed anything.
fn begin_refused(database: &Database, url: &str) -> String {
    let before = value_of(database.url(), CONTENT);
    let Ended { code, err, .. } =
        Program::new().run(&format!("account create one --new-store --store {url}"));
    assert_eq!(code, 2, "{err}");
    let said: Vec<&str> = err.lines().filter(|line| line.starts_with("lethe: ")).collect();
    assert_eq!(said.len(), 1, "{err}");
    assert_eq!(value_of(database.url(), CONTENT), before, "nothing was changed: {err}");
    said[0].to_owned()
}

#[test]
fn a_database_that_cannot_be_used_is_refused_with_one_sentence_and_not_changed() {
    let Some(database) = Database::create() else { return };
    let mut elsewhere = url::Url::parse(&database.url()).expect("an address");
    elsewhere.set_path("no_such_shop");
    let said = begin_refused(&database, elsewhere.as_str());
    assert!(
        said.contains("has no database `no_such_shop`: make it with `createdb --encoding=UTF8"),
        "{said}"
    );

    crate::support::postgres::run_on(database.url(), "CREATE TABLE wishes (id BIGINT)".to_owned());
    let said = begin_refused(&database, &database.url());
    assert!(said.contains("holds tables that are not lethe's, such as `wishes`: make one"), "{said}");
    crate::support::postgres::run_on(database.url(), "DROP TABLE wishes".to_owned());

    database.run("ALTER DATABASE DATABASE_NAME SET default_transaction_read_only = on");
    let said = begin_refused(&database, &database.url());
    assert!(said.contains("is read-only") && said.contains("default_transaction_read_only = off"), "{said}");
    database.run("ALTER DATABASE DATABASE_NAME SET default_transaction_read_only = off");

    let role = format!("guest_{}", database.name());
    database.run(&format!("CREATE ROLE {role} LOGIN"));
    let mut guest = url::Url::parse(&database.url()).expect("an address");
    guest.set_username(&role).expect("a user");
    let said = begin_refused(&database, guest.as_str());
    database.run(&format!("DROP ROLE {role}"));
    assert!(said.contains("may not make tables in the database") && said.contains("OWNER TO"), "{said}");

    let latin = format!("latin_{}", database.name());
    database.run(&format!("CREATE DATABASE {latin} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"));
    elsewhere.set_path(&latin);
    let said = begin_refused(&database, elsewhere.as_str());
    database.run(&format!("DROP DATABASE {latin}"));
    assert!(said.contains("has the encoding LATIN1, and lethe needs UTF8: make another"), "{said}");
}

/// The disk of the server is full as soon as a table is made.
const FULL: &str = "CREATE FUNCTION full_disk() RETURNS event_trigger LANGUAGE plpgsql AS \
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$; \
    CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION full_disk()";

#[test]
fn a_database_on_a_full_disk_is_refused_with_one_sentence() {
    let Some(database) = Database::create() else { return };
    crate::support::postgres::run_on(database.url(), FULL.to_owned());
    let said = begin_refused(&database, &database.url());
    assert!(
        said.contains("the disk of PostgreSQL at") && said.contains("is full: make room there"),
        "{said}"
    );
}

#[test]
fn a_lost_connection_is_one_warning_and_one_note_when_it_is_back() {
    on_postgres(lost_and_back);
}

#[test]
fn a_server_that_takes_no_writes_any_more_is_asked_again_until_one_does() {
    let Some(server) = Private::start() else { return };
    runtime().block_on(async {
        let world = World::open(Some(Database::create_on(&server))).await;
        let shop = world.shop("one").await;
        let delta = || world.ask(&shop, "/api/delta", json!({"Products": [{"Id": "1", "Title": "t"}]}));
        assert_eq!(delta().await.status, 200, "the connection is made");
        for (change, status) in
            [("SET default_transaction_read_only = on", 503), ("RESET default_transaction_read_only", 200)]
        {
            server.run(&format!("ALTER SYSTEM {change}"));
            server.run("SELECT pg_reload_conf()");
            let began = Instant::now();
            // A session takes its new settings when it next has nothing to do.
            while began.elapsed() < Duration::from_secs(10) {
                let answer = delta().await;
                assert!([200, 503].contains(&answer.status), "{}", answer.text);
                if answer.status == status {
                    break;
                }
            }
            assert_eq!(delta().await.status, status);
        }
    });
}

async fn lost_and_back(world: World) {
    let database = world.database.as_ref().expect("a database");
    let count = |words: &str| log_traces::read_log().matches(words).count();
    let shop = world.shop("one").await;
    for round in 1..=2 {
        database.run("ALTER DATABASE DATABASE_NAME ALLOW_CONNECTIONS false");
        database.run(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'DATABASE_NAME'",
        );
        for _ in 0..2 {
            let store = &world.node().store;
            let read = store.read(|tx| tx.row(&SUPPRESSED, lethe::args![1]).map(drop)).await;
            assert!(matches!(read, Err(StoreFault::Disconnected)));
            let refused =
                world.ask(&shop, "/api/delta", json!({"Products": [{"Id": "1", "Title": "t"}]})).await;
            assert_eq!(refused.status, 503, "{}", refused.text);
        }
        assert_eq!(count("the connection to PostgreSQL is lost"), round);
        assert_eq!(count("the connection to PostgreSQL is back"), round - 1);
        assert_eq!(count("a request was refused for now"), 0, "no line for each try");
        database.run("ALTER DATABASE DATABASE_NAME ALLOW_CONNECTIONS true");
        for _ in 0..8 {
            let store = &world.node().store;
            store
                .read(|tx| tx.row(&SUPPRESSED, lethe::args![1]).map(drop))
                .await
                .map_err(|f: StoreFault| f)
                .expect("it is back");
        }
        let taken = world.ask(&shop, "/api/delta", json!({"Products": [{"Id": "1", "Title": "t"}]})).await;
        assert_eq!(taken.status, 200, "{}", taken.text);
        assert_eq!(count("the connection to PostgreSQL is lost"), round);
        assert_eq!(count("the connection to PostgreSQL is back"), round);
    }
}
