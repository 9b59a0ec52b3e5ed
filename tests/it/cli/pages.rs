//! Pages and letters: the output on standard output, and that in a file.

use crate::support::program::Program;

#[test]
fn a_page_is_written_where_it_was_asked_for_and_nothing_else() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let users = r#"{"Users":[{"UserId":"u-1","Email":"ann@mail.example","FirstName":"Ann"}]}"#;
    assert_eq!(program.run_with("delta send - --wait --json", users).json()["Status"], 1);
    let export = program.run("export ann@mail.example").json();
    let id = program.run("forget ann@mail.example --wait --yes --json").json()["Erasure"].clone();
    let certificate = format!("erasure certificate {}", id.as_str().expect("an id"));

    for words in ["export nobody@mail.example", certificate.as_str()] {
        let written = program.run(&format!("{words} --page page.html"));
        let page = std::fs::read_to_string(program.path().join("page.html")).expect("a page");
        assert_eq!(written.code, 0, "{}", written.err);
        assert!(
            written.out.starts_with("page.html: ") && written.out.ends_with(" bytes\n"),
            "{}",
            written.out
        );
        assert_eq!(written.out.lines().count(), 1, "no JSON beside it: {}", written.out);
        // With --json both, each in its place.
        assert!(program.run(&format!("{words} --page page.html --json")).json().is_object());
        let shown = program.run(&format!("{words} --page -"));
        assert_eq!(shown.code, 0, "{}", shown.err);
        let title =
            |page: &str| page.split("<h1>").nth(1).expect("a heading").lines().next().map(str::to_owned);
        assert!(
            shown.out.starts_with("<!doctype html>") && shown.out.ends_with("</html>\n"),
            "{}",
            shown.out
        );
        assert_eq!(title(&shown.out), title(&page));
        assert!(!program.path().join("-").exists(), "no file is named -");
        let both = program.run(&format!("{words} --page - --json"));
        assert_eq!((both.code, both.out.as_str()), (2, ""));
        assert!(both.err.contains("name a file for the page"), "{}", both.err);
    }
    assert_eq!(export["Profiles"][0]["FirstName"], "Ann");
}

#[test]
fn a_letter_is_json_where_json_was_asked_for_and_tells_what_was_there() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let id = program.run("forget nobody@mail.example --wait --yes --json").json()["Erasure"].clone();
    let words = format!("erasure letter {}", id.as_str().expect("an id"));
    let letter = program.run(&words).out;
    // They were unknown, and nothing is said to have been overwritten.
    assert!(letter.contains("Digital keys of your data: there were none"), "{letter}");
    assert!(!letter.contains("overwritten") && !letter.contains("What was removed:"), "{letter}");
    let told = program.run(&format!("{words} --json")).json();
    assert_eq!((told["Letter"].as_str(), &told["Language"]), (Some(letter.trim_end()), &"en".into()));
    let german = program.run(&format!("{words} --json --language de")).json();
    assert_eq!(german["Language"], "de");
    assert!(german["Letter"].as_str().is_some_and(|letter| letter.contains("Es gab keine")), "{german}");
    let page = program.run(&format!("erasure certificate {} --page -", id.as_str().expect("an id"))).out;
    assert!(
        page.contains("There were no keys of the person") && !page.contains("were overwritten"),
        "{page}"
    );
    assert!(page.contains("lethe-verify certificate certificate.json --key key.txt"), "{page}");
}

#[test]
fn what_has_no_json_says_so() {
    let program = Program::new();
    let refused = program.run("completions bash --json");
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert!(
        refused.err.starts_with("{\"Error\":\"a completion script is read by a shell"),
        "{}",
        refused.err
    );
    assert!(program.run("completions bash").out.contains("complete"));
}
