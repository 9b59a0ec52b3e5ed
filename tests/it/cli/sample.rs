//! `lethe sample --events`: a made-up history, and its effect on a server.

use crate::support::program::{Program, sample_feed, web_server};

const PRODUCTS: u64 = 60;

#[test]
fn a_sample_of_what_shoppers_did_is_taken_whole_and_recommended_from() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let url = web_server(sample_feed(PRODUCTS));
    assert_eq!(program.run(&format!("feed submit {url} --wait --json")).json()["Status"], "Complete");
    let made = program
        .run(&format!("sample --products {PRODUCTS} --events 600 --output visits.ndjson --json"))
        .json();
    assert_eq!((&made["Events"], &made["File"]), (&600.into(), &"visits.ndjson".into()));
    let imported = program.run("events import visits.ndjson --json").json();
    assert_eq!((&imported["Accepted"], &imported["LeftOut"]), (&600.into(), &serde_json::json!([])));
    let model = program.run("model verify shop --json").json();
    let counted = &model[0];
    // All models, in both forms, when no account is named.
    assert_eq!(program.run("model verify --json").json(), model);
    let all = program.run("model verify");
    assert!(
        all.code == 0 && all.out.lines().any(|line| line.starts_with("shop ")),
        "{} {}",
        all.out,
        all.err
    );
    assert!(counted["Sessions"].as_u64() > Some(60) && counted["People"].as_u64() > Some(20), "{model}");
    let recommended = program.run("recommend --json").json();
    assert!(!recommended["Items"].as_array().expect("items").is_empty(), "{recommended}");
}

#[test]
fn a_history_is_the_same_for_the_same_end_and_may_be_of_the_products_of_a_feed() {
    let program = Program::new();
    std::fs::write(program.path().join("feed.json"), sample_feed(PRODUCTS)).expect("written");
    let own = program.run(&format!("sample --products {PRODUCTS} --events 50 --until 2026-11-01T00:00:00Z"));
    assert_eq!(own.out, program.run("sample --products 60 --events 50 --until 2026-11-01 --days 59").out);
    assert_ne!(own.out, program.run("sample --products 60 --events 50 --until 2026-11-01 --seed 2").out);
    assert_eq!(own.out.lines().count(), 50);
    let of_feed = program.run("sample --feed feed.json --events 50 --until 2026-11-01").out;
    assert!(of_feed.lines().count() == 50 && of_feed.contains(r#""Product":"P-00000"#));
    std::fs::write(program.path().join("empty.json"), r#"{"Products":[]}"#).expect("written");
    let nothing = program.run("sample --feed empty.json --events 5");
    assert_eq!(nothing.code, 1);
    assert!(nothing.err.contains("a history needs products"), "{}", nothing.err);
    for wrong in
        ["--until 2026-11-01", "--events 5 --until yesterday", "--events 5 --days 0", "--events 5 --errors"]
    {
        assert_eq!(program.run(&format!("sample {wrong}")).code, 2, "{wrong}");
    }
}
