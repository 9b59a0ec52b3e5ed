//! Names of the catalogue in forms: lists to choose from, and the ids behind typed names.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::page_room::TextRoom;
use crate::console::ui::problem::Problem;
use crate::limits;

/// An item of a section with its name.
#[derive(Debug, PartialEq)]
struct NamedItem {
    id: String,
    name: String,
}

impl NamedItem {
    fn new(found: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let item = &found["Item"];
        let name = if item["Title"].is_null() { &item["DisplayName"] } else { &item["Title"] };
        Self { id: text(&found["Id"]), name: text(name) }
    }
}

/// The first items of sections to choose from, by section.
///
/// # Errors
/// When the catalogue cannot be read.
pub(crate) async fn load_choices(
    console: &Console,
    shop: &ConsoleShop,
    sections: &[&str],
) -> Result<Value, Problem> {
    let mut choices = json!({});
    for section in sections {
        let mut all = options(&load_items(console, shop, section).await?);
        let mut room = TextRoom::new(limits::CHOICES_BYTES);
        all.retain(|option| room.fit(&option["Value"]).is_string() && room.fit(&option["Label"]).is_string());
        choices[*section] = all.into();
    }
    Ok(choices)
}

async fn load_items(console: &Console, shop: &ConsoleShop, section: &str) -> Result<Vec<NamedItem>, Problem> {
    let question = json!({"Section": section, "Limit": limits::PAGE_ITEMS});
    let page = console.operations.call_for_shop(shop, "/api/catalogue", question).await?;
    Ok(page["Items"].as_array().into_iter().flatten().map(NamedItem::new).collect())
}

/// Cards of the categories or brands whose names hold a typed text, or complete it.
///
/// # Errors
/// When the catalogue or the search index cannot be read.
pub(crate) async fn find_named(
    console: &Console,
    shop: &ConsoleShop,
    section: &str,
    typed: &str,
) -> Result<Vec<Value>, Problem> {
    let lower = typed.to_lowercase();
    let items = load_items(console, shop, section).await?;
    let named = items.into_iter().filter(|item| item.name.to_lowercase().contains(&lower));
    let mut found: Vec<_> = named.map(|item| json!({"Id": item.id, "DisplayName": item.name})).collect();
    let question = json!({"Query": typed, "Size": 20});
    let completed = console.operations.find_for_shop(shop, "/api/autocomplete", question).await?;
    let completed = completed[section].as_array().into_iter().flatten();
    found.extend(completed.map(|one| json!({"Id": one["Id"], "DisplayName": one["Text"]})));
    Ok(found)
}

/// Options of a list: an item by its name, with its id beside it; by its id where others have the same name, or it has
/// none.
fn options(items: &[NamedItem]) -> Vec<Value> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for item in items {
        *counts.entry(item.name.to_lowercase()).or_default() += 1;
    }
    let option = |item: &NamedItem| {
        let is_clear = !item.name.is_empty() && counts.get(&item.name.to_lowercase()) == Some(&1);
        if is_clear {
            json!({"Value": item.name, "Label": item.id})
        } else {
            json!({"Value": item.id, "Label": item.name})
        }
    };
    items.iter().map(option).collect()
}

/// The id of the item that is typed as its id, its article number or its name; `None` if no item matches, or several of
/// that name do.
///
/// # Errors
/// When the catalogue or the search index cannot be read.
pub(crate) async fn find_id(
    console: &Console,
    shop: &ConsoleShop,
    section: &str,
    typed: &str,
) -> Result<Option<String>, Problem> {
    let question = json!({"Id": typed, "Section": section});
    let found = console.operations.find_for_shop(shop, "/api/product", question).await?;
    if let Some(id) = found["Id"].as_str() {
        return Ok(Some(id.to_owned()));
    }
    let typed = typed.to_lowercase();
    let items = load_items(console, shop, section).await?.into_iter();
    let mut named = items.filter(|item| item.name.to_lowercase() == typed);
    if let Some(item) = named.next() {
        // A name of several items leads to none of them.
        return Ok(named.next().is_none().then_some(item.id));
    }
    // Of a long list the completion of the search knows the rest.
    let question = json!({"Query": typed, "Size": 20});
    let found = console.operations.find_for_shop(shop, "/api/autocomplete", question).await?;
    let is_named = |one: &&Value| one["Text"].as_str().is_some_and(|text| text.to_lowercase() == typed);
    let completed = found[section].as_array().into_iter().flatten().find(is_named);
    Ok(completed.and_then(|one| one["Id"].as_str()).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_offered_by_its_name_unless_others_have_it_too() {
        let found = json!([
            {"Id": "c1", "Item": {"DisplayName": "Chairs"}},
            {"Id": "c2", "Item": {"DisplayName": "Sofas"}},
            {"Id": "c3", "Item": {"DisplayName": "sofas"}},
            {"Id": "c4", "Item": {}},
            {"Id": "p1", "Item": {"Title": "Oak chair"}},
        ]);
        let items: Vec<_> = found.as_array().into_iter().flatten().map(NamedItem::new).collect();
        let offered = options(&items);
        let values: Vec<_> = offered.iter().map(|one| one["Value"].as_str().unwrap_or_default()).collect();
        assert_eq!(values, ["Chairs", "c2", "c3", "c4", "Oak chair"]);
        assert_eq!((&offered[0]["Label"], &offered[1]["Label"]), (&json!("c1"), &json!("Sofas")));
    }
}
