//! `POST /api/quality`: gaps in the products of a shop, and the effect of a remedy on searches. For the shop's server.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::extract::StorefrontRequest;
use super::fields::number;
use super::policy::{buyer_context, search_policy};
use crate::api::from_fields::{FromFields, MemberNames};
use crate::api::json_fields::JsonFields;
use crate::api::read_permits::turn_to_look;
use crate::api::user_token::ShopperClaims;
use crate::limits;
use crate::node::Node;
use crate::projections::search::SearchView;
use crate::search::engine::{SearchPolicy, SearchQuery};
use crate::search::pricing::Currency;
use crate::search::quality::{
    DefectGroup, DefectKind, DefectiveProduct, HealthReport, Sample, SampleImpact, TITLE_LETTERS, examine,
};
use crate::transport::refusal::{OfShop, Refusal};

/// A request to look for faults in the products.
#[derive(utoipa::ToSchema)]
pub struct QualityRequest {
    /// Sample searches: each fault comes with the effect of its remedy on them.
    #[schema(rename = "Queries", required = false, max_items = 50)]
    queries: Vec<String>,
    /// Number of products that are named for each fault; by default 10.
    #[schema(rename = "Rows", required = false, minimum = 0, maximum = 1_000)]
    rows: usize,
}

impl FromFields for QualityRequest {
    const MEMBERS: MemberNames = MemberNames::Hints(&[&["Queries", "Rows"]]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let queries = fields.opt_texts("Queries")?.unwrap_or_default();
        if queries.len() > limits::QUALITY_QUERIES {
            let most = limits::QUALITY_QUERIES;
            return Err(Refusal::malformed(format!("Queries has up to {most} searches")));
        }
        if queries.iter().any(|query| query.len() > limits::SEARCH_QUERY_BYTES) {
            let most = limits::SEARCH_QUERY_BYTES;
            return Err(Refusal::malformed(format!("A search of Queries has up to {most} bytes")));
        }
        Ok(Self { queries, rows: number(fields, "Rows", 10, 0..=limits::QUALITY_ROWS)? })
    }
}

/// Faults of a shop's products.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Quality {
    /// Number of products, without those that the shop leaves out of search.
    products: usize,
    /// Each fault that is looked for, also of those that no product has.
    faults: Vec<QualityFault>,
    /// The sample searches.
    searches: Vec<QualitySearch>,
}

/// A fault, and the products that have it.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct QualityFault {
    /// `no_image`, `no_brand`, `no_category`, `no_price`, `shared_title`, `long_title`, `lone_attribute` or
    /// `mistyped_word`.
    fault: &'static str,
    /// For `no_price`: the currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    currency: Option<String>,
    /// Number of products that have it.
    products: usize,
    /// Their part of all, in percent.
    percent: f64,
    /// The same in a sentence, with its effect on a shopper.
    says: String,
    /// The first products that have it, by their ids.
    rows: Vec<QualityRow>,
    /// Changes in the sample searches if it were mended: only searches in which something changes.
    searches: Vec<QualityChange>,
}

/// A product with a fault.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct QualityRow {
    /// Its id.
    id: String,
    /// Its title; of a very long one the first 200 bytes.
    title: String,
    /// The first 10 others that have its title.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    others: Vec<String>,
    /// Letters of a title that is too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = usize)]
    letters: Option<usize>,
    /// The attribute that no other product has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    attribute: Option<String>,
    /// The word that is mistyped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    word: Option<String>,
    /// The common word that may be meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    meant: Option<String>,
}

/// Change in a sample search if a fault were mended.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct QualityChange {
    /// Text that is searched.
    query: String,
    /// Hits of its first page, of 24, that have the fault.
    first_page: usize,
    /// Hits that have it.
    hits: usize,
    /// Products that it would find besides.
    comes: usize,
    /// The same in a sentence.
    says: String,
}

/// A sample search.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct QualitySearch {
    /// Text that is searched.
    query: String,
    /// Number of products that it finds.
    hits: usize,
}

type StorefrontQuality = StorefrontRequest<QualityRequest>;

/// Faults of the shop's products, the first products with each, and the effect of a remedy on searches.
#[utoipa::path(post, path = "/api/quality", operation_id = "quality", tag = "search", request_body = StorefrontQuality,
    responses(OfShop, (status = 200, description = "Each fault and its products", body = Quality)))]
pub async fn post(State(node): State<Arc<Node>>, asked: StorefrontQuality) -> Result<Json<Quality>, Refusal> {
    if !asked.shows_secret {
        return Err(Refusal::credentials());
    }
    let StorefrontRequest { known, question: QualityRequest { queries, rows }, .. } = asked;
    let turn = turn_to_look(&node.resources.quality, known.account.id).await?;
    let SearchView { snapshot, shop, .. } = node.derived.searches().get_or_open(known.account.id).await?;
    let SearchPolicy { synonyms, rules, .. } = search_policy(&known.search);
    let caller = buyer_context(&node, &known, ShopperClaims::default(), None);
    let ask = move |query| SearchQuery {
        query,
        synonyms: synonyms.clone(),
        rules: rules.clone(),
        ..SearchQuery::default()
    };
    let looking = tokio::task::spawn_blocking(move || {
        // The turn ends with the work, even if the caller has left.
        let _turn = turn;
        let samples: Vec<_> = queries.into_iter().map(ask).collect();
        examine(&snapshot, &shop, &samples, rows, &caller)
    });
    let report = looking.await.map_err(|_| Refusal::fault())??;
    Ok(Json(Quality::from_report(report)))
}

impl Quality {
    fn from_report(report: HealthReport) -> Self {
        let HealthReport { products, faults, samples } = report;
        let search = |sample: &Sample| QualitySearch { query: sample.query.clone(), hits: sample.hits };
        let searches = samples.iter().map(search).collect();
        let faults =
            faults.into_iter().map(|fault| QualityFault::from_fault(fault, products, &samples)).collect();
        Self { products, faults, searches }
    }
}

impl QualityFault {
    fn from_fault(fault: DefectGroup, all: usize, samples: &[Sample]) -> Self {
        let DefectGroup { kind, products, rows, changes } = fault;
        let told = |(number, change): (usize, SampleImpact)| {
            let sample = samples.get(number)?;
            let query = sample.query.clone();
            let SampleImpact { first_page, hits, comes } = change;
            let says = says_of_change(kind, change, sample);
            Some(QualityChange { query, first_page, hits, comes, says })
        };
        Self {
            fault: name_of(kind),
            currency: currency_of(kind),
            products,
            percent: if all == 0 { 0.0 } else { (products as f64 / all as f64 * 10_000.0).round() / 100.0 },
            says: says_of(kind, products),
            rows: rows.into_iter().map(QualityRow::from_row).collect(),
            searches: changes.into_iter().filter_map(told).collect(),
        }
    }
}

impl QualityRow {
    fn from_row(row: DefectiveProduct) -> Self {
        let DefectiveProduct { id, title, others, letters, attribute, word } = row;
        let (word, meant) = word.unzip();
        Self { id, title, others, letters, attribute, word, meant }
    }
}

fn currency_of(kind: DefectKind) -> Option<String> {
    let DefectKind::NoPrice(currency) = kind else { return None };
    Some(code(&currency))
}

fn code(currency: &Currency) -> String {
    String::from_utf8_lossy(currency).into_owned()
}

const fn name_of(kind: DefectKind) -> &'static str {
    match kind {
        DefectKind::NoImage => "no_image",
        DefectKind::NoBrand => "no_brand",
        DefectKind::NoCategory => "no_category",
        DefectKind::NoPrice(_) => "no_price",
        DefectKind::SharedTitle => "shared_title",
        DefectKind::LongTitle => "long_title",
        DefectKind::LoneAttribute => "lone_attribute",
        DefectKind::MistypedWord => "mistyped_word",
    }
}

fn says_of(kind: DefectKind, products: usize) -> String {
    let (one, more, then) = match kind {
        DefectKind::NoImage => ("has no image", "have no image", "a page shows a placeholder"),
        DefectKind::NoBrand => ("has no brand", "have no brand", "no filter by brand finds them"),
        DefectKind::NoCategory => ("is in no category", "are in no category", "no category shows them"),
        DefectKind::NoPrice(currency) => {
            let code = code(&currency);
            let has = if products == 1 { "has" } else { "have" };
            let things = things(products);
            return format!(
                "{things} {has} no price in {code} for who has no account: a search in {code} leaves them out."
            );
        }
        DefectKind::SharedTitle => {
            ("has the title of another", "have the title of another", "a shopper cannot tell them apart")
        }
        DefectKind::LongTitle => {
            let has = if products == 1 { "has a title" } else { "have titles" };
            return format!(
                "{} {has} of more than {TITLE_LETTERS} letters: pages cut them.",
                things(products)
            );
        }
        DefectKind::LoneAttribute => (
            "has an attribute that no other has",
            "have an attribute that no other has",
            "it helps to choose between nothing, and may be a misspelled name",
        ),
        DefectKind::MistypedWord => (
            "has a word that is a typing error of a common one",
            "have a word that is a typing error of a common one",
            "who types the right word does not find them",
        ),
    };
    format!("{} {}: {then}.", things(products), if products == 1 { one } else { more })
}

fn things(products: usize) -> String {
    if products == 1 { "1 product".to_owned() } else { format!("{products} products") }
}

/// Sentence on the change in a search if a fault were mended.
fn says_of_change(kind: DefectKind, change: SampleImpact, sample: &Sample) -> String {
    let SampleImpact { first_page, hits, comes } = change;
    let first = format!("{first_page} of the first {} hits", sample.first_page);
    let all = format!("{hits} of {} hits", sample.hits);
    match kind {
        DefectKind::NoImage => format!("{first} would show a picture."),
        DefectKind::NoBrand => format!("{all} would be found under a brand."),
        DefectKind::NoCategory => format!("{all} would be found in a category."),
        DefectKind::NoPrice(currency) => {
            format!("{} would be found besides when prices are in {}.", things(comes), code(&currency))
        }
        DefectKind::SharedTitle => format!("{first} could be told from others by their title."),
        DefectKind::LongTitle => format!("{first} would show their whole title."),
        DefectKind::LoneAttribute => format!("{all} would be counted with others, if they shared its name."),
        DefectKind::MistypedWord if comes > 0 => format!("{} would be found besides.", things(comes)),
        DefectKind::MistypedWord => format!("{all} have such a word, and are found by others."),
    }
}

#[cfg(test)]
mod tests;
