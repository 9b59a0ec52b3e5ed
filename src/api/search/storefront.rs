//! Handlers of the storefront: search, autocomplete, similar products.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::response::Response;

use super::completions::AutocompleteAnswer;
use super::extract::{StorefrontRequest, build_response, compute_json};
use super::policy::{buyer_context, search_policy, search_policy_with_boosts};
use super::request::{AutocompleteRequest, SearchRequest, SimilarRequest};
use super::response::{SearchAnswer, SimilarAnswer};
use crate::limits;
use crate::node::Node;
use crate::personalise::popularity_boost::popularity_signal;
use crate::personalise::request::{RecommendRequest, ShopperIdentity as Whose};
use crate::projections::models::ModelHandle as Model;
use crate::projections::search::{SearchFault, SearchView};
use crate::reports::query;
use crate::search::document::ShopTables;
use crate::search::engine::SearchPolicy;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::BuyerContext;
use crate::search::query::facets::keep_helpful;
use crate::search::query::fault::QueryFault;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

impl From<SearchFault> for Refusal {
    fn from(fault: SearchFault) -> Self {
        match fault {
            SearchFault::Catalogue(fault) => fault.into(),
            SearchFault::Making | SearchFault::Outgrown => Self::search_is_made(),
            SearchFault::Index(_) | SearchFault::Row(_) | SearchFault::Ended => {
                tracing::error!(%fault, "a search index cannot be used");
                Self::fault()
            }
        }
    }
}

impl From<IndexFault> for Refusal {
    fn from(fault: IndexFault) -> Self {
        SearchFault::from(fault).into()
    }
}

impl From<QueryFault> for Refusal {
    fn from(fault: QueryFault) -> Self {
        Self::malformed(fault.to_string())
    }
}

pub(super) type StorefrontSearch = StorefrontRequest<SearchRequest>;

pub(super) type StorefrontAutocomplete = StorefrontRequest<AutocompleteRequest>;

pub(super) type StorefrontSimilar = StorefrontRequest<SimilarRequest>;

/// Searches a shop's products for a shopper.
#[utoipa::path(post, path = "/api/search", operation_id = "search", tag = "search", request_body = StorefrontSearch,
    responses(OfShop, (status = 200, description = "Hits, facets, and what was searched", body = SearchAnswer)))]
pub async fn search(
    State(node): State<Arc<Node>>,
    asked: StorefrontRequest<SearchRequest>,
) -> Result<Response, Refusal> {
    run_search(&node, asked).await
}

/// The same with the names in the address, where nothing of a person may stand.
#[utoipa::path(get, path = "/api/search", operation_id = "search_by_address", tag = "search", params(("AppKey" = String, Query, description = "The account's access key"),
    ("Query" = Option<String>, Query, description = "What was typed"),
    ("Page" = Option<usize>, Query, description = "The page, from 1"),
    ("Size" = Option<usize>, Query, description = "Hits on a page"),
    ("Filters" = Option<String>, Query, description = "Filters as JSON"),
    ("Facets" = Option<String>, Query, description = "Facets, with commas between them"),
    ("Sort" = Option<String>, Query, description = "The order"),
    ("Currency" = Option<String>, Query, description = "Three letters"),
    ("Fields" = Option<String>, Query, description = "Fields of a hit, with commas between them"),
    ("Highlight" = Option<bool>, Query, description = "Whether hits say where words stand")),
    responses(OfShop, (status = 200, description = "Hits, facets, and what was searched", body = SearchAnswer)))]
pub async fn search_by_address(
    State(node): State<Arc<Node>>,
    asked: StorefrontRequest<SearchRequest>,
) -> Result<Response, Refusal> {
    run_search(&node, asked).await
}

pub(super) async fn run_search(
    node: &Node,
    asked: StorefrontRequest<SearchRequest>,
) -> Result<Response, Refusal> {
    let StorefrontRequest { known, question, shopper, origin, shows_secret, packing, turn_of } = asked;
    if question.explain && !shows_secret {
        return Err(Refusal::credentials());
    }
    let SearchView { snapshot, shop, outdated } =
        node.derived.searches().get_or_open(known.account.id).await?;
    let caller = buyer_context(node, &known, shopper, question.currency);
    let wishes = search_policy_with_boosts(node, &known, &question, Whose::Unknown);
    let found = compute_json(node, turn_of, packing, move || {
        Ok(build_search_answer(question, &snapshot, &shop, &caller, wishes)?.with_index_age(outdated))
    });
    Ok(build_response(origin, found.await?))
}

pub(super) fn build_search_answer(
    question: SearchRequest,
    snapshot: &IndexSnapshot,
    shop: &ShopTables,
    caller: &BuyerContext,
    wishes: SearchPolicy,
) -> Result<SearchAnswer, Refusal> {
    let begun = Instant::now();
    let request = question.request(snapshot, caller, wishes)?;
    let unheld = question.unknown_columns(snapshot.knowledge().columns(), &request);
    let mut answer = snapshot.search(&request, caller)?;
    if question.chooses_facets() {
        answer.facets = keep_helpful(answer.facets, &request.filters);
    }
    let chosen = request.filters.categories();
    answer.facets.iter_mut().for_each(|facet| facet.arrange(shop, chosen));
    SearchAnswer::from_answer(question, answer, &request.sort, unheld, begun.elapsed())
}

/// Suggests queries, products, categories and brands while a shopper types.
#[utoipa::path(post, path = "/api/autocomplete", operation_id = "autocomplete", tag = "search",
    request_body = StorefrontAutocomplete,
    responses(OfShop, (status = 200, description = "Queries, products, categories and brands", body = AutocompleteAnswer)))]
pub async fn complete(
    State(node): State<Arc<Node>>,
    asked: StorefrontRequest<AutocompleteRequest>,
) -> Result<Response, Refusal> {
    run_autocomplete(&node, asked).await
}

/// The same with the names in the address.
#[utoipa::path(get, path = "/api/autocomplete", operation_id = "autocomplete_by_address", tag = "search",
    params(("AppKey" = String, Query, description = "The account's access key"),
    ("Query" = String, Query, description = "What was typed so far"),
    ("Size" = Option<usize>, Query, description = "How many of each kind")),
    responses(OfShop, (status = 200, description = "Queries, products, categories and brands", body = AutocompleteAnswer)))]
pub async fn complete_by_address(
    State(node): State<Arc<Node>>,
    asked: StorefrontRequest<AutocompleteRequest>,
) -> Result<Response, Refusal> {
    run_autocomplete(&node, asked).await
}

/// Searches of enough people that begin with the typed text, the most frequent first. A completion waits for no model.
pub(super) fn searched_by_others(model: &Model, typed: &str) -> Vec<String> {
    const MOST: usize = 50;
    let mut begin = query::lowercase_words(typed);
    if begin.is_empty() {
        return Vec::new();
    }
    if typed.ends_with(char::is_whitespace) {
        begin.push(' ');
    }
    let people = limits::REPORT_ROW_PEOPLE;
    model.with_model(|model, _| {
        model
            .popular_searches(&begin, people)
            .into_iter()
            .take(MOST)
            .map(|(_, query)| query.to_owned())
            .collect()
    })
}

pub(super) async fn run_autocomplete(
    node: &Node,
    asked: StorefrontRequest<AutocompleteRequest>,
) -> Result<Response, Refusal> {
    let StorefrontRequest { known, question, shopper, origin, packing, turn_of, .. } = asked;
    let SearchView { snapshot, .. } = node.derived.searches().get_or_open(known.account.id).await?;
    let caller = buyer_context(node, &known, shopper, None);
    let liking = popularity_signal(node, &known, true, RecommendRequest::default());
    let wishes = SearchPolicy { liking, ..search_policy(&known.search) };
    let model = node.derived.models().shown_if_made(known.account.id);
    let found = compute_json(node, turn_of, packing, move || {
        let AutocompleteRequest { query, size } = &question;
        let searched = model.map(|model| searched_by_others(&model, query)).unwrap_or_default();
        let (completions, products) = snapshot.complete((query, &searched), *size, wishes, &caller)?;
        Ok(AutocompleteAnswer::from_completions(completions, &products))
    });
    Ok(build_response(origin, found.await?))
}

/// The products that are most like one.
#[utoipa::path(post, path = "/api/similar", operation_id = "similar", tag = "search", request_body = StorefrontSimilar,
    responses(OfShop, (status = 200, description = "Products, the nearest first", body = SimilarAnswer),
    (status = 404, description = "The shop does not show the product", body = ErrorBody<'static>)))]
pub async fn similar(
    State(node): State<Arc<Node>>,
    asked: StorefrontRequest<SimilarRequest>,
) -> Result<Response, Refusal> {
    run_similar(&node, asked).await
}

/// The same with the names in the address.
#[utoipa::path(get, path = "/api/similar", operation_id = "similar_by_address", tag = "search", params(("AppKey" = String, Query, description = "The account's access key"),
    ("Id" = String, Query, description = "The product's id"),
    ("Size" = Option<usize>, Query, description = "How many products"),
    ("Currency" = Option<String>, Query, description = "Three letters")),
    responses(OfShop, (status = 200, description = "Products, the nearest first", body = SimilarAnswer),
    (status = 404, description = "The shop does not show the product", body = ErrorBody<'static>)))]
pub async fn similar_by_address(
    State(node): State<Arc<Node>>,
    asked: StorefrontRequest<SimilarRequest>,
) -> Result<Response, Refusal> {
    run_similar(&node, asked).await
}

pub(super) async fn run_similar(
    node: &Node,
    asked: StorefrontRequest<SimilarRequest>,
) -> Result<Response, Refusal> {
    let StorefrontRequest { known, question, shopper, origin, packing, turn_of, .. } = asked;
    let SearchView { snapshot, .. } = node.derived.searches().get_or_open(known.account.id).await?;
    let caller = buyer_context(node, &known, shopper, question.currency);
    let set = known.search.clone();
    let found = compute_json(node, turn_of, packing, move || {
        if snapshot.is_shown(&question.id, &caller)? {
            let rules = set.rules.rules().map(Arc::as_ref);
            SimilarAnswer::from_items(snapshot.similar(&question.id, question.size, rules, &caller)?)
        } else {
            Err(Refusal::unknown("The shop shows no product of that Id"))
        }
    });
    Ok(build_response(origin, found.await?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::CatalogueFault;
    use crate::search::document::DocumentFault;
    use crate::store::StoreFault;
    use crate::transport::refusal::ErrorCode;

    #[test]
    fn a_search_waits_for_an_index_that_is_made_and_for_no_other() {
        for (fault, code) in [
            (SearchFault::Making, ErrorCode::SearchIsMade),
            (SearchFault::Outgrown, ErrorCode::SearchIsMade),
            (SearchFault::Ended, ErrorCode::Fault),
            (SearchFault::Index(IndexFault::Missing), ErrorCode::Fault),
            (SearchFault::Row(DocumentFault::Missing("Id")), ErrorCode::Fault),
            (SearchFault::Catalogue(CatalogueFault::Row), ErrorCode::Fault),
            (SearchFault::Catalogue(CatalogueFault::Store(StoreFault::Busy)), ErrorCode::Busy),
        ] {
            let says = fault.to_string();
            assert_eq!(Refusal::from(fault).code(), code, "{says}");
        }
        assert_eq!(Refusal::from(IndexFault::Missing).code(), ErrorCode::Fault);
        let refusal = Refusal::from(QueryFault::new("Sort", "is not known"));
        assert_eq!((refusal.code(), refusal.sentence()), (ErrorCode::Malformed, "Sort: is not known"));
    }
}
