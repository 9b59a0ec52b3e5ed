//! Limits of a node: its start, and a clock that a person sets.

use std::time::Duration;

/// Longest wait of a starting server for a command that holds the data folder, such as a backup without a server; below
/// the 15 minutes that the unit of the package gives a start.
pub const FOLDER_WAIT_DURATION: Duration = Duration::from_secs(10 * 60);
/// If the wall clock gains more than this on the monotonic clock, it was set: its own corrections are smaller.
pub const CLOCK_JUMP_DURATION: Duration = Duration::from_secs(60 * 60);
/// After such a jump nothing is removed for its age for so long: time to see it in the log and to set the clock right.
pub const CLOCK_REST_DURATION: Duration = Duration::from_secs(24 * 60 * 60);
