//! A text that was typed: a query, or a phrase of a synonym.

use super::analyser::{Analyser, TextPart};
use super::beside::{BesideKind, BesideToken};

/// Fewest single letters that are one word where signs part them. Two are also looked for apart: `H&M`.
const INITIALS_MIN: usize = 3;

/// A word of a typed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedWord {
    /// The word, folded.
    pub word: String,
    /// Its stem; for a decimal number its term.
    pub stem: String,
    /// The byte of the text at which it begins.
    pub start: usize,
    /// The byte of the text after its last.
    pub end: usize,
}

/// The words of a typed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedText {
    /// Its words in order. A decimal number is one word in place of its parts, and so are three initials or more.
    pub words: Vec<TypedWord>,
    /// Terms of words with the signs after them (`s23+`).
    pub signs: Vec<String>,
}

impl TypedText {
    /// Reads a text.
    #[must_use]
    pub fn parse(text: &str, analyser: &Analyser) -> Self {
        let mut typed = Self::default();
        analyser.for_each_part(text, &mut |part| match part {
            TextPart::Word(token) => typed.push(token.word, token.stem, token.start, token.end),
            TextPart::Beside(BesideToken { kind: BesideKind::Decimal, word, term, start, end }) => {
                // Its words stand before it, and begin where it begins.
                while typed.words.last().is_some_and(|part| part.start >= start) {
                    typed.words.pop();
                }
                typed.push(word, term, start, end);
            }
            TextPart::Beside(BesideToken { kind: BesideKind::Sign, term, .. }) => {
                typed.signs.push(term.to_owned());
            }
            TextPart::Beside(BesideToken { kind: BesideKind::Join, word, term, start, end }) => {
                // `S/M/L` are three sizes.
                if text.get(start..end).is_some_and(|joined| joined.contains('.')) {
                    typed.join_initials(TypedWord {
                        word: word.to_owned(),
                        stem: term.to_owned(),
                        start,
                        end,
                    });
                }
            }
        });
        typed
    }

    /// Puts a join in place of its letters, if these are many: `A.P.C.` asks for `apc`, and no shop has the letter `p`.
    fn join_initials(&mut self, joined: TypedWord) {
        let is_part = |part: &TypedWord| part.start >= joined.start && part.end <= joined.end;
        let Some(first) = self.words.iter().position(is_part) else { return };
        let parts = self.words[first..].iter().take_while(|part| is_part(part)).count();
        if parts >= INITIALS_MIN {
            self.words.splice(first..first + parts, [joined]);
        }
    }

    fn push(&mut self, word: &str, stem: &str, start: usize, end: usize) {
        self.words.push(TypedWord { word: word.to_owned(), stem: stem.to_owned(), start, end });
    }
}
