//! The columns of an order file, in all spellings of their names that senders use.

use super::fault::OrdersFault;
use crate::feeds::fields::misnamed::{self, SuggestedField};
use crate::feeds::fields::{FieldSpec, ORDERS};

/// Content of a column, in the order of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Column {
    Order,
    Account,
    User,
    Email,
    Date,
    Product,
    Quantity,
    UnitPrice,
    LinePrice,
    Cancelled,
}

/// Columns that every file has.
pub(super) const REQUIRED: [Column; 3] = [Column::Order, Column::Date, Column::Product];
/// Columns that every file needs at least one of.
const IDENTIFYING: [Column; 3] = [Column::User, Column::Email, Column::Account];
/// Wording for the refusal of a file without any.
const IDENTIFYING_NAMES: &str = "one of UserId, Email and AccountId";

impl Column {
    const ALL: [Self; 10] = [
        Self::Order,
        Self::Account,
        Self::User,
        Self::Email,
        Self::Date,
        Self::Product,
        Self::Quantity,
        Self::UnitPrice,
        Self::LinePrice,
        Self::Cancelled,
    ];

    fn field(self) -> &'static FieldSpec {
        &ORDERS.fields[self as usize]
    }

    /// The documented name.
    pub(super) fn name(self) -> &'static str {
        self.field().name
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.field().is_named(name))
    }
}

/// Positions of the columns.
pub(super) struct OrderColumns {
    positions: [Option<usize>; Column::ALL.len()],
    count: usize,
    /// Likely intended columns for misspelt headers; the file does not have them.
    misnamed: Vec<SuggestedField>,
}

impl OrderColumns {
    /// Reads the fields of the header line; unknown names are skipped.
    pub(super) fn from_header<'a>(header: impl Iterator<Item = &'a [u8]>) -> Result<Self, OrdersFault> {
        let mut columns = Self { positions: [None; Column::ALL.len()], count: 0, misnamed: Vec::new() };
        for name in header {
            let name = str::from_utf8(name.trim_ascii()).unwrap_or_default();
            match Column::from_name(name) {
                Some(column) if columns.positions[column as usize].replace(columns.count).is_some() => {
                    return Err(OrdersFault::ColumnTwice { column: column.name() });
                }
                Some(_) => {}
                None => columns.misnamed.extend(misnamed::field_meant(ORDERS.fields, name)),
            }
            columns.count += 1;
        }
        let positions = columns.positions;
        let is_absent = |meant: &SuggestedField| {
            Column::from_name(meant.field.name).is_none_or(|at| positions[at as usize].is_none())
        };
        columns.misnamed.retain(is_absent);
        let lacks = |column: &Column| columns.position(*column).is_none();
        let mut missing: Vec<_> = REQUIRED.iter().filter(|column| lacks(column)).map(|c| c.name()).collect();
        if IDENTIFYING.iter().all(lacks) {
            missing.push(IDENTIFYING_NAMES);
        }
        if missing.is_empty() { Ok(columns) } else { Err(OrdersFault::ColumnsMissing { missing }) }
    }

    /// The position of a column, from 0.
    pub(super) fn position(&self, column: Column) -> Option<usize> {
        self.positions[column as usize]
    }

    /// Likely intended columns for misspelt headers.
    pub(super) fn near_misses(&self) -> &[SuggestedField] {
        &self.misnamed
    }

    /// Number of fields in every row.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}
