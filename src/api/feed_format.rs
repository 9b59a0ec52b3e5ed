//! The member `Format` of requests that send a feed.

use super::json_fields::RequestFields;
use crate::feeds::feed_format::FeedFormat;
use crate::transport::refusal::Refusal;

/// The format that a request names; `None` if it names none.
///
/// # Errors
/// When there is no such format.
pub fn parse(fields: &impl RequestFields) -> Result<Option<FeedFormat>, Refusal> {
    let Some(name) = fields.opt_text(&["Format"])?.filter(|name| !name.is_empty()) else { return Ok(None) };
    let known = FeedFormat::parse(&name);
    let names = || FeedFormat::ALL.map(FeedFormat::as_str).join(", ");
    known.map(Some).ok_or_else(|| Refusal::malformed(format!("Format is none of {}", names())))
}
