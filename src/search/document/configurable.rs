//! Magento's settings of a product with variants (`jsonconfig`): which variant has which value of which attribute. They
//! are `{"attributes": {"93": {"label": "Color", "options": [{"label": "Blue", "products": ["52"]}]}}}`, as a text.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::json::{elements, members, scalar, text, texts};
use super::markup::with_characters;
use super::product_document::Variant;

/// Longest label of a value: longer texts are no labels.
const LABEL_BYTES: usize = 200;

/// Names the values of each variant; all names together are no longer than the settings.
pub(super) fn name_values(settings: &str, variants: &mut [Variant]) {
    let Ok(settings) = serde_json::from_str::<&RawValue>(settings) else { return };
    let mut places: HashMap<String, usize> = HashMap::new();
    places.extend(variants.iter().enumerate().map(|(place, variant)| (variant.id.clone(), place)));
    let mut room = settings.get().len();
    for attribute in member(settings, "attributes").map(elements).unwrap_or_default() {
        for option in member(attribute, "options").map(elements).unwrap_or_default() {
            let label = member(option, "label").map(text).unwrap_or_default();
            let label = with_characters(&label).into_owned();
            let mut ids = member(option, "products").map(texts).unwrap_or_default();
            ids.sort_unstable();
            ids.dedup();
            if label.is_empty() || label.len() > LABEL_BYTES {
                continue;
            }
            for place in ids.iter().filter_map(|id| places.get(id)) {
                let Some(left) = room.checked_sub(label.len() + 1) else { return };
                room = left;
                let values = &mut variants[*place].values;
                if !values.is_empty() {
                    values.push('\n');
                }
                values.push_str(&label);
            }
        }
    }
}

/// The text in which the settings stand.
pub(super) fn settings(value: &RawValue) -> Cow<'_, str> {
    if value.get().starts_with('{') { Cow::Borrowed(value.get()) } else { scalar(value) }
}

fn member<'a>(object: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    members(object).into_iter().find(|(member, _)| member == name).map(|(_, value)| value)
}
