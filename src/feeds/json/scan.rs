//! The strict check of one row, at every depth: syntax, text, numbers, depth and duplicate keys.

use super::members::{JsonMember, keep_each_once};
use super::text::hex4;
use super::value::JsonValue;
use crate::limits;

/// Reason why a row cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Malformed {
    Syntax,
    InvalidUtf8,
    LoneSurrogate,
    /// A number beyond the largest double, such as 1e400.
    NumberTooLarge,
    TooDeep,
    /// Too many members of objects that are open at once.
    TooManyFields,
    /// A key twice in one object, with different values.
    DuplicateKey,
}

/// Fault of a row, and the decoded key of the row's member it is in, if known.
pub(in super::super) struct Flaw {
    pub(in super::super) malformed: Malformed,
    pub(in super::super) key: Option<String>,
}

/// Checks one row and, if it is an object, puts its members into `members` (empty before), each key once. Returns the
/// row as a value.
pub(in super::super) fn scan_row<'a>(
    json: &'a [u8],
    members: &mut Vec<JsonMember<'a>>,
) -> Result<JsonValue<'a>, Flaw> {
    let text = std::str::from_utf8(json).map_err(|error| Flaw {
        malformed: Malformed::InvalidUtf8,
        key: key_at(json, error.valid_up_to()),
    })?;
    let mut scanner = Scanner { text, json, at: 0, members, key: None };
    match scanner.document() {
        Ok(row) => Ok(row),
        Err(malformed) => {
            let key = scanner.key.map(|member| member.name().into_owned());
            Err(Flaw { malformed, key })
        }
    }
}

/// The key of the row's member in which byte `position` stands, if the rest of the row can be read.
fn key_at(json: &[u8], position: usize) -> Option<String> {
    let ascii: String =
        json.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect();
    let mut members = Vec::new();
    scan_row(ascii.as_bytes(), &mut members).ok()?;
    let start = |part: &str| part.as_ptr() as usize - ascii.as_ptr() as usize;
    let member = members.iter().rfind(|member| start(member.value.as_sent()) <= position)?;
    let end = start(member.value.as_sent()) + member.value.as_sent().len();
    (position < end && !member.key.contains('?')).then(|| member.name().into_owned())
}

struct Scanner<'a, 'm> {
    text: &'a str,
    json: &'a [u8],
    at: usize,
    /// Members of the objects that are open, the row's first.
    members: &'m mut Vec<JsonMember<'a>>,
    /// The row's member that is being read; its value is not known yet.
    key: Option<JsonMember<'a>>,
}

impl<'a> Scanner<'a, '_> {
    fn document(&mut self) -> Result<JsonValue<'a>, Malformed> {
        self.skip_space();
        let row = self.value(0)?;
        self.skip_space();
        self.key = None;
        if self.at < self.json.len() {
            return Err(Malformed::Syntax);
        }
        Ok(row)
    }

    fn value(&mut self, depth: usize) -> Result<JsonValue<'a>, Malformed> {
        let start = self.at;
        match self.json.get(start) {
            Some(b'"') => {
                self.string()?;
            }
            Some(b'{') => self.object(depth + 1)?,
            Some(b'[') => self.list(depth + 1)?,
            Some(b't') => self.word(b"true")?,
            Some(b'f') => self.word(b"false")?,
            Some(b'n') => self.word(b"null")?,
            Some(_) => self.number()?,
            None => return Err(Malformed::Syntax),
        }
        Ok(JsonValue(&self.text[start..self.at]))
    }

    fn object(&mut self, depth: usize) -> Result<(), Malformed> {
        self.enter(depth)?;
        let from = self.members.len();
        if self.closes(b'}') {
            return Ok(());
        }
        loop {
            if self.json.get(self.at) != Some(&b'"') {
                return Err(Malformed::Syntax);
            }
            let (key, is_escaped) = self.string()?;
            let nothing = JsonValue(&self.text[self.at..self.at]);
            if depth == 1 {
                self.key = Some(JsonMember { key, is_escaped, value: nothing });
            }
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            let value = self.value(depth)?;
            let most = limits::FEED_ROW_FIELDS;
            if self.members.len() >= most {
                return Err(Malformed::TooManyFields);
            }
            self.members.push(JsonMember { key, is_escaped, value });
            if !self.continues(b'}')? {
                break;
            }
        }
        if let Err(repeated) = keep_each_once(self.members, from) {
            if depth == 1 {
                self.key = Some(repeated);
            }
            return Err(Malformed::DuplicateKey);
        }
        if depth > 1 {
            self.members.truncate(from);
        }
        Ok(())
    }

    fn list(&mut self, depth: usize) -> Result<(), Malformed> {
        self.enter(depth)?;
        if self.closes(b']') {
            return Ok(());
        }
        loop {
            self.value(depth)?;
            if !self.continues(b']')? {
                return Ok(());
            }
        }
    }

    fn enter(&mut self, depth: usize) -> Result<(), Malformed> {
        if depth > limits::FEED_ROW_DEPTH_LEVELS {
            return Err(Malformed::TooDeep);
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Consumes `close` if it is next.
    fn closes(&mut self, close: u8) -> bool {
        let closes = self.json.get(self.at) == Some(&close);
        self.at += usize::from(closes);
        closes
    }

    /// After an element: true after a comma, false after `close`.
    fn continues(&mut self, close: u8) -> Result<bool, Malformed> {
        self.skip_space();
        if self.closes(close) {
            return Ok(false);
        }
        self.expect(b',')?;
        self.skip_space();
        Ok(true)
    }

    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.closes(byte) { Ok(()) } else { Err(Malformed::Syntax) }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Malformed> {
        if !self.json[self.at..].starts_with(word) {
            return Err(Malformed::Syntax);
        }
        self.at += word.len();
        Ok(())
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.json.get(self.at) {
            self.at += 1;
        }
    }

    /// Content of the string at the position, and whether it has escapes.
    fn string(&mut self) -> Result<(&'a str, bool), Malformed> {
        let start = self.at + 1;
        let mut at = start;
        let mut is_escaped = false;
        loop {
            at += plain_bytes(&self.json[at..]);
            match self.json.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok((&self.text[start..at], is_escaped));
                }
                Some(b'\\') => {
                    is_escaped = true;
                    at += self.escape(at)?;
                }
                _ => return Err(Malformed::Syntax),
            }
        }
    }

    /// Length of the escape at `at`.
    fn escape(&self, at: usize) -> Result<usize, Malformed> {
        match self.json.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
            Some(b'u') => match self.code_unit(at)? {
                0xD800..0xDC00 => {
                    let follows = self.json.get(at + 6..at + 8) == Some(b"\\u");
                    if follows && (0xDC00..0xE000).contains(&self.code_unit(at + 6)?) {
                        Ok(12)
                    } else {
                        Err(Malformed::LoneSurrogate)
                    }
                }
                0xDC00..0xE000 => Err(Malformed::LoneSurrogate),
                _ => Ok(6),
            },
            _ => Err(Malformed::Syntax),
        }
    }

    /// The number in the four hexadecimal digits after the backslash and the `u` at `at`.
    fn code_unit(&self, at: usize) -> Result<u32, Malformed> {
        let digits = self.json.get(at + 2..at + 6).ok_or(Malformed::Syntax)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(Malformed::Syntax);
        }
        Ok(hex4(Some(digits)))
    }

    fn number(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        self.closes(b'-');
        if !self.closes(b'0') {
            self.digits()?;
        }
        if self.closes(b'.') {
            self.digits()?;
        }
        let mut is_surely_finite = self.at - start < 300;
        if self.closes(b'e') || self.closes(b'E') {
            if !self.closes(b'-') {
                self.closes(b'+');
            }
            self.digits()?;
            is_surely_finite = false;
        }
        let is_finite = || self.text[start..self.at].parse::<f64>().is_ok_and(|number| number.is_finite());
        if is_surely_finite || is_finite() { Ok(()) } else { Err(Malformed::NumberTooLarge) }
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.json.get(self.at) {
            self.at += 1;
        }
        if self.at == start { Err(Malformed::Syntax) } else { Ok(()) }
    }
}

/// Number of bytes at the front of a string that are neither a quote, a backslash nor a control character.
///
/// Eight at a time: the high bit of a byte of `special` is set where the byte is special. A borrow can set further bits
/// above the first, which is the one that counts.
fn plain_bytes(text: &[u8]) -> usize {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    let (words, rest) = text.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word;
        let is = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
        let special = (below(word, 0x20) | is(b'"') | is(b'\\')) & (EACH << 7);
        if special != 0 {
            return number * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let plain = |byte: &u8| *byte >= 0x20 && !matches!(*byte, b'"' | b'\\');
    words.len() * 8 + rest.iter().take_while(|byte| plain(byte)).count()
}

impl<'a> JsonValue<'a> {
    /// Checks one value that may have white space around it.
    pub(crate) fn check(text: &'a str) -> Result<Self, Malformed> {
        let mut members = Vec::new();
        scan_row(text.as_bytes(), &mut members).map_err(|flaw| flaw.malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::plain_bytes;

    #[test]
    fn every_byte_ends_the_plain_part_where_it_has_to_and_nowhere_else() {
        for byte in 0..=255_u8 {
            let ends = byte < 0x20 || byte == b'"' || byte == b'\\';
            for (length, at) in (0..24).flat_map(|length| (0..length).map(move |at| (length, at))) {
                let mut text = vec![b'a'; length];
                text[at] = byte;
                assert_eq!(plain_bytes(&text), if ends { at } else { length }, "{byte} at {at} of {length}");
                // The bytes after the first one change nothing.
                text[at..].fill(byte);
                assert_eq!(
                    plain_bytes(&text),
                    if ends { at } else { length },
                    "{byte} from {at} of {length}"
                );
            }
        }
    }
}
