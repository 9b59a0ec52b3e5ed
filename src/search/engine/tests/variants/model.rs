//! Plain reading of docs/search.md, "Variants": hits and facets from the rows and the request alone.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::offers::{PlainPrice, PlainVariant, is_product_shown};
use super::requests::PlainRequest;
use super::rows::Rows;

/// The numbers of an attribute: they are compared in one unit.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberColumn {
    /// True if all values of the shop are numbers in this unit: then values leave it out.
    pub is_number: bool,
    /// The unit that most numbers have, or empty.
    pub unit: String,
}

/// A shop and a search in it.
pub(super) struct PlainSearch<'r> {
    pub rows: &'r Rows,
    pub columns: &'r BTreeMap<String, NumberColumn>,
    pub request: &'r PlainRequest,
}

/// A product, or its variants with one value of the option by which hits are grouped, in the order of the shop.
struct HitUnit<'r> {
    id: &'r str,
    variants: Vec<PlainVariant<'r>>,
}

/// A hit as it has to be.
#[derive(Debug)]
pub(super) struct ExpectedHit {
    pub id: String,
    /// True if any of its variants that the caller sees is in stock.
    pub in_stock: bool,
    /// The variant that it shows.
    pub shown: ShownVariant,
}

/// The variant that a hit shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShownVariant {
    /// None for a product without variants.
    pub id: Option<String>,
    /// Its options with their values.
    pub options: BTreeMap<String, BTreeSet<String>>,
    pub in_stock: bool,
    pub price: Option<PlainPrice>,
    /// The usual price, if it is higher.
    pub list: Option<PlainPrice>,
}

/// A facet as it has to be.
#[derive(Debug, Default)]
pub(super) struct ExpectedFacet {
    /// Number of hits for each value.
    pub counts: BTreeMap<String, u64>,
    /// Prices or numbers of all variants that count, in ten-thousandths.
    pub numbers: BTreeSet<i64>,
}

/// A value that orders hits; numbers come before other texts.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SortKey {
    Number(i64),
    Text(String),
}

/// A number in ten-thousandths.
pub(super) fn in_parts(number: f64) -> i64 {
    (number * 10_000.0).round() as i64
}

/// The texts of a value that is a text or a list of texts.
pub(super) fn texts_of(value: &Value) -> BTreeSet<String> {
    let one = std::slice::from_ref(value);
    let all = value.as_array().map_or(one, Vec::as_slice);
    all.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// The digits of a number, its value, and its unit; `None` for a text that is none.
fn read_measure(text: &str) -> Option<(&str, f64, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    Some((digits, digits.parse().ok()?, unit.trim()))
}

impl PlainSearch<'_> {
    /// All hits in their order; by relevance without words, and where keys are equal, by id.
    pub(super) fn hits(&self) -> Vec<ExpectedHit> {
        let mut ordered = Vec::new();
        for unit in self.units() {
            let passing: Vec<_> =
                unit.variants.iter().copied().filter(|variant| self.passes(variant, None)).collect();
            if !passing.is_empty() {
                ordered.push((self.sort_key(&passing), self.hit(&unit, &passing)));
            }
        }
        // Stable: units come in the order of ids, those of a product in the order of their first variants.
        ordered.sort_by(|(a, _), (b, _)| match (a, b) {
            (Some(a), Some(b)) if self.is_down() => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            (None, None) => Ordering::Equal,
            // Hits without a key come last in any direction.
            _ => a.is_none().cmp(&b.is_none()),
        });
        ordered.into_iter().map(|(_, hit)| hit).collect()
    }

    /// The facet of a property: its own filter does not narrow it.
    pub(super) fn facet(&self, subject: &str) -> ExpectedFacet {
        let mut facet = ExpectedFacet::default();
        for unit in self.units() {
            let counted = unit.variants.iter().filter(|variant| self.passes(variant, Some(subject)));
            let counted: Vec<_> = counted.collect();
            let values: BTreeSet<_> =
                counted.iter().flat_map(|variant| self.values(variant, subject)).collect();
            values.into_iter().for_each(|value| *facet.counts.entry(value).or_default() += 1);
            if subject == "Price" || self.column(subject).is_number {
                facet.numbers.extend(counted.iter().flat_map(|variant| self.numbers(variant, subject)));
            }
        }
        facet
    }

    fn units(&self) -> Vec<HitUnit<'_>> {
        self.rows.iter().flat_map(|(id, product)| self.units_of(id, product)).collect()
    }

    fn units_of<'s>(&'s self, id: &'s str, product: &'s Value) -> Vec<HitUnit<'s>> {
        let sent = product["Variants"].as_array().filter(|sent| !sent.is_empty());
        let variants: Vec<_> = match sent {
            Some(sent) => sent.iter().map(|own| PlainVariant { product, own }).collect(),
            None => vec![PlainVariant { product, own: &Value::Null }],
        };
        let Some(option) = self.request.group_by else { return vec![HitUnit { id, variants }] };
        let option = format!("Attributes.{option}");
        let held: Vec<_> = variants.iter().map(|variant| self.values(variant, &option)).collect();
        if held.iter().all(|values| *values == held[0]) {
            return vec![HitUnit { id, variants }];
        }
        // In the order of their first variants; of one variant with two values the lesser text is the first.
        let mut groups: Vec<Option<&String>> = Vec::new();
        for values in &held {
            let named = values.iter().map(Some).chain(values.is_empty().then_some(None));
            named.for_each(|group| {
                if !groups.contains(&group) {
                    groups.push(group)
                }
            });
        }
        let is_in = |values: &BTreeSet<String>, group: Option<&String>| match group {
            Some(value) => values.contains(value),
            None => values.is_empty(),
        };
        let with_group = |group: Option<&String>| {
            let all = variants.iter().zip(&held);
            all.filter(|(_, values)| is_in(values, group)).map(|(variant, _)| *variant).collect()
        };
        groups.into_iter().map(|group| HitUnit { id, variants: with_group(group) }).collect()
    }

    /// Returns true if the caller sees the variant.
    fn is_seen(&self, variant: &PlainVariant<'_>) -> bool {
        let caller = &self.request.caller;
        let has_price = caller.currency.is_none() || variant.price(caller).is_some();
        has_price && is_product_shown(variant.product, caller, !self.request.has_words)
    }

    /// Returns true if the caller sees the variant, and it passes all filters but the one on this property.
    fn passes(&self, variant: &PlainVariant<'_>, except: Option<&str>) -> bool {
        let mut filters = self.request.each_filter().into_iter();
        self.is_seen(variant)
            && filters.all(|(name, wanted)| Some(&*name) == except || self.satisfies(variant, &name, wanted))
    }

    fn satisfies(&self, variant: &PlainVariant<'_>, subject: &str, wanted: &Value) -> bool {
        if let Some(range) = wanted.as_object() {
            let end = |name: &str| range.get(name).and_then(Value::as_f64).map(in_parts);
            return self.numbers(variant, subject).into_iter().any(|number| {
                end("From").is_none_or(|from| from <= number) && end("To").is_none_or(|to| number <= to)
            });
        }
        let one = std::slice::from_ref(wanted);
        let wanted = wanted.as_array().map_or(one, Vec::as_slice);
        let values = self.values(variant, subject);
        wanted.iter().any(|wanted| match wanted {
            Value::String(text) => values.contains(self.column(subject).text(text)),
            Value::Number(number) if self.column(subject).is_number => {
                let numbers = self.numbers(variant, subject);
                number.as_f64().is_some_and(|number| numbers.contains(&in_parts(number)))
            }
            other => values.contains(&other.to_string()),
        })
    }

    fn column(&self, subject: &str) -> NumberColumn {
        let name = subject.strip_prefix("Attributes.").unwrap_or_default();
        self.columns.get(name).cloned().unwrap_or_default()
    }

    /// The values of a property as facets list them.
    fn values(&self, variant: &PlainVariant<'_>, subject: &str) -> BTreeSet<String> {
        match subject {
            "Brand" => texts_of(&variant.product["Brand"]),
            "Category" => texts_of(&variant.product["Categories"]),
            "OnOffer" => BTreeSet::from([(variant.product["OnOffer"] == true).to_string()]),
            "InStock" => BTreeSet::from([variant.is_in_stock().to_string()]),
            "Price" => BTreeSet::new(),
            _ => {
                let column = self.column(subject);
                let values = attribute_values(variant, subject).into_iter();
                values.map(|value| column.text(&value).to_owned()).collect()
            }
        }
    }

    /// The numbers of a property, in ten-thousandths.
    fn numbers(&self, variant: &PlainVariant<'_>, subject: &str) -> Vec<i64> {
        if subject == "Price" {
            return variant.price(&self.request.caller).map(|(amount, _)| amount).into_iter().collect();
        }
        let column = self.column(subject);
        let values = attribute_values(variant, subject);
        let measures = values.iter().filter_map(|value| read_measure(value));
        measures.filter(|(.., unit)| *unit == column.unit).map(|(_, number, _)| in_parts(number)).collect()
    }

    fn is_down(&self) -> bool {
        self.request.sort.starts_with('-') || self.request.sort == "newest"
    }

    /// The key of a hit with these passing variants: the outermost in the direction of the order.
    fn sort_key(&self, passing: &[PlainVariant<'_>]) -> Option<SortKey> {
        let product = passing[0].product;
        let subject = match self.request.sort.trim_start_matches('-') {
            "relevance" => return None,
            "title" => {
                let title = product["Title"].as_str()?.to_lowercase().replace('é', "e");
                return Some(SortKey::Text(title));
            }
            "newest" => return product["StartDate"].as_str().map(|day| SortKey::Text(day.to_owned())),
            "price" => "Price",
            attribute => attribute,
        };
        let numbers = passing.iter().flat_map(|variant| self.numbers(variant, subject));
        let texts = passing.iter().flat_map(|variant| self.values(variant, subject));
        // One number makes a hit one with a number, in both directions.
        let (number, text) =
            if self.is_down() { (numbers.max(), texts.max()) } else { (numbers.min(), texts.min()) };
        number.map(SortKey::Number).or(text.map(SortKey::Text))
    }

    /// The hit of a unit with these passing variants: those that decide its place, then those in stock, then the
    /// cheapest, then the first of the shop.
    fn hit(&self, unit: &HitUnit<'_>, passing: &[PlainVariant<'_>]) -> ExpectedHit {
        let caller = &self.request.caller;
        let place = self.sort_key(passing);
        let decides = |variant: &&PlainVariant<'_>| self.sort_key(std::slice::from_ref(*variant)) == place;
        let deciding = passing.iter().filter(decides);
        let rank = |variant: &&PlainVariant<'_>| {
            let price = variant.price(caller).map(|(amount, _)| amount);
            // Without a currency prices may be in several, which cannot be compared.
            (!variant.is_in_stock(), price.filter(|_| caller.currency.is_some()))
        };
        // The first of those with the least rank.
        let shown = deciding.min_by_key(rank).expect("a variant decides");
        let in_stock = unit.variants.iter().any(|variant| self.is_seen(variant) && variant.is_in_stock());
        ExpectedHit { id: unit.id.to_owned(), in_stock, shown: self.shown_variant(shown) }
    }

    fn shown_variant(&self, variant: &PlainVariant<'_>) -> ShownVariant {
        let caller = &self.request.caller;
        let price = variant.price(caller);
        let list = price.as_ref().and_then(|(_, currency)| variant.list_price(caller, currency));
        ShownVariant {
            id: variant.id(),
            options: read_options(&variant.own["Options"]),
            in_stock: variant.is_in_stock(),
            // Both have one currency.
            list: list.filter(|list| price.as_ref().is_some_and(|price| price < list)),
            price,
        }
    }
}

impl NumberColumn {
    /// A value as its facet lists it.
    fn text<'v>(&self, value: &'v str) -> &'v str {
        let digits = || read_measure(value).map_or(value, |(digits, ..)| digits);
        if self.is_number { digits() } else { value }
    }
}

/// Options with their values.
pub(super) fn read_options(options: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let options = options.as_object().into_iter().flatten();
    options.map(|(name, value)| (name.clone(), texts_of(value))).collect()
}

/// The values of an attribute: an option counts before an attribute of the variant, this before that of the product.
fn attribute_values(variant: &PlainVariant<'_>, subject: &str) -> BTreeSet<String> {
    let name = subject.strip_prefix("Attributes.").expect("an attribute");
    let own = ["Options", "Attributes"].map(|list| &variant.own[list][name]);
    let all = own.into_iter().chain([&variant.product["Attributes"][name]]);
    all.map(texts_of).find(|values| !values.is_empty()).unwrap_or_default()
}
