//! Options of a search, and of its ranking.

use crate::search::statistics::FieldCombination;

/// Coverage of a query by a product: products that hold most of the words come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coverage {
    /// By the idf of the words that it holds.
    #[default]
    Idf,
    /// All words, then any; only the evaluation uses it, as its base.
    Tiers,
}

/// Coverage of a word that only attributes or the description of a product hold, in percent of its share: a word in
/// title, brand, category or number says what the product is.
const DETAIL_PERCENT: u8 = 80;

/// The steps of the ranking that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranking {
    /// Formula that combines a word's occurrences in the fields into one frequency.
    pub weighing: FieldCombination,
    /// Placement of products that lack words.
    pub coverage: Coverage,
    /// True if joined and split words are found.
    pub compounds: bool,
    /// True if numbers with units are found in every spelling.
    pub units: bool,
    /// True if the best products lift similar ones.
    pub centroid: bool,
    /// True if popular, new and available products gain a little.
    pub favour: bool,
    /// True if function words count next to nothing.
    pub function_words: bool,
    /// Coverage of a word that only attributes or the description hold, in percent of its share.
    pub detail_percent: u8,
}

impl Ranking {
    /// Steps of the ranking for measurements, each on top of the one before; the last has the default settings.
    pub const STEPS: [(&str, Self); 9] = {
        let base = Self {
            weighing: FieldCombination::Flat,
            coverage: Coverage::Tiers,
            compounds: false,
            units: false,
            centroid: false,
            favour: false,
            function_words: false,
            detail_percent: 100,
        };
        let coverage = Self { coverage: Coverage::Idf, ..base };
        let fields = Self { weighing: FieldCombination::Fields, ..coverage };
        let function_words = Self { function_words: true, ..fields };
        let compounds = Self { compounds: true, ..function_words };
        let units = Self { units: true, ..compounds };
        let centroid = Self { centroid: true, ..units };
        let favour = Self { favour: true, ..centroid };
        let fields_of_coverage = Self { detail_percent: DETAIL_PERCENT, ..favour };
        [
            ("base", base),
            ("coverage", coverage),
            ("BM25F", fields),
            ("function words", function_words),
            ("compounds", compounds),
            ("units", units),
            ("centroid", centroid),
            ("stock, newness", favour),
            ("coverage by field", fields_of_coverage),
        ]
    };

    /// Part of a word's share that a product loses if only its attributes or description hold the word.
    #[must_use]
    pub fn detail_loss(&self) -> f32 {
        1.0 - f32::from(self.detail_percent.min(100)) / 100.0
    }
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            weighing: FieldCombination::Fields,
            coverage: Coverage::Idf,
            compounds: true,
            units: true,
            centroid: true,
            favour: true,
            function_words: true,
            detail_percent: DETAIL_PERCENT,
        }
    }
}
