//! The search that a plugin asks for in its call, which its shop's page waits for: ids in the order of the search.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::lenient_json::{ByName, text_of};
use crate::accounts::KnownAccount;
use crate::api::search::policy::search_policy_with_boosts;
use crate::api::search::{AnswerRoom, SearchRequest, TurnOf, in_turn};
use crate::api::zones::item::{self, WantedFields};
use crate::limits;
use crate::node::Node;
use crate::people::event_action::CountedSearch;
use crate::personalise::request::ShopperIdentity;
use crate::projections::search::SearchView;
use crate::reports::attribution::AttributionSource;
use crate::reports::query;
use crate::search::document::{Members, first_elements};
use crate::search::engine::ProductResult;
use crate::search::pricing::BuyerContext;
use crate::transport::refusal::Refusal;

/// Event by which a page tells of a click on a hit.
const CLICK: &str = "search_click";

/// The search of a call.
pub struct PluginSearch {
    searching: SearchRequest,
    /// True if ids and article numbers are all that is needed of a hit.
    is_ids: bool,
}

impl PluginSearch {
    /// Reads it: `query` is the id of a category with `isCategory`; `sort` is 1 and 2 by price, 3 and 4 by name, each
    /// upwards first; `pageSize` comes as a text. `None`: nothing is searched.
    pub fn parse(sent: &RawValue) -> Option<Self> {
        let members = ByName::from_object(sent);
        let text = |name: &str| members.text(name).unwrap_or_default();
        let needed = members
            .find("requiredattributes")
            .ok()
            .flatten()
            .map(|list| first_elements(list, limits::SERVERSIDE_ELEMENTS));
        let needed = needed.unwrap_or_default();
        let is_id = |name: &&RawValue| ["id", "sku"].contains(&&*text_of(name).to_ascii_lowercase());
        let is_ids = !needed.is_empty() && needed.iter().all(is_id);
        let most = if is_ids { limits::SERVERSIDE_IDS } else { limits::SEARCH_PAGE_HITS };
        let size = text("pagesize").parse().unwrap_or(most).clamp(1, most);
        let query = text("query");
        let is_flag = |value: &RawValue| ["true", "1"].contains(&value.get().trim_matches('"'));
        let is_category = members.find("iscategory").ok().flatten().is_some_and(is_flag);
        let sort = match &*text("sort") {
            "1" => "price",
            "2" => "-price",
            "3" => "title",
            "4" => "-title",
            _ => "relevance",
        };
        let is_long = query.len() > limits::SEARCH_QUERY_BYTES || query.contains('\0');
        if query.is_empty() || is_long {
            return None;
        }
        let filters = if is_category { json!({"Category": [query]}) } else { Value::Null };
        let query = if is_category { String::new() } else { query };
        // A plugin shows the products of the ids that it gets.
        let group_by = Some(String::new());
        let plain = SearchRequest { popularity: true, personal: true, group_by, ..SearchRequest::default() };
        let searching = SearchRequest { query, size, filters, sort: sort.to_owned(), ..plain };
        Some(Self { searching, is_ids })
    }
}

/// Result of a search, as plugins read it.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct PluginSearchAnswer {
    products: Vec<Box<RawValue>>,
    redirect_url: String,
    ref_id: String,
    click_event_name: &'static str,
    personalized_products: [(); 0],
    personalized_products_title: &'static str,
    zero_results: bool,
    recommenders: [(); 0],
}

/// The answer to the search of a call.
pub struct PageSearchAnswer {
    /// As plugins read it.
    pub answer: Box<RawValue>,
    /// The search as reports count it.
    pub search: Option<CountedSearch>,
    /// True if fields of products had no room in it.
    pub is_cut: bool,
}

/// Searches, in the account's turn, and returns what reports count. A page waits no longer than for a search of its
/// own.
///
/// # Errors
/// A refusal when there is no turn in time, or the search's index cannot be used, or not yet.
pub async fn search_for_page(
    node: &Node,
    known: &Arc<KnownAccount>,
    turn_of: TurnOf,
    whom: (BuyerContext, ShopperIdentity, WantedFields),
    asked: PluginSearch,
) -> Result<PageSearchAnswer, Refusal> {
    let searching = run_search(node, known, turn_of, whom, asked);
    tokio::time::timeout(limits::SEARCH_WAIT_DURATION, searching)
        .await
        .unwrap_or_else(|_| Err(Refusal::busy()))
}

async fn run_search(
    node: &Node,
    known: &Arc<KnownAccount>,
    turn_of: TurnOf,
    (caller, shopper, needed): (BuyerContext, ShopperIdentity, WantedFields),
    PluginSearch { mut searching, is_ids }: PluginSearch,
) -> Result<PageSearchAnswer, Refusal> {
    // Without a currency there is no order by price.
    if caller.currency.is_none() && searching.sort.ends_with("price") {
        "relevance".clone_into(&mut searching.sort);
    }
    let SearchView { snapshot, .. } = node.derived.searches().get_or_open(known.account.id).await?;
    let wishes = search_policy_with_boosts(node, known, &searching, shopper);
    let set = known.search.clone();
    let work = move || {
        let request = searching.request(&snapshot, &caller, wishes)?;
        let answer = snapshot.search(&request, &caller)?;
        let query = query::normalize(&searching.query);
        let source = query.as_deref().map(|query| AttributionSource::Search(query::mark(query)).to_string());
        let ref_id = source.unwrap_or_default();
        let mut room = AnswerRoom::default();
        let mut is_cut = false;
        let of_item = |item: &ProductResult| {
            if is_ids {
                return ids_of(item);
            }
            let whole = item::json(item, &ref_id, set.language(), &needed)?;
            let has_room = room.try_take(whole.len());
            is_cut |= !has_room;
            if has_room { Ok(whole) } else { ids_of(item) }
        };
        let products = answer.items.iter().map(of_item).map(|json| RawValue::from_string(json?));
        let products = products.collect::<Result<_, _>>().map_err(|_| Refusal::fault())?;
        let is_corrected = !answer.corrected.is_empty();
        // Hits that lack a word are shown: the search found something.
        let found = answer.total_relaxed;
        let search = query.map(|query| CountedSearch { query, found: found as u64, is_corrected });
        let answered = PluginSearchAnswer {
            products,
            redirect_url: answer.redirect.unwrap_or_default(),
            ref_id,
            click_event_name: CLICK,
            personalized_products: [],
            personalized_products_title: "",
            zero_results: found == 0,
            recommenders: [],
        };
        let answer = serde_json::value::to_raw_value(&answered).map_err(|_| Refusal::fault())?;
        Ok(PageSearchAnswer { answer, search, is_cut })
    };
    in_turn(node, turn_of, work).await
}

/// The id and the article number of a hit.
fn ids_of(item: &ProductResult) -> Result<String, serde_json::Error> {
    let Members(members) = serde_json::from_slice(&item.card)?;
    let sku = members.iter().find(|(name, _)| name == "Sku").map(|(_, sku)| *sku);
    serde_json::to_string(&json!({"Id": item.id, "Sku": sku}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(sent: &Value) -> Option<PluginSearch> {
        PluginSearch::parse(&RawValue::from_string(sent.to_string()).expect("JSON"))
    }

    /// The search for a mug with another member.
    fn with(member: &str, value: Value) -> PluginSearch {
        parse(&json!({"query": "mug", member: value})).expect("a search")
    }

    #[test]
    fn a_search_that_names_its_text_alone_shows_the_first_page_by_relevance() {
        let PluginSearch { searching, is_ids } = parse(&json!({"Query": " mug "})).expect("a search");
        let SearchRequest { query, page, size, filters, facets, sort, .. } = &searching;
        assert_eq!((query.as_str(), *page, *size, filters), ("mug", 0, 250, &Value::Null));
        assert_eq!((facets.len(), sort.as_str(), is_ids), (0, "relevance", false));
        assert!(searching.popularity && searching.personal && !searching.explain && !searching.highlight);
    }

    #[test]
    fn a_page_has_one_hit_at_least_and_as_many_as_its_fields_allow() {
        let ids = json!(["ID", "sku"]);
        for (needed, most, is_ids) in [
            (json!(null), 250, false),
            (json!([]), 250, false),
            (json!(["Id", "Title"]), 250, false),
            (ids, 2000, true),
        ] {
            for (sent, size) in [
                ("0", 1),
                ("1", 1),
                ("7", 7),
                ("249", 249),
                ("-1", most),
                ("x", most),
                ("", most),
                ("9999", most),
            ] {
                let asked = json!({"query": "mug", "pageSize": sent, "requiredAttributes": needed});
                let read = parse(&asked).expect("a search");
                assert_eq!((read.searching.size, read.is_ids), (size, is_ids), "{asked}");
            }
        }
        assert_eq!(with("pageSize", json!(250)).searching.size, 250);
        assert_eq!(with("pageSize", json!(251)).searching.size, 250);
    }

    #[test]
    fn each_order_of_a_plugin_is_one_of_ours() {
        for (sent, sort) in [
            (json!(1), "price"),
            (json!("2"), "-price"),
            (json!(3), "title"),
            (json!("4"), "-title"),
            (json!(0), "relevance"),
            (json!(5), "relevance"),
            (json!("price"), "relevance"),
        ] {
            assert_eq!(with("sort", sent.clone()).searching.sort, sort, "{sent}");
        }
    }

    #[test]
    fn a_category_is_asked_for_by_a_plain_yes() {
        for (sent, is_category) in [
            (json!(true), true),
            (json!("true"), true),
            (json!(1), true),
            (json!("1"), true),
            (json!(false), false),
            (json!("yes"), false),
            (json!(2), false),
        ] {
            let SearchRequest { query, filters, .. } = with("isCategory", sent.clone()).searching;
            let expected =
                if is_category { ("", json!({"Category": ["mug"]})) } else { ("mug", Value::Null) };
            assert_eq!((query.as_str(), filters), expected, "{sent}");
        }
    }

    #[test]
    fn a_text_that_is_empty_or_too_long_is_not_searched() {
        let longest = "x".repeat(limits::SEARCH_QUERY_BYTES);
        for (query, is_searched) in [
            (longest.clone(), true),
            (format!("{longest}x"), false),
            (String::new(), false),
            (" ".to_owned(), false),
            ("a\0b".to_owned(), false),
        ] {
            let bytes = query.len();
            assert_eq!(parse(&json!({"query": query})).is_some(), is_searched, "{bytes} bytes");
        }
        assert!(parse(&json!([])).is_none());
    }
}
