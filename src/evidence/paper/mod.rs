//! What people read of the evidence: the letter of an erasure, the page of an export, the page of a certificate. Each
//! is whole in itself, in the language of the shop, without scripts and without anything from elsewhere.

mod certificate_page;
mod export_page;
mod letter;

pub use certificate_page::certificate_page;
pub use export_page::export_page;
pub use letter::letter;

use html_escape::encode_text;
use serde_json::Value;

use crate::spelling::printable;
use crate::texts::Texts;

/// How pages look, on a screen and on A4.
const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}\
h1{font-size:1.6em;line-height:1.2}h2{font-size:1.15em;margin:1.6em 0 .4em;break-after:avoid}h2+p{break-after:avoid}\
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:left;\
vertical-align:top;overflow-wrap:anywhere}th{font-weight:600}tr{break-inside:avoid}\
td.n,th.n{text-align:right;white-space:nowrap}\
code{font:.85em/1.4 monospace;overflow-wrap:anywhere}\
@page{size:A4;margin:18mm 16mm}@media print{body{font-size:10.5pt;max-width:none;margin:0;padding:0}}";

/// What a browser may do with a page: take this one style, and nothing else.
const CONTENT: &str = "default-src 'none'; style-src 'sha256-ApTUabZbDFRQcP97h4RTw1W43SGgsrxIed2GYEF7N5I='; base-uri 'none'; form-action 'none'";

/// The same for the head of an answer, which also says that no other page may show it.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'sha256-ApTUabZbDFRQcP97h4RTw1W43SGgsrxIed2GYEF7N5I='; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// The shop as people know it.
pub struct Shop {
    /// The operator's name for the account.
    pub name: String,
    /// The name that people know the shop by.
    pub display_name: Option<String>,
    /// Where people may write to.
    pub contact: Option<String>,
}

impl Shop {
    /// From what an account says of itself; in an export the account's name stands under another one.
    #[must_use]
    pub fn from_json(about: &Value) -> Self {
        let text = |name: &str| about[name].as_str().map(str::to_owned);
        let name = text("Name").or_else(|| text("Shop")).unwrap_or_default();
        Self { name, display_name: text("DisplayName"), contact: text("Contact") }
    }

    /// The name to call it by.
    #[must_use]
    pub fn shown(&self) -> &str {
        // red: it::cli::erasure::what_a_person_gets_is_in_the_language_and_the_name_of_the_shop
        mutant!("people-read-the-name-of-the-account", return &self.name);
        self.display_name.as_deref().unwrap_or(&self.name)
    }
}

/// A page that is being written: every text becomes text, whatever it holds.
struct Page<'a> {
    texts: &'a Texts,
    html: String,
}

impl<'a> Page<'a> {
    fn begin(texts: &'a Texts, title: &str) -> Self {
        let html = format!(
            "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{CONTENT}\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head>\
             <body>\n<h1>{title}</h1>\n",
            texts.language().code(),
            title = encode_text(&shown(title)),
        );
        Self { texts, html }
    }

    fn end(mut self) -> String {
        self.html.push_str("</body></html>\n");
        self.html
    }

    /// A text of the language by its key.
    fn say(&self, key: &str) -> String {
        self.texts.say(key, &[])
    }

    fn text(&mut self, text: &str) {
        // red: it::cli::erasure::what_a_person_gets_is_in_the_language_and_the_name_of_the_shop
        mutant!(
            "a-text-becomes-a-part-of-the-page",
            self.html.push_str(&encode_text(&shown(text))),
            self.html.push_str(text)
        );
    }

    /// A text between the tags of an element.
    fn element(&mut self, name: &str, text: &str) {
        self.html.push_str(&format!("<{name}>"));
        self.text(text);
        // Attributes stand in the first tag alone.
        let name = name.split(' ').next().unwrap_or(name);
        self.html.push_str(&format!("</{name}>"));
    }

    fn line(&mut self, name: &str, text: &str) {
        self.element(name, text);
        self.html.push('\n');
    }

    /// A row of a name and what it is.
    fn fact(&mut self, name: &str, value: &str) {
        self.html.push_str("<tr>");
        self.element("th", name);
        self.element("td", value);
        self.html.push_str("</tr>\n");
    }

    /// The same of digits that are compared.
    fn code(&mut self, name: &str, value: &str) {
        self.html.push_str("<tr>");
        self.element("th", name);
        self.html.push_str("<td>");
        self.element("code", value);
        self.html.push_str("</td></tr>\n");
    }
}

/// A text of several lines as a page shows it, with nothing hidden in it.
fn shown(text: &str) -> String {
    let lines: Vec<String> = text.split(['\n', '\r', '\t']).map(printable).collect();
    // red: evidence::paper::tests::nothing_is_hidden_in_a_page
    mutant!("a-page-shows-what-turns-it-around", lines.join("\n"), text.to_owned())
}

/// A JSON value as text: nothing for null.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    /// As a policy writes it (RFC 4648).
    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut written = String::new();
        for piece in bytes.chunks(3) {
            let number = piece.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
                << (8 * (3 - piece.len()));
            for at in 0..=piece.len() {
                written.push(char::from(LETTERS[(number >> (18 - 6 * at)) as usize & 63]));
            }
        }
        written + &"=".repeat((3 - bytes.len() % 3) % 3)
    }

    #[test]
    fn nothing_is_hidden_in_a_page() {
        let texts = Texts::of(crate::texts::Language::English);
        let mut page = Page::begin(&texts, "Tea\u{202e}");
        page.fact("na\u{2066}me", "one\ntwo\u{1b}[2J \u{202e}eeht");
        let html = page.end();
        assert!(html.contains("<h1>Tea·</h1>"), "{html}");
        assert!(html.contains("<th>na·me</th><td>one\ntwo·[2J ·eeht</td>"), "{html}");
    }

    #[test]
    fn the_policy_lets_the_style_of_the_pages_in_and_no_other() {
        assert_eq!(base64(b"light"), "bGlnaHQ=");
        let style = format!("style-src 'sha256-{}';", base64(&Sha256::digest(STYLE.as_bytes())));
        assert!(CONTENT.contains(&style) && CONTENT_SECURITY_POLICY.contains(&style), "{style}");
        assert!(CONTENT_SECURITY_POLICY.starts_with(CONTENT));
    }
}
