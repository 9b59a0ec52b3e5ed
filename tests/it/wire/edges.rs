//! The edges of every operation of a shop, as a table: asked again, with nothing there, two at once, refused, and with
//! a store that fails and is mended.

use std::collections::BTreeSet;

use crate::support::openapi;
use crate::support::operations::{Held, Row, ask, fill, list_rows};
use crate::support::tables::rename_tables;
use crate::support::world::{Reply, Shop, World, on_both_engines, on_sqlite};

on_both_engines! {
    every_operation_ends_as_its_row_says_again_and_where_nothing_is
    every_operation_answers_two_who_ask_at_once
    every_operation_refuses_a_wrong_secret
    every_operation_refuses_a_member_of_another_kind_by_its_name
}

/// Operations without a row, and where their edges are tested instead.
const OTHERS: [(&str, &str); 16] = [
    ("/", "wire::root_page"),
    ("/api/plugin/add-store", "wire::plugin"),
    ("/api/plugin/dashboard", "wire::plugin"),
    ("/api/plugin/delete", "wire::plugin"),
    ("/api/plugin/feedback", "wire::plugin"),
    ("/api/plugin/signuprequest", "wire::plugin"),
    ("/api/plugin/signupstatus", "wire::plugin"),
    ("/api/plugin/validate-account", "wire::plugin"),
    ("/api/next-steps/complete", "wire::plugin"),
    ("/api/track", "people::page_tracking"),
    ("/feed-append", "feeds::uploads"),
    ("/feed-close", "feeds::uploads"),
    ("/feed-create", "feeds::uploads"),
    ("/health", "wire::monitoring"),
    ("/metrics", "wire::monitoring"),
    ("/ready", "wire::monitoring"),
];

/// Operations that need an access key alone.
const WITHOUT_SECRET: [&str; 2] = ["/api/productdeltastatus", "/api/productfeedstatus"];

/// Operations that take a request whose parts are bad, and tell what they leave out.
const JUDGED_APART: [&str; 4] = ["/api/delta", "/api/events", "/api/productdelta", "/api/serverside"];

#[test]
fn every_operation_has_a_row_of_edges_or_says_where_they_are_tested() {
    let rows = list_rows(&Held::default());
    let told: BTreeSet<_> = rows.iter().map(|row| row.path).chain(OTHERS.map(|(path, _)| path)).collect();
    let known: BTreeSet<_> = openapi::list_operations().map(|(_, path, _)| path).collect();
    assert_eq!(told, known);
    assert_eq!(told.len(), rows.len() + OTHERS.len(), "an operation stands there twice");
}

/// Notes an answer that is none of those that are expected.
fn note_other(others: &mut Vec<String>, row: &Row, reply: &Reply, expected: &[u16]) {
    if !expected.contains(&reply.status) {
        let text: String = reply.text.chars().take(200).collect();
        others.push(format!("{}: {} and none of {expected:?}: {text}", row.path, reply.status));
    }
}

async fn every_operation_ends_as_its_row_says_again_and_where_nothing_is(world: World) {
    let filled = world.shop("filled").await;
    let held = fill(&world, &filled).await;
    let empty = world.shop("empty").await;
    let mut others = Vec::new();
    for row in list_rows(&held) {
        for (shop, expected) in [(&filled, row.filled), (&filled, row.again), (&empty, row.empty)] {
            note_other(&mut others, &row, &ask(&world, shop, &row).await, &[expected]);
        }
    }
    assert_eq!(others, [""; 0], "in a full shop, again, in an empty one");
}

async fn every_operation_answers_two_who_ask_at_once(world: World) {
    let shop = world.shop("one").await;
    let mut others = Vec::new();
    for row in list_rows(&fill(&world, &shop).await) {
        let (one, other) = tokio::join!(ask(&world, &shop, &row), ask(&world, &shop, &row));
        for reply in [one, other] {
            note_other(&mut others, &row, &reply, &[row.filled, row.again, 409, 429]);
        }
    }
    assert_eq!(others, [""; 0]);
}

async fn every_operation_refuses_a_wrong_secret(world: World) {
    let shop = world.shop("one").await;
    let held = fill(&world, &shop).await;
    let other = world.shop("other").await;
    let thief = Shop { secret: other.secret, ..shop };
    let mut others = Vec::new();
    for row in list_rows(&held) {
        let expected = if WITHOUT_SECRET.contains(&row.path) { row.filled } else { 403 };
        note_other(&mut others, &row, &ask(&world, &thief, &row).await, &[expected]);
    }
    assert_eq!(others, [""; 0]);
}

async fn every_operation_refuses_a_member_of_another_kind_by_its_name(world: World) {
    let shop = world.shop("one").await;
    let held = fill(&world, &shop).await;
    let mut others = Vec::new();
    let mut asked = 0;
    for row in list_rows(&held).into_iter().filter(|row| !JUDGED_APART.contains(&row.path)) {
        for (member, kind) in openapi::list_wrong_kinds(row.path) {
            let mut wrong = Row { asked: row.asked.clone(), ..row };
            wrong.asked[&member] = kind;
            let reply = ask(&world, &shop, &wrong).await;
            asked += 1;
            let is_named = reply.text.to_lowercase().contains(&member.to_lowercase());
            if reply.status != 400 || !is_named {
                others.push(format!("{} {}: {}: {}", row.path, wrong.asked, reply.status, reply.text));
            }
        }
    }
    assert!(asked > 200, "{asked}");
    assert_eq!(others, [""; 0]);
}

#[test]
fn every_operation_says_that_the_store_fails_and_goes_on_when_it_is_mended() {
    on_sqlite(async |world| {
        let shop = world.shop("one").await;
        let rows = list_rows(&fill(&world, &shop).await);
        let mut others = Vec::new();
        rename_tables(&world, ("", "_away"), |_| true);
        for row in &rows {
            note_other(&mut others, row, &ask(&world, &shop, row).await, &[500, 503]);
        }
        rename_tables(&world, ("_away", ""), |_| true);
        for row in rows {
            note_other(&mut others, &row, &ask(&world, &shop, &row).await, &[row.filled, row.again]);
        }
        assert_eq!(others, [""; 0]);
    });
}
