//! A place where data of persons lies, and how it is searched, exported and emptied.

use serde_json::Value;

use super::database::Database;
use crate::ids::AccountId;
use crate::ids::identifier::ForgetTarget;
use crate::keys::{Keys, SlotNumber};
use crate::people::person::Person;
use crate::people::records;
use crate::people::rows::SubjectTable;
use crate::people::subject::SubjectFault;
use crate::store::{StoreFault, Tx};

/// A kind of storage in which anything about a person can be.
pub struct StoragePlace {
    /// Its name in certificates and counts. Never changes.
    pub name: &'static str,
    /// Content of the place, for people.
    pub says: &'static str,
    /// Its lines on the data map (`docs/data-map.txt`); `table.*` is all columns of a table that are about people.
    pub holds: &'static [&'static str],
    /// Treatment of the place by an erasure.
    pub fate: PlaceTreatment,
    /// Part of the place that a person gets on a request for their data.
    pub export: PlaceExport,
    /// Check that nothing is left, for people.
    pub proof: PlaceText,
}

impl StoragePlace {
    /// True if an erasure leaves it as it is.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        matches!(self.fate, PlaceTreatment::Kept(..))
    }
}

/// Treatment of a place when a person is forgotten, and the check that nothing is left.
pub enum PlaceTreatment {
    /// The keys of the person's subjects are destroyed, and counted at once: other people's keys may lie there later.
    Destroyed(fn(&Keys, &[SlotNumber]) -> u64),
    /// Rows of the person's subjects are deleted, and looked for again, together with any other remains.
    Deleted(&'static SubjectTable, &'static [CountLeft]),
    /// Another step clears it; it is checked afterwards.
    RemovedCounts(CountLeft),
    /// Outside the store; it is checked before the transaction, as it takes long.
    Outside(fn(&OutsideCounts) -> Option<u64>),
    /// Removed in the step that ends the erasure, and counted after it.
    Ended(CountLeft),
    /// Kept on purpose; the text gives the reason, the function counts it.
    Kept(&'static str, fn(&Person) -> u64),
}

/// Counts a person's data there.
pub type CountLeft = fn(&mut Tx<'_>, &PlaceContext<'_>) -> Result<u64, StoreFault>;

/// Part of a place that is in an export.
pub enum PlaceExport {
    /// A field of its own.
    Field(&'static str, fn(&mut Tx<'_>, &PlaceContext<'_>, &ForgetTarget) -> Result<Value, SubjectFault>),
    /// Entries of these lists, page by page.
    Lists(fn() -> Vec<&'static str>, ExportEntries),
    /// Nothing; the text gives the reason.
    Nothing(&'static str),
}

/// A page of entries after a mark, each with the list in which it stands.
pub type ExportEntries =
    fn(&mut Tx<'_>, &PlaceContext<'_>, &records::RecordCursor) -> Result<records::RecordPage, SubjectFault>;

/// A sentence.
pub enum PlaceText {
    /// Always the same.
    Always(&'static str),
    /// Depends on the reach of the file search.
    OfSearch(fn(&FileSearch) -> String),
}

impl PlaceText {
    /// The sentence, after a search that could see this.
    #[must_use]
    pub fn after(&self, searched: &FileSearch) -> String {
        match self {
            Self::Always(words) => (*words).to_owned(),
            Self::OfSearch(words) => words(searched),
        }
    }
}

/// Scope of a search of the files.
pub struct FileSearch {
    /// Identifiers that were looked for byte by byte.
    pub scanned: u64,
    /// Identifiers too common for that.
    pub walk_only: u64,
    /// Database whose files hold the rows.
    pub database: Database,
}

/// Counts from outside of transactions; `None` if it was not checked.
#[derive(Clone, Copy, Default)]
pub struct OutsideCounts {
    /// Number of the person's subjects that models still know.
    pub models: Option<u64>,
    /// Number of times that the person occurs in files.
    pub files: Option<u64>,
}

/// Person to look for, and where.
pub struct PlaceContext<'a> {
    /// Source of the tags by which the person is found.
    pub keys: &'a Keys,
    /// In this account.
    pub account: AccountId,
    /// Payloads accepted before this place count.
    pub seq: i64,
    /// The person.
    pub person: &'a Person,
    /// Counts from outside the store.
    pub seen: OutsideCounts,
}

/// Number of things, place by place.
pub type PlaceCounts = Vec<(&'static str, u64)>;
