//! Calls of a plugin and their answers, as the document of the interface describes them.

use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Ref, Schema, Type};

/// A plugin's call about one shopper: events, and questions. It is read leniently: names in any case, numbers as texts,
/// lists that are objects. Parts that cannot be read are left out, and `errors` says why. Other members that plugins
/// send, such as the address of the shopper or of the page, are not read.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what is read field by field")]
pub struct ServersideRequest {
    /// The account's access key; every other spelling of it is the same.
    #[schema(pattern = "^[^\\u0000]*$", example = "YOUR-ACCESSKEY")]
    app_id: String,
    /// A live secret of the account; a page has none.
    #[schema(required = false, pattern = "^[^\\u0000]*$", example = "YOUR-SECRETKEY")]
    secret_key: String,
    /// The number in the shopper's browser, as an earlier answer gave it; empty, if there is none.
    #[schema(required = false)]
    visitor_id: String,
    /// The session, as an earlier answer gave it.
    #[schema(required = false)]
    session_id: String,
    /// The currency that the shopper sees.
    #[schema(required = false, example = "EUR")]
    currency: String,
    /// Actions of the shopper, in their order: up to 50.
    #[schema(required = false)]
    events: Vec<PluginEvent>,
    /// The zones of the page: their ids, alone or in objects.
    #[schema(required = false, schema_with = asked_zones)]
    zones: Vec<Value>,
    /// Without the secret: fields of products, categories and brands to answer besides those of a card; `*` for all.
    #[schema(required = false)]
    fields: Vec<String>,
    /// A search: `query`, or with `isCategory` the id of a category; `sort` 1 and 2 by price, 3 and 4 by name;
    /// `pageSize`; `requiredAttributes`: with `Id` and `Sku` alone up to 2,000 products are answered, else up to 250.
    #[schema(required = false, value_type = Object)]
    search: Value,
    /// Ids of the products that the shopper looked at, the newest last, where the session does not say so: a page that
    /// shows no secret knows them itself.
    #[schema(required = false)]
    viewed: Vec<String>,
}

/// Something that a shopper did.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes what is read field by field")]
pub struct PluginEvent {
    /// `product_view`, `set_basket`, `customer_details`, `customer_logout`, `order_track`, `moto_order_track`, `order`,
    /// `page_view`, `search`, `item_click`, `search_click`, `product_rate`, `accept_cookies` or `currency`.
    #[schema(example = "product_view")]
    name: String,
    /// Data of an event of that name: an object; of a `set_basket` a list, of a `currency` a text, and of
    /// `accept_cookies` true or false.
    #[schema(required = false, value_type = Value, example = json!({"id": "4711"}))]
    data: Value,
}

/// A zone that is asked for.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes what is read field by field")]
pub struct PluginZone {
    /// Its id, or several with commas between them.
    #[schema(example = "PP-01")]
    id: String,
    /// Subject of its page, as the data of a `page_view`.
    #[schema(required = false, value_type = Object)]
    data: Value,
}

fn asked_zones() -> RefOr<Schema> {
    let id = ObjectBuilder::new().schema_type(Type::String);
    let zone = OneOfBuilder::new().item(id).item(Ref::from_schema_name(PluginZone::name()));
    let says = "The zones of the page: their ids, alone or in objects. Up to 50.";
    ArrayBuilder::new().items(zone).description(Some(says)).into()
}

/// Content of a zone.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what is written member by member")]
pub struct ShownZone {
    /// `recommender-product`, `recommender-category`, `recommender-brand`, `html`, `staticimage`, `carousel` or
    /// `popup`.
    #[schema(rename = "type", example = "recommender-product")]
    kind: String,
    /// Title over its items.
    #[schema(required = false)]
    title: String,
    /// Products, categories or brands, each with its `Id` and the other fields that the shop sent.
    #[schema(required = false, value_type = Vec<Object>)]
    items: Vec<Value>,
    /// HTML that a page shows instead of rendering the items itself.
    #[schema(required = false)]
    html: String,
    /// For a popup: the id of its campaign.
    #[schema(required = false)]
    id: String,
}

/// Answer to a plugin's call: the numbers of visitor and session, zones, found products, and the reasons for
/// omissions.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServersideAnswer {
    /// The number for the shopper's browser: the one that was sent, or a new one.
    pub visitor_id: String,
    /// The session: for `/api/recommend`, and to be sent again.
    pub session_id: String,
    /// Contents of the page's zones, by zone id. Zones without content are not there.
    #[schema(value_type = BTreeMap<String, ShownZone>)]
    pub zones: Box<RawValue>,
    /// Result of the search: `products` with `Id` and `Sku` in their order, `redirectUrl`, `refId`, `clickEventName`
    /// and `zeroResults`; not there when nothing was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Object)]
    pub search: Option<Box<RawValue>>,
    /// Reasons why something was left out, a sentence each; not there when nothing was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub errors: Vec<String>,
}
