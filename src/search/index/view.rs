//! One segment of the index as queries read it.

use std::sync::{Arc, OnceLock};

use tantivy::columnar::Column;
use tantivy::directory::OwnedBytes;
use tantivy::index::{InvertedIndexReader, SegmentReader};
use tantivy::postings::SegmentPostings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, TERMINATED, TantivyError, Term};

use super::blobs::Blobs;
use super::record::{Facts, IN_STOCK, OPEN, decode_variants, id_range};
use super::schema::{FACT_FILE, FINGERPRINT_FILE, Fields, ID_KEY, OFFER_FILE, SHOWN_FILE, VARIANT_FILE};
use super::turned::TurnedFingerprints;
use crate::search::document::Variant;
use crate::search::offer::{Caller, resolve};
use crate::search::query::columns::ID;
use crate::search::query::segment::SegmentColumns;

/// One segment of the index, opened once and shared by all queries until it changes.
pub struct SegmentView {
    reader: SegmentReader,
    fields: Fields,
    words: Arc<InvertedIndexReader>,
    exact: Arc<InvertedIndexReader>,
    id_ordinals: Column<u64>,
    id_keys: Column<u64>,
    fingerprints: Blobs,
    /// Made when it is first asked for.
    turned: Arc<OnceLock<TurnedFingerprints>>,
    facts: Blobs,
    offers: Blobs,
    shown: Blobs,
    variants: Blobs,
    columns: SegmentColumns,
}

impl SegmentView {
    /// Opens the files of a segment.
    ///
    /// # Errors
    ///
    /// If one is missing or torn.
    pub fn open(reader: &SegmentReader, fields: &Fields) -> tantivy::Result<Self> {
        let ids = reader.fast_fields().str(ID)?;
        let ids = ids.ok_or_else(|| TantivyError::InternalError("a segment without ids".to_owned()))?;
        Ok(Self {
            words: reader.inverted_index(fields.words)?,
            exact: reader.inverted_index(fields.exact)?,
            id_ordinals: ids.ords().clone(),
            id_keys: reader.fast_fields().u64(ID_KEY)?,
            fingerprints: Blobs::open(reader, FINGERPRINT_FILE)?,
            turned: Arc::default(),
            facts: Blobs::open(reader, FACT_FILE)?,
            offers: Blobs::open(reader, OFFER_FILE)?,
            shown: Blobs::open(reader, SHOWN_FILE)?,
            variants: Blobs::open(reader, VARIANT_FILE)?,
            columns: SegmentColumns::open(reader)?,
            fields: fields.clone(),
            reader: reader.clone(),
        })
    }

    /// The same segment after more removals. What was made of its files is as good for this one.
    #[must_use]
    pub fn after(self, before: &Self) -> Self {
        Self { turned: Arc::clone(&before.turned), ..self }
    }

    /// tantivy's reader of the segment.
    #[must_use]
    pub const fn reader(&self) -> &SegmentReader {
        &self.reader
    }

    /// The number of products, removed ones included.
    #[must_use]
    pub fn max_doc(&self) -> DocId {
        self.reader.max_doc()
    }

    /// Whether the product was not removed or replaced since the segment was written.
    #[must_use]
    pub fn is_alive(&self, doc: DocId) -> bool {
        !self.reader.is_deleted(doc)
    }

    /// The products with this word and its level in each.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn postings(&self, word: &str) -> tantivy::Result<Option<SegmentPostings>> {
        let term = Term::from_field_text(self.fields.words, word);
        Ok(self.words.read_postings(&term, IndexRecordOption::WithFreqs)?)
    }

    /// Whether a product has this word.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn has_word(&self, word: &str) -> tantivy::Result<bool> {
        // Products that were removed keep their words until segments are merged.
        // red: search::engine::tests::a_word_of_removed_products_is_not_known
        mutant!(
            "words-of-removed-products-are-known",
            Ok(self.docs(&self.words, self.fields.words, word)?.next().is_some()),
            Ok(self.postings(word)?.is_some())
        )
    }

    /// The products with this id or article number, which is without punctuation.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn exact(&self, name: &str) -> tantivy::Result<Vec<DocId>> {
        Ok(self.docs(&self.exact, self.fields.exact, name)?.collect())
    }

    /// The first ids and article numbers that begin so, without punctuation and in order, at most `most`, each with its
    /// products; those of removed products alone are passed over.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn begun(&self, beginning: &str, most: usize) -> tantivy::Result<Vec<(String, Vec<DocId>)>> {
        let mut names = self.exact.terms().range().ge(beginning).into_stream()?;
        let mut begun = Vec::new();
        while begun.len() < most && names.advance() {
            let Ok(name) = std::str::from_utf8(names.key()) else { continue };
            if !name.starts_with(beginning) {
                break;
            }
            let docs: Vec<_> = self.docs(&self.exact, self.fields.exact, name)?.collect();
            begun.extend((!docs.is_empty()).then(|| (name.to_owned(), docs)));
        }
        Ok(begun)
    }

    /// The product with this id.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn find(&self, id: &str) -> tantivy::Result<Option<DocId>> {
        let index = self.reader.inverted_index(self.fields.id)?;
        Ok(self.docs(&index, self.fields.id, id)?.next())
    }

    /// The products that have a term, in rising order.
    fn docs(
        &self,
        index: &InvertedIndexReader,
        field: Field,
        name: &str,
    ) -> tantivy::Result<impl Iterator<Item = DocId>> {
        let term = Term::from_field_text(field, name);
        let mut postings = index.read_postings(&term, IndexRecordOption::Basic)?;
        let docs = std::iter::from_fn(move || {
            let postings = postings.as_mut()?;
            let doc = Some(postings.doc()).filter(|doc| *doc != TERMINATED)?;
            postings.advance();
            Some(doc)
        });
        Ok(docs.filter(|doc| self.is_alive(*doc)))
    }

    /// The place of the product's id among the segment's ids.
    #[must_use]
    pub fn id_ordinal(&self, doc: DocId) -> u64 {
        self.id_ordinals.first(doc).unwrap_or(u64::MAX)
    }

    /// The beginning of the product's id.
    #[must_use]
    pub fn id_key(&self, doc: DocId) -> u64 {
        self.id_keys.first(doc).unwrap_or(u64::MAX)
    }

    /// The product's id.
    #[must_use]
    pub fn id(&self, doc: DocId) -> &str {
        let bytes = self.shown.get(doc);
        bytes.get(id_range(bytes)).and_then(|id| std::str::from_utf8(id).ok()).unwrap_or("")
    }

    /// The product's fingerprint: 256 signed bytes, or none.
    #[must_use]
    pub fn fingerprint(&self, doc: DocId) -> &[u8] {
        self.fingerprints.get(doc)
    }

    /// The fingerprints of all products, by their numbers.
    #[must_use]
    pub fn turned_fingerprints(&self) -> &TurnedFingerprints {
        self.turned.get_or_init(|| TurnedFingerprints::new(self.max_doc(), |doc| self.fingerprint(doc)))
    }

    /// What is read of every match.
    #[must_use]
    #[inline]
    pub fn facts(&self, doc: DocId) -> Facts<'_> {
        Facts::new(self.facts.get(doc))
    }

    /// The terms of the product's offer, for `offer::resolve`.
    #[must_use]
    #[inline]
    pub fn offer(&self, doc: DocId) -> &[u8] {
        self.offers.get(doc)
    }

    /// Whether the one who asks sees the product: as `offer::resolve` has it, without reading the terms of a product
    /// that everybody sees.
    #[must_use]
    #[inline]
    pub fn is_seen(&self, doc: DocId, caller: &Caller) -> bool {
        let facts = self.facts(doc);
        let is_open =
            facts.flags() & OPEN != 0 && (caller.currency.is_none() || caller.currency == facts.currency());
        is_open || resolve(self.offer(doc), caller).visible
    }

    /// Whether the product can be bought now.
    #[must_use]
    pub fn is_in_stock(&self, doc: DocId) -> bool {
        self.facts(doc).flags() & IN_STOCK != 0
    }

    /// What an answer shows of the product: a JSON object.
    #[must_use]
    pub fn shown(&self, doc: DocId) -> OwnedBytes {
        let bytes = self.shown.get_owned(doc);
        let id = id_range(&bytes);
        bytes.slice(id.end..bytes.len())
    }

    /// What filters, facets and sorts read.
    #[must_use]
    pub const fn columns(&self) -> &SegmentColumns {
        &self.columns
    }

    /// The product's variants.
    #[must_use]
    pub fn variants(&self, doc: DocId) -> Vec<Variant> {
        decode_variants(self.variants.get(doc))
    }
}
