//! The columns of one segment, opened once and read by every query.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tantivy::columnar::{Column, ColumnIndex, DynamicColumn, StrColumn};
use tantivy::fastfield::FastFieldReaders;
use tantivy::{DocId, SegmentReader};

use super::columns;
use super::product_property::ProductProperty;

/// Most values of a column whose texts are held in memory once they were shown.
const HELD_VALUES: usize = 8192;

/// The columns of a segment. Deletions do not change them: they are as good for every later state of the segment.
pub struct SegmentColumns {
    fields: FastFieldReaders,
    /// Ids of the products.
    pub id: TextColumn,
    /// Ids of their brands.
    pub brand: TextColumn,
    /// Ids of their categories and of all above them.
    pub categories: TextColumn,
    /// Folded titles.
    pub title: TextColumn,
    /// Yes and no.
    pub flags: Column<u64>,
    /// The first day, in seconds since 1970.
    pub newest: Column<i64>,
    attributes: Mutex<HashMap<String, Arc<SegmentAttribute>>>,
}

/// An attribute's column in a segment: a segment without a product that has the attribute has neither.
#[derive(Default)]
pub struct SegmentAttribute {
    /// Its texts.
    pub texts: Option<TextColumn>,
    /// Its numbers.
    pub numbers: Option<Column<f64>>,
    /// By ordinal, the number that a text stands for: read when it is first needed.
    pub(super) text_numbers: OnceLock<Box<[f64]>>,
}

impl std::fmt::Debug for SegmentAttribute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SegmentAttribute").finish_non_exhaustive()
    }
}

impl SegmentColumns {
    /// Opens them: some microseconds, and no value is read.
    ///
    /// # Errors
    /// When the segment was written with another schema, or its file cannot be read.
    pub fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let fields = segment.fast_fields().clone();
        let documents = segment.max_doc();
        let texts = |name| -> tantivy::Result<TextColumn> {
            let column = fields.str(name)?;
            Ok(TextColumn::new(column.unwrap_or_else(|| empty_texts(documents))))
        };
        Ok(Self {
            id: texts(columns::ID)?,
            brand: texts(columns::BRAND)?,
            categories: texts(columns::CATEGORIES)?,
            title: texts(columns::TITLE)?,
            flags: fields.u64(columns::FLAGS)?,
            newest: fields.i64(columns::NEWEST)?,
            attributes: Mutex::default(),
            fields,
        })
    }

    /// The column of an attribute; opened when it is first used.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub fn attribute(&self, name: &str) -> io::Result<Arc<SegmentAttribute>> {
        let mut opened = self.attributes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(column) = opened.get(name) {
            return Ok(Arc::clone(column));
        }
        let path = format!("{}.{}", columns::ATTRIBUTES, columns::column_name(name));
        let mut column = SegmentAttribute::default();
        for handle in self.fields.dynamic_column_handles(&path).map_err(io::Error::other)? {
            match handle.open()? {
                DynamicColumn::Str(texts) => column.texts = Some(TextColumn::new(texts)),
                DynamicColumn::F64(numbers) => column.numbers = Some(numbers),
                _ => {}
            }
        }
        let column = Arc::new(column);
        opened.insert(name.to_owned(), Arc::clone(&column));
        Ok(column)
    }

    /// Calls `read` with the column of a subject that has texts, if the segment has any.
    pub(super) fn with_texts<T>(
        &self,
        subject: &ProductProperty,
        read: impl FnOnce(&TextColumn) -> io::Result<T>,
    ) -> io::Result<Option<T>> {
        match subject {
            ProductProperty::Brand => read(&self.brand).map(Some),
            ProductProperty::Category => read(&self.categories).map(Some),
            ProductProperty::Attribute(name) => self.attribute(name)?.texts.as_ref().map(read).transpose(),
            _ => Ok(None),
        }
    }
}

fn empty_texts(documents: u32) -> StrColumn {
    StrColumn::wrap(tantivy::columnar::BytesColumn::empty(documents))
}

/// A column of texts: the ordinal of each stands for it, in the order of the texts' bytes.
pub struct TextColumn {
    column: StrColumn,
    /// The texts of a column with few values, one after the other, and where each ends.
    held: OnceLock<DictionaryTexts>,
}

struct DictionaryTexts {
    texts: String,
    ends: Vec<u32>,
}

impl TextColumn {
    fn new(column: StrColumn) -> Self {
        Self { column, held: OnceLock::new() }
    }

    /// The ordinals of the products.
    #[must_use]
    pub fn ordinals(&self) -> &Column<u64> {
        self.column.ords()
    }

    /// The ordinals of some of a product's values, by their places among them.
    pub(super) fn ordinals_at(&self, document: DocId, places: &[usize]) -> Vec<u64> {
        let column = self.ordinals();
        let rows = column.index.value_row_ids(document);
        let rows_at = places.iter().map(|place| rows.start.saturating_add(*place as u32));
        rows_at.filter(|row| rows.contains(row)).map(|row| column.values.get_val(row)).collect()
    }

    /// Number of different texts.
    #[must_use]
    pub fn values(&self) -> usize {
        self.column.num_terms()
    }

    /// The ordinal of a text.
    pub(super) fn ordinal(&self, text: &str) -> io::Result<Option<u64>> {
        if self.values() == 0 { Ok(None) } else { self.column.dictionary().term_ord(text) }
    }

    /// Calls `take` with the text of each of these ordinals, which ascend.
    pub(super) fn each_text(&self, ordinals: &[u64], mut take: impl FnMut(&str)) -> io::Result<()> {
        if self.values() > HELD_VALUES {
            let mut ends_well = Ok(());
            self.column.dictionary().sorted_ords_to_term_cb(ordinals, |bytes| {
                match std::str::from_utf8(bytes) {
                    Ok(text) => take(text),
                    Err(fault) => ends_well = Err(io::Error::new(io::ErrorKind::InvalidData, fault)),
                }
            })?;
            return ends_well;
        }
        let held = self.load_texts()?;
        for ordinal in ordinals {
            take(held.text(*ordinal));
        }
        Ok(())
    }

    /// The texts of these ordinals, in any order.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn texts(&self, ordinals: &[u64]) -> io::Result<Vec<String>> {
        let mut places: Vec<usize> = (0..ordinals.len()).collect();
        places.sort_unstable_by_key(|place| ordinals[*place]);
        let sorted: Vec<u64> = places.iter().map(|place| ordinals[*place]).collect();
        let mut texts = vec![String::new(); ordinals.len()];
        let mut places = places.into_iter();
        self.each_text(&sorted, |text| {
            if let Some(place) = places.next() {
                text.clone_into(&mut texts[place]);
            }
        })?;
        Ok(texts)
    }

    fn load_texts(&self) -> io::Result<&DictionaryTexts> {
        if let Some(held) = self.held.get() {
            return Ok(held);
        }
        let mut held = DictionaryTexts { texts: String::new(), ends: Vec::with_capacity(self.values()) };
        let mut stream = self.column.dictionary().stream()?;
        while stream.advance() {
            let text = std::str::from_utf8(stream.key());
            held.texts.push_str(text.map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault))?);
            held.ends.push(held.texts.len() as u32);
        }
        Ok(self.held.get_or_init(|| held))
    }
}

impl DictionaryTexts {
    fn text(&self, ordinal: u64) -> &str {
        let number = ordinal as usize;
        let start = if number == 0 { 0 } else { self.ends.get(number - 1).copied().unwrap_or_default() };
        let end = self.ends.get(number).copied().unwrap_or(start);
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// Buffers for [`each_value`].
pub(super) struct ValueBuffer<T> {
    documents: Vec<DocId>,
    rows: Vec<u32>,
    values: Vec<T>,
}

impl<T> Default for ValueBuffer<T> {
    fn default() -> Self {
        Self { documents: Vec::new(), rows: Vec::new(), values: Vec::new() }
    }
}

/// Calls `take` with the place in `documents`, which ascend, and the value, for every value of these documents.
pub(super) fn each_value<T>(
    column: &Column<T>,
    documents: &[DocId],
    buffer: &mut ValueBuffer<T>,
    mut take: impl FnMut(usize, T),
) where
    T: PartialOrd + Copy + Default + std::fmt::Debug + Send + Sync + 'static,
{
    if matches!(column.index, ColumnIndex::Full) {
        buffer.values.resize(documents.len(), T::default());
        column.values.get_vals(documents, &mut buffer.values);
        for (place, value) in buffer.values.iter().enumerate() {
            take(place, *value);
        }
        return;
    }
    buffer.documents.clear();
    buffer.rows.clear();
    column.row_ids_for_docs(documents, &mut buffer.documents, &mut buffer.rows);
    buffer.values.resize(buffer.rows.len(), T::default());
    column.values.get_vals(&buffer.rows, &mut buffer.values);
    let mut place = 0;
    for (document, value) in buffer.documents.iter().zip(&buffer.values) {
        while documents[place] != *document {
            place += 1;
        }
        take(place, *value);
    }
}
