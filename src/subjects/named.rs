//! Whom a row names: its identifiers, each in its role, and what a role means.

use crate::ids::identifier::Identifier;

/// What an identifier is in the row that it came with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The shop's id of the person.
    UserId,
    /// The email address in a profile.
    ProfileEmail,
    /// The email address in an order.
    OrderEmail,
    /// The shop's id of their company.
    Company,
}

/// When an identifier leads to the person of its row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leads {
    /// Whatever else the row has.
    Always,
    /// When the row has nothing else: it is a group, which many people share.
    Alone,
}

/// What a role means.
struct Rule {
    role: Role,
    leads: Leads,
    /// Whether somebody known by this identifier and by no user id is the person of a row with a user id nobody has.
    joins_guest: bool,
}

const RULES: [Rule; 4] = [
    Rule { role: Role::UserId, leads: Leads::Always, joins_guest: false },
    Rule { role: Role::ProfileEmail, leads: Leads::Always, joins_guest: true },
    Rule { role: Role::OrderEmail, leads: Leads::Always, joins_guest: true },
    Rule { role: Role::Company, leads: Leads::Alone, joins_guest: false },
];

impl Role {
    fn rule(self) -> &'static Rule {
        // Every role has its line; the first stands in for none.
        RULES.iter().find(|rule| rule.role == self).unwrap_or(&RULES[0])
    }

    /// Whether it makes a guest the user of its row.
    #[must_use]
    pub fn joins_guest(self) -> bool {
        self.rule().joins_guest
    }
}

/// Whom a row names, strongest first. Cannot be printed.
#[derive(Clone, Default)]
pub struct Named<'a> {
    ids: Vec<(Role, &'a Identifier)>,
}

crate::unprintable::unprintable!(Named<'static>);

impl<'a> Named<'a> {
    /// Adds an identifier behind those that are stronger.
    #[must_use]
    pub fn with(mut self, role: Role, id: Option<&'a Identifier>) -> Self {
        self.ids.extend(id.map(|id| (role, id)));
        self
    }

    /// The identifier in a role.
    #[must_use]
    pub fn get(&self, role: Role) -> Option<&'a Identifier> {
        self.ids.iter().find(|(has, _)| *has == role).map(|(_, id)| *id)
    }

    /// The identifiers that lead to the person, each with its role.
    pub fn leading(&self) -> impl Iterator<Item = (Role, &'a Identifier)> {
        let is_alone = self.ids.len() == 1;
        let leads = move |(role, _): &&(Role, _)| role.rule().leads == Leads::Always || is_alone;
        self.ids.iter().filter(leads).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_one_rule_and_a_company_leads_alone() {
        for role in [Role::UserId, Role::ProfileEmail, Role::OrderEmail, Role::Company] {
            assert_eq!(RULES.iter().filter(|rule| rule.role == role).count(), 1, "{role:?}");
        }
        let [company, email] = ["acme", "ada"].map(|text| Identifier::account_id(text).ok().unwrap());
        let roles = |named: &Named<'_>| named.leading().map(|(role, _)| role).collect::<Vec<_>>();
        let named = Named::default().with(Role::Company, Some(&company));
        assert_eq!(roles(&named), [Role::Company]);
        let named = Named::default().with(Role::OrderEmail, Some(&email)).with(Role::Company, Some(&company));
        assert_eq!(roles(&named), [Role::OrderEmail]);
    }
}
