//! The fields of the index.

use std::sync::Arc;

use tantivy::plugin::SegmentPlugin;
use tantivy::schema::{FAST, Field, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TokenizerManager;

use super::blobs::BlobPlugin;
use super::term_frequency::RepeatTokenizer;
use crate::search::query::columns::{ColumnFields, ID, add_columns};

/// Name of the tokenizer of [`IndexFields::words`].
pub const REPEAT_TOKENIZER: &str = "repeats";

/// The fields of the index.
#[derive(Debug, Clone)]
pub struct IndexFields {
    /// Words with their numbers (`term_frequency.rs`), tokens beside them, numbers with units, adjacent words and
    /// parts of compounds.
    pub words: Field,
    /// Ids and article numbers without punctuation, of variants too, and the signs of all texts.
    pub exact: Field,
    /// The id, by which a product is replaced and removed, and which decides between equal scores.
    pub id: Field,
    /// Fingerprint.
    pub fingerprint: Field,
    /// Facts that are read for every match: `record::ProductFacts`.
    pub facts: Field,
    /// The terms of the offer.
    pub offer: Field,
    /// The id and the members that an answer shows.
    pub shown: Field,
    /// The members of variants that an answer shows.
    pub variants: Field,
    /// Values, prices and stock of variants: `variant_table::VariantTable`. The format before had none.
    pub variant_table: Option<Field>,
    /// Columns for filters, facets and sorts.
    pub columns: ColumnFields,
}

/// Format of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexFormat {
    /// The one before: it is read while the index is made anew.
    Earlier,
    /// The present one.
    Present,
}

/// The schema of a format and its fields.
#[must_use]
pub fn schema(format: IndexFormat) -> (Schema, IndexFields) {
    let mut builder = Schema::builder();
    let words = TextFieldIndexing::default()
        .set_tokenizer(REPEAT_TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(false);
    let raw = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let bytes = |name: &str| (name.to_owned(), serde_json::json!({}));
    let mut custom = |name: &str| {
        let (name, parameters) = bytes(name);
        builder.add_custom_field(&name, "bytes", parameters)
    };
    let fingerprint = custom("fingerprint");
    let facts = custom("facts");
    let offer = custom("offer_terms");
    let shown = custom("shown");
    let variants = custom("variants");
    let variant_table = (format == IndexFormat::Present).then(|| custom("variant_table"));
    let fields = IndexFields {
        words: builder.add_text_field("words", TextOptions::default().set_indexing_options(words)),
        exact: builder.add_text_field("exact", TextOptions::default().set_indexing_options(raw)),
        id: builder.add_text_field(ID, STRING | FAST),
        fingerprint,
        facts,
        offer,
        shown,
        variants,
        variant_table,
        columns: add_columns(&mut builder),
    };
    (builder.build(), fields)
}

impl IndexFields {
    /// The fields whose values are bytes of each product, in the order of `blobs::ProductBlobKind`.
    #[must_use]
    pub fn blobs(&self) -> Vec<Field> {
        let Self { fingerprint, facts, offer, shown, variants, variant_table, .. } = *self;
        [fingerprint, facts, offer, shown, variants].into_iter().chain(variant_table).collect()
    }
}

/// The file of bytes next to tantivy's own.
#[must_use]
pub fn plugins(fields: &IndexFields) -> Vec<Arc<dyn SegmentPlugin>> {
    vec![Arc::new(BlobPlugin::new(fields.blobs()))]
}

/// The tokenizers of the fields.
#[must_use]
pub fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(REPEAT_TOKENIZER, RepeatTokenizer::default());
    tokenizers
}
