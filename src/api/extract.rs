//! Extracts a shop's request: a body read within its limits, the account, and the fields.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequest;
use axum::http::Request;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::body::read_json_of_account;
use super::credentials::{self, Caller};
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::JsonFields;
use super::search::TurnOf;
use super::{compute_pool, unknown_members};
use crate::accounts::Account;
use crate::node::Node;
use crate::transport::peer::Peer;
use crate::transport::refusal::Refusal;

/// A request without fields besides the credentials.
#[derive(ToSchema)]
pub struct Credentials {}

impl FromFields for Credentials {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(_: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self {})
    }
}

/// A request that proved a secret of its account.
pub struct Authenticated<Q> {
    /// Account of the request.
    pub account: Arc<Account>,
    /// Question of the request.
    pub question: Q,
    /// Sender of the request.
    pub peer: Peer,
}

/// A request that showed an access key, and needs no secret.
pub struct WithAccessKey<Q> {
    /// Account of the access key.
    pub account: Arc<Account>,
    /// Question of the request.
    pub question: Q,
}

impl<Q: FromFields + 'static> FromRequest<Arc<Node>> for Authenticated<Q> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, node: &Arc<Node>) -> Result<Self, Refusal> {
        let caller = Caller::from_request(&request);
        let body = read_json_of_account(node, request, Q::LIMIT_BYTES).await?;
        let fields = JsonFields::parse(&body)?;
        let account = credentials::by_secret(node, &caller, &fields).await?;
        unknown_members::check::<Q>(&fields)?;
        let turn_of = TurnOf::new(account.id, caller.peer);
        let question = compute_pool::read_question(node, turn_of, &body, &fields).await?;
        Ok(Self { account, question, peer: caller.peer })
    }
}

impl<Q: FromFields + 'static> FromRequest<Arc<Node>> for WithAccessKey<Q> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, node: &Arc<Node>) -> Result<Self, Refusal> {
        let caller = Caller::from_request(&request);
        let body = read_json_of_account(node, request, Q::LIMIT_BYTES).await?;
        let fields = JsonFields::parse(&body)?;
        let account = credentials::by_key(node, &caller, &fields).await;
        let account = account.map_err(Refusal::of_access_key_alone)?;
        unknown_members::check::<Q>(&fields)?;
        let turn_of = TurnOf::new(account.id, caller.peer);
        let question = compute_pool::read_question(node, turn_of, &body, &fields).await?;
        Ok(Self { account, question })
    }
}

impl<Q: FromFields + ToSchema> PartialSchema for Authenticated<Q> {
    fn schema() -> RefOr<Schema> {
        with_credentials(Q::schema(), &[(Q::ACCESS_KEY, KEY_SAYS), (Q::SECRET_KEY, SECRET_SAYS)])
    }
}

impl<Q: FromFields + ToSchema> ToSchema for Authenticated<Q> {
    fn name() -> Cow<'static, str> {
        Q::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Q::schemas(schemas);
    }
}

impl<Q: FromFields + ToSchema> PartialSchema for WithAccessKey<Q> {
    fn schema() -> RefOr<Schema> {
        with_credentials(Q::schema(), &[(Q::ACCESS_KEY, KEY_SAYS)])
    }
}

impl<Q: FromFields + ToSchema> ToSchema for WithAccessKey<Q> {
    fn name() -> Cow<'static, str> {
        format!("{}ByKey", Q::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Q::schemas(schemas);
    }
}

pub(super) const KEY_SAYS: &str =
    "The account's access key. `AccessKey`, `AppKey` and `AppId` are the same, in any case.";
pub(super) const SECRET_SAYS: &str =
    "A live secret of the account. `SecretKey` and `Secret` are the same, in any case.";

/// The schema of a question with the credentials before its fields.
pub(super) fn with_credentials(question: RefOr<Schema>, credentials: &[(&str, &str)]) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = question else { return question };
    let asked = std::mem::take(&mut object.properties);
    let needed = std::mem::take(&mut object.required);
    for (name, says) in credentials {
        object.properties.insert((*name).to_owned(), text(name, says));
        object.required.push((*name).to_owned());
    }
    object.properties.extend(asked);
    object.required.extend(needed);
    Schema::Object(object).into()
}

/// The schema of a question, followed by optional texts.
pub(super) fn with_texts(question: RefOr<Schema>, texts: &[(&str, &str)]) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = question else { return question };
    object.properties.extend(texts.iter().map(|(name, says)| ((*name).to_owned(), text(name, says))));
    Schema::Object(object).into()
}

/// Tools fill a request with the example of a text, or make a random one.
fn text(name: &str, says: &str) -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[^\\u0000]*$"));
    let mut text = text.description(Some(says)).build();
    text.example = Some(format!("YOUR-{}", name.to_ascii_uppercase()).into());
    Schema::Object(text).into()
}
