//! Facets for people: with names and paths, in order, and only those that help to choose.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::facet::{Facet, FacetValue};
use crate::limits;
use crate::search::document::{ShopTables, with_characters};
use crate::search::query::columns::AttributeColumns;
use crate::search::query::filters::Filters;
use crate::search::query::product_property::ProductProperty;

/// Attributes that are counted to choose the helpful ones.
const COUNTED_ATTRIBUTES: usize = 24;
/// Attributes whose facets are answered.
const HELPFUL_ATTRIBUTES: usize = 8;

/// Maximum bytes of a brand's or category's name in an answer.
const NAME_BYTES: usize = 200;

/// Properties to count if the request leaves the choice to the search: those that [`keep_helpful`] may keep.
#[must_use]
pub fn all_that_may_help(
    columns: &AttributeColumns,
    filters: &Filters,
    has_currency: bool,
) -> Vec<ProductProperty> {
    let price = has_currency.then_some(ProductProperty::Price);
    let plain = [
        ProductProperty::Brand,
        ProductProperty::Category,
        ProductProperty::InStock,
        ProductProperty::OnOffer,
        ProductProperty::NewArrival,
    ];
    let attributes = columns.most_held(COUNTED_ATTRIBUTES).into_iter();
    let attributes = attributes.map(|name| ProductProperty::Attribute(name.to_owned()));
    let mut subjects: Vec<_> = plain.into_iter().chain(price).chain(attributes).collect();
    for subject in filters.subjects() {
        if !subjects.contains(subject) {
            subjects.push(subject.clone());
        }
    }
    subjects
}

/// The facets that part the hits, and those that are filtered by; of other attributes those that most hits have values
/// of.
#[must_use]
pub fn keep_helpful(mut facets: Vec<Facet>, filters: &Filters) -> Vec<Facet> {
    let is_filtered = |facet: &Facet| filters.bit(&facet.subject) != 0;
    facets.retain(|facet| is_filtered(facet) || facet.parts_hits());
    let is_attribute = |facet: &Facet| matches!(facet.subject, ProductProperty::Attribute(_));
    let is_choice = |facet: &Facet| is_attribute(facet) && !is_filtered(facet);
    let mut attributes: Vec<_> = facets.iter().filter(|facet| is_choice(facet)).collect();
    attributes.sort_by_key(|facet| Reverse(facet.total_count()));
    let kept: HashSet<ProductProperty> =
        attributes.into_iter().take(HELPFUL_ATTRIBUTES).map(|facet| facet.subject.clone()).collect();
    facets.retain(|facet| !is_choice(facet) || kept.contains(&facet.subject));
    facets
}

/// The part of a name that an answer shows: a name may be as long as a row, and stands in many paths.
fn shorten_name(name: &str) -> String {
    // One without a row is called by its id.
    let name = with_characters(name);
    name[..name.floor_char_boundary(NAME_BYTES)].to_owned()
}

impl Facet {
    /// Adds the names of brands and categories, and the paths of these, and sorts values: those below the chosen
    /// categories first, then by count, then by name. Columns hold ids alone, so that a product written before a change
    /// of name counts together with those written after it.
    pub fn arrange(&mut self, tables: &ShopTables, chosen: &[String]) {
        match self.subject {
            ProductProperty::Brand => {
                for value in &mut self.values {
                    value.name = Some(shorten_name(tables.brands.name(&value.value)));
                }
            }
            ProductProperty::Category => {
                for value in &mut self.values {
                    value.is_below_chosen = tables.categories.is_below(&value.value, chosen);
                    value.name = Some(shorten_name(tables.categories.name(&value.value)));
                }
            }
            _ => return,
        }
        let is_first = |value: &FacetValue| value.is_below_chosen;
        self.values.sort_by(|a, b| {
            let chosen = is_first(b).cmp(&is_first(a));
            let by_count = || b.count.cmp(&a.count);
            chosen.then_with(by_count).then_with(|| (&a.name, &a.value).cmp(&(&b.name, &b.value)))
        });
        self.values.truncate(limits::SEARCH_FACET_VALUES);
        if self.subject == ProductProperty::Category {
            for value in &mut self.values {
                let path = tables.categories.path(&value.value).into_iter();
                value.path = path.map(|id| shorten_name(tables.categories.name(id))).collect();
            }
        }
    }

    /// True if there are several values or ranges, and several hits share one.
    fn parts_hits(&self) -> bool {
        let counts = self.counts();
        counts.len() > 1 && counts.iter().any(|count| *count > 1)
    }

    fn total_count(&self) -> u64 {
        self.counts().iter().sum()
    }

    fn counts(&self) -> Vec<u64> {
        let ranges = self.span.iter().flat_map(|span| &span.ranges).map(|range| range.count);
        self.values.iter().map(|value| value.count).chain(ranges).collect()
    }
}
