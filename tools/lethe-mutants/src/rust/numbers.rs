//! The rule change-number: one more; 0 and 1 are swapped.

use syn::{ExprLit, Lit};

use super::{Finder, Words};
use crate::mutant::Change;
use crate::source::bytes_of;

/// Bytes of an expression around a number up to which it is shown with the number.
const SHOWN_BYTES: usize = 100;

impl Finder<'_> {
    pub(super) fn change_number(&mut self, literal: &ExprLit) {
        let Lit::Int(number) = &literal.lit else { return };
        let Ok(value) = number.base10_parse::<u128>() else { return };
        let other = if value == 1 { 0 } else { value.saturating_add(1) };
        let with = format!("{other}{}", number.suffix());
        let place = bytes_of(literal);
        let shown = match self.around.last() {
            Some(around) if around.len() <= SHOWN_BYTES => around.clone(),
            _ => place.clone(),
        };
        let code = self.source.code_in(shown.clone());
        let mut text = self.source.text[shown.clone()].to_owned();
        text.replace_range(place.start - shown.start..place.end - shown.start, &with);
        let becomes = crate::source::one_line(&text);
        self.add("change-number", place, Change::replace(&with), Words { code, becomes });
    }
}
