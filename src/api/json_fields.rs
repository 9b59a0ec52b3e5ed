//! Fields of a JSON object: read once, by the rules for names.

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::limits;
use crate::transport::refusal::{ErrorCode, Refusal};

/// Named values of a request: the members of a JSON object, or the fields of a form.
pub trait RequestFields {
    /// A text under any of its spellings, if it is there.
    ///
    /// # Errors
    /// A refusal when it is not a text, holds a NUL character, or is given twice with different values.
    fn opt_text(&self, spellings: &[&str]) -> Result<Option<String>, Refusal>;

    /// A text that has to be there.
    ///
    /// # Errors
    /// As [`RequestFields::opt_text`]; also when it is missing.
    fn text(&self, spellings: &[&str]) -> Result<String, Refusal> {
        let text = self.opt_text(spellings)?;
        text.ok_or_else(|| Refusal::missing(format!("{} is missing", spellings[0])))
    }

    /// A value as it was sent, a text without its quotes.
    ///
    /// # Errors
    /// A refusal when it is given twice with different values, or the field of a form is not a text.
    fn as_sent(&self, spellings: &[&str]) -> Result<Option<String>, Refusal>;

    /// An id: a text, or a whole number, which is its digits. `None` when it is not there, null or empty.
    ///
    /// # Errors
    /// As [`RequestFields::opt_text`].
    fn opt_id(&self, name: &str) -> Result<Option<String>, Refusal> {
        let sent = self.as_sent(&[name])?;
        match sent.as_deref() {
            None | Some("" | "null") => Ok(None),
            Some(sent) if sent.bytes().all(|digit| digit.is_ascii_digit()) => Ok(Some(sent.to_owned())),
            Some(_) => self.opt_text(&[name]),
        }
    }

    /// Yes or no; no, if it is not there.
    ///
    /// # Errors
    /// As [`RequestFields::as_sent`]; also when it is neither yes nor no.
    fn flag(&self, spellings: &[&str]) -> Result<bool, Refusal> {
        match self.as_sent(spellings)?.as_deref().map(str::trim) {
            None | Some("" | "null" | "false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(_) => Err(Refusal::malformed(format!("{} has to be true or false", spellings[0]))),
        }
    }

    /// The same; `None` when it is not there.
    ///
    /// # Errors
    /// As [`RequestFields::flag`].
    fn opt_flag(&self, spellings: &[&str]) -> Result<Option<bool>, Refusal> {
        match self.as_sent(spellings)?.as_deref().map(str::trim) {
            None | Some("" | "null") => Ok(None),
            Some(_) => self.flag(spellings).map(Some),
        }
    }

    /// A whole number that has to be there.
    ///
    /// # Errors
    /// As [`RequestFields::as_sent`]; also when it is missing or not a whole number.
    fn number(&self, spellings: &[&str]) -> Result<i64, Refusal> {
        let number = self.opt_number(spellings)?;
        number.ok_or_else(|| Refusal::missing(format!("{} is missing", spellings[0])))
    }

    /// A whole number; `None` when it is not there.
    ///
    /// # Errors
    /// As [`RequestFields::as_sent`]; also when it is not a whole number.
    fn opt_number(&self, spellings: &[&str]) -> Result<Option<i64>, Refusal> {
        let Some(sent) = self.as_sent(spellings)? else { return Ok(None) };
        let malformed = || Refusal::malformed(format!("{} has to be a whole number", spellings[0]));
        whole_number(sent.trim()).map(Some).ok_or_else(malformed)
    }
}

/// A whole number as JSON writes one: 3.0 and 3e0 are 3.
pub fn whole_number(text: &str) -> Option<i64> {
    let of_real = |number: f64| (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64);
    text.parse().ok().or_else(|| of_real(text.parse().ok()?))
}

/// Below this a number with a fraction part has every whole number.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// The text, unless it has a character that nothing that is looked up holds, and PostgreSQL does not take.
///
/// # Errors
/// A refusal that says so of the field `name` when the text holds a NUL character.
pub fn without_nul(text: String, name: &str) -> Result<String, Refusal> {
    if text.contains('\0') {
        Err(Refusal::malformed(format!("{name} holds a NUL character")))
    } else {
        Ok(text)
    }
}

/// A refusal of a member that cannot be read as `wanted`, or whose number or nesting is beyond any limit.
pub fn unreadable(name: &str, fault: &serde_json::Error, wanted: &str) -> Refusal {
    if fault.is_data() {
        Refusal::malformed(format!("{name} has to be {wanted}"))
    } else {
        Refusal::malformed(format!(
            "{name} holds a number beyond the largest that is read, or is nested more than {JSON_DEPTH} deep"
        ))
    }
}

/// Deepest nesting that the JSON reader accepts.
pub(super) const JSON_DEPTH: usize = 127;

/// The members of a request's JSON object, each as it was sent.
pub struct JsonFields<'a>(Vec<(String, &'a RawValue)>);

impl<'a> JsonFields<'a> {
    /// Reads the object; its names must be distinct as spelt.
    ///
    /// # Errors
    /// A refusal when the body is not one JSON object in UTF-8, has a name twice, or has too many fields.
    pub fn parse(body: &'a [u8]) -> Result<Self, Refusal> {
        let text = std::str::from_utf8(without_mark(body)).map_err(|_| malformed_json())?;
        let mut reader = serde_json::Deserializer::from_str(text);
        let mut fields = Vec::with_capacity(8);
        let mut twice = None;
        let visitor = FieldsVisitor { fields: &mut fields, twice: &mut twice };
        reader.deserialize_map(visitor).map_err(|error| {
            let says = |fault| error.is_data() && error.to_string().starts_with(fault);
            if let Some(name) = twice {
                Refusal::field_twice(&name)
            } else if says(TOO_MANY) {
                let most = limits::REQUEST_FIELDS;
                Refusal::malformed(format!("The body of the request has more than {most} fields"))
            } else {
                malformed_json()
            }
        })?;
        reader.end().map_err(|_| malformed_json())?;
        Ok(Self(fields))
    }

    /// The members that have arrived of an object that goes on.
    pub fn parse_partial(part: &'a [u8]) -> Self {
        let mut fields = Vec::new();
        let mut twice = None;
        let visitor = FieldsVisitor { fields: &mut fields, twice: &mut twice };
        // Where the text breaks off, the object is at fault; other faults are reported when all has arrived.
        let _ = serde_json::Deserializer::from_slice(without_mark(part)).deserialize_map(visitor);
        Self(fields)
    }

    /// The value of a field under any of its spellings, which are compared without case. Two spellings with
    /// different values are refused; with equal values they pass.
    ///
    /// # Errors
    /// A refusal when two spellings have different values.
    pub fn find(&self, spellings: &[&str]) -> Result<Option<&'a RawValue>, Refusal> {
        let mut found: Option<&'a RawValue> = None;
        for (name, value) in &self.0 {
            if !spellings.iter().any(|spelling| name.eq_ignore_ascii_case(spelling)) {
                continue;
            }
            match found {
                Some(earlier) if !is_same(earlier, value) => {
                    return Err(Refusal::malformed(format!(
                        "{} is given twice, with different values",
                        spellings[0]
                    )));
                }
                _ => found = Some(value),
            }
        }
        Ok(found)
    }

    /// A text that has to be there.
    ///
    /// # Errors
    /// As [`RequestFields::text`].
    pub fn text(&self, spellings: &[&str]) -> Result<String, Refusal> {
        RequestFields::text(self, spellings)
    }

    /// A text, if it is there.
    ///
    /// # Errors
    /// As [`RequestFields::opt_text`].
    pub fn opt_text(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        RequestFields::opt_text(self, spellings)
    }

    /// A list of texts, or one text that stands for a list of itself; `null` and an empty text are an empty list.
    /// `None` when it is not there.
    ///
    /// # Errors
    /// A refusal when it is neither, or is given twice with different values.
    pub fn opt_texts(&self, name: &str) -> Result<Option<Vec<String>>, Refusal> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum TextOrList {
            None(()),
            One(String),
            Several(Vec<String>),
        }
        let Some(value) = self.find(&[name])? else { return Ok(None) };
        let malformed = |_| Refusal::malformed(format!("{name} has to be a list of texts"));
        Ok(Some(match serde_json::from_str(value.get()).map_err(malformed)? {
            TextOrList::None(()) => Vec::new(),
            TextOrList::One(text) => Some(text).filter(|text| !text.is_empty()).into_iter().collect(),
            TextOrList::Several(texts) => texts,
        }))
    }

    /// All members, in the order they were sent.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

impl RequestFields for JsonFields<'_> {
    fn opt_text(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        let Some(value) = self.find(spellings)? else { return Ok(None) };
        let text: String = serde_json::from_str(value.get())
            .map_err(|_| Refusal::malformed(format!("{} has to be a string", spellings[0])))?;
        without_nul(text, spellings[0]).map(Some)
    }

    fn as_sent(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        Ok(self.find(spellings)?.map(|value| value.get().trim_matches('"').to_owned()))
    }
}

/// Two spellings of a value are looked through up to this length; longer ones are the same if their bytes are.
pub(super) const COMPARED_BYTES: usize = 4096;

pub(super) fn is_same(one: &RawValue, other: &RawValue) -> bool {
    let is_short = one.get().len().max(other.get().len()) <= COMPARED_BYTES;
    one.get() == other.get()
        || is_short
            && matches!(
                (
                    serde_json::from_str::<serde_json::Value>(one.get()),
                    serde_json::from_str::<serde_json::Value>(other.get())
                ),
                (Ok(one), Ok(other)) if one == other
            )
}

/// A body without the byte order mark that some editors put before their text (RFC 8259, 8.1, lets a parser ignore it).
pub(super) fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body)
}

pub(super) fn malformed_json() -> Refusal {
    Refusal::new(ErrorCode::NotJson, "The body of the request has to be one JSON object in UTF-8")
}

pub(super) const DUPLICATE: &str = "duplicate name";

pub(super) const TOO_MANY: &str = "too many fields";

/// Collects the members of an object.
pub(super) struct FieldsVisitor<'f, 'a> {
    fields: &'f mut Vec<(String, &'a RawValue)>,
    /// The name that stands there twice, if one does.
    twice: &'f mut Option<String>,
}

impl<'de> Visitor<'de> for FieldsVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { fields, twice } = self;
        while let Some(name) = map.next_key::<String>()? {
            if fields.len() >= limits::REQUEST_FIELDS {
                return Err(serde::de::Error::custom(TOO_MANY));
            }
            if fields.iter().any(|(known, _)| *known == name) {
                *twice = Some(name);
                return Err(serde::de::Error::custom(DUPLICATE));
            }
            fields.push((name, map.next_value()?));
        }
        Ok(())
    }
}
