//! The shop's own server, set by the command and told by a running server.

use std::time::{Duration, Instant};

use crate::support::program::{Program, web_server};

#[test]
fn a_webhook_is_set_tried_shown_and_removed() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let url = web_server(Vec::new());
    let refused = program.run("webhook set http://10.0.0.1/");
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert!(refused.err.contains("private or reserved"), "{}", refused.err);
    let set = program.run(&format!("webhook set {url}")).out;
    let secret = set.lines().find_map(|line| line.strip_prefix("Secret: whsec_")).expect("a secret");
    assert!(secret.len() > 40, "{set}");
    assert!(program.run("webhook test").out.starts_with("A test message waits"));
    let began = Instant::now();
    while program.run("webhook show --json").json()["DeliveredAt"].is_null() {
        assert!(began.elapsed() < Duration::from_secs(60), "it is delivered soon");
    }
    let shown = program.run("webhook show").out;
    assert!(shown.contains(&url) && shown.contains("State:") && !shown.contains(secret), "{shown}");
    // Another address keeps the secret, and a failed try says why.
    let dead = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let dead = format!("http://{dead}/hook");
    assert_eq!(
        program.run(&format!("webhook set {dead}")).out,
        format!("Messages go to {dead} from now on.\n")
    );
    assert!(
        program
            .run("webhook show")
            .out
            .lines()
            .any(|line| line.split_whitespace().eq(["Last", "failure:", "never"]))
    );
    program.run("webhook test");
    let began = Instant::now();
    let failed = loop {
        let shown = program.run("webhook show").out;
        if shown.contains(": no connection to the server could be made") {
            break shown;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{shown}");
    };
    let has_line =
        |words: &[&str]| failed.lines().any(|line| line.split_whitespace().eq(words.iter().copied()));
    assert!(
        has_line(&["State:", "on"]) && has_line(&["Waiting:", "1"]) && has_line(&["Given", "up:", "0"]),
        "{failed}"
    );
    let told = program.run("webhook rotate").out;
    assert!(told.starts_with("Secret: whsec_") && told.contains("\nUntil "), "{told}");
    let rotated = program.run("webhook rotate --json").json();
    assert!(rotated["Secret"].as_str().is_some_and(|new| !new.ends_with(secret)), "{rotated}");
    assert_eq!(program.run("webhook remove").out, "The webhook is removed.\n");
    for command in ["show", "test", "rotate", "remove", "show --json", "test --json"] {
        let refused = program.run(&format!("webhook {command}"));
        assert_eq!((refused.code, refused.out.as_str()), (7, ""), "{command}: {}", refused.err);
    }
}
