//! Tokens of status questions: read from a request, looked up, answered in their order.

use std::collections::HashMap;

use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, RequestFields};
use crate::accept::Acceptance;
use crate::accounts::Account;
use crate::ids::SubmissionToken;
use crate::keys::SlotNumber;
use crate::limits;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, Status, SubmissionKind};
use crate::transport::refusal::{ErrorCode, Refusal};

/// The token that a caller gives its own submission, if it does.
///
/// # Errors
/// A refusal when Token is not a GUID, or is given twice with different values.
pub fn parse_client_token(fields: &JsonFields<'_>) -> Result<Option<SubmissionToken>, Refusal> {
    // Values from a client that has a field for the token and nothing to put there.
    let is_unset = |sent: &str| matches!(sent, "" | "null" | "00000000-0000-0000-0000-000000000000");
    if fields.as_sent(&["Token"])?.is_none_or(|sent| is_unset(&sent)) {
        return Ok(None);
    }
    let text = fields.text(&["Token"])?;
    let malformed =
        || Refusal::malformed("Token has to be a GUID such as 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55");
    SubmissionToken::parse(&text).ok_or_else(malformed).map(Some)
}

/// The answer to a submission that is, or was, accepted. The keys of those it replaced are destroyed.
///
/// # Errors
/// A refusal when the token stands for something else that was sent before.
pub async fn settle(node: &Node, accepted: Acceptance) -> Result<(), Refusal> {
    match accepted {
        Acceptance::Stored(freed) => {
            destroy_keys(node, freed).await;
            Ok(())
        }
        Acceptance::Before => Ok(()),
        Acceptance::TokenTaken => Err(Refusal::new(
            ErrorCode::TokenTaken,
            "Token stands for something else that was sent; give each submission its own",
        )),
    }
}

/// Destroys keys that nothing needs any more, and gives their slots back.
pub async fn destroy_keys(node: &Node, freed: Vec<SlotNumber>) {
    if freed.is_empty() {
        return;
    };
    let keys = node.keys.clone();
    let releasing = tokio::task::spawn_blocking(move || {
        keys.destroy(&freed)?;
        freed.into_iter().try_for_each(|slot| keys.put_back(slot))
    });
    // The request is done all the same; the sweep at the next start destroys the rest.
    if let Ok(Err(fault)) = releasing.await {
        tracing::error!(%fault, "keys that nothing needs any more could not be destroyed");
    }
}

/// A question about one submission.
#[derive(utoipa::ToSchema)]
pub struct TokenRequest {
    /// The submission's token.
    #[schema(rename = "Token", value_type = String, example = "0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55")]
    pub token: SubmissionToken,
}

impl FromFields for TokenRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    /// A text that is no GUID is as unknown as any other.
    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let token = SubmissionToken::parse(&fields.text(&["Token"])?);
        Ok(Self { token: token.ok_or_else(Refusal::token_unknown)? })
    }
}

/// A question about several submissions.
#[derive(utoipa::ToSchema)]
#[schema(as = TokensRequest)]
pub struct TokensRequest {
    /// At most 1,000 tokens; each is answered by an item of its own.
    #[schema(rename = "Tokens", max_items = 1000, example = json!(["0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55"]))]
    pub tokens: Vec<String>,
}

impl FromFields for TokensRequest {
    const ACCESS_KEY: &str = "AppKey";
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { tokens: list(fields)? })
    }
}

/// The tokens of a request, as they were sent.
///
/// # Errors
/// A refusal when Tokens is missing, not an array of strings, too long, or given twice with different values.
pub fn list(fields: &JsonFields<'_>) -> Result<Vec<String>, Refusal> {
    let value = fields.find(&["Tokens"])?.ok_or_else(|| Refusal::missing("Tokens is missing"))?;
    let tokens: Vec<String> = serde_json::from_str(value.get())
        .map_err(|_| Refusal::malformed("Tokens has to be an array of strings"))?;
    if tokens.len() > limits::STATUS_TOKENS {
        return Err(Refusal::malformed(format!("Tokens holds more than {} items", limits::STATUS_TOKENS)));
    }
    Ok(tokens)
}

/// Tokens that one statement looks up.
const LOOKED_UP_TOKENS: usize = 16;

/// Looks tokens up: one item for each, in their order, repeated ones too. A text that is no GUID is unknown.
///
/// # Errors
/// A refusal when the store fails.
pub async fn look_up(
    node: &Node,
    account: &Account,
    kind: SubmissionKind,
    asked: Vec<String>,
) -> Result<Vec<(String, Option<Status>)>, Refusal> {
    let tokens: Vec<Option<SubmissionToken>> =
        asked.iter().map(|text| SubmissionToken::parse(text)).collect();
    let id = account.id;
    let known = tokens.iter().flatten().copied().collect::<Vec<_>>();
    // Others share the transaction of a look-up, and would wait for all of a long list.
    let is_short = known.len() <= LOOKED_UP_TOKENS;
    let statuses = move |tx: &mut Tx<'_>| submissions::statuses(tx, id, kind, &known);
    let found = if is_short { node.store.look_up(statuses).await } else { node.store.read(statuses).await };
    let found: HashMap<SubmissionToken, Status> =
        found.map_err(|fault: StoreFault| Refusal::from(fault))?.into_iter().collect();
    Ok(asked
        .into_iter()
        .zip(tokens)
        .map(|(text, token)| (text, token.and_then(|token| found.get(&token).cloned())))
        .collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::openapi::schemas::DeltaRequest;
    use crate::api::testing::{assert_none_twice, assert_refused, read};

    const TOKEN: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

    /// The token of its own that a delta is sent with.
    fn own_token(sent: &Value) -> Result<Option<String>, String> {
        let asked = read::<DeltaRequest>(&json!({"Products": [], "Token": sent}))?;
        Ok(asked.token.map(|token| token.to_string()))
    }

    #[test]
    fn a_token_of_the_callers_own_is_a_guid_and_may_be_left_out_in_many_ways() {
        for unset in [json!(null), json!(""), json!("00000000-0000-0000-0000-000000000000")] {
            assert_eq!(own_token(&unset), Ok(None), "{unset}");
        }
        assert_eq!(own_token(&json!(TOKEN)), Ok(Some(TOKEN.to_owned())));
        for (wrong, sentence) in [
            (json!("7"), "Token has to be a GUID such as 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55"),
            (json!(7), "Token has to be a string"),
            (json!("a\0"), "Token holds a NUL character"),
        ] {
            assert_eq!(own_token(&wrong), Err(sentence.to_owned()), "{wrong}");
        }
        assert_none_twice::<DeltaRequest>(&json!({"Products": []}), &["Token"]);
    }

    #[test]
    fn a_question_names_one_token_or_up_to_a_thousand() {
        for (asked, sentence) in [
            (json!({"Tokens": vec![TOKEN; 1000]}), ""),
            (json!({"Tokens": []}), ""),
            (json!({"Tokens": vec!["x"; 1001]}), "Tokens holds more than 1000 items"),
            (json!({}), "Tokens is missing"),
            (json!({"Tokens": TOKEN}), "Tokens has to be an array of strings"),
            (json!({"Tokens": [TOKEN, 7]}), "Tokens has to be an array of strings"),
        ] {
            assert_refused::<TokensRequest>(&asked, sentence);
        }
        assert_none_twice::<TokensRequest>(&json!({}), &["Tokens"]);
        for (asked, sentence) in [
            (json!({"Token": TOKEN}), ""),
            (json!({}), "Token is missing"),
            (json!({"Token": 7}), "Token has to be a string"),
            (json!({"Token": "7"}), "The token is not known"),
        ] {
            assert_refused::<TokenRequest>(&asked, sentence);
        }
        assert_none_twice::<TokenRequest>(&json!({}), &["Token"]);
    }
}
