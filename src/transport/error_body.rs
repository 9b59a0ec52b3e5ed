//! The body of a refusal, as callers read it.

use std::borrow::Cow;

/// The body of every refusal.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct ErrorBody<'a> {
    /// One sentence: the fault and the rule.
    #[serde(rename = "Error")]
    pub error: Cow<'a, str>,
}

/// The body of a refusal to clients that read a list.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct ListedErrorBody<'a> {
    /// One sentence: the fault and the rule.
    #[serde(rename = "Error")]
    pub error: Cow<'a, str>,
    /// The same sentence.
    pub errors: [Cow<'a, str>; 1],
}
