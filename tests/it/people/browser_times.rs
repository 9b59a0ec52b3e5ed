//! Times of log-ins and withdrawals in a browser, to the millisecond and the day, and the door of a forgotten person.

use lethe::clock::{day_of, millis};
use lethe::ids::AccountId;
use lethe::ids::identifier::Identifier;
use lethe::limits;
use lethe::people::browser::{
    BrowserOwner, find_owner, forget, is_logged_in, old, record_log_in, record_log_in_if_unknown,
    record_log_out, record_withdrawal, shut_until_log_out,
};
use lethe::people::browser_id::Browser;
use lethe::people::suppression_gate::{
    SuppressionFacts, came_back_since, find_suppression, is_shut_until_log_out, is_suppressed, lift_again,
    lift_suppression, suppress,
};
use lethe::store::{StoreFault, Tx};

use crate::support::steps::SHOP;
use crate::support::world::{NOON, World, on_both_engines};

on_both_engines! {
    a_log_in_lasts_for_thirty_days_and_late_events_of_before_are_the_visitors
    what_was_done_in_an_ended_log_in_is_nobodys
    who_is_known_to_be_logged_in_is_so_since_the_first_time
    times_of_a_browser_are_kept_to_their_last_day
    a_door_is_shut_and_lifted_at_its_places
}

/// Runs one unit of work about a browser of the first shop.
async fn write_browser<T: Send + 'static>(
    world: &World,
    work: impl Fn(&mut Tx<'_>, Browser<'_>) -> Result<T, StoreFault> + Send + 'static,
) -> T {
    world.shop("one").await;
    let keys = world.node().keys.clone();
    let done = world.node().store.write(SHOP, move |tx| {
        let visitor = Identifier::visitor_id("5f2b8c1e77aa0001").map_err(|_| StoreFault::Closed)?;
        work(tx, Browser { keys: &keys, account: SHOP, visitor: &visitor })
    });
    done.await.expect("it is written")
}

async fn a_log_in_lasts_for_thirty_days_and_late_events_of_before_are_the_visitors(world: World) {
    use BrowserOwner::{Now, Own};
    let lasting = millis(limits::LOG_IN_DURATION);
    let apart = millis(limits::CLOCKS_APART_DURATION);
    let (owners, logged_in) = write_browser(&world, move |tx, browser| {
        record_log_in(tx, browser, NOON)?;
        let mut owners = Vec::new();
        for (at, now) in [
            (NOON, NOON),
            (NOON + lasting, NOON + lasting),
            (NOON + lasting + 1, NOON + lasting + 1),
            (NOON - 1, NOON + apart - 1),
            (NOON - 1, NOON + apart),
            (NOON, NOON + apart + 1),
        ] {
            owners.push(find_owner(tx, browser, at, now)?);
        }
        let still = is_logged_in(tx, browser, NOON + lasting)?;
        Ok((owners, [still, is_logged_in(tx, browser, NOON + lasting + 1)?]))
    })
    .await;
    assert_eq!(owners, [Now, Now, Own, Now, Own, Now]);
    assert_eq!(logged_in, [true, false]);
}

async fn what_was_done_in_an_ended_log_in_is_nobodys(world: World) {
    use BrowserOwner::{KeptOut, Now, Own};
    let (ended, again) = write_browser(&world, |tx, browser| {
        record_log_in(tx, browser, NOON)?;
        record_log_out(tx, browser, NOON + 1_000)?;
        let mut ended = Vec::new();
        for at in [NOON - 1, NOON, NOON + 999, NOON + 1_000] {
            ended.push((find_owner(tx, browser, at, NOON + 1_500)?, is_logged_in(tx, browser, at)?));
        }
        // Each log-in ends the one before.
        record_log_in(tx, browser, NOON + 2_000)?;
        record_log_in(tx, browser, NOON + 3_000)?;
        let mut again = Vec::new();
        for at in [NOON + 500, NOON + 1_500, NOON + 2_000, NOON + 2_999, NOON + 3_000] {
            again.push((find_owner(tx, browser, at, NOON + 4_000)?, is_logged_in(tx, browser, at)?));
        }
        Ok((ended, again))
    })
    .await;
    assert_eq!(ended, [(Own, false), (KeptOut, false), (KeptOut, false), (Own, false)]);
    assert_eq!(again, [(KeptOut, true), (Now, true), (KeptOut, true), (KeptOut, true), (Now, true)]);
}

async fn who_is_known_to_be_logged_in_is_so_since_the_first_time(world: World) {
    use BrowserOwner::{KeptOut, Now, Own};
    let apart = millis(limits::CLOCKS_APART_DURATION);
    let owners = write_browser(&world, move |tx, browser| {
        let ask = |tx: &mut Tx<'_>| {
            let now = NOON + 10_000 + apart;
            let early = find_owner(tx, browser, NOON - 1, now)?;
            Ok::<_, StoreFault>([early, find_owner(tx, browser, NOON, now)?])
        };
        let before = ask(tx)?;
        record_log_in_if_unknown(tx, browser, NOON)?;
        record_log_in_if_unknown(tx, browser, NOON + 5_000)?;
        let known = ask(tx)?;
        record_log_out(tx, browser, NOON + 6_000)?;
        Ok([before, known, ask(tx)?])
    })
    .await;
    assert_eq!(owners, [[Own, Own], [Own, Now], [Own, KeptOut]]);
}

async fn times_of_a_browser_are_kept_to_their_last_day(world: World) {
    let today = day_of(NOON);
    let (counts, shut) = write_browser(&world, move |tx, browser| {
        let Browser { keys, account, visitor } = browser;
        record_withdrawal(tx, browser, NOON)?;
        shut_until_log_out(tx, keys, account, visitor, NOON)?;
        let mut counts = Vec::new();
        let mut shut = Vec::new();
        for day in [31, 32, 61, 62] {
            let expired = old(tx, today + day)?;
            forget(tx, AccountId(2), &expired)?;
            counts.push([expired.len(), old(tx, today + day)?.len()]);
            forget(tx, account, &expired)?;
            counts.push([old(tx, today + day)?.len(), old(tx, today + 99)?.len()]);
            shut.push(is_shut_until_log_out(tx, keys, account, visitor)?);
        }
        Ok((counts, shut))
    })
    .await;
    assert_eq!(counts, [[0, 0], [0, 2], [1, 1], [0, 1], [0, 0], [0, 1], [1, 1], [0, 0]]);
    assert_eq!(shut, [true, true, true, false], "the door goes with the log-in");
}

/// Place and time of a door, and of a return through it.
fn describe(facts: Option<SuppressionFacts>) -> Option<(i64, i64, Option<i64>, Option<i64>)> {
    facts.map(|facts| (facts.seq, facts.since, facts.lifted_seq, facts.lifted_at))
}

async fn a_door_is_shut_and_lifted_at_its_places(world: World) {
    let (shut, found, is_shut, is_back) = write_browser(&world, |tx, Browser { keys, account, visitor }| {
        let tag = keys.suppression_tag(account, visitor);
        let mut found = vec![find_suppression(tx, keys, account, visitor)?];
        lift_again(tx, account, &tag, 4, NOON)?;
        let mut shut = vec![suppress(tx, keys, account, visitor, 5, NOON)?];
        shut.push(suppress(tx, keys, account, visitor, 6, NOON + 1)?);
        found.push(find_suppression(tx, keys, account, visitor)?);
        let mut is_shut = vec![is_suppressed(tx, account, &tag)?];
        lift_again(tx, account, &tag, 9, NOON - 1)?;
        found.push(find_suppression(tx, keys, account, visitor)?);
        lift_again(tx, account, &tag, 9, NOON)?;
        lift_suppression(tx, keys, account, visitor, 10, NOON + 2)?;
        found.push(find_suppression(tx, keys, account, visitor)?);
        is_shut.push(is_suppressed(tx, account, &tag)?);
        let mut is_back = Vec::new();
        for at in [NOON - 1, NOON, NOON + 1] {
            is_back.push(came_back_since(tx, account, &tag, at)?);
        }
        shut.push(suppress(tx, keys, account, visitor, 12, NOON + 3)?);
        found.push(find_suppression(tx, keys, account, visitor)?);
        is_back.push(came_back_since(tx, account, &tag, NOON)?);
        Ok((shut, found, is_shut, is_back))
    })
    .await;
    assert_eq!(shut, [true, false, true]);
    let found: Vec<_> = found.into_iter().map(describe).collect();
    let first = Some((5, NOON, None, None));
    let lifted = Some((5, NOON, Some(9), Some(NOON)));
    assert_eq!(found, [None, first, first, lifted, Some((12, NOON + 3, None, None))]);
    assert_eq!(is_shut, [true, false]);
    assert_eq!(is_back, [true, true, false, false]);
}
