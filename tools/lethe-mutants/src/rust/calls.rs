//! Rules for calls: reverse-order, swap-any-all, swap-first-last; ranges: move-range-end.

use syn::{Expr, ExprCall, ExprMethodCall, ExprRange, RangeLimits};

use super::{Finder, Words};
use crate::mutant::Change;
use crate::source::bytes_of;

const ORDER: &str = "reverse-order";
const ANY_ALL: &str = "swap-any-all";
const FIRST_LAST: &str = "swap-first-last";
const RANGE_END: &str = "move-range-end";

/// Methods with the same arguments that decide by the other end, each with its rule and the number of arguments.
const OPPOSITES: [(&str, &str, &str, usize); 15] = [
    (ORDER, "min", "max", 0),
    (ORDER, "min", "max", 1),
    (ORDER, "min_by", "max_by", 1),
    (ORDER, "min_by_key", "max_by_key", 1),
    (ANY_ALL, "any", "all", 1),
    (FIRST_LAST, "first", "last", 0),
    (FIRST_LAST, "first_key_value", "last_key_value", 0),
    (FIRST_LAST, "first_mut", "last_mut", 0),
    (FIRST_LAST, "front", "back", 0),
    (FIRST_LAST, "next", "next_back", 0),
    (FIRST_LAST, "pop_back", "pop_front", 0),
    (FIRST_LAST, "pop_first", "pop_last", 0),
    (FIRST_LAST, "push_back", "push_front", 1),
    (FIRST_LAST, "rsplit_once", "split_once", 1),
    (FIRST_LAST, "split_first", "split_last", 0),
];

impl Finder<'_> {
    pub(super) fn change_method_call(&mut self, expression: &Expr, call: &ExprMethodCall) {
        self.negate_then(call);
        self.negate_filter(call);
        self.negate_predicate(expression, call);
        for (operator, one, other, arguments) in OPPOSITES {
            let is_one = call.method == one;
            if call.args.len() == arguments && (is_one || call.method == other) {
                let becomes = self.with_method(expression, call, if is_one { other } else { one });
                self.replace(operator, expression, &becomes);
            }
        }
        self.reverse_call(expression, call);
    }

    fn reverse_call(&mut self, expression: &Expr, call: &ExprMethodCall) {
        let code = self.code_of(expression);
        match (call.method.to_string().as_str(), call.args.len()) {
            ("cmp" | "total_cmp", 1) => self.replace(ORDER, expression, &format!("{code}.reverse()")),
            ("partial_cmp", 1) => {
                self.replace(ORDER, expression, &format!("{code}.map(std::cmp::Ordering::reverse)"));
            }
            ("rev", 0) => {
                let becomes = self.code_of(&call.receiver);
                self.add(ORDER, bytes_of(expression), Change::turn(), Words { code, becomes });
            }
            _ => {}
        }
    }

    /// `min(a, b)` and `max(a, b)`, by whatever path.
    pub(super) fn change_call(&mut self, expression: &Expr, call: &ExprCall) {
        let Expr::Path(path) = &*call.func else { return };
        let Some(name) = path.path.segments.last() else { return };
        let is_min = name.ident == "min";
        if call.args.len() == 2 && (is_min || name.ident == "max") {
            let becomes = self.with_word(expression, &name.ident, if is_min { "max" } else { "min" });
            self.replace(ORDER, expression, &becomes);
        }
    }

    /// A range that ends one later, or one earlier; its type stays.
    pub(super) fn move_range_end(&mut self, expression: &Expr, range: &ExprRange) {
        let (Some(_), Some(end)) = (&range.start, &range.end) else { return };
        let (sign, limits) = match range.limits {
            RangeLimits::HalfOpen(_) => ("+", "..="),
            RangeLimits::Closed(_) => ("-", ".."),
        };
        let code = self.code_of(expression);
        let limits_at = bytes_of(&range.limits);
        let before = self.source.code_in(bytes_of(expression).start..limits_at.start);
        let last = self.code_of(end);
        let words = Words { code, becomes: format!("{before}{limits}{last}") };
        self.add(RANGE_END, bytes_of(end), Change::replace(&format!("({last}) {sign} 1")), words);
    }

    /// The call of another method.
    pub(super) fn with_method(&self, expression: &Expr, call: &ExprMethodCall, name: &str) -> String {
        self.with_word(expression, &call.method, name)
    }

    /// An expression with one word replaced.
    fn with_word(&self, expression: &Expr, word: &syn::Ident, with: &str) -> String {
        let before = self.source.code_in(bytes_of(expression).start..bytes_of(word).start);
        let after = self.source.code_in(bytes_of(word).end..bytes_of(expression).end);
        format!("{before}{with}{after}")
    }
}
