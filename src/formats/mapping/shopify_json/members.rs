//! Members of Shopify's objects: both writings of their names, ids, pictures, lists and connections.

use std::str::FromStr;

use rust_decimal::Decimal;
use serde_json::{Map, Value};

use crate::formats::values::markup::to_plain_text;

/// Longest text that the rows of a product share: an id, an address, an option's name.
pub const SHARED_TEXT_BYTES: usize = 2_048;
/// Members in which a picture or a file wraps its address.
pub const IMAGE_MEMBERS: [&str; 7] =
    ["url", "src", "originalSrc", "transformedSrc", "image", "preview", "originalSource"];
/// Objects within each other around an address: a product's media, its preview, the picture in it.
const IMAGE_DEPTH: usize = 4;

/// An object of JSON.
pub type Object = Map<String, Value>;

/// A global id, such as `gid://shopify/Product/1`.
#[derive(Clone, Copy)]
pub struct GlobalId<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// Its number.
    pub number: &'a str,
}

/// Parses a global id; `None` for any other value.
pub fn parse_gid(value: &Value) -> Option<GlobalId<'_>> {
    let path = value.as_str()?.trim().strip_prefix("gid://shopify/")?;
    let (kind, number) = path.split('?').next()?.split_once('/')?;
    Some(GlobalId { kind, number })
}

/// Number of an id, whether the id is one, a text of one, or global.
pub fn read_id(value: &Value) -> Option<String> {
    let id = parse_gid(value).map_or_else(|| read_text(value), |gid| Some(gid.number.to_owned()));
    id.filter(|id| !id.is_empty() && id.len() <= SHARED_TEXT_BYTES)
}

/// Address within an object that is a picture or wraps one.
pub fn read_object_image(image: &Object) -> Option<String> {
    IMAGE_MEMBERS.iter().find_map(|name| read_image(image.get(*name)?))
}

/// Address of a picture: a text, or within an object that wraps it.
pub fn read_image(value: &Value) -> Option<String> {
    let mut value = value;
    for _ in 0..IMAGE_DEPTH {
        let Value::Object(object) = value else { break };
        value = find_member(object, &IMAGE_MEMBERS)?;
    }
    let address = value.as_str().map(str::trim)?;
    let is_short = !address.is_empty() && address.len() <= SHARED_TEXT_BYTES;
    let address = if address.starts_with("//") { format!("https:{address}") } else { address.to_owned() };
    is_short.then_some(address)
}

/// Objects of a list, a connection (`edges`, `nodes`), or an object of objects.
pub fn list_objects(value: Option<&Value>) -> Vec<&Object> {
    let objects: Vec<&Object> = match value {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_object).collect(),
        Some(Value::Object(connection)) => match find_member(connection, &["edges", "nodes"]) {
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_object).collect(),
            _ => connection.values().filter_map(Value::as_object).collect(),
        },
        _ => Vec::new(),
    };
    objects.into_iter().map(|object| unwrap_object(object, &["node"])).collect()
}

/// The object that the first of these members wraps; the object itself if it has an id of its own or none of them.
pub fn unwrap_object<'a>(object: &'a Object, members: &[&str]) -> &'a Object {
    let inner = members.iter().find_map(|name| find_object(object, name));
    if object.contains_key("id") || object.contains_key("__parentId") {
        object
    } else {
        inner.unwrap_or(object)
    }
}

/// The first of these members that is there and not null.
pub fn find_member<'a>(object: &'a Object, names: &[&str]) -> Option<&'a Value> {
    names.iter().filter_map(|name| object.get(*name)).find(|value| !value.is_null())
}

/// The member of this name, if it is an object.
pub fn find_object<'a>(object: &'a Object, name: &str) -> Option<&'a Object> {
    object.get(name).and_then(Value::as_object)
}

/// A text or a number as trimmed text; `None` if it is empty or anything else.
pub fn read_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    Some(text).filter(|text| !text.is_empty())
}

/// A text or a number without markup.
pub fn read_plain_text(value: &Value) -> Option<String> {
    read_text(value).map(|text| to_plain_text(&text)).filter(|text| !text.is_empty())
}

/// A number, or a text that is one.
pub fn read_decimal(value: &Value) -> Option<Decimal> {
    read_text(value).and_then(|text| Decimal::from_str(&text).ok())
}
