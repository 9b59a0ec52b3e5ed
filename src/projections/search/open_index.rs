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
    #[serde(default)]
    words_apart: Vec<String>,
}

impl From<&SearchSettings> for IndexSettings {
    fn from(settings: &SearchSettings) -> Self {
        let language = settings.language().code().to_owned();
        let words_apart = settings.synonyms.words_apart().to_vec();
        Self { language, attributes: settings.attributes.clone(), words_apart }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::super::testing::make_index;
    use super::*;
    use crate::search::synonyms::SynonymLines;
    use crate::search::text::ShopLanguage;

    fn open_index(folder: &Path, counted: usize) -> OpenIndex {
        OpenIndex {
            index: make_index(folder, counted),
            folder: folder.to_owned(),
            tables: SectionTables::default(),
            position: CataloguePosition::default(),
            number: 0,
            changed: 0,
            made_for: (&SearchSettings::default()).into(),
        }
    }

    #[test]
    fn an_index_is_outgrown_by_fifty_rows_that_are_more_than_a_tenth() {
        for (counted, changed, is_outgrown) in
            [(0, 49, false), (0, 50, true), (499, 50, true), (500, 50, false), (500, 51, true)]
        {
            let folder = tempfile::tempdir().expect("a folder");
            let open = OpenIndex { changed, ..open_index(folder.path(), counted) };
            assert_eq!(open.is_outgrown(), is_outgrown, "{changed} of {counted}");
        }
    }

    #[test]
    fn a_step_has_room_for_fifty_products_or_for_a_quarter_of_all() {
        for (counted, room) in [(0, 50), (203, 50), (204, 51), (400, 100)] {
            let folder = tempfile::tempdir().expect("a folder");
            assert_eq!(open_index(folder.path(), counted).room(), room, "{counted}");
        }
    }

    #[test]
    fn an_index_is_made_for_its_language_its_attributes_and_its_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = open_index(folder.path(), 0);
        assert!(open.is_made_for(&SearchSettings { popularity: false, ..SearchSettings::default() }));
        let colour = vec!["Colour".to_owned()];
        assert!(!open.is_made_for(&SearchSettings { attributes: colour, ..SearchSettings::default() }));
        let language = ShopLanguage::parse("de");
        assert!(!open.is_made_for(&SearchSettings { language, ..SearchSettings::default() }));
        let with_lines = |lines: &str| SearchSettings {
            synonyms: Arc::new(SynonymLines::new(lines.to_owned(), ShopLanguage::English)),
            ..SearchSettings::default()
        };
        assert!(open.is_made_for(&with_lines("tv, television")), "no index knows of synonyms");
        assert!(!open.is_made_for(&with_lines("glass != glasses")));
    }
}
