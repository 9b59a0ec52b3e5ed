//! A product as the index takes it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::option_order::sort_values_of;
use super::values::{Attribute, AttributeValue};
use super::variant::Variant;
use crate::search::pricing::{OfferTerms, Period};

/// A product as search knows it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProductDocument {
    /// The shop's id of the product.
    pub id: String,
    /// The article number, or empty.
    pub sku: String,
    /// The title.
    pub title: String,
    /// The id of its brand, or empty.
    pub brand_id: String,
    /// The name of its brand, or empty.
    pub brand: String,
    /// Ids of its categories and of all their ancestors; its own come first.
    pub categories: Vec<String>,
    /// The names of these in the same order, then the further ones that the shop's system sends. Two ids may have the
    /// same name.
    pub category_names: Vec<String>,
    /// The text of its page without markup.
    pub description: String,
    /// Words by which it is found besides its text.
    pub tags: Vec<String>,
    /// All other members of the row.
    pub attributes: Vec<Attribute>,
    /// Its variants, in the shop's order; no more than [`crate::limits::VARIANTS`].
    pub variants: Vec<Variant>,
    /// Ids and numbers of all further variants, and further ones of these. The product is found by them; they choose no
    /// variant.
    pub further_numbers: Vec<String>,
    /// Its visibility and prices.
    pub offer: OfferTerms,
    /// True if it can be bought now, with variants: one of them. If the row does not say so: true if some are in stock,
    /// or their number is unknown.
    pub in_stock: bool,
    /// True if it is new.
    pub new_arrival: bool,
    /// True if it is on offer.
    pub on_offer: bool,
    /// True if search leaves it out; `pricing` says so too.
    pub hidden: bool,
    /// The first second in which it is shown, since 1970, or 0: the newest product has the largest.
    pub newest: i64,
    /// Content that an answer may show. It holds neither prices nor accounts: those depend on the caller.
    pub display: Display,
}

impl ProductDocument {
    /// True if no period, account or flag decides who sees it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let offer = &self.offer;
        let is_left_out = self.hidden || offer.hidden || offer.unlisted || offer.unrecommended;
        let is_of_some =
            !offer.inclusions.is_empty() || !offer.exclusions.is_empty() || offer.own_prices_only;
        offer.shown == Period::ALWAYS && !is_left_out && !is_of_some
    }

    /// The options of its variants with their values, each in the order in which shoppers expect it.
    #[must_use]
    pub fn options(&self) -> Vec<Attribute> {
        let mut options = DistinctAttributes::default();
        for Attribute { name, values } in self.variants.iter().flat_map(|variant| &variant.options) {
            options.add(name, values);
        }
        let mut options = options.finish();
        options.iter_mut().for_each(sort_values_of);
        options
    }

    /// The attributes that the product has in any of its variants: its own, except where all variants have others, and
    /// those of the variants.
    #[must_use]
    pub fn held_attributes(&self) -> Cow<'_, [Attribute]> {
        if self.variants.iter().all(|variant| variant.own_attributes().next().is_none()) {
            return Cow::Borrowed(&self.attributes);
        }
        let mut held = DistinctAttributes::default();
        for attribute in &self.attributes {
            held.add(&attribute.name, &[]);
        }
        let mut holders: HashMap<&str, usize> = HashMap::new();
        for Attribute { name, values } in self.variants.iter().flat_map(Variant::own_attributes) {
            held.add(name, values);
            *holders.entry(name).or_default() += 1;
        }
        for Attribute { name, values } in &self.attributes {
            let is_left_out = holders.get(name.as_str()).is_none_or(|holders| *holders < self.variants.len());
            held.add(name, if is_left_out { values } else { &[] });
        }
        Cow::Owned(held.finish())
    }
}

/// Attributes in the order in which their names come, with each value once.
#[derive(Default)]
struct DistinctAttributes<'d> {
    places: HashMap<&'d str, usize>,
    attributes: Vec<(&'d str, HashSet<&'d str>, Vec<AttributeValue>)>,
}

impl<'d> DistinctAttributes<'d> {
    fn add(&mut self, name: &'d str, values: &'d [AttributeValue]) {
        let next = self.attributes.len();
        let place = *self.places.entry(name).or_insert(next);
        if place == next {
            self.attributes.push((name, HashSet::new(), Vec::new()));
        }
        let (_, texts, distinct) = &mut self.attributes[place];
        distinct.extend(values.iter().filter(|value| texts.insert(value.text())).cloned());
    }

    fn finish(self) -> Vec<Attribute> {
        let attributes = self.attributes.into_iter();
        attributes.map(|(name, _, values)| Attribute { name: name.to_owned(), values }).collect()
    }
}

/// Content of a product that an answer may show: two objects of JSON without a name in common.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Display {
    /// Members that every answer shows.
    pub card: Vec<u8>,
    /// Members that are too long for the card: shown only to callers who name them.
    pub rest: Vec<u8>,
}
