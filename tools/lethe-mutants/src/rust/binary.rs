//! Rules for operators with two sides: move-comparison, swap-and-or, swap-arithmetic.

use syn::{BinOp, Expr, ExprBinary, Lit};

use super::{Finder, Words};
use crate::source::bytes_of;

const COMPARISON: &str = "move-comparison";
const AND_OR: &str = "swap-and-or";
const ARITHMETIC: &str = "swap-arithmetic";

/// Methods and macros whose value is a text: `+` joins it.
const TEXTS: [&str; 6] = ["to_string", "to_owned", "format", "concat", "join", "repeat"];

impl Finder<'_> {
    pub(super) fn change_binary(&mut self, expression: &Expr, binary: &ExprBinary) {
        let code = self.code_of(expression);
        let swap = |with: &str| {
            let between = bytes_of(&binary.op);
            let left = self.source.code_in(bytes_of(expression).start..between.start);
            let right = self.source.code_in(between.end..bytes_of(expression).end);
            // After `as usize`, the sign would begin the arguments of the type.
            if with == "<" && left.contains(" as ") {
                return format!("({left}) {with} {right}");
            }
            format!("{left} {with} {right}")
        };
        match binary.op {
            BinOp::Eq(_) => {
                let becomes = swap("!=");
                self.negate_as(COMPARISON, expression, Words { code, becomes });
            }
            BinOp::Ne(_) => {
                let becomes = swap("==");
                self.negate_as(COMPARISON, expression, Words { code, becomes });
            }
            BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                let becomes = swap(other_operator(&binary.op));
                self.replace(COMPARISON, expression, &becomes);
            }
            BinOp::And(_) | BinOp::Or(_) if !has_let(binary) => {
                let sides = [&binary.left, &binary.right].map(|side| self.in_brackets(side));
                let becomes = sides.join(&format!(" {} ", other_operator(&binary.op)));
                self.replace(AND_OR, expression, &becomes);
            }
            BinOp::And(_) | BinOp::Or(_) => {}
            _ if !other_operator(&binary.op).is_empty() && !joins_texts(binary) => {
                let becomes = swap(other_operator(&binary.op));
                self.replace(ARITHMETIC, expression, &becomes);
            }
            _ => {}
        }
    }

    /// The code of one side, in brackets if it has an operator that binds less.
    fn in_brackets(&self, side: &Expr) -> String {
        let code = self.code_of(side);
        match side {
            Expr::Binary(ExprBinary { op: BinOp::And(_) | BinOp::Or(_), .. }) => format!("({code})"),
            Expr::Closure(_) | Expr::Range(_) | Expr::Assign(_) | Expr::Return(_) | Expr::Break(_) => {
                format!("({code})")
            }
            _ => code,
        }
    }
}

fn other_operator(operator: &BinOp) -> &'static str {
    match operator {
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Gt(_) => ">=",
        BinOp::Ge(_) => ">",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        BinOp::Add(_) => "-",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "/",
        BinOp::Div(_) => "*",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) => "+=",
        BinOp::MulAssign(_) => "/=",
        BinOp::DivAssign(_) => "*=",
        _ => "",
    }
}

fn has_let(binary: &ExprBinary) -> bool {
    [&binary.left, &binary.right].into_iter().any(|side| match &**side {
        Expr::Let(_) => true,
        Expr::Binary(side) => has_let(side),
        _ => false,
    })
}

fn joins_texts(binary: &ExprBinary) -> bool {
    is_text(&binary.left) || is_text(&binary.right) || matches!(*binary.right, Expr::Reference(_))
}

/// Returns true if an expression looks like a text.
fn is_text(expression: &Expr) -> bool {
    let is_named = |name: &dyn Fn(&str) -> bool| TEXTS.iter().any(|text| name(text));
    match expression {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Str(_)),
        Expr::MethodCall(call) => is_named(&|text| call.method == text),
        Expr::Macro(call) => is_named(&|text| call.mac.path.is_ident(text)),
        Expr::Binary(binary) => is_text(&binary.left),
        Expr::Paren(inner) => is_text(&inner.expr),
        _ => false,
    }
}
