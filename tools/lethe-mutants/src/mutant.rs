//! A mutant: its place, and the edits that make a switch of it.

use serde::Serialize;

/// A word in an edit that the expression of the switch replaces: true when the mutant is planted.
pub const PLANTED: &str = "PLANTED";

/// One small break of the code.
#[derive(Debug, Serialize)]
pub struct Mutant {
    /// File in which it stands, as it was named.
    pub file: String,
    /// Line of the first byte, from 1.
    pub line: usize,
    /// Innermost function around it; empty in SQL.
    pub function: String,
    /// Rule that made it.
    pub operator: &'static str,
    /// The code as it stands, on one line.
    pub code: String,
    /// The code when it is planted, on one line.
    pub becomes: String,
    /// Changes of the file that make a switch of it, or that plant it in SQL.
    pub edits: Vec<Edit>,
}

/// A change of the bytes `begin..end` of a file.
#[derive(Debug, Clone, Serialize)]
pub struct Edit {
    /// First byte.
    pub begin: usize,
    /// Byte after the last one.
    pub end: usize,
    /// The change.
    #[serde(flatten)]
    pub change: Change,
}

/// A way to change a piece of code.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Change {
    /// The piece stays, with a text in front of it and one after it; one of the two has the word `PLANTED`.
    Around {
        /// Text in front of the piece.
        before: String,
        /// Text after the piece.
        after: String,
    },
    /// Another text takes its place: SQL has no switches.
    Instead {
        /// The other text.
        with: String,
    },
}

impl Change {
    pub(crate) fn around(before: &str, after: &str) -> Self {
        Self::Around { before: before.to_owned(), after: after.to_owned() }
    }

    /// A condition that is the opposite when the mutant is planted; its type and temporaries stay.
    pub(crate) fn negate() -> Self {
        Self::around("((", ") != PLANTED)")
    }

    /// Another expression of the same type.
    pub(crate) fn replace(with: &str) -> Self {
        Self::around(&format!("(if PLANTED {{ {with} }} else {{ "), " })")
    }

    /// Another expression as the body of an arm; a block needs no comma after it.
    pub(crate) fn replace_body(with: &str) -> Self {
        Self::around(&format!("{{ if PLANTED {{ {with} }} else {{ "), " } }")
    }

    /// A statement that is left out.
    pub(crate) fn skip() -> Self {
        Self::around("if !PLANTED { ", " }")
    }

    /// The block of a function that returns at once.
    pub(crate) fn return_early(value: &str) -> Self {
        let value = if value == "()" { String::new() } else { format!(" {value}") };
        Self::around(&format!("{{ if PLANTED {{ return{value}; }} "), " }")
    }

    /// A statement that another one follows.
    pub(crate) fn follow(with: &str) -> Self {
        Self::around("", &format!(" if PLANTED {{ {with} }}"))
    }

    /// An iterator that runs from its other end; `scripts/mutant` adds the function `turn` to the crate.
    pub(crate) fn turn() -> Self {
        Self::around("crate::planted::turn(", ", PLANTED)")
    }

    /// The path of a predicate, which becomes a closure.
    pub(crate) fn negate_path() -> Self {
        Self::around("|given| (", ")(given) != PLANTED")
    }

    /// Another text.
    pub(crate) fn instead(with: &str) -> Self {
        Self::Instead { with: with.to_owned() }
    }
}
