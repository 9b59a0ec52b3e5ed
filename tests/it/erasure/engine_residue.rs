//! Remains of a forgotten person in the database's own files: no data of a shop or a shopper in its statistics,
//! deleted rows are soon free to be overwritten, and the evidence says what stays until when.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::world::{World, on_both_engines};

on_both_engines! {
    an_erasure_is_settled_where_something_was_settled
    a_certificate_and_a_letter_say_what_the_database_keeps_and_until_when
}

/// Texts and bytes that the planner knows samples of: random numbers of people, and the two of a tag. The table of jobs
/// holds words and numbers of ours.
const SAMPLED: [&str; 5] =
    ["identifier.subject_id", "identifier.tag", "order_known.subject_id", "record.subject_id", "subject.id"];

/// Tables whose rows are written again in place, or come and go.
const CHURNING: [&str; 9] =
    ["account", "base", "job", "ledger_head", "node", "payload", "shown", "submission", "upload"];
/// Tables that hold rows about people.
const OF_PEOPLE: [&str; 6] = ["erasure", "identifier", "order_known", "record", "subject", "user_removal"];

async fn forget_people(world: &World) -> (Value, Value, crate::support::world::Shop) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "u-1", "Email": "ada@shop.test"}]})).await;
    let reply = world.ask(&shop, "/api/user/forget", json!({"Identifier": "u-1"})).await;
    let id = json!({"Erasure": reply.header("x-erasure-id")});
    world.run_all_jobs().await;
    let done = world.ask_json(&shop, "/api/erasure", id.clone()).await;
    assert_eq!(done["State"], "verified", "{done}");
    (done, id, shop)
}

async fn an_erasure_is_settled_where_something_was_settled(world: World) {
    let (done, id, shop) = forget_people(&world).await;
    let is_ours = world.database.is_none();
    let steps = done["Steps"].as_array().expect("steps");
    assert_eq!(steps.iter().any(|step| step["State"] == "settled"), is_ours, "{done}");
    let certificate = world.ask_json(&shop, "/api/erasure/certificate", id).await;
    assert_eq!(certificate["Body"]["SettledAt"].is_i64(), is_ours, "{certificate}");
}

async fn a_certificate_and_a_letter_say_what_the_database_keeps_and_until_when(world: World) {
    let (_, id, shop) = forget_people(&world).await;
    let certificate = world.ask_json(&shop, "/api/erasure/certificate", id).await;
    lethe_verify::check_certificate(&certificate.to_string(), None)
        .map(drop)
        .expect("it proves what it says");
    let body = &certificate["Body"];
    let names: Vec<_> =
        body["Remains"].as_array().expect("a list").iter().map(|remains| remains["Name"].clone()).collect();
    if world.database.is_none() {
        assert_eq!((&body["Database"], names), (&json!("SQLite"), vec![]));
        return;
    }
    assert_eq!(body["Database"], "PostgreSQL");
    assert_eq!(names, ["heap", "statistics", "log", "copies"]);
    let limits = include_str!("../../../docs/privacy/limits.md");
    for (remains, words) in body["Remains"].as_array().expect("a list").iter().zip([
        ["VACUUM has passed", "keyed hashes"],
        ["the next ANALYZE", "two keyed hashes"],
        ["removed or written again", "write-ahead log"],
        ["the operator's own rules", "replicas"],
    ]) {
        assert!(remains["Until"].as_str().expect("a text").contains(words[0]), "{remains}");
        assert!(remains["Says"].as_str().expect("a text").contains(words[1]), "{remains}");
        assert!(
            limits.contains(words[0]) || limits.contains(words[1]),
            "the limits say nothing of {remains}"
        );
    }
    let files = body["Places"].as_array().expect("places").iter().find(|place| place["Name"] == "files");
    assert!(files.expect("files")["Proof"].as_str().is_some_and(|proof| proof.contains("not ours to read")));
}

/// A store on PostgreSQL and a way into it; nothing where there is no server.
fn postgres() -> Option<(crate::support::postgres::Database, ::postgres::Client)> {
    let database = crate::support::postgres::Database::create()?;
    drop(
        lethe::store::Store::open(&lethe::store::StoreOptions::Postgres(database.url().into()))
            .expect("it opens"),
    );
    let client = ::postgres::Client::connect(&database.url(), ::postgres::NoTls).expect("a connection");
    Some((database, client))
}

fn texts(client: &mut ::postgres::Client, query: &str) -> BTreeSet<String> {
    client.query(query, &[]).expect(query).iter().map(|row| row.get(0)).collect()
}

#[test]
fn no_column_with_content_is_in_the_statistics() {
    let Some((_database, mut client)) = postgres() else { return };
    client.batch_execute(crate::support::subjects::INSERT_MANY_PEOPLE).expect("people");
    client.batch_execute(OTHERS).expect("others");
    let sampled = texts(
        &mut client,
        "SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
           AND c.relname NOT LIKE 'refinery%' AND c.relname <> 'job' AND COALESCE(a.attstattarget, -1) <> 0
           AND (a.atttypid IN ('text'::regtype, 'bytea'::regtype) OR a.attname = 'ordered_at')",
    );
    assert_eq!(sampled.iter().map(String::as_str).collect::<Vec<_>>(), SAMPLED);
    let seen = texts(
        &mut client,
        "SELECT s.tablename || '.' || s.attname FROM pg_stats s JOIN information_schema.columns c
           ON c.table_schema = s.schemaname AND c.table_name = s.tablename AND c.column_name = s.attname
         WHERE s.schemaname = 'public' AND s.tablename NOT LIKE 'refinery%'
           AND (c.data_type IN ('text', 'bytea') OR s.attname = 'ordered_at')",
    );
    assert_eq!(seen, sampled, "what stands in pg_stats after ANALYZE");
    let numbers = client.query("SELECT FROM pg_stats WHERE tablename = 'record' AND attname = 'seq'", &[]);
    assert_eq!(numbers.expect("numbers").len(), 1, "numbers of ours are there");
    let of_tags = client.query_one(
        "SELECT COALESCE(array_length(histogram_bounds::text::text[], 1), 0)::bigint,
                COALESCE(array_length(most_common_vals::text::text[], 1), 0)::bigint
         FROM pg_stats WHERE tablename = 'identifier' AND attname = 'tag'",
        &[],
    );
    let of_tags = of_tags.expect("the samples of tags");
    assert!(of_tags.get::<_, i64>(0) <= 2 && of_tags.get::<_, i64>(1) <= 1, "the least and the greatest");
}

/// Rows in other tables whose columns hold something that was sent.
const OTHERS: &str = "
INSERT INTO payload (account_id, seq, may_hold_people, body) SELECT 1, n, 0, sha256(n::text::bytea) FROM generate_series(1, 500) AS n;
INSERT INTO submission (account_id, seq, token, input, state, accepted_at, host)
SELECT 1, n, sha256(n::text::bytea), 'url', 1, n, 'shop.test' FROM generate_series(1, 500) AS n;
INSERT INTO change (account_id, seq, n, section, item, sku, op, body, row_number, raw)
SELECT 1, n, 0, 'products', 'item', 'sku', 'put', sha256(n::text::bytea), n, 'raw' FROM generate_series(1, 500) AS n;
INSERT INTO suppression (account_id, tag, kind, version, seq, created_at)
SELECT 1, sha256(n::text::bytea), 1, 1, n, n FROM generate_series(1, 500) AS n;
ANALYZE;
";

#[test]
fn the_tables_that_churn_are_vacuumed_early_and_have_room_on_their_pages() {
    let Some((_database, mut client)) = postgres() else { return };
    let rows = client.query(
        "SELECT relname::text, COALESCE(reloptions, '{}') FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
        &[],
    );
    let options: BTreeMap<String, BTreeMap<String, f64>> =
        rows.expect("options").iter().map(|row| (row.get(0), numbers(row.get(1)))).collect();
    for table in CHURNING.iter().chain(&OF_PEOPLE) {
        let factor = options[*table].get("autovacuum_vacuum_scale_factor");
        assert!(factor.is_some_and(|factor| *factor <= 0.01), "{table}: {:?}", options[*table]);
        let threshold = options[*table].get("autovacuum_vacuum_threshold");
        let most = if OF_PEOPLE.contains(table) { 50.0 } else { 500.0 };
        assert!(threshold.is_some_and(|threshold| *threshold <= most), "{table}: {:?}", options[*table]);
    }
    // A payload is written once.
    for table in CHURNING.iter().filter(|table| **table != "payload") {
        let fill = options[*table].get("fillfactor");
        assert!(fill.is_some_and(|fill| *fill <= 80.0), "{table}: {:?}", options[*table]);
    }
}

fn numbers(options: Vec<String>) -> BTreeMap<String, f64> {
    let pairs = options.iter().filter_map(|option| option.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.parse().expect("a number"))).collect()
}
