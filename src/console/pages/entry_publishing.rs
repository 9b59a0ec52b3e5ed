//! Publishing one entry of a list that a shop sets whole, a rule or a campaign: it is put into the live list, unless
//! others published meanwhile.

use std::collections::HashSet;

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::versioned_lists::{ListPage, plan};
use crate::console::auth::authorization::{Authorized, Merchandise};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::editor_fields::EditorFields;
use crate::console::ui::problem::Problem;

/// Longest id that is made of a text, in characters.
const ID_CHARACTERS: usize = 40;

/// The live list.
pub(crate) struct LiveList {
    /// 0: it was never set.
    pub version: i64,
    /// Its entries, in their order.
    pub entries: Vec<Value>,
}

/// Outcome of publishing a change.
pub(crate) enum PublishOutcome {
    /// The change is live: the answer of the operation.
    Published(Value),
    /// The list is live already as the change would make it: no version was made.
    Unchanged,
    /// Others published since the list was read: the version that is live now, and what they changed; null where the
    /// version that was read is not kept any more. Nothing was published.
    Superseded { version: i64, plan: Value },
    /// The operation refused it.
    Refused(Problem),
}

impl ListPage {
    /// The live list.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn load_live(&self, console: &Console, shop: &ConsoleShop) -> Result<LiveList, Problem> {
        let list = console.operations.call_for_shop(shop, self.path, json!({})).await?;
        let entries = list[self.name].as_array().cloned().unwrap_or_default();
        Ok(LiveList { version: list["Version"].as_i64().unwrap_or_default(), entries })
    }

    /// Changes the live list if it is still the version that was read, and publishes it.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn publish_change(
        &self,
        console: &Console,
        may: &Authorized<Merchandise>,
        read: i64,
        change: impl FnOnce(&mut Vec<Value>),
    ) -> Result<PublishOutcome, Problem> {
        let shop = may.shop()?;
        let mut live = self.load_live(console, shop).await?;
        if live.version == read {
            let known = live.entries.clone();
            change(&mut live.entries);
            if live.entries == known {
                return Ok(PublishOutcome::Unchanged);
            }
            let question = json!({self.name: live.entries, "Before": read});
            let refused =
                match console.record_and_call(may, self.set, (&self.operation_path("set"), question)).await {
                    Ok(set) => return Ok(PublishOutcome::Published(set)),
                    Err(refused) => refused,
                };
            if refused.status != StatusCode::CONFLICT {
                return Ok(PublishOutcome::Refused(refused));
            }
            live = self.load_live(console, shop).await?;
            // It was refused for another reason than a change of others.
            if live.version == read {
                return Ok(PublishOutcome::Refused(refused));
            }
        }
        let known = if read == 0 {
            json!({self.name: []})
        } else {
            console.operations.find_for_shop(shop, self.path, json!({"Version": read})).await?
        };
        let LiveList { version, entries } = live;
        let plan = if known.is_null() { Value::Null } else { plan(&known[self.name], &entries.into()) };
        Ok(PublishOutcome::Superseded { version, plan })
    }
}

/// The version that was live when the form of an editor was opened.
pub(crate) fn opened_version(fields: &EditorFields) -> i64 {
    fields.text("before").parse().unwrap_or_default()
}

/// The entry of an id.
pub(crate) fn find_entry<'l>(list: &'l [Value], id: &str) -> Option<&'l Value> {
    list.iter().find(|entry| entry["Id"] == id)
}

/// Puts an entry in the place of the one that has its id, or at the end.
pub(crate) fn put_entry(list: &mut Vec<Value>, entry: Value) {
    match list.iter_mut().find(|known| known["Id"] == entry["Id"]) {
        Some(known) => *known = entry,
        None => list.push(entry),
    }
}

/// Removes the entry of an id.
pub(crate) fn remove_entry(list: &mut Vec<Value>, id: &str) {
    list.retain(|entry| entry["Id"] != id);
}

/// An id that no entry has, made of the words of a text; of `otherwise` where it has none. A number tells it from ids
/// that are taken.
pub(crate) fn unused_id(list: &[Value], text: &str, otherwise: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("-").to_lowercase();
    let short: String = joined.chars().take(ID_CHARACTERS).collect();
    let stem = if short.is_empty() { otherwise } else { short.trim_end_matches('-') };
    let taken: HashSet<_> = list.iter().filter_map(|entry| entry["Id"].as_str()).collect();
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut ids = std::iter::once(stem.to_owned()).chain(numbered);
    ids.find(|id| !taken.contains(id.as_str())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_takes_the_place_of_the_one_with_its_id() {
        let mut list = ["a", "b"].map(|id| json!({"Id": id})).to_vec();
        put_entry(&mut list, json!({"Id": "a", "Banner": "x"}));
        put_entry(&mut list, json!({"Id": "c"}));
        assert_eq!(list, [json!({"Id": "a", "Banner": "x"}), json!({"Id": "b"}), json!({"Id": "c"})]);
        remove_entry(&mut list, "a");
        assert_eq!((find_entry(&list, "a"), find_entry(&list, "b")), (None, Some(&json!({"Id": "b"}))));
    }

    #[test]
    fn an_id_is_made_of_words_and_is_not_taken() {
        let list = ["rug", "rug-2", "rule"].map(|id| json!({"Id": id}));
        let made = |text: &str| unused_id(&list, text, "rule");
        assert_eq!(made("Rug"), "rug-3");
        assert_eq!(made(" Red  rug, & large! "), "red-rug-large");
        assert_eq!(made("?"), "rule-2");
        assert_eq!(made("Möbel"), "möbel");
        assert_eq!(made(&"ab ".repeat(40)).chars().count(), 40);
    }
}
