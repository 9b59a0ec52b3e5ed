//! Measures: a number and its unit in one spelling.

use super::fold::fold_text;
use super::language::ShopLanguage;

/// The unit in its one spelling. `is_attached`: no blank separates it from the number.
fn unit(language: ShopLanguage, word: &str, is_attached: bool) -> Option<&'static str> {
    match word {
        "in" | "a" | "k" | "t" | "x" if !is_attached => None,
        "to" if language == ShopLanguage::French => Some("tb"),
        "go" if language == ShopLanguage::French => Some("gb"),
        "mo" if language == ShopLanguage::French => Some("mb"),
        "st" if language != ShopLanguage::English => Some("pcs"),
        _ => size(word).or_else(|| power(word)).or_else(|| count(word)),
    }
}

/// Lengths, masses and volumes.
fn size(word: &str) -> Option<&'static str> {
    Some(match word {
        "in" | "inch" | "inches" | "zoll" | "tum" | "tommer" | "tomme" | "pouce" | "pouces" | "pulgada"
        | "pulgadas" | "pollice" | "pollici" | "polegada" | "polegadas" | "duim" | "palcu" | "palce"
        | "cali" | "tuuma" | "tuumaa" | "tolli" | "huvelyk" | "inci" | "inc" | "дюим" | "дюйм" | "дюимов"
        | "дюймов" | "ιντσεσ" => "in",
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" | "мм" => "mm",
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" | "см" => "cm",
        "m" | "meter" | "meters" | "metre" | "metres" | "metros" | "metro" | "metri" | "metrow" | "metru"
        | "м" => "m",
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" | "км" => "km",
        "ft" | "foot" | "feet" => "ft",
        "yd" | "yard" | "yards" => "yd",
        "mg" | "milligram" | "milligrams" | "milligramm" | "мг" => "mg",
        "g" | "gr" | "gram" | "grams" | "gramm" | "gramme" | "grammes" | "gramos" | "grammi" | "г" => "g",
        "kg" | "kilo" | "kilos" | "kgs" | "kilogram" | "kilograms" | "kilogramm" | "кг" => "kg",
        "oz" | "ounce" | "ounces" => "oz",
        "lb" | "lbs" | "pound" | "pounds" => "lb",
        "ml" | "milliliter" | "milliliters" | "millilitre" | "millilitres" | "мл" => "ml",
        "cl" | "centiliter" | "centilitre" => "cl",
        "dl" | "deciliter" | "decilitre" => "dl",
        "l" | "lt" | "ltr" | "liter" | "liters" | "litre" | "litres" | "litros" | "litro" | "litri"
        | "litrow" | "л" => "l",
        "gal" | "gallon" | "gallons" => "gal",
        _ => return None,
    })
}

/// Units of electricity, light, heat and pressure.
fn power(word: &str) -> Option<&'static str> {
    Some(match word {
        "w" | "watt" | "watts" | "вт" => "w",
        "kw" | "kilowatt" | "kilowatts" | "квт" => "kw",
        "wh" => "wh",
        "kwh" => "kwh",
        "v" | "volt" | "volts" | "volti" => "v",
        "a" | "amp" | "amps" | "ampere" => "a",
        "ah" => "ah",
        "mah" => "mah",
        "hz" | "hertz" | "гц" => "hz",
        "khz" | "kilohertz" => "khz",
        "mhz" | "megahertz" => "mhz",
        "ghz" | "gigahertz" => "ghz",
        "lm" | "lumen" | "lumens" => "lm",
        "db" | "decibel" | "decibels" => "db",
        "btu" => "btu",
        "bar" | "bars" => "bar",
        "psi" => "psi",
        "va" => "va",
        "celsius" => "c",
        "fahrenheit" => "f",
        _ => return None,
    })
}

/// Units of things that are counted: bytes, points, pieces and time.
fn count(word: &str) -> Option<&'static str> {
    Some(match word {
        "kb" | "kilobyte" | "kilobytes" => "kb",
        "mb" | "megabyte" | "megabytes" | "мб" => "mb",
        "gb" | "gig" | "gigs" | "gigabyte" | "gigabytes" | "гб" => "gb",
        "tb" | "terabyte" | "terabytes" | "тб" => "tb",
        "mbit" | "mbits" | "mbps" => "mbps",
        "gbit" | "gbits" | "gbps" => "gbps",
        "mp" | "mpx" | "mpix" | "megapixel" | "megapixels" => "mp",
        "px" | "pixel" | "pixels" => "px",
        "dpi" => "dpi",
        "rpm" => "rpm",
        "fps" => "fps",
        "k" => "k",
        "x" => "x",
        "t" => "t",
        "pc" | "pcs" | "piece" | "pieces" | "stuck" | "stueck" | "stk" | "stuks" | "pieza" | "piezas"
        | "pezzi" | "ks" | "szt" | "шт" => "pcs",
        "pack" | "packs" | "pk" => "pack",
        "port" | "ports" => "port",
        "core" | "cores" => "core",
        "bit" | "bits" => "bit",
        "min" | "mins" | "minute" | "minutes" => "min",
        "year" | "years" | "yr" | "yrs" => "year",
        "month" | "months" => "month",
        _ => return None,
    })
}

/// Walks through a text.
struct UnitScanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> UnitScanner<'t> {
    fn remaining_text(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) -> &'t str {
        let rest = self.remaining_text();
        let length = rest.find(|letter| !is_skipped(letter)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_one(&mut self, signs: &[char]) -> bool {
        let found = self.remaining_text().chars().next().filter(|sign| signs.contains(sign));
        self.at += found.map_or(0, char::len_utf8);
        found.is_some()
    }

    /// A number with a point as its decimal sign, without the signs between its thousands and without trailing zeros.
    fn number(&mut self, language: ShopLanguage) -> Option<String> {
        let whole = self.skip(|sign| sign.is_ascii_digit());
        if whole.is_empty() {
            return None;
        }
        let mut number = whole.to_owned();
        loop {
            let rest = self.remaining_text();
            let sign = rest.chars().next().filter(|sign| matches!(sign, '.' | ','));
            let digits = rest.get(1..).map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
            let Some(sign) = sign.filter(|_| digits > 0) else { break };
            let digits_text = &rest[1..=digits];
            self.at += 1 + digits;
            let groups = if language == ShopLanguage::English { ',' } else { '.' };
            if sign == groups && digits == 3 && whole.len() <= 3 && !whole.starts_with('0') {
                number.push_str(digits_text);
                continue;
            }
            let decimals = digits_text.trim_end_matches('0');
            if !decimals.is_empty() {
                number.push('.');
                number.push_str(decimals);
            }
            break;
        }
        Some(number)
    }

    /// ` x 4`, `×4`: the next of several numbers.
    fn next_side(&mut self, language: ShopLanguage) -> Option<String> {
        let before = self.at;
        self.skip(|sign| sign == ' ');
        if self.skip_one(&['x', 'X', '×', '*']) {
            self.skip(|sign| sign == ' ');
            if let Some(number) = self.number(language) {
                return Some(number);
            }
        }
        self.at = before;
        None
    }

    fn unit(&mut self, language: ShopLanguage) -> Option<&'static str> {
        let before = self.at;
        let found = self.try_unit(language);
        if found.is_none() {
            self.at = before;
        }
        found
    }

    fn try_unit(&mut self, language: ShopLanguage) -> Option<&'static str> {
        if self.skip_one(&['"', '”', '″', '“']) {
            return Some("in");
        }
        if self.remaining_text().starts_with("''") || self.remaining_text().starts_with("’’") {
            self.skip(|sign| matches!(sign, '\'' | '’'));
            return Some("in");
        }
        let is_attached = !self.skip_one(&[' ', '\u{a0}', '\u{202f}']);
        if self.skip_one(&['%']) {
            return Some("%");
        }
        let has_degree = self.skip_one(&['°', 'º']);
        let has_dash = self.skip_one(&['-', '‑']);
        let word = self.skip(char::is_alphabetic);
        if word.is_empty() || self.remaining_text().starts_with(|sign: char| sign.is_ascii_digit()) {
            return None;
        }
        // Most units are plain letters.
        let folded = if word.is_ascii() { word.to_ascii_lowercase() } else { fold_text(word) };
        match (folded.as_str(), has_degree) {
            ("c", true) => Some("c"),
            ("f", true) => Some("f"),
            (word, _) => unit(language, word, is_attached || has_dash),
        }
    }
}

/// Returns true if the second part of a name comes next: the `45` of `RJ-45 DB`.
fn is_part_of_name(before: &str) -> bool {
    before.strip_suffix('-').is_some_and(|before| before.ends_with(char::is_alphabetic))
}

/// The measures of the text, in its order.
pub(super) fn units(language: ShopLanguage, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut reader = UnitScanner { text, at: 0 };
    // Most of a text is skipped at once: a measure begins with a digit, and not within a word.
    while let Some(digit) = text.as_bytes()[reader.at..].iter().position(u8::is_ascii_digit) {
        let is_in_word = reader.remaining_text()[..digit].ends_with(char::is_alphanumeric);
        reader.at += digit;
        if is_in_word || is_part_of_name(&text[..reader.at]) {
            reader.skip(char::is_alphanumeric);
            continue;
        }
        let Some(mut measure) = reader.number(language) else { break };
        let mut sides = 1;
        while let Some(side) = reader.next_side(language) {
            measure.push('x');
            measure.push_str(&side);
            sides += 1;
        }
        let unit = reader.unit(language);
        // A number alone is no measure, and pixels need no unit where there are two.
        if let Some(unit) = unit.filter(|unit| sides == 1 || *unit != "px") {
            measure.push_str(unit);
        } else if sides == 1 {
            reader.skip(char::is_alphanumeric);
            continue;
        }
        found.push(measure);
    }
    found
}
