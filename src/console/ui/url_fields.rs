//! The fields of a form as an address: each state of such a page can be sent to another person.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Each field by its name; of one that stands there twice the last counts.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct FieldMap(BTreeMap<String, String>);

impl FieldMap {
    /// A field, without blanks around it; empty when there is none.
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |text| text.trim())
    }

    /// True if the field is present, even if empty.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A whole number, where it is one.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.text(name).parse().ok()
    }

    /// The address with one field set otherwise.
    pub fn address_with(&self, name: &str, value: &str) -> String {
        let mut all: BTreeMap<&str, &str> =
            self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        all.insert(name, value);
        let address = url::form_urlencoded::Serializer::new("?".to_owned()).extend_pairs(all).finish();
        // The first pair is appended to the existing address.
        address.replacen("?&", "?", 1)
    }

    /// Puts fields that were filled in into a question, by the names that the operation has for them.
    pub fn fill_question(&self, question: &mut Value, names: &[(&str, &str)]) {
        for (field, name) in names {
            let text = self.text(field);
            if !text.is_empty() {
                question[*name] = text.into();
            }
        }
    }
}

impl<'f> FromIterator<(&'f str, &'f str)> for FieldMap {
    fn from_iter<T: IntoIterator<Item = (&'f str, &'f str)>>(all: T) -> Self {
        Self(all.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_what_was_asked() {
        let asked: FieldMap = [("q", "red & blue"), ("page", "2")].into_iter().collect();
        assert_eq!(asked.address_with("page", "3"), "?page=3&q=red+%26+blue");
        assert_eq!((asked.number("page"), asked.number("q"), asked.text("x")), (Some(2), None, ""));
        assert!(asked.has("q") && !asked.has("x"));
    }

    #[test]
    fn a_question_has_the_fields_that_were_filled_in() {
        let asked: FieldMap = [("q", " oak "), ("size", " "), ("page", "")].into_iter().collect();
        let mut question = serde_json::json!({"Size": 10, "Page": 1});
        asked.fill_question(&mut question, &[("q", "Query"), ("size", "Size"), ("page", "Page"), ("x", "X")]);
        assert_eq!(question, serde_json::json!({"Size": 10, "Page": 1, "Query": "oak"}));
        assert_eq!((asked.text("q"), asked.has("page"), asked.number("size")), ("oak", true, None));
        assert_eq!(asked.address_with("size", "5"), "?page=&q=+oak+&size=5");
        assert_eq!(FieldMap::default().address_with("page", "2"), "?page=2");
        let twice: FieldMap = [("page", "1"), ("page", "-2")].into_iter().collect();
        assert_eq!(twice.number("page"), Some(-2));
    }
}
