//! The order of the values of an option as shoppers expect it: sizes and numbers by what they say, all others as the
//! shop sends them.

use tantivy::f64_to_u64;

use super::values::{Attribute, AttributeValue};

/// Kind of values that have an order of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueKind {
    /// Sizes of clothes in letters.
    LetterSize,
    /// Numbers without a unit, or in units of one measure.
    Number(&'static str),
}

/// Units that are multiples of each other: the unit, its measure, and how many of the least it is.
const UNITS: [(&str, &str, f64); 20] = [
    ("mm", "length", 1.0),
    ("cm", "length", 10.0),
    ("m", "length", 1000.0),
    ("km", "length", 1_000_000.0),
    ("in", "inch", 1.0),
    ("\"", "inch", 1.0),
    ("mg", "weight", 1.0),
    ("g", "weight", 1000.0),
    ("kg", "weight", 1_000_000.0),
    ("ml", "volume", 1.0),
    ("cl", "volume", 10.0),
    ("dl", "volume", 100.0),
    ("l", "volume", 1000.0),
    ("mb", "memory", 1.0),
    ("gb", "memory", 1000.0),
    ("tb", "memory", 1_000_000.0),
    ("w", "power", 1.0),
    ("kw", "power", 1000.0),
    ("v", "voltage", 1.0),
    ("%", "share", 1.0),
];

/// Fractions that are one letter.
const FRACTIONS: [(char, f64); 9] = [
    ('¼', 0.25),
    ('½', 0.5),
    ('¾', 0.75),
    ('⅓', 1.0 / 3.0),
    ('⅔', 2.0 / 3.0),
    ('⅛', 0.125),
    ('⅜', 0.375),
    ('⅝', 0.625),
    ('⅞', 0.875),
];

/// Sorts values of an option if all are sizes or numbers of one measure (`XS` before `S`, `38 2/3` before `39`,
/// `500 ml` before `1 l`); else their order stays. Equal ones keep their order.
pub fn sort_option_values<T>(values: &mut [T], text: impl Fn(&T) -> &str) {
    let kind_of = |value: &T| order_key(text(value)).map(|(kind, _)| kind);
    let kind = values.first().and_then(kind_of);
    let is_one_kind = kind.is_some() && values.iter().all(|value| kind_of(value) == kind);
    if is_one_kind {
        values.sort_by_cached_key(|value| order_key(text(value)).map(|(_, number)| f64_to_u64(number)));
    }
}

/// Sorts the values of an attribute, as [`sort_option_values`] does.
pub(super) fn sort_values_of(attribute: &mut Attribute) {
    sort_option_values(&mut attribute.values, AttributeValue::text);
}

fn order_key(text: &str) -> Option<(ValueKind, f64)> {
    let text = text.trim().to_lowercase();
    if let Some(size) = letter_size(&text) {
        return Some((ValueKind::LetterSize, size));
    }
    let (number, unit) = read_number(&text)?;
    if unit.is_empty() {
        return Some((ValueKind::Number(""), number));
    }
    let (_, measure, factor) = UNITS.iter().find(|(known, ..)| *known == unit)?;
    Some((ValueKind::Number(measure), number * factor))
}

/// Steps from M: `S` is -1, `XXL` and `2XL` are 3; of a span such as `S/M` its middle.
fn letter_size(text: &str) -> Option<f64> {
    if let Some((from, to)) = text.split_once('/') {
        return Some(f64::midpoint(letter_size(from.trim())?, letter_size(to.trim())?));
    }
    let letters: String = text.chars().filter(|letter| !letter.is_whitespace() && *letter != '-').collect();
    let letters = match letters.as_str() {
        "small" => "s",
        "medium" => "m",
        "large" => "l",
        other => other.strip_suffix("small").or_else(|| other.strip_suffix("large")).map_or(other, |_| {
            // `x-large` is `xl`.
            &other[..other.len() - 4]
        }),
    };
    let (before, last) = letters.split_at_checked(letters.len().checked_sub(1)?)?;
    let steps = match before.strip_suffix('x') {
        None if before.is_empty() => 0.0,
        None => return None,
        // `3xl` is `xxxl`.
        Some(count) if !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()) => {
            count.parse().ok()?
        }
        Some(more) if more.bytes().all(|byte| byte == b'x') => before.len() as f64,
        Some(_) => return None,
    };
    match last {
        "s" => Some(-1.0 - steps),
        "m" if before.is_empty() => Some(0.0),
        "l" => Some(1.0 + steps),
        _ => None,
    }
}

/// A number with a point, a comma or a fraction, and its unit.
fn read_number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || ".,".contains(letter)));
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    let whole: Option<f64> = digits.replacen(',', ".", 1).parse().ok();
    let rest = rest.trim_start();
    if let Some((letter, fraction)) = FRACTIONS.iter().find(|(letter, _)| rest.starts_with(*letter)) {
        return Some((whole.unwrap_or_default() + fraction, rest[letter.len_utf8()..].trim()));
    }
    let whole = whole?;
    if let Some(below) = rest.strip_prefix('/') {
        let (fraction, unit) = fraction_of(digits, below)?;
        return Some((fraction, unit));
    }
    let upper_end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (upper, after) = rest.split_at(upper_end);
    match after.strip_prefix('/') {
        Some(below) if !upper.is_empty() => {
            let (fraction, unit) = fraction_of(upper, below)?;
            Some((whole + fraction, unit))
        }
        _ if upper.is_empty() => Some((whole, rest)),
        _ => None,
    }
}

/// A fraction below 1, and the unit after it: `32/34` is a size of its own and no number.
fn fraction_of<'t>(upper: &str, rest: &'t str) -> Option<(f64, &'t str)> {
    const DENOMINATOR_MAX: u32 = 16;
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (below, unit) = rest.split_at(end);
    let upper: u32 = upper.parse().ok()?;
    let below: u32 = below.parse().ok()?;
    let is_fraction = upper < below && below <= DENOMINATOR_MAX;
    is_fraction.then(|| (f64::from(upper) / f64::from(below), unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(values: &[&str]) -> Vec<String> {
        let mut values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        sort_option_values(&mut values, String::as_str);
        values
    }

    #[test]
    fn sizes_and_numbers_come_in_their_order() {
        for expected in [
            &["3XS", "XXS", "XS", "S", "S/M", "M", "M/L", "L", "XL", "XXL", "3XL", "4XL"][..],
            &["small", "Medium", "large", "X-Large", "2X-Large"],
            &["9", "10", "11"],
            &["38", "38.5", "38 2/3", "39", "39½", "40"],
            &["1/4", "1/2", "3/4"],
            &["5 ml", "500 ml", "0,75 l", "1 l"],
            &["80 cm", "1 m", "1,5 m"],
            &["256 GB", "512 GB", "1 TB"],
        ] {
            let mut turned = expected.to_vec();
            turned.reverse();
            assert_eq!(sorted(&turned), expected);
            turned.rotate_left(1);
            assert_eq!(sorted(&turned), expected);
        }
    }

    #[test]
    fn values_of_no_kind_or_of_several_stay_in_the_order_of_the_shop() {
        for values in [
            &["red", "blue"][..],
            &["L", "10", "S"],
            &["10 cm", "5 kg"],
            &["34/32", "32/34"],
            &["10", "9", "on request"],
            &["2 boxes", "1 box"],
            &["XM", "S"],
            &["", "S", "M"],
        ] {
            assert_eq!(sorted(values), values);
        }
    }
}
