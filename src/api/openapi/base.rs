//! Introduction and links of the generated document.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{HeaderBuilder, Ref, RefOr};
use utoipa::{Modify, OpenApi};

use super::schemas;
use crate::api::{health, serverside};
use crate::transport::error_body;

/// The description that the generated document begins with.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lethe",
        description = "Personalisation and search backend for online shops that forgets exactly. \
                   Credentials travel in the body. Every refusal is {\"Error\": \"one sentence\"}, \
                   with a link to the page of its code: /docs/errors lists all. What is accepted is answered with \
                   one sentence, as bare text; a client that reads every answer as JSON asks for that with \
                   `Accept: application/json`, and gets the sentence as a JSON string."
    ),
    servers((url = "http://127.0.0.1:8080", description = "A server on this machine; yours has another address")),
    components(schemas(
        health::Readiness,
        error_body::ErrorBody<'static>,
        error_body::ListedErrorBody<'static>,
        serverside::response::PluginZone,
        schemas::FeedDocument
    )),
    modifiers(&MetricsToken),
    tags(
        (name = "operations", description = "What the interface fixes"),
        (name = "uploads", description = "A feed in pieces, form-encoded"),
        (name = "plugin", description = "What plugins of shops ask beside these"),
        (name = "search", description = "What shoppers find"),
        (name = "zones", description = "What stands in the zones of a shop's pages"),
        (name = "webhook", description = "Telling the shop's own server what ended"),
        (name = "additions", description = "What is shown, why, and what was wrong"),
        (name = "people", description = "What is held of a person, and what became of requests to forget"),
        (name = "operation of the server", description = "For who runs the server")
    )
)]
pub(super) struct ApiDocument;

/// Proof of the operator: a bearer token. A shop's credentials travel in the body.
pub(super) struct MetricsToken;

impl Modify for MetricsToken {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
        let bearer = bearer.description(Some("The metrics token that is set on the server.")).build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("metrics_token", SecurityScheme::Http(bearer));
    }
}

/// The document before the routes are added.
pub(crate) fn base_document() -> utoipa::openapi::OpenApi {
    ApiDocument::openapi()
}

/// The header of all refusals, described once.
pub(super) const LINK: &str = "ErrorPage";

/// Describes the header `Link` wherever a refusal is described.
pub(crate) fn with_links(mut document: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    let schema = ObjectBuilder::new().schema_type(Type::String);
    let says = "Where this refusal is explained, such as `</docs/errors/credentials>; rel=\"help\"`";
    let link = HeaderBuilder::new().schema(Some(schema)).description(Some(says)).build();
    document.components.get_or_insert_default().headers.insert(LINK.to_owned(), RefOr::T(link));
    let operations = document.paths.paths.values_mut().flat_map(|path| [&mut path.get, &mut path.post]);
    let answers = operations.flatten().flat_map(|operation| operation.responses.responses.values_mut());
    for answer in answers {
        if let RefOr::T(answer) = answer
            && is_refusal(answer)
        {
            let described = Ref::new(format!("#/components/headers/{LINK}"));
            answer.headers.insert("Link".to_owned(), RefOr::Ref(described));
        }
    }
    document
}

pub(super) fn is_refusal(answer: &utoipa::openapi::Response) -> bool {
    let Some(RefOr::T(json)) = answer.content.get("application/json") else { return false };
    matches!(&json.schema, Some(RefOr::Ref(body)) if body.ref_location.ends_with("ErrorBody"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_proof_of_the_operator_is_described_as_a_bearer_token() {
        let document = serde_json::to_value(base_document()).expect("JSON");
        let description = "The metrics token that is set on the server.";
        let schemes =
            json!({"metrics_token": {"type": "http", "scheme": "bearer", "description": description}});
        assert_eq!(document["components"]["securitySchemes"], schemes);
    }
}
