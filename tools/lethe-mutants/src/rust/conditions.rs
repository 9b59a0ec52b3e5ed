//! Rules for conditions: negate-condition, negate-filter, negate-predicate.

use syn::{BinOp, Expr, ExprBinary, ExprMacro, ExprMethodCall, ReturnType};

use super::{Finder, Words};
use crate::mutant::Change;
use crate::source::bytes_of;

const CONDITION: &str = "negate-condition";
const FILTER: &str = "negate-filter";
const PREDICATE: &str = "negate-predicate";

/// Methods whose closure decides which items stay.
const FILTERS: [&str; 11] = [
    "filter",
    "find",
    "is_none_or",
    "is_some_and",
    "partition",
    "position",
    "retain",
    "retain_mut",
    "rposition",
    "skip_while",
    "take_while",
];
/// Filters that often get the path of a function; `find` gets texts too.
const FILTERS_BY_PATH: [&str; 6] =
    ["filter", "is_none_or", "is_some_and", "retain", "skip_while", "take_while"];
/// Methods that answer yes or no, and what a reader would write for the opposite.
const PREDICATES: [(&str, &str); 12] = [
    ("contains", ""),
    ("contains_key", ""),
    ("ends_with", ""),
    ("eq_ignore_ascii_case", ""),
    ("is_dir", ""),
    ("is_empty", ""),
    ("is_err", "is_ok"),
    ("is_file", ""),
    ("is_none", "is_some"),
    ("is_ok", "is_err"),
    ("is_some", "is_none"),
    ("starts_with", ""),
];

impl Finder<'_> {
    /// Negates a condition; in a chain with `let`, each part without one.
    pub(super) fn find_in_condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Let(_) => {}
            Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) if has_let(condition) => {
                self.find_in_condition(left);
                self.find_in_condition(right);
            }
            // The compiler knows its answer.
            Expr::Macro(call) if call.mac.path.is_ident("cfg") => {}
            _ => self.negate(CONDITION, condition),
        }
    }

    /// Negates the receiver of `then` and `then_some`.
    pub(super) fn negate_then(&mut self, call: &ExprMethodCall) {
        let is_lazy = call.method == "then" && matches!(call.args.first(), Some(Expr::Closure(_)));
        if call.args.len() == 1 && (is_lazy || call.method == "then_some") {
            self.find_in_condition(&call.receiver);
        }
    }

    pub(super) fn negate_filter(&mut self, call: &ExprMethodCall) {
        if call.args.len() != 1 || !FILTERS.iter().any(|name| call.method == name) {
            return;
        }
        match call.args.first() {
            // The body of a closure that names its type is a block.
            Some(Expr::Closure(closure)) if matches!(closure.output, ReturnType::Default) => {
                self.negate(FILTER, &closure.body);
            }
            Some(path @ Expr::Path(_)) if FILTERS_BY_PATH.iter().any(|name| call.method == name) => {
                let code = self.code_of(path);
                let words = Words { becomes: format!("|given| !{code}(given)"), code };
                self.add(FILTER, bytes_of(path), Change::negate_path(), words);
            }
            _ => {}
        }
    }

    pub(super) fn negate_predicate(&mut self, expression: &Expr, call: &ExprMethodCall) {
        let Some((_, opposite)) = PREDICATES.iter().find(|(name, _)| call.method == name) else { return };
        if opposite.is_empty() {
            self.negate(PREDICATE, expression);
        } else {
            let becomes = self.with_method(expression, call, opposite);
            self.negate_as(PREDICATE, expression, Words { code: self.code_of(expression), becomes });
        }
    }

    pub(super) fn negate_matches(&mut self, expression: &Expr, call: &ExprMacro) {
        if call.mac.path.is_ident("matches") {
            self.negate(PREDICATE, expression);
        }
    }
}

fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => has_let(left) || has_let(right),
        _ => false,
    }
}
