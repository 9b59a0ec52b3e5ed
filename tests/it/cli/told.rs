//! The text for people that commands make of answers: every state in its words, and what comes next.

use serde_json::{Value, json};

use super::scripted_server::{operator_of, program_for, program_of, serve_script, text};

const TOKEN: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

/// The last word of each line that begins with one of these.
fn ends(text: &str, begins: &[&str]) -> Vec<String> {
    let line = |begin: &&str| text.lines().find(|line| line.starts_with(*begin)).expect("a line").to_owned();
    begins
        .iter()
        .map(line)
        .map(|line| line.split("  ").last().unwrap_or_default().trim().to_owned())
        .collect()
}

/// The words of the line that begins with `begin`.
fn cells(text: &str, begin: &str) -> Vec<String> {
    let line = text.lines().find(|line| line.starts_with(begin)).expect("a line");
    line.split_whitespace().map(str::to_owned).collect()
}

/// The moments at which nothing, one second and two seconds have passed since 1970.
const MOMENTS: [&str; 3] = ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z", "1970-01-01T00:00:02Z"];

#[test]
fn deltas_are_told_with_their_states_and_where_the_list_goes_on() {
    let delta = |number: u64, status: u64, ended: Value| json!({"Number": 400 + number, "KindNumber": number, "Token": "t", "Status": status, "AcceptedAt": 0, "FinishedAt": ended});
    let deltas = [delta(33, 0, Value::Null), delta(32, 1, json!(1000)), delta(31, 2, json!(1000))];
    let page = json!({"Waiting": 2, "OldestAt": 0, "Ended": 3, "MedianMs": 5, "Percentile95Ms": 9, "Deltas": deltas,
        "Next": 31});
    let told = text(&program_of(page), "delta list");
    assert!(told.starts_with("Waiting: 2, the oldest since 1970-01-01T00:00:00Z\n"), "{told}");
    assert!(told.contains("median 5 ms, 95 of 100 within 9 ms (3 deltas)"), "{told}");
    assert_eq!(cells(&told, "33"), ["33", "t", MOMENTS[0], "pending"]);
    assert_eq!(cells(&told, "32"), ["32", "t", MOMENTS[0], MOMENTS[1], "applied"]);
    assert_eq!(cells(&told, "31"), ["31", "t", MOMENTS[0], MOMENTS[1], "failed"]);
    assert!(told.ends_with("\nMore: --before 31\n"), "{told}");
    let last = json!({"Waiting": 0, "OldestAt": null, "Ended": 0, "Deltas": [], "Next": null});
    let told = text(&program_of(last), "delta list");
    assert!(told.starts_with("Waiting: 0\n") && !told.contains("median") && !told.contains("More"), "{told}");
}

#[test]
fn an_erasure_is_told_with_what_an_officer_has_to_see() {
    let erasure = |number: u64, more: Value| {
        let mut erasure =
            json!({"Number": number, "Erasure": TOKEN, "State": "fenced", "AskedAt": 0, "DueAt": 0});
        more.as_object().into_iter().flatten().for_each(|(name, value)| erasure[name] = value.clone());
        erasure
    };
    let erasures = [
        erasure(95, json!({"State": "lost", "Overdue": true, "Fault": "x"})),
        erasure(94, json!({"Overdue": true, "Fault": "x"})),
        erasure(93, json!({"Overdue": false, "Fault": "the disk", "WaitsFor": "y"})),
        erasure(92, json!({"Fault": null, "WaitsFor": "the mirror"})),
        erasure(91, json!({"State": "verified", "DueAt": 2000, "VerifiedAt": 1000})),
    ];
    let told = text(&program_of(json!(erasures)), "erasure list");
    let remarks =
        ["LOST with its key: send the request again", "OVERDUE", "FAILS: the disk", "waits for the mirror"];
    assert_eq!(ends(&told, &["95", "94", "93", "92"]), remarks);
    assert_eq!(cells(&told, "94"), ["94", TOKEN, "fenced", MOMENTS[0], MOMENTS[0], "OVERDUE"]);
    assert_eq!(cells(&told, "91"), ["91", TOKEN, "verified", MOMENTS[0], MOMENTS[2], MOMENTS[1]]);
    let steps = json!({"Steps": [{"State": "accepted", "At": 0}, {"State": "fenced", "At": 1000}],
        "Places": [{"Name": "keys", "Removed": 1, "Left": 0, "Says": "Keys"}, {"Name": "files", "Removed": 0, "Left": 2}]});
    let told = text(&program_of(erasure(91, steps)), &format!("erasure show {TOKEN}"));
    for line in ["fenced    1970-01-01T00:00:01Z", "files  0        2", "keys   1        0     Keys"] {
        assert!(told.lines().any(|found| found == line), "no {line}: {told}");
    }
}

#[test]
fn issues_are_told_with_their_counts_and_what_is_kept() {
    let issues = |kept: u64, next: Value| {
        let count = |code: &str| json!({"Count": 150, "Severity": "bad", "Code": code, "Section": "Products", "FirstRows": [1, 2], "Advice": "Mend it"});
        program_of(
            json!({"Counts": [count("a"), count("b")], "Kept": kept, "Issues": [{"Row": 77}], "Next": next}),
        )
    };
    let words = format!("issues {TOKEN}");
    let told = text(&issues(299, json!(200)), &words);
    assert!(told.contains("300 issues were counted; 299 of them are kept one by one.\n"), "{told}");
    assert!(
        told.contains("\nMore: --from 200, or --all\n") && told.contains("1 2         Mend it"),
        "{told}"
    );
    let told = text(&issues(300, Value::Null), &words);
    assert!(!told.contains("were counted") && !told.contains("More"), "{told}");
    // Of a part it cannot be said.
    assert!(!text(&issues(1, Value::Null), &format!("{words} --code a")).contains("were counted"));
    assert_eq!(text(&program_of(json!({"Counts": [], "Issues": []})), &words), "No issues.\n");
    // A list of one line is no text in JSON.
    assert_eq!(text(&program_of(json!({"Row": 1})), &format!("{words} --format ndjson")), "{\"Row\":1}\n");
}

#[test]
fn a_report_is_told_with_its_rest_and_its_control_group() {
    let uplift = json!({"Measured": 0.125, "Low": -0.01, "High": 0.26});
    let rows = [
        json!({"Zone": "HP-01", "Recommender": "for_you", "Campaign": "", "People": 8, "Count": 9, "Clicks": 7, "Orders": 6, "Revenue": "5"}),
    ];
    let report = json!({"From": "2026-11-01", "Until": "2026-11-02", "Rows": rows, "Rest": {"Count": 4, "Clicks": 3, "Orders": 2, "Revenue": "1"},
        "Control": {"PeopleWith": 15, "PeopleWithout": 16, "PeopleOfBoth": 17, "Orders": {"Uplift": uplift}, "Revenue": {"Uplift": null}}});
    let told = text(&program_of(report), "report zones");
    assert!(told.starts_with("From 2026-11-01 to 2026-11-02\n"), "{told}");
    assert_eq!(cells(&told, "HP-01"), ["HP-01", "for_you", "8", "9", "7", "6", "5"]);
    assert_eq!(cells(&told, "(rest)"), ["(rest)", "4", "3", "2", "1"]);
    for line in [
        "at least 15 people saw zones, 16 did not, 17 did and did not",
        "Orders of a person: +12.5 % (95 %: -1.0 % to +26.0 %)",
        "Revenue of a person: too few to say",
    ] {
        assert!(told.lines().any(|found| found == line), "no {line}: {told}");
    }
}

#[test]
fn a_search_is_told_with_each_hit_beside_its_reasons() {
    let hit = |id: &str, stock: bool, why: &str| json!({"Id": id, "Title": "T", "Price": "5", "Currency": "GBP", "InStock": stock, "Why": [why]});
    let found = json!({"Query": {"Asked": "shoo", "Searched": "shoe", "DidYouMean": "shoes", "RelaxedFrom": 2, "RelaxedWithout": ["red"]},
        "Total": 1, "TotalRelaxed": 12, "Page": 1, "Rules": ["r1", "r2"],
        "Items": [hit("a", true, "first"), hit("b", false, "second")],
        "Facets": {"Brand": [{"Value": "Acme", "Count": 3}], "Price": {"Ranges": [{"From": 10, "To": 20, "Count": 4}]}}});
    let told = text(&program_of(found), "search shoo");
    let expected = "Searched for: shoe\nDid you mean: shoes\nId  Price  Stock  Title\na   5 GBP  yes    T\n    first\n\
        These hold fewer of the words:\nb   5 GBP  no     T\n    second\n1 with all words, 11 more without red\nThe rule r1 acts on this search.\nThe rule r2 acts on this search.\n\n\
        Brand:\n  Acme  3\n\nPrice:\n  10 to 20  4\n";
    assert_eq!(told, expected);
}

#[test]
fn changes_and_lists_say_what_they_are() {
    let sections = json!([{"Section": "Products", "Counts": {"added": 1, "changed": 0, "removed": 2},
        "Examples": [{"Kind": "removed", "Id": "7", "Before": "x"}]},
        {"Section": "Brands", "Counts": {"added": 3}, "Examples": []}]);
    let held = program_of(json!({"Sections": sections, "Held": true}));
    let told = text(&held, &format!("feed difference {TOKEN}"));
    assert!(told.starts_with("Products: 1 added, 2 removed\nKind     Id  Before  After\n"), "{told}");
    assert!(
        told.ends_with(&format!(
            "\nBrands: 3 added\nIt is not published. `lethe feed publish {TOKEN}` does that.\n"
        )),
        "{told}"
    );
    let none = program_of(json!({"Sections": [], "Held": false}));
    let told = text(&none, &format!("feed difference {TOKEN}"));
    assert!(told.starts_with("Nothing was compared") && !told.contains("not published"), "{told}");
    let published = program_of(json!({"Cancelled": false, "FinishedAt": null}));
    let told = text(&published, &format!("feed cancel {TOKEN}"));
    assert_eq!(told, format!("The feed {TOKEN} was published before it could be cancelled.\n"));
    let ended =
        program_of(json!({"Cancelled": false, "FinishedAt": 1, "Status": "Complete", "Reason": null}));
    assert!(text(&ended, &format!("feed cancel {TOKEN}")).ends_with(" had ended before: Complete\n"));
    let kept = |number: u64, is_shown: bool| json!({"Number": number, "KindNumber": 3, "Section": "Products", "Items": 1, "Bytes": 2, "PublishedAt": 0, "Shown": is_shown});
    let told = text(&program_of(json!([kept(92, true), kept(91, false)])), "snapshot list");
    assert_eq!(ends(&told, &["92", "91"]), ["shown", "1970-01-01T00:00:00Z"]);
    let page = program_of(json!({"Counts": {"Products": 1}, "Items": [], "Next": "-x"}));
    assert!(text(&page, "catalogue").ends_with("\nMore: --from=-x\n"));
    let product =
        program_of(json!({"Item": {"Id": "1"}, "Feed": 45, "Delta": 48, "FeedNumber": 5, "DeltaNumber": 8}));
    assert!(text(&product, "product 1").ends_with("From submission: feed 5, changed by delta 8\n"));
    let returned = program_of(json!({"Returned": false}));
    assert!(text(&returned, "return userid:1").starts_with("This identifier was not forgotten"));
    let passed = [json!({"Campaign": "a", "Why": "late"}), json!({"Campaign": "", "Why": "empty"})];
    let told = text(&program_of(json!({"Passed": passed, "Zone": null})), "zones preview HP-01");
    let expected = "campaign a is skipped: late\ndefault content is skipped: empty\nThe zone is empty.\n";
    assert_eq!(told, expected);
    let delta = json!({"Status": 0, "Kind": "delta", "Token": TOKEN, "Reason": null,
        "Progress": {"Fault": "the disk", "NextTryAt": 0, "TriesLeft": 1}});
    let waits = program_of(json!([delta, {"Error": "The token is not known"}]));
    assert!(
        text(&waits, "submissions")
            .contains("the last try failed: the disk; next try at 00:00:00 UTC, 1 try left")
    );
}

#[test]
fn a_webhook_is_told_with_its_failures() {
    let shown = json!({"Url": "http://w.test/", "Off": "ten failures", "Waiting": 3, "DeliveredAt": null, "FailedAt": 0,
        "Failure": "status 500", "GivenUp": 4, "LeftOut": 5});
    let told = text(&program_of(shown), "webhook show");
    let values: Vec<_> =
        told.lines().filter_map(|line| line.split_once(':')).map(|(_, value)| value.trim()).collect();
    let failed = "1970-01-01T00:00:00Z: status 500";
    assert_eq!(values, ["http://w.test/", "off: ten failures", "3", "never", failed, "4", "5"]);
    let rotated = program_of(json!({"Secret": "new", "OldSecretUntil": 0}));
    let told = text(&rotated, "webhook rotate");
    assert!(
        told.starts_with("Secret: new\n") && told.contains("Until 1970-01-01T00:00:00Z messages"),
        "{told}"
    );
    // An address that is set again keeps its secret, which is not told.
    let told =
        text(&program_of(json!({"Url": "http://w.test/", "Secret": null})), "webhook set http://w.test/");
    assert_eq!(told, "Messages go to http://w.test/ from now on.\n");
}

#[test]
fn operators_keys_and_epochs_are_told_by_their_states() {
    let one = |name: &str, role: &str, more: Value| {
        let mut one = json!({"Name": name, "Role": role, "Shops": ["s", "t"], "MadeAt": 0, "DisabledAt": null,
            "HasPassword": true, "HasCode": false});
        more.as_object().into_iter().flatten().for_each(|(name, value)| one[name] = value.clone());
        one
    };
    let operators = json!([
        one("desk-1", "owner", json!({})),
        one("desk-2", "viewer", json!({"HasCode": true})),
        one("desk-3", "viewer", json!({"HasPassword": false})),
        one("desk-4", "viewer", json!({"DisabledAt": 1})),
        one("desk-5", "viewer", json!({"Name": null, "DisabledAt": 1, "HasPassword": false})),
    ]);
    let told = text(&operator_of(operators), "operator list");
    let states = ["active", "active, with codes", "has to choose a password", "disabled", "disabled"];
    assert_eq!(ends(&told, &["desk-1", "desk-2", "desk-3", "desk-4", "(left)"]), states);
    assert!(told.contains("owner   all") && told.contains("viewer  s, t"), "{told}");
    let acts = json!([{"At": 0, "Name": null, "Operator": "4711", "Act": "signed-in", "Shop": null},
        {"At": 0, "Name": "desk-1", "Operator": "9", "Act": "rules-set", "Shop": "s"}]);
    let told = text(&operator_of(acts), "operator acts");
    assert!(told.contains("4711    signed-in  -\n") && told.contains("desk-1  rules-set  s\n"), "{told}");
    let link = |link: &str| text(&operator_of(json!({"Link": link, "Until": 0})), "operator reset desk-1");
    assert!(
        link("/link/x").contains("No console listens now") && !link("http://c/link/x").contains("No console")
    );
    let secret = |number: u64, is_live: bool, expires: Value| json!({"Number": number, "Live": is_live, "ExpiresAt": expires});
    let secrets = [secret(1, false, json!(0)), secret(2, true, json!(9)), secret(3, true, Value::Null)];
    let told = text(&operator_of(json!({"AccessKey": "k", "Secrets": secrets})), "key list s");
    assert_eq!(told, "AccessKey: k\n  1  ended\n  2  live, being rotated out\n  3  live\n");
    let rotated = json!({"Number": 4, "Survivors": 1, "Damaged": 2});
    let told = text(&operator_of(rotated), "key-epoch rotate");
    let expected = "Epoch 4 is in force. 1 key lives on; the epoch before is destroyed.\n2 keys were damaged before: what they sealed is lost.\n";
    assert_eq!(told, expected);
    let told = text(&operator_of(json!({"Number": 4, "Survivors": 2, "Damaged": 0})), "key-epoch rotate");
    assert!(told.contains("2 keys live on") && !told.contains("damaged"), "{told}");
    let rotating = |is: bool| text(&operator_of(json!({"Number": 4, "Rotating": is})), "key-epoch show");
    assert!(
        rotating(true).contains("A rotation has not ended") && !rotating(false).contains("has not ended")
    );
    let account = |closed: Value, quota: Value| json!({"AccessKey": "k", "Name": "s", "ClosedAt": closed, "HeldBytes": 1_000_000, "QuotaBytes": quota, "Number": 1});
    let accounts = json!([account(Value::Null, json!(2_000_000)), account(json!(1), Value::Null)]);
    let told = text(&operator_of(accounts), "account list");
    let lines: Vec<_> = told.lines().skip(1).collect();
    assert!(lines[0].contains("open") && lines[0].contains("1.0 MB of 2.0 MB"), "{told}");
    assert!(lines[1].contains("closed") && lines[1].contains("1.0 MB, no limit"), "{told}");
}

#[test]
fn a_delta_that_waits_is_told_with_its_last_failure() {
    let (url, asked) = serve_script(|path| {
        let answer = match path {
            "/api/productfeedstatus" => {
                json!([{"Error": "The token is not known"}, {"Error": "The token is not known"}])
            }
            "/api/deltastatus" => json!([{"Status": 0, "Reason": null}, {"Status": 2, "Reason": "one row"}]),
            _ => {
                json!([{"Token": TOKEN, "KindNumber": 12, "Progress": {"Fault": "the disk", "NextTryAt": 0, "TriesLeft": 2}}])
            }
        };
        (200, "", answer.to_string())
    });
    let other = TOKEN.replace("ff", "f0");
    let told = text(&program_for(&url), &format!("status {TOKEN} {other}"));
    let lines: Vec<_> =
        told.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let waits =
        format!("{TOKEN} delta 12 0 the last try failed: the disk; next try at 00:00:00 UTC, 2 tries left");
    assert_eq!(lines, [waits, format!("{other} delta 2 one row")]);
    let asked = asked.lock().expect("what was asked");
    assert_eq!(
        asked.last().map(|(_, body)| body["Tokens"].clone()),
        Some(json!([TOKEN, other])),
        "both, for their numbers"
    );
}

#[test]
fn what_is_known_of_a_person_is_told_before_they_are_forgotten() {
    let places = json!([{"Name": "records", "Found": 7, "Says": "Records"}]);
    let who = json!([{"Kind": "Email", "Value": "a@shop.test"}, {"Kind": "UserId", "Value": "4711"}]);
    for (held, begin) in [
        (
            json!({"Known": true, "Who": who}),
            "Known under these identifiers:\n  Email   a@shop.test\n  UserId  4711\nThis would go:\n",
        ),
        (json!({"Known": false, "FoundAnywhere": true}), "This is nobody's own here: orders of others"),
        (json!({"Known": false, "FoundAnywhere": false}), "Nobody is known under this identifier."),
    ] {
        let mut held = held;
        held["Places"] = places.clone();
        held["Left"] = json!([{"Count": 2, "Says": "orders", "Requests": ["userid:1", "userid:2"]}]);
        let told = text(&program_of(held), "forget userid:1 --dry-run");
        assert!(told.starts_with(begin), "{told}");
        let end = "records  7      Records\n2 would be left: orders.\n  lethe forget userid:1\n  lethe forget userid:2\nNothing was changed.\n";
        assert!(told.ends_with(end), "{told}");
    }
    for (found, sentence) in [
        (
            json!({"Suppressed": true, "CameBack": false, "Since": 0, "Kind": "Email"}),
            "Forgotten since 1970-01-01T00:00:00Z, as Email: kept out at every door.\n",
        ),
        (json!({"Suppressed": false, "CameBack": true}), "Was forgotten, and came back since: let in.\n"),
        (json!({"Suppressed": false, "CameBack": false}), "Not forgotten: let in.\n"),
    ] {
        assert_eq!(text(&program_of(found), "suppression check userid:1"), sentence);
    }
    let scan = json!({"Files": 1, "Bytes": 2000, "IdentifiersScanned": 1, "IdentifiersWalkedOnly": 3, "FoundIn": []});
    let told =
        text(&program_of(json!({"FoundAnywhere": false, "Places": places, "Scan": scan})), "scan userid:1");
    let end = "1 file, 2,000 bytes: 1 identifier looked for byte by byte, 3 looked up only.\nNothing of this person was found.\n";
    assert!(told.ends_with(end), "{told}");
}

#[test]
fn previews_gaps_and_refusals_are_told() {
    let hit = |id: &str| json!({"Id": id, "Title": "T"});
    let both = json!({"Before": {"Items": [hit("a")], "TotalRelaxed": 1},
        "After": {"Items": [hit("b"), hit("a")], "TotalRelaxed": 2, "Redirect": "/sale", "Banners": ["one", "two"]}});
    let preview = program_of(both);
    std::fs::write(preview.path().join("rules.json"), "[]").expect("written");
    let told = text(&preview, "rules preview rules.json shoe");
    let expected = "   Now  With the file\n1  a T  b T\n2       a T\n1 in all, 2 with the file\nLeads to /sale\nShows: one\nShows: two\n";
    assert_eq!(told, expected);
    let fault = |name: &str, products: u64| {
        json!({"Fault": name, "Currency": "", "Products": products, "Percent": 50, "Says": "Mend it",
        "Rows": [{"Id": "1", "Title": "T", "Word": "shooe", "Meant": "shoe", "Others": ["2", "3"]}], "Searches": [{"Query": "q", "Says": "s"}]})
    };
    let told = text(
        &program_of(
            json!({"Products": 4, "Faults": [fault("no_image", 0), fault("typing", 2), fault("no_brand", 0)]}),
        ),
        "quality",
    );
    let expected = "Products: 4\n\ntyping (50 %): Mend it\n  1  T  word shooe, meant shoe, as 2, 3\n  \"q\": s\n\nNone: no_image, no_brand\n";
    assert_eq!(told, expected);
    let refused = |with_secret: bool| json!({"At": 0, "Count": 3, "Path": "/api/delta", "Status": 400, "Error": "why", "WithSecret": with_secret});
    let told = text(&program_of(json!([refused(true), refused(false)])), "refused");
    let lines: Vec<_> = told.lines().skip(1).collect();
    assert!(
        lines[0].contains("400     with secret  why") && lines[1].contains("400     access key   why"),
        "{told}"
    );
    let found = json!({"Queries": [{"Text": "shoe"}], "Products": [], "Categories": [], "Brands": [{"Text": "Acme"}, {"Text": "Apex"}]});
    assert_eq!(text(&program_of(found), "complete s"), "Queries:\n  shoe\nBrands:\n  Acme\n  Apex\n");
}
