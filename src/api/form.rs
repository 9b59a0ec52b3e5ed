//! The fields of a form-encoded body. Their values are bytes: a text may have been cut inside a letter.

use axum::http::HeaderMap;
use percent_encoding::percent_decode;
use url::form_urlencoded;

use super::body::media_type;
use super::credentials;
use super::json_fields::{RequestFields, without_nul};
use crate::limits;
use crate::transport::refusal::{ErrorCode, Refusal};

/// The media type of a form.
pub const FORM: &str = "application/x-www-form-urlencoded";

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

/// The body of a form with these fields, in their order.
pub fn spell_form<'a>(fields: impl Iterator<Item = &'a (&'a str, &'a [u8])>) -> String {
    let mut form = String::new();
    for (name, value) in fields {
        if !form.is_empty() {
            form.push('&');
        }
        form.push_str(name);
        form.push('=');
        form.extend(form_urlencoded::byte_serialize(value));
    }
    form
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

    fn sentence_of(body: &str) -> Option<String> {
        UrlEncodedForm::parse(body.as_bytes()).err().map(|refusal| refusal.sentence().to_owned())
    }

    #[test]
    fn a_form_has_up_to_64_fields_and_names_that_are_read_only_once() {
        let form = |count: usize| (0..count).map(|number| format!("f{number}=&")).collect::<String>();
        assert_eq!(sentence_of(&form(64)), None);
        assert_eq!(sentence_of(&form(65)).as_deref(), Some("The body of the request has too many fields"));
        for name in ["accessKey", "AppKey", "appid", "SECRETKEY", "Secret", "feedName", "payload"] {
            let says = format!("The body of the request has the field {name} twice");
            assert_eq!(sentence_of(&format!("{name}=1&{name}=2")), Some(says));
        }
        let other = "The body of the request has a field twice that is not read; is the payload encoded?";
        assert_eq!(sentence_of("dryRun=1&dryRun=1").as_deref(), Some(other));
        assert_eq!(sentence_of("&&a=1&&b=2&&"), None);
    }

    #[test]
    fn of_a_form_that_goes_on_the_fields_before_the_last_sign_are_whole() {
        let text = |part: &str, name: &str| {
            let form = UrlEncodedForm::parse_partial(part.as_bytes()).expect("a form");
            form.opt_text(&[name]).expect("a text")
        };
        for (part, a, b) in [
            ("", None, None),
            ("a=1", None, None),
            ("a=1&", Some("1"), None),
            ("a=1&b=2", Some("1"), None),
            ("a=1&b=2&", Some("1"), Some("2")),
        ] {
            assert_eq!((text(part, "a").as_deref(), text(part, "B").as_deref()), (a, b), "{part}");
        }
        assert!(UrlEncodedForm::parse_partial(b"a=1&a=2&c").is_err());
    }

    #[test]
    fn a_form_is_announced_by_its_media_type_and_a_text_in_it_is_utf_8_without_nul() {
        for (sent, is_form) in [
            ("application/x-www-form-urlencoded", true),
            ("Application/X-WWW-Form-Urlencoded; charset=utf-8", true),
            ("application/json", false),
        ] {
            let headers = HeaderMap::from_iter([(
                axum::http::header::CONTENT_TYPE,
                axum::http::HeaderValue::from_static(sent),
            )]);
            let sentence = UrlEncodedForm::check(&headers).err().map(|refusal| refusal.sentence().to_owned());
            let says = "The Content-Type has to be application/x-www-form-urlencoded";
            assert_eq!(sentence.as_deref(), (!is_form).then_some(says), "{sent}");
        }
        let form = UrlEncodedForm::parse(b"a=%ff&b=%00&c=1&C=2").expect("a form");
        for (name, sentence) in [
            ("a", "a has to be text in UTF-8"),
            ("b", "b holds a NUL character"),
            ("c", "c is given twice, with different values"),
            ("d", "d is missing"),
        ] {
            let refused = form.text(&[name]).err().map(|refusal| refusal.sentence().to_owned());
            assert_eq!(refused.as_deref(), Some(sentence));
        }
    }

    #[test]
    fn a_form_holds_any_bytes_under_their_names() {
        let fields: [(&str, &[u8]); 3] =
            [("accessKey", b"LA1"), ("payLoad", b"{\"a\": \"b&c+%\"}\xc3"), ("empty", b"")];
        let form = spell_form(fields.iter());
        assert_eq!(form, "accessKey=LA1&payLoad=%7B%22a%22%3A+%22b%26c%2B%25%22%7D%C3&empty=");
    }

    #[test]
    fn a_lone_percent_stands_for_itself() {
        assert_eq!(decode(b"100%+%zz%4"), b"100% %zz%4");
    }
}
