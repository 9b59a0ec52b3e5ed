//! Mutants of Rust: the syntax of a file is walked once, and each rule looks at the pieces that it knows.

mod arms;
mod binary;
mod calls;
mod conditions;
mod defaults;
mod left_out;
mod numbers;
mod statements;
mod store_calls;
mod test_modules;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::HashSet;
use std::ops::Range;

use syn::visit::Visit;

pub use self::store_calls::StoreCalls;
pub use self::test_modules::TestModules;
use crate::mutant::{Change, Edit, Mutant};
use crate::source::{Source, bytes_of};

/// Mutants of a file of Rust, in the order of the syntax. `store_calls` are the functions of all files that run
/// statements.
///
/// # Errors
/// A fault of the parser when the text is not Rust.
pub fn find_mutants(file: &str, text: &str, store_calls: &StoreCalls) -> syn::Result<Vec<Mutant>> {
    let syntax = syn::parse_file(text)?;
    let mut finder = Finder {
        source: Source { file, text },
        store_calls,
        functions: Vec::new(),
        around: Vec::new(),
        negated: HashSet::new(),
        mutants: Vec::new(),
    };
    if !left_out::has_test_attribute(&syntax.attrs) {
        finder.visit_file(&syntax);
    }
    Ok(finder.mutants)
}

/// Collects the mutants of a file.
struct Finder<'a> {
    source: Source<'a>,
    store_calls: &'a StoreCalls,
    /// Names of the functions around the current piece, the innermost last.
    functions: Vec<String>,
    /// Bytes of the expressions around the current one, the innermost last.
    around: Vec<Range<usize>>,
    /// Bytes of what was negated: two rules can want the same.
    negated: HashSet<Range<usize>>,
    mutants: Vec<Mutant>,
}

impl Finder<'_> {
    fn code_of(&self, piece: &impl syn::spanned::Spanned) -> String {
        self.source.code_of(piece)
    }

    /// Adds a mutant that changes one piece.
    fn add(&mut self, operator: &'static str, place: Range<usize>, change: Change, words: Words) {
        self.add_all(operator, vec![Edit { begin: place.start, end: place.end, change }], words);
    }

    fn add_all(&mut self, operator: &'static str, edits: Vec<Edit>, words: Words) {
        let first = edits.iter().map(|edit| edit.begin).min().unwrap_or_default();
        self.mutants.push(Mutant {
            file: self.source.file.to_owned(),
            line: self.source.line_of(first),
            function: self.functions.last().cloned().unwrap_or_default(),
            operator,
            code: words.code,
            becomes: words.becomes,
            edits,
        });
    }

    /// Adds the mutant that replaces an expression.
    fn replace(&mut self, operator: &'static str, expression: &syn::Expr, with: &str) {
        let words = Words { code: self.code_of(expression), becomes: with.to_owned() };
        self.add(operator, bytes_of(expression), Change::replace(with), words);
    }

    /// Adds the mutant that negates an expression, unless another rule did.
    fn negate(&mut self, operator: &'static str, expression: &syn::Expr) {
        let code = self.code_of(expression);
        let becomes = negate_words(expression, &code);
        self.negate_as(operator, expression, Words { code, becomes });
    }

    fn negate_as(&mut self, operator: &'static str, expression: &syn::Expr, words: Words) {
        let place = bytes_of(expression);
        if self.negated.insert(place.clone()) {
            self.add(operator, place, Change::negate(), words);
        }
    }
}

/// A mutant for readers.
struct Words {
    code: String,
    becomes: String,
}

/// The opposite of a condition, as a person would write it.
fn negate_words(expression: &syn::Expr, code: &str) -> String {
    match expression {
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Not(_), .. }) => code[1..].trim_start().to_owned(),
        syn::Expr::Call(_)
        | syn::Expr::MethodCall(_)
        | syn::Expr::Path(_)
        | syn::Expr::Paren(_)
        | syn::Expr::Field(_)
        | syn::Expr::Macro(_) => format!("!{code}"),
        _ => format!("!({code})"),
    }
}
