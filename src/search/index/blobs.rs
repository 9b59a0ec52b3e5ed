//! Bytes of each product, stored next to tantivy's own files: read in place from the mapped file, never decoded.
//! tantivy's bytes columns keep a dictionary, in which one look-up costs more than a whole fingerprint.

use std::any::Any;
use std::io::Write;
use std::ops::Range;

use tantivy::directory::{OwnedBytes, TerminatingWrite, WritePtr};
use tantivy::index::{SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::document::{ErasedDocument, Value};
use tantivy::schema::{Field, Schema};
use tantivy::{DocId, Segment, TantivyDocument, TantivyError};

/// Bytes that memory brings at once.
const CACHE_LINE_BYTES: usize = 64;

/// Ending of the file in every segment.
pub const BLOB_FILE: &str = "blobs";
/// The parts of the file, in the order of [`ProductBlobKind`].
pub const PARTS: usize = 6;

/// Kind of bytes that the file keeps for each product.
#[derive(Debug, Clone, Copy)]
pub enum ProductBlobKind {
    /// The fingerprint.
    Fingerprint,
    /// Facts that are read for every match: `record::ProductFacts`.
    Facts,
    /// The terms of the offer.
    Offer,
    /// The id and the members that an answer shows.
    Shown,
    /// The members of variants that an answer shows.
    Variants,
    /// Values, prices and stock of variants: `variant_table::VariantTable`.
    VariantTable,
}

/// One file of bytes by product in every segment, of parts one after the other, each for one custom field: making a
/// file costs more than writing a product. A part: the bytes of all products one after the other; then, unless all are
/// of the same size, the end of each as a little-endian `u64`; then that size or 0, and the number of products. After
/// the last part: where each ends in the file.
pub struct BlobPlugin {
    fields: Vec<Field>,
}

impl BlobPlugin {
    /// Keeps the values of these custom fields, in the order of [`ProductBlobKind`].
    #[must_use]
    pub const fn new(fields: Vec<Field>) -> Self {
        Self { fields }
    }
}

impl SegmentPlugin for BlobPlugin {
    fn extensions(&self) -> &[&str] {
        &[BLOB_FILE]
    }

    fn create_writer(&self, _context: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        let parts = self.fields.iter().map(|field| (*field, Values::default())).collect();
        Ok(Box::new(ProductBlobWriter { parts }))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        let mut file = BlobFile::create(context.target_segment)?;
        let parts = self.fields.len();
        let open = |reader| ProductBlobs::open(reader, parts);
        let segments: Vec<_> = context.readers.iter().map(open).collect::<Result<_, _>>()?;
        for part in 0..parts {
            for (reader, segment) in context.readers.iter().zip(&segments) {
                for doc in reader.doc_ids_alive() {
                    file.push(segment[part].get(doc))?;
                }
            }
            file.end_part()?;
        }
        file.finish()
    }
}

/// The bytes of each product, and their ends.
#[derive(Default)]
struct Values {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

struct ProductBlobWriter {
    parts: Vec<(Field, Values)>,
}

impl PluginWriter for ProductBlobWriter {
    fn add_document(
        &mut self,
        _doc: DocId,
        document: &dyn ErasedDocument,
        _: &Schema,
    ) -> tantivy::Result<()> {
        let document = document.as_any().downcast_ref::<TantivyDocument>();
        for (field, values) in &mut self.parts {
            if let Some(bytes) = document.and_then(|document| document.get_first(*field)?.as_custom()) {
                values.bytes.extend_from_slice(bytes);
            }
            values.ends.push(values.bytes.len());
        }
        Ok(())
    }

    fn serialize(self: Box<Self>, segment: &Segment, order: Option<&DocIdMapping>) -> tantivy::Result<()> {
        if order.is_some() {
            return Err(TantivyError::InvalidArgument(
                "products are kept in the order of writing".to_owned(),
            ));
        }
        let mut file = BlobFile::create(segment)?;
        for (_, values) in self.parts {
            let mut start = 0;
            for end in values.ends {
                file.push(&values.bytes[start..end])?;
                start = end;
            }
            file.end_part()?;
        }
        file.finish()
    }

    fn mem_usage(&self) -> usize {
        let of = |values: &Values| values.bytes.capacity() + values.ends.capacity() * size_of::<usize>();
        self.parts.iter().map(|(_, values)| of(values)).sum()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// The file while it is written, part by part.
struct BlobFile {
    file: WritePtr,
    written: u64,
    part_ends: Vec<u8>,
    part: PartEnds,
}

/// The end of each product's bytes in the part that is written.
#[derive(Default)]
struct PartEnds {
    written: u64,
    ends: Vec<u8>,
    count: u64,
    /// The size of every product's bytes while all are equal.
    size: Option<u64>,
}

impl BlobFile {
    fn create(segment: &Segment) -> tantivy::Result<Self> {
        let file = segment.open_write(component())?;
        Ok(Self { file, written: 0, part_ends: Vec::new(), part: PartEnds::default() })
    }

    fn push(&mut self, bytes: &[u8]) -> tantivy::Result<()> {
        self.write(bytes)?;
        let size = bytes.len() as u64;
        let part = &mut self.part;
        part.size = Some(if part.count == 0 || part.size == Some(size) { size } else { 0 });
        part.written += size;
        part.count += 1;
        part.ends.extend_from_slice(&part.written.to_le_bytes());
        Ok(())
    }

    fn end_part(&mut self) -> tantivy::Result<()> {
        let part = std::mem::take(&mut self.part);
        let size = part.size.unwrap_or(0);
        if size == 0 {
            self.write(&part.ends)?;
        }
        self.write(&size.to_le_bytes())?;
        self.write(&part.count.to_le_bytes())?;
        self.part_ends.extend_from_slice(&self.written.to_le_bytes());
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> tantivy::Result<()> {
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn finish(mut self) -> tantivy::Result<()> {
        self.file.write_all(&self.part_ends)?;
        self.file.terminate()?;
        Ok(())
    }
}

fn component() -> SegmentComponent {
    SegmentComponent::Custom(BLOB_FILE.to_owned())
}

/// The bytes of every product of a segment; those of a part that its format lacks are empty.
#[derive(Clone)]
pub struct ProductBlobs {
    bytes: OwnedBytes,
    /// Size of each product's bytes if all are equal, or 0.
    size: usize,
    ends: OwnedBytes,
}

impl Default for ProductBlobs {
    fn default() -> Self {
        Self { bytes: OwnedBytes::empty(), size: 0, ends: OwnedBytes::empty() }
    }
}

impl ProductBlobs {
    /// Opens the file of a segment with so many parts, in the order of [`ProductBlobKind`].
    ///
    /// # Errors
    ///
    /// If it is missing, or its sizes do not fit together.
    pub fn open(segment: &SegmentReader, parts_there: usize) -> tantivy::Result<[Self; PARTS]> {
        let file = segment.open_read(component())?.read_bytes()?;
        let torn = || TantivyError::InternalError("the file of the products' bytes is torn".to_owned());
        let mut parts: [Self; PARTS] = Default::default();
        let ends = file.len().checked_sub(parts_there * size_of::<u64>()).ok_or_else(torn)?;
        let mut start = 0;
        for (part, opened) in parts.iter_mut().enumerate().take(parts_there) {
            let end =
                read_u64(&file, ends + part * size_of::<u64>()).and_then(|end| usize::try_from(end).ok());
            let end = end.filter(|end| (start..=ends).contains(end)).ok_or_else(torn)?;
            *opened = Self::parse(&file.slice(start..end), segment.max_doc() as usize).ok_or_else(torn)?;
            start = end;
        }
        Ok(parts)
    }

    fn parse(part: &OwnedBytes, products: usize) -> Option<Self> {
        let tail = part.len().checked_sub(2 * size_of::<u64>())?;
        let size = usize::try_from(read_u64(part, tail)?).ok()?;
        let count = usize::try_from(read_u64(part, tail + size_of::<u64>())?).ok()?;
        let ends_size = if size == 0 { count.checked_mul(size_of::<u64>())? } else { 0 };
        let bytes_end = tail.checked_sub(ends_size)?;
        let ends = part.slice(bytes_end..tail);
        let last = match count.checked_sub(1) {
            None => 0,
            Some(_) if size > 0 => size.checked_mul(count)?,
            Some(last) => usize::try_from(read_u64(&ends, last * size_of::<u64>())?).ok()?,
        };
        let fits = count == products && last == bytes_end;
        fits.then(|| Self { bytes: part.slice(0..bytes_end), size, ends })
    }

    /// The bytes of a product; empty for one that the segment lacks.
    #[must_use]
    #[inline]
    pub fn get(&self, doc: DocId) -> &[u8] {
        // A shop without variants has no table of any, and the ends need not be read.
        if self.bytes.is_empty() {
            return &[];
        }
        self.bytes.get(self.range(doc)).unwrap_or(&[])
    }

    /// The bytes of a product, held without a copy.
    #[must_use]
    pub fn get_owned(&self, doc: DocId) -> OwnedBytes {
        let range = self.range(doc);
        if self.bytes.get(range.clone()).is_some() { self.bytes.slice(range) } else { OwnedBytes::empty() }
    }

    /// Touches the bytes of these products, so that memory brings them all while it brings the first: they lie far from
    /// each other, and reading one after the other waits for each.
    #[inline]
    pub fn prefetch(&self, docs: impl Iterator<Item = DocId> + Clone) {
        let mut seen = 0;
        if self.size == 0 {
            for doc in docs.clone() {
                seen ^= self.ends.get(doc as usize * size_of::<u64>()).copied().unwrap_or(0);
            }
        }
        for doc in docs {
            let start = self.range(doc).start;
            for line in (start..start + self.size.max(1)).step_by(CACHE_LINE_BYTES) {
                seen ^= self.bytes.get(line).copied().unwrap_or(0);
            }
        }
        std::hint::black_box(seen);
    }

    #[inline]
    fn range(&self, doc: DocId) -> Range<usize> {
        let doc = doc as usize;
        if self.size > 0 {
            return doc * self.size..(doc + 1) * self.size;
        }
        let start = doc.checked_sub(1).map_or(0, |before| self.end(before));
        start..self.end(doc)
    }

    fn end(&self, doc: usize) -> usize {
        read_u64(&self.ends, doc * size_of::<u64>()).and_then(|end| usize::try_from(end).ok()).unwrap_or(0)
    }
}

#[inline]
fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + size_of::<u64>())?.try_into().ok()?))
}
