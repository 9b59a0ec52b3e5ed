//! Faults of the store, which no `?` can hide: a unit of work in which a statement failed takes no effect, and its
//! answer is the fault, whatever the code makes of it. So `default-for-fault` leaves them out.

use std::collections::HashMap;

use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprMethodCall, FnArg, GenericArgument, ImplItemFn, ItemFn, PathArguments, ReturnType,
    Signature, Type,
};

/// Name of the transaction in which statements run, wherever it is handed on.
const TRANSACTION: &str = "tx";
/// Name of a row that a statement gave. Its columns are those of the statement, which a test compares on both engines.
const ROW: &str = "row";

/// Functions that are handed a transaction, by name.
#[derive(Default)]
pub struct StoreCalls {
    /// True where each function of that name can fail by the store alone.
    fails_by_store: HashMap<String, bool>,
}

impl StoreCalls {
    /// Adds the functions of a file of Rust; a text that is not Rust has none.
    pub fn add_file(&mut self, text: &str) {
        if let Ok(file) = syn::parse_file(text) {
            self.visit_file(&file);
        }
    }

    /// Returns true if an expression can fail by the store alone.
    pub(super) fn can_fail_by_store_alone(&self, tried: &Expr) -> bool {
        match tried {
            Expr::MethodCall(call) => {
                is_named(&call.receiver, TRANSACTION)
                    || is_column(call)
                    || self.is_handed(&call.method, &call.args)
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    path.path.segments.last().is_some_and(|name| self.is_handed(&name.ident, &call.args))
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn add_function(&mut self, signature: &Signature, block: &Block) {
        if signature.inputs.iter().any(takes_transaction) {
            let mut made = MadeFault(false);
            made.visit_block(block);
            let alone = self.fails_by_store.entry(signature.ident.to_string()).or_insert(true);
            *alone &= returns_store_fault(&signature.output) && !made.0;
        }
    }

    fn is_handed<'a>(&self, name: &syn::Ident, arguments: impl IntoIterator<Item = &'a Expr>) -> bool {
        arguments.into_iter().any(|argument| is_named(argument, TRANSACTION))
            && self.fails_by_store.get(&name.to_string()).is_some_and(|alone| *alone)
    }
}

impl<'ast> Visit<'ast> for StoreCalls {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.add_function(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.add_function(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }
}

/// Looks for code that makes a fault of the store itself, of which the transaction knows nothing.
struct MadeFault(bool);

impl<'ast> Visit<'ast> for MadeFault {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0 |= path.segments.iter().any(|part| part.ident == "StoreFault" || part.ident == "SHAPE");
    }
}

fn is_named(expression: &Expr, name: &str) -> bool {
    matches!(expression, Expr::Path(path) if path.path.is_ident(name))
}

/// Returns true for the column of a row: `row.int("seq")`.
fn is_column(call: &ExprMethodCall) -> bool {
    is_named(&call.receiver, ROW) && call.args.len() == 1 && matches!(call.args.first(), Some(Expr::Lit(_)))
}

fn takes_transaction(argument: &FnArg) -> bool {
    let FnArg::Typed(argument) = argument else { return false };
    let Type::Reference(reference) = &*argument.ty else { return false };
    matches!(&*reference.elem, Type::Path(path) if path.path.segments.last().is_some_and(|name| name.ident == "Tx"))
}

/// Returns true for `Result<_, StoreFault>`.
fn returns_store_fault(output: &ReturnType) -> bool {
    let ReturnType::Type(_, of) = output else { return false };
    let Type::Path(path) = &**of else { return false };
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|last| &last.arguments)
    else {
        return false;
    };
    let fault = arguments.args.iter().nth(1);
    matches!(fault, Some(GenericArgument::Type(Type::Path(path)))
        if path.path.segments.last().is_some_and(|name| name.ident == "StoreFault"))
}
