//! Specification of a field and of the rows of a section.

use super::kind::{FieldType, TextRole};
use crate::feeds::issue::IssueCode;
use crate::feeds::section::FeedPart;

/// A documented field of a row.
#[derive(Clone, Copy)]
pub struct FieldSpec {
    /// The documented name. Names are compared without case.
    pub name: &'static str,
    /// Other names that are read as this one.
    pub also: &'static [&'static str],
    /// Names that are not read as this one, though their writers usually mean it: in lower case, letters and digits
    /// only.
    pub mistaken: &'static [&'static str],
    /// Its type.
    pub kind: FieldType,
    /// Content of its text.
    pub holds: TextRole,
    /// Requirement of the field: whether a row has to have it.
    pub need: FieldRequirement,
    /// Its meaning, in plain words.
    pub meaning: &'static str,
    /// A value as JSON; of an order file, the text of a cell.
    pub example: &'static str,
}

/// Requirement of a field in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldRequirement {
    /// The row is bad without it.
    Required,
    /// The row is bad without this field and without the others of its section that mean the same.
    OneOf,
    /// The row is used without it, with a warning.
    Wanted(IssueCode),
    /// It may be left out.
    Optional,
}

impl FieldRequirement {
    /// One word; empty for an optional field.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::OneOf => "one of these is required",
            Self::Wanted(_) => "wanted",
            Self::Optional => "",
        }
    }
}

impl FieldSpec {
    pub(super) const fn new(
        name: &'static str,
        kind: FieldType,
        example: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            also: &[],
            mistaken: &[],
            kind,
            holds: TextRole::Other,
            need: FieldRequirement::Optional,
            meaning,
            example,
        }
    }

    pub(super) const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.also = names;
        self
    }

    pub(super) const fn mistaken(mut self, names: &'static [&'static str]) -> Self {
        self.mistaken = names;
        self
    }

    pub(super) const fn holds(mut self, holds: TextRole) -> Self {
        self.holds = holds;
        self
    }

    pub(super) const fn need(mut self, need: FieldRequirement) -> Self {
        self.need = need;
        self
    }

    /// Returns true if the name is one of this field's, in any case.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.also.iter().any(|also| also.eq_ignore_ascii_case(name))
    }
}

/// Documents that may have a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllowedDocuments {
    /// A feed only.
    Feeds,
    /// A feed or a delta.
    Both,
    /// A delta only.
    Deltas,
    /// An order file, which is CSV.
    OrderFiles,
}

impl AllowedDocuments {
    /// Returns true if a delta may have it.
    #[must_use]
    pub const fn is_of_deltas(self) -> bool {
        matches!(self, Self::Both | Self::Deltas)
    }

    /// Returns true if a feed may have it.
    #[must_use]
    pub const fn is_of_feeds(self) -> bool {
        matches!(self, Self::Feeds | Self::Both)
    }

    /// In words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Feeds => "feeds",
            Self::Both => "feeds and deltas",
            Self::Deltas => "deltas",
            Self::OrderFiles => "order files (CSV)",
        }
    }
}

/// Treatment of undocumented fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnknownFieldPolicy {
    /// Kept as attributes of the row, as they are sent.
    Attributes,
    /// Left out.
    LeftOut,
}

/// A section of a feed or delta, or an order file: the form of its rows.
pub struct RowSchema {
    /// The section; its documented name is [`FeedPart::as_str`].
    pub part: FeedPart,
    /// Other names of the section that are read as this one.
    pub also: &'static [&'static str],
    /// Names that are not, though their writers usually mean it: in lower case, letters and digits only.
    pub mistaken: &'static [&'static str],
    /// Documents that may have it.
    pub stands_in: AllowedDocuments,
    /// Meaning and effect of a row, in plain words.
    pub meaning: &'static str,
    /// The fields of a row in the order of its normal form; empty where a row is a plain id.
    pub fields: &'static [FieldSpec],
    /// Treatment of other fields.
    pub others: UnknownFieldPolicy,
    /// A row as it is sent.
    pub example: &'static str,
}
