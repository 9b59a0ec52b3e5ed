//! The columns of an order file, in all spellings of their names that senders use.

use super::OrdersFault;

/// What a column holds.
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
}

/// Each column with its names: first the documented one, then what the clients write.
const NAMES: [(Column, &[&str]); 9] = [
    (Column::Order, &["OrderID"]),
    (Column::Account, &["AccountId"]),
    (Column::User, &["UserId"]),
    (Column::Email, &["Email"]),
    (Column::Date, &["DateTime", "DateTimeStamp"]),
    (Column::Product, &["ProdCode"]),
    (Column::Quantity, &["Quantity"]),
    (Column::UnitPrice, &["UnitPrice", "UnityPrice"]),
    (Column::LinePrice, &["LinePrice"]),
];

/// Columns that every file has.
pub(super) const REQUIRED: [Column; 3] = [Column::Order, Column::Date, Column::Product];
/// Columns of which every file has at least one.
const IDENTIFYING: [Column; 3] = [Column::User, Column::Email, Column::Account];
/// What to say when it has none of them.
const IDENTIFYING_NAMES: &str = "one of UserId, Email and AccountId";

impl Column {
    /// The documented name.
    pub(super) fn name(self) -> &'static str {
        NAMES[self as usize].1[0]
    }

    fn named(name: &[u8]) -> Option<Self> {
        let name = name.trim_ascii();
        let is_meant = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
        NAMES.iter().find(|(_, names)| is_meant(names)).map(|(column, _)| *column)
    }
}

/// Where each column stands.
pub(super) struct Columns {
    positions: [Option<usize>; NAMES.len()],
    count: usize,
}

impl Columns {
    /// Reads the fields of the header line; names that mean nothing to us are passed over.
    pub(super) fn named<'a>(header: impl Iterator<Item = &'a [u8]>) -> Result<Self, OrdersFault> {
        let mut columns = Self { positions: [None; NAMES.len()], count: 0 };
        for name in header {
            if let Some(column) = Column::named(name)
                && columns.positions[column as usize].replace(columns.count).is_some()
            {
                return Err(OrdersFault::ColumnTwice { column: column.name() });
            }
            columns.count += 1;
        }
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

    /// How many fields every row has.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}
