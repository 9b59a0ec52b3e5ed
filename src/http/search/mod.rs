//! `/api/search`, `/api/autocomplete` and `/api/similar`: what shoppers find. The access key alone opens them.

mod answer;
mod asked;
mod counted;
mod offered;
pub mod preview;
pub mod quality;
mod question;
mod room;
pub mod why;

pub use answer::{Hit, SearchHit};
pub use asked::{Asked, TurnOf, count, let_pages_read, preflight};
pub(super) use asked::{build_response, computed, in_turn, number, origin_of, turn};
pub(super) use question::{Searching, currency, currency_of, needed, value};
pub(super) use room::AnswerRoom;

use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::response::Response;

use self::answer::{Found, Similar};
use self::offered::Completed;
use self::question::{Completing, Near};
use super::recommend::liking::liking;
use super::recommend::question::{RecommendRequest, Shopper as Whose};
use super::refusal::{ErrorBody, OfShop, Refusal};
use super::user_token::Shopper;
use crate::accounts::Known;
use crate::accounts::search::SearchSettings;
use crate::derived::models::Shown as Model;
use crate::derived::search::{SearchFault, Shown};
use crate::limits;
use crate::node::Node;
use crate::reports::query;
use crate::search::document::ShopTables;
use crate::search::engine::{Snapshot, Wishes};
use crate::search::index::IndexFault;
use crate::search::offer::{self, Caller, Purpose};
use crate::search::query::facets::keep_helpful;
use crate::search::query::fault::QueryFault;

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

type AskedSearch = Asked<Searching>;
type AskedCompletion = Asked<Completing>;
type AskedSimilar = Asked<Near>;

/// What a shopper finds.
#[utoipa::path(post, path = "/api/search", operation_id = "search", tag = "search", request_body = AskedSearch,
    responses(OfShop, (status = 200, description = "Hits, facets, and what was searched", body = Found)))]
pub async fn search(State(node): State<Arc<Node>>, asked: Asked<Searching>) -> Result<Response, Refusal> {
    searched(&node, asked).await
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
    responses(OfShop, (status = 200, description = "Hits, facets, and what was searched", body = Found)))]
pub async fn search_by_address(
    State(node): State<Arc<Node>>,
    asked: Asked<Searching>,
) -> Result<Response, Refusal> {
    searched(&node, asked).await
}

async fn searched(node: &Node, asked: Asked<Searching>) -> Result<Response, Refusal> {
    let Asked { known, question, shopper, origin, shows_secret, packing, turn_of } = asked;
    if question.explain && !shows_secret {
        return Err(Refusal::credentials());
    }
    let Shown { snapshot, shop, outdated } = node.derived.searches().shown(known.account.id).await?;
    let caller = caller(node, &known, shopper, question.currency);
    let wishes = wishes_of(node, &known, &question, Whose::Unknown);
    let found = computed(node, turn_of, packing, move || {
        Ok(found(question, &snapshot, &shop, &caller, wishes)?.with_index_age(outdated))
    });
    Ok(build_response(origin, found.await?))
}

/// What a shop set that counts in each search.
pub(super) fn wishes(set: &SearchSettings) -> Wishes {
    Wishes { synonyms: set.synonyms.synonyms().cloned(), rules: set.rules.rules().cloned(), liking: None }
}

/// The same with what shoppers like.
pub(super) fn wishes_of(node: &Node, known: &Known, asked: &Searching, whose: Whose) -> Wishes {
    Wishes { liking: liking(node, known, asked.popularity, asked.who(whose)), ..wishes(&known.search) }
}

fn found(
    question: Searching,
    snapshot: &Snapshot,
    shop: &ShopTables,
    caller: &Caller,
    wishes: Wishes,
) -> Result<Found, Refusal> {
    let begun = Instant::now();
    let request = question.request(snapshot, caller, wishes)?;
    let unheld = question.unheld(snapshot.knowledge().columns(), &request);
    let mut answer = snapshot.search(&request, caller)?;
    if question.chooses_facets() {
        answer.facets = keep_helpful(answer.facets, &request.filters);
    }
    let chosen = request.filters.categories();
    answer.facets.iter_mut().for_each(|facet| facet.arrange(shop, chosen));
    Found::from_answer(question, answer, &request.sort, unheld, begun.elapsed())
}

/// What a shopper is offered while typing.
#[utoipa::path(post, path = "/api/autocomplete", operation_id = "autocomplete", tag = "search",
    request_body = AskedCompletion,
    responses(OfShop, (status = 200, description = "Queries, products, categories and brands", body = Completed)))]
pub async fn complete(State(node): State<Arc<Node>>, asked: Asked<Completing>) -> Result<Response, Refusal> {
    completed(&node, asked).await
}

/// The same with the names in the address.
#[utoipa::path(get, path = "/api/autocomplete", operation_id = "autocomplete_by_address", tag = "search",
    params(("AppKey" = String, Query, description = "The account's access key"),
    ("Query" = String, Query, description = "What was typed so far"),
    ("Size" = Option<usize>, Query, description = "How many of each kind")),
    responses(OfShop, (status = 200, description = "Queries, products, categories and brands", body = Completed)))]
pub async fn complete_by_address(
    State(node): State<Arc<Node>>,
    asked: Asked<Completing>,
) -> Result<Response, Refusal> {
    completed(&node, asked).await
}

/// What enough people searched that begins with what is typed, the most frequent first. A completion waits for no
/// model.
fn searched_by_others(model: &Model, typed: &str) -> Vec<String> {
    const MOST: usize = 50;
    let mut begin = query::spelt(typed);
    if begin.is_empty() {
        return Vec::new();
    }
    if typed.ends_with(char::is_whitespace) {
        begin.push(' ');
    }
    let people = limits::REPORT_ROW_PEOPLE;
    model.ask(|model, _| {
        model.searched(&begin, people).into_iter().take(MOST).map(|(_, query)| query.to_owned()).collect()
    })
}

async fn completed(node: &Node, asked: Asked<Completing>) -> Result<Response, Refusal> {
    let Asked { known, question, shopper, origin, packing, turn_of, .. } = asked;
    let Shown { snapshot, .. } = node.derived.searches().shown(known.account.id).await?;
    let caller = caller(node, &known, shopper, None);
    let liking = liking(node, &known, true, RecommendRequest::default());
    let wishes = Wishes { liking, ..wishes(&known.search) };
    let model = node.derived.models().shown_if_made(known.account.id);
    let found = computed(node, turn_of, packing, move || {
        let Completing { query, size } = &question;
        let searched = model.map(|model| searched_by_others(&model, query)).unwrap_or_default();
        let (completions, products) = snapshot.complete((query, &searched), *size, wishes, &caller)?;
        Ok(Completed::from_completions(completions, &products))
    });
    Ok(build_response(origin, found.await?))
}

/// The products that are most like one.
#[utoipa::path(post, path = "/api/similar", operation_id = "similar", tag = "search", request_body = AskedSimilar,
    responses(OfShop, (status = 200, description = "Products, the nearest first", body = Similar),
    (status = 404, description = "The shop does not show the product", body = ErrorBody<'static>)))]
pub async fn similar(State(node): State<Arc<Node>>, asked: Asked<Near>) -> Result<Response, Refusal> {
    near(&node, asked).await
}

/// The same with the names in the address.
#[utoipa::path(get, path = "/api/similar", operation_id = "similar_by_address", tag = "search", params(("AppKey" = String, Query, description = "The account's access key"),
    ("Id" = String, Query, description = "The product's id"),
    ("Size" = Option<usize>, Query, description = "How many products"),
    ("Currency" = Option<String>, Query, description = "Three letters")),
    responses(OfShop, (status = 200, description = "Products, the nearest first", body = Similar),
    (status = 404, description = "The shop does not show the product", body = ErrorBody<'static>)))]
pub async fn similar_by_address(
    State(node): State<Arc<Node>>,
    asked: Asked<Near>,
) -> Result<Response, Refusal> {
    near(&node, asked).await
}

async fn near(node: &Node, asked: Asked<Near>) -> Result<Response, Refusal> {
    let Asked { known, question, shopper, origin, packing, turn_of, .. } = asked;
    let Shown { snapshot, .. } = node.derived.searches().shown(known.account.id).await?;
    let caller = caller(node, &known, shopper, question.currency);
    let set = known.search.clone();
    let found = computed(node, turn_of, packing, move || {
        if snapshot.shows(&question.id, &caller)? {
            let rules = set.rules.rules().map(Arc::as_ref);
            Similar::from_items(snapshot.similar(&question.id, question.size, rules, &caller)?)
        } else {
            Err(Refusal::unknown("The shop shows no product of that Id"))
        }
    });
    Ok(build_response(origin, found.await?))
}

/// For whom prices and what is seen are decided.
pub(super) fn caller(
    node: &Node,
    known: &Known,
    shopper: Shopper,
    currency: Option<offer::Currency>,
) -> Caller {
    let Shopper { account, group } = shopper;
    let of_account = || known.account.currency.as_deref()?.as_bytes().try_into().ok();
    Caller {
        account_tag: account.map(|account| node.keys.account_tag(known.account.id, &account)),
        group,
        currency: currency.or_else(of_account),
        now: node.clock.now() / 1000,
        purpose: Purpose::Search,
    }
}
