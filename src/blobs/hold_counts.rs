//! Counts of the holds on each blob.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::blob_name::BlobName;

/// Holds on files, and the files published while a sweep goes on.
#[derive(Default)]
pub(super) struct BlobHolds(Mutex<HoldState>);

impl BlobHolds {
    pub(super) fn lock(&self) -> MutexGuard<'_, HoldState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of this name is about to be put in its place: a sweep that goes on leaves it.
    pub(super) fn note_published(&self, name: &BlobName) {
        if let Some(published) = &mut self.lock().published {
            published.insert(*name);
        }
    }
}

#[derive(Default)]
pub(super) struct HoldState {
    pub(super) next: u64,
    pub(super) live: BTreeSet<u64>,
    /// Files published since the sweep that goes on began.
    pub(super) published: Option<HashSet<BlobName>>,
}
