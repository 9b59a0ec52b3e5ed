//! Highlights: the places of a query's words in a text.

use std::collections::HashSet;

use crate::limits;
use crate::search::text::Analyser;

/// The place of a query's word in a text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighlightRange {
    /// The byte at which it begins.
    pub start: usize,
    /// Length in bytes.
    pub len: usize,
}

/// The words of a query by which texts are marked.
pub struct Highlighter<'q> {
    analyser: &'q Analyser,
    stems: HashSet<&'q str>,
}

impl<'q> Highlighter<'q> {
    /// Marks words with these stems: of the searched words, their joins and splits and synonyms. Function words are
    /// marked only when there is nothing else.
    pub fn new(analyser: &'q Analyser, stems: impl IntoIterator<Item = &'q str>) -> Self {
        let all: HashSet<&str> = stems.into_iter().collect();
        let words: HashSet<&str> =
            all.iter().copied().filter(|stem| !analyser.is_function_word(stem)).collect();
        Self { analyser, stems: if words.is_empty() { all } else { words } }
    }

    /// The marks of the beginning of a text, in order and without overlap.
    #[must_use]
    pub fn marks(&self, text: &str) -> Vec<HighlightRange> {
        let mut marks: Vec<HighlightRange> = Vec::new();
        let most = limits::SEARCH_MARKED_BYTES;
        let text = &text[..text.floor_char_boundary(most)];
        self.analyser.for_each_word(text, &mut |token| {
            if !self.stems.contains(token.stem) {
                return;
            }
            match marks.last_mut() {
                // Pairs of letters of scripts without spaces overlap.
                Some(last) if last.start + last.len > token.start => {
                    last.len = token.end.max(last.start + last.len) - last.start;
                }
                _ => marks.push(HighlightRange { start: token.start, len: token.end - token.start }),
            }
        });
        marks
    }

    /// The text as HTML with its marks in `<em>`; all else is escaped. `None` without a mark.
    #[must_use]
    pub fn html(&self, text: &str) -> Option<String> {
        let marks = self.marks(text);
        (!marks.is_empty()).then(|| marked_html(text, &marks))
    }

    /// The part of a long text, of about `letters` letters, that has the most different words of the query, as
    /// [`Self::html`]. `None` without a mark.
    #[must_use]
    pub fn excerpt(&self, text: &str, letters: usize) -> Option<String> {
        let marks = self.marks(text);
        let first = best_start(&marks, text, letters)?;
        let start = word_start(text, marks[first].start.saturating_sub(letters / 4));
        let end =
            word_end(text, (start + letters).min(text.len()).max(marks[first].start + marks[first].len));
        let inside = marks.iter().filter(|mark| mark.start >= start && mark.start + mark.len <= end);
        let inside: Vec<HighlightRange> =
            inside.map(|mark| HighlightRange { start: mark.start - start, len: mark.len }).collect();
        let mut html = marked_html(&text[start..end], &inside);
        if start > 0 {
            html.insert(0, '…');
        }
        if end < text.len() {
            html.push('…');
        }
        Some(html)
    }
}

/// The number of the mark from which on the most different marked words are within this many bytes; the first among
/// equals.
fn best_start(marks: &[HighlightRange], text: &str, bytes: usize) -> Option<usize> {
    let mut best = None;
    for (number, mark) in marks.iter().enumerate() {
        let within = marks[number..].iter().take_while(|other| other.start + other.len <= mark.start + bytes);
        let words: HashSet<&str> = within.map(|other| &text[other.start..other.start + other.len]).collect();
        if best.is_none_or(|(most, _)| words.len() > most) {
            best = Some((words.len(), number));
        }
    }
    best.map(|(_, number)| number)
}

/// The beginning of the word in which a byte is.
fn word_start(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    if at == 0 {
        return 0;
    }
    // Scripts without spaces have no beginning near by.
    let near = text.floor_char_boundary(at.saturating_sub(40));
    text[near..at].rfind(char::is_whitespace).map_or(at, |blank| text.ceil_char_boundary(near + blank + 1))
}

/// The end of the word in which a byte is.
fn word_end(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    let near = text.ceil_char_boundary((at + 40).min(text.len()));
    if near == text.len() {
        return text[at..].find(char::is_whitespace).map_or(near, |blank| at + blank);
    }
    text[at..near].find(char::is_whitespace).map_or(at, |blank| at + blank)
}

fn marked_html(text: &str, marks: &[HighlightRange]) -> String {
    let mut html = String::with_capacity(text.len() + marks.len() * 9);
    let mut at = 0;
    for mark in marks {
        escape(&text[at..mark.start], &mut html);
        html.push_str("<em>");
        at = mark.start + mark.len;
        escape(&text[mark.start..at], &mut html);
        html.push_str("</em>");
    }
    escape(&text[at..], &mut html);
    html
}

fn escape(text: &str, html: &mut String) {
    for letter in text.chars() {
        match letter {
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '&' => html.push_str("&amp;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(letter),
        }
    }
}
