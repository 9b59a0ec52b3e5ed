//! The register of places: every kind of storage in which anything about a person can be, once, with functions that
//! delete, count, export and describe its content. Erasures, certificates, letters, exports, dry runs and searches go
//! through it and know no place by themselves; a test compares it with the data map, another with the texts of letters.

mod database;
mod left;
mod register;

use serde_json::Value;

use crate::ids::AccountId;
use crate::ids::identifier::ForgetTarget;
use crate::keys::{Keys, SlotNumber};
use crate::limits;
use crate::people::person::Person;
use crate::people::records;
use crate::people::rows::SubjectTable;
use crate::people::subject::{self, SubjectFault, SubjectId};
use crate::store::{StoreFault, Tx};

pub use database::{Database, Remains};
pub use left::{KnownAs, Suppression, known_as, payloads_before, suppression};
pub use register::{
    CATALOGUE, FILES, IN_BACKUPS, JOURNAL, KEYS, MODELS, OF_SHOPS, PAYLOADS, PLACES, REQUEST, SUPPRESSION,
};

/// A kind of storage in which anything about a person can be.
pub struct StoragePlace {
    /// Its name in certificates and counts. Never changes.
    pub name: &'static str,
    /// Content of the place, for people.
    pub says: &'static str,
    /// Its lines on the data map (`docs/data-map.txt`); `table.*` is all columns of a table that are about people.
    pub holds: &'static [&'static str],
    /// Treatment of the place by an erasure.
    pub fate: Fate,
    /// Part of the place that a person gets on a request for their data.
    pub export: PlaceExport,
    /// Check that nothing is left, for people.
    pub proof: PlaceText,
}

impl StoragePlace {
    /// True if an erasure leaves it as it is.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        matches!(self.fate, Fate::Kept(..))
    }
}

/// Treatment of a place when a person is forgotten, and the check that nothing is left.
pub enum Fate {
    /// The keys of the person's subjects are destroyed, and counted at once: other people's keys may lie there later.
    Destroyed(fn(&Keys, &[SlotNumber]) -> u64),
    /// Rows of the person's subjects are deleted, and looked for again, together with any other remains.
    Deleted(&'static SubjectTable, &'static [CountLeft]),
    /// Another step clears it; it is checked afterwards.
    Cleared(CountLeft),
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

/// Counts a person's remaining data, place by place, in every place that was searched. Leaves out data that the end of
/// an erasure removes ([`not_ended`]), and keys, which [`keys_left`] counts when they are destroyed.
///
/// # Errors
/// When the store fails.
pub fn count_left(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<PlaceCounts, StoreFault> {
    let mut all = Vec::new();
    for place in PLACES {
        let left = match &place.fate {
            Fate::Deleted(rows, besides) => Some(deleted_left(tx, walk, rows, besides)?),
            Fate::Cleared(left) => Some(left(tx, walk)?),
            Fate::Outside(left) => left(&walk.seen),
            Fate::Destroyed(_) | Fate::Ended(_) | Fate::Kept(..) => None,
        };
        all.extend(left.map(|left| (place.name, left)));
    }
    Ok(all)
}

fn deleted_left(
    tx: &mut Tx<'_>,
    walk: &PlaceContext<'_>,
    rows: &SubjectTable,
    besides: &[CountLeft],
) -> Result<u64, StoreFault> {
    let mut all = 0;
    for subject in &walk.person.subjects {
        all += (rows.count)(tx, walk.account, subject)?;
    }
    for left in besides {
        all += left(tx, walk)?;
    }
    Ok(all)
}

/// Counts the rows that would go if the person were forgotten now, place by place: those of [`count_left`], and the
/// keys.
///
/// # Errors
/// When the store fails.
pub fn count_held(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<PlaceCounts, SubjectFault> {
    let mut slots = Vec::new();
    for subject in &walk.person.subjects {
        slots.extend(subject::slot(tx, walk.account, subject)?);
    }
    let mut all = keys_left(walk.keys, &slots);
    all.extend(count_left(tx, walk)?);
    Ok(all)
}

/// Number of these slots that still hold a key.
#[must_use]
pub fn keys_left(keys: &Keys, slots: &[SlotNumber]) -> PlaceCounts {
    let count = |place: &'static StoragePlace| match place.fate {
        Fate::Destroyed(left) => Some((place.name, left(keys, slots))),
        _ => None,
    };
    PLACES.iter().filter_map(count).collect()
}

/// Counts from outside the store, place by place.
#[must_use]
pub fn outside(seen: &OutsideCounts) -> PlaceCounts {
    let count = |place: &'static StoragePlace| match place.fate {
        Fate::Outside(left) => left(seen).map(|left| (place.name, left)),
        _ => None,
    };
    PLACES.iter().filter_map(count).collect()
}

/// Counts the remaining data, after the end of an erasure, in the places that its end clears.
///
/// # Errors
/// When the store fails.
pub fn not_ended(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<PlaceCounts, StoreFault> {
    let mut all = Vec::new();
    for place in PLACES {
        if let Fate::Ended(left) = place.fate {
            all.push((place.name, left(tx, walk)?));
        }
    }
    Ok(all)
}

/// The places that the end of an erasure takes along.
pub fn ending() -> impl Iterator<Item = &'static str> {
    PLACES.iter().filter(|place| matches!(place.fate, Fate::Ended(_))).map(|place| place.name)
}

/// Deletes the data of an erasure's subjects, place by place, up to a unit of work's rows, and counts it. Returns true
/// when nothing is left. The last place names the owner of the others' rows.
///
/// # Errors
/// When the store fails.
pub fn delete_some(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    subjects: &[SubjectId],
) -> Result<bool, StoreFault> {
    delete_slice(tx, account, subjects, |tx, place, removed| {
        super::count_removed(tx, account, seq, place, removed)
    })
}

/// As [`delete_some`], but calls `count` with the removed number of each place.
///
/// # Errors
/// When the store or `count` fails.
pub fn delete_slice(
    tx: &mut Tx<'_>,
    account: AccountId,
    subjects: &[SubjectId],
    mut count: impl FnMut(&mut Tx<'_>, &'static str, u64) -> Result<(), StoreFault>,
) -> Result<bool, StoreFault> {
    let mut room = limits::UNIT_ROWS as u64;
    for subject in subjects {
        for place in PLACES {
            let Fate::Deleted(rows, _) = place.fate else { continue };
            let limit = i64::try_from(room).unwrap_or(i64::MAX);
            let removed = (rows.delete)(tx, account, subject, limit)?;
            count(tx, place.name, removed)?;
            room = room.saturating_sub(removed);
            if room == 0 {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
