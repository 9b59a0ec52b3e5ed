//! Code without mutants: tests, and statements that only tell what happens.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Expr, Meta, Path};

/// Macros of measurements, whose methods only count.
const METRICS: [&str; 3] = ["counter", "gauge", "histogram"];

/// Functions that are handed how much room to keep.
const CAPACITIES: [&str; 2] = ["with_capacity", "reserve_exact"];

/// Returns true if an item is a test, or is compiled for tests alone.
pub(super) fn has_test_attribute(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => {
            list.path.is_ident("cfg") && has_word(&list.tokens, "test") || ends_with_test(&list.path)
        }
        meta => ends_with_test(meta.path()),
    })
}

/// Returns true if an expression only counts or measures: `counter!(…).increment(1)`.
pub(super) fn is_measurement(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => is_measurement(&call.receiver),
        Expr::Macro(call) => {
            call.mac.path.segments.last().is_some_and(|name| METRICS.iter().any(|m| name.ident == m))
        }
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => {
                path.path.segments.iter().any(|part| part.ident == "metrics" || part.ident == "tracing")
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns true for a capacity, which nobody can see: `Vec::with_capacity(16)`.
pub(super) fn is_capacity(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => CAPACITIES.iter().any(|name| call.method == name),
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| {
                CAPACITIES.iter().any(|name| last.ident == name)
            }))
        }
        _ => false,
    }
}

fn ends_with_test(path: &Path) -> bool {
    path.segments.last().is_some_and(|name| name.ident == "test")
}

fn has_word(stream: &TokenStream, word: &str) -> bool {
    stream.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(name) => name == word,
        TokenTree::Group(group) => has_word(&group.stream(), word),
        _ => false,
    })
}
