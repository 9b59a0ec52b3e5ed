//! Categories of items that were bought, each with its items in the order of their sales.

use std::collections::HashMap;

/// Items that a category needs to be measured: with few, ten are nearly all of it.
pub const CATEGORY_ITEMS: usize = 50;

/// The categories that are large enough.
pub(super) struct CategoryLists<'b, 'm> {
    /// By item.
    category_of: &'b HashMap<String, String>,
    /// By category: its items, those in most orders first.
    most_bought: HashMap<&'b str, Vec<&'m str>>,
}

impl<'b, 'm> CategoryLists<'b, 'm> {
    /// Lists of all items that were bought, those in most orders first, and the category of each.
    pub(super) fn new(most_bought: &[&'m str], category_of: &'b HashMap<String, String>) -> Self {
        let mut lists: HashMap<&'b str, Vec<&'m str>> = HashMap::new();
        for item in most_bought {
            if let Some(category) = category_of.get(*item) {
                lists.entry(category).or_default().push(item);
            }
        }
        lists.retain(|_, items| items.len() >= CATEGORY_ITEMS);
        Self { category_of, most_bought: lists }
    }

    /// The category of an item, if it is large enough.
    pub(super) fn page_of(&self, item: &str) -> Option<&'b str> {
        let category = self.category_of.get(item)?.as_str();
        self.most_bought.contains_key(category).then_some(category)
    }

    /// True if an item is in a category, large or not.
    pub(super) fn is_in(&self, item: &str, category: &str) -> bool {
        self.category_of.get(item).is_some_and(|of_item| of_item == category)
    }

    /// The items of a category, those in most orders first.
    pub(super) fn most_bought(&self, category: &str) -> &[&'m str] {
        self.most_bought.get(category).map_or(&[], Vec::as_slice)
    }
}
