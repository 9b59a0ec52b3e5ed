//! `POST /api/search/why`, and `Explain` of a search: why a product is where it is, in words. For the shop's server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::extract::{self, StorefrontRequest, compute_json};
use super::policy::{buyer_context, search_policy_with_boosts};
use super::request::SearchRequest;
use crate::api::compression::Packing;
use crate::api::from_fields::FromFields;
use crate::api::json_fields::JsonFields;
use crate::limits;
use crate::node::Node;
use crate::personalise::request::ShopperIdentity;
use crate::projections::search::SearchView;
use crate::search::engine::{NotFoundReason, RankExplanation, SearchExplanation, SearchPolicy};
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::{BuyerContext, HiddenReason};
use crate::search::query::matching::{MatchForm, TermMatch};
use crate::search::query::sort::Sort;
use crate::search::statistics::SearchField;
use crate::transport::refusal::{OfShop, Refusal};

/// A search, and the product that is looked for in its answer.
#[derive(utoipa::ToSchema)]
pub struct SearchWhyRequest {
    /// The product's id, or an article number.
    #[schema(rename = "Id", example = "4711", min_length = 1, max_length = 512)]
    id: String,
    /// Text that a shopper types.
    #[schema(rename = "Query", required = false, value_type = String)]
    searching: SearchRequest,
}

impl FromFields for SearchWhyRequest {
    const ACCESS_KEY: &str = "AppKey";
    const NAMES: &[&[&str]] = &[&["Id"], SearchRequest::NAMES[0]];

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let id = fields.text(&["Id"])?;
        if id.is_empty() || id.len() > limits::ITEM_ID_BYTES {
            return Err(Refusal::malformed(format!("Id has 1 to {} bytes", limits::ITEM_ID_BYTES)));
        }
        Ok(Self { id, searching: SearchRequest::from_fields(fields)? })
    }
}

/// Place of a product in the answer to a search, and the reasons.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct SearchWhy {
    /// The product's id.
    id: String,
    /// True if pages of the answer lead to it.
    is_found: bool,
    /// Its place over all pages, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = usize)]
    place: Option<usize>,
    /// The page on which it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = usize)]
    page: Option<usize>,
    /// `found`, `below_the_page`, or why it is not found: `not_in_catalogue`, `hidden_by_flag`, `out_of_period`,
    /// `other_accounts`, `rule`, `price`, `stock`, `filter`, `no_word`, `fewer_words`, `beyond_the_last_page`.
    reason: &'static str,
    /// The same in sentences, with the numbers that they rest on.
    reasons: Vec<String>,
}

type StorefrontSearchWhy = StorefrontRequest<SearchWhyRequest>;

/// Place of a product in the answer to a search and the reasons, or the reasons why it is not in it.
#[utoipa::path(post, path = "/api/search/why", operation_id = "search_why", tag = "search",
    request_body = StorefrontSearchWhy,
    responses(OfShop, (status = 200, description = "Its place, and reasons", body = SearchWhy)))]
pub async fn post(State(node): State<Arc<Node>>, asked: StorefrontSearchWhy) -> Result<Response, Refusal> {
    if !asked.shows_secret {
        return Err(Refusal::credentials());
    }
    let StorefrontRequest { known, question, shopper, origin, turn_of, .. } = asked;
    let SearchView { snapshot, .. } = node.derived.searches().get_or_open(known.account.id).await?;
    let caller = buyer_context(&node, &known, shopper, question.searching.currency);
    let wishes = search_policy_with_boosts(&node, &known, &question.searching, ShopperIdentity::Unknown);
    let why = compute_json(&node, turn_of, Packing::Never, move || {
        explain_place(question, &snapshot, &caller, wishes)
    });
    Ok(extract::build_response(origin, why.await?))
}

fn explain_place(
    question: SearchWhyRequest,
    snapshot: &IndexSnapshot,
    caller: &BuyerContext,
    wishes: SearchPolicy,
) -> Result<SearchWhy, Refusal> {
    let SearchWhyRequest { id, searching } = question;
    let id = snapshot.id_of(&id)?.unwrap_or(id);
    let request = searching.request(snapshot, caller, wishes)?;
    Ok(match snapshot.verdict(&id, &request, caller)? {
        SearchExplanation::Found(why) => {
            let page = (searching.size > 0).then(|| why.place.div_ceil(searching.size));
            let on_page = page.map_or_else(String::new, |page| format!(", on page {page}"));
            let mut reasons = vec![format!("It is at place {}{on_page}.", why.place)];
            reasons.extend(sentences(&why, &request.sort));
            let reason = if page == Some(searching.page) { "found" } else { "below_the_page" };
            SearchWhy { id, is_found: true, place: Some(why.place), page, reason, reasons }
        }
        SearchExplanation::Missing(missing) => {
            let reason = missing.first().map_or("beyond_the_last_page", code);
            let reasons = missing.iter().map(sentence).collect();
            SearchWhy { id, is_found: false, place: None, page: None, reason, reasons }
        }
    })
}

/// Sentences on the place of a product. Scores are given only where they decide: in order of relevance, and not if a
/// typed number or a rule puts the product in front.
pub(super) fn sentences(why: &RankExplanation, sort: &Sort) -> Vec<String> {
    let mut says = Vec::new();
    let is_by_relevance = *sort == Sort::Relevance;
    if !is_by_relevance {
        says.push("The order is not that of relevance: its words do not decide its place.".to_owned());
    }
    if let Some(rule) = why.pinned_by.as_ref().filter(|_| is_by_relevance) {
        says.push(format!("The rule {rule:?} puts it in front."));
    }
    if why.is_by_number {
        says.push("The query is its id or article number, or that of a variant.".to_owned());
    }
    let held = &why.held;
    let decides = is_by_relevance && why.is_by_words;
    let all = held.words.iter().chain(&held.extras).map(|word| f64::from(word.score)).sum::<f64>();
    let share = |word: &TermMatch| {
        (decides && all > 0.0).then(|| format!(": {:.2}", f64::from(word.score) / all * why.of_words))
    };
    let told = |word: &TermMatch| format!("{}{}.", standing(word), share(word).unwrap_or_default());
    says.extend(held.words.iter().chain(&held.extras).map(told));
    if decides {
        says.extend(coverage(why));
        says.extend(lifts(why));
    }
    says
}

fn coverage(why: &RankExplanation) -> Option<String> {
    let percent = percent(why.coverage.into());
    let lacking = &why.held.lacking;
    if !lacking.is_empty() {
        return Some(format!("It lacks {}: it holds {percent} % of the query.", quote_words(lacking)));
    }
    let says = || format!("It holds synonyms of some words: that counts as {percent} % of the query.");
    (why.coverage < 1.0).then(says)
}

/// Sentences on gains and losses besides its words.
fn lifts(why: &RankExplanation) -> Vec<String> {
    let mut says = Vec::new();
    if let Some((rule, by)) = &why.weighed_by {
        let does = if *by < 0.0 { "lowers" } else { "lifts" };
        let percent = percent(by.abs());
        says.push(format!("The rule {rule:?} {does} it by {percent} %: {:+.2}.", why.lifts.rules));
    }
    let rounds_to_nothing = |number: f64| number.abs() < 0.005;
    if !rounds_to_nothing(why.lifts.centroid) {
        says.push(format!("It is like the best hits: {:+.2}.", why.lifts.centroid));
    }
    if !rounds_to_nothing(why.lifts.favour) {
        let what = if why.lifts.favour < 0.0 { "cannot be bought now" } else { "is new" };
        says.push(format!("It {what}: {:+.2}.", why.lifts.favour));
    }
    let liked = [
        ("Many looked at it or bought it", why.lifts.popular),
        ("Its shopper looked at it, or at things like it", why.lifts.personal),
    ];
    let has_words = !why.held.words.is_empty() || !why.held.extras.is_empty();
    for (what, lift) in liked {
        if lift > 0.0 && !has_words {
            says.push(format!("{what}: {lift:+.2}."));
        } else if lift > 0.0 && why.of_words > 0.0 {
            says.push(format!("{what}: {:+.1} %, {lift:+.2}.", lift / why.of_words * 100.0));
        }
    }
    says
}

fn percent(part: f64) -> i64 {
    (part * 100.0).round() as i64
}

fn quote_words(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("{word:?}")).collect();
    words.join(", ")
}

/// Says where a word stands, and how.
fn standing(held: &TermMatch) -> String {
    let TermMatch { word, form, .. } = held;
    let place = place(held);
    match form {
        MatchForm::Itself => format!("{word:?} stands in {place}"),
        MatchForm::Joined => format!("{word:?} stands in {place}, as one with the word beside it"),
        MatchForm::Apart => format!("{word:?} stands in {place} as two words"),
        MatchForm::Measure => format!("{word:?} stands in {place} as a measure"),
        MatchForm::Synonym(other) => format!("{other:?}, a synonym of {word:?}, stands in {place}"),
    }
}

/// The fields in which a word stands, such as `title and brand`.
fn place(held: &TermMatch) -> String {
    let names: Vec<_> = held.fields.iter().map(|field| name_of(*field)).collect();
    match names.as_slice() {
        [] => "a field".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

const fn name_of(field: SearchField) -> &'static str {
    match field {
        SearchField::Title => "title",
        SearchField::Brand => "brand",
        SearchField::Categories => "categories",
        SearchField::Sku => "article number",
        SearchField::Attributes => "attributes",
        SearchField::Description => "description",
    }
}

fn code(missing: &NotFoundReason) -> &'static str {
    match missing {
        NotFoundReason::Unknown => "not_in_catalogue",
        NotFoundReason::Unseen(
            HiddenReason::Hidden | HiddenReason::Unlisted | HiddenReason::Unrecommended,
        ) => "hidden_by_flag",
        NotFoundReason::Unseen(HiddenReason::OutOfPeriod) => "out_of_period",
        NotFoundReason::Unseen(HiddenReason::OfOtherAccounts) => "other_accounts",
        NotFoundReason::Unseen(HiddenReason::WithoutPrice) => "price",
        NotFoundReason::Ruled(_) => "rule",
        NotFoundReason::HoldsNothing => "no_word",
        NotFoundReason::Filtered(name) if name == "InStock" => "stock",
        NotFoundReason::Filtered(name) if name == "Price" => "price",
        NotFoundReason::Filtered(_) => "filter",
        NotFoundReason::Lacks(_) => "fewer_words",
        NotFoundReason::Beyond => "beyond_the_last_page",
    }
}

fn sentence(missing: &NotFoundReason) -> String {
    let says = match missing {
        NotFoundReason::Unknown => "The shop shows no product of this id or article number.",
        NotFoundReason::Unseen(HiddenReason::Hidden) => {
            "The shop leaves it out of search (ExcludeFromSearch)."
        }
        NotFoundReason::Unseen(HiddenReason::Unlisted) => "The shop leaves it out where nothing is typed.",
        NotFoundReason::Unseen(HiddenReason::Unrecommended) => "The shop leaves it out of recommendations.",
        NotFoundReason::Unseen(HiddenReason::OutOfPeriod) => {
            "Its StartDate and EndDate leave out this moment."
        }
        NotFoundReason::Unseen(HiddenReason::OfOtherAccounts) => {
            "It is for other accounts (AccountInclusions, AccountExclusions)."
        }
        NotFoundReason::Unseen(HiddenReason::WithoutPrice) => {
            "It has no price for who asks in this currency."
        }
        NotFoundReason::HoldsNothing => "It holds none of the words of the query.",
        NotFoundReason::Filtered(name) if name == "InStock" => "The filter InStock leaves it out.",
        NotFoundReason::Filtered(name) => return format!("The filter {name} leaves it out."),
        NotFoundReason::Ruled(rule) => return format!("The rule {rule:?} leaves it out."),
        NotFoundReason::Lacks(words) => {
            return format!("It lacks {}, and enough products hold more of the query.", quote_words(words));
        }
        NotFoundReason::Beyond => {
            return format!("It comes after the {} hits that pages lead to.", limits::SEARCH_HITS);
        }
    };
    says.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_by_its_words_says_what_share_of_the_query_it_holds() {
        let synonyms = "It holds synonyms of some words: that counts as 95 % of the query.";
        let lacks = "It lacks \"blue\", \"kids\": it holds 40 % of the query.";
        for (coverage, lacking, says) in
            [(1.0, vec![], None), (0.95, vec![], Some(synonyms)), (0.404, vec!["blue", "kids"], Some(lacks))]
        {
            let mut why = RankExplanation { coverage, is_by_words: true, ..RankExplanation::default() };
            why.held.lacking = lacking.into_iter().map(str::to_owned).collect();
            assert_eq!(sentences(&why, &Sort::Relevance), says.into_iter().collect::<Vec<_>>());
            why.is_by_words = false;
            assert_eq!(sentences(&why, &Sort::Relevance), [""; 0]);
        }
    }

    #[test]
    fn a_gain_that_is_shown_as_nothing_is_not_told() {
        for (gain, says) in
            [(0.0049, None), (0.005, Some("It is like the best hits: +0.01.")), (-0.0049, None)]
        {
            let mut why = RankExplanation::default();
            why.lifts.centroid = gain;
            assert_eq!(lifts(&why), says.into_iter().collect::<Vec<_>>());
        }
        for (gain, says) in [
            (0.0049, None),
            (0.005, Some("It is new: +0.01.")),
            (-0.0049, None),
            (-0.005, Some("It cannot be bought now: -0.01.")),
        ] {
            let mut why = RankExplanation::default();
            why.lifts.favour = gain;
            assert_eq!(lifts(&why), says.into_iter().collect::<Vec<_>>());
        }
    }
}
