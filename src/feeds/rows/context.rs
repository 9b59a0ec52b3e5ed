//! Context of the normaliser: the notes, faults and keys of a row.

use std::borrow::Cow;

use crate::feeds::categories_named::CategoriesNamed;
use crate::feeds::fields::FieldSpec;
use crate::feeds::fields::misnamed::{FieldTable, NearMisses};
use crate::feeds::issue::{Issue, IssueCode, shorten_name};
use crate::feeds::json::JsonMember;
use crate::feeds::reader::RawRow;
use crate::feeds::variant_product_overlap::VariantProductOverlap;

/// Facts about an account that its rows need.
pub struct NormaliserContext<'a> {
    /// ISO 4217 code for prices without a currency.
    pub default_currency: Option<&'a str>,
    /// The keyed tag that stands for an account id (a personal identifier) in everything written.
    pub account_tag: &'a dyn Fn(&str) -> String,
    /// Collects observations over all rows of the feed or delta; without it none are reported.
    pub noticed: Option<&'a RowObservations>,
}

/// Observations over all rows of a feed or delta.
#[derive(Default)]
pub struct RowObservations {
    /// Near misses among field names.
    pub names: NearMisses,
    /// Names by which products give their categories.
    pub categories: CategoriesNamed,
    /// Products that others list as their variants.
    pub overlap: VariantProductOverlap,
}

/// Keys by which a row is found.
#[derive(Clone, PartialEq, Eq)]
pub struct ItemKey {
    /// The id as text; for account prices `tag|product id`.
    pub id: String,
    /// The SKU, if the row has one.
    pub sku: Option<String>,
    /// Ids and SKUs of a product's variants, which are no items of their own: those of its `Variants` first.
    pub children: Vec<String>,
}

/// Reason why a row is bad.
pub(super) struct RowFault {
    pub(super) code: IssueCode,
    pub(super) field: Option<Cow<'static, str>>,
}

impl RowFault {
    pub(super) const fn from_code(code: IssueCode) -> Self {
        Self { code, field: None }
    }

    pub(super) const fn field(code: IssueCode, field: &'static str) -> Self {
        Self { code, field: Some(Cow::Borrowed(field)) }
    }
}

/// A row that is being read, and the receiver of its warnings.
pub(super) struct RowWarnings<'r, 'i> {
    pub(super) row: &'r RawRow<'r>,
    pub(super) issues: &'i mut Vec<Issue>,
}

impl RowWarnings<'_, '_> {
    pub(super) fn warn(&mut self, code: IssueCode, field: &'static str) {
        self.issues.push(Issue::new(self.row, code, Some(Cow::Borrowed(field))));
    }

    /// Warns of a field that is named by a word of the row: the option of a variant, an attribute.
    pub(super) fn warn_named(&mut self, code: IssueCode, name: String) {
        self.issues.push(Issue::new(self.row, code, Some(shorten_name(name))));
    }

    /// Warns of names among those of other fields that resemble a documented one of `table`, unless the object has that
    /// one too.
    pub(super) fn warn_misnamed(
        &mut self,
        table: FieldTable,
        context: &NormaliserContext<'_>,
        others: &[JsonMember<'_>],
        is_given: impl Fn(&FieldSpec) -> bool,
    ) {
        let Some(RowObservations { names, .. }) = context.noticed else { return };
        for (position, member) in others.iter().enumerate() {
            let name = member.name();
            let Some(meant) = names.find_meant_field(table, position, &name) else { continue };
            if is_given(meant.field) {
                continue;
            }
            // An issue quotes no word of a person; a name from the table is Lethe's own.
            let is_personal = self.row.section.is_personal();
            let written = meant.written.filter(|_| is_personal).map(Cow::Borrowed);
            let name = written.unwrap_or_else(|| shorten_name(name.into_owned()));
            self.issues.push(Issue::misnamed_field(self.row, Some(name), meant.field.name));
        }
    }
}
