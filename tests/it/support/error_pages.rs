//! Links of refusals to the page of their code.

use lethe::transport::refusal::ErrorCode;
use serde_json::Value;

use crate::support::world::Reply;

/// The code that a refusal leads to.
pub fn linked_code(reply: &Reply) -> &str {
    let link = reply.header("link").strip_prefix("</docs/errors/");
    link.and_then(|rest| rest.strip_suffix(">; rel=\"help\"")).unwrap_or_default()
}

/// Every refusal that a test of this suite gets over HTTP leads to the page of a code of its status.
pub fn assert_explained(reply: &Reply) {
    // The answer of `/ready` about the server has `Ready` too, and is no refusal.
    let refuses = |body: Value| body["Error"].is_string() && body["Ready"].is_null();
    let is_refusal = || serde_json::from_str(&reply.text).is_ok_and(refuses);
    if reply.status < 400 || !is_refusal() {
        return;
    }
    let code = ErrorCode::ALL.iter().find(|code| code.as_str() == linked_code(reply));
    let status = code.map(|code| code.status().as_u16());
    assert_eq!(status, Some(reply.status), "{:?}: {}", reply.header("link"), reply.text);
}
