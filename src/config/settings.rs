//! The settings: for each the flag, the variable, the default, and the description.

use std::path::PathBuf;

use confique::Config as _;
use confique::meta::{Expr, Field, FieldKind, LeafKind};

/// Settings of lethe. Each is a flag and a variable too; `lethe config show` says which are in force.
#[derive(confique::Config)]
#[config(layer_attr(derive(Clone, clap::Args)))]
#[config(layer_attr(command(next_help_heading = "Server settings")))]
pub struct Settings {
    /// Folder of the embedded store, the catalogue files and the control socket.
    #[config(env = "LETHE_DATA_DIR", default = "lethe-data")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub data_dir: PathBuf,
    /// Address and port to listen on.
    #[config(env = "LETHE_LISTEN", default = "127.0.0.1:8080")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub listen: String,
    /// Address and port of the operator's console, or `off`. Default: this machine alone, the port after that of
    /// `listen`.
    #[config(env = "LETHE_CONSOLE_LISTEN", default = "")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub console_listen: String,
    /// Names by which browsers reach the console besides its address, comma-separated, such as `console.shop.example`.
    #[config(env = "LETHE_CONSOLE_HOSTS", default = "")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub console_hosts: String,
    /// The store: `sqlite:` in the data folder, `sqlite:PATH`, or `postgres://user@host/database?sslmode=…`.
    #[config(env = "LETHE_STORE", default = "sqlite:")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub store: String,
    /// File with the password of the PostgreSQL database, alone. Read at each connection.
    #[config(env = "LETHE_STORE_PASSWORD_FILE")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub store_password_file: Option<PathBuf>,
    /// Accept nothing while the PostgreSQL database has no synchronous standby.
    #[config(env = "LETHE_REQUIRE_STANDBY", default = false)]
    #[config(layer_attr(arg(
        long, global = true, hide_short_help = true, value_name = "true|false",
        num_args = 0..=1, default_missing_value = "true", require_equals = true
    )))]
    pub require_standby: bool,
    /// Folder of the keys of people; keep it apart from the data. Default: the data folder's name with `-keys`.
    #[config(env = "LETHE_KEY_DIR")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub key_dir: Option<PathBuf>,
    /// Folder, best on another volume, that gets a second copy of the journal of erasures before each erasure goes on.
    #[config(env = "LETHE_JOURNAL_MIRROR")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub journal_mirror: Option<PathBuf>,
    /// Folder on another disk that gets a live second copy of the keys. Without it a lost key folder is a
    /// loss for ever.
    #[config(env = "LETHE_KEY_MIRROR")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub key_mirror: Option<PathBuf>,
    /// Private networks that feeds may come from, on every port: a comma-separated list such as `10.1.0.0/16`.
    #[config(env = "LETHE_FEED_ALLOW", default = "")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub feed_allow: String,
    /// Ports that feeds may come from on public addresses.
    #[config(env = "LETHE_FEED_PORTS", default = "80,443,8080,8443")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub feed_ports: String,
    /// Networks or addresses of the reverse proxies in front, comma-separated: their word about a client counts. Set
    /// it wherever there is a proxy, such as `127.0.0.1`: without it all its shoppers count as one client.
    #[config(env = "LETHE_TRUSTED_PROXIES", default = "")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub trusted_proxies: String,
    /// The header in which these proxies name the address that a request came to them from.
    #[config(env = "LETHE_FORWARDED_HEADER", default = "X-Forwarded-For")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub forwarded_header: String,
    /// Bearer token that opens all of `/metrics`; without it no account names are shown.
    // No flag: everybody on the machine can read the arguments of a process.
    #[config(env = "LETHE_METRICS_TOKEN", layer_attr(arg(skip)))]
    pub metrics_token: Option<String>,
    /// Level of the log: error, warn, info, debug or trace.
    #[config(env = "LETHE_LOG", default = "info")]
    #[config(layer_attr(arg(long, global = true, hide_short_help = true)))]
    pub log: String,
}

/// The variable that a setting is read from.
pub(super) fn variable_of(field: &Field) -> Option<&'static str> {
    match field.kind {
        FieldKind::Leaf { env, .. } => env,
        FieldKind::Nested { .. } => None,
    }
}

/// The command with the default of each setting in the help of its flag.
#[must_use]
pub fn with_defaults(command: clap::Command) -> clap::Command {
    command.mut_args(|argument| {
        let field = Settings::META.fields.iter().find(|field| argument.get_id() == field.name);
        match (field.map(|field| field.kind), argument.get_help()) {
            (
                Some(FieldKind::Leaf {
                    kind: LeafKind::Required { default: Some(Expr::Str(default)) }, ..
                }),
                Some(help),
            ) if !default.is_empty() => {
                let help = format!("{help} [default: {default}]");
                argument.help(help)
            }
            _ => argument,
        }
    })
}

/// The commented template of `lethe.toml`.
#[must_use]
pub fn template() -> String {
    confique::toml::template::<Settings>(confique::toml::FormatOptions::default())
}
