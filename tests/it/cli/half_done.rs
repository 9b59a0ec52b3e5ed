//! Commands that are half done when the server fails or gives an answer that cannot be used: nothing is shown for it.

use serde_json::json;

use super::scripted_server::{program_for, program_of, serve_script};

#[test]
fn a_status_whose_last_question_fails_is_a_failure() {
    let (url, asked) = serve_script(|path| match path {
        "/api/productfeedstatus" => (200, "", json!([{"Status": "Processing", "Error": null}]).to_string()),
        "/api/deltastatus" => {
            (200, "", json!([{"Status": 2, "Reason": "The token is not known"}]).to_string())
        }
        _ => (500, "", json!({"Error": "the store is ill"}).to_string()),
    });
    let ended = program_for(&url).run("status 6f9619ff-8b86-4011-b42d-00c04fc964ff");
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    assert!(ended.err.contains("the store is ill"), "{}", ended.err);
    let asked = asked.lock().expect("what was asked");
    let paths: Vec<_> = asked.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["/api/productfeedstatus", "/api/deltastatus", "/api/submissions"]);
}

#[test]
fn a_page_that_cannot_be_made_is_a_failure_and_no_file() {
    let shop = program_of(json!({"At": "yesterday", "Shop": "s"}));
    let ended = shop.run("export userid:1 --page page.html");
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{}", ended.err);
    assert!(!shop.path().join("page.html").exists());
}
