//! Products of a segment that is not written yet. tantivy's own writing thread makes its table of terms as large as its
//! least budget allows, 4 MB, for a single product too; here it grows with the products.

use tantivy::indexer::{AddOperation, SegmentWriter};
use tantivy::{IndexWriter, Segment, TantivyDocument};

use super::delete_query::WrittenSegments;
use crate::search::statistics::WordSet;

/// Decides how large the table of terms is at first.
const FIRST_BYTES: usize = 100_000;
/// Size at which a segment is written.
const MOST_BYTES: usize = 32 << 20;

/// Products of a segment that is not written yet.
pub struct SegmentBuffer {
    segment: Segment,
    writer: SegmentWriter,
    ids: WordSet,
}

impl SegmentBuffer {
    /// Begins a segment.
    ///
    /// # Errors
    ///
    /// If tantivy cannot.
    pub fn begin(writer: &IndexWriter) -> tantivy::Result<Self> {
        let segment = writer.new_segment();
        let writer = SegmentWriter::for_segment(FIRST_BYTES, segment.clone())?;
        Ok(Self { segment, writer, ids: WordSet::default() })
    }

    /// Returns true if it has a product whose id has this key.
    #[must_use]
    pub fn contains(&self, key: u64) -> bool {
        self.ids.contains(&key)
    }

    /// Takes a product whose id's key it does not have yet.
    ///
    /// # Errors
    ///
    /// If tantivy cannot.
    pub fn add(&mut self, key: u64, document: TantivyDocument) -> tantivy::Result<()> {
        self.ids.insert(key);
        // The number would order removals before it: `removal.rs` does that.
        self.writer.add_document(AddOperation { opstamp: 0, document })
    }

    /// True if it holds as much as a segment may.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.writer.mem_usage() >= MOST_BYTES
    }

    /// Writes the segment; removals from now on reach it.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn write(self, writer: &IndexWriter, written: &WrittenSegments) -> tantivy::Result<()> {
        let products = self.writer.max_doc();
        self.writer.finalize()?;
        let meta = self.segment.with_max_doc(products).meta().clone();
        meta.untrack_temp_docstore();
        written.add(meta.id());
        writer.add_segment(meta)
    }
}
