//! A row to be stored, with the identifiers that it names.

use super::identifiers::RowIdentifiers;
use crate::clock::Millis;

/// Content of a row about its person.
#[derive(Clone, Copy)]
pub enum RowKind {
    /// A profile; it counts unless a later row removed the person.
    Profile,
    /// An action at a time. If the person came back, earlier actions are not stored again.
    Interaction(Millis),
}

/// A row to be stored. Cannot be printed.
pub struct SubjectRow<'a> {
    /// Identifiers that the row names.
    pub named: RowIdentifiers<'a>,
    /// Content of the row.
    pub about: RowKind,
}
