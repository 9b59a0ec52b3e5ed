//! Numbers of a stock as shops write them.

use rust_decimal::Decimal;

/// The number of a stock as JSON writes it: `12`, `12.0`, `1,200`, `> 10`, `10+` and `10 pcs` are understood.
#[must_use]
pub fn parse_quantity(text: &str, is_decimal_comma: bool) -> Option<String> {
    let start = text.find(|letter: char| letter.is_ascii_digit())?;
    let (before, number) = text.split_at(start);
    if before.contains(|letter: char| !letter.is_whitespace() && !"<>=~+-−≥≤".contains(letter)) {
        return None;
    }
    let is_of_number = |letter: &char| letter.is_ascii_digit() || matches!(letter, '.' | ',' | '\'');
    let number: String = number.chars().take_while(is_of_number).filter(|letter| *letter != '\'').collect();
    let number = number.trim_end_matches(['.', ',']);
    let marks = number.matches(['.', ',']).count();
    let decimal_mark = number.rfind(['.', ',']).filter(|at| {
        let (whole, rest) = number.split_at(*at);
        let is_habit = rest.starts_with(',') == is_decimal_comma;
        // `1,200` reads both ways; `1.200,5` and `1,200.5` do not.
        if marks == 1 { rest.len() != 4 || is_habit || whole == "0" } else { !whole.contains(&rest[..1]) }
    });
    let digits = |part: &str| part.replace(['.', ','], "");
    let decimal = match decimal_mark.map(|at| number.split_at(at)) {
        Some((whole, fraction)) => format!("{}.{}", digits(whole), digits(fraction)),
        None => digits(number),
    };
    let amount: Decimal = decimal.parse().ok()?;
    let is_negative = before.trim_end().ends_with(['-', '−']);
    Some((if is_negative { -amount } else { amount }).normalize().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stock_is_read_in_any_usual_writing() {
        let texts = [
            ("12", "12"),
            ("12.0", "12"),
            ("1,200", "1200"),
            ("1'200", "1200"),
            ("1.200,5", "1200.5"),
            ("> 10", "10"),
            ("10+", "10"),
            ("10 pcs", "10"),
            ("-3", "-3"),
            ("0", "0"),
        ];
        for (text, number) in texts {
            assert_eq!(parse_quantity(text, false).as_deref(), Some(number), "{text}");
        }
        assert_eq!(parse_quantity("1,2", true).as_deref(), Some("1.2"));
        assert_eq!(parse_quantity("1.200", true).as_deref(), Some("1200"));
        assert_eq!(parse_quantity("1.200", false).as_deref(), Some("1.2"));
        for text in ["", "parent", "about 10", "in stock"] {
            assert_eq!(parse_quantity(text, false), None, "{text}");
        }
        assert_eq!(parse_quantity(&"9".repeat(1_000_000), false), None, "more digits than a stock has");
    }
}
