//! One record of a file, and the readers' common face.

use super::fault::RecordFault;
use super::headings::Headings;
use crate::feeds::IssueCode;
use crate::formats::draft_row::RecordPlace;

/// A record as sent.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Record {
    /// Its position in the file.
    pub place: RecordPlace,
    /// Its values, in the file's order; a column may come several times.
    pub values: Vec<RecordValue>,
    /// The object itself, of JSON whose records are trees; `None` for flat records.
    pub json: Option<serde_json::Map<String, serde_json::Value>>,
    /// Findings about the record itself.
    pub findings: Vec<RecordFinding>,
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
    fn read_record(&mut self, headings: &mut Headings, record: &mut Record) -> Result<bool, RecordFault>;
}
