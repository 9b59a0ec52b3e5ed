//! Numbers of a JSON text as they are written: `serde_json` keeps the value of `12.50`, not its digits.

use super::value_cutter::ValueCutter;

/// Numbers that `serde_json` reads as floating-point, in the order of the text, which it has accepted.
pub(super) struct FloatTexts<'a> {
    rest: &'a [u8],
}

impl<'a> FloatTexts<'a> {
    /// Searches `json`, a whole value, number by number.
    pub(super) const fn new(json: &'a [u8]) -> Self {
        Self { rest: json }
    }

    /// Text of the next number if it means `value` and has no exponent. Members that repeat a name shift the order.
    pub(super) fn find_text(&mut self, value: f64) -> Option<&'a str> {
        let text = self.next()?;
        // The parser of `serde_json` again: others may round the last digit differently.
        let is_same = serde_json::from_str::<f64>(text).is_ok_and(|number| number == value);
        (is_same && !text.contains(['e', 'E'])).then_some(text)
    }
}

impl<'a> Iterator for FloatTexts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let start = self.rest.iter().position(|byte| matches!(byte, b'"' | b'-' | b'0'..=b'9'))?;
            let rest = self.rest.get(start..)?;
            let end = ValueCutter::default().find_end(rest).ok()?;
            let (token, rest) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
            self.rest = rest;
            let text = std::str::from_utf8(token).ok().filter(|text| is_float(text));
            if text.is_some() {
                return text;
            }
        }
    }
}

/// True for a number with a fraction or an exponent, for `-0`, and for an integer of more than 64 bits.
fn is_float(token: &str) -> bool {
    let is_integer = token.parse::<u64>().is_ok() || token.parse::<i64>().is_ok();
    !token.starts_with('"') && (token == "-0" || !is_integer)
}

#[cfg(test)]
mod tests {
    use super::FloatTexts;

    #[test]
    fn numbers_with_a_fraction_are_found_outside_of_strings() {
        let json =
            br#"{"1.5":"2.5\"3.5","a":[1,-4.50,true],"b":-0,"c":{"d":1E3,"e":18446744073709551616},"f":7.0}"#;
        let texts: Vec<_> = FloatTexts::new(json).collect();
        assert_eq!(texts, ["-4.50", "-0", "1E3", "18446744073709551616", "7.0"]);
        assert_eq!(FloatTexts::new(b"7.50").collect::<Vec<_>>(), ["7.50"]);
    }

    #[test]
    fn a_text_is_given_for_its_own_number_only() {
        let mut texts = FloatTexts::new(b"[1.50,2.50,1e1,3.10]");
        assert_eq!(texts.find_text(1.5), Some("1.50"));
        assert_eq!(texts.find_text(1.5), None);
        assert_eq!(texts.find_text(10.0), None);
        assert_eq!(texts.find_text(3.1), Some("3.10"));
        assert_eq!(texts.find_text(3.1), None);
    }
}
