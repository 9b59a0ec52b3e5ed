//! Commands against servers that answer anything: values that no terminal and no shell should read, and addresses at
//! which there is no lethe.

use serde_json::{Value, json};

use super::scripted_server::{program_for, serve_script};

fn hostile(path: &str) -> (u16, &'static str, String) {
    let answer = match path {
        "/api/catalogue" => json!({"Counts": {"Products\u{1b}": 1}, "Next": "z;touch pwned",
            "Items": [{"Id": "P\u{1b}[2J", "Item": {"Title": "gnp.\u{202e}exe", "Prices": ["1 GBP"]}}]}),
        "/api/product" => {
            json!({"Item": {"Title": "a\u{202e}b\u{9b}31m", "Text": "one\ntwo"}, "Feed": 1, "Delta": null})
        }
        "/api/user/held" => json!({"Known": true, "Places": [],
            "Who": [{"Kind": "Email", "Value": "\u{1b}]0;x\u{7}@x"}],
            "Left": [{"Count": 1, "Says": "more\u{1b}",
                      "Requests": ["userid:4711", "userid:z;touch pwned", "userid:\u{1b}x"]}]}),
        "/api/user/export" => json!({"At": 0, "Shop": "s", "Profiles": [{"FirstName": "\u{202e}nnA\u{9b}"}]}),
        "/api/submissions" => json!([{"Token": "\u{1b}", "Kind": "feed", "Source": "\u{202e}moc.live"}]),
        _ => return (400, "", json!({"Error": "no\u{1b}[2J, \u{202e}on"}).to_string()),
    };
    (200, "", answer.to_string())
}

#[test]
fn what_a_hint_prints_is_one_word_and_hides_nothing() {
    let (url, _) = serve_script(hostile);
    let program = program_for(&url);
    for (words, part) in [
        ("catalogue", "More: --from 'z;touch pwned'\n"),
        ("catalogue", "P·[2J  gnp.·exe  1 GBP"),
        ("product 1", "\"Title\": \"a\\u202eb\\u009b31m\",\n  \"Text\": \"one\\ntwo\"\n"),
        ("forget x --dry-run", "  lethe forget userid:4711\n  lethe forget 'userid:z;touch pwned'\n"),
        ("forget x --dry-run", "  lethe forget $'userid:\\x1bx'\n"),
        ("forget x --dry-run", "1 would be left: more·.\n"),
        ("export x", "\"FirstName\": \"\\u202ennA\\u009b\""),
        ("submissions", "·moc.live"),
        ("export x --page -", "<th>First name</th><td>·nnA·</td>"),
        ("snapshot list", "no·[2J, ·on\n"),
    ] {
        let ended = program.run(words);
        let said = ended.out + &ended.err;
        assert!(said.contains(part), "{words}: no {part:?} in {said:?}");
        let is_hidden =
            |letter: char| letter != '\n' && letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}');
        assert!(!said.contains(is_hidden), "{words}: {said:?}");
    }
}

#[test]
fn what_answers_at_a_wrong_address_is_told_from_a_server() {
    let page = "<!doctype html><title>canary</title>";
    for (status, head, body, part) in [
        (200, "content-type: text/html\r\n", page, "status 200, a web page"),
        (404, "content-type: text/html\r\n", page, "status 404, a web page"),
        (301, "location: https://elsewhere.test/\r\n", "", "status 301, a redirect"),
        (401, "", r#"{"message":"canary"}"#, "status 401, without a sentence"),
    ] {
        let (url, _) = serve_script(move |_| (status, head, body.to_owned()));
        let program = program_for(&url);
        for words in ["submissions", "feed watch 6f9619ff-8b86-4011-b42d-00c04fc964ff"] {
            let ended = program.run(words);
            assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{words}: {}", ended.err);
            for part in [part, "is not lethe", &url, "POST /api/submission", "Set LETHE_URL to the address"] {
                assert!(ended.err.contains(part), "{words}: no {part}: {}", ended.err);
            }
            assert!(!ended.err.contains("canary"), "{}", ended.err);
        }
    }
    let (url, _) = serve_script(hostile);
    let secure = program_for(&url.replace("http:", "https:")).run("submissions");
    assert!(secure.code == 1 && secure.err.contains("by HTTPS at https://"), "{}", secure.err);
    for (wrong, part) in [
        ("localhost:8080", "(localhost:8080) does not begin with http://"),
        ("http://", "is not the address of a server"),
        ("http://ann:canary@127.0.0.1:1", "a user name or a password"),
    ] {
        for words in ["submissions", "health"] {
            let ended = program_for(wrong).run(words);
            assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{wrong}: {}", ended.err);
            assert!(ended.err.contains(part) && ended.err.contains("Set LETHE_URL"), "{}", ended.err);
            assert!(!ended.err.contains("canary"), "{}", ended.err);
        }
    }
}

#[test]
fn tokens_that_wait_are_asked_for_at_once() {
    const TOKENS: [&str; 3] = [
        "6f9619ff-8b86-4011-b42d-00c04fc964f1",
        "6f9619ff-8b86-4011-b42d-00c04fc964f2",
        "6f9619ff-8b86-4011-b42d-00c04fc964f3",
    ];
    let (url, asked) = serve_script(|path| {
        let answer = match path {
            "/api/productfeedstatus" => {
                json!(["Processing", "Complete", "Processing"].map(|status| json!({"Status": status})))
            }
            "/api/deltastatus" => json!([1, 2, 3].map(|_| json!({"Reason": "The token is not known"}))),
            // Nothing of the first is kept any more.
            _ => {
                json!([{"Token": TOKENS[2], "Progress": {"Fault": "no connection", "NextTryAt": 0, "TriesLeft": 7}}])
            }
        };
        (200, "", answer.to_string())
    });
    let program = program_for(&url);
    let shown = program.run(&format!("status {} --json", TOKENS.join(" ").to_uppercase())).json();
    assert_eq!([&shown[0]["Fault"], &shown[1]["Fault"]], [&Value::Null, &Value::Null], "{shown}");
    assert_eq!((&shown[2]["Fault"], &shown[2]["TriesLeft"]), (&json!("no connection"), &json!(7)), "{shown}");
    let asked = asked.lock().expect("what was asked");
    let paths: Vec<&str> = asked.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["/api/productfeedstatus", "/api/deltastatus", "/api/submissions"]);
    assert_eq!(asked[2].1["Tokens"], json!(TOKENS.map(str::to_uppercase)));
}
