//! Fields of a submitted form.

use axum::body::Bytes;

/// The text areas that people write in; no other field has these names.
const WRITTEN: [&str; 2] = ["list", "lines"];

/// The field that each form of an editor has.
pub(super) const EDITOR: &str = "editor";

/// Fields that a page writes anew each time.
pub(super) const OF_THE_PAGE: [&str; 3] = [EDITOR, "form_token", "do"];

/// Further hidden fields of editors, which nobody typed: versions and entries as they were opened, and hits.
const UNTYPED: [&str; 4] = ["before", "was", "base", "after"];

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

    /// Non-empty contents of the text areas, and the rows of synonyms as lines; of an editor all fields as lines.
    pub fn written_texts(&self) -> Vec<String> {
        if !self.raw(EDITOR).is_empty() {
            return vec![self.fields_as_lines()];
        }
        let texts = WRITTEN.map(|name| self.raw(name).to_owned()).into_iter().chain([self.rows_as_lines()]);
        texts.filter(|text| !text.is_empty()).collect()
    }

    fn fields_as_lines(&self) -> String {
        let is_typed = |name: &str| !OF_THE_PAGE.contains(&name) && !UNTYPED.contains(&name);
        let typed = self.pairs().filter(|(name, value)| is_typed(name) && !value.trim().is_empty());
        typed.map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n")
    }

    fn rows_as_lines(&self) -> String {
        let rows = self.values_of("words").into_iter().zip(self.values_of("target"));
        let lines = rows.map(|(words, target)| match target {
            "" => words.to_owned(),
            target => format!("{words} => {target}"),
        });
        lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// All fields, each with its name.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
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
        assert_eq!(form.written_texts(), ["[\n"]);
        let both = ConsoleForm::parse(&Bytes::from_static(b"lines=a,+b&list=%5B%5D&other=x"));
        assert_eq!(both.written_texts(), ["[]", "a, b"]);
        assert_eq!(ConsoleForm::parse(&Bytes::new()).written_texts(), [""; 0]);
        let rows =
            ConsoleForm::parse(&Bytes::from_static(b"words=a,+b&target=&words=c&target=d&words=&target="));
        assert_eq!(rows.written_texts(), ["a, b\nc => d"]);
        let editor = ConsoleForm::parse(&Bytes::from_static(
            b"editor=yes&form_token=x&do=try&before=12&was=%7B%7D&base=%7B%7D&after=p9&pin=p1&pin=p2&html=+&query=oak",
        ));
        assert_eq!(editor.written_texts(), ["pin: p1\npin: p2\nquery: oak"]);
    }
}
