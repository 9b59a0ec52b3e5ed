//! Faults of the store, told apart by what the caller can do about each.

use super::postgres_fault::PostgresFault;

/// A fault of the store. Texts never hold values of a statement.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreFault {
    /// Too many units of work wait already; nothing was done, try again.
    #[error("the store is busy")]
    Busy,
    /// The disk is full; the unit was rolled back.
    #[error("the disk is full")]
    DiskFull,
    /// The database file is damaged, or none.
    #[error("the database file is damaged")]
    Damaged,
    /// The COMMIT failed: it is unknown whether it happened. The node restarts.
    #[error("the outcome of a commit is unknown")]
    UnknownOutcome,
    /// The database lost acknowledged commits; nothing was done. The node restarts.
    #[error("the database has lost what it had acknowledged")]
    WentBack,
    /// The store was closed, or is restarting.
    #[error("the store is closed")]
    Closed,
    /// The unit of work panicked and was rolled back.
    #[error("a unit of work panicked and was rolled back")]
    Panicked,
    /// Another transaction came first; the engine runs the batch again.
    #[error("another transaction came first")]
    Conflict,
    /// The connection was lost before COMMIT; the engine connects and runs the batch again.
    #[error("the connection to the database was lost")]
    Disconnected,
    /// A row did not have the shape the code expects.
    #[error("statement {statement} gave column {column} another type")]
    Shape {
        /// Name of the statement.
        statement: &'static str,
        /// Name of the column.
        column: &'static str,
    },
    /// The engine refused a statement.
    #[error("statement {statement} failed: {code}")]
    Refused {
        /// Name of the statement.
        statement: &'static str,
        /// The engine's own code, without the values of the statement.
        code: String,
    },
    /// The schema was written by a newer binary.
    #[error("the store has schema version {found}, this binary knows {known}: run a newer lethe")]
    NewerSchema {
        /// Version found.
        found: i32,
        /// Version known.
        known: i32,
    },
    /// The schema is none that this binary makes or can go on from.
    #[error(
        "the store was written by another build of lethe (its schema has version {found}, or a text of that version \
         that is not this binary's; this one makes {known}) and cannot be converted. Run the build that wrote it, or \
         begin anew: an empty data folder and an empty key folder (--data-dir, --key-dir), on PostgreSQL an empty \
         database too (--store)"
    )]
    OtherSchema {
        /// Version found.
        found: i32,
        /// Version this binary makes.
        known: i32,
    },
    /// The PostgreSQL database cannot be used.
    #[error(transparent)]
    Postgres(#[from] PostgresFault),
    /// The store could not be opened.
    #[error("the store cannot be opened: {0}")]
    Open(String),
}

impl StoreFault {
    /// Returns true if it is unknown whether the write is there: it may have been committed.
    #[must_use]
    pub const fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::UnknownOutcome | Self::Closed)
    }

    /// Returns true if a later try may go better, so that the client gets 503 and not 500.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Busy
                | Self::DiskFull
                | Self::UnknownOutcome
                | Self::WentBack
                | Self::Closed
                | Self::Conflict
                | Self::Disconnected
        )
    }

    /// Returns true if it was reported when it began, so that not each try needs a line in the log.
    #[must_use]
    pub fn is_told(&self) -> bool {
        matches!(self, Self::Disconnected)
    }

    /// Returns true if the engine itself runs the whole batch again.
    pub(super) fn reruns_batch(&self) -> bool {
        matches!(self, Self::Conflict | Self::Disconnected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the faults that answer a question with yes.
    fn names_of_faults(is_so: impl Fn(&StoreFault) -> bool) -> Vec<String> {
        use StoreFault::{
            Busy, Closed, Conflict, Damaged, Disconnected, DiskFull, Panicked, UnknownOutcome, WentBack,
        };
        let plain = [
            Busy,
            DiskFull,
            Damaged,
            UnknownOutcome,
            WentBack,
            Closed,
            Panicked,
            Conflict,
            Disconnected,
            StoreFault::Open(String::new()),
            StoreFault::Shape { statement: "s", column: "c" },
        ];
        plain.iter().filter(|fault| is_so(fault)).map(|fault| format!("{fault:?}")).collect()
    }

    #[test]
    fn each_fault_says_what_can_be_done_about_it() {
        let passing =
            ["Busy", "DiskFull", "UnknownOutcome", "WentBack", "Closed", "Conflict", "Disconnected"];
        assert_eq!(names_of_faults(StoreFault::is_passing), passing);
        assert_eq!(names_of_faults(StoreFault::is_outcome_unknown), ["UnknownOutcome", "Closed"]);
        assert_eq!(names_of_faults(StoreFault::is_told), ["Disconnected"]);
        assert_eq!(names_of_faults(StoreFault::reruns_batch), ["Conflict", "Disconnected"]);
    }
}
