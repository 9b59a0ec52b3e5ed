//! Words as tantivy's writer takes them: each with a small number, which the index keeps in place of a count of
//! occurrences. The number stands for how often the word is in each field (`statistics::Patterns`); so a query reads
//! only one list of products per word, whatever the number of fields.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Numbers are written as letters from here on; no line break is among them.
const ZERO: u32 = 0x100;

/// Writes a stem and its number for [`RepeatTokenizer`].
pub fn push_number(text: &mut String, stem: &str, number: u8) {
    text.extend(char::from_u32(ZERO + u32::from(number)));
    text.push_str(stem);
    text.push('\n');
}

/// Reads the output of [`push_number`]: repeats each stem by its number, because tantivy counts occurrences.
#[derive(Clone, Default)]
pub struct RepeatTokenizer {
    token: Token,
}

impl Tokenizer for RepeatTokenizer {
    type TokenStream<'a> = RepeatedTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> RepeatedTokens<'a> {
        self.token.reset();
        RepeatedTokens { rest: text, again: 0, token: &mut self.token }
    }
}

/// The words of a product with their numbers.
pub struct RepeatedTokens<'a> {
    rest: &'a str,
    again: u32,
    token: &'a mut Token,
}

impl TokenStream for RepeatedTokens<'_> {
    fn advance(&mut self) -> bool {
        if let Some(again) = self.again.checked_sub(1) {
            self.again = again;
            return true;
        }
        let Some((line, rest)) = self.rest.split_once('\n') else { return false };
        let mut letters = line.chars();
        let Some(number) = letters.next() else { return false };
        self.rest = rest;
        self.again = u32::from(number).saturating_sub(ZERO + 1);
        self.token.text.clear();
        self.token.text.push_str(letters.as_str());
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
