//! Schemas of feeds and deltas for the OpenAPI document: made from the table by which rows are read.
//!
//! They describe the documented form. The reader accepts more: numbers as texts, one text for a list, any case of
//! names.

use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    AdditionalProperties, Array, ArrayBuilder, ObjectBuilder, Ref, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::{PartialSchema, ToSchema};

use crate::evidence::person::{KnownAs, Suppression};
use crate::feeds::fields::{
    self, FieldRequirement, FieldSpec, FieldType, PRICE_PAIR, RowSchema, UnknownFieldPolicy, entry_fields,
};
use crate::ids::SubmissionToken;

/// A delta: any of its sections.
pub struct DeltaRequest {
    /// The sections as they are stored.
    pub payload: Vec<u8>,
    /// The token that the caller gives it.
    pub token: Option<SubmissionToken>,
}

impl PartialSchema for DeltaRequest {
    fn schema() -> RefOr<Schema> {
        let says = "A GUID of the caller's own: the same delta sent again under it is the same submission.";
        let uuid = SchemaFormat::Custom("uuid".to_owned());
        let token = ObjectBuilder::new().schema_type(Type::String).format(Some(uuid));
        let object = ObjectBuilder::new()
            .description(Some("Credentials and any of the sections."))
            .property("Token", token.description(Some(says)));
        with_sections(object, |rows| rows.stands_in.is_of_deltas())
    }
}

impl ToSchema for DeltaRequest {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        row_schemas(schemas);
    }
}

/// A certificate of an erasure. Its bytes count: keep it as it came. `lethe-verify` checks it, and defines its parts.
#[derive(ToSchema)]
#[schema(rename_all = "PascalCase")]
#[expect(dead_code, reason = "describes what lethe-verify defines, and writes itself")]
pub struct CertificateAnswer {
    /// The facts that are certified.
    #[schema(value_type = Object)]
    body: Value,
    /// Over the hash of the body's bytes.
    signature: String,
    /// The entry of the ledger.
    #[schema(value_type = Object)]
    entry: Value,
    /// Its number in the ledger, from 0.
    index: u64,
    /// Proof that the checkpoint counts it.
    proof: Vec<String>,
    /// The ledger as it was signed on the day it was asked for.
    #[schema(value_type = Object)]
    checkpoint: Value,
}

/// All stored data about a person. The register of places decides its parts.
#[derive(ToSchema)]
#[schema(rename_all = "PascalCase")]
#[expect(dead_code, reason = "describes what the register exports, which no type of ours may hold")]
pub struct PersonExport {
    /// Time when it was made, in milliseconds since 1970.
    at: i64,
    /// The shop.
    shop: String,
    /// The account's currency.
    currency: Option<String>,
    /// Profiles as they were sent.
    #[schema(value_type = Vec<Object>)]
    profiles: Vec<Value>,
    /// Orders, oldest first.
    orders: Vec<ExportedOrder>,
    /// Log-ins, with their time, of people with no other data.
    #[schema(value_type = Vec<Object>)]
    log_ins: Vec<Value>,
    /// The identifiers under which the person is held.
    identifiers: Vec<KnownAs>,
    /// State of the identifier: forgotten or not.
    suppression: Suppression,
}

/// An order of a person.
#[derive(ToSchema)]
#[schema(rename_all = "PascalCase")]
#[expect(dead_code, reason = "describes what the register exports")]
pub struct ExportedOrder {
    /// Its number.
    order: String,
    /// Time when it was placed.
    ordered_at: Option<i64>,
    /// Products that were bought.
    lines: Vec<ExportedLine>,
}

/// A line of an order.
#[derive(ToSchema)]
#[schema(rename_all = "PascalCase")]
#[expect(dead_code, reason = "describes what the register exports")]
pub struct ExportedLine {
    /// The product's id.
    product: String,
    /// Quantity.
    quantity: String,
    /// The price of one.
    unit_price: Option<String>,
    /// Place where it was found, if the shop said so.
    #[schema(required = false)]
    ref_id: String,
}

/// A feed, as it is fetched from a URL or uploaded in pieces.
pub enum FeedDocument {}

impl PartialSchema for FeedDocument {
    fn schema() -> RefOr<Schema> {
        let says = "A feed, as it stands at the URL or is uploaded in pieces: any of the sections.";
        with_sections(ObjectBuilder::new().description(Some(says)), |rows| rows.stands_in.is_of_feeds())
    }
}

impl ToSchema for FeedDocument {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        row_schemas(schemas);
    }
}

fn with_sections(mut object: ObjectBuilder, has: impl Fn(&RowSchema) -> bool) -> RefOr<Schema> {
    for rows in fields::SECTIONS.into_iter().filter(|rows| has(rows)) {
        let items = Ref::from_schema_name(row_name(rows));
        let section = ArrayBuilder::new().items(items).description(Some(rows.meaning));
        object = object.property(rows.part.as_str(), section);
    }
    object.into()
}

fn row_name(rows: &RowSchema) -> String {
    format!("{}Row", rows.part.as_str())
}

/// A schema for the rows of each section, and for the lines of an order file.
fn row_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    for rows in fields::SECTIONS {
        schemas.push((row_name(rows), row_schema(rows)));
    }
}

fn row_schema(rows: &RowSchema) -> RefOr<Schema> {
    let example = serde_json::from_str::<Value>(rows.example).ok();
    if rows.fields.is_empty() {
        return id().description(Some(rows.meaning)).examples(example).into();
    }
    let keeps_others = rows.others == UnknownFieldPolicy::Attributes;
    fields_schema(rows.fields, keeps_others).description(Some(rows.meaning)).examples(example).into()
}

/// An object with these fields, and perhaps others.
fn fields_schema(fields: &[FieldSpec], keeps_others: bool) -> ObjectBuilder {
    let mut object =
        ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(keeps_others)));
    for field in fields {
        object = object.property(field.name, value_schema(field));
        if field.need == FieldRequirement::Required {
            object = object.required(field.name);
        }
    }
    object
}

/// The value of a field, with its description.
fn value_schema(field: &FieldSpec) -> Schema {
    let says = format!("{} {}", field.meaning, field.kind.understood());
    let one = |schema_type: Type| ObjectBuilder::new().schema_type(schema_type);
    let example = serde_json::from_str::<Value>(field.example).ok();
    // Every list may be one value too; some are documented as that.
    let is_one = example.as_ref().is_some_and(|example| example.is_string() || example.is_number());
    let object = match field.kind {
        FieldType::List | FieldType::AlignedList | FieldType::Tags | FieldType::Accounts if is_one => id(),
        FieldType::List | FieldType::AlignedList | FieldType::Tags | FieldType::Accounts => {
            return list(id(), &says);
        }
        FieldType::Prices => return list(one(Type::String), &says),
        FieldType::Variants => return list(fields_schema(entry_fields(field.kind), true), &says),
        FieldType::Options => ObjectBuilder::new().additional_properties(Some(id())),
        FieldType::Swatches => {
            let values = ObjectBuilder::new().additional_properties(Some(one(Type::String)));
            ObjectBuilder::new().additional_properties(Some(values))
        }
        FieldType::Id | FieldType::Date => id(),
        FieldType::Text | FieldType::Embedded | FieldType::Moment => one(Type::String),
        FieldType::Flag => one(Type::Boolean),
        FieldType::Number | FieldType::Amount => one(Type::Number),
        FieldType::GroupPrices | FieldType::AccountPrices => {
            let pair = PRICE_PAIR
                .iter()
                .fold(ObjectBuilder::new(), |pair, price| pair.property(price.name, value_schema(price)));
            ObjectBuilder::new().additional_properties(Some(pair))
        }
        FieldType::Attributes => {
            ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(true)))
        }
        FieldType::Ignored => ObjectBuilder::new().schema_type(SchemaType::AnyValue),
    };
    Schema::Object(object.description(Some(says)).examples(example).build())
}

/// A text or a number.
fn id() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Array(vec![Type::String, Type::Number]))
}

fn list(of: ObjectBuilder, says: &str) -> Schema {
    let mut list = Array::new(of);
    list.description = Some(says.to_owned());
    Schema::Array(list)
}

#[cfg(test)]
mod tests {
    use crate::feeds::fields::entry_fields;
    use serde_json::json;

    use crate::feeds::fields;

    #[test]
    fn the_document_has_every_field_of_every_section() {
        let document = serde_json::to_value(crate::api::documented::openapi()).expect("JSON");
        let schemas = &document["components"]["schemas"];
        for rows in fields::SECTIONS {
            let name = rows.part.as_str();
            let row = &schemas[format!("{name}Row")];
            let section = json!({"$ref": format!("#/components/schemas/{name}Row")});
            for (document, has) in [
                ("DeltaRequest", rows.stands_in.is_of_deltas()),
                ("FeedDocument", rows.stands_in.is_of_feeds()),
            ] {
                let items = &schemas[document]["properties"][name]["items"];
                assert_eq!(*items == section, has, "{document} {name}: {items}");
            }
            let assert_documented = |properties: &serde_json::Value, field: &fields::FieldSpec| {
                let property = &properties[field.name];
                let says = property["description"].as_str().unwrap_or_default();
                assert!(says.starts_with(field.meaning), "{name} {}: {property}", field.name);
            };
            for field in rows.fields {
                assert_documented(&row["properties"], field);
                let entry = &row["properties"][field.name]["items"]["properties"];
                entry_fields(field.kind).iter().for_each(|field| assert_documented(entry, field));
            }
        }
        // A line of CSV is in no other schema: the schema of an upload says where to find it.
        let payload = &schemas["UploadRequest"]["properties"]["payLoad"]["description"];
        let says = payload.as_str().unwrap_or_default();
        for name in ["FeedDocument", "OrdersRow"] {
            assert!(schemas[name].is_object() && says.contains(&format!("`{name}`")), "{name}: {says}");
        }
    }
}
