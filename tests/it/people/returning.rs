//! Coming back after having been forgotten: what may hold it up, and what it must never open.

use std::time::Duration;

use lethe::args;
use lethe::jobs::Lane;
use lethe::store::{Owner, Statement, StoreFault};
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_view};
use crate::support::order_files::process_order_file;
use crate::support::plugin::{export_person, list_event_products};
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    an_email_that_users_share_comes_back_only_when_none_of_them_is_being_erased
    a_return_that_is_done_again_opens_no_door_that_was_shut_later
    a_return_that_is_done_again_lets_in_whom_nobody_forgot_since
    a_door_that_a_restart_shuts_again_was_shut_when_the_person_asked
    who_is_forgotten_by_address_does_not_come_back_by_number
    an_order_from_before_a_return_is_not_stored_with_the_address_that_came_back
}

const ADA: &str = "ada-canary@shop.test";
const UNDONE: Statement = statement("undone", "UPDATE node SET journal_n = 0, journal_chain = NULL");
const LIFTED: Statement = statement("lifted", "UPDATE suppression SET lifted_seq = NULL, lifted_at = NULL");
const DOORS: Statement = statement("doors", "DELETE FROM suppression");

async fn who_is_forgotten_by_address_does_not_come_back_by_number(world: World) {
    let shop = open_shop(&world, 2).await;
    for user in ["seen", "other"] {
        post_view(&world, &shop, json!({"UserId": user}), "p1").await;
    }
    world.apply_delta(&shop, json!({"Users": [{"UserId": "other", "Email": "other@shop.test"}]})).await;
    world.forget(&shop, ADA).await;
    world.run_all_jobs().await;
    // The shop says now that all three are hers.
    let is_hers = |user: &str| json!({"UserId": user, "Email": ADA});
    let users = ["new", "seen", "other"].map(is_hers);
    world.apply_delta(&shop, json!({ "Users": users })).await;
    let mut left = Vec::new();
    for user in ["new", "seen", "other"] {
        post_view(&world, &shop, json!({"UserId": user}), "p2").await;
        left.push(list_event_products(&world, &shop, &format!("userid:{user}")).await.len());
    }
    // Earlier events stay until an erasure is asked for; a person with another address is another person.
    assert_eq!(left, [0, 1, 2]);
    world.forget(&shop, "userid:seen").await;
    world.run_all_jobs().await;
    assert_eq!(list_event_products(&world, &shop, "userid:seen").await.len(), 0);
}

async fn execute_statement(world: &World, statement: &'static Statement) {
    let done = world.node().store.write(Owner::STORE, move |tx| tx.exec(statement, args![]));
    done.await.map_err(|fault: StoreFault| fault).expect("executed");
}

async fn return_person(world: &World, shop: &Shop) -> Value {
    world.ask_json(shop, "/api/user/return", json!({"Identifier": ADA})).await
}

async fn suppression(world: &World, shop: &Shop) -> Value {
    world.ask_json(shop, "/api/user/suppression", json!({"Identifier": ADA})).await
}

async fn an_email_that_users_share_comes_back_only_when_none_of_them_is_being_erased(world: World) {
    let shop = world.shop("one").await;
    let users = json!({"Users": [{"UserId": "u-1", "Email": ADA}, {"UserId": "u-2", "Email": ADA}]});
    world.apply_delta(&shop, users).await;
    world.forget(&shop, "userid:u-1").await;
    world.run_all_jobs().await;
    // An earlier accepted request holds up the second one at its fence.
    world.delta(&shop, json!({"Users": [{"UserId": "u-3"}]})).await;
    world.forget(&shop, "userid:u-2").await;
    world.run_jobs(Lane::ERASE).await;
    world.ask(&shop, "/api/user/return", json!({"Identifier": ADA})).await.expect_refusal(409);
    world.run_all_jobs().await;
    assert_eq!(return_person(&world, &shop).await, json!({"Returned": true}));
}

/// As after a crash between the journal and the store: the note of the store's progress is lost.
async fn a_return_that_is_done_again_opens_no_door_that_was_shut_later(mut world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, ADA).await;
    world.run_all_jobs().await;
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(return_person(&world, &shop).await, json!({"Returned": true}));
    world.clock.advance(Duration::from_secs(60));
    world.forget(&shop, ADA).await;
    execute_statement(&world, &UNDONE).await;
    world.restart().await;
    assert_eq!(suppression(&world, &shop).await["Suppressed"], true);
    world.run_all_jobs().await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "u-1", "Email": ADA}]})).await;
    assert_eq!(world.subjects(&shop).await, 0);
}

async fn a_return_that_is_done_again_lets_in_whom_nobody_forgot_since(mut world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, ADA).await;
    world.run_all_jobs().await;
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(return_person(&world, &shop).await, json!({"Returned": true}));
    execute_statement(&world, &LIFTED).await;
    execute_statement(&world, &UNDONE).await;
    world.restart().await;
    let shown = suppression(&world, &shop).await;
    assert_eq!((&shown["Suppressed"], &shown["CameBack"]), (&json!(false), &json!(true)));
}

async fn a_door_that_a_restart_shuts_again_was_shut_when_the_person_asked(mut world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, ADA).await;
    world.run_all_jobs().await;
    let before = suppression(&world, &shop).await;
    execute_statement(&world, &DOORS).await;
    execute_statement(&world, &UNDONE).await;
    world.clock.advance(Duration::from_secs(86_400));
    world.restart().await;
    assert_eq!(suppression(&world, &shop).await["Since"], before["Since"]);
}

/// As an order file that arrived before the return, and is read after it.
async fn an_order_from_before_a_return_is_not_stored_with_the_address_that_came_back(world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, ADA).await;
    world.run_all_jobs().await;
    assert_eq!(return_person(&world, &shop).await, json!({"Returned": true}));
    world.apply_delta(&shop, json!({"Users": [{"UserId": "u-1", "Email": ADA}]})).await;
    for (seq, order, email) in
        [(1, "hers before", ADA), (1, "another's before", "other@shop.test"), (1000, "hers", ADA)]
    {
        let file = format!(
            "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity\n{order},u-1,{email},2026-11-21 09:00:00,p1,1\n"
        );
        process_order_file(&world, seq, &file).await.expect("read");
    }
    let export = export_person(&world, &shop, "userid:u-1").await;
    let mut orders: Vec<_> =
        export["Orders"].as_array().expect("orders").iter().map(|order| order["Order"].clone()).collect();
    orders.sort_by_key(Value::to_string);
    assert_eq!(orders, ["another's before", "hers"]);
}
