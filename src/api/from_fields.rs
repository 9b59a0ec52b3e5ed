//! Reading of a request from the fields of its body.

use super::json_fields::JsonFields;
use crate::limits;
use crate::transport::refusal::Refusal;

/// Question of an operation: its request without the credentials.
pub trait FromFields: Sized + Send {
    /// The largest body, in bytes.
    const LIMIT_BYTES: usize = limits::REQUEST_BODY_BYTES;
    /// The spelling of the access key in the documentation of this operation; every other is understood too.
    const ACCESS_KEY: &str = "AccessKey";
    /// The spelling of the secret there.
    const SECRET_KEY: &str = "SecretKey";

    /// Names of its members besides the credentials. A name that is like one of them is refused. Empty where unknown
    /// names are ignored.
    const NAMES: &[&[&str]] = &[];

    /// Reads it.
    ///
    /// # Errors
    /// When a field is missing or invalid.
    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal>;
}
