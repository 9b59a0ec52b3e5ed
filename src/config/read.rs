//! Reads the settings of a process: flag, variable, file, default.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use confique::Config as _;
use confique::meta::Field;
use hyper::header::HeaderName;
use ipnet::IpNet;
use itertools::Itertools as _;

use super::console::ConsoleConfig;
use super::fault::{ConfigFault, split};
use super::folders::{canonical_path, default_key_folder};
use super::settings::{Settings, variable_of};
use super::store::is_postgres;
use super::{networks, setting_names, store};
use crate::store::{PostgresAddress, StoreOptions};

/// The settings on the command line.
#[derive(clap::Args, Clone)]
pub struct Flags {
    /// Settings from the command line.
    #[command(flatten)]
    pub settings: <Settings as confique::Config>::Layer,
    /// Settings file [default: ./lethe.toml or else /etc/lethe/lethe.toml, if there is one]
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        value_name = "FILE",
        help_heading = "Server settings"
    )]
    pub config: Option<PathBuf>,
}

/// The effective settings, checked.
#[derive(Clone)]
pub struct Config {
    /// Data folder.
    pub data_dir: PathBuf,
    /// Address to listen at.
    pub listen: SocketAddr,
    /// Address and names of the console.
    pub console: ConsoleConfig,
    /// The store.
    pub store: String,
    /// File with its password.
    pub store_password_file: Option<PathBuf>,
    /// True if its synchronous standby is a condition.
    pub require_standby: bool,
    /// Key folder.
    pub key_dir: PathBuf,
    /// Folder of the second copy of the journal.
    pub journal_mirror: Option<PathBuf>,
    /// True if the node starts although a part of the journal is missing; of this start alone, so no setting.
    pub accept_journal_gap: bool,
    /// True if there is a page for trying the search; of this start alone, too.
    pub try_page: bool,
    /// Folder of the second copy of the keys.
    pub key_mirror: Option<PathBuf>,
    /// Networks that feeds may come from.
    pub feed_allow: Vec<IpNet>,
    /// Ports that feeds may come from.
    pub feed_ports: Vec<u16>,
    /// Networks of the reverse proxies.
    pub trusted_proxies: Vec<IpNet>,
    /// The header in which they name a client.
    pub forwarded_header: HeaderName,
    /// Token of `/metrics`.
    pub metrics_token: Option<String>,
    /// Level of the log.
    pub log: String,
}

/// The settings file is the first of these that is there; the second is that of the package.
pub(super) const DEFAULT_FILES: [&str; 2] = ["lethe.toml", "/etc/lethe/lethe.toml"];

pub(super) const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Refuses an environment with an unknown variable `LETHE_…`.
pub fn check_environment() -> Result<(), ConfigFault> {
    let all: Vec<_> =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect();
    setting_names::check_variables(all.iter().map(|(name, value)| (name.as_str(), value.as_os_str())))
}

impl Flags {
    fn file(&self) -> PathBuf {
        let [first, second] = DEFAULT_FILES.map(PathBuf::from);
        let is_packaged = !first.exists() && second.exists();
        let found = if is_packaged { second } else { first };
        self.config.clone().unwrap_or(found)
    }

    /// Reads all sources and checks the result.
    ///
    /// # Errors
    /// When a source cannot be read, or has a setting with an unknown name or an unusable value.
    pub fn load(&self) -> Result<Config, ConfigFault> {
        let file = self.file();
        if self.config.is_some() && !file.exists() {
            return Err(ConfigFault::Unreadable("the file given with --config does not exist".to_owned()));
        }
        // A file that is no table is reported below.
        let table = std::fs::read_to_string(&file).unwrap_or_default().parse();
        setting_names::check_file(&table.unwrap_or_default())?;
        let settings = Settings::builder()
            .preloaded(self.settings.clone())
            .env()
            .file(&file)
            .load()
            .map_err(|error| ConfigFault::Unreadable(error.to_string()))?;
        Config::check(settings)
    }

    /// Every setting with its value and source, without secrets. `given` names those on the command line.
    ///
    /// # Errors
    /// As [`Flags::load`].
    pub fn list_settings(
        &self,
        given: &[String],
    ) -> Result<Vec<(&'static str, String, &'static str)>, ConfigFault> {
        let config = self.load()?;
        let file = std::fs::read_to_string(self.file()).unwrap_or_default();
        let file: toml::Table = file.parse().unwrap_or_default();
        let source = |field: &Field| match variable_of(field) {
            _ if given.iter().any(|given| given == field.name) => "flag",
            Some(variable) if std::env::var_os(variable).is_some() => "environment",
            _ if file.contains_key(field.name) => "file",
            _ => "default",
        };
        let fields = Settings::META.fields.iter();
        Ok(fields
            .filter_map(|field| Some((field.name, config.display_setting(field.name)?, source(field))))
            .collect())
    }
}

impl Config {
    /// Every setting with its value; secrets are not shown.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let fields = Settings::META.fields.iter();
        fields.filter_map(|field| Some((field.name, self.display_setting(field.name)?))).collect()
    }

    /// An embedded store in these folders, on a free port of this machine; reads no file and no variable.
    #[must_use]
    pub fn local(data_dir: PathBuf, key_dir: PathBuf) -> Self {
        Self {
            data_dir,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            console: ConsoleConfig::local(),
            store: "sqlite:".to_owned(),
            store_password_file: None,
            require_standby: false,
            key_dir,
            journal_mirror: None,
            accept_journal_gap: false,
            try_page: false,
            key_mirror: None,
            feed_allow: Vec::new(),
            feed_ports: Vec::new(),
            trusted_proxies: Vec::new(),
            forwarded_header: networks::FORWARDED_HEADER,
            metrics_token: None,
            log: "error".to_owned(),
        }
    }

    fn check(settings: Settings) -> Result<Self, ConfigFault> {
        let malformed = |name, problem| ConfigFault::Malformed { name, problem };
        let listen = settings.listen.parse::<SocketAddr>();
        let listen = listen
            .map_err(|_| malformed("listen", "an address and port such as 127.0.0.1:8080 is expected"))?;
        let store_password_file = settings.store_password_file.filter(|path| !path.as_os_str().is_empty());
        store::check(&settings.store, store_password_file.as_ref(), settings.require_standby)?;
        if !LEVELS.contains(&settings.log.as_str()) {
            return Err(malformed("log", "error, warn, info, debug or trace is expected"));
        }
        let ports = split(&settings.feed_ports).map(str::parse).collect::<Result<_, _>>();
        let named = |folder: Option<PathBuf>| {
            folder.filter(|path| !path.as_os_str().is_empty()).map(|path| canonical_path(&path))
        };
        let key_dir =
            canonical_path(&settings.key_dir.unwrap_or_else(|| default_key_folder(&settings.data_dir)));
        let data_dir = canonical_path(&settings.data_dir);
        let key_mirror = named(settings.key_mirror);
        let journal_mirror = named(settings.journal_mirror);
        for (name, mirror) in [("key_mirror", &key_mirror), ("journal_mirror", &journal_mirror)] {
            if mirror.as_ref().is_some_and(|mirror| [&key_dir, &data_dir].contains(&mirror)) {
                return Err(malformed(name, "a folder of its own is expected, on another disk"));
            }
        }
        Ok(Self {
            data_dir,
            listen,
            console: ConsoleConfig::check(&settings.console_listen, &settings.console_hosts, listen)?,
            store: store::real_file(settings.store),
            store_password_file,
            require_standby: settings.require_standby,
            key_dir,
            journal_mirror,
            accept_journal_gap: false,
            try_page: false,
            key_mirror,
            feed_allow: networks::parse("feed_allow", &settings.feed_allow)?,
            feed_ports: ports.map_err(|_| malformed("feed_ports", "port numbers are expected"))?,
            trusted_proxies: networks::proxies(&settings.trusted_proxies)?,
            forwarded_header: networks::header(&settings.forwarded_header)?,
            metrics_token: settings.metrics_token,
            log: settings.log,
        })
    }

    /// Every place of files of this server, with its name in certificates: an erasure is proven in these.
    #[must_use]
    pub fn places(&self) -> Vec<(&'static str, PathBuf)> {
        let mut places = vec![("data", self.data_dir.clone()), ("keys", self.key_dir.clone())];
        places.extend(self.key_mirror.clone().map(|mirror| ("key mirror", mirror)));
        places.extend(self.journal_mirror.clone().map(|mirror| ("journal mirror", mirror)));
        let apart = self.database_files().into_iter().filter(|file| !file.starts_with(&self.data_dir));
        places.extend(apart.map(|file| ("database", file)));
        places
    }

    /// The file that keeps room for erasures on the database's disk: in the data folder or next to the database.
    #[must_use]
    pub fn ballast(&self) -> PathBuf {
        match self.store_options() {
            StoreOptions::Sqlite(file) if !file.starts_with(&self.data_dir) => {
                let mut beside = file.into_os_string();
                beside.push("-ballast");
                beside.into()
            }
            StoreOptions::Sqlite(_) | StoreOptions::Postgres(_) => self.data_dir.join("ballast"),
        }
    }

    /// A setting by its name, as it may be shown; `None` when there is no such setting.
    fn display_setting(&self, name: &str) -> Option<String> {
        let path = |path: &Path| path.display().to_string();
        let named = |folder: &Option<PathBuf>| folder.as_deref().map(path).unwrap_or_default();
        Some(match name {
            "data_dir" => path(&self.data_dir),
            "listen" => self.listen.to_string(),
            "console_listen" => self.console.display_address(),
            "console_hosts" => self.console.hosts.join(","),
            "store" => self.store_shown(),
            "require_standby" => self.require_standby.to_string(),
            "store_password_file" => named(&self.store_password_file),
            "key_dir" => path(&self.key_dir),
            "journal_mirror" => named(&self.journal_mirror),
            "key_mirror" => named(&self.key_mirror),
            "feed_allow" => self.feed_allow.iter().join(","),
            "feed_ports" => self.feed_ports.iter().join(","),
            "trusted_proxies" => self.trusted_proxies.iter().join(","),
            "forwarded_header" => self.forwarded_header.to_string(),
            "metrics_token" => if self.metrics_token.is_some() { "(set)" } else { "" }.to_owned(),
            "log" => self.log.clone(),
            _ => return None,
        })
    }
}

impl Config {
    /// The store to open.
    #[must_use]
    pub fn store_options(&self) -> StoreOptions {
        match self.store.strip_prefix("sqlite:") {
            Some("") => StoreOptions::Sqlite(self.data_dir.join("lethe.db")),
            Some(path) => StoreOptions::Sqlite(PathBuf::from(path)),
            None => StoreOptions::Postgres(PostgresAddress::new(
                self.store.clone(),
                self.store_password_file.clone(),
            )),
        }
    }

    /// The files of the embedded database, its log last; none on PostgreSQL.
    #[must_use]
    pub fn database_files(&self) -> Vec<PathBuf> {
        match self.store_options() {
            StoreOptions::Sqlite(file) => {
                let mut log = file.clone().into_os_string();
                log.push("-wal");
                vec![file, log.into()]
            }
            StoreOptions::Postgres(_) => Vec::new(),
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

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
