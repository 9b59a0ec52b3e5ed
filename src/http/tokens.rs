//! Tokens of status questions: read from a request, looked up, answered in their order.

use std::collections::HashMap;

use super::body::Fields;
use super::refusal::Refusal;
use crate::accounts::Account;
use crate::ids::Token;
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions::{self, Kind, Status};

/// The reason of a token that is unknown, somebody else's, or expired: nobody can tell which.
pub const UNKNOWN: &str = "The token is not known";

/// The tokens of a request, as they were sent.
pub struct Asked(Vec<String>);

/// Reads the list of tokens.
pub fn asked(fields: &Fields<'_>) -> Result<Asked, Refusal> {
    let value = fields.find(&["Tokens"])?.ok_or_else(|| Refusal::malformed("Tokens is missing"))?;
    let tokens: Vec<String> = serde_json::from_str(value.get())
        .map_err(|_| Refusal::malformed("Tokens has to be an array of strings"))?;
    Ok(Asked(tokens))
}

/// Looks tokens up: one item for each, in their order, repeated ones too. A text that is no GUID is unknown.
pub async fn look_up(
    node: &Node,
    account: &Account,
    kind: Kind,
    Asked(asked): Asked,
) -> Result<Vec<(String, Option<Status>)>, Refusal> {
    if asked.len() > limits::STATUS_TOKENS {
        return Err(Refusal::malformed(format!("Tokens holds more than {} items", limits::STATUS_TOKENS)));
    }
    let tokens: Vec<Option<Token>> = asked.iter().map(|text| Token::parse(text)).collect();
    let (id, known) = (account.id, tokens.iter().flatten().copied().collect::<Vec<_>>());
    let found = node.store.read(move |tx| submissions::statuses(tx, id, kind, &known)).await;
    let found: HashMap<Token, Status> =
        found.map_err(|fault: StoreFault| Refusal::from(fault))?.into_iter().collect();
    Ok(asked
        .into_iter()
        .zip(tokens)
        .map(|(text, token)| (text, token.and_then(|token| found.get(&token).cloned())))
        .collect())
}
