//! Known items: products searched by their article number, or by a measure written in another way than in their title
//! (docs/relevance.md, "Measured").

use std::collections::HashMap;

use super::bootstrap::BootstrapRng;
use super::feed::SearchEvalFault;
use lethe::search::document::ProductDocument;
use lethe::search::engine::SearchQuery;
use lethe::search::index::snapshot::IndexSnapshot;
use lethe::search::pricing::BuyerContext;
use lethe::search::query::options::Ranking;
use lethe::search::text::fold_identifier;

/// Queries of each kind.
const QUERIES_MAX: usize = 500;
const SEED: u64 = 14;
/// Words of the title besides the measure.
const WORDS: usize = 3;
const DEPTH: usize = 10;

/// The floor of the share of measures found in the first ten, and of article numbers found first.
pub const FLOORS: (f64, f64) = (0.90, 0.99);

/// Shares of known items that are found.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct KnownItems {
    /// Products searched by a measure in another form.
    pub units: usize,
    /// Share of these among the first ten.
    pub units_in_ten: f64,
    /// Products searched by a unique number.
    pub skus: usize,
    /// Share of these in the first place.
    pub sku_first: f64,
}

/// Measures with a ranking.
///
/// # Errors
///
/// If the index cannot be read.
pub fn measure(
    snapshot: &IndexSnapshot,
    products: &[ProductDocument],
    ranking: &Ranking,
) -> Result<KnownItems, SearchEvalFault> {
    let units = sample(unit_queries(products));
    let skus = sample(sku_queries(products));
    Ok(KnownItems {
        units: units.len(),
        units_in_ten: share_found(snapshot, &units, DEPTH, ranking)?,
        skus: skus.len(),
        sku_first: share_found(snapshot, &skus, 1, ranking)?,
    })
}

/// A query and the product that it means.
pub type KnownItem = (String, String);

fn share_found(
    snapshot: &IndexSnapshot,
    items: &[KnownItem],
    depth: usize,
    ranking: &Ranking,
) -> Result<f64, SearchEvalFault> {
    let mut found = 0_u32;
    for (query, id) in items {
        let request =
            SearchQuery { query: query.clone(), size: depth, ranking: *ranking, ..SearchQuery::default() };
        let answer = snapshot.search(&request, &BuyerContext::default())?;
        found += u32::from(answer.items.iter().any(|item| item.id == *id));
    }
    let all = u32::try_from(items.len().max(1)).unwrap_or(u32::MAX);
    Ok(f64::from(found) / f64::from(all))
}

fn sample(mut items: Vec<KnownItem>) -> Vec<KnownItem> {
    BootstrapRng(SEED).shuffle(&mut items);
    items.truncate(QUERIES_MAX);
    items
}

/// Every article number that no other product shares.
#[must_use]
pub fn sku_queries(products: &[ProductDocument]) -> Vec<KnownItem> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for product in products {
        let mut names = vec![fold_identifier(&product.id), fold_identifier(&product.sku)];
        names.dedup();
        for name in names {
            *counts.entry(name).or_insert(0) += 1;
        }
    }
    let alone = products.iter().filter(|product| {
        let name = fold_identifier(&product.sku);
        !name.is_empty() && counts.get(&name) == Some(&1)
    });
    alone.map(|product| (product.sku.clone(), product.id.clone())).collect()
}

/// The brand, some words and a measure of each title that has one, the measure written in another way.
#[must_use]
pub fn unit_queries(products: &[ProductDocument]) -> Vec<KnownItem> {
    products.iter().filter_map(|product| Some((unit_query(product)?, product.id.clone()))).collect()
}

fn unit_query(product: &ProductDocument) -> Option<String> {
    let words: Vec<&str> = product.title.split_whitespace().collect();
    let found = (0..words.len()).find_map(|place| {
        let (other, taken) = other_form(words[place], words.get(place + 1).copied())?;
        Some((place, other, taken))
    });
    let (place, other, taken) = found?;
    let rest = words.iter().enumerate().filter(|(at, word)| {
        let is_measure = (place..place + taken).contains(at);
        !is_measure && word.chars().all(char::is_alphanumeric)
    });
    let mut query: Vec<&str> = rest.map(|(_, word)| *word).take(WORDS).collect();
    if query.len() < WORDS {
        return None;
    }
    query.push(&other);
    Some(query.join(" "))
}

/// A measure in another form, and the number of words of the title that it takes.
fn other_form(word: &str, next: Option<&str>) -> Option<(String, usize)> {
    const UNITS: [&str; 12] = ["GB", "TB", "MB", "cm", "mm", "m", "W", "MHz", "GHz", "kg", "g", "V"];
    let is_number = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_digit())
            && text.chars().all(|sign| sign.is_ascii_digit() || sign == '.')
    };
    if let Some(unit) = next.filter(|next| UNITS.contains(next)).filter(|_| is_number(word)) {
        return Some((format!("{word}{}", unit.to_lowercase()), 2));
    }
    let plain = word.trim_matches(|sign| matches!(sign, '(' | ')' | ','));
    if let Some(inches) = plain.strip_suffix('"').filter(|number| is_number(number)) {
        return Some((format!("{inches} inch"), 1));
    }
    let unit = UNITS.iter().find(|unit| plain.strip_suffix(**unit).is_some_and(is_number))?;
    let number = plain.strip_suffix(*unit)?;
    Some((format!("{number} {}", unit.to_lowercase()), 1))
}
