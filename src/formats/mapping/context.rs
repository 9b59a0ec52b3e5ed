//! Habits of a shop, by which its files are read.

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

impl<'a> MappingContext<'a> {
    /// Habits of the countries that pay in a currency.
    #[must_use]
    pub fn from_currency(currency: Option<&'a str>) -> Self {
        let code = currency.unwrap_or_default();
        let is_day_first = !matches!(code, "USD" | "PHP" | "");
        let is_decimal_comma = DECIMAL_COMMA_CURRENCIES.contains(&code);
        Self { currency, is_decimal_comma, is_day_first }
    }
}

/// Currencies of countries that write 12,50; in all others the point is as usual, or both are.
const DECIMAL_COMMA_CURRENCIES: [&str; 17] = [
    "EUR", "DKK", "NOK", "SEK", "PLN", "CZK", "HUF", "RON", "BGN", "RUB", "UAH", "TRY", "BRL", "ARS", "CLP",
    "COP", "IDR",
];
