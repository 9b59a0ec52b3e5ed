//! The fields of a form-encoded body. Their values are bytes: a text may have been cut inside a letter.

use axum::http::HeaderMap;
use percent_encoding::percent_decode;

use super::body::media_type;
use super::credentials;
use super::json_fields::{RequestFields, without_nul};
use crate::limits;
use crate::transport::refusal::{ErrorCode, Refusal};

/// The media type of a form.
const FORM: &str = "application/x-www-form-urlencoded";

/// The fields of forms that are read.
const READ: [&[&str]; 3] = [credentials::ACCESS_KEY, credentials::SECRET_KEY, &["feedName", "payLoad"]];

/// Names a field that is read. Where a payload is not encoded, any other name may be part of the payload.
fn twice(name: &str) -> Refusal {
    let is_read = READ.iter().flat_map(|names| names.iter()).any(|known| known.eq_ignore_ascii_case(name));
    if is_read {
        Refusal::field_twice(name)
    } else {
        Refusal::new(
            ErrorCode::FieldTwice,
            "The body of the request has a field twice that is not read; is the payload encoded?",
        )
    }
}

/// A form's fields as they stand in its body, encoded.
pub struct UrlEncodedForm<'a>(Vec<(String, &'a [u8])>);

impl<'a> UrlEncodedForm<'a> {
    /// Checks that the headers announce a form.
    ///
    /// # Errors
    /// A refusal when they do not.
    pub fn check(headers: &HeaderMap) -> Result<(), Refusal> {
        if media_type(headers).eq_ignore_ascii_case(FORM) { Ok(()) } else { Err(Refusal::media_type(FORM)) }
    }

    /// Finds the fields; their names must be distinct as spelt.
    ///
    /// # Errors
    /// A refusal when a name stands twice or there are too many fields.
    pub fn parse(body: &'a [u8]) -> Result<Self, Refusal> {
        let mut fields: Vec<(String, &'a [u8])> = Vec::new();
        for pair in body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            let equals = memchr::memchr(b'=', pair).unwrap_or(pair.len());
            let name = decode(&pair[..equals]);
            let value = pair.get(equals + 1..).unwrap_or_default();
            let name = String::from_utf8_lossy(&name).into_owned();
            if fields.len() >= limits::REQUEST_FIELDS {
                return Err(Refusal::malformed("The body of the request has too many fields"));
            }
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(twice(&name));
            }
            fields.push((name, value));
        }
        Ok(Self(fields))
    }

    /// The fields that have arrived of a form that goes on.
    ///
    /// # Errors
    /// As [`UrlEncodedForm::parse`].
    pub fn parse_partial(part: &'a [u8]) -> Result<Self, Refusal> {
        let whole = part.iter().rposition(|byte| *byte == b'&').unwrap_or(0);
        Self::parse(&part[..whole])
    }

    /// The bytes of a field under any of its spellings, which are compared without case.
    ///
    /// # Errors
    /// A refusal when two spellings have different values.
    pub fn bytes(&self, spellings: &[&str]) -> Result<Option<Vec<u8>>, Refusal> {
        let mut found: Option<Vec<u8>> = None;
        for (name, value) in &self.0 {
            if !spellings.iter().any(|spelling| name.eq_ignore_ascii_case(spelling)) {
                continue;
            }
            let value = decode(value);
            if found.as_ref().is_some_and(|earlier| *earlier != value) {
                return Err(Refusal::malformed(format!(
                    "{} is given twice, with different values",
                    spellings[0]
                )));
            }
            found = Some(value);
        }
        Ok(found)
    }
}

impl RequestFields for UrlEncodedForm<'_> {
    fn opt_text(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        let Some(bytes) = self.bytes(spellings)? else { return Ok(None) };
        let text = String::from_utf8(bytes)
            .map_err(|_| Refusal::malformed(format!("{} has to be text in UTF-8", spellings[0])))?;
        without_nul(text, spellings[0]).map(Some)
    }

    fn as_sent(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        self.opt_text(spellings)
    }
}

/// `+` is a space, `%XX` a byte; a lone `%` stands for itself (WHATWG URL, application/x-www-form-urlencoded).
fn decode(encoded: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(encoded.len());
    for (number, part) in encoded.split(|byte| *byte == b'+').enumerate() {
        if number > 0 {
            decoded.push(b' ');
        }
        decoded.extend(percent_decode(part));
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_as_bytes_wherever_they_were_cut() {
        let form =
            UrlEncodedForm::parse(b"feedName=a%2Db&payLoad=%7B%22x%22%3A+1%2B%C3&&php&=x").ok().unwrap();
        assert_eq!(form.bytes(&["payload"]).ok().unwrap().unwrap(), b"{\"x\": 1+\xc3");
        assert_eq!(form.text(&["feedname"]).ok().unwrap(), "a-b");
        assert_eq!(form.bytes(&["php"]).ok().unwrap().unwrap(), b"");
        assert!(form.bytes(&["browser"]).ok().unwrap().is_none());
        assert!(form.text(&["payLoad"]).is_err());
    }

    #[test]
    fn a_name_given_twice_is_refused_unless_spelt_differently_with_one_value() {
        assert!(UrlEncodedForm::parse(b"a=1&a=1").is_err());
        assert!(UrlEncodedForm::parse(b"a=1&A=1").ok().unwrap().text(&["a"]).is_ok());
        assert!(UrlEncodedForm::parse(b"a=1&A=2").ok().unwrap().text(&["a"]).is_err());
    }

    #[test]
    fn a_lone_percent_stands_for_itself() {
        assert_eq!(decode(b"100%+%zz%4"), b"100% %zz%4");
    }
}
