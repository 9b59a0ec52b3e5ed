//! The customer that a log-in or an order names.

use super::lenient_json::ByName;
use super::skipped::SkippedReasons;
use crate::ids::identifier::{Identifier, IdentifierRefusal};
use crate::limits;

/// The longest email field that is looked into, in bytes: an address with its owner's name, escaped.
const EMAIL_FIELD_BYTES: usize = 4 * limits::IDENTIFIER_BYTES;

/// Customer that a log-in or an order names. Cannot be printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Customer {
    /// The account that they buy for: `accid`.
    pub company: Option<Identifier>,
    /// The shop's id of the customer: `userid`.
    pub user_id: Option<Identifier>,
    /// Their email address.
    pub email: Option<Identifier>,
    /// The customer group whose prices they are shown: `groupid`. It is not stored.
    pub group: Option<String>,
}

static_assertions::assert_not_impl_any!(Customer: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl Customer {
    /// Reads it from the data of an event. A placeholder (`0`, `guest`) counts as missing.
    ///
    /// # Errors
    /// When an id cannot be one, or is given twice with different values. An email field that holds no address, or
    /// several, is left out alone, with a reason.
    pub fn parse(data: &ByName<'_>, reasons: &mut SkippedReasons) -> Result<Self, String> {
        let id = |name: &str, read: fn(&str) -> Result<Identifier, IdentifierRefusal>| match read(
            &data.text(name)?,
        ) {
            Ok(id) => Ok(Some(id)),
            Err(IdentifierRefusal::Empty | IdentifierRefusal::Nobody) => Ok(None),
            Err(refusal) => Err(format!("{name}: {refusal}")),
        };
        let company = id("accid", Identifier::account_id)?;
        let user_id = id("userid", Identifier::user_id)?;
        let field = data.text("email")?;
        // A longer one is no address, and costs as much time as its writer wants.
        let is_short = field.len() <= EMAIL_FIELD_BYTES;
        let mut emails = if is_short { Identifier::emails_in(&field) } else { Vec::new() };
        // Of several addresses, it is unknown which is the customer's.
        let email = emails.pop().filter(|_| emails.is_empty());
        if email.is_none() && !field.is_empty() {
            reasons.add("email holds no address, or several".to_owned());
        }
        let group = data.opt_id("groupid").and_then(|group| Ok(group.or(data.opt_id("group_id")?)));
        let group = group.unwrap_or_else(|reason| {
            reasons.add(reason);
            None
        });
        Ok(Self { company, user_id, email, group })
    }

    /// The id that decides, by the rule of these clients: `accid` wins over `userid`, and `userid` over `email`.
    #[must_use]
    pub fn leading(&self) -> Option<&Identifier> {
        self.company.as_ref().or(self.user_id.as_ref()).or(self.email.as_ref())
    }
}
