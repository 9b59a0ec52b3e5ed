//! The shop that an operator works on.

use crate::ids::AccountId;

/// A shop of the signed-in operator.
#[derive(Clone, serde::Serialize)]
pub(crate) struct ConsoleShop {
    #[serde(skip)]
    pub id: AccountId,
    pub name: String,
    pub access_key: String,
    /// Name that people know it by; that of the account without one. Known for the shop of the page only.
    pub title: String,
    /// Currency of its amounts, as three letters; `None` if it names none.
    pub currency: Option<String>,
    /// Origins of its pictures; known for the shop of the page only.
    pub pictures: Vec<String>,
}
