//! The text of a file, by byte ranges.

use std::ops::Range;
use std::str::FromStr;

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};
use syn::spanned::Spanned;

/// A piece of code with the bytes where it stands.
struct Token {
    bytes: Range<usize>,
    text: String,
}

/// A file with its text.
pub(crate) struct Source<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    /// Number of the line in which a byte stands, from 1.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.text.as_bytes()[..byte].iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// The code of a piece of the syntax, on one line.
    pub(crate) fn code_of(&self, piece: &impl Spanned) -> String {
        self.code_in(bytes_of(piece))
    }

    /// The code between two bytes, on one line; its brackets have to match.
    pub(crate) fn code_in(&self, bytes: Range<usize>) -> String {
        one_line(&self.text[bytes])
    }
}

/// A piece of code on one line, without its comments.
pub(crate) fn one_line(code: &str) -> String {
    match TokenStream::from_str(code) {
        Ok(stream) => {
            let mut tokens = Vec::new();
            collect_tokens(stream, &mut tokens);
            join_tokens(&tokens)
        }
        Err(_) => code.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// Bytes of a piece of the syntax.
pub(crate) fn bytes_of(piece: &impl Spanned) -> Range<usize> {
    piece.span().byte_range()
}

fn collect_tokens(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(Token { bytes: group.span_open().byte_range(), text: open.to_owned() });
                collect_tokens(group.stream(), tokens);
                tokens.push(Token { bytes: group.span_close().byte_range(), text: close.to_owned() });
            }
            TokenTree::Literal(literal) => {
                tokens.push(Token { bytes: literal.span().byte_range(), text: on_one_line(&literal) });
            }
            other => tokens.push(Token { bytes: other.span().byte_range(), text: other.to_string() }),
        }
    }
}

/// A literal without line breaks.
fn on_one_line(literal: &Literal) -> String {
    let text = literal.to_string();
    if !text.contains('\n') {
        return text;
    }
    match syn::parse_str(&text) {
        Ok(syn::Lit::Str(text)) => Literal::string(&text.value()).to_string(),
        Ok(syn::Lit::ByteStr(bytes)) => Literal::byte_string(&bytes.value()).to_string(),
        _ => text,
    }
}

/// Tokens with a blank where there was one, or a line break or a comment.
fn join_tokens(tokens: &[Token]) -> String {
    let mut code = String::new();
    let mut end = tokens.first().map_or(0, |token| token.bytes.start);
    for (number, token) in tokens.iter().enumerate() {
        let next = tokens.get(number + 1).map_or("", |next| &next.text);
        // A dot at the begin of a line calls a method; two dots are a range.
        let is_tight = match token.text.as_str() {
            "." => next != ".",
            sign => [")", "]", "?", ";", ","].contains(&sign),
        };
        if end < token.bytes.start && !is_tight && !code.ends_with(['(', '[']) {
            code.push(' ');
        }
        code.push_str(&token.text);
        end = token.bytes.end;
    }
    code
}
