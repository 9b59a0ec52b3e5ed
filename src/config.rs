//! Settings: flag over `LETHE_*` over `lethe.toml` over default, each with the name of its source.

pub use self::read::{Config, Flags, check_environment};

pub use self::console::ConsoleConfig;
pub use self::fault::ConfigFault;
pub use self::folders::canonical_path;
pub use self::settings::{Settings, template, with_defaults};

mod console;
mod fault;
mod folders;
mod networks;
mod read;
mod setting_names;
mod settings;
mod store;
