//! The shop's categories and brands: names, parents, and whether they are shown.

use std::collections::HashMap;

use super::fault::DocumentFault;
use super::json::{Members, flag, text, texts};
use super::markup::with_characters;

/// Maximum depth of categories; a shop's tree is never so deep, a cycle always is.
const DEPTH_MAX: usize = 32;

/// Categories and brands that the rows of products refer to.
#[derive(Clone, Debug, Default)]
pub struct ShopTables {
    /// Its categories.
    pub categories: NameTable,
    /// Its brands.
    pub brands: NameTable,
}

#[derive(Clone, Debug)]
struct NameEntry {
    name: String,
    is_active: bool,
    is_recommended: bool,
    parents: Vec<String>,
}

impl NameEntry {
    fn parse(id: &str, row: &[u8]) -> Result<Self, DocumentFault> {
        let members: Members<'_> =
            serde_json::from_slice(row).map_err(|fault| DocumentFault::Malformed(fault.to_string()))?;
        let mut entry =
            Self { name: id.to_owned(), is_active: true, is_recommended: true, parents: Vec::new() };
        for (name, value) in &members.0 {
            match &**name {
                "DisplayName" => {
                    let name = with_characters(&text(value)).into_owned();
                    entry.name = Some(name).filter(|name| !name.is_empty()).unwrap_or(entry.name);
                }
                "IsActive" => entry.is_active = flag(value),
                "ExcludeFromRecommenders" => entry.is_recommended = !flag(value),
                "ParentIds" => entry.parents = texts(value),
                _ => {}
            }
        }
        Ok(entry)
    }
}

/// Categories or brands by id; brands have no parents.
#[derive(Clone, Debug, Default)]
pub struct NameTable(HashMap<String, NameEntry>);

impl NameTable {
    /// Adds or replaces one by its stored row.
    ///
    /// # Errors
    /// When the row is no object of JSON.
    pub fn put_row(&mut self, id: &str, row_json: &[u8]) -> Result<(), DocumentFault> {
        self.0.insert(id.to_owned(), NameEntry::parse(id, row_json)?);
        Ok(())
    }

    /// Removes one, if it is there.
    pub fn remove(&mut self, id: &str) {
        self.0.remove(id);
    }

    /// Name of a category or brand; the id if it has no row.
    #[must_use]
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.0.get(id).map_or(id, |entry| &entry.name)
    }

    /// Returns true if the shop shows the category or brand; one without a row is shown.
    fn is_active(&self, id: &str) -> bool {
        self.0.get(id).is_none_or(|entry| entry.is_active)
    }

    /// Returns true if the category or brand may be recommended: it has a row, from which it is rendered, and the shop
    /// shows it and leaves it in.
    #[must_use]
    pub fn is_recommended(&self, id: &str) -> bool {
        let may = |entry: &NameEntry| entry.is_active && entry.is_recommended;
        self.0.get(id).is_some_and(may)
    }

    /// For each category with children: these, in the order of their ids, without those that are not shown.
    #[must_use]
    pub fn children(&self) -> HashMap<&str, Vec<&str>> {
        let mut children: HashMap<&str, Vec<&str>> = HashMap::new();
        for (id, entry) in self.0.iter().filter(|(_, entry)| entry.is_active) {
            for above in &entry.parents {
                children.entry(above).or_default().push(id);
            }
        }
        children.values_mut().for_each(|ids| ids.sort_unstable());
        children
    }

    /// Returns true if one of `chosen` is above the category.
    #[must_use]
    pub fn is_below(&self, id: &str, chosen: &[String]) -> bool {
        let all = || self.with_ancestors(&[id.to_owned()]);
        !chosen.is_empty() && all().iter().skip(1).any(|above| chosen.contains(above))
    }

    /// A category and its ancestors, from the highest down. With several parents the first is followed, up to one that
    /// is not shown.
    #[must_use]
    pub fn path<'a>(&'a self, id: &'a str) -> Vec<&'a str> {
        let mut path = vec![id];
        while let Some(above) = path.last().and_then(|last| self.parents(last).next()) {
            let is_shown = self.is_active(above);
            if !is_shown || path.len() == DEPTH_MAX || path.contains(&above) {
                break;
            }
            path.push(above);
        }
        path.reverse();
        path
    }

    /// The given categories that are shown and all their ancestors, each once, the given ones first. The ancestors of a
    /// hidden one are not followed.
    #[must_use]
    pub fn with_ancestors(&self, own: &[String]) -> Vec<String> {
        let mut all: Vec<String> = Vec::with_capacity(own.len() * 2);
        let mut level: Vec<&str> = own.iter().map(String::as_str).collect();
        for _ in 0..DEPTH_MAX {
            if level.is_empty() {
                break;
            }
            let mut above = Vec::new();
            for id in level {
                let is_active = self.is_active(id);
                if is_active && all.iter().all(|earlier| earlier != id) {
                    all.push(id.to_owned());
                    above.extend(self.parents(id));
                }
            }
            level = above;
        }
        all
    }

    /// The categories right above one.
    pub fn parents(&self, id: &str) -> impl Iterator<Item = &str> {
        self.0.get(id).into_iter().flat_map(|entry| entry.parents.iter().map(String::as_str))
    }
}
