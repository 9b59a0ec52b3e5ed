//! The answers that are no success, as the document of the interface describes them.

use std::collections::BTreeMap;

use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, HeaderBuilder, Ref, RefOr};

/// The answers of every operation of a shop that are no success.
pub enum OfShop {}

/// The answers of every address that are no success.
pub enum OfServer {}

/// The answers of an operation whose refusals have a list too.
pub enum OfListReader {}

type Answers = BTreeMap<String, RefOr<utoipa::openapi::Response>>;

const OF_SERVER: &[(u16, &str)] = &[
    (400, "The head of the request is not understood"),
    (405, "Another method; the header Allow names those that are taken"),
    (415, "The request says that its body is compressed"),
    (500, "A fault of the server, which was logged"),
];

const OF_SHOP: &[(u16, &str)] = &[
    (
        400,
        "Not one JSON object or form; a field twice, missing, of the wrong type, or with a value that cannot be",
    ),
    (403, "The access key is unknown, or the secret is wrong, revoked, or another account's"),
    (405, "Another method; the header Allow names those that are taken"),
    (408, "The body did not arrive in time"),
    (413, "The body is larger than allowed, or the account holds as much as it may"),
    (415, "The body is not declared as what is taken here, or is compressed"),
    (429, "Too many of it: of wrong credentials from this address, or of what the operation opens"),
    (500, "A fault of the server, which was logged"),
    (503, "Not now; the same request may be sent again"),
];

impl utoipa::IntoResponses for OfShop {
    fn responses() -> Answers {
        answers(OF_SHOP, "ErrorBody")
    }
}

impl utoipa::IntoResponses for OfServer {
    fn responses() -> Answers {
        answers(OF_SERVER, "ErrorBody")
    }
}

impl utoipa::IntoResponses for OfListReader {
    fn responses() -> Answers {
        let of_server = answers(OF_SERVER, "ErrorBody");
        answers(OF_SHOP, "ListedErrorBody").into_iter().chain(of_server).collect()
    }
}

fn answers(codes: &[(u16, &str)], schema: &str) -> Answers {
    codes
        .iter()
        .map(|(code, says)| (code.to_string(), describe_refusal(*code, says, schema).into()))
        .collect()
}

/// A refusal as it is described, with its headers.
fn describe_refusal(code: u16, says: &str, schema: &str) -> utoipa::openapi::Response {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    let response = ResponseBuilder::new().description(says).content("application/json", body);
    let header = |schema_type, says: &str| {
        let schema = ObjectBuilder::new().schema_type(schema_type);
        HeaderBuilder::new().schema(Some(schema)).description(Some(says)).build()
    };
    match code {
        429 | 503 => response.header("Retry-After", header(Type::Integer, "Seconds to wait")),
        405 => response.header("Allow", header(Type::String, "The methods that are taken")),
        _ => response,
    }
    .build()
}
