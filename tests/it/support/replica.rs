//! A server of PostgreSQL that follows another one, and takes its place when it is told to.

use std::net::TcpListener;
use std::process::{Command, Stdio};

use crate::support::postgres::{Private, run_on, text_of, value_of};

/// It ends with this value.
pub struct Replica {
    programs: String,
    port: u16,
    folder: tempfile::TempDir,
}

impl Replica {
    /// One that has everything of `primary` by now, and follows it.
    pub fn follow(primary: &Private) -> Self {
        let programs = text_of(primary.url(), "SELECT setting FROM pg_config WHERE name = 'BINDIR'");
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
        let folder = tempfile::tempdir().expect("a folder");
        if rustix::process::geteuid().is_root() {
            let given = Command::new("chown").arg("postgres").arg(folder.path()).status();
            assert!(given.expect("chown runs").success());
        }
        let replica = Self { programs, port, folder };
        let from = format!("--host=127.0.0.1 --port={} --username=postgres", primary.port());
        replica.run(
            "pg_basebackup",
            &format!("{from} --write-recovery-conf --checkpoint=fast --no-sync --pgdata"),
            &[],
        );
        let settings = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=300 -c fsync=off \
             -c full_page_writes=off -c log_min_messages=fatal"
        );
        replica.run("pg_ctl", "start -w -s -D", &["-o", &settings]);
        replica
    }

    /// Runs a program of PostgreSQL on the folder of the data, as the owner of the folder.
    fn run(&self, program: &str, words: &str, more: &[&str]) {
        let program = format!("{}/{program}", self.programs);
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--", &program]);
            command
        } else {
            Command::new(program)
        };
        command.args(words.split(' ')).arg(self.folder.path().join("data")).args(more);
        let status = command.current_dir("/").stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.expect("a program of PostgreSQL").success(), "{command:?}");
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of a database on it.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// From now on it receives nothing.
    #[expect(clippy::disallowed_methods, reason = "another process gives no signal that could be waited on")]
    pub fn fall_behind(&self) {
        run_on(self.url("postgres"), "ALTER SYSTEM SET primary_conninfo = ''".to_owned());
        run_on(self.url("postgres"), "SELECT pg_reload_conf()".to_owned());
        // Data sent before it heard of that still comes.
        let receivers = "SELECT count(*) FROM pg_stat_wal_receiver";
        let has_stopped = (0..3000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            value_of(self.url("postgres"), receivers) == 0
        });
        assert!(has_stopped, "it receives still");
    }

    /// From now on it takes writes.
    pub fn take_over(&self) {
        run_on(self.url("postgres"), "SELECT pg_promote()".to_owned());
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.run("pg_ctl", "stop -s -m immediate -D", &[]);
    }
}
