//! Accounts and keys while the server runs and while it does not.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::program::Program;

/// Returns true if the keys work, asked at once and for a second at most until the answer is as wanted.
fn works_within_a_second(program: &Program, wanted: bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(1);
    loop {
        let works = program.run("submissions --json").code == 0;
        if works == wanted || Instant::now() > deadline {
            return works;
        }
    }
}

#[test]
fn an_account_is_made_with_and_without_a_running_server() {
    let mut program = Program::new();
    let offline = program.account("offline");
    assert_eq!(offline["Name"], "offline");
    assert!(offline["AccessKey"].as_str().expect("a key").len() >= 20);
    let _served = program.serve();
    assert!(works_within_a_second(&program, true));
    let online = program.account("online");
    assert_ne!(online["AccessKey"], offline["AccessKey"]);
    assert!(works_within_a_second(&program, true));
    let names = program.run("account list").out;
    assert!(names.contains("offline") && names.contains("online"));
    assert!(!names.contains("ls_"), "a list shows no secrets");
    let twice = program.run("account create online");
    assert_eq!(twice.code, 1);
    assert!(!twice.err.is_empty() && twice.out.is_empty());
}

#[test]
fn both_secrets_work_while_rotating_and_a_revoked_one_ends_within_a_second() {
    let mut program = Program::new();
    let _served = program.serve();
    let first = program.account("shop");
    let second = program.run("key rotate shop --json").json();
    assert!(works_within_a_second(&program, true), "the older secret");
    program.use_keys(&second);
    assert!(works_within_a_second(&program, true), "the newer secret");
    let listed = program.run("key list shop --json").json();
    let number = listed["Secrets"][0]["Number"].clone();
    program.run(&format!("key revoke shop {number} --json")).json();
    assert!(works_within_a_second(&program, true), "the newer secret still");
    program.use_keys(&first);
    assert!(!works_within_a_second(&program, false), "the older secret is revoked");
}

#[test]
fn a_secret_may_stand_in_a_file() {
    let mut program = Program::new();
    let _served = program.serve();
    let keys = program.account("shop");
    let secret = keys["SecretKey"].as_str().expect("a secret");
    std::fs::write(program.path().join("secret"), format!("{secret}\n")).expect("a file");
    program.set("LETHE_SECRET_KEY", "");
    program.set("LETHE_SECRET_KEY_FILE", "secret");
    assert!(works_within_a_second(&program, true));
}

/// Sends the request of a plugin that is uninstalled.
fn ask_for_deletion(url: &str, keys: &Value) {
    let body = json!({"AccessKey": keys["AccessKey"], "SecretKey": keys["SecretKey"]}).to_string();
    let client = crate::support::world::plain_client();
    let request = client.post(format!("{url}/api/plugin/delete")).header("content-type", "application/json");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let answer = runtime.block_on(request.body(body).send()).expect("an answer");
    assert_eq!(answer.status().as_u16(), 200);
}

#[test]
fn a_deletion_that_a_plugin_asked_for_waits_for_the_operator() {
    let mut program = Program::new();
    let served = program.serve();
    let keys = program.account("shop");
    let ask = || ask_for_deletion(&served.url, &keys);
    assert_eq!(program.run("account deletion list").out, "");
    let none = program.run("account deletion confirm shop");
    assert_eq!((none.code, none.out.as_str()), (7, ""));
    assert!(none.err.contains("account deletion list"), "{}", none.err);
    ask();
    assert_eq!(program.run("account deletion list").out, "shop  asked\n");
    assert_eq!(program.run("account deletion dismiss shop").out, "shop  dismissed\n");
    ask();
    assert!(works_within_a_second(&program, true));
    let confirmed = program.run("account deletion confirm shop --json").json();
    assert_eq!(confirmed["State"], "confirmed");
    assert!(!works_within_a_second(&program, false), "the account is closed");
    assert_eq!(program.run("account deletion list --json").json()[0]["State"], "confirmed");
    assert!(program.run("account list").out.contains("  shop  en        closed"));
}
