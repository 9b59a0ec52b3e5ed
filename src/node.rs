//! One running process: everything it owns, opened in the order in which it may fail.

mod gc;
mod instance;
mod keys;
mod missing_files;
mod missing_files_flag;
mod recent_errors;
mod standby;
mod start;

pub use self::missing_files::{MissingSection, in_words as missing_in_words};
pub use self::recent_errors::{RecentErrors, RefusedRequest};
pub use self::standby::Standby;
pub use self::start::{FolderLock, StartFault, engine_in_words};

pub use self::instance::{Node, control_socket};
