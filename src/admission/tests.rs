//! Parts of the shared resources that the limits do not name.

use super::*;
use crate::ids::AccountId;

/// The number of turns that accounts get which ask for one each.
fn count_turns(shares: &Arc<TenantSemaphore>) -> usize {
    let ask = |number| shares.try_take(Tenant::Account(AccountId(number)), 1);
    let turns: Vec<_> = (1..).map_while(ask).collect();
    turns.len()
}

#[test]
fn an_account_has_one_turn_of_what_is_handed_out_one_by_one() {
    let all = SharedResources::default();
    for (shares, turns) in [
        (&all.feeds, limits::FEEDS_AT_ONCE),
        (&all.readings, limits::FEEDS_AT_ONCE),
        (&all.proofs, 1),
        (&all.webhooks, limits::WEBHOOKS_AT_ONCE),
    ] {
        let name = shares.gauge().name;
        let held = shares.try_take(Tenant::Account(AccountId(1)), 1).unwrap();
        assert!(shares.try_take(Tenant::Account(AccountId(1)), 1).is_none(), "{name}");
        drop(held);
        assert_eq!(count_turns(shares), turns, "{name}");
    }
}

#[test]
fn an_account_has_its_turns_for_long_bodies_and_leaves_the_rest_to_others() {
    let all = SharedResources::default();
    let shop = Tenant::Account(AccountId(0));
    let own: Vec<_> = std::iter::from_fn(|| all.long_bodies.try_take(shop, 1)).collect();
    assert_eq!(own.len(), limits::LONG_BODIES_OF_ACCOUNT);
    assert_eq!(count_turns(&all.long_bodies), limits::LONG_BODIES_AT_ONCE - limits::LONG_BODIES_OF_ACCOUNT);
}

#[test]
fn every_resource_has_a_gauge_of_its_own_with_nothing_taken() {
    let all = SharedResources::default();
    let gauges = all.all_shares().map(TenantSemaphore::gauge);
    assert!(gauges.iter().all(|gauge| gauge.all > 0 && (gauge.taken, gauge.waiting) == (0, 0)));
    assert_eq!(
        gauges.map(|gauge| gauge.name).join(" "),
        "connections console_connections request_memory looks quality reports searches long_bodies answers events \
         page_events event_streams fetches feeds spool_bytes readings proofs followed_parts feed_files sign_ins \
         webhooks"
    );
}
