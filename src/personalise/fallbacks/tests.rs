//! Chains of recommenders, and the reasons that they give.

use super::*;

#[test]
fn where_a_recommender_finds_too_few_others_follow_in_this_order() {
    use ChainStep::{
        Again, AlsoBought, AlsoViewed, BestSellers, ForYou, InCategory, MostViewed, Newest, OfBrand, Own,
        Session, Similar, Together, Trending,
    };
    let rest = [AlsoViewed, Similar, BestSellers, MostViewed, Newest];
    let of_goods = |first: ChainStep, second: ChainStep| [&[first, second][..], &rest].concat();
    for (recommender, chain) in [
        (Recommender::Default, vec![Session, Similar, MostViewed, Newest]),
        (Recommender::ForYou, vec![ForYou, Session, Similar, MostViewed, Newest]),
        (Recommender::AlsoViewed, vec![AlsoViewed, Similar, MostViewed, Newest]),
        (Recommender::AlsoBought, of_goods(AlsoBought, Together)),
        (Recommender::BoughtTogether, of_goods(Together, AlsoBought)),
        (Recommender::BestSellers, vec![BestSellers, MostViewed, Newest]),
        (Recommender::Trending, vec![Trending, MostViewed, Newest]),
        (Recommender::MostViewed, vec![MostViewed, Newest]),
        (Recommender::Category, vec![InCategory, Similar, MostViewed, Newest]),
        (Recommender::Brand, vec![OfBrand, Similar, MostViewed, Newest]),
        (Recommender::Similar, vec![Similar, MostViewed, Newest]),
        (Recommender::NewArrivals, vec![Newest]),
        (Recommender::RecentlyViewed, vec![Own]),
        (Recommender::BuyAgain, vec![Again]),
    ] {
        let numbers = |steps: &[ChainStep]| steps.iter().map(|step| *step as usize).collect::<Vec<_>>();
        assert_eq!(numbers(steps(recommender)), numbers(&chain), "{recommender:?}");
    }
}

#[test]
fn each_reason_of_a_session_has_a_code_of_its_own() {
    let reasons = [
        RecommendationReason::ViewedBefore,
        RecommendationReason::Next,
        RecommendationReason::Alike,
        RecommendationReason::Near,
    ];
    assert_eq!(reasons.map(code_of), ["viewed_before", "viewed_next", "alike_sessions", "viewed_near"]);
}
