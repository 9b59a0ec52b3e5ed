//! The address of a PostgreSQL database, in libpq's words, and how lethe understands each of these words.

use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use postgres::config::{Host, SslMode, TargetSessionAttrs};

use super::postgres_fault::PostgresFault;
use super::postgres_tls::{Roots, TrustedCertificates};

/// Longest wait for a connection to one server.
const CONNECT_DURATION: Duration = Duration::from_secs(3);
/// Longest silence of the network on an open connection.
const SILENCE_DURATION: Duration = Duration::from_secs(10);

/// Options of an address that go to the driver as they are. `sslmode`, `sslrootcert` and `target_session_attrs` are
/// read here.
const DRIVER_OPTIONS: [&str; 12] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "tcp_user_timeout",
    "user",
];

/// Address of a PostgreSQL database. May hold a password, so it can be neither printed nor logged.
#[derive(Clone)]
pub struct PostgresAddress {
    url: String,
    password_file: Option<PathBuf>,
}

impl From<String> for PostgresAddress {
    fn from(url: String) -> Self {
        Self { url, password_file: None }
    }
}

/// A parsed address: the options that the driver needs to connect.
pub(super) struct PostgresTarget {
    pub(super) config: postgres::Config,
    /// Certificates that are trusted.
    pub(super) trust: TrustedCertificates,
    password_file: Option<PathBuf>,
}

/// Options for TLS.
#[derive(Default)]
struct Tls {
    mode: Option<String>,
    roots: Option<String>,
}

impl PostgresAddress {
    /// With the password in a file of its own, which is read at each connection: a new one holds without a restart.
    #[must_use]
    pub fn new(url: String, password_file: Option<PathBuf>) -> Self {
        Self { url, password_file }
    }

    /// Reads the address without connecting.
    ///
    /// # Errors
    /// [`PostgresFault::Address`] names the fault.
    pub fn check(&self) -> Result<(), PostgresFault> {
        self.parse().map(drop)
    }

    pub(super) fn parse(&self) -> Result<PostgresTarget, PostgresFault> {
        let (base, options) = parts(&self.url);
        let (tls, passed) = own_options(options)?;
        let text = if passed.is_empty() { base.to_owned() } else { format!("{base}?{}", passed.join("&")) };
        let mut config: postgres::Config = text.parse().map_err(|_| MALFORMED)?;
        check_hosts(&config)?;
        if config.get_password().is_some() && self.password_file.is_some() {
            return Err(PostgresFault::Address(
                "it has a password, and --store-password-file names another; keep one of them",
            ));
        }
        let (mode, trust) = tls.resolve()?;
        // As with libpq, there is no TLS where there is no network.
        let is_local = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
        config.ssl_mode(if is_local { SslMode::Disable } else { mode });
        set_habits(&mut config);
        Ok(PostgresTarget { config, trust, password_file: self.password_file.clone() })
    }
}

/// The address up to its options, and these. A password may hold the sign that parts them.
fn parts(url: &str) -> (&str, &str) {
    let after_password = url.find('@').map_or(0, |at| at + 1);
    match url[after_password..].find('?') {
        Some(at) => (&url[..after_password + at], &url[after_password + at + 1..]),
        None => (url, ""),
    }
}

const MALFORMED: PostgresFault = PostgresFault::Address(
    "postgres://user@host:port/database?sslmode=… is expected, several hosts with commas between them, and the signs \
     @ : / ? of a password as %40 %3A %2F %3F",
);

/// Separates the options that are read here from those that go to the driver.
fn own_options(options: &str) -> Result<(Tls, Vec<&str>), PostgresFault> {
    let mut tls = Tls::default();
    let mut passed = Vec::new();
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').ok_or(MALFORMED)?;
        let decoded = || percent_decode_str(value).decode_utf8().map_err(|_| MALFORMED);
        match name {
            "sslmode" => tls.mode = Some(decoded()?.into_owned()),
            "sslrootcert" => tls.roots = Some(decoded()?.into_owned()),
            "target_session_attrs" if matches!(value, "any" | "read-write" | "primary") => {}
            "target_session_attrs" => {
                return Err(PostgresFault::Address(
                    "lethe writes, so target_session_attrs can only be read-write, which it is without saying",
                ));
            }
            "passfile" => {
                return Err(PostgresFault::Address(
                    "passfile is not read; name a file with the password alone with --store-password-file",
                ));
            }
            name if DRIVER_OPTIONS.contains(&name) => passed.push(option),
            // Not named: the text may be a part of a password.
            _ => return Err(PostgresFault::Address("it has an option that lethe does not know")),
        }
    }
    Ok((tls, passed))
}

fn check_hosts(config: &postgres::Config) -> Result<(), PostgresFault> {
    if config.get_hosts().is_empty() {
        return Err(PostgresFault::Address("it names no host"));
    }
    // The rest of a password whose sign @ was not written as %40; a sentence must not show it.
    let is_wrong = |host: &Host| matches!(host, Host::Tcp(name) if name.is_empty() || name.contains('@'));
    if config.get_hosts().iter().any(is_wrong) { Err(MALFORMED) } else { Ok(()) }
}

/// Sets the common properties of every connection of lethe.
fn set_habits(config: &mut postgres::Config) {
    if config.get_application_name().is_none() {
        config.application_name("lethe");
    }
    // A database that has gone silent is a database that is gone: every wait has an end.
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_DURATION);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE_DURATION);
    }
    config.keepalives_idle(SILENCE_DURATION);
    // Among several servers the one that writes; a standby that became the primary is found at the next connection.
    let wanted = TargetSessionAttrs::ReadWrite;
    config.target_session_attrs(wanted);
}

impl Tls {
    /// TLS mode for the driver, and the certificates that are trusted.
    fn resolve(&self) -> Result<(SslMode, TrustedCertificates), PostgresFault> {
        let refused = |sentence| Err(PostgresFault::Address(sentence));
        let roots = self.roots.as_deref().map(|roots| match roots {
            "system" => Roots::System,
            file => Roots::File(PathBuf::from(file)),
        });
        let mode = self.mode.as_deref().unwrap_or("prefer");
        match (mode, roots) {
            ("disable" | "allow" | "prefer", Some(_)) => refused(
                "sslrootcert protects nobody unless TLS is demanded; write sslmode=verify-full beside it",
            ),
            ("disable", None) => Ok((SslMode::Disable, TrustedCertificates::Anybody)),
            ("allow" | "prefer", None) => Ok((SslMode::Prefer, TrustedCertificates::Anybody)),
            ("require", None) => Ok((SslMode::Require, TrustedCertificates::Anybody)),
            ("require" | "verify-ca", Some(Roots::System)) => refused(
                "sslrootcert=system trusts every public authority; write sslmode=verify-full beside it",
            ),
            ("require" | "verify-ca", Some(roots)) => {
                Ok((SslMode::Require, TrustedCertificates::Signed { roots, checks_name: false }))
            }
            ("verify-full", Some(roots)) => {
                Ok((SslMode::Require, TrustedCertificates::Signed { roots, checks_name: true }))
            }
            ("verify-ca" | "verify-full", None) => refused(
                "sslmode=verify-ca and sslmode=verify-full need sslrootcert=FILE, the latter alone sslrootcert=system",
            ),
            _ => refused("sslmode is one of disable, allow, prefer, require, verify-ca and verify-full"),
        }
    }
}

impl PostgresTarget {
    /// Hosts and ports, for a sentence.
    pub(super) fn host_list(&self) -> String {
        let ports = self.config.get_ports();
        let names = self.config.get_hosts().iter().enumerate().map(|(n, host)| {
            let port = ports.get(n).or(ports.first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => format!("{name}:{port}"),
                Host::Unix(folder) => format!("{}:{port}", folder.display()),
            }
        });
        names.collect::<Vec<_>>().join(",")
    }

    pub(super) fn user(&self) -> String {
        self.config.get_user().unwrap_or_default().to_owned()
    }

    pub(super) fn database(&self) -> String {
        self.config.get_dbname().map_or_else(|| self.user(), str::to_owned)
    }

    /// Reads the password from its file, if one is named.
    pub(super) fn take_password(&mut self) -> Result<(), PostgresFault> {
        let Some(file) = &self.password_file else { return Ok(()) };
        let text = std::fs::read_to_string(file).map(zeroize::Zeroizing::new);
        let text = text.map_err(|error| PostgresFault::PasswordFile(error.to_string()))?;
        let password = text.trim_end_matches(['\r', '\n']);
        if password.is_empty() {
            return Err(PostgresFault::PasswordFile("it is empty".to_owned()));
        }
        self.config.password(password);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> PostgresTarget {
        PostgresAddress::from(url.to_owned()).parse().unwrap_or_else(|fault| panic!("{url}: {fault}"))
    }

    #[test]
    fn every_wait_has_an_end_unless_the_address_says_which() {
        let PostgresTarget { config, .. } = parse("postgres://lethe@db.test/shops");
        assert_eq!(config.get_application_name(), Some("lethe"));
        let waits =
            (config.get_connect_timeout(), config.get_tcp_user_timeout(), config.get_keepalives_idle());
        assert_eq!(waits, (Some(&CONNECT_DURATION), Some(&SILENCE_DURATION), SILENCE_DURATION));
        assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        let own = "application_name=mine&connect_timeout=7&tcp_user_timeout=8&target_session_attrs=any";
        let PostgresTarget { config, .. } = parse(&format!("postgres://lethe@db.test/shops?{own}"));
        assert_eq!(config.get_application_name(), Some("mine"));
        let [seven, eight] = [7, 8].map(Duration::from_secs);
        let waits =
            (config.get_connect_timeout(), config.get_tcp_user_timeout(), config.get_keepalives_idle());
        assert_eq!(waits, (Some(&seven), Some(&eight), SILENCE_DURATION));
        assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
    }

    #[test]
    fn a_target_is_called_by_its_hosts_its_user_and_its_database() {
        for (url, called) in [
            ("postgres://lethe@db.test/shops", ["db.test:5432", "lethe", "shops"]),
            ("postgres://lethe@a.test:1,b.test:2", ["a.test:1,b.test:2", "lethe", "lethe"]),
            ("postgres://lethe@%2Frun%2Fpg/shops", ["/run/pg:5432", "lethe", "shops"]),
        ] {
            let target = parse(url);
            assert_eq!([target.host_list(), target.user(), target.database()], called, "{url}");
        }
    }

    #[test]
    fn the_options_begin_behind_the_password() {
        assert_eq!(parts("postgres://u:a?b@h/d?x=1&y=2"), ("postgres://u:a?b@h/d", "x=1&y=2"));
        assert_eq!(parts("postgres://u:a?b@h/d"), ("postgres://u:a?b@h/d", ""));
        assert_eq!(parts("postgres://h?x=1"), ("postgres://h", "x=1"));
        assert_eq!(parts("?x=1"), ("", "x=1"));
    }

    #[test]
    fn tls_is_as_the_address_asks_for() {
        let resolve = |options: &str| {
            let target = PostgresAddress::from(format!("postgres://u@h/d?{options}")).parse().ok()?;
            let trusted = match &target.trust {
                TrustedCertificates::Anybody => "anybody".to_owned(),
                TrustedCertificates::Signed { roots: Roots::System, checks_name } => {
                    format!("system {checks_name}")
                }
                TrustedCertificates::Signed { roots: Roots::File(file), checks_name } => {
                    format!("{} {checks_name}", file.display())
                }
            };
            Some((target.config.get_ssl_mode(), trusted))
        };
        for (options, mode, trusted) in [
            ("", SslMode::Prefer, "anybody"),
            ("&", SslMode::Prefer, "anybody"),
            ("sslmode=disable", SslMode::Disable, "anybody"),
            ("sslmode=allow", SslMode::Prefer, "anybody"),
            ("sslmode=prefer", SslMode::Prefer, "anybody"),
            ("sslmode=require", SslMode::Require, "anybody"),
            ("sslmode=require&sslrootcert=%2Fca", SslMode::Require, "/ca false"),
            ("sslmode=verify-ca&sslrootcert=a=b", SslMode::Require, "a=b false"),
            ("sslmode=verify-full&sslrootcert=ca", SslMode::Require, "ca true"),
            ("sslrootcert=system&sslmode=verify-full", SslMode::Require, "system true"),
        ] {
            assert_eq!(resolve(options), Some((mode, trusted.to_owned())), "{options}");
        }
        for refused in [
            "sslmode=never",
            "sslmode",
            "sslrootcert=ca",
            "sslmode=prefer&sslrootcert=ca",
            "sslmode=require&sslrootcert=system",
            "sslmode=verify-ca&sslrootcert=system",
            "sslmode=verify-ca",
            "sslmode=verify-full",
            "passfile=p",
            "target_session_attrs=read-only",
            "unknown=1",
        ] {
            assert_eq!(resolve(refused), None, "{refused}");
        }
        let local = parse("postgres://u@%2Frun%2Fpg/d?sslmode=require");
        assert_eq!(local.config.get_ssl_mode(), SslMode::Disable);
        let both = parse("postgres://u@%2Frun%2Fpg,h/d?sslmode=require");
        assert_eq!(both.config.get_ssl_mode(), SslMode::Require);
    }

    #[test]
    fn a_password_stands_in_the_address_or_alone_in_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "se cret\r\n").unwrap();
        let address = |url: &str| PostgresAddress::new(url.to_owned(), Some(file.clone()));
        let mut target = address("postgres://u@h/d").parse().unwrap_or_else(|fault| panic!("{fault}"));
        target.take_password().unwrap();
        assert_eq!(target.config.get_password(), Some(&b"se cret"[..]));
        std::fs::write(&file, "\n").unwrap();
        let empty = target.take_password().err();
        assert!(matches!(empty, Some(PostgresFault::PasswordFile(problem)) if problem == "it is empty"));
        assert!(matches!(address("postgres://u:p@h/d").check(), Err(PostgresFault::Address(_))));
        let mut alone = parse("postgres://u:p@h/d");
        alone.take_password().unwrap();
        assert_eq!(alone.config.get_password(), Some(&b"p"[..]));
    }
}
