//! `POST /api/delta`, and its alias `/api/productdelta`.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use zeroize::Zeroizing;

use super::body::{Fields, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{accept_sealed, credentials, peer_of, tokens};
use crate::accept::{self, Accepted};
use crate::feeds::section::Part;
use crate::ids::Token;
use crate::jobs::Lane;
use crate::limits;
use crate::node::Node;
use crate::spelling;
use crate::store::Tx;
use crate::submissions::Payload;

/// A delta: credentials and any of the sections.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the body; its fields are read under all their spellings")]
pub struct DeltaRequest {
    /// The account's access key.
    #[schema(rename = "AppKey")]
    app_key: String,
    /// A live secret of the account; `Secret` is understood as well.
    #[schema(rename = "SecretKey")]
    secret_key: String,
    /// Products that replace those of the same Id.
    #[schema(rename = "Products")]
    products: Option<Vec<serde_json::Value>>,
    /// Ids or SKUs of products to remove.
    #[schema(rename = "DeleteProducts")]
    delete_products: Option<Vec<serde_json::Value>>,
    /// Profiles that replace those of the same UserId.
    #[schema(rename = "Users")]
    users: Option<Vec<serde_json::Value>>,
    /// User ids whose profiles are removed; nobody is forgotten by it.
    #[schema(rename = "DeleteUsers")]
    delete_users: Option<Vec<serde_json::Value>>,
    /// A GUID of the caller's own: the same delta sent again under it is the same submission.
    #[schema(rename = "Token")]
    token: Option<String>,
}

/// The handle of an accepted delta.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct DeltaAnswer {
    /// A GUID for `/api/deltastatus`.
    #[serde(rename = "Token")]
    token: String,
}

/// Accepts a delta; it is applied in the order of acceptance.
#[utoipa::path(post, path = "/api/delta", tag = "operations", request_body = DeltaRequest, responses(
    (status = 200, description = "Accepted, durably", body = DeltaAnswer),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 409, description = "The token stands for something else", body = ErrorBody<'static>),
    (status = 413, description = "Larger than allowed", body = ErrorBody<'static>),
    (status = 503, description = "Not now; send it again", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<DeltaAnswer>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::DELTA_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let account = credentials::by_secret(&node, peer, &fields).await?;
    let (payload, own) = (payload(&fields)?, tokens::own(&fields)?);
    let (id, now) = (account.id, node.clock.now());
    let digest = own.map(|_| node.keys.content_tag(id, "delta", &payload));
    let token = own.unwrap_or_else(|| Token::issue(now));
    let accept = move |tx: &mut Tx<'_>, payload: Payload<'_>| {
        accept::delta::accept(tx, id, token, payload, digest.as_ref(), now)
    };
    let accepted = if may_hold_people(&payload) {
        let (aad, payload) = (accept::payload_aad(id, token), Zeroizing::new(payload));
        let accept = move |tx: &mut Tx<'_>, slot, sealed: &[u8]| accept(tx, Payload::Sealed(slot, sealed));
        accept_sealed(&node, id, aad, payload, accept, Accepted::is_stored).await?
    } else {
        node.store.write(id, move |tx| accept(tx, Payload::Plain(&payload))).await?
    };
    tokens::settle(&node, accepted).await?;
    node.lanes.rouse(Lane::DELTA);
    Ok(Json(DeltaAnswer { token: token.to_string() }))
}

/// The sections without the credentials, which are never stored. Other members are dropped.
pub fn payload(fields: &Fields<'_>) -> Result<Vec<u8>, Refusal> {
    let mut payload = vec![b'{'];
    let mut seen = Vec::new();
    for (name, value) in fields.iter() {
        let Some(section) = Part::named(name) else { continue };
        if matches!(section, Part::CATEGORIES | Part::BRANDS) {
            return Err(Refusal::malformed(format!(
                "{} belongs into a feed, not into a delta",
                section.as_str()
            )));
        }
        if seen.contains(&section) {
            return Err(Refusal::malformed(format!("{} is given twice", section.as_str())));
        }
        if !matches!(value.get().as_bytes().first(), Some(b'[' | b'{'))
            && !matches!(value.get(), "null" | "\"\"")
        {
            return Err(Refusal::malformed(format!("{} has to be an array", section.as_str())));
        }
        if !seen.is_empty() {
            payload.push(b',');
        }
        seen.push(section);
        payload.extend_from_slice(format!("\"{}\":", section.as_str()).as_bytes());
        payload.extend_from_slice(value.get().as_bytes());
    }
    payload.push(b'}');
    Ok(payload)
}

/// Whether a payload could be about a person: it names users or accounts anywhere, in any case, or holds an address, or
/// could do so behind an escaped letter. Rather sealed once too often than once too little.
fn may_hold_people(payload: &[u8]) -> bool {
    escapes_a_letter(payload)
        || contains_word(payload, b"user")
        || contains_word(payload, b"account")
        // red: it::contacts::sqlite::an_address_of_a_delta_is_sealed_while_it_waits
        || mutant!("an-address-waits-in-plain-text", spelling::may_hold_address(payload), false)
}

fn escapes_a_letter(payload: &[u8]) -> bool {
    memchr::memmem::find_iter(payload, b"\\u00").any(|at| matches!(payload.get(at + 4), Some(b'4'..=b'7')))
}

/// Finds a lower-case ASCII word in any case.
fn contains_word(text: &[u8], word: &'static [u8]) -> bool {
    let (first, rest) = (word[0], &word[1..]);
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text)
        .any(|at| text.get(at + 1..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_that_could_name_people_is_sealed_however_it_is_spelt() {
        for people in [
            "{\"Users\":[]}",
            "{\"deleteUSERS\":[1]}",
            "{\"x\":{\"accountInclusions\":[]}}",
            "{\"\\u0055sers\":[]}",
            "{\"t\":\"ada@shop.test\"}",
            "{\"t\":\"ada\\u0040shop.test\"}",
            "{\"t\":\"ada\\uFF20shop.test\"}",
            "{\"t\":\"mailto:ada%40shop.test\"}",
        ] {
            assert!(may_hold_people(people.as_bytes()), "{people}");
        }
        for nobody in ["{\"Products\":[{\"Id\":\"1\"}]}", "{\"t\":\"caf\\u00e9\"}", "{\"t\":\"use\"}"] {
            assert!(!may_hold_people(nobody.as_bytes()), "{nobody}");
        }
    }
}
