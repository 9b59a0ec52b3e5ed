//! Fields of a submitted form.

use axum::body::Bytes;

/// The text areas that people write in; no other field has these names.
const WRITTEN: [&str; 2] = ["list", "lines"];

/// The fields of a form, in the order in which they stand on the page.
pub(crate) struct ConsoleForm(Vec<(String, String)>);

impl ConsoleForm {
    pub fn parse(body: &Bytes) -> Self {
        Self(url::form_urlencoded::parse(body).into_owned().collect())
    }

    /// A field, without blanks around it; empty when there is none.
    pub fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// The same as it was typed.
    pub fn raw(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value)
    }

    /// Non-empty contents of the text areas.
    pub fn text_areas(&self) -> Vec<String> {
        let texts = WRITTEN.map(|name| self.raw(name).to_owned());
        texts.into_iter().filter(|text| !text.is_empty()).collect()
    }

    /// All values of a field.
    pub fn values_of(&self, name: &str) -> Vec<&str> {
        self.0.iter().filter(|(field, _)| field == name).map(|(_, value)| value.as_str()).collect()
    }
}

// A form holds passwords and people.
static_assertions::assert_not_impl_any!(ConsoleForm: std::fmt::Debug, std::fmt::Display, serde::Serialize);
