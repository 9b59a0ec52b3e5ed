//! Order files: each order stored once, sealed under its person, and gone with them.

use std::collections::BTreeMap;

use lethe::args;
use lethe::ids::identifier::{ForgetTarget, Identifier};
use lethe::jobs::{self, Lane};
use lethe::people::erasure_scope;
use lethe::people::order::{self, Purchase};
use lethe::people::record_kind::ORDER;
use lethe::people::subject::SubjectFault;
use lethe::store::{Owner, Statement, StoreFault};
use serde_json::json;
use std::sync::Arc;

use crate::support::order_files::{OrderFileOutcome, SHOP, pass_fault, process_order_file, read_order_file};
use crate::support::residue::assert_nothing;
use crate::support::world::{NOON, SUPPRESSED, World, on_both_engines, records, statement};

on_both_engines! {
    an_order_is_stored_under_its_person_and_read_back
    an_order_id_that_is_known_is_dropped_as_a_whole
    the_same_submission_run_again_writes_the_same
    lines_of_an_order_that_do_not_follow_each_other_join
    more_lines_than_an_order_may_have_are_dropped
    guests_are_known_by_their_email
    a_guest_is_the_user_s_whose_profile_has_the_email
    two_user_ids_never_become_one_person
    a_company_names_a_person_only_when_nothing_else_does
    a_forgotten_persons_order_is_dropped_at_the_door
    forgetting_removes_the_orders_and_a_colleagues_stay
    forgetting_a_user_takes_along_what_they_ordered_as_a_guest
    removing_a_user_keeps_the_orders
    a_file_of_which_too_little_can_be_used_stores_nothing
    orders_older_than_a_year_are_ignored
    a_holder_that_lost_its_lease_stores_nothing
    a_person_whose_key_was_lost_is_stored_anew_with_their_orders
    no_order_is_readable_on_disk
}

const HEADER: &str = "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice";

/// A row of the clients' file of today.
fn row(order: &str, user: &str, email: &str, product: &str) -> String {
    format!("{order},{user},{email},2026-11-21 09:00:00,{product},2.0000,12.5000,25.0000")
}

fn file(rows: &[String]) -> String {
    format!("{HEADER}\n{}", rows.join("\n"))
}

/// Sends a file as a new submission.
async fn send(world: &World, csv: &str) -> OrderFileOutcome {
    let seq = world.node().store.write(Owner::STORE, |tx| lethe::accounts::next_seq(tx, SHOP));
    process_order_file(world, seq.await.map_err(pass_fault).expect("a number"), csv).await
}

/// Sends a file in which nothing is wrong.
async fn send_rows(world: &World, rows: &[String]) {
    assert_eq!(send(world, &file(rows)).await, Ok(BTreeMap::new()));
}

fn issues_found(code: &str, times: i64) -> OrderFileOutcome {
    Ok(BTreeMap::from([(code.to_owned(), times)]))
}

/// The orders of everybody an identifier leads to, as `order: product product …`.
async fn orders_of(world: &World, id: Identifier) -> Vec<String> {
    let mut told: Vec<_> =
        bought_by(world, id).await.into_iter().map(|(id, bought)| tell(&id, &bought)).collect();
    told.sort();
    told
}

fn tell(id: &str, bought: &Purchase) -> String {
    let products: Vec<_> = bought.lines.iter().map(|line| line.product.as_str()).collect();
    format!("{id}: {}", products.join(" "))
}

async fn bought_by(world: &World, id: Identifier) -> Vec<(String, Purchase)> {
    let keys = world.node().keys.clone();
    let orders = world.node().store.read(move |tx| {
        let mut orders = Vec::new();
        for subject in erasure_scope::preview(tx, &keys, SHOP, &ForgetTarget::Named(id.clone()))?.subjects {
            for order in records(tx, &keys, SHOP, &subject, ORDER)? {
                orders.push(order::decode(&order)?);
            }
        }
        Ok::<_, SubjectFault>(orders)
    });
    orders.await.expect("orders")
}

fn user(id: &str) -> Identifier {
    Identifier::user_id(id).expect("a user id")
}

fn email(text: &str) -> Identifier {
    Identifier::email(text).expect("an email")
}

async fn count(world: &World, statement: Statement) -> i64 {
    let count = world
        .node()
        .store
        .read(move |tx| tx.row(&statement, args![])?.map_or(Ok(-1), |row| row.int("counted")));
    count.await.map_err(pass_fault).expect("a count")
}

const ORDERS: Statement = statement("orders", "SELECT count(*) AS counted FROM record WHERE kind = 'order'");
const KNOWN: Statement = statement("known", "SELECT count(*) AS counted FROM order_known");

/// Numbers of stored and of recognised orders.
async fn count_orders(world: &World) -> (i64, i64) {
    (count(world, ORDERS).await, count(world, KNOWN).await)
}

async fn count_suppressed(world: &World) -> i64 {
    let count =
        world.node().store.read(|tx| tx.row(&SUPPRESSED, args![1])?.map_or(Ok(-1), |row| row.int("counted")));
    count.await.map_err(pass_fault).expect("a count")
}

/// Every byte that is stored of everybody.
async fn list_stored(world: &World) -> Vec<String> {
    const ALL: Statement = statement(
        "all",
        "SELECT r.subject_id, r.sealed, i.tag, k.n FROM record r
         JOIN identifier i ON i.subject_id = r.subject_id
         LEFT JOIN order_known k ON k.subject_id = r.subject_id AND k.n = r.n AND r.kind = 'order'",
    );
    let rows = world.node().store.read(|tx| {
        let told = |row: &lethe::store::Row| {
            let known = row.opt_int("n")?;
            Ok(format!(
                "{:?} {:?} {:?} {known:?}",
                row.blob("subject_id")?,
                row.blob("sealed")?,
                row.blob("tag")?
            ))
        };
        tx.run(&ALL, args![])?.iter().map(told).collect::<Result<Vec<_>, StoreFault>>()
    });
    let mut rows = rows.await.expect("rows");
    rows.sort();
    rows
}

async fn an_order_is_stored_under_its_person_and_read_back(world: World) {
    let shop = world.shop("one").await;
    let rows = [
        row("1001", "7", "ada@shop.test", "A"),
        row("1001", "7", "ada@shop.test", "B"),
        row("1002", "8", "", "A"),
        row("1003", "7", "ada@shop.test", "C"),
    ];
    send_rows(&world, &rows).await;
    assert_eq!(world.subjects(&shop).await, 2);
    assert_eq!(orders_of(&world, user("7")).await, ["1001: A B", "1003: C"]);
    assert_eq!(orders_of(&world, email("ADA@shop.test")).await, ["1001: A B", "1003: C"]);
    let (_, bought) = bought_by(&world, user("8")).await.pop().expect("an order");
    let line = &bought.lines[0];
    let nine = NOON - 3 * 60 * 60 * 1000;
    assert_eq!((bought.ordered_at, line.number, line.product.as_str()), (nine, 3, "A"));
    let price = line.unit_price.map(|price| price.to_string());
    assert_eq!((line.quantity.to_string(), price.as_deref()), ("2".to_owned(), Some("12.5000")));
}

async fn an_order_id_that_is_known_is_dropped_as_a_whole(world: World) {
    world.shop("one").await;
    send_rows(&world, &[row("1001", "7", "", "A")]).await;
    let before = list_stored(&world).await;
    let again = [row("1001", "7", "", "A"), row("1001", "7", "", "B"), row("1001", "8", "", "C")];
    assert_eq!(send(&world, &file(&again)).await, issues_found("order_known", 2));
    assert_eq!(list_stored(&world).await, before);
    send_rows(&world, &[row("1002", "7", "", "B")]).await;
    assert_eq!(orders_of(&world, user("7")).await, ["1001: A", "1002: B"]);
    assert_eq!(orders_of(&world, user("8")).await, Vec::<String>::new());
}

async fn the_same_submission_run_again_writes_the_same(world: World) {
    let shop = world.shop("one").await;
    let rows = [
        row("1", "7", "", "A"),
        row("2", "8", "", "B"),
        row("1", "7", "", "C"),
        row("3", "", "guest@shop.test", "D"),
        row("4", "9", "family@shop.test", "E"),
        // A guest's, whoever else typed the email.
        row("5", "", "family@shop.test", "F"),
        row("6", "10", "family@shop.test", "G"),
    ];
    assert_eq!(process_order_file(&world, 5, &file(&rows)).await, Ok(BTreeMap::new()));
    let before = list_stored(&world).await;
    assert_eq!(process_order_file(&world, 5, &file(&rows)).await, Ok(BTreeMap::new()));
    assert_eq!(list_stored(&world).await, before);
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (6, (6, 6)));
    assert_eq!(orders_of(&world, user("9")).await, ["4: E"]);
}

async fn lines_of_an_order_that_do_not_follow_each_other_join(world: World) {
    world.shop("one").await;
    let rows: Vec<_> = (0..300)
        .map(|n| row(&format!("order-{}", n % 3), &format!("user-{}", n % 3), "", &format!("p{n}")))
        .collect();
    send_rows(&world, &rows).await;
    for n in 0..3 {
        let products: Vec<_> = (n..300).step_by(3).map(|n| format!("p{n}")).collect();
        let expected = format!("order-{n}: {}", products.join(" "));
        assert_eq!(orders_of(&world, user(&format!("user-{n}"))).await, [expected]);
    }
    // Lines of another person do not join, wherever they stand.
    let mixed = [row("x", "7", "", "A"), row("x", "8", "", "B"), row("x", "7", "a@b.test", "C")];
    assert_eq!(send(&world, &file(&mixed)).await, issues_found("order_mixed", 1));
    assert_eq!(orders_of(&world, user("7")).await, ["x: A C"]);
    assert_eq!(orders_of(&world, user("8")).await, Vec::<String>::new());
}

async fn more_lines_than_an_order_may_have_are_dropped(world: World) {
    world.shop("one").await;
    let rows: Vec<_> =
        (0..=lethe::limits::ORDER_LINES).map(|n| row("1", "7", "", &format!("p{n}"))).collect();
    assert_eq!(send(&world, &file(&rows)).await, issues_found("order_too_many_lines", 1));
    let (_, bought) = bought_by(&world, user("7")).await.pop().expect("an order");
    assert_eq!(bought.lines.len(), lethe::limits::ORDER_LINES);
}

async fn guests_are_known_by_their_email(world: World) {
    let shop = world.shop("one").await;
    let users = ["", "0", "null", "-1", "guest", "Guest"];
    let rows: Vec<_> =
        users.iter().enumerate().map(|(n, user)| row(&n.to_string(), user, "Gus@Shop.test", "A")).collect();
    send_rows(&world, &rows).await;
    assert_eq!(world.subjects(&shop).await, 1);
    assert_eq!(orders_of(&world, email("gus@shop.test")).await.len(), 6);
    let mut rows: Vec<_> = (0..20).map(|n| row(&format!("x{n}"), "9", "", "A")).collect();
    rows.push(row("y", "0", "", "A"));
    rows.push(row("z", "0", "nobody", "A"));
    let expected = [("order_unidentified".to_owned(), 2), ("email_malformed".to_owned(), 1)];
    assert_eq!(send(&world, &file(&rows)).await, Ok(BTreeMap::from(expected)));
    assert_eq!(world.subjects(&shop).await, 2);
}

async fn a_guest_is_the_user_s_whose_profile_has_the_email(world: World) {
    let shop = world.shop("one").await;
    let guest = |order: &str| row(order, "", "ada@shop.test", "A");
    send_rows(&world, &[guest("1"), row("2", "7", "ada@shop.test", "B"), guest("3")]).await;
    assert_eq!(world.subjects(&shop).await, 2);
    assert_eq!(orders_of(&world, user("7")).await, ["2: B"], "anybody can type an address into an order");
    assert_eq!(orders_of(&world, email("ada@shop.test")).await, ["1: A", "2: B", "3: A"]);
    send_rows(&world, &[row("4", "", "bob@shop.test", "A")]).await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "8", "Email": "bob@shop.test"}]})).await;
    assert_eq!(world.subjects(&shop).await, 4);
    assert_eq!(orders_of(&world, user("8")).await, ["4: A"]);
}

async fn two_user_ids_never_become_one_person(world: World) {
    let shop = world.shop("one").await;
    let family = "family@shop.test";
    send_rows(&world, &[row("1", "7", family, "A"), row("2", "8", family, "B"), row("3", "", family, "C")])
        .await;
    assert_eq!(world.subjects(&shop).await, 3, "whose the guest's is no order says");
    assert_eq!(orders_of(&world, user("7")).await, ["1: A"]);
    assert_eq!(orders_of(&world, user("8")).await, ["2: B"]);
    assert_eq!(orders_of(&world, email(family)).await, ["1: A", "2: B", "3: C"]);
}

async fn a_company_names_a_person_only_when_nothing_else_does(world: World) {
    let shop = world.shop("one").await;
    let csv = "OrderID,AccountId,UserId,Email,DateTime,ProdCode\n\
               1,acme,7,,2026-11-20,A\n2,acme,8,,2026-11-20,B\n3,acme,,,2026-11-20,C\n4,acme,,,2026-11-20,D\n";
    assert_eq!(send(&world, csv).await, Ok(BTreeMap::new()));
    assert_eq!(world.subjects(&shop).await, 3);
    let acme = || Identifier::account_id("acme").expect("a company");
    assert_eq!(orders_of(&world, acme()).await, ["3: C", "4: D"]);
    world.forget(&shop, "accid:acme").await;
    world.run_all_jobs().await;
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (2, (2, 2)));
    let csv = csv.replace("\n", "\n1");
    assert_eq!(send(&world, csv.trim_end_matches('1')).await, Ok(BTreeMap::new()));
    assert_eq!(
        (world.subjects(&shop).await, count_orders(&world).await),
        (2, (4, 4)),
        "the colleagues are let in"
    );
}

async fn a_forgotten_persons_order_is_dropped_at_the_door(world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, "ada@shop.test").await;
    let rows = [
        row("1", "7", "Ada@Shop.test", "A"),
        row("2", "0", "ada@shop.test", "A"),
        row("3", "7", "", "A"),
        row("4", "8", "", "A"),
    ];
    // Not a word about it.
    send_rows(&world, &rows).await;
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (2, (2, 2)));
    assert_eq!(orders_of(&world, user("7")).await, ["3: A"]);
    assert_eq!(orders_of(&world, user("8")).await, ["4: A"]);
    assert_eq!(count_suppressed(&world).await, 1, "the email; anybody could type it");
}

async fn forgetting_removes_the_orders_and_a_colleagues_stay(world: World) {
    let shop = world.shop("one").await;
    let csv = |orders: &[(&str, &str)]| {
        let rows = orders.iter().map(|(order, user)| {
            format!("{order},acme,{user},{user}@acme.test,2026-11-20 10:00:00,A,1,9.99")
        });
        let header = "OrderID,AccountId,UserId,Email,DateTime,ProdCode,Quantity,UnitPrice".to_owned();
        std::iter::once(header).chain(rows).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(send(&world, &csv(&[("1", "bob"), ("2", "cid")])).await, Ok(BTreeMap::new()));
    world.apply_delta(&shop, json!({"Users": [{"UserId": "bob", "City": "Ghent"}]})).await;
    let before = list_stored(&world).await;
    assert_eq!(send(&world, &csv(&[("3", "ada"), ("4", "ada"), ("5", "bob")])).await, Ok(BTreeMap::new()));
    assert_eq!(count_orders(&world).await, (5, 5));
    world.forget(&shop, "ada@acme.test").await;
    world.run_all_jobs().await;
    assert_eq!(count_orders(&world).await, (3, 3));
    assert_eq!(orders_of(&world, user("bob")).await, ["1: A", "5: A"]);
    let after = list_stored(&world).await;
    assert!(before.iter().all(|row| after.contains(row)), "the colleagues' rows are the same, byte for byte");
    // Nor do the orders come back, under their old ids or new ones.
    assert_eq!(send(&world, &csv(&[("3", "ada"), ("6", "ada")])).await, Ok(BTreeMap::new()));
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (2, (3, 3)));
}

async fn forgetting_a_user_takes_along_what_they_ordered_as_a_guest(world: World) {
    let shop = world.shop("one").await;
    // The email is tied to the user only after both are known.
    let rows = [
        row("1", "7", "", "A"),
        row("2", "", "ada@shop.test", "B"),
        row("3", "7", "ada@shop.test", "C"),
        row("4", "", "bob@shop.test", "D"),
    ];
    send_rows(&world, &rows).await;
    assert_eq!(world.subjects(&shop).await, 3);
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": "ada@shop.test"}]})).await;
    world.forget(&shop, "userid:7").await;
    world.run_all_jobs().await;
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (1, (1, 1)));
    assert_eq!(orders_of(&world, email("bob@shop.test")).await, ["4: D"]);
    const OPEN: Statement =
        statement("open", "SELECT count(*) AS counted FROM erasure WHERE state <> 'verified'");
    assert_eq!(count(&world, OPEN).await, 0);
}

async fn removing_a_user_keeps_the_orders(world: World) {
    let shop = world.shop("one").await;
    world
        .apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": "ada@shop.test"}, {"UserId": "8"}]}))
        .await;
    send_rows(&world, &[row("1", "7", "", "A")]).await;
    world.apply_delta(&shop, json!({"DeleteUsers": ["7", "8"]})).await;
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (1, (1, 1)));
    assert_eq!(orders_of(&world, user("7")).await, ["1: A"]);
    assert_eq!(orders_of(&world, email("ada@shop.test")).await, ["1: A"]);
    const PROFILES: Statement =
        statement("profiles", "SELECT count(*) AS counted FROM record WHERE kind = 'profile'");
    assert_eq!(count(&world, PROFILES).await, 0);
    // A profile sent later joins them again, and the person can still be forgotten by their known identifiers.
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7"}]})).await;
    assert_eq!((world.subjects(&shop).await, count(&world, PROFILES).await), (1, 1));
    world.forget(&shop, "ada@shop.test").await;
    world.run_all_jobs().await;
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (0, (0, 0)));
}

async fn a_file_of_which_too_little_can_be_used_stores_nothing(world: World) {
    let shop = world.shop("one").await;
    let mut rows: Vec<_> = (0..89).map(|n| row(&n.to_string(), "7", "", "A")).collect();
    rows.extend((0..6).map(|n| row(&format!("bad{n}"), "0", "", "A")));
    rows.extend((0..3).map(|n| row(&format!("bad{n}"), "7", "", "A,B")));
    rows.push(row("", "7", "", "A"));
    rows.push(row("bad", "7", "", ""));
    let sentence = "only 89 of 100 rows of Orders can be used, and 90 % have to (mostly: order_unidentified, \
                    order_row_fields, order_id_missing)";
    assert_eq!(send(&world, &file(&rows)).await, Err(sentence.to_owned()));
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (0, (0, 0)));
    rows[99] = row("good", "7", "", "A");
    assert!(send(&world, &file(&rows)).await.is_ok());
    assert_eq!(count_orders(&world).await, (90, 90));
    let refused = send(&world, "1,7,ada@shop.test,2026-11-20,A,1,1,1\n").await.expect_err("no header");
    assert!(refused.starts_with("the header line of the order file lacks OrderID"), "{refused}");
}

async fn orders_older_than_a_year_are_ignored(world: World) {
    world.shop("one").await;
    let dates = ["2024-11-21", "2025-11-19 12:00:00", "2025-11-21", "2026-11-22 11:00:00"];
    let rows: Vec<_> = dates.iter().enumerate().map(|(n, date)| format!("{n},7,,{date},A,1,1,1")).collect();
    assert_eq!(send(&world, &file(&rows)).await, issues_found("order_too_old", 2));
    assert_eq!(orders_of(&world, user("7")).await, ["2: A", "3: A"]);
    let mut rows: Vec<_> = (4..20).map(|n| row(&n.to_string(), "7", "", "A")).collect();
    rows.push("20,7,,2026-11-22 13:00:00,A,1,1,1".to_owned());
    assert_eq!(send(&world, &file(&rows)).await, issues_found("order_date_malformed", 1));
}

async fn a_holder_that_lost_its_lease_stores_nothing(world: World) {
    let shop = world.shop("one").await;
    let now = world.clock.now();
    let store = &world.node().store;
    store
        .write(Owner::STORE, move |tx| jobs::wake(tx, Lane::FEED, SHOP, 1, now))
        .await
        .map_err(pass_fault)
        .expect("a job");
    let lease = jobs::claim(store, Lane::FEED, "a test", now, None).await.expect("a claim").expect("a lease");
    store
        .write(Owner::STORE, |tx| tx.exec(&lethe::sql::job_void_all, args![]))
        .await
        .map_err(pass_fault)
        .expect("freed");
    let ended = read_order_file(&world, &Arc::new(lease), &file(&[row("1", "7", "", "A")])).await;
    assert_eq!(ended, Err("the lease of the job was lost".to_owned()));
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (0, (0, 0)));
}

async fn a_person_whose_key_was_lost_is_stored_anew_with_their_orders(world: World) {
    let shop = world.shop("one").await;
    send_rows(&world, &[row("1", "7", "", "A")]).await;
    let slot = count(&world, statement("slot", "SELECT slot AS counted FROM subject")).await;
    let slot = lethe::keys::SlotNumber::from_row(slot).expect("a slot");
    world.node().keys.destroy(&[slot]).expect("destroyed");
    send_rows(&world, &[row("1", "7", "", "A"), row("2", "7", "", "B")]).await;
    assert_eq!(orders_of(&world, user("7")).await, ["1: A", "2: B"]);
    assert_eq!((world.subjects(&shop).await, count_orders(&world).await), (1, (2, 2)));
}

async fn no_order_is_readable_on_disk(world: World) {
    let shop = world.shop("one").await;
    let canaries = ["order-canary-1", "u-canary-4711", "ada-canary@shop.test", "sku-canary-9"];
    let [order, user, email, product] = canaries;
    let rows: Vec<_> = (0..400).map(|n| row(&format!("{order}{n}"), user, email, product)).collect();
    send_rows(&world, &rows).await;
    assert_nothing(&world, &canaries).await;
    world.forget(&shop, email).await;
    world.run_all_jobs().await;
    assert_nothing(&world, &canaries).await;
    assert_eq!(count_orders(&world).await, (0, 0));
}
