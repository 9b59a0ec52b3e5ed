//! Reading of a request from the fields of its body.

use super::json_fields::JsonFields;
use crate::limits;
use crate::transport::refusal::Refusal;

/// Answer to members that an operation does not know.
#[derive(Clone, Copy)]
pub enum MemberNames {
    /// Unknown names are ignored: clients that were written for other services send more than is read.
    Tolerant,
    /// A name that is like one of these, or like that of a credential, is refused with the one that is meant. Any other
    /// unknown name is ignored, such as `utm_source`.
    Hints(&'static [&'static [&'static str]]),
}

/// Question of an operation: its request without the credentials.
pub trait FromFields: Sized + Send {
    /// The largest body, in bytes.
    const LIMIT_BYTES: usize = limits::REQUEST_BODY_BYTES;
    /// The spelling of the access key in the documentation of this operation; every other is understood too.
    const ACCESS_KEY: &str = "AccessKey";
    /// The spelling of the secret there.
    const SECRET_KEY: &str = "SecretKey";
    /// Names of its members besides the credentials, and what happens to unknown ones.
    const MEMBERS: MemberNames;

    /// Reads it.
    ///
    /// # Errors
    /// When a field is missing or invalid.
    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal>;
}
