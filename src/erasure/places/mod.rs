//! The register of places: every kind of storage in which anything about a person can be, once, with functions that
//! delete, count, export and describe its content. Erasures, certificates, letters, exports, dry runs and searches go
//! through it and know no place by themselves; a test compares it with the data map, another with the texts of letters.

mod counts;
mod database;
mod place;
mod register;

pub use self::place::{
    CountLeft, ExportEntries, FileSearch, OutsideCounts, PlaceContext, PlaceCounts, PlaceExport, PlaceText,
    PlaceTreatment, StoragePlace,
};

use crate::ids::AccountId;
use crate::keys::{Keys, SlotNumber};
use crate::limits;
use crate::people::rows::SubjectTable;
use crate::people::subject::{self, SubjectFault, SubjectId};
use crate::store::{StoreFault, Tx};

pub use self::counts::{KnownAs, Suppression, known_as, payloads_before, suppression};
pub use self::database::{Database, EngineResidue};
pub use self::register::{
    CATALOGUE, FILES, IN_BACKUPS, JOURNAL, KEYS, MODELS, OF_SHOPS, PAYLOADS, PLACES, REQUEST, SUPPRESSION,
};

/// Counts a person's remaining data, place by place, in every place that was searched. Leaves out data that the end of
/// an erasure removes ([`not_ended`]), and keys, which [`keys_left`] counts when they are destroyed.
///
/// # Errors
/// When the store fails.
pub fn count_left(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<PlaceCounts, StoreFault> {
    let mut all = Vec::new();
    for place in PLACES {
        let left = match &place.fate {
            PlaceTreatment::Deleted(rows, besides) => Some(deleted_left(tx, walk, rows, besides)?),
            PlaceTreatment::RemovedCounts(left) => Some(left(tx, walk)?),
            PlaceTreatment::Outside(left) => left(&walk.seen),
            PlaceTreatment::Destroyed(_) | PlaceTreatment::Ended(_) | PlaceTreatment::Kept(..) => None,
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
        PlaceTreatment::Destroyed(left) => Some((place.name, left(keys, slots))),
        _ => None,
    };
    PLACES.iter().filter_map(count).collect()
}

/// Counts from outside the store, place by place.
#[must_use]
pub fn count_outside(seen: &OutsideCounts) -> PlaceCounts {
    let count = |place: &'static StoragePlace| match place.fate {
        PlaceTreatment::Outside(left) => left(seen).map(|left| (place.name, left)),
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
        if let PlaceTreatment::Ended(left) = place.fate {
            all.push((place.name, left(tx, walk)?));
        }
    }
    Ok(all)
}

/// The places that the end of an erasure takes along.
pub fn final_places() -> impl Iterator<Item = &'static str> {
    PLACES.iter().filter(|place| matches!(place.fate, PlaceTreatment::Ended(_))).map(|place| place.name)
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
        super::record::count_removed(tx, account, seq, place, removed)
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
            let PlaceTreatment::Deleted(rows, _) = place.fate else { continue };
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
