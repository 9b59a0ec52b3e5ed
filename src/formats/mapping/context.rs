//! What a shop adds to the meaning of its files.

/// Settings of the account by which values are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct MappingContext<'a> {
    /// Currency of prices that name none, a code of ISO 4217.
    pub currency: Option<&'a str>,
    /// A single comma in a number is its decimal mark; otherwise it separates thousands. Counts only where a number
    /// reads both ways, such as `1,299`.
    pub is_decimal_comma: bool,
    /// In `a/b/YYYY` the day comes first. Counts only where a date reads both ways.
    pub is_day_first: bool,
}
