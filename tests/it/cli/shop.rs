//! The commands of a shop against a running server.

use lethe::sample::{SampleShop, email, person, write_feed};

use crate::support::program::{Program, web_server};

fn feed(shop: &SampleShop) -> Vec<u8> {
    let mut feed = Vec::new();
    write_feed(&mut feed, shop).expect("memory takes everything");
    feed
}

#[test]
fn a_feed_is_submitted_and_shown_with_its_issues() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let url = web_server(feed(&SampleShop { products: 300, errors: true, ..SampleShop::default() }));
    let ended = program.run(&format!("feed submit {url} --wait --json")).json();
    assert_eq!((&ended["Status"], &ended["Kind"]), (&"Complete".into(), &"feed".into()));
    let token = ended["Token"].as_str().expect("a token");
    let status = program.run(&format!("status {token} nonsense --json")).json();
    assert_eq!((&status[0]["Status"], &status[0]["Kind"]), (&"Complete".into(), &"feed".into()));
    assert_eq!(status[1]["Kind"], "unknown");
    let page = program.run("catalogue --limit 2 --json").json();
    assert_eq!(page["Counts"]["Products"], 303);
    assert_eq!(page["Items"].as_array().expect("items").len(), 2);
    let next = page["Next"].as_str().expect("more");
    assert!(program.run(&format!("catalogue --limit 2 --from {next}")).out.starts_with("Products: 303"));
    assert_eq!(program.run("product P-0000007 --json").json()["Item"]["Sku"], "SKU-0000007");
    assert_eq!(
        program.run("product c3 --section Categories --json").json()["Item"]["DisplayName"],
        "Textiles"
    );
    let issues = program.run(&format!("issues {token}")).out;
    assert!(issues.contains("row_lone_surrogate") && issues.contains("only in pairs"), "{issues}");
    assert!(program.run("submissions").out.contains(token));
    // The same as operator, without keys.
    for variable in ["LETHE_ACCESS_KEY", "LETHE_SECRET_KEY", "LETHE_URL"] {
        program.set(variable, "");
    }
    assert_eq!(program.run("catalogue --account shop --json --limit 1").json()["Counts"]["Products"], 303);
    let again = program.run(&format!("feed submit {url} --wait --account shop --json")).json();
    assert_eq!(again["Status"], "Complete");
}

#[test]
fn synonyms_are_set_from_a_file_and_shown() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let lines = "# names\ntv, television\r\nnotebook => laptop\n";
    std::fs::write(program.path().join("synonyms.txt"), lines).expect("written");
    let set = program.run("account search shop --synonyms synonyms.txt");
    assert!(
        set.out.lines().any(|line| line.split_whitespace().eq(["Synonyms:", "2", "lines"])),
        "{}",
        set.out
    );
    assert_eq!(program.run("account search shop --json").json()["Synonyms"], lines);
    let refused = program.run_with("account search shop --synonyms -", "a, b\ntv\n");
    assert_eq!(refused.code, 1);
    assert!(refused.err.starts_with("lethe: Synonyms: line 2 names one thing"), "{}", refused.err);
    let missing = program.run("account search shop --synonyms nothing.txt");
    assert_eq!(missing.code, 2);
    assert_eq!(program.run_with("account search shop --synonyms - --json", "").json()["Synonyms"], "");
}

#[test]
fn rules_are_planned_set_shown_and_undone() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let rules = r#"{"Rules": [{"Id": "front", "Pin": ["2"]}]}"#;
    std::fs::write(program.path().join("rules.json"), rules).expect("written");
    let planned = program.run("rules apply rules.json --account shop");
    assert_eq!(planned.out, "+ front\nNothing was published yet: add --yes to publish.\n");
    assert_eq!(program.run("rules list --account shop --json").json()["Version"], 0);
    let set = program.run("rules apply rules.json --yes --account shop");
    let warning = "rule front: the shop shows no product 2 now; it counts when it comes";
    assert_eq!(set.out, format!("+ front\n{warning}\nVersion 1 is live.\n"));
    assert_eq!(program.run("rules apply rules.json --account shop").out, "Nothing: this is the live list.\n");
    // Not in the same moment.
    let mut undoing = std::iter::repeat_with(|| program.run("rules undo --account shop")).take(100);
    let undone = undoing.find(|undone| undone.code == 0).expect("undone");
    assert_eq!(undone.out, "Version 2 is live.\n");
    let history = program.run("rules history --account shop").out;
    assert_eq!(history.lines().count(), 3, "{history}");
    let refused = program.run("rules apply nothing.json --account shop");
    assert_eq!((refused.code, refused.err.contains("nothing.json")), (2, true), "{}", refused.err);
}

#[test]
fn a_feed_that_fails_ends_with_1_and_the_reason() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let url = web_server(b"<html>no feed</html>".to_vec());
    let ended = program.run(&format!("feed submit {url} --wait"));
    assert_eq!(ended.code, 1);
    assert!(ended.err.starts_with("lethe: the feed ") && ended.err.contains(" failed: "), "{}", ended.err);
    // A script that reads JSON learns it from the exit code too.
    let ended = program.run(&format!("feed submit {url} --wait --json"));
    let told: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!((ended.code, &told["Status"]), (1, &"Error".into()), "{}", ended.err);
    let token = told["Token"].as_str().expect("a token");
    assert_eq!(program.run(&format!("feed watch {token} --json")).code, 1);
    let refused = program.run("feed submit http://10.0.0.1/feed.json");
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    assert!(refused.err.starts_with("lethe: url: "), "{}", refused.err);
}

#[test]
fn a_delta_from_standard_input_is_applied_and_a_bad_row_ends_with_1() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let good = r#" {"Products":[{"Id":"7","Title":"Seven","Prices":["7.00 GBP"]}]}"#;
    assert_eq!(program.run_with("delta send - --wait --json", good).json()["Status"], 1);
    assert_eq!(program.run("product 7 --json").json()["Item"]["Title"], "Seven");
    let bad = r#"{"Products":[{"Title":"nobody"},{"Id":"8","Title":"Eight"}]}"#;
    let ended = program.run_with("delta send - --wait", bad);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains("failed: "), "{}", ended.err);
    assert_eq!(program.run("product 8 --json").json()["Item"]["Title"], "Eight");
    for no_object in ["[]", "{\"Products\":"] {
        assert_eq!(program.run_with("delta send -", no_object).code, 2, "{no_object}");
    }
    let listed = program.run("delta list --state failed");
    assert_eq!(listed.code, 0, "{}", listed.err);
    assert!(
        listed.out.starts_with("Waiting: 0\n") && listed.out.contains(" ms (2 deltas)\n"),
        "{}",
        listed.out
    );
    assert_eq!(listed.out.lines().filter(|line| line.contains("failed")).count(), 1, "{}", listed.out);
    assert_eq!(program.run("delta list --json").json()["Deltas"].as_array().map(Vec::len), Some(2));
    assert_eq!(program.run("delta list --state lost").code, 1);
    let refused = program.run("refused");
    assert!(
        refused.out.contains("/api/deltas") && refused.out.contains("State has to be"),
        "{}",
        refused.out
    );
    assert_eq!(program.run("refused --json").json()[0]["WithSecret"], true);
}

#[test]
fn a_forgotten_person_is_accepted_by_word_and_on_standard_input() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let shop = SampleShop::default();
    let users = format!("{{\"Users\":[{},{}]}}", person(&shop, 1), person(&shop, 2));
    assert_eq!(program.run_with("delta send - --wait --json", &users).json()["Status"], 1);
    let said = program.run(&format!("forget {} --yes", email(&shop, 1)));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!said.out.contains(&email(&shop, 1)), "the person is not repeated");
    assert!(said.out.contains("Somebody was known under this identifier."), "{}", said.out);
    let answer = program.run_with("forget - --yes --json", "userid:U000002\n").json();
    assert_eq!(answer["Answer"], "The request was submitted successfully");
    assert_eq!(answer["Known"], true);
    // A mistyped address does not look like a success.
    let said = program.run("forget ann@mail.exmaple --yes");
    assert!(said.out.contains("Nobody was known under this identifier. Was it mistyped?"), "{}", said.out);
    assert_eq!(program.run("forget ann@mail.exampel --yes --json").json()["Known"], false);
    let again = program.run(&format!("forget {} --yes", email(&shop, 1)));
    assert!(again.out.contains("it was forgotten before"), "{}", again.out);
    assert!(program.run("erasure count").out.contains(" go on, 0 are overdue, 0 failed when "));
    assert_eq!(program.run("erasure list --state overdue --json").json().as_array().map(Vec::len), Some(0));
    assert_eq!(program.run("erasure list --state nothing").code, 1);
}

#[test]
fn a_person_is_forgotten_only_when_somebody_said_yes() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let users = r#"{"Users":[{"UserId":"u-1","Email":"ann@mail.example"}]}"#;
    assert_eq!(program.run_with("delta send - --wait --json", users).json()["Status"], 1);
    // There is no terminal here for a question.
    for words in
        ["forget ann@mail.example", "forget - --account shop", "forget ann@mail.example --wait --json"]
    {
        let refused = program.run_with(words, "y\n");
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{words}");
        assert!(refused.err.contains("cannot be undone") && refused.err.contains("--yes"), "{}", refused.err);
    }
    assert!(program.run("suppression check ann@mail.example").out.starts_with("Not forgotten"));
    assert_eq!(program.run("forget ann@mail.example --dry-run").code, 0, "this changes nothing");
    assert_eq!(program.run("forget ann@mail.example --dry-run --yes").code, 2);
}
