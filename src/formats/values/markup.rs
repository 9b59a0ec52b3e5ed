//! Text without markup: tags, entities, shortcodes of page builders.

use std::borrow::Cow;
use std::collections::HashSet;

use memchr::{memchr2, memchr3, memmem, memrchr};

/// Times that entities are decoded: a text may be encoded for HTML, and again for XML.
const ENCODINGS_MAX: usize = 2;
/// Bytes of the longest directive between `{{` and `}}`.
const DIRECTIVE_BYTES_MAX: usize = 4 * 1024;
/// Bytes of the longest name of a tag or shortcode.
const NAME_BYTES_MAX: usize = 64;

/// Times that a text may be searched for the ends of tags with regard to quotes; after that, a `>` ends any tag.
const QUOTE_SEARCHES_MAX: usize = 4;

/// Plain text of a value that may hold HTML, entities (encoded once or twice), shortcodes or directives (`{{…}}`).
/// Blocks end in a line break. White space is one space or line break, at most one line is blank.
///
/// Entities may hide markup (`&lt;p&gt;`), which is removed too. A `<` that begins no tag stays, and so do brackets
/// that are no shortcode, such as `[sic]`. Takes time in proportion to the text.
#[must_use]
pub fn to_plain_text(text: &str) -> String {
    let mut plain = remove_markup(text);
    for _ in 0..ENCODINGS_MAX {
        match html_escape::decode_html_entities(&plain) {
            Cow::Borrowed(_) => break,
            Cow::Owned(decoded) => plain = remove_markup(&decoded),
        }
    }
    plain
}

/// Text with its entities decoded, those that were encoded twice too.
#[must_use]
pub fn decode_entities(text: &str) -> Cow<'_, str> {
    let mut decoded = html_escape::decode_html_entities(text);
    for _ in 1..ENCODINGS_MAX {
        match html_escape::decode_html_entities(&decoded) {
            Cow::Borrowed(_) => break,
            Cow::Owned(again) => decoded = Cow::Owned(again),
        }
    }
    decoded
}

/// Removes tags, shortcodes and directives once; entities stay.
fn remove_markup(text: &str) -> String {
    if is_clean(text) {
        return text.to_owned();
    }
    // CDATA is text within its marks.
    let bare = text.contains("<![CDATA[").then(|| text.replace("<![CDATA[", "").replace("]]>", ""));
    let text = bare.as_deref().unwrap_or(text);
    let mut finder = MarkupFinder::new(text);
    let mut plain = PlainText::with_capacity(text.len());
    let mut position = 0;
    while let Some(distance) = memchr3(b'<', b'[', b'{', &text.as_bytes()[position..]) {
        let begin = position + distance;
        plain.push(&text[position..begin]);
        let markup = finder.find_at(begin).unwrap_or_else(|| {
            plain.push(&text[begin..=begin]);
            Markup { end: begin + 1, gap: Gap::None }
        });
        plain.widen_gap(markup.gap);
        position = markup.end;
    }
    plain.push(&text[position..]);
    plain.text
}

/// Returns true for a text of one line without markup, of letters that surely are no white space but single spaces.
fn is_clean(text: &str) -> bool {
    let mut last = b' ';
    let is_clean = text.bytes().all(|byte| {
        let is_second_space = byte == b' ' && last == b' ';
        last = byte;
        // Bytes 0xc2 and from 0xe1 to 0xe3 begin the white space beyond ASCII.
        !is_second_space && !matches!(byte, 0..=0x1f | b'<' | b'[' | b'{' | 0xc2 | 0xe1..=0xe3)
    });
    is_clean && last != b' '
}

/// White space between two words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    /// End of a block.
    Line,
    /// `<br>`; a second one makes a blank line.
    Break,
    Blank,
}

/// Text that grows by words and the gaps between them.
struct PlainText {
    text: String,
    gap: Gap,
}

impl PlainText {
    fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), gap: Gap::None }
    }

    /// Appends text without markup.
    fn push(&mut self, mut text: &str) {
        while !text.is_empty() {
            let word = text.find(char::is_whitespace).unwrap_or(text.len());
            self.push_word(&text[..word]);
            text = &text[word..];
            let space = text.find(|letter: char| !letter.is_whitespace()).unwrap_or(text.len());
            self.widen_gap(measure_gap(&text[..space]));
            text = &text[space..];
        }
    }

    fn push_word(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str(match self.gap {
                Gap::None => "",
                Gap::Space => " ",
                Gap::Line | Gap::Break => "\n",
                Gap::Blank => "\n\n",
            });
        }
        self.gap = Gap::None;
        self.text.push_str(word);
    }

    fn widen_gap(&mut self, gap: Gap) {
        let is_second_break = self.gap == Gap::Break && gap == Gap::Break;
        self.gap = if is_second_break { Gap::Blank } else { self.gap.max(gap) };
    }
}

/// The gap of a run of white space.
fn measure_gap(space: &str) -> Gap {
    match space.bytes().filter(|byte| *byte == b'\n').count() {
        0 if space.is_empty() => Gap::None,
        0 => Gap::Space,
        1 => Gap::Line,
        _ => Gap::Blank,
    }
}

/// A piece of markup: its end, and the gap that it leaves.
struct Markup {
    end: usize,
    gap: Gap,
}

/// Finder of markup in a text, from its beginning on. Remembers what lies ahead, so that no text is searched twice.
struct MarkupFinder<'a> {
    text: &'a str,
    /// Names of the shortcodes that are closed somewhere.
    closed: HashSet<&'a str>,
    /// Position of the last `>`.
    last_tag_end: Option<usize>,
    /// Bytes that may still be searched for the end of a tag with regard to quotes.
    quote_budget: usize,
    /// The next `}}` at or behind the last directive; the text's length if there is none.
    directive_end: usize,
}

impl<'a> MarkupFinder<'a> {
    fn new(text: &'a str) -> Self {
        let mut closed = HashSet::new();
        for position in memmem::find_iter(text.as_bytes(), b"[/") {
            let name = name_at(&text[position + 2..]);
            if text[position + 2 + name.len()..].starts_with(']') {
                closed.insert(name);
            }
        }
        let last_tag_end = memrchr(b'>', text.as_bytes());
        Self { text, closed, last_tag_end, quote_budget: QUOTE_SEARCHES_MAX * text.len(), directive_end: 0 }
    }

    /// The markup that begins at a `<`, `[` or `{`; `None` if the letter is text.
    fn find_at(&mut self, begin: usize) -> Option<Markup> {
        match self.text.as_bytes().get(begin)? {
            b'<' => self.find_tag(begin),
            b'[' => self.find_shortcode(begin),
            _ => self.find_directive(begin),
        }
    }

    fn find_tag(&mut self, begin: usize) -> Option<Markup> {
        let rest = &self.text[begin + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            // A comment without an end takes the rest, as in a browser.
            let end = memmem::find(comment.as_bytes(), b"-->");
            return Some(Markup {
                end: end.map_or(self.text.len(), |end| begin + 4 + end + 3),
                gap: Gap::None,
            });
        }
        if self.last_tag_end.is_none_or(|last| last < begin) {
            return None;
        }
        let is_closing = rest.starts_with('/');
        let rest = rest.strip_prefix(['/', '!', '?']).unwrap_or(rest);
        let name = name_at(rest);
        let behind = &rest[name.len()..];
        let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !is_name
            || !behind.starts_with(|letter: char| letter.is_whitespace() || matches!(letter, '/' | '>'))
        {
            return None;
        }
        let end = self.text.len() - behind.len() + self.find_tag_end(behind)?;
        let is_upper = name.bytes().any(|letter| letter.is_ascii_uppercase());
        let name = if is_upper { Cow::Owned(name.to_ascii_lowercase()) } else { Cow::Borrowed(name) };
        if !is_closing && matches!(&*name, "script" | "style") {
            return Some(Markup { end: find_element_end(self.text, end, &name), gap: Gap::Space });
        }
        Some(Markup { end, gap: gap_of_element(&name) })
    }

    /// End of a tag, just behind its `>`; `None` if another `<` comes first. A `>` in a quoted value belongs to it,
    /// unless the quotes never end or too much was searched already.
    fn find_tag_end(&mut self, behind: &str) -> Option<usize> {
        let mut quote = None;
        let mut last = b' ';
        for (position, byte) in behind.bytes().take(self.quote_budget).enumerate() {
            match (quote, byte) {
                (None, b'<' | b'>') => {
                    self.quote_budget -= position;
                    return (byte == b'>').then_some(position + 1);
                }
                // As in a browser, a quotation mark begins a value only after an equals sign.
                (None, b'"' | b'\'') if last == b'=' => quote = Some(byte),
                (Some(open), _) if open == byte => quote = None,
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                last = byte;
            }
        }
        self.quote_budget = self.quote_budget.saturating_sub(behind.len());
        let end = memchr2(b'<', b'>', behind.as_bytes())?;
        behind[end..].starts_with('>').then_some(end + 1)
    }

    /// A shortcode is one of `[/name]`, `[name key=value]`, `[my_name]`, `[name /]`, or is closed somewhere.
    fn find_shortcode(&self, begin: usize) -> Option<Markup> {
        let rest = &self.text[begin + 1..];
        let length = memchr2(b'[', b']', rest.as_bytes()).filter(|end| rest.as_bytes()[*end] == b']')?;
        let content = &rest[..length];
        let name = name_at(content.strip_prefix('/').unwrap_or(content));
        let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic()) && !name.contains(':');
        let behind = content.get(content.find(name)? + name.len()..)?;
        if !is_name || !(behind.is_empty() || behind.starts_with(char::is_whitespace)) {
            return None;
        }
        let is_closing = content.starts_with('/') && behind.is_empty();
        let is_alone = behind.trim_end().ends_with('/');
        let is_shortcode =
            is_closing || is_alone || name.contains('_') || has_key(behind) || self.closed.contains(name);
        is_shortcode.then_some(Markup { end: begin + 1 + length + 1, gap: Gap::Space })
    }

    fn find_directive(&mut self, begin: usize) -> Option<Markup> {
        if !self.text[begin..].starts_with("{{") {
            return None;
        }
        let from = begin + 2;
        if self.directive_end < from {
            let distance = memmem::find(&self.text.as_bytes()[from..], b"}}");
            self.directive_end = distance.map_or(self.text.len(), |distance| from + distance);
        }
        let is_ended =
            self.directive_end < self.text.len() && self.directive_end - from <= DIRECTIVE_BYTES_MAX;
        is_ended.then_some(Markup { end: self.directive_end + 2, gap: Gap::Space })
    }
}

/// The name at the beginning of a text: letters, digits, `_`, `-` and, for namespaces, `:`. Empty for a long one.
fn name_at(text: &str) -> &str {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':');
    let length = text.bytes().take(NAME_BYTES_MAX + 1).take_while(|byte| is_name(byte)).count();
    if length > NAME_BYTES_MAX { "" } else { &text[..length] }
}

/// End of an element whose content is no text; the end of the text if it is not closed, as in a browser.
fn find_element_end(text: &str, from: usize, name: &str) -> usize {
    let bytes = text.as_bytes();
    for distance in memmem::find_iter(&bytes[from..], b"</") {
        let begin = from + distance + 2;
        let is_named =
            bytes.get(begin..begin + name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes()));
        if is_named {
            let close = memchr::memchr(b'>', &bytes[begin..]);
            return close.map_or(text.len(), |close| begin + close + 1);
        }
    }
    text.len()
}

fn gap_of_element(name: &str) -> Gap {
    match name {
        "br" => Gap::Break,
        "td" | "th" | "option" => Gap::Space,
        "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "center" | "dd" | "details"
        | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "h1" | "h2"
        | "h3" | "h4" | "h5" | "h6" | "header" | "hr" | "html" | "li" | "main" | "nav" | "ol" | "p"
        | "pre" | "section" | "summary" | "table" | "tbody" | "tfoot" | "thead" | "tr" | "ul" => Gap::Line,
        _ => Gap::None,
    }
}

/// Returns true if a shortcode's rest has a key with a value, `width="1/2"`.
fn has_key(behind: &str) -> bool {
    behind.match_indices('=').any(|(position, _)| {
        let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let before = behind[..position].bytes().next_back();
        let after = behind[position + 1..].chars().next();
        before.as_ref().is_some_and(is_key) && after.is_some_and(|letter| !letter.is_whitespace())
    })
}

#[cfg(test)]
#[path = "markup_tests.rs"]
mod tests;
