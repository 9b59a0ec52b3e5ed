//! One segment of the index as queries read it.

use std::sync::{Arc, OnceLock};

use tantivy::columnar::Column;
use tantivy::directory::OwnedBytes;
use tantivy::index::{InvertedIndexReader, SegmentReader};
use tantivy::postings::SegmentPostings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, TERMINATED, TantivyError, Term};

use super::blobs::{PARTS, ProductBlobKind, ProductBlobs};
use super::inverted_fingerprints::TurnedFingerprints;
use super::record::{DisplayLayout, IN_STOCK, OPEN, ProductFacts, VariantDisplayTable};
use super::rule_doc_sets::RuleDocSets;
use super::schema::IndexFields;
use super::variant_table::VariantTable;
use crate::search::pricing::{BuyerContext, CallerTerms, Currency, HiddenReason, Offer};
use crate::search::query::columns::ID;
use crate::search::query::segment::SegmentColumns;
use crate::search::query::variants::StoredOffer;

/// One segment of the index, opened once and shared by all queries until it changes.
#[derive(Clone)]
pub struct SegmentView {
    reader: SegmentReader,
    fields: IndexFields,
    words: Arc<InvertedIndexReader>,
    exact: Arc<InvertedIndexReader>,
    ids: Arc<InvertedIndexReader>,
    id_ordinals: Column<u64>,
    /// By [`ProductBlobKind`].
    blobs: [ProductBlobs; PARTS],
    /// Built on first use.
    turned: Arc<OnceLock<TurnedFingerprints>>,
    columns: Arc<SegmentColumns>,
    named: Arc<RuleDocSets>,
    open: OpenProducts,
}

/// The products that every caller who wants prices in one currency or in any sees at any time: nearly all of nearly
/// every shop. A bit each, to spare reading each product's facts, which would wait for memory.
#[derive(Clone)]
struct OpenProducts {
    currency: Option<Currency>,
    bits: Arc<[u64]>,
}

impl OpenProducts {
    fn from_facts(facts: &ProductBlobs, products: DocId) -> Self {
        let mut currency = None;
        let mut bits = vec![0_u64; (products as usize).div_ceil(64)];
        for doc in 0..products {
            let facts = ProductFacts::new(facts.get(doc));
            if facts.flags() & OPEN != 0 {
                let of_this = facts.currency();
                if currency.is_none() {
                    currency = of_this;
                }
                bits[doc as usize / 64] |= u64::from(currency == of_this) << (doc % 64);
            }
        }
        Self { currency, bits: bits.into() }
    }

    #[inline]
    fn are_seen(&self, doc: DocId, caller: &BuyerContext) -> bool {
        let is_open = self.bits.get(doc as usize / 64).is_some_and(|bits| bits >> (doc % 64) & 1 == 1);
        is_open && (caller.currency.is_none() || caller.currency == self.currency)
    }
}

impl SegmentView {
    /// Opens the files of a segment.
    ///
    /// # Errors
    ///
    /// If one is missing or torn.
    pub fn open(reader: SegmentReader, fields: &IndexFields) -> tantivy::Result<Self> {
        let id_column = reader.fast_fields().str(ID)?;
        let id_column =
            id_column.ok_or_else(|| TantivyError::InternalError("a segment without ids".to_owned()))?;
        let blobs = ProductBlobs::open(&reader, fields.blobs().len())?;
        Ok(Self {
            words: reader.inverted_index(fields.words)?,
            exact: reader.inverted_index(fields.exact)?,
            ids: reader.inverted_index(fields.id)?,
            id_ordinals: id_column.ords().clone(),
            turned: Arc::default(),
            open: OpenProducts::from_facts(&blobs[ProductBlobKind::Facts as usize], reader.max_doc()),
            blobs,
            columns: Arc::new(SegmentColumns::open(&reader)?),
            named: Arc::new(RuleDocSets::new(reader.max_doc())),
            fields: fields.clone(),
            reader,
        })
    }

    /// The same segment after more of its products were removed: its files are unchanged.
    #[must_use]
    pub fn after_removals(&self, reader: SegmentReader) -> Self {
        Self { reader, ..self.clone() }
    }

    #[inline]
    const fn blobs(&self, part: ProductBlobKind) -> &ProductBlobs {
        &self.blobs[part as usize]
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

    /// Returns true if the product was not removed or replaced since the segment was written.
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

    /// Returns true if a product has this word.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn has_word(&self, word: &str) -> tantivy::Result<bool> {
        // Products that were removed keep their words until segments are merged.
        Ok(self.docs(&self.words, self.fields.words, word)?.next().is_some())
    }

    /// The products that have a word, in rising order.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn with_word(&self, word: &str) -> tantivy::Result<Vec<DocId>> {
        Ok(self.docs(&self.words, self.fields.words, word)?.collect())
    }

    /// The products with this id or article number, which is without punctuation.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn exact(&self, name: &str) -> tantivy::Result<Vec<DocId>> {
        Ok(self.docs(&self.exact, self.fields.exact, name)?.collect())
    }

    /// The first ids and article numbers with this beginning, without punctuation and in order, at most `most`, each
    /// with its products; those of removed products alone are passed over.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn names_beginning_with(
        &self,
        beginning: &str,
        most: usize,
    ) -> tantivy::Result<Vec<(String, Vec<DocId>)>> {
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
    pub fn find_alive(&self, id: &str) -> tantivy::Result<Option<DocId>> {
        Ok(self.with_id(id)?.find(|doc| self.is_alive(*doc)))
    }

    /// The products that have or had this id, in rising order, including removed ones.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn with_id(&self, id: &str) -> tantivy::Result<impl Iterator<Item = DocId>> {
        self.all_docs(&self.ids, self.fields.id, id)
    }

    /// The products that have a term, in rising order.
    fn docs(
        &self,
        index: &InvertedIndexReader,
        field: Field,
        name: &str,
    ) -> tantivy::Result<impl Iterator<Item = DocId>> {
        Ok(self.all_docs(index, field, name)?.filter(|doc| self.is_alive(*doc)))
    }

    /// The same, including removed products.
    fn all_docs(
        &self,
        index: &InvertedIndexReader,
        field: Field,
        name: &str,
    ) -> tantivy::Result<impl Iterator<Item = DocId> + use<>> {
        let term = Term::from_field_text(field, name);
        let mut postings = index.read_postings(&term, IndexRecordOption::Basic)?;
        Ok(std::iter::from_fn(move || {
            let postings = postings.as_mut()?;
            let doc = Some(postings.doc()).filter(|doc| *doc != TERMINATED)?;
            postings.advance();
            Some(doc)
        }))
    }

    /// The place of the product's id among the segment's ids.
    #[must_use]
    pub fn id_ordinal(&self, doc: DocId) -> u64 {
        self.id_ordinals.first(doc).unwrap_or(u64::MAX)
    }

    /// The product's id.
    #[must_use]
    pub fn id(&self, doc: DocId) -> &str {
        let bytes = self.blobs(ProductBlobKind::Shown).get(doc);
        bytes.get(DisplayLayout::parse(bytes).id()).and_then(|id| std::str::from_utf8(id).ok()).unwrap_or("")
    }

    /// The product's fingerprint: 256 signed bytes, or none.
    #[must_use]
    pub fn fingerprint(&self, doc: DocId) -> &[u8] {
        self.blobs(ProductBlobKind::Fingerprint).get(doc)
    }

    /// The fingerprints of all products, by their numbers.
    #[must_use]
    pub fn turned_fingerprints(&self) -> &TurnedFingerprints {
        self.turned.get_or_init(|| TurnedFingerprints::new(self.max_doc(), |doc| self.fingerprint(doc)))
    }

    /// Facts that are read for every match.
    #[must_use]
    #[inline]
    pub fn facts(&self, doc: DocId) -> ProductFacts<'_> {
        ProductFacts::new(self.blobs(ProductBlobKind::Facts).get(doc))
    }

    /// The terms of the product's offer, for [`CallerTerms::read`].
    #[must_use]
    #[inline]
    pub fn offer(&self, doc: DocId) -> &[u8] {
        self.blobs(ProductBlobKind::Offer).get(doc)
    }

    /// The product's offer and variants, as filters read them.
    #[must_use]
    #[inline]
    pub fn stored_offer(&self, doc: DocId) -> StoredOffer<'_> {
        StoredOffer { terms: self.offer(doc), variants: self.variant_table(doc) }
    }

    /// Returns true if the caller sees the product: the same result as [`SegmentView::why_unseen`], without reading the
    /// terms of a product that all callers see.
    #[must_use]
    #[inline]
    pub fn is_seen(&self, doc: DocId, caller: &BuyerContext) -> bool {
        self.open.are_seen(doc, caller) || self.why_unseen(doc, caller).is_none()
    }

    /// Reason why the product is hidden from the caller: its own, or that all its variants are; `None` if it is
    /// visible.
    #[must_use]
    pub fn why_unseen(&self, doc: DocId, caller: &BuyerContext) -> Option<HiddenReason> {
        let is_visible = match CallerTerms::read(self.offer(doc), caller) {
            Ok(terms) => self.offers(doc, &terms).any(|offer| offer.visible),
            Err(why) => return Some(why),
        };
        (!is_visible).then_some(HiddenReason::WithoutPrice)
    }

    /// The different offers of the product's variants for a caller; of a product without variants its own.
    pub fn offers<'v>(
        &'v self,
        doc: DocId,
        terms: &'v CallerTerms<'_, '_>,
    ) -> impl Iterator<Item = Offer> + 'v {
        let own = self.variant_table(doc).filter(VariantTable::has_own_terms).map(|table| table.terms());
        let product = own.is_none().then(|| terms.offer());
        let variants = own.into_iter().flat_map(move |own| {
            (0..own.different()).map(move |number| terms.variant_offer(own.terms(number)))
        });
        product.into_iter().chain(variants)
    }

    /// Prefetches the facts of products that are weighed next.
    #[inline]
    pub fn touch_facts(&self, docs: impl Iterator<Item = DocId> + Clone) {
        self.blobs(ProductBlobKind::Facts).prefetch(docs);
    }

    /// Prefetches the ids and fingerprints of products that are sorted next.
    pub fn touch_ids_and_fingerprints(&self, docs: impl Iterator<Item = DocId> + Clone) {
        self.blobs(ProductBlobKind::Shown).prefetch(docs.clone());
        self.blobs(ProductBlobKind::Fingerprint).prefetch(docs.clone());
        self.blobs(ProductBlobKind::Facts).prefetch(docs);
    }

    /// Returns true if the product can be bought now.
    #[must_use]
    pub fn is_in_stock(&self, doc: DocId) -> bool {
        self.facts(doc).flags() & IN_STOCK != 0
    }

    /// Returns true if the caller can buy the product now: of a product with variants, one that they see.
    #[must_use]
    pub fn is_in_stock_for(&self, doc: DocId, caller: &BuyerContext) -> bool {
        let is_in_stock = self.is_in_stock(doc);
        let Some(table) = self.variant_table(doc).filter(|_| is_in_stock) else { return is_in_stock };
        let Ok(terms) = CallerTerms::read(self.offer(doc), caller) else { return false };
        let own = table.terms();
        let is_seen = |variant: usize| terms.variant_offer(own.terms(own.number(variant))).visible;
        (0..table.count()).any(|variant| table.is_in_stock(variant) && is_seen(variant))
    }

    /// Content of the product that every answer shows, a JSON object, and further content that may be shown, another.
    #[must_use]
    pub fn display_bytes(&self, doc: DocId) -> [OwnedBytes; 2] {
        let bytes = self.blobs(ProductBlobKind::Shown).get_owned(doc);
        let parts = DisplayLayout::parse(&bytes);
        [parts.card(), parts.details()].map(|part| bytes.slice(part))
    }

    /// Columns that filters, facets and sorts read.
    #[must_use]
    pub fn columns(&self) -> &SegmentColumns {
        &self.columns
    }

    /// Product sets that rules named in the segment.
    #[must_use]
    pub fn named_sets(&self) -> &RuleDocSets {
        &self.named
    }

    /// Values, prices and stock of the product's variants; `None` if it has none.
    #[must_use]
    pub fn variant_table(&self, doc: DocId) -> Option<VariantTable<'_>> {
        VariantTable::read(self.blobs(ProductBlobKind::VariantTable).get(doc))
    }

    /// The members of its variants that an answer shows.
    #[must_use]
    pub fn shown_variants(&self, doc: DocId) -> VariantDisplayTable<'_> {
        // The format before wrote other bytes.
        let bytes = self.fields.variant_table.map(|_| self.blobs(ProductBlobKind::Variants).get(doc));
        VariantDisplayTable::read(bytes.unwrap_or_default())
    }

    /// Number of bytes of the members of its variants that an answer shows.
    #[must_use]
    pub fn variant_bytes(&self, doc: DocId) -> usize {
        self.blobs(ProductBlobKind::Variants).get(doc).len()
    }

    /// The place of the variant with this id among the product's.
    #[must_use]
    pub fn variant_of_id(&self, doc: DocId, id: &str) -> Option<usize> {
        self.shown_variants(doc).of_id(id)
    }

    /// The members of one variant that an answer shows: an object of JSON.
    #[must_use]
    pub fn variant_display(&self, doc: DocId, variant: usize) -> OwnedBytes {
        let bytes = self.blobs(ProductBlobKind::Variants).get_owned(doc);
        let range = VariantDisplayTable::read(&bytes).range(variant);
        bytes.slice(range)
    }
}
