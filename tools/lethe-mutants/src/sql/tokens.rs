//! The tokens of a statement, each with the number of brackets around it.

use std::ops::Range;

/// Signs of more than one letter, the longest first.
const SIGNS: [&str; 8] = ["->>", "->", "<>", "<=", ">=", "!=", "||", "::"];

/// A word, number, text, placeholder or sign.
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) begin: usize,
    /// Brackets around it; a bracket itself stands outside.
    pub(super) depth: usize,
    /// True for the `AND` of a `BETWEEN`, which joins no conditions.
    is_of_range: bool,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.begin + self.text.len()
    }

    pub(super) fn bytes(&self) -> Range<usize> {
        self.begin..self.end()
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word) && !self.is_of_range
    }

    pub(super) fn is_one_of(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }
}

/// The tokens of a text without its comments.
pub(super) fn read_tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut depth: usize = 0;
    // Depths of the ranges that are open.
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = token_length(rest);
        let token = &rest[..length];
        if !token.starts_with("--") && !token.trim().is_empty() {
            depth = depth.saturating_sub(usize::from(token == ")"));
            let is_of_range = token.eq_ignore_ascii_case("AND") && ranges.last() == Some(&depth);
            if is_of_range {
                ranges.pop();
            }
            tokens.push(Token { text: token, begin: at, depth, is_of_range });
            if token.eq_ignore_ascii_case("BETWEEN") {
                ranges.push(depth);
            }
            depth += usize::from(token == "(");
        }
        at += length;
    }
    tokens
}

/// Bytes of the first token of a text, which may be a comment or blanks.
fn token_length(text: &str) -> usize {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let until = |is_over: &dyn Fn(char) -> bool| {
        text.char_indices().skip(1).find(|(_, letter)| is_over(*letter)).map_or(text.len(), |(at, _)| at)
    };
    match text.chars().next() {
        None => 0,
        Some('-') if text.starts_with("--") => text.find('\n').unwrap_or(text.len()),
        // A doubled quote inside a text makes two tokens of it, which nothing here minds.
        Some('\'') => text[1..].find('\'').map_or(text.len(), |end| end + 2),
        Some(letter) if letter.is_whitespace() => until(&|letter| !letter.is_whitespace()),
        Some(letter) if is_word(letter) || letter == '$' => until(&|letter| !is_word(letter)),
        Some(letter) => {
            SIGNS.iter().find(|sign| text.starts_with(**sign)).map_or(letter.len_utf8(), |sign| sign.len())
        }
    }
}
