//! One record of a file, and the readers' common face.

use super::fault::RecordFault;
use super::headings::Headings;
use crate::feeds::IssueCode;
use crate::formats::draft_row::RecordPlace;

/// Values whose memory the next record uses again.
const REUSED_VALUES: usize = 1024;
/// Largest memory of a text that is used again: a file could make one text after the other large.
const REUSED_TEXT_BYTES: usize = 4096;

/// A record as sent.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct FeedRecord {
    /// Its position in the file.
    pub place: RecordPlace,
    /// Its values, in the file's order; a column may come several times.
    pub values: Vec<RecordValue>,
    /// The object itself, of JSON whose records are trees; `None` for flat records.
    pub json: Option<serde_json::Map<String, serde_json::Value>>,
    /// Findings about the record itself.
    pub findings: Vec<RecordFinding>,
}

impl FeedRecord {
    /// Clears all but the values, which are written over.
    pub(super) fn start_next(&mut self) {
        self.findings.clear();
        self.json = None;
        self.values.truncate(REUSED_VALUES);
    }
}

/// A value and its column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordValue {
    /// Number of the column in [`Headings`].
    pub column: usize,
    /// The trimmed text, never empty. XML and HTML inside it are as sent.
    pub text: String,
}

/// A finding about a record, before anything is known of its meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordFinding {
    /// Its code. A bad one means that the record has no values and is skipped.
    pub code: IssueCode,
    /// The column; empty for the whole record.
    pub column: String,
}

/// A source of records that are read one after the other.
pub trait RecordSource {
    /// Reads the next record into `record`, whose former content is cleared; false at the end of the file.
    ///
    /// # Errors
    /// [`RecordFault`]: nothing more can be read, and the file is not whole.
    fn read_record(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<bool, RecordFault>;
}

/// Writes a value over the one at `index` of `values`; false for an empty text, which is left out.
#[inline]
pub(super) fn write_value(values: &mut Vec<RecordValue>, index: usize, column: usize, text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    match values.get_mut(index) {
        Some(value) => {
            value.column = column;
            clear_text(&mut value.text);
            value.text.push_str(text);
        }
        None => values.push(RecordValue { column, text: text.to_owned() }),
    }
    true
}

/// Writes a value over the one at `index` of `values`. `text` gets that one's memory in exchange.
pub(super) fn swap_value(values: &mut Vec<RecordValue>, index: usize, column: usize, text: &mut String) {
    match values.get_mut(index) {
        Some(value) => {
            value.column = column;
            std::mem::swap(&mut value.text, text);
        }
        None => values.push(RecordValue { column, text: std::mem::take(text) }),
    }
}

/// Empties a text for the next use, without keeping the memory of a large one.
#[inline]
pub(super) fn clear_text(text: &mut String) {
    if text.capacity() > REUSED_TEXT_BYTES { *text = String::new() } else { text.clear() }
}

/// As [`str::trim`], which decodes letters at both ends; most texts begin and end with a visible letter of ASCII.
#[inline]
pub(super) fn trim_text(text: &str) -> &str {
    let is_visible = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    let bytes = text.as_bytes();
    if is_visible(bytes.first()) && is_visible(bytes.last()) { text } else { text.trim() }
}

#[cfg(test)]
mod tests {
    use super::{
        FeedRecord, REUSED_TEXT_BYTES, REUSED_VALUES, clear_text, swap_value, trim_text, write_value,
    };

    #[test]
    fn a_value_is_written_over_the_former_one_and_an_empty_one_left_out() {
        let mut record = FeedRecord::default();
        assert!(write_value(&mut record.values, 0, 1, "a long first text"));
        assert!(!write_value(&mut record.values, 1, 2, ""));
        record.start_next();
        let memory = record.values[0].text.as_ptr();
        assert!(write_value(&mut record.values, 0, 3, "b"));
        assert_eq!((record.values[0].text.as_str(), record.values[0].column), ("b", 3));
        assert_eq!((record.values[0].text.as_ptr(), record.values.len()), (memory, 1));
        let mut text = "c".to_owned();
        swap_value(&mut record.values, 0, 4, &mut text);
        assert_eq!((record.values[0].text.as_str(), record.values[0].column), ("c", 4));
        assert_eq!(text.as_ptr(), memory);
    }

    #[test]
    fn little_memory_stays_for_the_next_record() {
        let mut record = FeedRecord::default();
        for index in 0..=REUSED_VALUES {
            write_value(&mut record.values, index, 0, "x");
        }
        record.start_next();
        assert_eq!(record.values.len(), REUSED_VALUES);
        let mut text = "x".repeat(REUSED_TEXT_BYTES + 1);
        clear_text(&mut text);
        assert_eq!((text.len(), text.capacity()), (0, 0));
    }

    #[test]
    fn texts_are_trimmed_as_the_standard_library_does() {
        for text in ["", " ", "a", " a", "a\u{a0}", "\u{3000}ü b\n", "ü", "\u{1}a\u{1}", "\u{85}a\u{b}"] {
            assert_eq!(trim_text(text), text.trim(), "{text:?}");
        }
    }
}
