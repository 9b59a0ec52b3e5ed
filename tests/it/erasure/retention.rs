//! Retention: data kept for a time go by themselves when it is over. A task looks for them every few seconds.

use std::time::Duration;

use lethe::args;
use lethe::keys::{KeyFault, SlotNumber};
use lethe::limits;
use lethe::store::{Statement, StoreFault};
use lethe::work::{WorkFault, end_what_is_kept, retention};
use serde_json::{Value, json};

use crate::support::events::{count_events, open_shop, post_view};
use crate::support::uploads::post_piece;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    what_is_past_its_time_goes_however_much_and_whosever_it_is
    a_removal_that_fails_says_so
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// More than one unit of work removes.
const DELTAS: usize = limits::UNIT_ROWS / 10 + 5;

async fn deltas(world: &World, shop: &Shop) -> Vec<String> {
    let mut tokens = Vec::new();
    for _ in 0..DELTAS {
        tokens.push(world.delta(shop, json!({})).await);
    }
    tokens
}

/// Counts the tokens that are known.
async fn count_known(world: &World, shop: &Shop, tokens: &[String]) -> usize {
    let items = world.ask_json(shop, "/api/deltastatus", json!({"Tokens": tokens})).await;
    let items = items.as_array().expect("a list");
    items.iter().filter(|item| item["Reason"] != "The token is not known").count()
}

async fn what_is_past_its_time_goes_however_much_and_whosever_it_is(world: World) {
    let shop = open_shop(&world, 1).await;
    let other = world.shop("other").await;
    let of_both = [(&shop, deltas(&world, &shop).await), (&other, deltas(&world, &other).await)];
    world.run_all_jobs().await;
    let product = json!({"Id": "p1", "Title": "Thing", "Prices": ["5.00 GBP"]});
    world.complete_feed(&other, "/other", &json!({"Products": [product]})).await;
    for shop in [&shop, &other] {
        post_view(&world, shop, json!({"VisitorId": "5f2b8c1e77aa41d2"}), "p1").await;
    }
    assert_eq!(post_piece(&world, &shop, "/feed-create", "brand-1", None).await.status, 200);
    let upload = async || {
        let listed = world.ask_json(&shop, "/api/submissions", json!({"Kind": "feed"})).await;
        listed.as_array().into_iter().flatten().find(|one| one["Source"] == "upload").cloned()
    };

    // Within their time all stays, except an upload without additions.
    end_what_is_kept(world.node()).await;
    assert_eq!(upload().await.map(|upload| upload["Status"].clone()), Some(json!("Processing")));
    world.clock.advance(limits::STATUS_KEPT_DURATION - DAY);
    end_what_is_kept(world.node()).await;
    world.run_all_jobs().await;
    for (shop, tokens) in &of_both {
        assert_eq!(count_known(&world, shop, tokens).await, DELTAS);
    }
    assert_eq!(upload().await.map(|upload| upload["Status"].clone()), Some(json!("Error")));
    assert_eq!(count_events(&world).await, 2);
    let newer = world.delta(&other, json!({})).await;
    world.run_all_jobs().await;

    world.clock.advance(2 * DAY);
    end_what_is_kept(world.node()).await;
    for (shop, tokens) in &of_both {
        assert_eq!(count_known(&world, shop, tokens).await, 0);
    }
    assert_eq!(count_known(&world, &other, &[newer]).await, 1);
    assert!(upload().await.is_some(), "it ended yesterday");
    assert_eq!(count_events(&world).await, 0, "a visitor's day has come");
    let listed: Value = world.ask_json(&shop, "/api/submissions", json!({"Kind": "delta"})).await;
    assert_eq!(listed, json!([]));
}

async fn a_removal_that_fails_says_so(world: World) {
    const SLOT: Statement = statement("slot_of_visitor", "SELECT slot FROM subject");
    let shop = open_shop(&world, 1).await;
    post_view(&world, &shop, json!({"VisitorId": "5f2b8c1e77aa41d2"}), "p1").await;
    // Each kind of what is kept for a time is looked for in a table of its own.
    for table in ["subject", "event_request", "browser_past", "record"] {
        let away = format!("{table}_away");
        world.rename(table, &away).await;
        assert!(matches!(retention::end(world.node()).await, Err(WorkFault::Store(_))), "{table}");
        world.rename(&away, table).await;
    }
    assert!(retention::end(world.node()).await.is_ok());
    // The key of the visitor was given back before, so that it cannot be destroyed any more.
    let row = world.node().store.read(|tx| tx.row(&SLOT, args![])).await;
    let row = row.map_err(|fault: StoreFault| fault).expect("a row").expect("a visitor");
    let slot = SlotNumber::from_row(row.int("slot").expect("a number")).expect("a slot");
    world.node().keys.put_back(slot).expect("it was in use");
    world.clock.advance(limits::STATUS_KEPT_DURATION + 2 * DAY);
    let ended = retention::end(world.node()).await;
    assert!(matches!(ended, Err(WorkFault::Keys(KeyFault::SlotNotHeld { .. }))));
    assert_eq!(count_events(&world).await, 0);
    assert!(retention::end(world.node()).await.is_ok());
}
