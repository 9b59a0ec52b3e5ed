//! Identifiers that a row names, each in its role, and the meaning of a role.

use crate::ids::identifier::Identifier;

/// Role of an identifier in the row that it came with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdentifierRole {
    /// The shop's id of the person.
    UserId,
    /// An address that the user id holds.
    UserAddress,
    /// The email address in a profile.
    ProfileEmail,
    /// The email address in an order.
    OrderEmail,
    /// The shop's id of their company.
    Company,
    /// An address in the company's id: it leads to the subject together with the company.
    CompanyAddress,
    /// The number in their browser's cookie, for a person without any other identifier.
    Visitor,
}

/// Identifiers that a row names, strongest first. Cannot be printed.
#[derive(Clone, Default)]
pub struct RowIdentifiers<'a> {
    ids: Vec<(IdentifierRole, &'a Identifier)>,
}

/// The addresses in the ids of a row. An id that holds an address belongs to the owner of the address. Cannot be
/// printed.
#[derive(Default)]
pub struct AddressesInIds {
    user: Vec<Identifier>,
    company: Vec<Identifier>,
}

static_assertions::assert_not_impl_any!(RowIdentifiers<'static>: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(AddressesInIds: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl AddressesInIds {
    /// Finds them.
    #[must_use]
    pub fn from_ids(user_id: Option<&Identifier>, company: Option<&Identifier>) -> Self {
        let user = user_id.map(Identifier::addresses).unwrap_or_default();
        let company = company.map(Identifier::addresses).unwrap_or_default();
        Self { user, company }
    }
}

impl<'a> RowIdentifiers<'a> {
    /// Adds an identifier after those that are stronger.
    #[must_use]
    pub fn with_identifier(mut self, role: IdentifierRole, id: Option<&'a Identifier>) -> Self {
        self.ids.extend(id.map(|id| (role, id)));
        self
    }

    /// Adds the addresses that its ids hold.
    #[must_use]
    pub fn with_addresses(mut self, held: &'a AddressesInIds) -> Self {
        self.ids.extend(held.user.iter().map(|id| (IdentifierRole::UserAddress, id)));
        self.ids.extend(held.company.iter().map(|id| (IdentifierRole::CompanyAddress, id)));
        self
    }

    /// Returns true if it names only a company.
    #[must_use]
    pub fn is_company(&self) -> bool {
        self.ids
            .iter()
            .all(|(role, _)| matches!(role, IdentifierRole::Company | IdentifierRole::CompanyAddress))
    }

    /// The identifier in a role.
    #[must_use]
    pub fn identifier(&self, role: IdentifierRole) -> Option<&'a Identifier> {
        self.ids.iter().find(|(has, _)| *has == role).map(|(_, id)| *id)
    }

    /// The same without the identifier in a role.
    #[must_use]
    pub fn without(mut self, role: IdentifierRole) -> Self {
        self.ids.retain(|(has, _)| *has != role);
        self
    }

    /// The identifiers that lead to the person, each with its role. A company is a group, which many people share: it
    /// leads to a subject when the row has nothing else.
    pub fn leading(&self) -> impl Iterator<Item = (IdentifierRole, &'a Identifier)> {
        let is_alone = self.is_company();
        self.ids.iter().filter(move |(role, _)| *role != IdentifierRole::Company || is_alone).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_company_leads_alone() {
        let [company, email] = ["acme", "ada"].map(|text| Identifier::account_id(text).ok().unwrap());
        let roles = |named: &RowIdentifiers<'_>| named.leading().map(|(role, _)| role).collect::<Vec<_>>();
        let named = RowIdentifiers::default().with_identifier(IdentifierRole::Company, Some(&company));
        assert_eq!(roles(&named), [IdentifierRole::Company]);
        let named = RowIdentifiers::default()
            .with_identifier(IdentifierRole::OrderEmail, Some(&email))
            .with_identifier(IdentifierRole::Company, Some(&company));
        assert_eq!(roles(&named), [IdentifierRole::OrderEmail]);
    }
}
