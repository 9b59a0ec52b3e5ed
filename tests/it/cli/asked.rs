//! Options of commands reach the server: each with its operation and member.

use serde_json::{Value, json};

use super::scripted_server::{ScriptedRequests, program_for, serve_control_script, serve_script};
use crate::support::program::Program;

const TOKEN: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

/// Runs each command, and compares its last question; a member that is null has to be left out.
fn assert_asked(program: &Program, asked: &ScriptedRequests, commands: &[(&str, &str, Value)]) {
    for (words, path, expected) in commands {
        let words = words.replace("TOKEN", TOKEN);
        let ended = program.run(&words);
        assert_eq!(ended.code, 0, "{words}: {}", ended.err);
        let (of, body) = asked.lock().expect("what was asked").pop().expect("a question");
        assert_eq!(of, *path, "{words}");
        for (member, value) in expected.as_object().expect("members") {
            assert_eq!(&body[member], value, "{words}: {member} in {body}");
        }
        asked.lock().expect("what was asked").clear();
    }
}

#[test]
fn what_a_shop_looks_for_is_asked_as_it_was_typed() {
    let (url, asked) = serve_script(|_| (200, "", json!([]).to_string()));
    let program = program_for(&url);
    std::fs::write(program.path().join("searches.txt"), "c\n\n d \n").expect("written");
    let search = "search shoe --filter Brand=a --filter Brand=b --filter Price=10..50 --filter InStock=false \
        --filter Colour=red --facet Brand --facet Colour --facet Attributes.Size --facet * --sort=-price --size 7 \
        --currency EUR --session s --explain --json";
    let recommend = "recommend 12 4711 --recommender similar --exclude 9 --exclude 8 --size 3 --of-brand 2 \
        --of-category 1 --currency EUR --filter InStock=true --json";
    let preview = "zones preview PP-01 --page product_page --product 1 --category 2 --brand 3 --viewed 4 --viewed 5 \
        --basket 6 --group 7 --json";
    let searched = json!({"Query": "shoe", "Facets": ["Brand", "Attributes.Colour", "Attributes.Size", "*"],
        "Filters": {"Brand": ["a", "b"], "Price": {"From": 10.0, "To": 50.0}, "InStock": false,
            "Attributes": {"Colour": ["red"]}},
        "Sort": "-price", "Size": 7, "Page": 1, "Currency": "EUR", "SessionId": "s", "Explain": true});
    let recommended = json!({"Items": ["12", "4711"], "Recommender": "similar", "Exclude": ["9", "8"], "Size": 3,
        "Diversity": {"Brand": 2, "Category": 1}, "Currency": "EUR", "Filters": {"InStock": true}});
    let placed = json!({"Zone": "PP-01", "Page": "product_page", "Product": "1", "Category": "2", "Brand": "3",
        "Viewed": ["4", "5"], "Basket": ["6"], "Group": 7});
    assert_asked(
        &program,
        &asked,
        &[
            (search, "/api/search", searched),
            (
                "search x --filter Price=..50 --json",
                "/api/search",
                json!({"Filters": {"Price": {"To": 50.0}}}),
            ),
            (
                "search x --json",
                "/api/search",
                json!({"Size": 10, "Explain": null, "Facets": [], "Sort": null}),
            ),
            ("search x --why-not 4711 --json", "/api/search/why", json!({"Query": "x", "Id": "4711"})),
            ("complete sh --size 3 --json", "/api/autocomplete", json!({"Query": "sh", "Size": 3})),
            (recommend, "/api/recommend", recommended),
            ("recommend --session s --json", "/api/recommend", json!({"SessionId": "s", "Size": 10})),
            (
                "report search --from 2026-11-01 --until 2026-11-30 --size 7 --json",
                "/api/report",
                json!({"Report": "search", "From": "2026-11-01", "Until": "2026-11-30", "Size": 7, "Format": null}),
            ),
            (
                "report days --csv --size 7",
                "/api/report",
                json!({"Report": "days", "Format": "csv", "Size": 7}),
            ),
            (
                "quality a b --queries searches.txt --rows 9 --json",
                "/api/quality",
                json!({"Queries": ["a", "b", "c", "d"], "Rows": 9}),
            ),
            (preview, "/api/zones/preview", placed),
            (
                "zones preview HP-01 --json",
                "/api/zones/preview",
                json!({"Basket": null, "Product": null, "Group": 0}),
            ),
        ],
    );
    for wrong in ["search x --filter Brand", "search x --filter Price=10", "recommend --filter Price=a..b"] {
        assert_eq!(program.run(wrong).code, 2, "{wrong}");
    }
    assert!(asked.lock().expect("what was asked").is_empty());
}

#[test]
fn what_a_shop_sends_and_narrows_is_asked_as_it_was_typed() {
    let (url, asked) = serve_script(|_| (200, "x-feed-token: told\r\n", json!([]).to_string()));
    let program = program_for(&url);
    let feed = json!({"url": "http://f.test/f", "DryRun": true, "Token": TOKEN});
    assert_asked(
        &program,
        &asked,
        &[
            ("feed submit http://f.test/f --dry-run --token TOKEN", "/api/productfeed", feed),
            ("feed submit http://f.test/f", "/api/productfeed", json!({"DryRun": false, "Token": null})),
            ("feed publish TOKEN --anyway", "/api/feed/publish", json!({"Token": TOKEN, "Anyway": true})),
            ("feed publish TOKEN", "/api/feed/publish", json!({"Token": TOKEN, "Anyway": false})),
            (
                "snapshot back 12 --section Brands",
                "/api/snapshots/back",
                json!({"Section": "Brands", "Number": 12}),
            ),
            (
                "snapshot compare 1 2 --section Brands --json",
                "/api/snapshots/compare",
                json!({"Section": "Brands", "From": 1, "To": 2}),
            ),
            (
                "issues TOKEN --code c --section Products --severity bad --json",
                "/api/issues",
                json!({"Token": TOKEN, "Code": "c", "Section": "Products", "Severity": "bad", "From": 0}),
            ),
            (
                "issues TOKEN --severity bad --format csv",
                "/api/issues",
                json!({"Severity": "bad", "Format": "csv"}),
            ),
            (
                "submissions --kind feed --state failed --json",
                "/api/submissions",
                json!({"Kind": "feed", "State": "failed"}),
            ),
            ("delta list --state failed --json", "/api/deltas", json!({"State": "failed"})),
            ("erasure list --state overdue --json", "/api/erasures", json!({"State": "overdue"})),
            ("product 1 --section Brands --json", "/api/product", json!({"Id": "1", "Section": "Brands"})),
            (
                "product 1 --why --section Brands --json",
                "/api/product/why",
                json!({"Id": "1", "Section": "Brands"}),
            ),
            (
                "catalogue --section Brands --limit 7 --json",
                "/api/catalogue",
                json!({"Section": "Brands", "Limit": 7}),
            ),
            ("rules list --version 3 --json", "/api/rules", json!({"Version": 3})),
            ("zones list --version 3 --json", "/api/zones", json!({"Version": 3})),
            ("rules undo 0 --json", "/api/rules/undo", json!({"Version": 0})),
            ("zones undo --json", "/api/zones/undo", json!({"Version": null})),
            ("webhook set http://w.test/ --json", "/api/webhook/set", json!({"Url": "http://w.test/"})),
        ],
    );
}

/// Filters of a list of issues hold for all of its pages.
#[test]
fn what_narrows_the_first_page_narrows_the_others() {
    let (url, asked) =
        serve_script(|_| (200, "", json!({"Counts": [], "Issues": [], "Next": null}).to_string()));
    let pages = std::sync::atomic::AtomicUsize::new(0);
    let (of_two, both) = serve_script(move |_| {
        let next = [json!(200), Value::Null];
        let number = pages.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        (200, "", json!({"Counts": [], "Issues": [], "Next": next[number.min(1)]}).to_string())
    });
    let words = format!("issues {TOKEN} --severity bad --code id_missing --all --from 7 --json");
    for (url, asked, begins) in [(url, asked, vec![json!(7)]), (of_two, both, vec![json!(7), json!(200)])] {
        assert_eq!(program_for(&url).run(&words).code, 0);
        let asked = asked.lock().expect("what was asked");
        assert_eq!(asked.iter().map(|(_, body)| body["From"].clone()).collect::<Vec<_>>(), begins);
        for (_, body) in asked.iter() {
            assert_eq!((&body["Severity"], &body["Code"]), (&json!("bad"), &json!("id_missing")), "{body}");
        }
    }
}

#[test]
fn what_an_operator_sets_is_asked_as_it_was_typed() {
    let (program, asked) = serve_control_script(|_| (200, "", json!({}).to_string()));
    let search = "account search s --language de --attribute a --attribute b --origin= --pictures https://p.test \
        --popularity false --bought-together specific --group-by Colour --json";
    let searched = json!({"Name": "s", "Language": "de", "Attributes": ["a", "b"], "Origins": [],
        "Pictures": ["https://p.test"], "Popularity": false, "BoughtTogether": "specific", "GroupBy": "Colour",
        "Synonyms": null});
    let add = "operator add x --role viewer --shop a --shop b --json";
    assert_asked(
        &program,
        &asked,
        &[
            (
                "account create x --currency EUR",
                "/control/account/create",
                json!({"Name": "x", "Currency": "EUR"}),
            ),
            ("account guard s 50", "/control/account/guard", json!({"Name": "s", "Percent": 50})),
            ("account guard s", "/control/account/guard", json!({"Percent": null})),
            ("account quota s none", "/control/account/quota", json!({"Name": "s", "Quota": "none"})),
            (search, "/control/account/search", searched),
            ("account search s", "/control/account/search", json!({"Origins": null, "Popularity": null})),
            ("account search s --renew", "/control/account/search/renew", json!({"Name": "s"})),
            (
                "account set s --display-name X --contact= --language de",
                "/control/account/set",
                json!({"Name": "s", "DisplayName": "X", "Contact": "", "Language": "de"}),
            ),
            ("account deletion confirm s", "/control/account/deletion/confirm", json!({"Name": "s"})),
            ("account deletion dismiss s", "/control/account/deletion/dismiss", json!({"Name": "s"})),
            ("key rotate s --hours 1", "/control/key/rotate", json!({"Name": "s", "Hours": 1})),
            ("key rotate s", "/control/key/rotate", json!({"Hours": 24})),
            ("key revoke s 3", "/control/key/revoke", json!({"Name": "s", "Number": 3})),
            ("key-epoch rotate", "/control/key-epoch/rotate", json!({})),
            (add, "/control/operator/add", json!({"Name": "x", "Role": "viewer", "Shops": ["a", "b"]})),
            ("operator add x", "/control/operator/add", json!({"Role": "owner", "Shops": []})),
            (
                "operator set x --role viewer",
                "/control/operator/set",
                json!({"Role": "viewer", "Shops": null}),
            ),
            (
                "operator set x --shop a --shop b",
                "/control/operator/set",
                json!({"Role": null, "Shops": ["a", "b"], "State": null}),
            ),
            ("operator disable x", "/control/operator/set", json!({"Name": "x", "State": "disabled"})),
            ("operator enable x", "/control/operator/set", json!({"Name": "x", "State": "enabled"})),
            ("operator reset x", "/control/operator/reset", json!({"Name": "x"})),
            ("operator remove x", "/control/operator/remove", json!({"Name": "x"})),
            ("model verify s --sample 9", "/control/model/verify", json!({"Name": "s", "Sample": 9})),
            ("model verify", "/control/model/verify", json!({"Name": null, "Sample": 200})),
            ("erasure count --account s", "/api/erasures/count", json!({"Account": "s"})),
        ],
    );
}

/// A file of rules is shown first; what was shown is set only over the version that it was compared with.
#[test]
fn a_file_of_rules_says_each_change_and_is_set_over_the_list_it_was_compared_with() {
    let rule = |id: &str, banner: &str| json!({"Id": id, "Banner": banner});
    let now = json!([rule("a", "x"), rule("b", "x"), rule("c", "x")]);
    let live = now.clone();
    let (url, asked) = serve_script(move |path| {
        let answer = match path {
            "/api/rules" => json!({"Rules": live, "Version": 3}),
            _ => json!({"Version": 4, "Warnings": ["one", "two"]}),
        };
        (200, "", answer.to_string())
    });
    let program = program_for(&url);
    let write = |rules: &Value| {
        std::fs::write(program.path().join("rules.json"), rules.to_string()).expect("written");
    };
    write(&json!({"Rules": [rule("b", "y"), rule("c", "x"), rule("d", "x")]}));
    const PLAN: &str = "~ b\n+ d\n- a\n";
    let shown = program.run("rules apply rules.json");
    assert_eq!(
        shown.out,
        format!("{PLAN}Nothing was published yet: add --yes to publish.\n"),
        "{}",
        shown.err
    );
    let plan = program.run("rules apply rules.json --json").json();
    assert_eq!(plan, json!({"Plan": ["~ b", "+ d", "- a"]}));
    assert!(asked.lock().expect("what was asked").iter().all(|(path, _)| path == "/api/rules"));
    let set = program.run("rules apply rules.json --yes");
    assert_eq!(set.out, format!("{PLAN}one\ntwo\nVersion 4 is live.\n"), "{}", set.err);
    let (path, body) = asked.lock().expect("what was asked").pop().expect("a question");
    assert_eq!((path.as_str(), &body["Before"]), ("/api/rules/set", &json!(3)));
    assert_eq!(body["Rules"].as_array().map(Vec::len), Some(3));
    write(&json!([now[1], now[0], now[2]]));
    assert!(program.run("rules apply rules.json").out.starts_with("~ their order\n"));
    write(&now);
    assert_eq!(program.run("rules apply rules.json").out, "Nothing: this is the live list.\n");
    assert_eq!(program.run("rules apply rules.json --json").json(), json!({"Plan": []}));
    write(&json!({"Campaigns": []}));
    assert_eq!(program.run("rules apply rules.json").code, 2);
}
