//! Entries of the ledger.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::exact::{exact, written_as_json};
use crate::{Fault, Hex};

/// One entry. It names its ledger, and holds no identifier of a person and no time finer than a day (UTC).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "Kind", rename_all = "lowercase", rename_all_fields = "PascalCase", deny_unknown_fields)]
pub enum Entry {
    /// The first entry.
    Genesis {
        /// Random id of the ledger, which every other entry repeats.
        ledger: Uuid,
        /// When it began.
        day: Date,
    },
    /// An erasure was verified, and a certificate issued.
    Erasure {
        /// Random id of the ledger.
        ledger: Uuid,
        /// Random id of the erasure.
        erasure: Uuid,
        /// When it was asked for.
        asked: Date,
        /// When it was verified.
        verified: Date,
        /// SHA-256 of the certificate's body.
        certificate: Hex<32>,
    },
    /// A forgotten person came back with consent; nothing old returned.
    Consent {
        /// Random id of the ledger.
        ledger: Uuid,
        /// Random id of the event.
        consent: Uuid,
        /// When.
        day: Date,
    },
    /// A backup was restored, and the erasures since were done again on it.
    Restore {
        /// Random id of the ledger.
        ledger: Uuid,
        /// Random id of the event.
        restore: Uuid,
        /// When.
        day: Date,
        /// Number of erasures and returns of this account that were done again.
        replayed: u64,
        /// True if the operator accepted that the newest journal was missing.
        gap_accepted: bool,
    },
}

written_as_json!(Entry);

impl Entry {
    /// The ledger it belongs to.
    pub fn ledger(&self) -> Uuid {
        match self {
            Self::Genesis { ledger, .. }
            | Self::Erasure { ledger, .. }
            | Self::Consent { ledger, .. }
            | Self::Restore { ledger, .. } => *ledger,
        }
    }

    /// Reads an entry that has to be in its exact form.
    ///
    /// # Errors
    /// When the text is no entry, or not in its exact form.
    pub fn read(line: &str) -> Result<Self, Fault> {
        exact("ledger entry", line)
    }
}

/// The day, in UTC, of a time in milliseconds since 1970. Times that no calendar has become its first day.
pub fn day(millis: i64) -> Date {
    let time = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
    time.to_zoned(TimeZone::UTC).date()
}
