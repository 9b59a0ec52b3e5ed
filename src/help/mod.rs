//! Meaning of the codes of errors and issues, one page each: the sections of `docs/errors.md` and `docs/issues.md`,
//! which are part of the program. All text here is our own.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

const ERRORS: &str = include_str!("../../docs/errors.md");
const ISSUES: &str = include_str!("../../docs/issues.md");

/// The files that a link of a document may name, and the names of their pages in addresses.
const FILES: [(&str, &str); 2] = [("errors.md", "errors"), ("issues.md", "issues")];

/// The pages of both documents.
pub struct Help {
    /// Reasons for which requests are refused.
    pub errors: HelpBook,
    /// Faults of rows.
    pub issues: HelpBook,
}

/// The pages of one document.
pub struct HelpBook {
    /// Its name in addresses: `errors` or `issues`.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Text before the first code, with a link to each: HTML.
    pub begin: String,
    pages: Vec<HelpPage>,
}

/// The page of one code.
pub struct HelpPage {
    /// The code.
    pub code: &'static str,
    /// Its meaning: HTML.
    pub body: String,
}

impl Help {
    /// Draws the pages. Their links lead to `root/errors`, `root/errors/CODE` and so on.
    #[must_use]
    pub fn new(root: &str) -> Self {
        Self {
            errors: HelpBook::parse(root, "errors", ERRORS),
            issues: HelpBook::parse(root, "issues", ISSUES),
        }
    }

    /// The pages of the document with this name.
    #[must_use]
    pub fn book(&self, name: &str) -> Option<&HelpBook> {
        [&self.errors, &self.issues].into_iter().find(|book| book.name == name)
    }
}

impl HelpBook {
    fn parse(root: &str, name: &'static str, text: &'static str) -> Self {
        let mut sections = text.split("\n## ");
        let (title, begin) = heading(sections.next().unwrap_or_default());
        let pages = sections.map(|section| {
            let (code, body) = heading(section);
            HelpPage { code, body: render_markdown(root, name, body) }
        });
        Self {
            name,
            title: title.trim_start_matches("# "),
            begin: render_markdown(root, name, begin),
            pages: pages.collect(),
        }
    }

    /// The page of a code.
    #[must_use]
    pub fn page(&self, code: &str) -> Option<&HelpPage> {
        self.pages.iter().find(|page| page.code == code)
    }
}

/// The first line, and the text below it.
fn heading(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// Markdown as HTML. HTML in it is shown as text.
fn render_markdown(root: &str, document: &str, markdown: &str) -> String {
    let mut is_left_out = false;
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let address = address(root, document, &dest_url);
            is_left_out = address.is_none();
            address.map(|address| {
                Event::Start(Tag::Link { link_type, dest_url: CowStr::from(address), title, id })
            })
        }
        Event::End(TagEnd::Link) if is_left_out => None,
        other => Some(other),
    });
    let mut page = String::with_capacity(2 * markdown.len());
    html::push_html(&mut page, events);
    page
}

/// Address to which a link of a document leads; `None` when it names no page here.
fn address(root: &str, document: &str, link: &str) -> Option<String> {
    let (file, code) = link.split_once('#').unwrap_or((link, ""));
    let named = FILES.iter().find(|(known, _)| *known == file).map(|(_, name)| *name);
    let name = if file.is_empty() { document } else { named? };
    Some(if code.is_empty() { format!("{root}/{name}") } else { format!("{root}/{name}/{code}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_shown_as_text_and_links_lead_to_pages() {
        let text = "<script>x</script>\n\nA <b>b</b> `<c>` [own](#d), [other](issues.md#e), [all](errors.md), [none](f.md).";
        let page = render_markdown("/docs", "errors", text);
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("A &lt;b&gt;b&lt;/b&gt; <code>&lt;c&gt;</code>"), "{page}");
        let links = "<a href=\"/docs/errors/d\">own</a>, <a href=\"/docs/issues/e\">other</a>, \
                     <a href=\"/docs/errors\">all</a>, none.";
        assert!(page.contains(links), "{page}");
    }

    #[test]
    fn every_link_of_the_documents_leads_to_a_page() {
        let help = Help::new("/docs");
        for book in [&help.errors, &help.issues] {
            let texts = book.pages.iter().map(|page| &page.body).chain([&book.begin]);
            let links = texts.flat_map(|text| text.split("href=\"").skip(1));
            for link in links.filter_map(|rest| rest.split('"').next()) {
                let (name, code) =
                    link.strip_prefix("/docs/").expect("a page").split_once('/').unwrap_or((link, ""));
                let is_page = help.book(name).is_some_and(|book| book.page(code).is_some());
                assert!(is_page || help.book(link.trim_start_matches("/docs/")).is_some(), "{link}");
            }
        }
    }

    #[test]
    fn a_document_is_its_beginning_and_a_page_for_each_code() {
        const TEXT: &str =
            "# Faults\n\nAll of [one](#one).\n\n## one\n\nFirst.\n\nMore.\n\n## two\n\nSecond.\n\n## three";
        let book = HelpBook::parse("/help", "errors", TEXT);
        assert_eq!((book.name, book.title), ("errors", "Faults"));
        assert_eq!(book.begin, "<p>All of <a href=\"/help/errors/one\">one</a>.</p>\n");
        let pages: Vec<_> = book.pages.iter().map(|page| (page.code, page.body.as_str())).collect();
        let expected = [("one", "<p>First.</p>\n<p>More.</p>\n"), ("two", "<p>Second.</p>\n"), ("three", "")];
        assert_eq!(pages, expected);
        let found = ["one", "two", "", "On"].map(|code| book.page(code).map(|page| page.code));
        assert_eq!(found, [Some("one"), Some("two"), None, None]);
        let help = Help::new("/help");
        let names = ["errors", "issues", "errors.md", ""].map(|name| help.book(name).map(|book| book.name));
        assert_eq!(names, [Some("errors"), Some("issues"), None, None]);
        assert!(help.errors.page("feed_stopped").is_some_and(|page| page.body.starts_with("<p>")));
    }

    #[test]
    fn a_link_is_left_out_without_the_one_behind_it() {
        let page =
            render_markdown("/help", "issues", "[a](x.md#b) [c](#d) [e](https://e.test) [f](errors.md#g#h)");
        let expected = "<p>a <a href=\"/help/issues/d\">c</a> e <a href=\"/help/errors/g#h\">f</a></p>\n";
        assert_eq!(page, expected);
        let led = ["", "#x", "issues.md", "errors.md#x", "x.md", "x.md#y"]
            .map(|link| address("/r", "issues", link));
        let expected = ["/r/issues", "/r/issues/x", "/r/issues", "/r/errors/x"].map(|to| Some(to.to_owned()));
        assert_eq!((&led[..4], &led[4..]), (&expected[..], &[None, None][..]));
    }
}
