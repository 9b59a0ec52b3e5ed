//! Topics of the console's help.

use std::sync::LazyLock;

use minijinja::Value;

use crate::help::Help;

/// The pages, drawn once.
pub(super) static HELP: LazyLock<Help> = LazyLock::new(|| Help::new("/help"));

/// `explained(book, code)` of a template: the text of a page, or the text before the first code. It is HTML made of
/// documents that are part of this program, and holds nothing from a client: so it is not escaped.
pub(crate) fn explain_code(name: &str, code: &str) -> Value {
    let book = HELP.book(name);
    let page = book.and_then(|book| book.page(code)).map(|page| &page.body);
    let text = page.or_else(|| book.filter(|_| code.is_empty()).map(|book| &book.begin));
    Value::from_safe_string(text.cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_explained_by_its_page_and_no_code_by_the_beginning() {
        let explained = |name: &str, code: &str| explain_code(name, code).to_string();
        for book in [&HELP.errors, &HELP.issues] {
            assert_eq!(explained(book.name, ""), book.begin);
            assert_eq!(explained(book.name, "no_such_code"), "");
        }
        let page = HELP.errors.page("feed_stopped").expect("a page");
        assert_eq!(explained("errors", "feed_stopped"), page.body);
        assert_eq!(explained("issues", "feed_stopped"), "", "it is of the other book");
        assert_eq!(
            (explained("nothing", ""), explained("nothing", "feed_stopped")),
            (String::new(), String::new())
        );
    }
}
