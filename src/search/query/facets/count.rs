//! Counts of texts: by ordinal in each segment, by text over all.

use std::cmp::Reverse;
use std::io;

use itertools::Itertools as _;
use tantivy::DocId;

use crate::search::query::product_property::ProductProperty;
use crate::search::query::segment::{SegmentColumns, TextColumn, ValueBuffer, each_value};

/// A column with more values per counted product than this is not counted in a table of its values.
const VALUES_PER_PRODUCT: usize = 16;
/// A table of this size is always made.
const SMALL_TABLE: usize = 4096;

/// The counts of a facet, by segment.
pub(super) struct TextCounts<'q> {
    subject: &'q ProductProperty,
    segments: Vec<SegmentCounts<'q>>,
    /// Ordinals in the present segment, one for each time that it counts besides.
    single: Vec<u64>,
}

struct SegmentCounts<'q> {
    columns: &'q SegmentColumns,
    /// Ordinals of texts with their counts, ascending by ordinal.
    counts: Vec<(u64, u64)>,
}

impl<'q> TextCounts<'q> {
    /// Empty counts of a property with texts.
    pub(super) fn new(subject: &'q ProductProperty) -> Self {
        Self { subject, segments: Vec::new(), single: Vec::new() }
    }

    /// Counts some texts of one product of the segment whose products are added next.
    pub(super) fn add_ordinals(&mut self, ordinals: impl IntoIterator<Item = u64>) {
        self.single.extend(ordinals);
    }

    /// Counts the texts of these products.
    pub(super) fn add(
        &mut self,
        columns: &'q SegmentColumns,
        documents: &[DocId],
        buffer: &mut ValueBuffer<u64>,
    ) -> io::Result<()> {
        let single = std::mem::take(&mut self.single);
        let counts = columns
            .with_texts(self.subject, |column| Ok(count_ordinals(column, documents, single, buffer)))?;
        if let Some(counts) = counts.filter(|counts| !counts.is_empty()) {
            self.segments.push(SegmentCounts { columns, counts });
        }
        Ok(())
    }

    /// The texts with the highest counts, equal counts by the text, and how many texts there are.
    pub(super) fn finish(mut self, most: usize) -> io::Result<(Vec<(String, u64)>, usize)> {
        if self.segments.len() > 1 {
            return self.finish_merged(most);
        }
        let Some(SegmentCounts { columns, mut counts }) = self.segments.pop() else {
            return Ok((Vec::new(), 0));
        };
        let distinct = counts.len();
        // Ordinals are in the order of their texts.
        keep_first(&mut counts, most, |(ordinal, count)| (Reverse(*count), *ordinal));
        let ordinals: Vec<u64> = counts.iter().map(|(ordinal, _)| *ordinal).collect();
        let texts = columns.with_texts(self.subject, |column| column.texts(&ordinals))?.unwrap_or_default();
        Ok((texts.into_iter().zip(counts).map(|(text, (_, count))| (text, count)).collect(), distinct))
    }

    fn finish_merged(self, most: usize) -> io::Result<(Vec<(String, u64)>, usize)> {
        let mut listed = Vec::with_capacity(self.segments.len());
        for SegmentCounts { columns, counts } in self.segments {
            let ordinals: Vec<u64> = counts.iter().map(|(ordinal, _)| *ordinal).collect();
            let mut texts = JoinedTexts::default();
            columns
                .with_texts(self.subject, |column| column.each_text(&ordinals, |text| texts.push(text)))?;
            listed.push((texts, counts));
        }
        // Each list is in the order of its texts, and so is the merged list.
        let lists =
            listed.iter().map(|(texts, counts)| texts.iter().zip(counts.iter().map(|(_, count)| *count)));
        let mut merged: Vec<(&str, u64)> = Vec::new();
        for (text, count) in lists.kmerge_by(|(text, _), (other, _)| text < other) {
            match merged.last_mut() {
                Some((last, total)) if *last == text => *total += count,
                _ => merged.push((text, count)),
            }
        }
        let distinct = merged.len();
        let mut places: Vec<usize> = (0..distinct).collect();
        keep_first(&mut places, most, |place| (Reverse(merged[*place].1), *place));
        Ok((
            places.into_iter().map(|place| (merged[place].0.to_owned(), merged[place].1)).collect(),
            distinct,
        ))
    }
}

/// Many texts in one.
#[derive(Default)]
struct JoinedTexts {
    joined: String,
    ends: Vec<usize>,
}

impl JoinedTexts {
    fn push(&mut self, text: &str) {
        self.joined.push_str(text);
        self.ends.push(self.joined.len());
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.joined[std::mem::replace(&mut start, *end)..*end])
    }
}

/// Ordinals with their counts, ascending by ordinal: those of all values of the products, and single ones.
fn count_ordinals(
    column: &TextColumn,
    documents: &[DocId],
    single: Vec<u64>,
    buffer: &mut ValueBuffer<u64>,
) -> Vec<(u64, u64)> {
    let values = column.values();
    if values > SMALL_TABLE.max((documents.len() + single.len()) * VALUES_PER_PRODUCT) {
        let mut ordinals = single;
        each_value(column.ordinals(), documents, buffer, |_, ordinal| ordinals.push(ordinal));
        ordinals.sort_unstable();
        return ordinals.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect();
    }
    let mut table = vec![0_u32; values];
    let mut count = |ordinal: u64| {
        if let Some(count) = table.get_mut(ordinal as usize) {
            *count += 1;
        }
    };
    single.into_iter().for_each(&mut count);
    each_value(column.ordinals(), documents, buffer, |_, ordinal| count(ordinal));
    let counts = (0..).zip(table).filter(|(_, count)| *count > 0);
    counts.map(|(ordinal, count)| (ordinal, u64::from(count))).collect()
}

/// Sorts by the key and keeps the first.
pub(in crate::search::query) fn keep_first<T, K: Ord>(all: &mut Vec<T>, most: usize, key: impl Fn(&T) -> K) {
    if all.len() > most && most > 0 {
        all.select_nth_unstable_by_key(most - 1, &key);
    }
    all.truncate(most);
    all.sort_unstable_by_key(key);
}
