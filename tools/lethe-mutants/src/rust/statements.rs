//! Rules for statements: remove-statement, and reverse-order for what was sorted.

use syn::{BinOp, Expr, Pat, Stmt};

use super::left_out::is_measurement;
use super::{Finder, Words};
use crate::mutant::Change;
use crate::source::bytes_of;

impl Finder<'_> {
    pub(super) fn remove_statement(&mut self, statement: &Stmt) {
        let is_removable = match statement {
            Stmt::Expr(expression, Some(_)) => does_something(expression) && !is_measurement(expression),
            Stmt::Local(local) => {
                let is_unused = matches!(local.pat, Pat::Wild(_));
                is_unused && local.init.as_ref().is_some_and(|init| init.diverge.is_none())
            }
            _ => false,
        };
        if is_removable {
            let words = Words { code: self.code_of(statement), becomes: String::new() };
            self.add("remove-statement", bytes_of(statement), Change::skip(), words);
        }
    }

    pub(super) fn reverse_sorted(&mut self, statement: &Stmt) {
        let Stmt::Expr(Expr::MethodCall(call), Some(_)) = statement else { return };
        if call.method.to_string().starts_with("sort") {
            let reversal = format!("{}.reverse();", self.code_of(&call.receiver));
            let code = self.code_of(statement);
            let words = Words { becomes: format!("{code} {reversal}"), code };
            self.add("reverse-order", bytes_of(statement), Change::follow(&reversal), words);
        }
    }
}

/// Returns true for calls and assignments.
fn does_something(expression: &Expr) -> bool {
    match expression {
        Expr::Assign(_) | Expr::Call(_) | Expr::MethodCall(_) => true,
        Expr::Await(waiting) => does_something(&waiting.base),
        Expr::Try(tried) => does_something(&tried.expr) || matches!(*tried.expr, Expr::Macro(_)),
        Expr::Binary(binary) => matches!(
            binary.op,
            BinOp::AddAssign(_)
                | BinOp::SubAssign(_)
                | BinOp::MulAssign(_)
                | BinOp::DivAssign(_)
                | BinOp::RemAssign(_)
                | BinOp::BitXorAssign(_)
                | BinOp::BitAndAssign(_)
                | BinOp::BitOrAssign(_)
                | BinOp::ShlAssign(_)
                | BinOp::ShrAssign(_)
        ),
        _ => false,
    }
}
