//! The walk through the syntax: which pieces the rules see. Patterns, types, attributes, macros, and all that the
//! compiler computes (constants, lengths of arrays, `const fn`) have no mutants.

use syn::visit::{self, Visit};
use syn::{
    Arm, Attribute, Block, Expr, ImplItem, ImplItemFn, Item, ItemFn, Local, Macro, Pat, Path, Signature,
    Stmt, TraitItem, TraitItemFn, Type,
};

use super::Finder;
use super::left_out::{has_test_attribute, is_capacity};
use crate::source::bytes_of;

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(item) => self.visit_item_fn(item),
            Item::Impl(item) if !has_test_attribute(&item.attrs) => visit::visit_item_impl(self, item),
            Item::Mod(item) if !has_test_attribute(&item.attrs) => visit::visit_item_mod(self, item),
            Item::Trait(item) if !has_test_attribute(&item.attrs) => visit::visit_item_trait(self, item),
            _ => {}
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.visit_function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if let ImplItem::Fn(ImplItemFn { attrs, sig, block, .. }) = item {
            self.visit_function(attrs, sig, block);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if let TraitItem::Fn(TraitItemFn { attrs, sig, default: Some(block), .. }) = item {
            self.visit_function(attrs, sig, block);
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        for statement in &block.stmts {
            self.find_in_statement(statement);
            self.around.push(bytes_of(statement));
            self.visit_stmt(statement);
            self.around.pop();
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.visit_expr(otherwise);
            }
        }
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.find_in_condition(guard);
            self.visit_expr(guard);
        }
        self.visit_expr(&arm.body);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        self.find_in_expression(expression);
        self.around.push(bytes_of(expression));
        match expression {
            Expr::Const(_) | Expr::Macro(_) | Expr::Path(_) => {}
            _ if is_capacity(expression) => {}
            // Its length is computed by the compiler.
            Expr::Repeat(repeat) => self.visit_expr(&repeat.expr),
            Expr::Closure(closure) => self.visit_expr(&closure.body),
            _ => visit::visit_expr(self, expression),
        }
        self.around.pop();
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_macro(&mut self, _: &'ast Macro) {}

    fn visit_pat(&mut self, _: &'ast Pat) {}

    fn visit_path(&mut self, _: &'ast Path) {}

    fn visit_type(&mut self, _: &'ast Type) {}

    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast syn::AngleBracketedGenericArguments) {}
}

impl Finder<'_> {
    fn visit_function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        if signature.constness.is_some() || has_test_attribute(attributes) {
            return;
        }
        self.functions.push(signature.ident.to_string());
        self.find_in_function(signature, block);
        self.visit_block(block);
        self.functions.pop();
    }

    fn find_in_statement(&mut self, statement: &Stmt) {
        self.remove_statement(statement);
        self.reverse_sorted(statement);
    }

    fn find_in_expression(&mut self, expression: &Expr) {
        match expression {
            Expr::If(branch) => self.find_in_condition(&branch.cond),
            Expr::While(turn) => self.find_in_condition(&turn.cond),
            Expr::Binary(binary) => self.change_binary(expression, binary),
            Expr::MethodCall(call) => self.change_method_call(expression, call),
            Expr::Call(call) => self.change_call(expression, call),
            Expr::Macro(call) => self.negate_matches(expression, call),
            Expr::Match(choice) => self.swap_arms(choice),
            Expr::Try(tried) => self.default_for_fault(expression, tried),
            Expr::Lit(literal) => self.change_number(literal),
            Expr::Range(range) => self.move_range_end(expression, range),
            _ => {}
        }
    }
}
