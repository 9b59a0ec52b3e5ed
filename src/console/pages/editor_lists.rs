//! Ordered lists of catalogue items in the form of an editor: the buttons that change them, and the cards that show
//! them. The ids of a list stand in hidden fields of its name.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::catalogue_names::find_named;
use super::product_variants::{find_variant, is_in_stock, member_of_variant, split_price};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::editor_fields::EditorFields;
use crate::console::ui::option_rows::add_option_rows;
use crate::console::ui::problem::Problem;

/// Items that a search offers to a list.
const OFFERED: usize = 8;
/// Items of a page that are shown as cards, so that the page stays light.
const CARDS: usize = 40;
/// Further items of a page that are shown by their ids; all others are only counted, and stay.
const PLAIN: usize = 60;

/// A list of items of one section of the catalogue.
#[derive(Clone, Copy)]
pub(crate) struct ItemList {
    /// Name of its fields.
    pub name: &'static str,
    /// `Products`, `Categories` or `Brands`.
    pub section: &'static str,
    /// True if it holds one item at most.
    pub is_single: bool,
}

impl ItemList {
    /// A list of as many items as are added.
    pub const fn new(name: &'static str, section: &'static str) -> Self {
        Self { name, section, is_single: false }
    }

    /// A list of one item at most.
    pub const fn single(name: &'static str, section: &'static str) -> Self {
        Self { name, section, is_single: true }
    }

    /// Name of the text field that searches for its items.
    fn search_field(&self) -> String {
        format!("find_{}", self.name)
    }
}

/// Changes a list by a button of the form: `add:LIST:ID`, `remove:LIST:ID`, `up:LIST:ID` or `down:LIST:ID`. Returns
/// false for any other button; `find:LIST` only shows the page again.
pub(crate) fn apply_list_button(lists: &[ItemList], fields: &mut EditorFields, button: &str) -> bool {
    let mut parts = button.splitn(3, ':');
    let [action, name, id] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    let Some(list) = lists.iter().find(|list| list.name == name) else { return false };
    if action == "find" {
        return true;
    }
    let ids = fields.values_mut(name);
    let place = ids.iter().position(|known| known == id);
    match (action, place) {
        ("add", None) if !id.is_empty() => {
            if list.is_single {
                ids.clear();
            }
            ids.push(id.to_owned());
        }
        ("remove", Some(place)) => drop(ids.remove(place)),
        ("up", Some(place)) if place > 0 => ids.swap(place - 1, place),
        ("down", Some(place)) if place + 1 < ids.len() => ids.swap(place, place + 1),
        ("add" | "remove" | "up" | "down", _) => {}
        _ => return false,
    }
    true
}

/// Each list by its name, as `editor_list.html` draws it: the cards of its items, the typed search and the found items.
///
/// # Errors
/// When the catalogue or the search index cannot be read.
pub(crate) async fn load_lists(
    console: &Console,
    shop: &ConsoleShop,
    lists: &[ItemList],
    fields: &EditorFields,
) -> Result<Value, Problem> {
    let mut shown = Map::new();
    let mut room = CARDS;
    let mut plain_room = PLAIN;
    for list in lists {
        let ids = fields.values(list.name);
        let mut cards = Vec::new();
        for id in ids.iter().take(room) {
            cards.push(load_card(console, shop, list.section, id).await?);
        }
        room -= cards.len();
        let further = &ids[cards.len()..];
        let (plain, rest) = further.split_at(further.len().min(plain_room));
        plain_room -= plain.len();
        cards.extend(plain.iter().map(|id| json!({"Id": id, "IsPlain": true})));
        let typed = fields.text(&list.search_field());
        let found = find_items(console, shop, list, typed).await?;
        let offered = offer(found, ids);
        let drawn = json!({"Name": list.name, "Section": list.section, "IsSingle": list.is_single, "Cards": cards,
            "Rest": rest, "Typed": typed, "Found": offered});
        shown.insert(list.name.to_owned(), drawn);
    }
    let mut shown = Value::from(shown);
    add_option_rows(&mut shown);
    Ok(shown)
}

/// An item as `card.html` shows it; one that the shop does not show says so.
///
/// # Errors
/// When the catalogue cannot be read.
pub(crate) async fn load_card(
    console: &Console,
    shop: &ConsoleShop,
    section: &str,
    id: &str,
) -> Result<Value, Problem> {
    let question = json!({"Id": id, "Section": section});
    let found = console.operations.find_for_shop(shop, "/api/product", question).await?;
    // The article number of a product may be the id of another.
    let card = if found["Id"] == id { Some(card(&found)) } else { variant_card(&found["Item"], id) };
    Ok(card.unwrap_or_else(|| json!({"Id": id, "IsMissing": true})))
}

/// The card of the product that has a variant of this id, as that variant: a rule may pin one.
fn variant_card(product: &Value, id: &str) -> Option<Value> {
    let variant = find_variant(product, id)?;
    let mut shown = json!({"Title": product["Title"], "InStock": is_in_stock(&variant, product)});
    for name in ["Image", "Prices", "SalePrices"] {
        shown[name] = member_of_variant(&variant, product, name).clone();
    }
    let mut card = card(&json!({"Id": id, "Item": shown}));
    card["Swatches"] = product["Swatches"].clone();
    card["Options"] = variant["Options"].clone();
    card["Variant"] = json!({"Options": variant["Options"]});
    Some(card)
}

/// The card of an item of the catalogue.
fn card(found: &Value) -> Value {
    let item = &found["Item"];
    let mut card = json!({"Id": found["Id"]});
    for (name, value) in
        [("Title", &item["Title"]), ("DisplayName", &item["DisplayName"]), ("Image", &item["Image"])]
    {
        if let Some(text) = value.as_str() {
            card[name] = text.into();
        }
    }
    // A search knows the dates of a sale: a card without a price is better than one with another price than its hit.
    let price = item["Prices"][0].as_str().filter(|_| item["SalePrices"][0].is_null());
    if let Some((amount, currency)) = price.and_then(split_price) {
        card["Price"] = amount.into();
        card["Currency"] = currency.into();
    }
    if let Some(in_stock) = item["InStock"].as_bool() {
        card["InStock"] = in_stock.into();
    }
    card
}

/// Items for a typed text: the one of that id or article number, and those that a search finds.
async fn find_items(
    console: &Console,
    shop: &ConsoleShop,
    list: &ItemList,
    typed: &str,
) -> Result<Vec<Value>, Problem> {
    if typed.is_empty() {
        return Ok(Vec::new());
    }
    let question = json!({"Id": typed, "Section": list.section});
    let exact = console.operations.find_for_shop(shop, "/api/product", question).await?;
    let mut found: Vec<Value> = exact["Id"].is_string().then(|| card(&exact)).into_iter().collect();
    if list.section == "Products" {
        let question = json!({"Query": typed, "Size": OFFERED});
        let hits = console.operations.find_for_shop(shop, "/api/search", question).await?;
        found.extend(hits["Items"].as_array().cloned().unwrap_or_default());
    } else {
        found.extend(find_named(console, shop, list.section, typed).await?);
    }
    Ok(found)
}

/// The first of the found items, each once; those that the list has already say so.
fn offer(found: Vec<Value>, chosen: &[String]) -> Vec<Value> {
    let mut seen = HashSet::new();
    let is_first = |item: &Value| item["Id"].as_str().is_some_and(|id| seen.insert(id.to_owned()));
    let mut offered: Vec<_> = found.into_iter().filter(is_first).take(OFFERED).collect();
    for item in &mut offered {
        let is_chosen = chosen.iter().any(|id| item["Id"] == id.as_str());
        item["IsChosen"] = is_chosen.into();
    }
    offered
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: [ItemList; 2] =
        [ItemList::new("pin", "Products"), ItemList::single("category", "Categories")];

    fn pressed(buttons: &[&str]) -> EditorFields {
        let mut fields = EditorFields::default();
        fields.set_values("pin", ["a", "b", "c"].map(str::to_owned).into());
        for button in buttons {
            assert!(apply_list_button(&LISTS, &mut fields, button), "{button}");
        }
        fields
    }

    #[test]
    fn a_list_is_changed_by_its_buttons() {
        for (button, expected) in [
            ("add:pin:d", "a b c d"),
            ("add:pin:b", "a b c"),
            ("add:pin:", "a b c"),
            ("add:pin:x:y", "a b c x:y"),
            ("remove:pin:b", "a c"),
            ("remove:pin:x", "a b c"),
            ("up:pin:c", "a c b"),
            ("up:pin:a", "a b c"),
            ("down:pin:a", "b a c"),
            ("down:pin:c", "a b c"),
            ("find:pin", "a b c"),
        ] {
            assert_eq!(pressed(&[button]).values("pin").join(" "), expected, "{button}");
        }
    }

    #[test]
    fn a_list_of_one_item_takes_the_last_and_other_buttons_are_no_matter_of_lists() {
        assert_eq!(pressed(&["add:category:1", "add:category:2"]).values("category"), ["2"]);
        for button in ["try", "publish", "add:other:1", "turn:pin:a", "add", ""] {
            let mut fields = EditorFields::default();
            assert!(!apply_list_button(&LISTS, &mut fields, button), "{button}");
        }
    }

    #[test]
    fn found_items_are_offered_once_and_few_of_them() {
        let found: Vec<_> = ["b", "a", "b"].iter().map(|id| json!({"Id": id})).collect();
        let offered = offer(found, &["a".to_owned()]);
        assert_eq!(offered, [json!({"Id": "b", "IsChosen": false}), json!({"Id": "a", "IsChosen": true})]);
        let many = (0..20).map(|number| json!({"Id": number.to_string()})).collect();
        assert_eq!(offer(many, &[]).len(), OFFERED);
        assert!(offer(vec![json!({"Title": "without an id"})], &[]).is_empty());
    }

    #[test]
    fn a_card_shows_what_the_catalogue_knows() {
        let item = json!({"Title": "Oak", "Image": "/i", "Prices": ["5 GBP", "6 EUR"], "InStock": false});
        let expected = json!({"Id": "1", "Title": "Oak", "Image": "/i", "Price": 5.0, "Currency": "GBP", "InStock": false});
        assert_eq!(card(&json!({"Id": "1", "Item": item})), expected);
        let on_sale = card(&json!({"Id": "1", "Item": {"Prices": ["5 GBP"], "SalePrices": ["4 GBP"]}}));
        assert_eq!(on_sale, json!({"Id": "1"}));
        let not_on_sale = card(&json!({"Id": "1", "Item": {"Prices": ["5 GBP"], "SalePrices": []}}));
        assert_eq!(not_on_sale, json!({"Id": "1", "Price": 5.0, "Currency": "GBP"}), "it has no sale price");
        let brand = card(&json!({"Id": "b", "Item": {"DisplayName": "Oak & Sons"}}));
        assert_eq!(brand, json!({"Id": "b", "DisplayName": "Oak & Sons"}));
        assert_eq!(["5", "x GBP", "nan GBP"].map(split_price), [None, None, None]);
    }

    #[test]
    fn a_variant_is_shown_as_its_product_with_what_is_its_own() {
        let options = json!({"Size": "M"});
        let product = json!({"Title": "Shirt", "Image": "/p", "Prices": ["5 GBP"], "SalePrices": ["4 GBP"], "InStock": true,
            "AssociatedIds": ["listed", ""], "AssociatedSkus": ["l", "n"], "Variants": [{"Sku": "s", "StockQty": 0},
            {"Id": "v", "Sku": "x", "Options": options, "Image": "/v", "Prices": ["7 EUR"], "SalePrices": [],
            "InStock": false}]});
        let shown = variant_card(&product, "v");
        let expected = json!({"Id": "v", "Title": "Shirt", "Image": "/v", "Price": 7.0, "Currency": "EUR", "InStock": false,
            "Swatches": null, "Options": options, "Variant": {"Options": options}});
        assert_eq!(shown, Some(expected));
        let in_stock = |id: &str| variant_card(&product, id).map(|card| card["InStock"].as_bool());
        for (id, expected) in [("s", Some(false)), ("listed", Some(true)), ("n", Some(true))] {
            assert_eq!(in_stock(id), Some(expected), "{id}");
        }
        for id in ["x", "l", "", "p"] {
            assert_eq!(in_stock(id), None, "{id}");
        }
        assert_eq!(variant_card(&Value::Null, "v"), None);
    }
}
