//! Operators of the console: their roles, their shops, and their audit log.

pub mod audit_log;
mod operator;
pub mod password;
mod role;
pub mod totp;
mod update;

pub use self::role::{OperatorRole, Right};
pub use self::update::{
    OperatorUpdate, add, change, change_password, choose_password, lock_out_all, remove, renew,
};

pub use self::operator::{Operator, OperatorFault, OperatorId, by_link, by_name, get, list};

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// An operator for tests.
    pub(crate) fn operator(number: u8) -> Operator {
        Operator {
            id: OperatorId([number; 16]),
            name: Some(format!("operator {number}")),
            role: OperatorRole::Owner,
            shops: Vec::new(),
            password: None,
            link: None,
            link_until: None,
            version: 1,
            made_at: 0,
            disabled_at: None,
            code_secret: None,
            code_step: None,
        }
    }
}

#[cfg(test)]
mod tests;
