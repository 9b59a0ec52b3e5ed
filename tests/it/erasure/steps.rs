//! Erasures to their end: every step, every place, the evidence, and the ways back that stay shut.

use std::time::Duration;

use lethe::clock::millis;
use lethe::jobs::Lane;
use lethe::limits;
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::paths::PERSON_PATHS;
use crate::support::residue::assert_nothing;
use crate::support::world::{Shop, World, on_both_engines, on_sqlite, statement};

on_both_engines! {
    an_erasure_goes_through_every_step_and_ends_verified
    a_verified_erasure_has_a_certificate_that_anybody_can_check
    an_erasure_of_somebody_unknown_is_proven_too_and_answered_alike
    what_a_person_had_is_counted_before_and_nothing_is_counted_after
    everything_that_is_stored_is_exported_and_nothing_else
    a_place_that_still_holds_something_keeps_an_erasure_open
    an_address_inside_a_longer_one_or_in_another_shop_is_blanked_too
    nobody_comes_back_while_they_are_being_erased
    an_erasure_whose_key_is_lost_ends_and_is_begun_anew
    an_id_that_is_an_address_holds_no_erasure_up
    a_user_id_that_is_an_address_is_found_and_kept_out_by_it
    an_erasure_that_a_wrong_clock_put_off_goes_on
    a_user_whom_a_delta_removes_after_the_forget_is_remembered_nowhere
    rows_that_are_kept_out_are_counted_and_the_others_apply
    a_person_who_comes_back_is_let_in_and_nothing_old_returns
    what_is_ordered_in_the_second_of_a_return_is_stored
    a_forgotten_person_who_came_back_can_be_forgotten_again
    a_number_that_a_row_has_shut_comes_back_only_when_its_own_erasure_is_verified
    an_erasure_past_its_date_is_told
    a_clock_that_jumps_a_day_delays_no_erasure_and_moves_no_date
    evidence_of_another_shop_is_unknown
    an_identifier_that_cannot_be_one_is_refused_without_repeating_it
    a_person_with_many_records_is_erased_in_slices
    several_erasures_wait_for_one_look
}

const ADA: [&str; 4] = ["ada-canary@shop.test", "u-canary-4711-x2y", "Adacanarylovelace", "Canarystreet"];

fn ada() -> Value {
    json!({"UserId": ADA[1], "Email": ADA[0], "FirstName": ADA[2], "City": ADA[3]})
}

async fn order_file(world: &World, shop: &Shop, rows: &[&str]) {
    let file = format!("OrderId,UserId,Email,DateTime,ProdCode,Quantity,UnitPrice\n{}\n", rows.join("\n"));
    crate::support::uploads::send_feed(world, shop, "orders-1", &[&file, ""]).await;
    world.run_all_jobs().await;
}

/// Forgets a person; returns the id of the erasure.
async fn forget_person(world: &World, shop: &Shop, identifier: &str) -> String {
    let reply = world.ask(shop, "/api/user/forget", json!({"Identifier": identifier})).await;
    assert_eq!((reply.status, reply.text.as_str()), (200, "The request was submitted successfully"));
    reply.header("x-erasure-id").to_owned()
}

async fn erasure(world: &World, shop: &Shop, id: &str) -> Value {
    world.ask_json(shop, "/api/erasure", json!({"Erasure": id})).await
}

async fn fetch_held(world: &World, shop: &Shop, identifier: &str) -> Value {
    world.ask_json(shop, "/api/user/held", json!({"Identifier": identifier})).await
}

/// As the operator, whose answer covers files too.
async fn scan_person(world: &World, shop: &Shop, identifier: &str) -> Value {
    world.control("/api/user/scan", json!({"Account": shop.name, "Identifier": identifier})).await
}

/// `place: count` of the places where the count is not 0.
fn counts(of: &Value, field: &str) -> Vec<String> {
    let places = of["Places"].as_array().expect("places");
    let counted = places.iter().filter(|place| place[field].as_i64().is_some_and(|count| count != 0));
    counted.map(|place| format!("{}: {}", place["Name"].as_str().expect("a name"), place[field])).collect()
}

async fn an_erasure_goes_through_every_step_and_ends_verified(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    order_file(&world, &shop, &["o-1,u-canary-4711-x2y,ada-canary@shop.test,2026-11-01 10:00:00,p1,1,5.00"])
        .await;
    let id = forget_person(&world, &shop, ADA[0]).await;
    let at_first = erasure(&world, &shop, &id).await;
    assert_eq!((&at_first["State"], &at_first["VerifiedAt"]), (&json!("accepted"), &Value::Null));
    world.run_all_jobs().await;
    let done = erasure(&world, &shop, &id).await;
    let steps: Vec<_> =
        done["Steps"].as_array().expect("steps").iter().map(|step| step["State"].clone()).collect();
    let all = ["accepted", "fenced", "shredded", "deleted", "unlearned", "settled", "verified"];
    let is_settled = |state: &&str| *state != "settled" || world.database.is_none();
    assert_eq!(steps, all.into_iter().filter(is_settled).collect::<Vec<_>>());
    assert_eq!(
        counts(&done, "Removed"),
        ["keys: 1", "records: 2", "order-numbers: 1", "identifiers: 2", "subjects: 1"]
    );
    assert_eq!(counts(&done, "Left"), [""; 0]);
    assert!(
        done["Places"]
            .as_array()
            .expect("places")
            .iter()
            .all(|place| place["Name"] == "request" || place["Name"] == "keys" || !place["Left"].is_null()),
        "{done}"
    );
    let listed = world.ask_json(&shop, "/api/erasures", json!({})).await;
    assert_eq!((listed.as_array().map(Vec::len), &listed[0]["Erasure"]), (Some(1), &json!(id)));
    assert_nothing(&world, &ADA).await;
}

async fn a_verified_erasure_has_a_certificate_that_anybody_can_check(mut world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    let id = forget_person(&world, &shop, ADA[0]).await;
    let early =
        world.ask(&shop, "/api/erasure/certificate", json!({"Erasure": id})).await.expect_refusal(409);
    assert!(early.contains("not verified yet"), "{early}");
    world.run_all_jobs().await;
    world.restart().await;
    let certificate = world.ask(&shop, "/api/erasure/certificate", json!({"Erasure": id})).await;
    let key = world.control("/control/ledger/key", json!({})).await;
    let key: lethe_verify::Key = key["Key"].as_str().expect("a key").parse().expect("a key");
    let checked =
        lethe_verify::check_certificate(&certificate.text, Some(&key)).expect("it proves what it says");
    assert_eq!((checked.body.erasure.to_string(), checked.body.shop.as_str()), (id, "one"));
    assert_eq!(checked.body.identifiers, [("Email".to_owned(), 1), ("UserId".to_owned(), 1)].into());
    assert_eq!((checked.body.scan.scanned, checked.body.scan.walk_only, checked.body.scan.found), (2, 0, 0));
    assert!(!certificate.text.contains("canary"));
}

async fn an_erasure_of_somebody_unknown_is_proven_too_and_answered_alike(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    let known = world.ask(&shop, "/api/user/forget", json!({"Identifier": ADA[0]})).await;
    let unknown = world.ask(&shop, "/api/user/forget", json!({"Identifier": "nobody@shop.test"})).await;
    let again = world.ask(&shop, "/api/user/forget", json!({"Identifier": ADA[0]})).await;
    let shape = |reply: &crate::support::world::Reply| {
        let mut names: Vec<_> =
            reply.headers.iter().map(|(name, value)| (name.to_string(), value.len())).collect();
        names.sort();
        (reply.status, reply.text.clone(), names)
    };
    assert_eq!(shape(&known), shape(&unknown));
    assert_eq!(shape(&known), shape(&again));
    assert_eq!(
        known.header("x-erasure-id"),
        again.header("x-erasure-id"),
        "a repetition is the same erasure"
    );
    world.run_all_jobs().await;
    let done = erasure(&world, &shop, unknown.header("x-erasure-id")).await;
    assert_eq!(
        (&done["State"], counts(&done, "Removed"), counts(&done, "Left")),
        (&json!("verified"), vec![], vec![])
    );
}

async fn what_a_person_had_is_counted_before_and_nothing_is_counted_after(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada(), {"UserId": "8"}]})).await;
    let before = fetch_held(&world, &shop, ADA[1]).await;
    assert_eq!(before["Identifiers"], json!({"UserId": 1, "Email": 1}));
    assert_eq!(
        (&before["Known"], &before["FoundAnywhere"], &before["Subjects"]),
        (&json!(true), &json!(true), &json!(1))
    );
    assert_eq!(counts(&before, "Found"), ["keys: 1", "records: 1", "identifiers: 2", "subjects: 1"]);
    assert_eq!(before["Who"].as_array().map(Vec::len), Some(2));
    world.forget(&shop, ADA[1]).await;
    world.run_all_jobs().await;
    for identifier in [ADA[0], ADA[1]] {
        let after = scan_person(&world, &shop, identifier).await;
        assert_eq!((&after["Known"], &after["FoundAnywhere"]), (&json!(false), &json!(false)));
        assert_eq!(counts(&after, "Found"), [""; 0]);
        assert!(after["Scan"]["Bytes"].as_u64().is_some_and(|bytes| bytes > 10_000), "{after}");
        assert_eq!(after["Scan"]["IdentifiersScanned"], 1);
        let suppression =
            world.ask_json(&shop, "/api/user/suppression", json!({"Identifier": identifier})).await;
        assert_eq!(suppression["Suppressed"], true);
    }
    let by_shop = world.ask_json(&shop, "/api/user/scan", json!({"Identifier": ADA[0]})).await;
    assert_eq!(
        (&by_shop["Scan"], counts(&by_shop, "Found")),
        (&Value::Null, vec![]),
        "files are of all shops"
    );
    let suppression = world.ask_json(&shop, "/api/user/suppression", json!({"Identifier": "8"})).await;
    assert_eq!(suppression, json!({"Suppressed": false}));
}

async fn everything_that_is_stored_is_exported_and_nothing_else(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada(), {"UserId": "8", "FirstName": "Bob"}]})).await;
    order_file(
        &world,
        &shop,
        &[
            "o-1,u-canary-4711-x2y,ada-canary@shop.test,2026-11-01 10:00:00,p1,1,5.00",
            "o-2,,ada-canary@shop.test,2026-11-02 10:00:00,p2,2,7.50",
            "o-3,8,bob@shop.test,2026-11-03 10:00:00,p3,1,1.00",
        ],
    )
    .await;
    let mut export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": ADA[0]})).await;
    export["At"] = Value::Null;
    export["Identifiers"].as_array_mut().expect("identifiers").sort_by_key(Value::to_string);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(export, @r#"
        {
          "At": null,
          "Shop": "one",
          "DisplayName": null,
          "Contact": null,
          "Language": "en",
          "Currency": "GBP",
          "Profiles": [
            {
              "UserId": "u-canary-4711-x2y",
              "Email": "ada-canary@shop.test",
              "FirstName": "Adacanarylovelace",
              "City": "Canarystreet"
            }
          ],
          "Orders": [
            {
              "Order": "o-1",
              "OrderedAt": 1793527200000,
              "Lines": [
                {
                  "Product": "p1",
                  "Quantity": "1",
                  "UnitPrice": "5.00"
                }
              ]
            },
            {
              "Order": "o-2",
              "OrderedAt": 1793613600000,
              "Lines": [
                {
                  "Product": "p2",
                  "Quantity": "2",
                  "UnitPrice": "7.50"
                }
              ]
            }
          ],
          "Events": [],
          "LogIns": [],
          "Identifiers": [
            {
              "Kind": "Email",
              "Value": "ada-canary@shop.test"
            },
            {
              "Kind": "UserId",
              "Value": "u-canary-4711-x2y"
            }
          ],
          "Suppression": {
            "Suppressed": false
          }
        }
        "#);
    }
    world.forget(&shop, ADA[0]).await;
    world.run_all_jobs().await;
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": ADA[0]})).await;
    assert_eq!(
        (&export["Identifiers"], &export["Profiles"], &export["Orders"]),
        (&json!([]), &json!([]), &json!([]))
    );
    assert_eq!(export["Suppression"]["Suppressed"], true);
}

async fn a_place_that_still_holds_something_keeps_an_erasure_open(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    let left = world.config.data_dir.join("left-behind");
    std::fs::write(&left, format!("..{}..", ADA[0].to_uppercase())).expect("a file");
    let id = forget_person(&world, &shop, ADA[1]).await;
    world.run_jobs(Lane::ERASE).await;
    let open = erasure(&world, &shop, &id).await;
    assert_eq!(open["State"], world.unprovable_state());
    let fault = open["Fault"].as_str().expect("a fault");
    assert!(fault.contains("files, an unexpected file") && !fault.contains("canary"), "{fault}");
    assert_eq!(counts(&open, "Left"), ["files: 1"]);
    assert!(world.get("/metrics").await.text.contains("lethe_erasures_failing 1"));
    let doctor = world.control("/control/doctor", json!({})).await;
    let found = doctor.as_array().expect("findings").iter().find(|found| found["Check"] == "erasures");
    let found = found.expect("a line");
    assert_eq!(found["Standing"], "Act", "long before it is overdue");
    assert!(found["Sentence"].as_str().expect("a text").starts_with("0 are overdue and 1 failed"), "{found}");
    std::fs::remove_file(&left).expect("it was there");
    world.clock.advance(Duration::from_secs(120));
    world.run_all_jobs().await;
    let done = erasure(&world, &shop, &id).await;
    assert_eq!(
        (&done["State"], &done["Fault"], counts(&done, "Left")),
        (&json!("verified"), &Value::Null, vec![])
    );
}

async fn an_address_inside_a_longer_one_or_in_another_shop_is_blanked_too(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    world.apply_delta(&one, json!({"Users": [ada()]})).await;
    let text = format!("not jo{} but another", ADA[0]);
    world.apply_delta(&one, json!({"Products": [{"Id": "1", "Title": "Chair", "Description": text}]})).await;
    world
        .apply_delta(&other, json!({"Products": [{"Id": "1", "Title": "Chair", "Description": ADA[0]}]}))
        .await;
    let id = forget_person(&world, &one, ADA[0]).await;
    world.run_all_jobs().await;
    assert_eq!(erasure(&world, &one, &id).await["State"], "verified");
    assert_eq!(world.item(&one, "Products", "1").await["Description"], "not *** but another");
    assert_eq!(world.item(&other, "Products", "1").await["Description"], "***");
}

async fn an_erasure_whose_key_is_lost_ends_and_is_begun_anew(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada(), {"UserId": "8"}]})).await;
    let lost = forget_person(&world, &shop, ADA[0]).await;
    const SLOT: lethe::store::Statement = statement("slot", "SELECT slot FROM erasure");
    let slot =
        world.node().store.read(|tx| tx.row(&SLOT, lethe::args![])?.map_or(Ok(-1), |row| row.int("slot")));
    let slot = slot.await.map_err(|fault: lethe::store::StoreFault| fault).expect("a slot");
    world
        .node()
        .keys
        .destroy(&[lethe::keys::SlotNumber::from_row(slot).expect("a slot")])
        .expect("destroyed");
    let other = forget_person(&world, &shop, "8").await;
    world.run_all_jobs().await;
    assert_eq!(erasure(&world, &shop, &other).await["State"], "verified");
    let ended = erasure(&world, &shop, &lost).await;
    assert_eq!((&ended["State"], &ended["VerifiedAt"]), (&json!("lost"), &Value::Null));
    let owner = crate::support::console::Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let page = owner.page(&format!("/shops/one/erasures/{lost}")).await;
    assert_eq!(page.matches("The identifier is lost").count(), 1, "{page}");
    assert_eq!(world.subjects(&shop).await, 0);
    world.ask(&shop, "/api/erasure/certificate", json!({"Erasure": lost})).await.expect_refusal(409);
    let again = forget_person(&world, &shop, ADA[0]).await;
    assert_ne!(again, lost);
    world.run_all_jobs().await;
    assert_eq!(erasure(&world, &shop, &again).await["State"], "verified");
}

async fn an_id_that_is_an_address_holds_no_erasure_up(world: World) {
    let shop = world.shop("one").await;
    let item = |price: &str| json!({"Products": [{"Id": ADA[0], "Title": "Voucher", "Prices": [price]}]});
    world.complete_feed(&shop, "/first", &item("1.00 GBP")).await;
    world.complete_feed(&shop, "/second", &item("9.00 GBP")).await;
    let id = forget_person(&world, &shop, ADA[0]).await;
    world.run_all_jobs().await;
    assert_eq!(erasure(&world, &shop, &id).await["State"], "verified");
}

/// Some shops have no other ids than addresses.
async fn a_user_id_that_is_an_address_is_found_and_kept_out_by_it(world: World) {
    let shop = world.shop("one").await;
    let user = json!({"UserId": "Ada-Canary@shop.test", "FirstName": ADA[2]});
    world.apply_delta(&shop, json!({"Users": [user]})).await;
    order_file(&world, &shop, &["o-1,ada-canary@shop.test,,2026-11-01 10:00:00,p1,1,5.00"]).await;
    let held = fetch_held(&world, &shop, ADA[0]).await;
    assert_eq!((held["Known"].as_bool(), world.subjects(&shop).await), (Some(true), 2), "{held}");
    world.forget(&shop, ADA[0]).await;
    world.run_all_jobs().await;
    assert_eq!(world.subjects(&shop).await, 0);
    world.apply_delta(&shop, json!({"Users": [user]})).await;
    order_file(&world, &shop, &["o-2,ADA-canary@shop.test,,2026-11-02 10:00:00,p1,1,5.00"]).await;
    assert_eq!(world.subjects(&shop).await, 0);
    assert_nothing(&world, &["da-canary@shop.test", ADA[2]]).await;
}

async fn an_erasure_that_a_wrong_clock_put_off_goes_on(world: World) {
    let shop = world.shop("one").await;
    let year = Duration::from_secs(365 * 86_400);
    world.clock.advance(year);
    world.delta(&shop, json!({"Users": [ada()]})).await;
    let id = forget_person(&world, &shop, ADA[0]).await;
    // It waits for the delta until some time of a year that is to come.
    world.run_jobs(Lane::ERASE).await;
    world.clock.jump(-millis(year));
    world.run_all_jobs().await;
    assert_eq!(erasure(&world, &shop, &id).await["State"], "verified");
}

async fn a_user_whom_a_delta_removes_after_the_forget_is_remembered_nowhere(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    // A feed that is still tried holds removals.
    let url = world.feeds.serve("/later", [Answer::status(503)]);
    world.feed(&shop, &url).await;
    world.run_jobs(Lane::FETCH).await;
    let id = forget_person(&world, &shop, ADA[1]).await;
    world.delta(&shop, json!({"DeleteUsers": [ADA[1]]})).await;
    world.run_all_jobs().await;
    let done = erasure(&world, &shop, &id).await;
    assert_eq!((&done["State"], &done["Faults"]), (&json!("verified"), &json!(0)));
}

async fn rows_that_are_kept_out_are_counted_and_the_others_apply(world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, ADA[0]).await;
    world.run_all_jobs().await;
    let users = json!({"Users": [ada(), {"UserId": "8"}]});
    world.apply_delta(&shop, users.clone()).await;
    world.complete_feed(&shop, "/users", &users).await;
    order_file(&world, &shop, &["o-1,,ada-canary@shop.test,2026-11-01 10:00:00,p1,1,5.00"]).await;
    assert_eq!(world.subjects(&shop).await, 1);
    let text = world.get("/metrics").await.text;
    assert!(text.contains("lethe_rows_kept_out_total{account=\"one\"} 3"), "{text}");
}

async fn nobody_comes_back_while_they_are_being_erased(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    world.forget(&shop, ADA[0]).await;
    let refused =
        world.ask(&shop, "/api/user/return", json!({"Identifier": ADA[0]})).await.expect_refusal(409);
    assert!(refused.contains("still being erased"), "{refused}");
    world.run_all_jobs().await;
    let answer = world.ask_json(&shop, "/api/user/return", json!({"Identifier": ADA[0]})).await;
    assert_eq!(answer, json!({"Returned": true}));
}

async fn a_person_who_comes_back_is_let_in_and_nothing_old_returns(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    world.forget(&shop, ADA[0]).await;
    world.run_all_jobs().await;
    // Accepted before they came back, done after it.
    let waiting = world.delta(&shop, json!({"Users": [ada()]})).await;
    for (identifier, returned) in
        [(ADA[0], true), (ADA[0], false), (ADA[1], true), ("stranger@shop.test", false)]
    {
        let answer = world.ask_json(&shop, "/api/user/return", json!({"Identifier": identifier})).await;
        assert_eq!(answer, json!({"Returned": returned}), "{identifier}");
    }
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &waiting).await, json!([1, null]));
    assert_eq!(world.subjects(&shop).await, 0, "what was accepted before stays out");
    // The history of orders is sent again, as every night: earlier orders stay out, new ones come in.
    order_file(&world, &shop, &["o-1,u-canary-4711-x2y,ada-canary@shop.test,2026-11-01 10:00:00,p1,1,5.00"])
        .await;
    assert_eq!(world.subjects(&shop).await, 0);
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    assert_eq!(world.subjects(&shop).await, 1);
    let suppression = world.ask_json(&shop, "/api/user/suppression", json!({"Identifier": ADA[0]})).await;
    assert_eq!((&suppression["Suppressed"], &suppression["CameBack"]), (&json!(false), &json!(true)));
}

async fn what_is_ordered_in_the_second_of_a_return_is_stored(world: World) {
    let shop = world.shop("one").await;
    forget_person(&world, &shop, ADA[0]).await;
    world.run_all_jobs().await;
    world.clock.jump(700);
    let come_back = json!({"Identifier": ADA[0]});
    assert_eq!(world.ask_json(&shop, "/api/user/return", come_back).await["Returned"], true);
    let dated = |id: &str, ago: i64| {
        let at = jiff::Timestamp::from_millisecond(world.clock.now() - ago).expect("a time");
        format!("{id},,{},{},p1,1,5.00", ADA[0], at.strftime("%Y-%m-%d %H:%M:%S"))
    };
    order_file(&world, &shop, &[&dated("o-1", 1000), &dated("o-2", 0)]).await;
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": ADA[0]})).await;
    let orders: Vec<_> =
        export["Orders"].as_array().expect("orders").iter().map(|one| &one["Order"]).collect();
    assert_eq!(orders, ["o-2"], "that of the second before stays out");
}

async fn a_forgotten_person_who_came_back_can_be_forgotten_again(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    let first = forget_person(&world, &shop, ADA[1]).await;
    world.run_all_jobs().await;
    for identifier in [ADA[0], ADA[1]] {
        world.ask_json(&shop, "/api/user/return", json!({"Identifier": identifier})).await;
    }
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    let second = forget_person(&world, &shop, ADA[0]).await;
    assert_ne!(first, second);
    world.run_all_jobs().await;
    assert_eq!(erasure(&world, &shop, &second).await["State"], "verified");
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    assert_eq!(world.subjects(&shop).await, 0);
    assert_nothing(&world, &ADA).await;
}

async fn a_number_that_a_row_has_shut_comes_back_only_when_its_own_erasure_is_verified(world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, ADA[0]).await;
    world.run_all_jobs().await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "new-7", "Email": ADA[0]}]})).await;
    let id = forget_person(&world, &shop, "userid:new-7").await;
    let come_back = json!({"Identifier": "userid:new-7"});
    world.ask(&shop, "/api/user/return", come_back.clone()).await.expect_refusal(409);
    world.run_all_jobs().await;
    assert_eq!(erasure(&world, &shop, &id).await["State"], "verified");
    assert_eq!(world.ask_json(&shop, "/api/user/return", come_back).await["Returned"], true);
    world.apply_delta(&shop, json!({"Users": [{"UserId": "new-7"}]})).await;
    assert_eq!(world.subjects(&shop).await, 1);
}

async fn a_clock_that_jumps_a_day_delays_no_erasure_and_moves_no_date(world: World) {
    const DAY_MILLIS: i64 = 86_400_000;
    let shop = world.shop("one").await;
    for (n, jump) in [-DAY_MILLIS, DAY_MILLIS, -DAY_MILLIS].into_iter().enumerate() {
        let email = format!("canary-{n}@shop.test");
        let row = json!({"UserId": format!("user-{n}"), "Email": email});
        world.apply_delta(&shop, json!({"Users": [row]})).await;
        let asked_at = world.clock.now();
        // One waits for an upload, and one was not looked at before the jump.
        let first = format!("{{\"Version\":2,\"Users\":[{row}");
        crate::support::uploads::post_piece(&world, &shop, "/feed-create", "user-1", Some(first.as_bytes()))
            .await;
        let waiting = forget_person(&world, &shop, &email).await;
        assert_eq!(world.run_jobs(Lane::ERASE).await, 1);
        assert_eq!(erasure(&world, &shop, &waiting).await["State"], "shredded");
        let fresh = forget_person(&world, &shop, &format!("stranger-{n}@shop.test")).await;
        let due = erasure(&world, &shop, &waiting).await["DueAt"].clone();
        world.clock.jump(jump);
        crate::support::uploads::post_piece(&world, &shop, "/feed-close", "user-1", Some(b"]}")).await;
        // Within seconds, not when the clock has come up again.
        world.run_all_jobs().await;
        assert!((world.clock.now() - asked_at - jump).abs() < 60_000);
        for id in [&waiting, &fresh] {
            let shown = erasure(&world, &shop, id).await;
            assert_eq!((&shown["State"], &shown["Overdue"]), (&json!("verified"), &json!(false)), "{jump}");
            assert_eq!((&shown["DueAt"], &shown["AskedAt"]), (&due, &json!(asked_at)), "{jump}");
        }
        assert_nothing(&world, &[&email]).await;
    }
}

async fn an_erasure_past_its_date_is_told(world: World) {
    let shop = world.shop("one").await;
    let id = forget_person(&world, &shop, ADA[0]).await;
    let metric = async |name: &str| {
        let text = world.get("/metrics").await.text;
        let line = text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).map(str::to_owned);
        line.unwrap_or_else(|| panic!("no {name}"))
    };
    let shown = erasure(&world, &shop, &id).await;
    assert_eq!(
        shown["DueAt"].as_i64().zip(shown["AskedAt"].as_i64()).map(|(due, asked)| (due - asked) / 86_400_000),
        Some(30)
    );
    assert_eq!(
        (shown["Overdue"].clone(), metric("lethe_erasures_overdue ").await),
        (json!(false), "0".to_owned())
    );
    world.clock.advance(Duration::from_secs(31 * 86_400));
    assert_eq!(erasure(&world, &shop, &id).await["Overdue"], true);
    assert_eq!(
        (metric("lethe_erasures_overdue ").await, metric("lethe_waiting{kind=\"erasure\"} ").await),
        ("1".to_owned(), "1".to_owned())
    );
    world.run_all_jobs().await;
    assert_eq!(erasure(&world, &shop, &id).await["Overdue"], false);
    assert_eq!(metric("lethe_erasures_overdue ").await, "0");
}

async fn evidence_of_another_shop_is_unknown(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    let id = forget_person(&world, &one, ADA[0]).await;
    let refusals = [&id, &uuid::Uuid::new_v4().to_string(), "no id"];
    let mut told = Vec::new();
    for id in refusals {
        told.push(world.ask(&other, "/api/erasure", json!({"Erasure": id})).await.expect_refusal(404));
    }
    told.dedup();
    assert_eq!(told.len(), 1);
    assert_eq!(world.ask_json(&other, "/api/erasures", json!({})).await, json!([]));
    assert_eq!(
        world.ask_json(&other, "/api/user/suppression", json!({"Identifier": ADA[0]})).await["Suppressed"],
        false
    );
    for path in [
        "/api/erasures",
        "/api/erasure",
        "/api/user/held",
        "/api/user/export",
        "/api/user/scan",
        "/api/user/suppression",
        "/api/user/return",
    ] {
        let body =
            json!({"AccessKey": one.key, "SecretKey": other.secret, "Identifier": ADA[0], "Erasure": id});
        assert_eq!(world.post(path, &body).await.status, 403, "{path}");
    }
}

async fn an_identifier_that_cannot_be_one_is_refused_without_repeating_it(world: World) {
    let shop = world.shop("one").await;
    let huge = format!("canary{}@shop.test", "x".repeat(5000));
    for identifier in [
        "",
        "   ",
        "canary\u{0}x@shop.test",
        "canary\nx",
        "@shop.test",
        "canary@",
        "canary@shop..test",
        "guest",
        "0",
        "userid:",
        huge.as_str(),
    ] {
        for path in PERSON_PATHS {
            let sentence =
                world.ask(&shop, path, json!({"Identifier": identifier})).await.expect_refusal(400);
            assert!(sentence.starts_with("Identifier") && !sentence.contains("canary"), "{path}: {sentence}");
        }
    }
    for (spelled, plain) in [
        ("ＡＤＡ@ｓｈｏｐ.test", "ada@shop.test"),
        ("ada@SHOP.test.", "Ada@shop.test"),
        ("userid:ﬁ", "userid:ﬁ"),
    ] {
        world.forget(&shop, spelled).await;
        let suppression = world.ask_json(&shop, "/api/user/suppression", json!({"Identifier": plain})).await;
        assert_eq!(suppression["Suppressed"], true, "{spelled}");
    }
}

async fn a_person_with_many_records_is_erased_in_slices(world: World) {
    let shop = world.shop("one").await;
    let rows: Vec<String> = (0..1200)
        .map(|n| format!("o-{n},u-canary-4711-x2y,ada-canary@shop.test,2026-11-01 10:00:00,p1,1,5.00"))
        .collect();
    order_file(&world, &shop, &rows.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": ADA[0]})).await;
    assert_eq!(export["Orders"].as_array().map(Vec::len), Some(1200), "exported in slices too");
    let id = forget_person(&world, &shop, ADA[0]).await;
    world.run_all_jobs().await;
    let done = erasure(&world, &shop, &id).await;
    assert_eq!(
        counts(&done, "Removed"),
        ["keys: 1", "records: 1200", "order-numbers: 1200", "identifiers: 2", "subjects: 1"]
    );
    const LEFT: lethe::store::Statement = statement(
        "left",
        "SELECT (SELECT count(*) FROM record) + (SELECT count(*) FROM order_known) AS counted",
    );
    let left =
        world.node().store.read(|tx| tx.row(&LEFT, lethe::args![])?.map_or(Ok(-1), |row| row.int("counted")));
    assert_eq!(left.await.map_err(|fault: lethe::store::StoreFault| fault).expect("a count"), 0);
}

async fn several_erasures_wait_for_one_look(world: World) {
    let shop = world.shop("one").await;
    let users: Vec<_> =
        (0..20).map(|n| json!({"UserId": format!("u{n}"), "Email": format!("u{n}@shop.test")})).collect();
    world.apply_delta(&shop, json!({"Users": users})).await;
    let url =
        world.feeds.serve("/f", [Answer::ok(json!({"Products": [{"Id": "1", "Title": "A"}]}).to_string())]);
    world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let mut ids = Vec::new();
    for n in 0..20 {
        ids.push(forget_person(&world, &shop, &format!("u{n}@shop.test")).await);
    }
    assert_eq!(world.run_jobs(Lane::ERASE).await, 1, "one run does them all");
    for id in ids {
        assert_eq!(erasure(&world, &shop, &id).await["State"], "verified");
    }
    assert_eq!(world.subjects(&shop).await, 0);
}

/// Only on the embedded store: its log holds overwritten bytes for as long as a reader is active.
#[test]
fn an_erasure_waits_for_a_reader_of_the_database_and_says_so() {
    crate::support::world::on_sqlite(async |world| {
        let shop = world.shop("one").await;
        world.apply_delta(&shop, json!({"Users": [ada()]})).await;
        let reader = rusqlite::Connection::open(world.config.data_dir.join("lethe.db")).expect("a reader");
        reader.execute_batch("BEGIN; SELECT count(*) FROM subject").expect("it reads");
        let id = forget_person(&world, &shop, ADA[0]).await;
        // Each try waits five seconds for the reader.
        for _ in 0..2 {
            world.run_jobs(Lane::ERASE).await;
            let waiting = erasure(&world, &shop, &id).await;
            assert_eq!((&waiting["State"], &waiting["Fault"]), (&json!("unlearned"), &Value::Null));
            assert_eq!(waiting["WaitsFor"], "a reader that holds the log of the database");
            world.clock.advance(Duration::from_secs(1));
        }
        drop(reader);
        world.run_all_jobs().await;
        let done = erasure(&world, &shop, &id).await;
        assert_eq!((&done["State"], &done["WaitsFor"]), (&json!("verified"), &Value::Null));
        assert_nothing(&world, &ADA).await;
    });
}

/// On one engine: it takes its time, and the same of both.
#[test]
fn more_erasures_than_one_run_takes_are_all_verified() {
    on_sqlite(many_erasures);
}

async fn many_erasures(world: World) {
    let shop = world.shop("one").await;
    for number in 0..limits::ERASURES_AT_ONCE + 5 {
        world.forget(&shop, &format!("userid:canary-{number}")).await;
    }
    world.run_all_jobs().await;
    let counted = world.ask_json(&shop, "/api/erasures/count", json!({})).await;
    assert_eq!(counted["Open"], 0, "{counted}");
}
