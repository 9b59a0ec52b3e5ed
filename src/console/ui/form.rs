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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_form_are_read_as_they_were_typed() {
        let form =
            ConsoleForm::parse(&Bytes::from_static(b"name=+Oak+%26+Sons+&shop=a&shop=+b&lines=&list=%5B%0A"));
        assert_eq!((form.text("name"), form.raw("name")), ("Oak & Sons", " Oak & Sons "));
        assert_eq!((form.text("nothing"), form.raw("nothing"), form.raw("shop")), ("", "", "a"));
        assert_eq!(form.values_of("shop"), ["a", " b"]);
        assert_eq!(form.values_of("nothing"), [""; 0]);
        assert_eq!(form.text_areas(), ["[\n"]);
        let both = ConsoleForm::parse(&Bytes::from_static(b"lines=a,+b&list=%5B%5D&other=x"));
        assert_eq!(both.text_areas(), ["[]", "a, b"]);
        assert_eq!(ConsoleForm::parse(&Bytes::new()).text_areas(), [""; 0]);
    }
}
