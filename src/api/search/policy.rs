//! Wishes of a shop and its shopper that count in a search, and the caller.

use super::request::SearchRequest;
use crate::accounts::KnownAccount;
use crate::accounts::search::SearchSettings;
use crate::api::user_token::ShopperClaims;
use crate::node::Node;
use crate::personalise::popularity_boost::popularity_signal;
use crate::personalise::request::ShopperIdentity as Whose;
use crate::search::engine::SearchPolicy;
use crate::search::pricing;
use crate::search::pricing::{BuyerContext, QueryPurpose};

/// Settings of a shop that count in each search.
pub(super) fn search_policy(set: &SearchSettings) -> SearchPolicy {
    SearchPolicy {
        synonyms: set.synonyms.synonyms().cloned(),
        rules: set.rules.rules().cloned(),
        liking: None,
        group_by: Some(set.group_by.clone()).filter(|name| !name.is_empty()),
    }
}

/// The same with popularity boosts.
pub(crate) fn search_policy_with_boosts(
    node: &Node,
    known: &KnownAccount,
    asked: &SearchRequest,
    whose: Whose,
) -> SearchPolicy {
    SearchPolicy {
        liking: popularity_signal(node, known, asked.popularity, asked.recommend_request(whose)),
        ..search_policy(&known.search)
    }
}

/// Caller who decides prices and visibility.
pub(crate) fn buyer_context(
    node: &Node,
    known: &KnownAccount,
    shopper: ShopperClaims,
    currency: Option<pricing::Currency>,
) -> BuyerContext {
    let ShopperClaims { account, group } = shopper;
    let of_account = || known.account.currency.as_deref()?.as_bytes().try_into().ok();
    BuyerContext {
        account_tag: account.map(|account| node.keys.account_tag(known.account.id, &account)),
        group,
        currency: currency.or_else(of_account),
        now: node.clock.now() / 1000,
        purpose: QueryPurpose::Search,
    }
}
