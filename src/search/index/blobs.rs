//! Bytes of each product beside tantivy's own files: read in place from the mapped file, never decoded. tantivy's bytes
//! columns keep a dictionary, in which one look-up costs more than a whole fingerprint.

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

/// What memory brings at once.
const CACHE_LINE_BYTES: usize = 64;

/// A file of bytes by product in every segment. The file: the bytes of all products one after the other; then, unless
/// all are of the same size, the end of each as a little-endian `u64`; then that size or 0, and the number of products.
pub struct BlobPlugin {
    extension: [&'static str; 1],
    field: Field,
}

impl BlobPlugin {
    /// Keeps the values of a custom field in files with this ending.
    #[must_use]
    pub const fn new(extension: &'static str, field: Field) -> Self {
        Self { extension: [extension], field }
    }

    fn component(&self) -> SegmentComponent {
        SegmentComponent::Custom(self.extension[0].to_owned())
    }
}

impl SegmentPlugin for BlobPlugin {
    fn extensions(&self) -> &[&str] {
        &self.extension
    }

    fn create_writer(&self, _context: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        let component = self.component();
        Ok(Box::new(BlobWriter { component, field: self.field, bytes: Vec::new(), ends: Vec::new() }))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        let mut file = BlobFile::new(context.target_segment.open_write(self.component())?);
        for reader in context.readers {
            let blobs = Blobs::open(reader, self.extension[0])?;
            for doc in reader.doc_ids_alive() {
                file.push(blobs.get(doc))?;
            }
        }
        file.finish()
    }
}

struct BlobWriter {
    component: SegmentComponent,
    field: Field,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl PluginWriter for BlobWriter {
    fn add_document(
        &mut self,
        _doc: DocId,
        document: &dyn ErasedDocument,
        _: &Schema,
    ) -> tantivy::Result<()> {
        let document = document.as_any().downcast_ref::<TantivyDocument>();
        if let Some(bytes) = document.and_then(|document| document.get_first(self.field)?.as_custom()) {
            self.bytes.extend_from_slice(bytes);
        }
        self.ends.push(self.bytes.len());
        Ok(())
    }

    fn serialize(self: Box<Self>, segment: &Segment, order: Option<&DocIdMapping>) -> tantivy::Result<()> {
        if order.is_some() {
            return Err(TantivyError::InvalidArgument(
                "products are kept in the order of writing".to_owned(),
            ));
        }
        let mut file = BlobFile::new(segment.open_write(self.component.clone())?);
        let mut start = 0;
        for end in self.ends {
            file.push(&self.bytes[start..end])?;
            start = end;
        }
        file.finish()
    }

    fn mem_usage(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

struct BlobFile {
    file: WritePtr,
    written: u64,
    ends: Vec<u8>,
    count: u64,
    /// The size of every product's bytes while all are equal.
    size: Option<u64>,
}

impl BlobFile {
    fn new(file: WritePtr) -> Self {
        Self { file, written: 0, ends: Vec::new(), count: 0, size: None }
    }

    fn push(&mut self, bytes: &[u8]) -> tantivy::Result<()> {
        self.file.write_all(bytes)?;
        let size = bytes.len() as u64;
        self.size = Some(if self.count == 0 || self.size == Some(size) { size } else { 0 });
        self.written += size;
        self.count += 1;
        self.ends.extend_from_slice(&self.written.to_le_bytes());
        Ok(())
    }

    fn finish(mut self) -> tantivy::Result<()> {
        let size = self.size.unwrap_or(0);
        if size == 0 {
            self.file.write_all(&self.ends)?;
        }
        self.file.write_all(&size.to_le_bytes())?;
        self.file.write_all(&self.count.to_le_bytes())?;
        self.file.terminate()?;
        Ok(())
    }
}

/// The bytes of every product of a segment.
#[derive(Clone)]
pub struct Blobs {
    bytes: OwnedBytes,
    /// Of every product's bytes, or 0.
    size: usize,
    ends: OwnedBytes,
}

impl Blobs {
    /// Opens the file with this ending.
    ///
    /// # Errors
    ///
    /// If it is missing, or its sizes do not fit together.
    pub fn open(segment: &SegmentReader, extension: &str) -> tantivy::Result<Self> {
        let file = segment.open_read(SegmentComponent::Custom(extension.to_owned()))?.read_bytes()?;
        let blobs = Self::read(&file, segment.max_doc() as usize);
        blobs.ok_or_else(|| TantivyError::InternalError(format!("the file of {extension} is torn")))
    }

    fn read(file: &OwnedBytes, products: usize) -> Option<Self> {
        let tail = file.len().checked_sub(2 * size_of::<u64>())?;
        let size = usize::try_from(read_u64(file, tail)?).ok()?;
        let count = usize::try_from(read_u64(file, tail + size_of::<u64>())?).ok()?;
        let ends_size = if size == 0 { count.checked_mul(size_of::<u64>())? } else { 0 };
        let bytes_end = tail.checked_sub(ends_size)?;
        let ends = file.slice(bytes_end..tail);
        let last = match count.checked_sub(1) {
            None => 0,
            Some(_) if size > 0 => size.checked_mul(count)?,
            Some(last) => usize::try_from(read_u64(&ends, last * size_of::<u64>())?).ok()?,
        };
        let fits = count == products && last == bytes_end;
        fits.then(|| Self { bytes: file.slice(0..bytes_end), size, ends })
    }

    /// The bytes of a product; empty for one that the segment lacks.
    #[must_use]
    #[inline]
    pub fn get(&self, doc: DocId) -> &[u8] {
        self.bytes.get(self.range(doc)).unwrap_or(&[])
    }

    /// The bytes of a product, held without a copy.
    #[must_use]
    pub fn get_owned(&self, doc: DocId) -> OwnedBytes {
        self.bytes.slice(self.range(doc))
    }

    /// Looks at the bytes of these products, so that memory brings them all while it brings the first: they lie far
    /// from each other, and who reads one after the other waits for each.
    #[inline]
    pub fn touch(&self, docs: impl Iterator<Item = DocId> + Clone) {
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
