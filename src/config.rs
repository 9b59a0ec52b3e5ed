//! Settings: flag over `LETHE_*` over `lethe.toml` over default, each with the name of its source.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use confique::Config as _;
use ipnet::IpNet;

use crate::store::StoreOptions;

mod spelling;

/// The settings as they may stand in the file, the environment or on the command line.
#[derive(confique::Config)]
#[config(layer_attr(derive(Clone)))]
pub struct Settings {
    /// Folder of the embedded store, the catalogue files and the control socket.
    #[config(env = "LETHE_DATA_DIR", default = "lethe-data")]
    pub data_dir: PathBuf,
    /// Address and port to listen on.
    #[config(env = "LETHE_LISTEN", default = "127.0.0.1:8080")]
    pub listen: String,
    /// The store: `sqlite:` in the data folder, `sqlite:PATH`, or `postgres://user:password@host/database`.
    #[config(env = "LETHE_STORE", default = "sqlite:")]
    pub store: String,
    /// Folder of the keys of people; keep it apart from the data. Default: the data folder's name with `-keys`.
    #[config(env = "LETHE_KEY_DIR")]
    pub key_dir: Option<PathBuf>,
    /// Folder, best on another volume, that gets a second copy of the journal of erasures before each of them goes on.
    #[config(env = "LETHE_JOURNAL_MIRROR")]
    pub journal_mirror: Option<PathBuf>,
    /// Folder on another disk that gets a live second copy of the keys. Without it a lost key folder is a loss for ever.
    #[config(env = "LETHE_KEY_MIRROR")]
    pub key_mirror: Option<PathBuf>,
    /// Private networks that feeds may come from, on every port: a comma-separated list such as `10.1.0.0/16`.
    #[config(env = "LETHE_FEED_ALLOW", default = "")]
    pub feed_allow: String,
    /// Ports that feeds may come from on public addresses.
    #[config(env = "LETHE_FEED_PORTS", default = "80,443,8080,8443")]
    pub feed_ports: String,
    /// Bearer token that opens all of `/metrics`; without it no account names are shown.
    #[config(env = "LETHE_METRICS_TOKEN")]
    pub metrics_token: Option<String>,
    /// What is logged: error, warn, info, debug or trace.
    #[config(env = "LETHE_LOG", default = "info")]
    pub log: String,
}

/// The same as flags.
#[derive(clap::Args, Clone, Default)]
#[command(next_help_heading = "Server settings")]
pub struct Flags {
    /// Folder of the embedded store, the catalogue files and the control socket [default: ./lethe-data]
    #[arg(long, global = true, hide_short_help = true)]
    pub data_dir: Option<PathBuf>,
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, global = true, hide_short_help = true)]
    pub listen: Option<String>,
    /// The store: `sqlite:` in the data folder, `sqlite:PATH` or `postgres://…` [default: sqlite:]
    #[arg(long, global = true, hide_short_help = true)]
    pub store: Option<String>,
    /// Folder of the keys of people [default: the data folder's name with `-keys`]
    #[arg(long, global = true, hide_short_help = true)]
    pub key_dir: Option<PathBuf>,
    /// Folder on another volume that gets a second copy of the journal of erasures
    #[arg(long, global = true, hide_short_help = true)]
    pub journal_mirror: Option<PathBuf>,
    /// Folder on another disk for a live second copy of the keys [default: none]
    #[arg(long, global = true, hide_short_help = true, value_name = "PATH")]
    pub key_mirror: Option<PathBuf>,
    /// Private networks that feeds may come from, on every port, such as 10.1.0.0/16,192.168.7.0/24
    #[arg(long, global = true, hide_short_help = true)]
    pub feed_allow: Option<String>,
    /// Ports that feeds may come from on public addresses [default: 80,443,8080,8443]
    #[arg(long, global = true, hide_short_help = true)]
    pub feed_ports: Option<String>,
    /// What is logged: error, warn, info, debug or trace [default: info]
    #[arg(long, global = true, hide_short_help = true)]
    pub log: Option<String>,
    /// Settings file [default: ./lethe.toml, if there is one]
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// The effective settings, checked.
#[derive(Clone)]
pub struct Config {
    /// Data folder.
    pub data_dir: PathBuf,
    /// Where to listen.
    pub listen: SocketAddr,
    /// Which store.
    pub store: String,
    /// Key folder.
    pub key_dir: PathBuf,
    /// Folder of the second copy of the journal.
    pub journal_mirror: Option<PathBuf>,
    /// Whether to start although a part of the journal is missing; of this start alone, so no setting.
    pub accept_journal_gap: bool,
    /// The second copy of it.
    pub key_mirror: Option<PathBuf>,
    /// Networks that feeds may come from.
    pub feed_allow: Vec<IpNet>,
    /// Ports that feeds may come from.
    pub feed_ports: Vec<u16>,
    /// Token of `/metrics`.
    pub metrics_token: Option<String>,
    /// What is logged.
    pub log: String,
}

/// A setting that cannot be used; exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFault {
    /// Missing, malformed or unreadable; names the source.
    #[error("{0}")]
    Unreadable(String),
    /// Cannot be used.
    #[error("setting {name}: {problem}")]
    Malformed {
        /// Name of the setting.
        name: &'static str,
        /// What is expected.
        problem: &'static str,
    },
}

const DEFAULT_FILE: &str = "lethe.toml";
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Refuses an environment with a variable `LETHE_…` that nobody reads.
pub fn check_environment() -> Result<(), ConfigFault> {
    let all: Vec<_> =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect();
    spelling::check_variables(all.iter().map(|(name, value)| (name.as_str(), value.as_os_str())))
}

impl Flags {
    fn layer(&self) -> <Settings as confique::Config>::Layer {
        let mut layer = <<Settings as confique::Config>::Layer as confique::Layer>::empty();
        layer.data_dir.clone_from(&self.data_dir);
        layer.listen.clone_from(&self.listen);
        layer.store.clone_from(&self.store);
        layer.key_dir.clone_from(&self.key_dir);
        layer.journal_mirror.clone_from(&self.journal_mirror);
        layer.key_mirror.clone_from(&self.key_mirror);
        layer.feed_allow.clone_from(&self.feed_allow);
        layer.feed_ports.clone_from(&self.feed_ports);
        layer.log.clone_from(&self.log);
        layer
    }

    fn file(&self) -> PathBuf {
        self.config.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FILE))
    }

    /// Reads all sources and checks the result.
    pub fn load(&self) -> Result<Config, ConfigFault> {
        let file = self.file();
        if self.config.is_some() && !file.exists() {
            return Err(ConfigFault::Unreadable("the file given with --config does not exist".to_owned()));
        }
        // What cannot be read as a table is told below.
        let table = std::fs::read_to_string(&file).unwrap_or_default().parse();
        spelling::check_file(&table.unwrap_or_default())?;
        let settings = Settings::builder()
            .preloaded(self.layer())
            .env()
            .file(&file)
            .load()
            .map_err(|error| ConfigFault::Unreadable(error.to_string()))?;
        Config::check(settings)
    }

    /// Every setting with its effective value and where it comes from; secrets are not shown.
    pub fn show(&self) -> Result<Vec<(&'static str, String, &'static str)>, ConfigFault> {
        let config = self.load()?;
        let file = std::fs::read_to_string(self.file()).unwrap_or_default();
        let file: toml::Table = file.parse().unwrap_or_default();
        let list = |items: Vec<String>| items.join(",");
        let source = |name: &str, flag: bool, env: &str| match () {
            () if flag => "flag",
            () if std::env::var_os(env).is_some() => "environment",
            () if file.contains_key(name) => "file",
            () => "default",
        };
        let networks = list(config.feed_allow.iter().map(ToString::to_string).collect());
        let ports = list(config.feed_ports.iter().map(ToString::to_string).collect());
        let token = if config.metrics_token.is_some() { "(set)" } else { "" };
        Ok(vec![
            (
                "data_dir",
                config.data_dir.display().to_string(),
                source("data_dir", self.data_dir.is_some(), "LETHE_DATA_DIR"),
            ),
            ("listen", config.listen.to_string(), source("listen", self.listen.is_some(), "LETHE_LISTEN")),
            ("store", config.store_shown(), source("store", self.store.is_some(), "LETHE_STORE")),
            (
                "key_dir",
                config.key_dir.display().to_string(),
                source("key_dir", self.key_dir.is_some(), "LETHE_KEY_DIR"),
            ),
            (
                "journal_mirror",
                config.journal_mirror.map(|path| path.display().to_string()).unwrap_or_default(),
                source("journal_mirror", self.journal_mirror.is_some(), "LETHE_JOURNAL_MIRROR"),
            ),
            (
                "key_mirror",
                config.key_mirror.map_or_else(String::new, |mirror| mirror.display().to_string()),
                source("key_mirror", self.key_mirror.is_some(), "LETHE_KEY_MIRROR"),
            ),
            ("feed_allow", networks, source("feed_allow", self.feed_allow.is_some(), "LETHE_FEED_ALLOW")),
            ("feed_ports", ports, source("feed_ports", self.feed_ports.is_some(), "LETHE_FEED_PORTS")),
            ("metrics_token", token.to_owned(), source("metrics_token", false, "LETHE_METRICS_TOKEN")),
            ("log", config.log.clone(), source("log", self.log.is_some(), "LETHE_LOG")),
        ])
    }
}

/// The commented template of `lethe.toml`.
#[must_use]
pub fn template() -> String {
    confique::toml::template::<Settings>(confique::toml::FormatOptions::default())
}

impl Config {
    fn check(settings: Settings) -> Result<Self, ConfigFault> {
        let malformed = |name, problem| ConfigFault::Malformed { name, problem };
        let listen = settings.listen.parse();
        let listen = listen
            .map_err(|_| malformed("listen", "an address and port such as 127.0.0.1:8080 is expected"))?;
        if !settings.store.starts_with("sqlite:") && !is_postgres(&settings.store) {
            return Err(malformed("store", "sqlite:, sqlite:PATH or postgres://… is expected"));
        }
        if !LEVELS.contains(&settings.log.as_str()) {
            return Err(malformed("log", "error, warn, info, debug or trace is expected"));
        }
        let networks = split(&settings.feed_allow).map(str::parse).collect::<Result<_, _>>();
        let ports = split(&settings.feed_ports).map(str::parse).collect::<Result<_, _>>();
        let key_dir = settings.key_dir.unwrap_or_else(|| beside(&settings.data_dir));
        let key_mirror = settings.key_mirror.filter(|mirror| !mirror.as_os_str().is_empty());
        let journal_mirror = settings.journal_mirror.filter(|mirror| !mirror.as_os_str().is_empty());
        let own = [&key_dir, &settings.data_dir].map(|folder| real(folder));
        for (name, mirror) in [("key_mirror", &key_mirror), ("journal_mirror", &journal_mirror)] {
            if mirror.as_ref().is_some_and(|mirror| own.contains(&real(mirror))) {
                return Err(malformed(name, "a folder of its own is expected, on another disk"));
            }
        }
        Ok(Self {
            data_dir: settings.data_dir,
            listen,
            store: settings.store,
            key_dir,
            journal_mirror,
            accept_journal_gap: false,
            key_mirror,
            feed_allow: networks
                .map_err(|_| malformed("feed_allow", "networks such as 10.1.0.0/16 are expected"))?,
            feed_ports: ports.map_err(|_| malformed("feed_ports", "port numbers are expected"))?,
            metrics_token: settings.metrics_token,
            log: settings.log,
        })
    }

    /// Which store to open.
    #[must_use]
    pub fn store_options(&self) -> StoreOptions {
        match self.store.strip_prefix("sqlite:") {
            Some("") => StoreOptions::Sqlite(self.data_dir.join("lethe.db")),
            Some(path) => StoreOptions::Sqlite(PathBuf::from(path)),
            None => StoreOptions::Postgres(self.store.clone()),
        }
    }

    /// The store without its password.
    #[must_use]
    pub fn store_shown(&self) -> String {
        match url::Url::parse(&self.store) {
            _ if !is_postgres(&self.store) => self.store.clone(),
            Ok(url) => format!("postgres://{}{}", url.host_str().unwrap_or_default(), url.path()),
            // Several hosts, for one: the driver reads it, the standard for URLs does not.
            Err(_) => "postgres://…".to_owned(),
        }
    }
}

/// A folder by the name that all ways to it have in common, as far as it is there.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf())
}

fn is_postgres(store: &str) -> bool {
    store.starts_with("postgres://") || store.starts_with("postgresql://")
}

fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ' ']).map(str::trim).filter(|item| !item.is_empty())
}

/// `lethe-data` → `lethe-data-keys`, a sibling: a copy of the data folder does not take the keys along.
fn beside(data_dir: &Path) -> PathBuf {
    let mut name = data_dir.file_name().unwrap_or("lethe-data".as_ref()).to_owned();
    name.push("-keys");
    data_dir.with_file_name(name)
}
