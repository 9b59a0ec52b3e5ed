//! Attributes of Shopify's products and variants: metafields and the weight.

use rust_decimal::Decimal;
use serde_json::Value;

use super::members::{
    Object, find_member, find_object, list_objects, read_decimal, read_plain_text, read_text,
};
use crate::formats::draft_row::DraftRow;
use crate::formats::mapping::shopify_csv::is_shown_value;
use crate::formats::values::markup::to_plain_text;

/// Metafields of a product or variant.
const METAFIELDS_MAX: usize = 200;

/// Adds the metafields that an object lists.
pub fn add_metafields(row: &mut DraftRow, object: &Object) {
    for metafield in list_objects(object.get("metafields")).into_iter().take(METAFIELDS_MAX) {
        push_metafield(row, metafield);
    }
}

/// Adds a metafield as an attribute, named by its definition, else by its key.
pub fn push_metafield(row: &mut DraftRow, metafield: &Object) {
    let namespace = metafield.get("namespace").and_then(Value::as_str).unwrap_or_default();
    let definition = find_object(metafield, "definition").and_then(|definition| definition.get("name"));
    let name = definition.or_else(|| metafield.get("key")).and_then(read_plain_text);
    let (Some(name), false) = (name, namespace.starts_with("shopify--discovery")) else { return };
    let values = metafield.get("value").map(read_metafield_values).unwrap_or_default();
    if !values.is_empty() {
        row.attributes.push((name, values));
    }
}

/// Values of a metafield: one text, the texts of a list in JSON, or a measurement. References and rich text are none.
fn read_metafield_values(value: &Value) -> Vec<String> {
    let Some(text) = read_text(value) else { return Vec::new() };
    let is_json = text.starts_with(['[', '{']);
    let texts = match serde_json::from_str(&text) {
        Ok(Value::Array(list)) => list.iter().filter_map(read_text).collect(),
        Ok(Value::Object(measurement)) => {
            let parts: Vec<String> = ["value", "unit"]
                .iter()
                .filter_map(|name| measurement.get(*name).and_then(read_text))
                .collect();
            if measurement.contains_key("value") { vec![parts.join(" ")] } else { Vec::new() }
        }
        Err(_) if is_json => Vec::new(),
        _ => vec![text],
    };
    texts.iter().map(|text| to_plain_text(text)).filter(|text| is_shown_value(text)).collect()
}

/// Weight of a variant in grams, from any of the members that had it over the years.
pub fn read_grams(variant: &Object) -> Option<Decimal> {
    if let Some(grams) = find_member(variant, &["grams"]) {
        return read_decimal(grams);
    }
    let measured = find_object(variant, "inventoryItem")
        .and_then(|item| find_object(find_object(item, "measurement")?, "weight"));
    let weight = measured.map_or_else(|| variant.get("weight"), |weight| weight.get("value"));
    let unit = measured
        .map_or_else(|| find_member(variant, &["weight_unit", "weightUnit"]), |weight| weight.get("unit"));
    let grams_each = match unit?.as_str()? {
        "g" | "GRAMS" => Decimal::ONE,
        "kg" | "KILOGRAMS" => Decimal::ONE_THOUSAND,
        "lb" | "POUNDS" => Decimal::new(45_359_237, 5),
        "oz" | "OUNCES" => Decimal::new(28_349_523_125, 9),
        _ => return None,
    };
    read_decimal(weight?)?.checked_mul(grams_each)
}
