//! Prices as shops write them, brought into Lethe's form.

use iso_currency::Currency;

use super::markup::decode_entities;
use crate::formats::mapping::context::MappingContext;

/// Bytes of the longest text that is read as a price.
const PRICE_BYTES_MAX: usize = 100;
/// Digits of a group of thousands.
const GROUP_DIGITS: usize = 3;
/// Digits of the higher groups in the Indian writing, `1,29,900`.
const INDIAN_GROUP_DIGITS: usize = 2;

/// Signs of currencies besides those of [`Currency::symbol`], in lower case and without a full stop at their end.
const SIGNS: [CurrencySign; 43] = [
    CurrencySign::new("€", &["EUR"]),
    CurrencySign::new("euro", &["EUR"]),
    CurrencySign::new("£", &["GBP"]),
    CurrencySign::new(DOLLAR, &[]),
    CurrencySign::new("us$", &["USD"]),
    CurrencySign::new("a$", &["AUD"]),
    CurrencySign::new("au$", &["AUD"]),
    CurrencySign::new("c$", &["CAD"]),
    CurrencySign::new("ca$", &["CAD"]),
    CurrencySign::new("nz$", &["NZD"]),
    CurrencySign::new("hk$", &["HKD"]),
    CurrencySign::new("s$", &["SGD"]),
    CurrencySign::new("mx$", &["MXN"]),
    CurrencySign::new("nt$", &["TWD"]),
    CurrencySign::new("r$", &["BRL"]),
    CurrencySign::new("\u{a5}", &["JPY", "CNY"]),
    CurrencySign::new("\u{ffe5}", &["JPY", "CNY"]),
    CurrencySign::new("円", &["JPY"]),
    CurrencySign::new("元", &["CNY"]),
    CurrencySign::new("fr", &["CHF"]),
    CurrencySign::new("sfr", &["CHF"]),
    CurrencySign::new("kr", &["DKK", "ISK", "NOK", "SEK"]),
    CurrencySign::new("kč", &["CZK"]),
    CurrencySign::new("zł", &["PLN"]),
    CurrencySign::new("ft", &["HUF"]),
    CurrencySign::new("lei", &["MDL", "RON"]),
    CurrencySign::new("лв", &["BGN"]),
    CurrencySign::new("₺", &["TRY"]),
    CurrencySign::new("tl", &["TRY"]),
    CurrencySign::new("₽", &["RUB"]),
    CurrencySign::new("руб", &["RUB"]),
    CurrencySign::new("₴", &["UAH"]),
    CurrencySign::new("₹", &["INR"]),
    CurrencySign::new("rs", &["INR", "LKR", "MUR", "NPR", "PKR"]),
    CurrencySign::new("₩", &["KRW"]),
    CurrencySign::new("₪", &["ILS"]),
    CurrencySign::new("฿", &["THB"]),
    CurrencySign::new("₫", &["VND"]),
    CurrencySign::new("₱", &["PHP"]),
    CurrencySign::new("₦", &["NGN"]),
    CurrencySign::new("rm", &["MYR"]),
    CurrencySign::new("rp", &["IDR"]),
    CurrencySign::new("r", &["ZAR"]),
];

/// The sign of every currency whose own symbol holds it.
const DOLLAR: &str = "$";

/// Reads a price in any usual writing: `12.50 GBP`, `GBP 12.50`, `£12.50`, `12,50 €`, `1,299.00`, `1.299,00`,
/// `1 299,00`, `1'299.00`, `.99`, `12.-`. A single separator with three digits behind it (`1,299`) reads by
/// [`MappingContext::is_decimal_comma`].
///
/// A currency in the text wins over `currency`, a column of the file, which wins over the account's. A sign of several
/// currencies (`$`, `kr`) means that of the column or the account which uses it.
///
/// Returns `12.50 GBP` with the decimals as written, or `12.50` if no currency is known. Any three letters are a code.
/// `None` for any other text, a negative amount, two amounts, and a sign of several currencies of which the account has
/// none.
#[must_use]
pub fn parse_price(text: &str, currency: Option<&str>, context: &MappingContext<'_>) -> Option<String> {
    if text.len() > PRICE_BYTES_MAX {
        return None;
    }
    let text = decode_entities(text);
    let parts = PriceParts::split(&text)?;
    let amount = parse_amount(parts.number, context.is_decimal_comma)?;
    let mut likely: Vec<String> = context.currency.map(str::to_ascii_uppercase).into_iter().collect();
    if let Some(column) = currency.map(str::trim).filter(|column| !column.is_empty()) {
        match resolve_currency(column, &likely)? {
            PriceCurrency::Code(code) => likely.insert(0, code),
            PriceCurrency::Unknown => {}
        }
    }
    let currency = match (parts.before, parts.behind) {
        ("", "") => likely.into_iter().next().map_or(PriceCurrency::Unknown, PriceCurrency::Code),
        (name, "") | ("", name) => resolve_currency(name, &likely)?,
        (before, behind) => resolve_two_names(before, behind)?,
    };
    Some(match currency {
        PriceCurrency::Code(code) => format!("{amount} {code}"),
        PriceCurrency::Unknown => amount,
    })
}

/// A sign and the currencies that it stands for.
struct CurrencySign {
    sign: &'static str,
    codes: &'static [&'static str],
}

impl CurrencySign {
    const fn new(sign: &'static str, codes: &'static [&'static str]) -> Self {
        Self { sign, codes }
    }

    fn find(sign: &str) -> Option<&'static Self> {
        SIGNS.iter().find(|known| known.sign == sign)
    }

    /// Returns true if prices in this currency are written with the sign.
    fn is_used_by(&self, code: &str) -> bool {
        let symbol = || Currency::from_code(code).map(|currency| currency.symbol().symbol);
        self.codes.contains(&code)
            || symbol().is_some_and(|symbol| match self.sign {
                DOLLAR => symbol.contains(DOLLAR),
                sign => symbol.to_lowercase() == sign,
            })
    }
}

/// Currency of a price.
#[derive(PartialEq, Eq)]
enum PriceCurrency {
    /// A code of three capital letters.
    Code(String),
    /// One of several, and nothing tells which.
    Unknown,
}

/// The currency that a code or sign names; `likely` are the column's and the account's. `None` for any other text.
fn resolve_currency(name: &str, likely: &[String]) -> Option<PriceCurrency> {
    let sign = name.trim_end_matches('.').to_lowercase();
    let Some(known) = CurrencySign::find(&sign) else {
        if is_code(name) {
            return Some(PriceCurrency::Code(name.to_ascii_uppercase()));
        }
        return find_by_symbol(name, likely);
    };
    match (likely.iter().find(|code| known.is_used_by(code)), known.codes) {
        (Some(code), _) => Some(PriceCurrency::Code(code.clone())),
        (None, [code]) => Some(PriceCurrency::Code((*code).to_owned())),
        (None, _) if likely.is_empty() => Some(PriceCurrency::Unknown),
        (None, _) => None,
    }
}

/// The likely currency with this symbol of its own, such as `د.إ`.
fn find_by_symbol(name: &str, likely: &[String]) -> Option<PriceCurrency> {
    let has_symbol =
        |code: &&String| Currency::from_code(code).is_some_and(|currency| currency.symbol().symbol == name);
    likely.iter().find(has_symbol).map(|code| PriceCurrency::Code(code.clone()))
}

/// The currency of `$12.50 USD`: a code, and a sign that it uses.
fn resolve_two_names(before: &str, behind: &str) -> Option<PriceCurrency> {
    let is_behind = is_code(behind);
    let code = if is_behind { behind } else { before };
    let other = if is_behind { before } else { behind };
    let code = Some(code).filter(|code| is_code(code))?.to_ascii_uppercase();
    resolve_currency(other, std::slice::from_ref(&code)).filter(|named| *named == PriceCurrency::Code(code))
}

fn is_code(name: &str) -> bool {
    name.len() == 3 && name.bytes().all(|letter| letter.is_ascii_alphabetic())
}

/// A price, cut at its first and its last digit.
struct PriceParts<'a> {
    before: &'a str,
    number: &'a str,
    behind: &'a str,
}

impl<'a> PriceParts<'a> {
    /// `None` for a text without a digit.
    fn split(text: &'a str) -> Option<Self> {
        let first = text.find(|letter: char| letter.is_ascii_digit())?;
        let end = text.rfind(|letter: char| letter.is_ascii_digit())? + 1;
        let before = text.get(..first)?;
        let behind = text.get(end..)?;
        // The point of `.99` is a decimal point, that of `Fr.99` is not.
        let bare = before.strip_suffix(['.', ',']).filter(|bare| !bare.ends_with(char::is_alphabetic));
        let before = bare.unwrap_or(before);
        Some(Self {
            before: before.trim(),
            number: text.get(before.len()..end)?,
            behind: strip_dash(behind).trim(),
        })
    }
}

/// Strips the dash that stands for no decimals: `12.-`, `12,–`.
fn strip_dash(behind: &str) -> &str {
    let decimals = behind.strip_prefix(['.', ',']).unwrap_or(behind);
    let rest = decimals.trim_start_matches(['-', '–', '—']);
    // Without a point before it, a dash is a minus sign.
    if decimals.len() < behind.len() && rest.len() < decimals.len() { rest } else { behind }
}

/// An amount with a decimal point and without separators, its decimals as written.
fn parse_amount(number: &str, is_decimal_comma: bool) -> Option<String> {
    let mark = find_decimal_mark(number, is_decimal_comma);
    let whole = join_groups(number.get(..mark.unwrap_or(number.len()))?, mark.is_some())?;
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let Some(mark) = mark else { return Some(whole.to_owned()) };
    let decimals = number.get(mark + 1..)?;
    decimals.bytes().all(|digit| digit.is_ascii_digit()).then(|| format!("{whole}.{decimals}"))
}

/// Position of the point or comma that begins the decimals.
fn find_decimal_mark(number: &str, is_decimal_comma: bool) -> Option<usize> {
    let position = number.rfind(['.', ','])?;
    let before = number.get(..position)?;
    let behind = number.get(position + 1..)?;
    let is_comma = number.get(position..)?.starts_with(',');
    if before.contains(if is_comma { ',' } else { '.' }) {
        return None;
    }
    let is_group = !before.starts_with('0') && (1..=GROUP_DIGITS).contains(&before.len());
    let reads_both_ways =
        behind.len() == GROUP_DIGITS && is_group && before.bytes().all(|b| b.is_ascii_digit());
    (!reads_both_ways || is_comma == is_decimal_comma).then_some(position)
}

/// Digits of a whole number without the separators between its groups; `None` for groups of other lengths.
fn join_groups(whole: &str, has_decimals: bool) -> Option<String> {
    let Some(separator) = whole.chars().find(|letter| !letter.is_ascii_digit()) else {
        return (has_decimals || !whole.is_empty()).then(|| whole.to_owned());
    };
    let is_separator = |letter: char| match separator {
        '.' | ',' => letter == separator,
        '\'' | '’' => matches!(letter, '\'' | '’'),
        space => space.is_whitespace() && letter.is_whitespace(),
    };
    let groups: Vec<&str> = whole.split(is_separator).collect();
    let [first, middle @ .., last] = groups.as_slice() else { return None };
    let size = middle.first().map_or(GROUP_DIGITS, |group| group.len());
    let is_known_size = size == GROUP_DIGITS || (size == INDIAN_GROUP_DIGITS && separator == ',');
    let is_grouped = is_known_size
        && (1..=size).contains(&first.len())
        && middle.iter().all(|group| group.len() == size)
        && last.len() == GROUP_DIGITS;
    let digits = groups.concat();
    (is_grouped && digits.bytes().all(|digit| digit.is_ascii_digit())).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, account: &str) -> Option<String> {
        let currency = Some(account).filter(|code| !code.is_empty());
        parse_price(text, None, &MappingContext { currency, ..MappingContext::default() })
    }

    fn read_by_comma(text: &str) -> Option<String> {
        parse_price(text, None, &MappingContext { is_decimal_comma: true, ..MappingContext::default() })
    }

    #[test]
    fn an_amount_is_read_in_any_usual_writing() {
        let texts = [
            ("12.50", "12.50"),
            ("12,50", "12.50"),
            ("1,299.00", "1299.00"),
            ("1.299,00", "1299.00"),
            ("1 299,00", "1299.00"),
            ("1\u{a0}299,00", "1299.00"),
            ("1\u{202f}299,00", "1299.00"),
            ("1'299.00", "1299.00"),
            ("1’299’000.5", "1299000.5"),
            ("1.299.000", "1299000"),
            ("1,29,900.00", "129900.00"),
            (".99", "0.99"),
            (",99", "0.99"),
            ("12.-", "12"),
            ("12,– ", "12"),
            ("0012.5000", "12.5000"),
            ("0", "0"),
            ("0.00", "0.00"),
            ("1299.000", "1299.000"),
            ("1 299,000", "1299.000"),
            ("0,500", "0.500"),
            (" 7 ", "7"),
        ];
        for (text, amount) in texts {
            assert_eq!(read(text, "").as_deref(), Some(amount), "{text}");
        }
    }

    #[test]
    fn one_separator_before_three_digits_reads_by_the_accounts_habit() {
        assert_eq!((read("1,299", ""), read_by_comma("1,299")), (Some("1299".into()), Some("1.299".into())));
        assert_eq!((read("1.299", ""), read_by_comma("1.299")), (Some("1.299".into()), Some("1299".into())));
        assert_eq!(read_by_comma("0.500").as_deref(), Some("0.500"), "no group begins with a zero");
        assert_eq!(read_by_comma("1,299.00").as_deref(), Some("1299.00"), "it reads one way only");
        assert_eq!(read("1.299 €", "").as_deref(), Some("1.299 EUR"));
    }

    #[test]
    fn a_currency_stands_before_or_behind_as_code_or_sign() {
        let texts = [
            ("12.50 GBP", "12.50 GBP"),
            ("GBP 12.50", "12.50 GBP"),
            ("gbp12.50", "12.50 GBP"),
            ("12.50EUR", "12.50 EUR"),
            ("£12.50", "12.50 GBP"),
            ("&pound;12.50", "12.50 GBP"),
            ("12,50 €", "12.50 EUR"),
            ("€.99", "0.99 EUR"),
            ("12 zł", "12 PLN"),
            ("Fr. 12.50", "12.50 CHF"),
            ("Fr.12.50", "12.50 CHF"),
            ("CHF 12.-", "12 CHF"),
            ("12,- €", "12 EUR"),
            ("US$ 12", "12 USD"),
            ("12 ZZZ", "12 ZZZ"),
            ("$12.50 USD", "12.50 USD"),
            ("CA$12.50 CAD", "12.50 CAD"),
            ("12", "12 EUR"),
        ];
        for (text, price) in texts {
            assert_eq!(read(text, "EUR").as_deref(), Some(price), "{text}");
        }
    }

    #[test]
    fn a_sign_of_several_currencies_needs_an_account_that_uses_it() {
        assert_eq!(read("$12", "CAD").as_deref(), Some("12 CAD"));
        assert_eq!(read("$12", "HKD").as_deref(), Some("12 HKD"));
        assert_eq!(read("$12", "").as_deref(), Some("12"));
        assert_eq!(read("$12", "GBP"), None);
        assert_eq!(read("12 kr.", "SEK").as_deref(), Some("12 SEK"));
        assert_eq!(read("12 kr", "EUR"), None);
        assert_eq!(read("¥1200", "CNY").as_deref(), Some("1200 CNY"));
        assert_eq!(read("¥1200", "").as_deref(), Some("1200"));
        assert_eq!(read("£12", "EGP").as_deref(), Some("12 EGP"));
        assert_eq!(read("12 د.إ", "AED").as_deref(), Some("12 AED"));
    }

    #[test]
    fn the_text_wins_over_the_column_and_the_column_over_the_account() {
        let context = MappingContext { currency: Some("usd"), ..MappingContext::default() };
        let read = |text: &str, column: &str| parse_price(text, Some(column), &context);
        assert_eq!(read("12 EUR", "GBP").as_deref(), Some("12 EUR"));
        assert_eq!(read("12", "gbp").as_deref(), Some("12 GBP"));
        assert_eq!(read("12", " € ").as_deref(), Some("12 EUR"));
        assert_eq!(read("12", "").as_deref(), Some("12 USD"));
        assert_eq!(read("$12", "GBP").as_deref(), Some("12 USD"));
        assert_eq!(read("$12", "CAD").as_deref(), Some("12 CAD"));
        assert_eq!(read("12", "pounds"), None, "the account's currency would be a guess");
    }

    #[test]
    fn any_other_text_is_no_price() {
        let texts = [
            "",
            "free",
            "-12.50",
            "12.50-",
            "-€12",
            "(12.50)",
            "10 - 20",
            "10-20",
            "10 20",
            "EUR 12 USD",
            "US$ 12 CAD",
            "1,299,00",
            "1.29.90",
            "1,299.00,50",
            "12.50 £ / kg",
            "from 12",
            "1e5",
            "USD.99",
            "12.",
            "EUR 34375;US-USD 34375",
            "١٢",
        ];
        for text in texts {
            assert_eq!(read(text, "EUR"), None, "{text}");
        }
        assert_eq!(read(&"1".repeat(PRICE_BYTES_MAX + 1), ""), None);
    }
}
