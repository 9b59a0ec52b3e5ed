//! The shop that an operator works on.

use crate::ids::AccountId;

/// A shop of the signed-in operator.
#[derive(Clone, serde::Serialize)]
pub(crate) struct ConsoleShop {
    #[serde(skip)]
    pub id: AccountId,
    pub name: String,
    pub access_key: String,
    /// Origins of its pictures; known for the shop of the page only.
    pub pictures: Vec<String>,
}
