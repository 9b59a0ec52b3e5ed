//! Background jobs: durable rows, leased to one holder at a time, counted, ended in one of three ways.

mod background;
mod fence;
mod lane;
mod lease;
mod progress;
mod queue;
mod run;

pub use self::background::BackgroundScan;
pub use self::fence::LeaseLost;
pub use self::lease::{JobProgress, LEASE_DURATION, Lease, LeaseWatch, NodeStopped, PROGRESS_DURATION};
pub use self::progress::{ReportedProgress, progress};
pub use self::run::{End, INTERRUPTED, Lanes, LastError, RetryState, backoff, claim, mean_pause, release};

pub use self::lane::{JobKey, Lane, TURN};

pub use self::queue::{take_away, take_back, wake};
