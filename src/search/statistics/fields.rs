//! The searched fields of a product, and their weights.

/// A searched field of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchField {
    /// The title of the product.
    Title,
    /// Its brand.
    Brand,
    /// The names of its categories and of their ancestors, and its search tags.
    Categories,
    /// Its article number and those of its variants.
    Sku,
    /// Its attributes, and the names of its variants.
    Attributes,
    /// The text of its page.
    Description,
}

/// Number of fields.
pub const FIELDS: usize = 6;

/// Weights of the words of a field: BM25F's weight and length normalisation, and the weight in a fingerprint.
#[derive(Debug, Clone, Copy)]
pub struct FieldWeights {
    /// Weight of one occurrence.
    pub weight: f32,
    /// Degree to which a long text divides the weight: 0 not at all, 1 in proportion to its length.
    pub length: f32,
    /// Weight of a word in the fingerprint.
    pub fingerprint: f32,
}

/// Formula that combines a word's occurrences in the fields into one frequency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldCombination {
    /// BM25F: every field with its own weight and its own normalisation by length.
    #[default]
    Fields,
    /// BM25 over one text in which the title stands three times; only the evaluation uses it, as its base.
    Flat,
}

const FLAT: [f32; FIELDS] = [3.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const FLAT_LENGTH: f32 = 0.75;

impl SearchField {
    /// All fields, in the order of their numbers.
    pub const ALL: [Self; FIELDS] =
        [Self::Title, Self::Brand, Self::Categories, Self::Sku, Self::Attributes, Self::Description];

    /// True if its words are also found by the parts of which they are made.
    #[must_use]
    pub const fn has_compounds(self) -> bool {
        !matches!(self, Self::Brand | Self::Sku)
    }

    /// Weights of its words (docs/ranking.md, "Texts and words").
    #[must_use]
    pub const fn weights(self) -> FieldWeights {
        match self {
            Self::Title => FieldWeights { weight: 2.0, length: 0.3, fingerprint: 1.0 },
            Self::Brand => FieldWeights { weight: 2.0, length: 0.3, fingerprint: 0.5 },
            Self::Categories => FieldWeights { weight: 1.0, length: 0.3, fingerprint: 1.0 },
            Self::Sku => FieldWeights { weight: 1.0, length: 0.3, fingerprint: 0.0 },
            Self::Attributes => FieldWeights { weight: 0.5, length: 0.75, fingerprint: 0.5 },
            Self::Description => FieldWeights { weight: 1.0, length: 0.75, fingerprint: 0.5 },
        }
    }
}

impl FieldCombination {
    /// Weight of one occurrence in a field of this length; for [`FieldCombination::Flat`] the field's part of the
    /// length.
    #[must_use]
    pub fn norm(self, field: SearchField, length: f32, averages: &[f32; FIELDS]) -> f32 {
        match self {
            Self::Fields => {
                let worth = field.weights();
                worth.weight / normalisation(worth.length, length, averages[field as usize])
            }
            Self::Flat => {
                let average: f32 = FLAT.iter().zip(averages).map(|(weight, average)| weight * average).sum();
                if average > 0.0 { FLAT[field as usize] * length / average } else { 0.0 }
            }
        }
    }

    /// Weight of one occurrence in each field, from the fields' parts of the length.
    #[must_use]
    pub fn flat(parts: &[f32; FIELDS]) -> [f32; FIELDS] {
        let ratio: f32 = parts.iter().sum();
        FLAT.map(|weight| weight / (1.0 - FLAT_LENGTH + FLAT_LENGTH * ratio))
    }
}

fn normalisation(length_share: f32, length: f32, average: f32) -> f32 {
    if average <= 0.0 {
        return 1.0;
    }
    1.0 - length_share + length_share * length / average
}
