//! Highlights: the places of a query's words in a text.

use std::collections::HashSet;
use std::ops::Range;

use super::plan::{SearchPlan, WordAlternative};
use crate::limits;
use crate::search::statistics::Compounds;
use crate::search::text::{Analyser, BesideKind, TextPart, TextToken, fold_text};

/// Bytes of a text for each byte of the folded word; a word with more of them, such as one of invisible letters, is
/// marked whole, because looking for the place of a part takes the square of the time.
const FOLDED_BYTES_MAX: usize = 4;

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
    parts: Option<MarkedParts<'q>>,
}

/// The words of a query that are marked within compounds.
struct MarkedParts<'q> {
    compounds: &'q Compounds,
    /// Stems of these words.
    stems: HashSet<&'q str>,
    /// Stems of compounds that end in one of them.
    endings: HashSet<&'q str>,
}

impl MarkedParts<'_> {
    /// The bytes of the folded word that are a word of the query.
    fn range(&self, token: &TextToken<'_>) -> Option<Range<usize>> {
        let is_part = |stem: &str| self.stems.contains(stem);
        let range = self.compounds.part_range(token.word, &is_part);
        // Few words end so: only they are looked through.
        let has_ending = range.is_none() && self.endings.contains(token.stem);
        if has_ending { self.compounds.ending_range(token.word, &is_part) } else { range }
    }
}

impl<'q> Highlighter<'q> {
    /// Marks words with these stems: of the searched words, their joins and splits and synonyms. Function words are
    /// marked only when there is nothing else.
    pub fn new(analyser: &'q Analyser, stems: impl IntoIterator<Item = &'q str>) -> Self {
        let all: HashSet<&str> = stems.into_iter().collect();
        let words: HashSet<&str> =
            all.iter().copied().filter(|stem| !analyser.is_function_word(stem)).collect();
        Self { analyser, stems: if words.is_empty() { all } else { words }, parts: None }
    }

    /// Marks words of the plan within compounds too.
    #[must_use]
    pub fn with_parts(mut self, compounds: &'q Compounds, plan: &'q SearchPlan) -> Self {
        let mut parts = MarkedParts { compounds, stems: HashSet::new(), endings: HashSet::new() };
        for word in &plan.words {
            for way in &word.alternatives {
                if let WordAlternative::Ending(scored) = way {
                    parts.endings.insert(&scored.term);
                }
                if matches!(way, WordAlternative::Part(..) | WordAlternative::Ending(_)) {
                    parts.stems.insert(&word.stem);
                }
            }
        }
        self.parts = Some(parts).filter(|parts| !parts.stems.is_empty());
        self
    }

    /// The marks of the beginning of a text, in order and without overlap.
    #[must_use]
    pub fn marks(&self, text: &str) -> Vec<HighlightRange> {
        let mut marks: Vec<HighlightRange> = Vec::new();
        let most = limits::SEARCH_MARKED_BYTES;
        let text = &text[..text.floor_char_boundary(most)];
        self.analyser.for_each_part(text, &mut |part| match part {
            TextPart::Word(token) => {
                if let Some(Range { start, end }) = self.place_of(text, &token) {
                    mark_range(&mut marks, start, end);
                }
            }
            TextPart::Beside(beside) => {
                if beside.kind != BesideKind::Sign && self.stems.contains(beside.term) {
                    mark_range(&mut marks, beside.start, beside.end);
                }
            }
        });
        marks
    }

    /// The bytes of the text that are marked because of a word.
    fn place_of(&self, text: &str, token: &TextToken<'_>) -> Option<Range<usize>> {
        if self.stems.contains(token.stem) {
            return Some(token.start..token.end);
        }
        let range = self.parts.as_ref()?.range(token)?;
        let written = text.get(token.start..token.end)?;
        if written.len() > FOLDED_BYTES_MAX * token.word.len() {
            return Some(token.start..token.end);
        }
        // Folding changes the number of bytes: the place of a part is the last from which the word folds alike, so that
        // marks stay with the letter before them.
        let place = |at: usize| {
            let rest = token.word.get(at..)?;
            let ends = written.char_indices().rev().map(|(at, _)| (at, fold_text(&written[at..])));
            let mut ends = ends.take_while(|(_, folded)| folded.len() <= rest.len());
            ends.find(|(_, folded)| folded == rest).map(|(at, _)| token.start + at)
        };
        let start = if range.start == 0 { token.start } else { place(range.start)? };
        let end = if range.end == token.word.len() { token.end } else { place(range.end)? };
        Some(start..end)
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

/// Adds a mark; what it overlaps becomes one with it.
fn mark_range(marks: &mut Vec<HighlightRange>, start: usize, end: usize) {
    let first = marks.partition_point(|mark| mark.start + mark.len <= start);
    let after = marks.partition_point(|mark| mark.start < end);
    let overlapped = marks.get(first..after).unwrap_or_default();
    let start = overlapped.first().map_or(start, |mark| mark.start.min(start));
    let end = overlapped.last().map_or(end, |mark| (mark.start + mark.len).max(end));
    drop(marks.splice(first..after, [HighlightRange { start, len: end - start }]));
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
