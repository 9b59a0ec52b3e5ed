//! The index of a shop's products: a follower of the catalogue that is written in steps, each one commit with a payload
//! that names its position, and read through snapshots.

mod blobs;
mod delete_query;
mod directory;
mod encode_variants;
mod fault;
mod fingerprint;
mod inverted_fingerprints;
mod record;
mod rule_doc_sets;
pub mod schema;
mod segment_buffer;
pub mod snapshot;
mod term_frequency;
#[cfg(test)]
mod tests;
mod variant_table;
mod view;

pub use self::fault::IndexFault;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::directory::error::OpenReadError;
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Directory, IndexSettings, IndexWriter, TantivyDocument};

use self::delete_query::WrittenSegments;
use self::directory::LIST_FILE;
use self::segment_buffer::SegmentBuffer;
use crate::search::document::ProductDocument;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::index_context::IndexContext;
use crate::search::statistics::{WordSet, key_of};

pub use self::directory::UnsyncedDirectory;
pub use self::fingerprint::{DIMENSIONS, length_of, product_of};
pub use self::record::{
    ProductFacts, RecordMaker, VariantDisplayTable, VariantIdentifiers, without_leading_zeros,
};
pub use self::rule_doc_sets::{NamedDigest, ProductSet, RuleDocSets};
pub use self::schema::{IndexFields, IndexFormat};
pub use self::variant_table::{VariantAxis, VariantOffers, VariantTable, variant_word_key};
pub use self::view::SegmentView;

/// Goes up when an index of before cannot be read, or has other terms than a query now looks for.
const FORMAT: u32 = 8;
/// Minimum bytes of the end of each of tantivy's files.
const FILE_END_BYTES: usize = 8;
const SETTINGS_FILE: &str = "lethe.json";

/// A change of one product.
pub enum DocumentChange<'a> {
    /// The product has this content.
    Put(&'a ProductDocument),
    /// There is no product with this id.
    Remove(&'a str),
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Stamp {
    format: u32,
    language: String,
    statistics: u64,
}

/// The index of one shop, open for writing.
pub struct Index {
    index: tantivy::Index,
    writer: IndexWriter,
    fields: IndexFields,
    knowledge: Arc<IndexContext>,
    maker: RecordMaker,
    /// Products added since the last segment was written.
    pending: Option<SegmentBuffer>,
    written: WrittenSegments,
    /// Ids that the index may hold, while all are known: spares a lookup of the products to replace.
    ids: Option<WordSet>,
    snapshot: Arc<IndexSnapshot>,
}

impl Index {
    /// Makes an empty index in an empty folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn create(folder: &Path, knowledge: Arc<IndexContext>) -> Result<Self, IndexFault> {
        let directory = UnsyncedDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        Self::create_in(Box::new(directory), knowledge)
    }

    /// Makes an empty index in any directory.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn create_in(
        directory: Box<dyn Directory>,
        knowledge: Arc<IndexContext>,
    ) -> Result<Self, IndexFault> {
        Self::create_in_format(directory, knowledge, IndexFormat::Present)
    }

    fn create_in_format(
        directory: Box<dyn Directory>,
        knowledge: Arc<IndexContext>,
        format: IndexFormat,
    ) -> Result<Self, IndexFault> {
        let stamp = serde_json::to_vec(&stamp_of(&knowledge, format)).map_err(std::io::Error::other)?;
        directory.atomic_write(Path::new(SETTINGS_FILE), &stamp)?;
        let (schema, fields) = schema::schema(format);
        let mut builder = tantivy::Index::builder()
            .schema(schema)
            .settings(IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() })
            .tokenizers(schema::tokenizers());
        for plugin in schema::plugins(&fields) {
            builder = builder.register_plugin(plugin);
        }
        Self::from_parts(builder.open_or_create(directory)?, fields, knowledge, Some(WordSet::default()))
    }

    /// Opens an index and verifies the checksums of all its files.
    ///
    /// # Errors
    ///
    /// [`IndexFault::Missing`], [`IndexFault::Other`] or [`IndexFault::Torn`]: rebuild it.
    pub fn open(folder: &Path, knowledge: Arc<IndexContext>) -> Result<Self, IndexFault> {
        if !folder.join(SETTINGS_FILE).exists() {
            return Err(IndexFault::Missing);
        }
        let directory = UnsyncedDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let index = Self::open_in(Box::new(directory.clone()), knowledge)?;
        directory.remove_others(&index.index.load_metas()?.list_segment_files())?;
        Ok(index)
    }

    /// Opens an index in any directory; see [`Index::open`].
    ///
    /// # Errors
    ///
    /// As [`Index::open`].
    pub fn open_in(directory: Box<dyn Directory>, knowledge: Arc<IndexContext>) -> Result<Self, IndexFault> {
        let (index, fields) = open_files(directory, &knowledge, IndexFormat::Present)?;
        Self::from_parts(index, fields, knowledge, None)
    }

    /// The products of an index of the format before, to be read while it is made anew. They have no variants.
    ///
    /// # Errors
    ///
    /// As [`Index::open`].
    pub fn read_earlier(
        folder: &Path,
        knowledge: Arc<IndexContext>,
    ) -> Result<Arc<IndexSnapshot>, IndexFault> {
        if !folder.join(SETTINGS_FILE).exists() {
            return Err(IndexFault::Missing);
        }
        let directory = UnsyncedDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let (index, fields) = open_files(Box::new(directory), &knowledge, IndexFormat::Earlier)?;
        Ok(Arc::new(IndexSnapshot::open(&index, &fields, knowledge, None)?))
    }

    fn from_parts(
        index: tantivy::Index,
        fields: IndexFields,
        knowledge: Arc<IndexContext>,
        ids: Option<WordSet>,
    ) -> Result<Self, IndexFault> {
        // One thread each: a node has many indices open.
        let options = IndexWriterOptions::builder().num_worker_threads(1).num_merge_threads(1).build();
        let writer = index.writer_with_options(options)?;
        skip_number_of_commit(&writer)?;
        let snapshot = Arc::new(IndexSnapshot::open(&index, &fields, Arc::clone(&knowledge), None)?);
        let maker = RecordMaker::default();
        let written = WrittenSegments::default();
        Ok(Self { index, writer, fields, knowledge, maker, pending: None, written, ids, snapshot })
    }

    /// Takes a change; seen by searches after the next commit.
    ///
    /// # Errors
    ///
    /// If a segment is full and its files cannot be written.
    pub fn write(&mut self, change: DocumentChange<'_>) -> Result<(), IndexFault> {
        match change {
            DocumentChange::Put(product) => {
                self.remove_old(&product.id, true)?;
                let record = self.maker.make(product, &self.fields, &self.knowledge);
                self.add(key_of(&product.id), record)?;
            }
            DocumentChange::Remove(id) => self.remove_old(id, false)?,
        }
        Ok(())
    }

    fn add(&mut self, key: u64, record: TantivyDocument) -> Result<(), IndexFault> {
        let mut pending = self.pending.take().map_or_else(|| SegmentBuffer::begin(&self.writer), Ok)?;
        pending.add(key, record)?;
        if pending.is_full() {
            return Ok(pending.write(&self.writer, &self.written)?);
        }
        self.pending = Some(pending);
        Ok(())
    }

    fn write_pending(&mut self) -> Result<(), IndexFault> {
        self.pending.take().map_or(Ok(()), |pending| Ok(pending.write(&self.writer, &self.written)?))
    }

    fn remove_old(&mut self, id: &str, stays: bool) -> Result<(), IndexFault> {
        let is_pending = self.pending.as_ref().is_some_and(|pending| pending.contains(key_of(id)));
        if is_pending {
            self.write_pending()?;
        }
        let may_be_there = match &mut self.ids {
            None => true,
            Some(ids) if stays => !ids.insert(key_of(id)),
            Some(ids) => ids.contains(&key_of(id)),
        };
        if may_be_there {
            let removal = self.written.removal_of(self.fields.id, id);
            self.writer.delete_query(Box::new(removal))?;
        }
        Ok(())
    }

    /// Removes every product; seen by searches after the next commit.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn clear(&mut self) -> Result<(), IndexFault> {
        self.write_pending()?;
        // Not `delete_all_documents`, which loses the order of uncommitted operations, and not `rollback`: a merge that
        // ends just then removes files that this commit names.
        self.writer.delete_query(Box::new(self.written.removal_of_all()))?;
        self.ids = Some(WordSet::default());
        Ok(())
    }

    /// Makes all changes visible, with a payload that names the position of the index.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn commit(&mut self, payload: &str) -> Result<Arc<IndexSnapshot>, IndexFault> {
        self.write_pending()?;
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(payload);
        prepared.commit()?;
        let snapshot = self.reload()?;
        self.written.retain(snapshot.segments().iter().map(|segment| segment.reader().segment_id()));
        Ok(snapshot)
    }

    /// Reads the index again, such as after merges.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn reload(&mut self) -> Result<Arc<IndexSnapshot>, IndexFault> {
        let before = Some(&*self.snapshot);
        let now = IndexSnapshot::open(&self.index, &self.fields, Arc::clone(&self.knowledge), before)?;
        self.snapshot = Arc::new(now);
        Ok(self.snapshot())
    }

    /// The payload of the last commit; empty before the first.
    ///
    /// # Errors
    ///
    /// If the list of segments cannot be read.
    pub fn payload(&self) -> Result<String, IndexFault> {
        Ok(self.index.load_metas()?.payload.unwrap_or_default())
    }

    /// The products as of the last commit.
    #[must_use]
    pub fn snapshot(&self) -> Arc<IndexSnapshot> {
        Arc::clone(&self.snapshot)
    }

    /// Joins all segments into one and waits for it.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written.
    pub fn merge_all(&mut self) -> Result<(), IndexFault> {
        let segments = self.index.searchable_segment_ids()?;
        if segments.len() > 1 {
            self.writer.merge(&segments).wait()?;
        }
        self.reload()?;
        Ok(())
    }
}

/// A new writer would give its first change the number of the last commit. Merges take a removal of that number as done
/// in segments that the commit removed something from, and it would be lost.
fn skip_number_of_commit(writer: &IndexWriter) -> Result<(), IndexFault> {
    writer.run([])?;
    Ok(())
}

/// Opens the files of an index of a format, and verifies the checksums of all.
fn open_files(
    directory: Box<dyn Directory>,
    knowledge: &IndexContext,
    format: IndexFormat,
) -> Result<(tantivy::Index, IndexFields), IndexFault> {
    let stamp = directory.atomic_read(Path::new(SETTINGS_FILE)).map_err(|fault| match fault {
        OpenReadError::FileDoesNotExist(_) => IndexFault::Missing,
        fault => IndexFault::Torn(fault.to_string()),
    })?;
    let stamp: Stamp = serde_json::from_slice(&stamp).map_err(|fault| IndexFault::Torn(fault.to_string()))?;
    if stamp != stamp_of(knowledge, format) {
        return Err(IndexFault::Other(format!("format {}, language {}", stamp.format, stamp.language)));
    }
    if !matches!(directory.exists(Path::new(LIST_FILE)), Ok(true)) {
        return Err(IndexFault::Torn(LIST_FILE.to_owned()));
    }
    let files = directory.box_clone();
    let mut index = tantivy::Index::open(directory).map_err(torn_fault)?;
    let (schema, fields) = schema::schema(format);
    if index.schema() != schema {
        return Err(IndexFault::Other("it has other fields".to_owned()));
    }
    for plugin in schema::plugins(&fields) {
        index.register_plugin(plugin);
    }
    index.set_tokenizers(schema::tokenizers());
    let named = index.load_metas().map_err(torn_fault)?.list_segment_files();
    // tantivy reads this many bytes at the end even of a shorter file.
    let is_stump =
        |file: &&PathBuf| files.get_file_handle(file).is_ok_and(|file| file.len() < FILE_END_BYTES);
    if let Some(file) = named.iter().find(is_stump) {
        return Err(IndexFault::Torn(file.display().to_string()));
    }
    let damaged = index.validate_checksum().map_err(torn_fault)?;
    if let Some(file) = damaged.iter().min() {
        return Err(IndexFault::Torn(file.display().to_string()));
    }
    // A power cut may leave the list of an earlier commit.
    let listed = index.directory().list_managed_files();
    let is_there = |file: &&PathBuf| matches!(index.directory().exists(file), Ok(true));
    if let Some(file) = named.difference(&listed).find(is_there) {
        return Err(IndexFault::Torn(file.display().to_string()));
    }
    Ok((index, fields))
}

fn stamp_of(knowledge: &IndexContext, format: IndexFormat) -> Stamp {
    Stamp {
        format: if format == IndexFormat::Present { FORMAT } else { FORMAT - 1 },
        language: knowledge.analyser().language().code().to_owned(),
        statistics: knowledge.statistics().name(),
    }
}

fn torn_fault(fault: tantivy::TantivyError) -> IndexFault {
    IndexFault::Torn(fault.to_string())
}
