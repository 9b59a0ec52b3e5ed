//! Filters of products in a form: brands, categories, a price range and flags. Filters for which the form has no field
//! stay as they are.

use serde_json::{Map, Value, json};

use crate::console::ui::editor_fields::EditorFields;

/// Flags of products that a form can ask for.
pub(crate) const FLAGS: [&str; 3] = ["InStock", "NewArrival", "OnOffer"];

/// Fields of filters, as they are typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FilterFields {
    /// Ids of the brands.
    pub brands: Vec<String>,
    /// Ids of the categories.
    pub categories: Vec<String>,
    /// Lowest price.
    pub price_from: String,
    /// Highest price.
    pub price_to: String,
    /// Flags that have to be set, of [`FLAGS`].
    pub flags: Vec<String>,
}

impl FilterFields {
    /// The fields that stand for filters.
    pub fn from_filters(filters: &Value) -> Self {
        let price = &filters["Price"];
        let is_set = |flag: &&str| filters[*flag] == true;
        Self {
            brands: texts(&filters["Brand"]).unwrap_or_default(),
            categories: texts(&filters["Category"]).unwrap_or_default(),
            price_from: text(&price["From"]).unwrap_or_default(),
            price_to: text(&price["To"]).unwrap_or_default(),
            flags: FLAGS.into_iter().filter(is_set).map(str::to_owned).collect(),
        }
    }

    /// The fields whose names begin with `prefix`: `brand`, `category`, `price_from`, `price_to` and `flag`.
    pub fn from_fields(fields: &EditorFields, prefix: &str) -> Self {
        let text = |name: &str| fields.text(&format!("{prefix}{name}")).to_owned();
        let list = |name: &str| fields.values(&format!("{prefix}{name}")).to_vec();
        Self {
            brands: list("brand"),
            categories: list("category"),
            price_from: text("price_from"),
            price_to: text("price_to"),
            flags: list("flag"),
        }
    }

    /// Puts them into the fields of a form, whose names begin with `prefix`.
    pub fn fill_fields(&self, fields: &mut EditorFields, prefix: &str) {
        for (name, list) in [("brand", &self.brands), ("category", &self.categories), ("flag", &self.flags)] {
            fields.set_values(&format!("{prefix}{name}"), list.clone());
        }
        for (name, text) in [("price_from", &self.price_from), ("price_to", &self.price_to)] {
            fields.set(&format!("{prefix}{name}"), text);
        }
    }

    /// Writes the fields into filters. A filter whose fields were not changed keeps its way of writing, and one without
    /// a field stays.
    pub fn apply_to(&self, filters: &mut Map<String, Value>) {
        let before = Self::from_filters(&Value::Object(filters.clone()));
        for (name, now, then) in
            [("Brand", &self.brands, &before.brands), ("Category", &self.categories, &before.categories)]
        {
            if now != then {
                set_or_remove(filters, name, (!now.is_empty()).then(|| json!(now)));
            }
        }
        if (&self.price_from, &self.price_to) != (&before.price_from, &before.price_to) {
            let bounds = [("From", &self.price_from), ("To", &self.price_to)];
            let bounds = bounds.into_iter().filter(|(_, typed)| !typed.is_empty());
            let range: Map<_, _> =
                bounds.map(|(name, typed)| (name.to_owned(), parse_number(typed))).collect();
            set_or_remove(filters, "Price", (!range.is_empty()).then(|| range.into()));
        }
        for flag in FLAGS {
            let is_set = self.flags.iter().any(|set| set == flag);
            if is_set != before.flags.iter().any(|set| set == flag) {
                set_or_remove(filters, flag, is_set.then_some(true.into()));
            }
        }
    }

    /// Filters for which the form has no field, besides members with the names in `known`, each as JSON.
    pub fn other_filters(filters: &Value, known: &[&str]) -> Vec<Value> {
        let members = filters.as_object().into_iter().flatten();
        let is_other =
            |(name, value): &(&String, &Value)| !known.contains(&name.as_str()) && !is_shown(name, value);
        members
            .filter(is_other)
            .map(|(name, value)| json!({"Name": name, "Text": value.to_string()}))
            .collect()
    }
}

/// True if the form has a field for a filter.
fn is_shown(name: &str, value: &Value) -> bool {
    match name {
        "Brand" | "Category" => texts(value).is_some(),
        "Price" => value.as_object().is_some_and(|range| {
            range
                .iter()
                .all(|(bound, value)| ["From", "To"].contains(&bound.as_str()) && text(value).is_some())
        }),
        _ => FLAGS.contains(&name) && *value == true,
    }
}

/// A text, or the digits of a number.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A list of texts; one value is a list of one.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(all) => all.iter().map(text).collect(),
        one => text(one).map(|text| vec![text]),
    }
}

/// A typed number; its text where it is none, for the operation to refuse.
pub(crate) fn parse_number(typed: &str) -> Value {
    let number = typed.replace(',', ".").parse::<serde_json::Number>();
    number.map_or_else(|_| typed.into(), Value::Number)
}

/// The texts in a list; none in any other value.
pub(crate) fn texts_in(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Sets a member of an object, or removes it.
pub(crate) fn set_or_remove(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => object.insert(name.to_owned(), value),
        None => object.shift_remove(name),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(fields: &FilterFields, filters: Value) -> Value {
        let Value::Object(mut filters) = filters else { panic!("an object") };
        fields.apply_to(&mut filters);
        Value::Object(filters)
    }

    #[test]
    fn filters_stand_in_fields_and_are_written_back_as_they_were() {
        let filters = json!({"Brand": "acme", "Category": ["12", 13], "Price": {"From": 10, "To": 49.9},
            "InStock": true, "OnOffer": false, "Attributes": {"Colour": ["red"]}, "By": 30});
        let fields = FilterFields::from_filters(&filters);
        let expected = FilterFields {
            brands: vec!["acme".to_owned()],
            categories: vec!["12".to_owned(), "13".to_owned()],
            price_from: "10".to_owned(),
            price_to: "49.9".to_owned(),
            flags: vec!["InStock".to_owned()],
        };
        assert_eq!(fields, expected);
        assert_eq!(applied(&fields, filters.clone()), filters);
        let others = FilterFields::other_filters(&filters, &["By"]);
        let named: Vec<_> = others.iter().map(|other| other["Name"].as_str().unwrap_or_default()).collect();
        assert_eq!(named, ["OnOffer", "Attributes"]);
        assert_eq!(others[1]["Text"], "{\"Colour\":[\"red\"]}");
    }

    #[test]
    fn a_changed_field_changes_its_filter_alone() {
        let filters = json!({"Brand": ["acme"], "Price": {"From": 10}, "InStock": true, "OnOffer": false});
        let mut fields = FilterFields::from_filters(&filters);
        fields.brands.clear();
        fields.price_from = "7,50".to_owned();
        fields.flags = vec!["OnOffer".to_owned()];
        assert_eq!(applied(&fields, filters), json!({"Price": {"From": 7.5}, "OnOffer": true}));
        let typed = FilterFields { price_to: "much".to_owned(), ..FilterFields::default() };
        assert_eq!(applied(&typed, json!({})), json!({"Price": {"To": "much"}}));
        assert_eq!(applied(&FilterFields::default(), json!({"Price": {"To": 5}})), json!({}));
    }

    #[test]
    fn a_filter_that_a_form_cannot_show_is_told() {
        let odd = json!({"Brand": [{"Id": "a"}], "Price": {"From": 1, "In": "GBP"}, "NewArrival": false});
        let told = FilterFields::other_filters(&odd, &[]).len();
        assert_eq!(told, 3);
        assert_eq!(applied(&FilterFields::from_filters(&odd), odd.clone()), odd);
    }

    #[test]
    fn filters_have_fields_of_their_prefix() {
        let filters = json!({"Brand": ["acme"], "Category": ["12"], "Price": {"From": 5}, "OnOffer": true});
        let shown = FilterFields::from_filters(&filters);
        let mut fields = EditorFields::default();
        shown.fill_fields(&mut fields, "f_");
        assert_eq!((fields.text("f_brand"), fields.text("f_price_from")), ("acme", "5"));
        assert_eq!((fields.text("f_flag"), fields.values("f_price_to").len()), ("OnOffer", 0));
        assert_eq!(FilterFields::from_fields(&fields, "f_"), shown);
        assert_eq!(FilterFields::from_fields(&fields, ""), FilterFields::default());
    }
}
