//! Request of a search, as it is sent.

use serde_json::Value;

use super::fields::{currency, needed_fields, number, query, text, value};
use super::hit::EVERYTHING;
use crate::api::from_fields::{FromFields, MemberNames};
use crate::api::json_fields::{JsonFields, RequestFields};
use crate::api::recommend::request::session;
use crate::i18n::UiLanguage;
use crate::limits;
use crate::personalise::request::{RecommendRequest, ShopperIdentity};
use crate::search::engine::{SearchPolicy, SearchQuery};
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::{BuyerContext, Currency};
use crate::search::query::columns::AttributeColumns;
use crate::search::query::facets::{all_that_may_help, check_currency, parse_facets};
use crate::search::query::filters::Filters;
use crate::search::query::product_property::ProductProperty;
use crate::search::query::sort::Sort;
use crate::transport::refusal::Refusal;

/// A search.
#[derive(Clone, Default, utoipa::ToSchema)]
pub struct SearchRequest {
    /// Text that was typed; everything in it is text. Without it everything is shown.
    #[schema(rename = "Query", required = false, example = "red shoe")]
    pub query: String,
    /// The page, from 1.
    #[schema(rename = "Page", required = false, minimum = 1)]
    pub page: usize,
    /// Hits on a page; by default 24.
    #[schema(rename = "Size", required = false, minimum = 0, maximum = 250)]
    pub size: usize,
    /// Conditions that the hits have to meet: `Brand`, `Category`: lists of ids; `Price`: `From`, `To`; `InStock`,
    /// `NewArrival`, `OnOffer`: true or false; `Attributes`: an object of lists.
    #[schema(rename = "Filters", required = false, value_type = Object)]
    pub filters: Value,
    /// Facets to count: `Brand`, `Category`, `Price`, `InStock`, `NewArrival`, `OnOffer`, `Attributes.NAME`; or `*`
    /// alone: those that part the hits, with 8 of the attributes that most products have.
    #[schema(rename = "Facets", required = false)]
    pub facets: Vec<String>,
    /// `relevance`, `price`, `-price`, `newest`, `title`, `Attributes.NAME`.
    #[schema(rename = "Sort", required = false)]
    pub sort: String,
    /// The option, such as `Colour`, for each of whose values a product appears once: a red shirt and a blue shirt.
    /// Totals and facets count these. `""`: each product appears once. By default what the shop has set.
    #[schema(rename = "GroupBy", required = false, value_type = String)]
    pub group_by: Option<String>,
    /// Three letters: of prices shown, filtered, counted and ordered.
    #[schema(rename = "Currency", required = false, value_type = String, pattern = "^[A-Z]{3}$")]
    pub currency: Option<Currency>,
    /// Fields of a hit to answer, `*` for all; by default those of a card: neither descriptions, nor `Variants` (all
    /// that the caller sees), nor values longer than 1,000 bytes.
    #[schema(rename = "Fields", required = false)]
    pub fields: Vec<String>,
    /// True if each hit says where the words of the query stand in its title.
    #[schema(rename = "Highlight", required = false)]
    pub highlight: bool,
    /// With the secret: true if each hit says why it is where it is.
    #[schema(rename = "Explain", required = false)]
    pub explain: bool,
    /// With `Explain`: the language of the reasons, `en`, `de` or `fr`; by default English.
    #[schema(rename = "ExplainLanguage", required = false, value_type = String, example = "de")]
    pub explain_language: UiLanguage,
    /// True if products that many looked at and bought rank a little higher; by default true.
    #[schema(rename = "Popularity", required = false)]
    pub popularity: bool,
    /// The session, as the answer to events names it: products that it calls for rank a little higher.
    #[schema(rename = "SessionId", required = false, value_type = String)]
    pub session: Option<u128>,
    /// True if products that the session calls for rank higher; by default true.
    #[schema(rename = "Personal", required = false)]
    pub personal: bool,
}

/// Members of a search besides the credentials.
pub(super) const SEARCH_MEMBERS: &[&str] = &[
    "Query",
    "Page",
    "Size",
    "Filters",
    "Facets",
    "Sort",
    "GroupBy",
    "Currency",
    "Fields",
    "Highlight",
    "Explain",
    "ExplainLanguage",
    "Popularity",
    "SessionId",
    "Personal",
    "Language",
];

impl FromFields for SearchRequest {
    const ACCESS_KEY: &str = "AppKey";
    const MEMBERS: MemberNames = MemberNames::Hints(&[SEARCH_MEMBERS]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        if fields.find(&["Language"])?.is_some() {
            let sentence = "Language is not taken here: the operator sets the language of the shop's texts";
            return Err(Refusal::malformed(sentence));
        }
        let size = number(fields, "Size", 24, 0..=limits::SEARCH_PAGE_HITS)?;
        let page = number(fields, "Page", 1, 1..=limits::SEARCH_HITS)?;
        if page * size.max(1) > limits::SEARCH_HITS && page > 1 {
            let most = limits::SEARCH_HITS;
            return Err(Refusal::malformed(format!(
                "Page leads to {most} hits at the most: narrow the search"
            )));
        }
        let explain = fields.flag(&["Explain"])?;
        if explain && size > limits::SEARCH_EXPLAINED_HITS {
            let most = limits::SEARCH_EXPLAINED_HITS;
            return Err(Refusal::malformed(format!("Size is up to {most} with Explain")));
        }
        Ok(Self {
            query: query(fields)?,
            page,
            size,
            filters: value(fields, "Filters")?,
            facets: fields.opt_texts("Facets")?.unwrap_or_default(),
            sort: text(fields, "Sort")?,
            group_by: fields.opt_text(&["GroupBy"])?,
            currency: currency(fields)?,
            fields: needed_fields(fields)?,
            highlight: fields.flag(&["Highlight"])?,
            explain,
            explain_language: explain_language(fields)?,
            popularity: fields.opt_flag(&["Popularity"])?.unwrap_or(true),
            session: session(fields)?,
            personal: fields.opt_flag(&["Personal"])?.unwrap_or(true),
        })
    }
}

/// Reads the language of the reasons, English when none is named.
fn explain_language(fields: &JsonFields<'_>) -> Result<UiLanguage, Refusal> {
    let code = text(fields, "ExplainLanguage")?;
    let language = if code.is_empty() { Some(UiLanguage::English) } else { UiLanguage::from_code(&code) };
    language.ok_or_else(|| Refusal::malformed("ExplainLanguage has to be en, de or fr"))
}

impl SearchRequest {
    /// True if the choice of the facets is left to the search.
    pub(super) fn chooses_facets(&self) -> bool {
        self.facets == ["*"]
    }

    /// The searcher, as they would ask for recommendations.
    pub(super) fn recommend_request(&self, shopper: ShopperIdentity) -> RecommendRequest {
        if self.personal {
            RecommendRequest { session: self.session, shopper, ..RecommendRequest::default() }
        } else {
            RecommendRequest::default()
        }
    }

    /// Names in the filters, facets and order of attributes that have no column now, as they were asked for.
    pub(super) fn unknown_columns(&self, columns: &AttributeColumns, request: &SearchQuery) -> Vec<String> {
        let subjects = request.filters.subjects().chain(&request.facets);
        let unheld = subjects.filter(|subject| subject.is_unheld(columns)).map(ProductProperty::name);
        let order = self.sort.strip_prefix('-').unwrap_or(&self.sort);
        let is_no_order = request.sort == Sort::Relevance && order.contains('.');
        let group = request.group_by.clone().map(ProductProperty::Attribute);
        let group = group.filter(|group| self.group_by.is_some() && group.is_unheld(columns));
        let others = is_no_order.then(|| order.to_owned()).into_iter().chain(group.map(|group| group.name()));
        let mut names: Vec<String> = unheld.chain(others).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The search as this index can answer it.
    ///
    /// # Errors
    /// A refusal when a name is not known or cannot be, or prices have no currency.
    pub fn request(
        &self,
        snapshot: &IndexSnapshot,
        caller: &BuyerContext,
        SearchPolicy { synonyms, rules, liking, group_by }: SearchPolicy,
    ) -> Result<SearchQuery, Refusal> {
        let columns = snapshot.knowledge().columns();
        let filters = Filters::parse(&self.filters, columns)?;
        let has_currency = caller.currency.is_some();
        let facets = if self.chooses_facets() {
            all_that_may_help(columns, &filters, has_currency)
        } else {
            parse_facets(&self.facets, columns)?
        };
        check_currency(&filters, &facets, has_currency)?;
        let sort = Sort::parse(&self.sort, columns, has_currency)?;
        let group_by = self.group_by.clone().or(group_by).unwrap_or_default();
        let group_by = ProductProperty::parse_group(&group_by, columns)?;
        Ok(SearchQuery {
            query: self.query.clone(),
            page: self.page,
            size: self.size,
            filters,
            facets,
            sort,
            group_by,
            highlight: self.highlight,
            explain: self.explain,
            all_variants: self.fields.iter().any(|field| field == "Variants" || field == EVERYTHING),
            synonyms,
            rules,
            liking,
            ..SearchQuery::default()
        })
    }
}

/// A request for completions.
#[derive(utoipa::ToSchema)]
#[schema(as = AutocompleteRequest)]
pub struct AutocompleteRequest {
    /// Text that was typed so far.
    #[schema(rename = "Query", example = "red sh")]
    pub query: String,
    /// Number of offers of each kind; by default 5.
    #[schema(rename = "Size", required = false, minimum = 1, maximum = 20)]
    pub size: usize,
}

impl FromFields for AutocompleteRequest {
    const ACCESS_KEY: &str = "AppKey";
    const MEMBERS: MemberNames = MemberNames::Hints(&[&["Query", "Size"]]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        fields.text(&["Query"])?;
        Ok(Self { query: query(fields)?, size: number(fields, "Size", 5, 1..=20)? })
    }
}

/// A product, and how many like it.
#[derive(utoipa::ToSchema)]
#[schema(as = SimilarRequest)]
pub struct SimilarRequest {
    /// The product's id.
    #[schema(rename = "Id", example = "4711")]
    pub id: String,
    /// Number of products; by default 12.
    #[schema(rename = "Size", required = false, minimum = 1, maximum = 100)]
    pub size: usize,
    /// Three letters: of prices.
    #[schema(rename = "Currency", required = false, value_type = String, pattern = "^[A-Z]{3}$")]
    pub currency: Option<Currency>,
}

impl FromFields for SimilarRequest {
    const ACCESS_KEY: &str = "AppKey";
    const MEMBERS: MemberNames = MemberNames::Hints(&[&["Id", "Size", "Currency"]]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let size = number(fields, "Size", 12, 1..=100)?;
        Ok(Self { id: fields.text(&["Id"])?, size, currency: currency(fields)? })
    }
}

#[cfg(test)]
mod tests;
