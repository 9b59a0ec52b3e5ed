//! `POST /api/delta`, and its alias `/api/productdelta`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use itertools::Itertools as _;
use zeroize::Zeroizing;

use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::JsonFields;
use super::openapi::schemas::DeltaRequest;
use super::sealed_accept::accept_sealed;
use super::{account_quota, status_tokens};
use crate::accept::{self, Acceptance};
use crate::feeds::fields;
use crate::feeds::fields::misnamed::section_meant;
use crate::feeds::section::FeedPart;
use crate::ids::SubmissionToken;
use crate::jobs::Lane;
use crate::node::Node;
use crate::store::Tx;
use crate::submissions::SubmissionPayload;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};
use crate::{addresses, limits};

/// The handle of an accepted delta.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct DeltaAnswer {
    /// A GUID for `/api/deltastatus`.
    #[serde(rename = "Token")]
    token: String,
}

impl FromFields for DeltaRequest {
    const LIMIT_BYTES: usize = limits::DELTA_BODY_BYTES;
    const ACCESS_KEY: &str = "AppKey";
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { payload: payload(fields)?, token: status_tokens::parse_client_token(fields)? })
    }
}

type DeltaBySecret = Authenticated<DeltaRequest>;

/// Accepts a delta; it is applied in the order of acceptance.
#[utoipa::path(post, path = "/api/delta", operation_id = "delta", tag = "operations", request_body = DeltaBySecret,
    responses(OfShop, (status = 200, description = "Accepted, durably", body = DeltaAnswer),
    (status = 409, description = "The token stands for something else", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    DeltaBySecret { account, question, .. }: DeltaBySecret,
) -> Result<Json<DeltaAnswer>, Refusal> {
    let DeltaRequest { payload, token: own } = question;
    let id = account.id;
    let now = node.clock.now();
    account_quota::check(&node, id).await?;
    let digest = own.map(|_| node.keys.content_tag(id, "delta", &payload));
    let token = own.unwrap_or_else(|| SubmissionToken::issue(now));
    let accept = move |tx: &mut Tx<'_>, payload: SubmissionPayload<'_>| {
        accept::delta::accept(tx, id, token, payload, digest.as_ref(), now)
    };
    let accepted = if may_hold_people(&payload) {
        let aad = accept::payload_aad(id, token);
        let payload = Zeroizing::new(payload);
        let accept =
            move |tx: &mut Tx<'_>, slot, sealed: &[u8]| accept(tx, SubmissionPayload::Sealed(slot, sealed));
        accept_sealed(&node, id, aad, payload, accept, Acceptance::is_stored).await?
    } else {
        node.store.write(id, move |tx| accept(tx, SubmissionPayload::Plain(&payload))).await?
    };
    status_tokens::settle(&node, accepted).await?;
    node.lanes.wake_lane(Lane::DELTA);
    Ok(Json(DeltaAnswer { token: token.to_string() }))
}

/// The same under its older name.
#[utoipa::path(post, path = "/api/productdelta", operation_id = "product_delta", tag = "operations",
    request_body = DeltaBySecret, responses(OfShop, (status = 200, description = "Accepted, durably", body = DeltaAnswer),
    (status = 409, description = "The token stands for something else", body = ErrorBody<'static>)))]
pub async fn post_product_delta(
    node: State<Arc<Node>>,
    asked: DeltaBySecret,
) -> Result<Json<DeltaAnswer>, Refusal> {
    post(node, asked).await
}

/// The sections without the credentials, which are never stored. Other members are dropped; of one whose name is like a
/// section's the name stays, so that it can be told.
///
/// # Errors
/// When a section has no place in a delta, comes twice or is no list; when there are rows and all under other names.
pub fn payload(fields: &JsonFields<'_>) -> Result<Vec<u8>, Refusal> {
    let mut payload = vec![b'{'];
    let mut seen = Vec::new();
    let mut unknown = Vec::new();
    for (name, value) in fields.iter() {
        let holds_rows = matches!(value.get().as_bytes().first(), Some(b'[' | b'{'));
        let Some(section) = FeedPart::parse_lenient(name) else {
            if holds_rows {
                unknown.push(name);
            }
            continue;
        };
        if matches!(section, FeedPart::CATEGORIES | FeedPart::BRANDS) {
            return Err(Refusal::malformed(format!(
                "{} belongs into a feed, not into a delta",
                section.as_str()
            )));
        }
        if seen.contains(&section) {
            return Err(Refusal::malformed(format!("{} is given twice", section.as_str())));
        }
        if !holds_rows && !matches!(value.get(), "null" | "\"\"") {
            return Err(Refusal::malformed(format!("{} has to be an array", section.as_str())));
        }
        if !seen.is_empty() {
            payload.push(b',');
        }
        seen.push(section);
        payload.extend_from_slice(format!("\"{}\":", section.as_str()).as_bytes());
        payload.extend_from_slice(value.get().as_bytes());
    }
    if seen.is_empty() && !unknown.is_empty() {
        return Err(Refusal::malformed(none_known(&unknown)));
    }
    for name in unknown.into_iter().filter(|name| section_meant(name).is_some()) {
        let name = serde_json::to_string(name).unwrap_or_default();
        payload.extend_from_slice(format!(",{name}:[]").as_bytes());
    }
    payload.push(b'}');
    Ok(payload)
}

/// Sentence for a delta whose rows all stand under names of no section. The names are not quoted.
fn none_known(unknown: &[&str]) -> String {
    let meant = unknown.iter().filter_map(|name| section_meant(name)).map(FeedPart::as_str);
    let meant: Vec<_> = meant.unique().collect();
    let known = fields::SECTIONS.into_iter().filter(|rows| rows.stands_in.is_of_deltas());
    let known: Vec<_> = known.map(|rows| rows.part.as_str()).collect();
    let sentence = format!("The delta has none of the sections {}", known.join(", "));
    if meant.is_empty() {
        sentence
    } else {
        format!("{sentence}; a name in it is like {}", meant.join(" and "))
    }
}

/// Returns true if a payload could be about a person: it names users or accounts anywhere, in any case, or holds an
/// address, or could do so after an escaped letter. Rather sealed once too often than once too little.
fn may_hold_people(payload: &[u8]) -> bool {
    escapes_a_letter(payload)
        || contains_word(payload, b"user")
        || contains_word(payload, b"account")
        || addresses::may_hold_address(payload)
}

fn escapes_a_letter(payload: &[u8]) -> bool {
    memchr::memmem::find_iter(payload, b"\\u00").any(|at| matches!(payload.get(at + 4), Some(b'4'..=b'7')))
}

/// Finds a lower-case ASCII word in any case.
fn contains_word(text: &[u8], word: &'static [u8]) -> bool {
    let first = word[0];
    let rest = &word[1..];
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text)
        .any(|at| text.get(at + 1..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stored text of a delta, or the sentence of its refusal.
    fn stored(delta: &str) -> Result<String, String> {
        let fields = JsonFields::parse(delta.as_bytes()).expect("fields");
        let payload = payload(&fields).map_err(|refusal| refusal.sentence().to_owned())?;
        Ok(String::from_utf8(payload).expect("text"))
    }

    #[test]
    fn of_a_delta_the_sections_are_stored_as_they_came_and_the_names_that_mean_one() {
        for (delta, expected) in [
            (r#"{"AppKey":"k","SecretKey":"s","Note":"x"}"#, "{}"),
            (r#"{"AppKey":"k","Products":[ {"Id":1e0} ]}"#, r#"{"Products":[ {"Id":1e0} ]}"#),
            (
                r#"{"users":null,"DeleteProducts":"","PRODUCTS":{"Id":"1"},"Token":"t"}"#,
                r#"{"Users":null,"DeleteProducts":"","Products":{"Id":"1"}}"#,
            ),
            (
                r#"{"Products":[],"DeletedProducts":["1"],"Whatever":[2],"Note":"x"}"#,
                r#"{"Products":[],"DeletedProducts":[]}"#,
            ),
        ] {
            assert_eq!(stored(delta), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn a_delta_that_is_none_is_refused_with_the_reason() {
        let none = "The delta has none of the sections Products, AccountPrices, Users, DeleteProducts, \
            DeleteAccountPrices, DeleteUsers, SetCategoryOnProducts, RemoveCategoryFromProducts, SetVariants, \
            DeleteVariants";
        for (delta, sentence) in [
            (r#"{"Categories":[]}"#, "Categories belongs into a feed, not into a delta"),
            (r#"{"brand":[]}"#, "Brands belongs into a feed, not into a delta"),
            (r#"{"Products":[],"products":[]}"#, "Products is given twice"),
            (r#"{"Products":7}"#, "Products has to be an array"),
            (r#"{"Users":"x"}"#, "Users has to be an array"),
            (r#"{"Whatever":[1]}"#, none),
            (
                r#"{"Whatever":{},"DeletedProducts":["1"]}"#,
                &format!("{none}; a name in it is like DeleteProducts"),
            ),
            (
                r#"{"DeletedProducts":[],"Customers":[],"RemoveProducts":["1"]}"#,
                &format!("{none}; a name in it is like DeleteProducts and Users"),
            ),
        ] {
            assert_eq!(stored(delta), Err(sentence.to_owned()), "{delta}");
        }
    }

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
            "user",
            "xACCOUNT",
            "\\u0040",
            "\\u007a",
        ] {
            assert!(may_hold_people(people.as_bytes()), "{people}");
        }
        for nobody in [
            "{\"Products\":[{\"Id\":\"1\"}]}",
            "{\"t\":\"caf\\u00e9\"}",
            "{\"t\":\"use\"}",
            "{\"t\":\"use r, us\"}",
            "accoun",
            "\\u0030",
            "\\u0080",
        ] {
            assert!(!may_hold_people(nobody.as_bytes()), "{nobody}");
        }
    }
}
