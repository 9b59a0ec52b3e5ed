//! Magento's settings of a product with variants (`jsonconfig`): which variant has which value of which attribute. They
//! are `{"attributes": {"93": {"label": "Color", "options": [{"label": "Blue", "products": ["52"]}]}}}`, as a text.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::Variant;
use super::json::{elements, members, scalar, text, texts};

/// Says of each variant what its values are called.
pub(super) fn name_values(settings: &str, variants: &mut [Variant]) {
    let Ok(settings) = serde_json::from_str::<&RawValue>(settings) else { return };
    let mut values: HashMap<String, Vec<String>> = HashMap::new();
    for attribute in member(settings, "attributes").map(elements).unwrap_or_default() {
        for option in member(attribute, "options").map(elements).unwrap_or_default() {
            let label = member(option, "label").map(text).unwrap_or_default();
            for id in member(option, "products").map(texts).unwrap_or_default() {
                values.entry(id).or_default().extend((!label.is_empty()).then(|| label.clone()));
            }
        }
    }
    for variant in variants {
        variant.values = values.remove(&variant.id).unwrap_or_default().join("\n");
    }
}

/// The text in which the settings stand.
pub(super) fn settings(value: &RawValue) -> Cow<'_, str> {
    if value.get().starts_with('{') { Cow::Borrowed(value.get()) } else { scalar(value) }
}

fn member<'a>(object: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    members(object).into_iter().find(|(member, _)| member == name).map(|(_, value)| value)
}
