//! The rule swap-arms: two arms of a `match`, one after the other, that bind nothing.

use syn::{Arm, Expr, ExprMatch, Pat, Stmt};

use super::{Finder, Words};
use crate::mutant::{Change, Edit};
use crate::source::bytes_of;

impl Finder<'_> {
    pub(super) fn swap_arms(&mut self, choice: &ExprMatch) {
        for (one, other) in choice.arms.iter().zip(choice.arms.iter().skip(1)) {
            if is_without_names(one) && is_without_names(other) {
                self.swap_two(one, other);
            }
        }
    }

    fn swap_two(&mut self, one: &Arm, other: &Arm) {
        let bodies = [one, other].map(|arm| self.code_of(&arm.body));
        let values = [one, other].map(|arm| self.code_of(without_block(&arm.body)));
        if values[0] == values[1] {
            return;
        }
        let heads = [one, other].map(|arm| {
            let arrow = bytes_of(&arm.fat_arrow_token);
            self.source.code_in(bytes_of(&arm.pat).start..arrow.end)
        });
        let edit = |arm: &Arm, with: &str| {
            let place = bytes_of(&arm.body);
            Edit { begin: place.start, end: place.end, change: Change::replace_body(with) }
        };
        let words = Words {
            code: format!("{} {}, {} {}", heads[0], bodies[0], heads[1], bodies[1]),
            becomes: format!("{} {}, {} {}", heads[0], bodies[1], heads[1], bodies[0]),
        };
        self.add_all("swap-arms", vec![edit(one, &bodies[1]), edit(other, &bodies[0])], words);
    }
}

/// The expression that alone is the value of a block.
fn without_block(body: &Expr) -> &Expr {
    match body {
        Expr::Block(block) => match block.block.stmts.as_slice() {
            [Stmt::Expr(value, None)] => value,
            _ => body,
        },
        _ => body,
    }
}

fn is_without_names(arm: &Arm) -> bool {
    let binds_in_guard = |guard: &Expr| matches!(guard, Expr::Let(_) | Expr::Binary(_)) && has_let(guard);
    !binds(&arm.pat) && !arm.guard.as_ref().is_some_and(|(_, guard)| binds_in_guard(guard))
}

fn has_let(guard: &Expr) -> bool {
    match guard {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// Returns true if a pattern gives a value a name, or may: a capital letter begins the name of a variant or constant.
fn binds(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(name) => {
            let is_variable =
                name.ident.to_string().starts_with(|letter: char| letter.is_lowercase() || letter == '_');
            is_variable || name.by_ref.is_some() || name.subpat.is_some()
        }
        Pat::Lit(_) | Pat::Path(_) | Pat::Range(_) | Pat::Rest(_) | Pat::Wild(_) | Pat::Const(_) => false,
        Pat::Or(choice) => choice.cases.iter().any(binds),
        Pat::Paren(inner) => binds(&inner.pat),
        Pat::Reference(inner) => binds(&inner.pat),
        Pat::Slice(slice) => slice.elems.iter().any(binds),
        Pat::Struct(fields) => fields.fields.iter().any(|field| binds(&field.pat)),
        Pat::Tuple(tuple) => tuple.elems.iter().any(binds),
        Pat::TupleStruct(tuple) => tuple.elems.iter().any(binds),
        _ => true,
    }
}
