//! OpenAPI document of the program, and answers checked against it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use boon::{Compiler, Schemas};
use serde_json::{Value, json};

use crate::support::world::Reply;

pub static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(lethe::api::documented::openapi()).expect("a document"));

pub const NAME: &str = "http://lethe.test/openapi.json";

thread_local! {
    static SCHEMAS: RefCell<(Compiler, Schemas)> = RefCell::new({
        let mut compiler = Compiler::new();
        compiler.add_resource(NAME, DOCUMENT.clone()).expect("the document");
        (compiler, Schemas::new())
    });
}

/// Every operation: its method, path and description.
pub fn list_operations() -> impl Iterator<Item = (&'static str, &'static str, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().expect("paths").iter();
    paths.flat_map(|(path, operations)| {
        let operations = operations.as_object().expect("operations").iter();
        operations.map(|(method, operation)| (method.as_str(), path.as_str(), operation))
    })
}

/// Every operation by its id, with the names of the members of its request.
pub fn list_request_members() -> impl Iterator<Item = (&'static str, BTreeSet<&'static str>)> {
    list_operations().map(|(_, _, operation)| {
        let mut members = BTreeSet::new();
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        members.extend(parameters.filter_map(|parameter| parameter["name"].as_str()));
        let content = operation["requestBody"]["content"].as_object().into_iter().flatten();
        content.for_each(|(_, content)| add_members(&content["schema"], &mut members));
        (operation["operationId"].as_str().expect("an id"), members)
    })
}

pub fn add_members(schema: &'static Value, members: &mut BTreeSet<&'static str>) {
    if let Some(place) = schema["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
        add_members(DOCUMENT.pointer(place).expect("a schema"), members);
    }
    members.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()));
    for parts in ["allOf", "oneOf", "anyOf"] {
        schema[parts].as_array().into_iter().flatten().for_each(|part| add_members(part, members));
    }
}

/// Fault of `value` by the schema at a place in the document.
pub fn find_fault(place: &str, value: &Value) -> Option<String> {
    SCHEMAS.with_borrow_mut(|(compiler, schemas)| {
        let index = compiler.compile(&format!("{NAME}#{place}"), schemas).expect("a schema");
        schemas.validate(value, index).err().map(|error| format!("{error:#}"))
    })
}

/// The members of an operation's JSON body, if it takes one.
pub fn list_body_members(operation: &Value) -> Option<Vec<String>> {
    let (_, schema) = find_body_schema(operation)?;
    schema["properties"].as_object().map(|members| members.keys().cloned().collect())
}

/// The schema of an operation's JSON body, and its place in the document.
fn find_body_schema(operation: &Value) -> Option<(&str, &Value)> {
    let mut schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let mut place = "";
    while let Some(reference) = schema["$ref"].as_str() {
        place = reference.strip_prefix('#')?;
        schema = DOCUMENT.pointer(place)?;
    }
    Some((place, schema))
}

/// Members whose faults are told with another status, or whose names have several spellings.
const CREDENTIALS: [&str; 6] = ["AccessKey", "AppKey", "SecretKey", "UserToken", "appId", "appKey"];

/// Members of an operation's JSON body, each with a value of a kind that its schema refuses.
pub fn list_wrong_kinds(path: &str) -> Vec<(String, Value)> {
    let operation = &DOCUMENT["paths"][path]["post"];
    let Some((place, _)) = find_body_schema(operation) else { return Vec::new() };
    let kinds = [json!({"a": [1]}), json!([[[1]]]), json!(true), json!(-7.5), json!("no such thing")];
    let members = list_body_members(operation).unwrap_or_default();
    let refused = |member: &str, kind: &Value| {
        // One text stands for a list of it.
        let is_list =
            || find_fault(&format!("{place}/properties/{}", escape_segment(member)), &json!([])).is_none();
        !(kind.is_string() && is_list())
            && find_fault(&format!("{place}/properties/{}", escape_segment(member)), kind).is_some()
    };
    members
        .iter()
        .filter(|member| !CREDENTIALS.contains(&member.as_str()))
        .flat_map(|member| kinds.iter().map(move |kind| (member.clone(), kind.clone())))
        .filter(|(member, kind)| refused(member, kind))
        .collect()
}

pub fn escape_segment(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// Reason why the document does not describe an answer, if it does not.
pub fn find_undescribed(method: &str, path: &str, reply: &Reply) -> Option<String> {
    let operation = &DOCUMENT["paths"][path][method];
    // A path without an operation is requested on purpose, to be refused.
    if operation.is_null() {
        return None;
    }
    let status = reply.status.to_string();
    let answer = &operation["responses"][&status];
    if answer.is_null() {
        return Some(format!("the status {status}"));
    }
    for header in ["retry-after", "allow", "link", "x-feed-token", "x-erasure-id"] {
        let mut described = answer["headers"].as_object().into_iter().flatten();
        let is_described = described.any(|(name, _)| name.eq_ignore_ascii_case(header));
        if !is_described && reply.headers.contains_key(header) {
            return Some(format!("the header {header} with {status}"));
        }
    }
    let content = answer["content"].as_object()?;
    let media_type = reply.header("content-type").split(';').next().unwrap_or_default();
    if !content.contains_key(media_type) {
        return Some(format!("{media_type} with {status}"));
    }
    if media_type != "application/json" {
        return None;
    }
    let path = escape_segment(path);
    let place = format!("/paths/{path}/{method}/responses/{status}/content/application~1json/schema");
    find_fault(&place, &reply.json())
}

/// Every answer is described: its status, its headers, its media type, and its body by its schema.
pub fn assert_described(method: &str, path: &str, reply: &Reply) {
    if let Some(what) = find_undescribed(method, path, reply) {
        panic!("{method} {path}: not described: {what}: {}", reply.text);
    }
}

/// An event of a stream is described too, and its content.
pub fn assert_event_described(name: &str, data: &str) {
    let answer = "/paths/~1api~1submission~1events/post/responses/200";
    let event = json!({"event": name, "data": data});
    assert_eq!(find_fault(&format!("{answer}/content/text~1event-stream/schema"), &event), None, "{event}");
    let held = serde_json::from_str(data).expect("JSON on one line");
    assert_eq!(find_fault("/components/schemas/EventData", &held), None, "{held}");
}
