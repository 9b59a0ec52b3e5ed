//! Rules for values that stand for nothing: return-default, default-for-fault.

use syn::{
    Block, Expr, ExprTry, GenericArgument, Lit, PathArguments, ReturnType, Signature, Stmt, Type, TypePath,
};

use super::{Finder, Words};
use crate::mutant::Change;
use crate::source::bytes_of;

const DEFAULT: &str = "return-default";

const INTEGERS: [&str; 12] =
    ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"];
const COLLECTIONS: [&str; 5] = ["BTreeMap", "BTreeSet", "HashMap", "HashSet", "VecDeque"];

impl Finder<'_> {
    /// Lets a function return at once, with each default of its type.
    pub(super) fn find_in_function(&mut self, signature: &Signature, block: &Block) {
        let values = match &signature.output {
            ReturnType::Default => vec!["()".to_owned()],
            ReturnType::Type(_, of) => defaults_of(of),
        };
        let only = match block.stmts.as_slice() {
            [] => return,
            // To remove it is another mutant.
            [Stmt::Expr(_, Some(_))] if values == ["()"] => return,
            [Stmt::Expr(value, None)] if is_constant(value) => return,
            [Stmt::Expr(value, None)] => self.code_of(value),
            _ => String::new(),
        };
        for value in values.iter().filter(|value| **value != only) {
            let words = Words { code: self.code_of(signature), becomes: format!("return {value}") };
            self.add(DEFAULT, bytes_of(block), Change::return_early(value), words);
        }
    }

    /// Takes the default where a fault would be returned, unless only the store can fail there.
    pub(super) fn default_for_fault(&mut self, expression: &Expr, tried: &ExprTry) {
        if self.store_calls.can_fail_by_store_alone(&tried.expr) {
            return;
        }
        let becomes = format!("{}.unwrap_or_default()", self.code_of(&tried.expr));
        self.replace("default-for-fault", expression, &becomes);
    }
}

/// Defaults of a type: both for `bool`, none where nothing is known of it.
fn defaults_of(of: &Type) -> Vec<String> {
    match of {
        Type::Path(TypePath { path, .. }) => {
            let Some(last) = path.segments.last() else { return Vec::new() };
            let name = last.ident.to_string();
            defaults_by_name(&name, first_argument(&last.arguments))
        }
        Type::Tuple(tuple) => {
            let first = |of| defaults_of(of).into_iter().next();
            let values: Option<Vec<String>> = tuple.elems.iter().map(first).collect();
            values.map(|values| format!("({})", values.join(", "))).into_iter().collect()
        }
        Type::Reference(reference) if reference.mutability.is_none() => match &*reference.elem {
            Type::Path(TypePath { path, .. }) if path.is_ident("str") => vec!["\"\"".to_owned()],
            Type::Slice(_) => vec!["&[]".to_owned()],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn defaults_by_name(name: &str, argument: Option<&Type>) -> Vec<String> {
    let values: &[&str] = match name {
        "bool" => &["true", "false"],
        "String" => &["String::new()"],
        "Vec" => &["Vec::new()"],
        "Option" => &["None"],
        "f32" | "f64" => &["0.0"],
        _ if INTEGERS.contains(&name) => &["0"],
        _ if COLLECTIONS.contains(&name) => &["Default::default()"],
        "Result" => {
            let values = argument.map_or_else(|| vec!["()".to_owned()], defaults_of);
            return values.into_iter().map(|value| format!("Ok({value})")).collect();
        }
        _ => &[],
    };
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn first_argument(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(of) => Some(of),
        _ => None,
    })
}

/// Returns true for a literal, and for the path of a constant.
fn is_constant(value: &Expr) -> bool {
    match value {
        Expr::Lit(literal) => !matches!(literal.lit, Lit::Verbatim(_)),
        Expr::Path(path) => {
            let last = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            last.starts_with(char::is_uppercase)
        }
        Expr::Unary(unary) => is_constant(&unary.expr),
        Expr::Reference(reference) => is_constant(&reference.expr),
        _ => false,
    }
}
