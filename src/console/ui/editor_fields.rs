//! Fields of an editor's form, kept from the button that changes them to the page that shows them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::form::{ConsoleForm, OF_THE_PAGE};

/// All values of each field, by its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct EditorFields(BTreeMap<String, Vec<String>>);

impl EditorFields {
    /// The fields of a submitted form, without its token and its button. Ends of lines are those of the web.
    pub fn from_form(form: &ConsoleForm) -> Self {
        let mut fields = Self::default();
        for (name, value) in form.pairs().filter(|(name, _)| !OF_THE_PAGE.contains(name)) {
            fields.values_mut(name).push(value.replace("\r\n", "\n"));
        }
        fields
    }

    /// The first value of a field, without blanks around it; empty when there is none.
    pub fn text(&self, name: &str) -> &str {
        self.values(name).first().map_or("", |text| text.trim())
    }

    /// The names of the fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// All values of a field.
    pub fn values(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self, name: &str) -> &mut Vec<String> {
        self.0.entry(name.to_owned()).or_default()
    }

    /// Sets a field to one value; an empty one clears it.
    pub fn set(&mut self, name: &str, text: &str) {
        self.set_values(name, if text.is_empty() { Vec::new() } else { vec![text.to_owned()] });
    }

    /// Sets all values of a field.
    pub fn set_values(&mut self, name: &str, values: Vec<String>) {
        if values.is_empty() {
            self.0.remove(name);
        } else {
            self.0.insert(name.to_owned(), values);
        }
    }

    /// True if a field has the same filled-in values in both.
    pub fn has_same(&self, other: &Self, name: &str) -> bool {
        let filled = |fields: &Self| -> Vec<String> {
            let values = fields.values(name).iter().map(|value| value.trim().to_owned());
            values.filter(|value| !value.is_empty()).collect()
        };
        filled(self) == filled(other)
    }

    /// Takes over the fields that others changed since the form was opened; a field that was changed here stays as it
    /// is here.
    pub fn take_over(&mut self, opened: &Self, theirs: &Self) {
        for name in opened.names().chain(theirs.names()) {
            if self.has_same(opened, name) {
                self.set_values(name, theirs.values(name).to_vec());
            }
        }
    }

    /// The first value of each field as it was typed, for a template.
    pub fn to_typed(&self) -> Value {
        let first = |(name, values): (&String, &Vec<String>)| {
            Some((name.clone(), Value::from(values.first()?.clone())))
        };
        self.0.iter().filter_map(first).collect::<Map<_, _>>().into()
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_is_kept_with_repeated_fields_and_without_its_token_and_button() {
        let sent = b"form_token=t&editor=yes&do=try&pin=a&pin=b&query=+oak+&lines=x%0D%0Ay&banner=";
        let fields = EditorFields::from_form(&ConsoleForm::parse(&Bytes::from_static(sent)));
        assert_eq!(fields.values("pin"), ["a", "b"]);
        assert_eq!((fields.text("query"), fields.text("do"), fields.text("form_token")), ("oak", "", ""));
        let typed = json!({"pin": "a", "query": " oak ", "lines": "x\ny", "banner": ""});
        assert_eq!(fields.to_typed(), typed);
        let kept = serde_json::to_value(&fields).expect("JSON");
        assert_eq!(serde_json::from_value::<EditorFields>(kept).expect("fields"), fields);
    }

    #[test]
    fn a_field_without_a_filled_in_value_is_as_one_that_is_not_there() {
        let mut fields = EditorFields::default();
        fields.set("query", "oak");
        fields.set_values("pin", vec!["a".to_owned(), "b".to_owned()]);
        let mut other = fields.clone();
        assert!(fields.has_same(&other, "pin") && fields.has_same(&other, "query"));
        other.set_values("pin", vec!["b".to_owned(), "a".to_owned()]);
        assert!(!fields.has_same(&other, "pin"), "the order counts");
        fields.set("query", "");
        other.set_values("query", vec!["  ".to_owned()]);
        assert!(fields.has_same(&other, "query"));
        assert_eq!(fields.to_typed(), json!({"pin": "a"}));
    }

    #[test]
    fn a_field_of_others_is_taken_over_where_it_was_not_changed_here() {
        let fields = |all: &[(&str, &str)]| {
            let mut fields = EditorFields::default();
            all.iter().for_each(|(name, value)| fields.set(name, value));
            fields
        };
        let opened = fields(&[("title", "a"), ("from", "b"), ("until", "c")]);
        let mut own = fields(&[("title", "mine"), ("from", " b "), ("until", "c"), ("before", "3")]);
        own.take_over(&opened, &fields(&[("title", "theirs"), ("from", "new"), ("share", "5")]));
        let merged = json!({"title": "mine", "from": "new", "share": "5", "before": "3"});
        assert_eq!(own.to_typed(), merged, "what they removed is gone");
    }
}
