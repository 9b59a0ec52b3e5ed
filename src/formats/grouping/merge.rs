//! The rows of a group as one product with variants, or as products of their own.

use std::collections::{HashMap, HashSet};

use super::row_spool::{GroupPart, RowGroup};
use super::shared_title::{are_of_one_product, find_shared_title};
use crate::feeds::IssueCode;
use crate::formats::draft_row::{DraftIssue, DraftOption, DraftRow, RowRole};
use crate::formats::mapping::format_rules::GroupRule;

/// The name under which a row keeps the key of a group that was not believed.
const GROUP_ATTRIBUTE: &str = "item_group_id";

/// Pictures, categories or words that a product takes from its rows.
const LIST_MAX: usize = 500;

/// A product, with its variants as rows of their own.
#[derive(Default, Debug)]
pub struct MergedProduct {
    /// The product.
    pub product: DraftRow,
    /// Its variants, in the file's order; none for a product that is sold as it is.
    pub variants: Vec<DraftRow>,
}

/// Products of a group; hidden rows are left out, and an issue of their product says so. Of a group in several parts
/// the first is the product, unless the group is not believed.
#[must_use]
pub fn merge_group(group: RowGroup, rule: GroupRule) -> Vec<MergedProduct> {
    let RowGroup { key, mut rows, part } = group;
    let is_believed = rule != GroupRule::Checked || is_one_product(&rows);
    if !is_believed || (rule == GroupRule::Checked && part != GroupPart::Whole) {
        // The first part has told it; a row alone in its group differs from none.
        let is_told = part == GroupPart::Further || rows.len() == 1;
        return split_apart(&key, rows, (!is_told).then_some(IssueCode::GroupIsCategory));
    }
    if part == GroupPart::Further {
        return Vec::new();
    }
    name_options(&mut rows);
    add_listed_options(&mut rows);
    unify_option_names(&mut rows);
    let lacks_parent = rows.iter().all(|row| row.role == RowRole::Item) && !is_single(&key, false, &rows);
    if rule == GroupRule::Parented && lacks_parent {
        let is_repeated = rows.iter().all(|row| is_itself(&key, row));
        return split_apart(&key, rows, (!is_repeated).then_some(IssueCode::ParentMissing));
    }
    if rule == GroupRule::Certain {
        tell_apart(&key, &mut rows);
    }
    let mut merged = merge_rows(&key, rows);
    if let Some(merged) = &mut merged
        && part == GroupPart::First
    {
        merged.product.issues.push(DraftIssue { code: IssueCode::VariantsTooMany, column: String::new() });
    }
    merged.into_iter().collect()
}

/// Returns true if rows differ in their options and share most of their titles. A row alone needs options: without
/// them, the next export may bring a second row that shows the group to be a category, and the ids would change.
fn is_one_product(rows: &[DraftRow]) -> bool {
    if let [row] = rows {
        return !row.options.is_empty();
    }
    let chosen: HashSet<Vec<(&str, &str)>> = rows.iter().map(option_values).collect();
    let titles: Vec<&str> = rows.iter().map(|row| row.title.as_deref().unwrap_or_default()).collect();
    let values = rows.iter().flat_map(|row| &row.options).map(|option| option.value.as_str());
    // One row in ten may be a mistake of its writer.
    10 * chosen.len() >= 9 * rows.len() && are_of_one_product(&titles, values)
}

fn option_values(row: &DraftRow) -> Vec<(&str, &str)> {
    row.options.iter().map(|option| (option.name.as_str(), option.value.as_str())).collect()
}

/// Each row as a product; the first is told why.
fn split_apart(key: &str, rows: Vec<DraftRow>, reason: Option<IssueCode>) -> Vec<MergedProduct> {
    let mut products: Vec<MergedProduct> = Vec::new();
    for mut row in rows {
        if row.is_hidden || row.is_variant_only {
            continue;
        }
        if !is_itself(key, &row) {
            row.attributes.push((GROUP_ATTRIBUTE.to_owned(), vec![key.to_owned()]));
        }
        for DraftOption { name, value, .. } in std::mem::take(&mut row.options) {
            row.attributes.push((name, vec![value]));
        }
        if let Some(code) = reason.filter(|_| products.is_empty()) {
            row.issues.push(DraftIssue { code, column: GROUP_ATTRIBUTE.to_owned() });
        }
        products.push(MergedProduct { product: row, variants: Vec::new() });
    }
    products
}

/// Gives variants that repeat an id, because the shop writes one SKU on all sizes, the key and their options as id.
fn tell_apart(key: &str, rows: &mut [DraftRow]) {
    let is_variant = |row: &&DraftRow| row.role == RowRole::Item && !row.options.is_empty();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for id in rows.iter().filter(is_variant).filter_map(|row| row.id.clone()) {
        *counts.entry(id).or_default() += 1;
    }
    let is_repeated = |row: &DraftRow| row.id.as_ref().is_some_and(|id| counts.get(id) > Some(&1));
    for row in rows.iter_mut().filter(|row| is_variant(&&**row)) {
        if is_repeated(row) {
            let values = row.options.iter().map(|option| option.value.as_str());
            row.id = Some(std::iter::once(key).chain(values).collect::<Vec<_>>().join("/"));
        }
    }
}

/// Gives numbered options the name that another row of the product, wherever it stands, has for their number.
fn name_options(rows: &mut [DraftRow]) {
    let mut names: HashMap<u8, String> = HashMap::new();
    for option in rows.iter().flat_map(|row| &row.options).filter(|option| !option.name.is_empty()) {
        names.entry(option.position).or_insert_with(|| option.name.clone());
    }
    for row in rows {
        for option in row.options.iter_mut().filter(|option| option.name.is_empty()) {
            option.name = names.get(&option.position).cloned().unwrap_or_default();
        }
        row.options.retain(|option| !option.value.is_empty() && !option.name.is_empty());
    }
}

/// Gives variants the options that their parent lists for them.
fn add_listed_options(rows: &mut [DraftRow]) {
    let mut listed: HashMap<String, Vec<DraftOption>> = HashMap::new();
    for row in &mut *rows {
        let variants = std::mem::take(&mut row.listed_variants);
        listed.extend(variants.into_iter().map(|variant| (variant.sku, variant.options)));
    }
    for row in rows {
        let options = row.sku.as_ref().and_then(|sku| listed.remove(sku)).unwrap_or_default();
        let is_new = |option: &DraftOption| row.options.iter().all(|known| known.name != option.name);
        let new: Vec<DraftOption> = options.into_iter().filter(is_new).collect();
        row.options.extend(new);
    }
}

/// Gives options whose names differ in case alone the first writing: `Color` and `color` are one choice.
fn unify_option_names(rows: &mut [DraftRow]) {
    let mut names: HashMap<String, String> = HashMap::new();
    for row in rows {
        for position in 0..row.options.len() {
            let own = &row.options[position].name;
            let name = names.entry(own.to_lowercase()).or_insert_with(|| own.clone());
            if name != own && row.options.iter().all(|option| option.name != *name) {
                row.options[position].name.clone_from(name);
            }
        }
    }
}

/// One product of all rows; `None` if it is hidden, or has nothing to be sold.
fn merge_rows(key: &str, rows: Vec<DraftRow>) -> Option<MergedProduct> {
    let is_parent_hidden = rows.iter().any(|row| row.role == RowRole::Parent && row.is_hidden);
    let has_parent = rows.iter().any(|row| row.role == RowRole::Parent);
    let is_sold = |row: &DraftRow| !row.is_hidden && (has_parent || !row.is_variant_only);
    let sold = rows.iter().filter(|row| row.role == RowRole::Item && is_sold(row));
    if is_parent_hidden || (sold.count() == 0 && !has_parent) {
        return None;
    }
    let mut product = DraftRow { place: rows.first()?.place, ..DraftRow::default() };
    let mut variants = Vec::new();
    for mut row in rows {
        if row.role == RowRole::Item {
            if is_sold(&row) {
                variants.push(row);
            }
        } else {
            row.options.clear();
            product.absorb(row);
        }
    }
    if is_single(key, has_parent, &variants) {
        let mut item = variants.pop()?;
        let option_attributes = std::mem::take(&mut item.options);
        let place = product.place;
        if has_parent {
            // The parent's own id and texts win; what only the variant has is the product's.
            product.absorb(item);
        } else {
            item.absorb(product);
            product = item;
            product.place = place;
        }
        let attributes = option_attributes.into_iter().map(|option| (option.name, vec![option.value]));
        product.attributes.extend(attributes);
        product.id = product.id.or_else(|| Some(key.to_owned()));
        return Some(MergedProduct { product, variants });
    }
    product.id = product.id.or_else(|| Some(key.to_owned()));
    drop_option_attributes(&mut product, &mut variants);
    fill_from_variants(&mut product, &mut variants);
    Some(MergedProduct { product, variants })
}

/// Drops attributes that variants have as options: a parent lists all colours, a row its own.
fn drop_option_attributes(product: &mut DraftRow, variants: &mut [DraftRow]) {
    let options = variants.iter().flat_map(|variant| &variant.options);
    let names: HashSet<String> = options.map(|option| option.name.to_lowercase()).collect();
    for row in variants.iter_mut().chain([product]) {
        row.attributes.retain(|(name, _)| !names.contains(&name.to_lowercase()));
    }
}

/// Returns true if the only variant is the product itself.
fn is_single(key: &str, has_parent: bool, variants: &[DraftRow]) -> bool {
    let [variant] = variants else { return false };
    variant.options.is_empty() && (is_itself(key, variant) || has_parent || variant.id.is_none())
}

/// Returns true if the key of its group names the row itself.
fn is_itself(key: &str, row: &DraftRow) -> bool {
    [&row.id, &row.sku].iter().any(|id| id.as_deref() == Some(key))
}

/// Gives the product what it lacks and its variants have, and takes from the variants what they share with it.
fn fill_from_variants(product: &mut DraftRow, variants: &mut [DraftRow]) {
    if product.title.is_none() {
        let shared = find_shared_title(variants.iter().filter_map(|variant| variant.title.as_deref()));
        let first = variants.iter().find_map(|variant| variant.title.clone());
        product.title = Some(shared).filter(|title| !title.is_empty()).or(first);
    }
    for variant in variants.iter_mut() {
        set_if_none(&mut product.description, variant.description.as_ref());
        set_if_none(&mut product.link, variant.link.as_ref());
        set_if_none(&mut product.image, variant.image.as_ref());
        set_if_none(&mut product.brand, variant.brand.as_ref());
        set_if_none(&mut product.start, variant.start.as_ref());
        set_if_none(&mut product.end, variant.end.as_ref());
        add_new(&mut product.categories, std::mem::take(&mut variant.categories));
        add_new(&mut product.tags, std::mem::take(&mut variant.tags));
        add_new(&mut product.more_images, std::mem::take(&mut variant.more_images));
    }
    share_attributes(product, variants);
    for variant in variants {
        for (own, shared) in [
            (&mut variant.title, &product.title),
            (&mut variant.link, &product.link),
            (&mut variant.image, &product.image),
        ] {
            if own == shared {
                *own = None;
            }
        }
        // A variant has neither of these.
        variant.description = None;
        variant.brand = None;
    }
}

/// Attributes with the same value in all variants become the product's.
fn share_attributes(product: &mut DraftRow, variants: &mut [DraftRow]) {
    let mut counts: HashMap<&(String, Vec<String>), usize> = HashMap::new();
    for attribute in variants.iter().flat_map(|variant| &variant.attributes) {
        *counts.entry(attribute).or_default() += 1;
    }
    let shared: HashSet<(String, Vec<String>)> = counts
        .into_iter()
        .filter(|(_, count)| *count >= variants.len())
        .map(|(shared, _)| shared.clone())
        .collect();
    let mut in_order = Vec::new();
    for (position, variant) in variants.iter_mut().enumerate() {
        let (taken, own) =
            std::mem::take(&mut variant.attributes).into_iter().partition(|own| shared.contains(own));
        variant.attributes = own;
        if position == 0 {
            in_order = taken;
        }
    }
    product.add_attributes(in_order);
}

impl DraftRow {
    /// Takes from another row of the same product what this one lacks, and its pictures, categories and words.
    fn absorb(&mut self, other: Self) {
        set_if_none(&mut self.id, other.id.as_ref());
        set_if_none(&mut self.sku, other.sku.as_ref());
        set_if_none(&mut self.gtin, other.gtin.as_ref());
        set_if_none(&mut self.title, other.title.as_ref());
        set_if_none(&mut self.description, other.description.as_ref());
        set_if_none(&mut self.link, other.link.as_ref());
        set_if_none(&mut self.brand, other.brand.as_ref());
        set_if_none(&mut self.sale_start, other.sale_start.as_ref());
        set_if_none(&mut self.sale_end, other.sale_end.as_ref());
        set_if_none(&mut self.start, other.start.as_ref());
        set_if_none(&mut self.end, other.end.as_ref());
        set_if_none(&mut self.quantity, other.quantity.as_ref());
        self.in_stock = self.in_stock.or(other.in_stock);
        if self.prices.is_empty() {
            self.prices = other.prices;
            self.sale_prices = other.sale_prices;
        }
        match (&self.image, other.image) {
            (None, image) => self.image = image,
            (Some(own), Some(image)) if *own != image => add_new(&mut self.more_images, vec![image]),
            _ => {}
        }
        add_new(&mut self.more_images, other.more_images);
        add_new(&mut self.categories, other.categories);
        add_new(&mut self.tags, other.tags);
        self.add_attributes(other.attributes);
        self.issues.extend(other.issues);
    }

    /// Adds attributes whose names are new.
    fn add_attributes(&mut self, attributes: Vec<(String, Vec<String>)>) {
        let known: HashSet<String> = self.attributes.iter().map(|(name, _)| name.clone()).collect();
        self.attributes.extend(attributes.into_iter().filter(|(name, _)| !known.contains(name)));
    }
}

fn set_if_none(field: &mut Option<String>, value: Option<&String>) {
    if field.is_none() {
        *field = value.cloned();
    }
}

/// Adds values that are new, up to [`LIST_MAX`].
fn add_new<T: PartialEq>(list: &mut Vec<T>, values: Vec<T>) {
    for value in values {
        if list.len() < LIST_MAX && !list.contains(&value) {
            list.push(value);
        }
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
