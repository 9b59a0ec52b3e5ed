//! Submissions: the accepted request of a token, and its outcome.

pub mod coalesced;
pub mod deltas;
pub mod filter;
mod input;
pub mod issues;
pub mod payload;
pub mod published;
mod state;
mod submission;

#[cfg(test)]
mod issue_tests;
#[cfg(test)]
mod store_tests;
#[cfg(test)]
mod testing;

pub use self::input::{Input, PublishMode, RepublishSource, SubmissionKind, UploadKind};
pub use self::payload::SubmissionPayload;

pub use self::state::{SubmissionOutcome, SubmissionState};

pub use self::submission::{
    NewSubmission, PendingDelta, Status, Submission, by_token, count_open, expire, finish, insert,
    list_expired, load_by_seq, make_ready, newest_feeds, note_format, note_reason, recent, statuses, waiting,
};
