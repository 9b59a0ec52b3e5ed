//! Magento's settings of a product with variants (`jsonconfig`): which variant has which value of which attribute. They
//! are `{"attributes": {"93": {"label": "Color", "options": [{"label": "Blue", "products": ["52"]}]}}}`, as a text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;

use super::json::{elements, members, scalar, text, texts};
use super::markup::with_characters;
use super::values::{Attribute, AttributeValue, VALUES_MAX};
use super::variant::Variant;
use crate::limits;

/// Longest label of a value: longer texts are no labels.
const LABEL_BYTES: usize = 200;
/// Most bytes of names and labels of all variants for each byte of the settings: ids of variants may be shorter.
const TEXTS_PER_SETTINGS: usize = 4;

/// Adds the options that the settings tell of each variant, unless its row tells them; all texts together are at most
/// [`TEXTS_PER_SETTINGS`] times as long as the settings.
pub(super) fn add_options(settings: &str, variants: &mut [Variant]) {
    let Ok(settings) = serde_json::from_str::<&RawValue>(settings) else { return };
    let mut places: HashMap<String, usize> = HashMap::new();
    let untold = variants.iter().enumerate().filter(|(_, variant)| variant.options.is_empty());
    places.extend(untold.map(|(place, variant)| (variant.id.clone(), place)));
    let mut adder = OptionAdder { variants, numbers: HashMap::new(), added: HashSet::new() };
    let mut room = TEXTS_PER_SETTINGS * settings.get().len();
    for (key, attribute) in member(settings, "attributes").map(members).unwrap_or_default() {
        let name = name_of(&key, attribute);
        for option in member(attribute, "options").map(elements).unwrap_or_default() {
            let label = member(option, "label").map(text).unwrap_or_default();
            let label = with_characters(&label).into_owned();
            let mut ids = member(option, "products").map(texts).unwrap_or_default();
            ids.sort_unstable();
            ids.dedup();
            if label.is_empty() || label.len() > LABEL_BYTES {
                continue;
            }
            let option = adder.option_value(&name, &label);
            for place in ids.iter().filter_map(|id| places.get(id)) {
                let Some(left) = room.checked_sub(label.len() + name.len() + 1) else { return };
                room = left;
                adder.add_option(*place, &option);
            }
        }
    }
}

/// The name of an attribute of the settings: its label, else its code, else its key.
fn name_of(key: &str, attribute: &RawValue) -> String {
    let names = ["label", "code"].into_iter().filter_map(|name| member(attribute, name).map(text));
    let mut names = names.map(|name| with_characters(&name).into_owned());
    names.find(|name| !name.is_empty() && name.len() <= LABEL_BYTES).unwrap_or_else(|| key.to_owned())
}

/// A value of an option, which many variants may have.
struct OptionValue<'n> {
    name: &'n str,
    value: AttributeValue,
    /// Numbers of the name and of the text.
    numbers: [usize; 2],
}

/// Adds options to variants, each value of an option once, in a time that grows with the number of values alone.
struct OptionAdder<'v> {
    variants: &'v mut [Variant],
    /// A number for each name and text.
    numbers: HashMap<String, usize>,
    /// Values that were added, each with the place of its variant.
    added: HashSet<(usize, [usize; 2])>,
}

impl OptionAdder<'_> {
    fn option_value<'n>(&mut self, name: &'n str, label: &str) -> OptionValue<'n> {
        let numbers = [name, label].map(|text| {
            let next = self.numbers.len();
            *self.numbers.entry(text.to_owned()).or_insert(next)
        });
        OptionValue { name, value: AttributeValue::parse(label), numbers }
    }

    /// Adds a value to a variant. Options and values beyond their limits are left out.
    fn add_option(&mut self, place: usize, OptionValue { name, value, numbers }: &OptionValue<'_>) {
        if !self.added.insert((place, *numbers)) {
            return;
        }
        let Variant { options, attributes, .. } = &mut self.variants[place];
        match options.iter().position(|option| option.name == *name) {
            Some(at) if options[at].values.len() < VALUES_MAX => options[at].values.push(value.clone()),
            None if options.len() < limits::VARIANT_OPTIONS => {
                // An option comes before an attribute of its name: a variant has each name once.
                attributes.retain(|attribute| attribute.name != *name);
                options.push(Attribute { name: (*name).to_owned(), values: vec![value.clone()] });
            }
            _ => {}
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
