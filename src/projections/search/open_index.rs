//! The open index of an account.

use std::path::PathBuf;

use super::tables::SectionTables;
use crate::accounts::search::SearchSettings;
use crate::catalogue::position::CataloguePosition;
use crate::limits;
use crate::search::index::Index;

/// An index that is open.
pub(super) struct OpenIndex {
    pub(super) index: Index,
    pub(super) folder: PathBuf,
    pub(super) tables: SectionTables,
    /// Position that it shows.
    pub(super) position: CataloguePosition,
    /// The number of that position, or of an earlier one.
    pub(super) number: i64,
    /// Rows that came since its statistics were made.
    pub(super) changed: u64,
    pub(super) made_for: IndexSettings,
}

impl OpenIndex {
    /// True if it was made for these settings.
    pub(super) fn is_made_for(&self, settings: &SearchSettings) -> bool {
        self.made_for == settings.into()
    }

    /// True if so much changed that the statistics are out of date.
    pub(super) fn is_outgrown(&self) -> bool {
        let counted = self.index.snapshot().knowledge().statistics().products();
        self.changed >= limits::SEARCH_CHANGED_ROWS
            && self.changed * limits::SEARCH_CHANGED_PART > u64::from(counted)
    }

    /// Most products in one step: for more, rebuilding the index is faster.
    pub(super) fn room(&self) -> u64 {
        let counted = self.index.snapshot().knowledge().statistics().products();
        limits::SEARCH_CHANGED_ROWS.max(u64::from(counted) / limits::SEARCH_STEP_PART)
    }
}

/// Settings that an index was made for.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct IndexSettings {
    language: String,
    attributes: Vec<String>,
}

impl From<&SearchSettings> for IndexSettings {
    fn from(settings: &SearchSettings) -> Self {
        let language = settings.language().code().to_owned();
        Self { language, attributes: settings.attributes.clone() }
    }
}
