//! `GET /docs`: the OpenAPI document as a page for people. Made once, from the document alone; it needs no script and
//! nothing from another server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use html_escape::encode_text;
use serde_json::{Map, Value};

use super::page_frame::{STYLE, head, page_response};

static PAGE: LazyLock<Bytes> = LazyLock::new(|| {
    page(&serde_json::to_value(crate::api::documented::openapi()).unwrap_or_default()).into()
});

/// `GET /docs`.
pub async fn get() -> Response {
    page_response(PAGE.clone())
}

/// `GET /docs/style.css`.
pub async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}

/// A description as paragraphs of the page: of Markdown the texts use `code` and empty lines, and nothing else.
fn prose(value: &Value) -> String {
    let paragraphs = value.as_str().unwrap_or_default().split("\n\n").map(str::trim);
    paragraphs.filter(|part| !part.is_empty()).map(|part| format!("<p>{}</p>", line(part))).collect()
}

/// The same of one paragraph.
fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 32);
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        // A sign that nothing closes is a sign.
        match (is_code, parts.peek().is_some()) {
            (true, true) => line.push_str(&format!("<code>{}</code>", encode_text(part))),
            (true, false) => line.push_str(&format!("`{}", encode_text(part))),
            (false, _) => line.push_str(&encode_text(part)),
        }
        is_code = !is_code;
    }
    line
}

/// A description in a cell of a table.
fn render_description(value: &Value) -> String {
    line(value.as_str().unwrap_or_default())
}

/// A text of the document, as text of the page.
fn text(value: &Value) -> String {
    encode_text(value.as_str().unwrap_or_default()).into_owned()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn page(document: &Value) -> String {
    let title = document["info"]["title"].as_str().unwrap_or_default();
    let mut page = head(title);
    let _ = write!(
        page,
        "<body><h1>{}</h1>{}<p><a href=\"/openapi.json\">openapi.json</a>, \
         <a href=\"#errors\">errors of all operations</a>, <a href=\"/docs/errors\">what each error means</a>, \
         <a href=\"/docs/issues\">what can be wrong with a row</a></p>",
        encode_text(title),
        prose(&document["info"]["description"]),
    );
    let common = common_errors(document);
    for tag in items(&document["tags"]) {
        let _ = write!(page, "<h2>{}</h2>{}", text(&tag["name"]), prose(&tag["description"]));
        for (path, operations) in members(&document["paths"]) {
            let of_tag = |(_, operation): &(&String, &Value)| operation["tags"][0] == tag["name"];
            for (method, operation) in members(operations).filter(of_tag) {
                page.push_str(&operation_part(method, path, operation, &common));
            }
        }
    }
    page.push_str(
        "<h2 id=\"errors\">Errors</h2><p>What an operation names and does not explain itself stands here.</p>",
    );
    page.push_str(TABLE_HEAD);
    common.iter().for_each(|row| page.push_str(row));
    page.push_str("</table><h2>Schemas</h2>");
    for (name, schema) in members(&document["components"]["schemas"]) {
        let _ = write!(page, "<details id=\"{0}\"><summary><code>{0}</code></summary>", encode_text(name));
        page.push_str(&schema_part(schema));
        page.push_str("</details>");
    }
    page.push_str("</body></html>\n");
    page
}

/// The head of a table of answers.
const TABLE_HEAD: &str = "<table><tr><th>Code<th>Meaning<th>Headers<th>Answer";

/// An answer that an operation may give, as a row.
fn answer_row(code: &str, answer: &Value) -> String {
    let headers: Vec<_> = members(&answer["headers"]).map(|(name, _)| encode_text(name)).collect();
    let content = members(&answer["content"]).map(|(media_type, content)| {
        format!("<code>{}</code> {}", encode_text(media_type), type_of(&content["schema"]))
    });
    format!(
        "<tr><td>{}<td>{}<td>{}<td>{}",
        encode_text(code),
        render_description(&answer["description"]),
        headers.join(", "),
        content.collect::<Vec<_>>().join("<br>")
    )
}

/// Errors that several operations describe in the same words, by their codes: the page shows them once.
fn common_errors(document: &Value) -> BTreeSet<String> {
    let operations = members(&document["paths"]).flat_map(|(_, operations)| members(operations));
    let answers = operations.flat_map(|(_, operation)| members(&operation["responses"]));
    let errors = answers.filter(|(code, _)| code.starts_with(['4', '5']));
    let mut counts = BTreeMap::<String, usize>::new();
    for (code, answer) in errors {
        *counts.entry(answer_row(code, answer)).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(row, _)| row).collect()
}

fn operation_part(method: &str, path: &str, operation: &Value, common: &BTreeSet<String>) -> String {
    let mut part = format!(
        "<details id=\"{id}\"><summary><code>{method} {path}</code> {says}</summary>{more}",
        id = text(&operation["operationId"]),
        method = method.to_uppercase(),
        path = encode_text(path),
        says = render_description(&operation["summary"]),
        more = prose(&operation["description"]),
    );
    for (media_type, content) in members(&operation["requestBody"]["content"]) {
        let _ = write!(
            part,
            "<p>Body: <code>{}</code>, {}</p>",
            encode_text(media_type),
            type_of(&content["schema"])
        );
    }
    part.push_str(TABLE_HEAD);
    let mut elsewhere = Vec::new();
    for (code, answer) in members(&operation["responses"]) {
        let row = answer_row(code, answer);
        if common.contains(&row) { elsewhere.push(encode_text(code)) } else { part.push_str(&row) }
    }
    part.push_str("</table>");
    if !elsewhere.is_empty() {
        let _ = write!(part, "<p>And {}: see <a href=\"#errors\">errors</a>.</p>", elsewhere.join(", "));
    }
    part.push_str("</details>");
    part
}

/// Describes a schema in a few words, with a link if it has a name.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        return format!("<a href=\"#{0}\">{0}</a>", encode_text(name));
    }
    for (many, word) in [("oneOf", " or "), ("allOf", " and ")] {
        if schema[many].is_array() {
            return items(&schema[many]).map(type_of).collect::<Vec<_>>().join(word);
        }
    }
    if schema["items"].is_object() {
        return format!("list of {}", type_of(&schema["items"]));
    }
    match &schema["type"] {
        Value::Array(types) => types.iter().map(text).collect::<Vec<_>>().join(" or "),
        one => text(one),
    }
}

/// A schema with its parts.
fn schema_part(schema: &Value) -> String {
    let mut part = format!("<p>{} {}</p>", type_of(schema), render_description(&schema["description"]));
    if schema["enum"].is_array() {
        let words: Vec<_> = items(&schema["enum"]).map(text).collect();
        let _ = write!(part, "<p>One of: {}</p>", words.join(", "));
    }
    for inner in items(&schema["allOf"]).filter(|inner| inner["properties"].is_object()) {
        part.push_str(&schema_part(inner));
    }
    if schema["properties"].is_object() {
        part.push_str("<table><tr><th>Name<th>Type<th>Needed<th>Meaning");
    }
    for (name, property) in members(&schema["properties"]) {
        let is_needed = items(&schema["required"]).any(|needed| needed == name);
        let _ = write!(
            part,
            "<tr><td><code>{}</code><td>{}<td>{}<td>{}",
            encode_text(name),
            type_of(property),
            if is_needed { "yes" } else { "" },
            render_description(&property["description"])
        );
    }
    if schema["properties"].is_object() {
        part.push_str("</table>");
    }
    for example in items(&schema["examples"]).chain(schema.get("example")) {
        let example = serde_json::to_string_pretty(example).unwrap_or_default();
        let _ = write!(part, "<pre>{}</pre>", encode_text(&example));
    }
    part
}
