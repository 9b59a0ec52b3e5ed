//! The commands of a data-protection officer, against a running server.

use lethe::sample::{SampleShop, email, person};

use crate::support::program::Program;

#[test]
fn a_person_is_counted_exported_forgotten_proven_and_told() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let shop = SampleShop::default();
    let users = format!("{{\"Users\":[{},{}]}}", person(&shop, 1), person(&shop, 2));
    assert_eq!(program.run_with("delta send - --wait --json", &users).json()["Status"], 1);
    let ann = email(&shop, 1);

    let before = program.run(&format!("forget {ann} --dry-run"));
    assert!(
        before.out.starts_with("Known under these identifiers:\n")
            && before.out.ends_with("Nothing was changed.\n"),
        "{}",
        before.out
    );
    assert!(before.out.contains(&ann) && before.out.contains("records"), "{}", before.out);
    let scanned = program.run(&format!("scan {ann}"));
    assert_eq!((scanned.code, scanned.out.contains("records")), (5, true), "{}", scanned.err);
    assert!(scanned.out.contains("Files were not searched: only the operator"), "{}", scanned.out);
    let stray = program.path().join("lethe-data/stray.txt");
    std::fs::write(&stray, format!("a copy with {ann} in it")).expect("a file");
    let scanned = program.run(&format!("scan {ann} --account shop"));
    assert!(scanned.code == 5 && scanned.out.contains("Found in the file stray.txt"), "{}", scanned.out);
    std::fs::remove_file(&stray).expect("it was there");
    let export = program.run(&format!("export {ann} --json --page page.html")).json();
    assert_eq!(export["Profiles"].as_array().map(Vec::len), Some(1));
    let page = std::fs::read_to_string(program.path().join("page.html")).expect("a page");
    assert!(page.contains(&ann) && page.contains("<h1>What the shop “shop” stores about you</h1>"));
    assert!(page.contains("<th>First name</th>") && page.contains("<th>Email address</th>"), "{page}");
    assert_eq!(program.run(&format!("suppression check {ann}")).out, "Not forgotten: let in.\n");

    let forgotten = program.run(&format!("forget {ann} --wait --yes --json")).json();
    assert_eq!(forgotten["State"], "verified");
    let id = forgotten["Erasure"].as_str().expect("an id").to_owned();
    assert!(program.run("erasure list").out.contains(&id));
    assert!(program.run(&format!("erasure show {id}")).out.contains("verified"));
    let key = program.run("ledger key").out.trim().parse().expect("a key");
    let certificate = program.run(&format!("erasure certificate {id}")).out;
    let checked =
        lethe_verify::check_certificate(certificate.trim_end(), Some(&key)).expect("it proves what it says");
    assert_eq!(checked.body.erasure.to_string(), id);
    let letter = program.run(&format!("erasure letter {id}")).out;
    let removed = "What was removed:
  - 1 digital key without which your stored data cannot be read
";
    let record = "  - 1 entry with your profile, an order or an action of yours in the shop
";
    let kept = "What stays, because you asked to be forgotten:
  - A fingerprint of each email address";
    for part in ["You asked the shop “shop” to forget you.", removed, record, kept, &id] {
        assert!(letter.contains(part), "no {part}: {letter}");
    }
    assert!(!letter.contains(&ann) && !certificate.contains(&ann));

    assert_eq!(program.run(&format!("scan {ann} --json")).json()["FoundAnywhere"], false);
    assert!(program.run(&format!("suppression check {ann}")).out.starts_with("Forgotten since "));
    let again = program.run(&format!("scan {ann}"));
    assert!(again.code == 0 && again.out.ends_with("Nothing of this person was found.\n"), "{}", again.out);
    let returned = program.run(&format!("return {ann}"));
    assert!(returned.out.contains("return the user id too"), "{}", returned.out);
    assert!(program.run(&format!("suppression check {ann}")).out.starts_with("Was forgotten, and came back"));
    program.run(&format!("export {ann} --page back.html --json")).json();
    let page = std::fs::read_to_string(program.path().join("back.html")).expect("a page");
    assert!(page.contains("You were forgotten, and came back") && page.contains("Nothing else"), "{page}");
    let unknown = program.run(&format!("forget mail:{ann} --yes"));
    assert_eq!((unknown.code, unknown.out.as_str()), (2, ""));
    assert!(unknown.err.contains("userid:crm:4711") && !unknown.err.contains(&ann), "{}", unknown.err);
    assert_eq!(program.run("erasure show 00000000-0000-4000-8000-000000000000").code, 7);
    assert_eq!(program.run(&format!("forget {ann} --dry-run --wait")).code, 2);
}

#[test]
fn what_a_person_gets_is_in_the_language_and_the_name_of_the_shop() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let users = r#"{"Users":[{"UserId":"u-1","Email":"ann@mail.example","FirstName":"<b>Ann"}]}"#;
    assert_eq!(program.run_with("delta send - --wait --json", users).json()["Status"], 1);
    assert_eq!(program.run("account set shop").code, 2, "nothing is named");
    let set =
        program.run("account set shop --display-name Tee&<b>mehr --contact dpo@tea.example --language de");
    assert_eq!((set.code, set.err.as_str()), (0, ""));
    let told = "Name:        shop\nDisplayName: Tee&<b>mehr\nContact:     dpo@tea.example\nLanguage:    de\n";
    assert_eq!(set.out, told);
    let listed = program.run("account list").out;
    let [head, row] = listed.lines().collect::<Vec<_>>()[..] else { panic!("{listed}") };
    let columns: Vec<_> = head.split_whitespace().collect();
    assert_eq!(columns, ["AccessKey", "Name", "Language", "State", "DisplayName", "Held", "Number"]);
    assert!(row.contains("  shop  de        open   Tee&<b>mehr  "), "{row}");
    assert!(row.contains(", no limit  ") && row.ends_with("  1"), "{row}");
    let read = |name: &str| std::fs::read_to_string(program.path().join(name)).expect("a page");

    program.run("export ann@mail.example --page ann.html --json").json();
    let page = read("ann.html");
    assert!(page.contains("<h1>Was der Shop „Tee&amp;&lt;b&gt;mehr“ über Sie speichert</h1>"), "{page}");
    assert!(page.contains("<th>Vorname</th><td>&lt;b&gt;Ann</td>") && !page.contains("<b>"), "{page}");
    program.run("export ann@mail.example --page ann.html --language fr --json").json();
    assert!(read("ann.html").contains("<h2>Votre profil</h2>"));

    let id = program.run("forget ann@mail.example --wait --yes --json").json()["Erasure"].clone();
    let id = id.as_str().expect("an id");
    let letter = program.run(&format!("erasure letter {id}")).out;
    for part in ["den Shop „Tee&<b>mehr“ gebeten", "  - 1 Eintrag mit Ihrem Profil", "(dpo@tea.example)", id]
    {
        assert!(letter.contains(part), "no {part}: {letter}");
    }
    let french = program.run(&format!("erasure letter {id} --language fr-BE"));
    assert!(
        french.err.is_empty() && french.out.contains("la boutique «\u{a0}Tee&<b>mehr\u{a0}»"),
        "{}",
        french.out
    );
    let unknown = program.run(&format!("erasure letter {id} --language tlh"));
    assert!(
        unknown.code == 0 && unknown.out.starts_with("You asked the shop “Tee&<b>mehr”"),
        "{}",
        unknown.out
    );
    assert!(
        unknown.err.contains("no texts in this language") && unknown.err.contains("de (German)"),
        "{}",
        unknown.err
    );

    // The same with the keys of the shop and as the operator.
    for whose in ["", "--account shop"] {
        let printed =
            program.run(&format!("erasure certificate {id} --page certificate.html --json {whose}")).out;
        let checked =
            lethe_verify::check_certificate(printed.trim_end(), None).expect("it proves what it says");
        let page = read("certificate.html");
        for part in [
            "<html lang=\"de\">",
            "<h1>Bescheinigung über eine Löschung</h1>",
            "Tee&amp;&lt;b&gt;mehr",
            id,
            "Profil, Bestellungen und was die Person im Shop getan hat</td><td class=\"n\">1</td>",
            &checked.checkpoint.key.to_string(),
        ] {
            assert!(page.contains(part), "no {part}: {page}");
        }
        assert!(!page.contains("<b>") && !page.contains("ann@") && !page.contains("<script"), "{page}");
    }
    let unknown = program.run("account set shop --language tlh");
    assert!(unknown.code == 0 && unknown.out.contains("Language:    en\n"), "{}", unknown.out);
    assert!(unknown.err.contains("so they are in English"), "{}", unknown.err);
}

#[test]
fn nobody_waits_for_an_erasure_that_nobody_does() {
    let program = Program::new();
    assert_eq!(program.run("account create shop --new-store").code, 0);
    let waited = program.run("forget ann@mail.example --account shop --wait --yes");
    assert_eq!(waited.code, 1);
    assert!(waited.err.contains("start `lethe serve`"), "{}", waited.err);
}

#[test]
fn an_erasure_is_found_by_the_reference_of_its_case() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let words = "forget ann@mail.example --yes --wait --json --reference DSR-2026-114";
    let forgotten = program.run(words).json();
    assert_eq!(forgotten["Reference"], "DSR-2026-114", "{forgotten}");
    let id = forgotten["Erasure"].as_str().expect("an id");
    let found = |text: &str| {
        let listed = program.run(&format!("erasure list --reference {text}")).out;
        listed.contains(id) && listed.contains("DSR-2026-114")
    };
    assert_eq!(["dsr-2026", "114", "DSR-2027"].map(found), [true, true, false]);
    assert!(program.run(&format!("erasure show {id}")).out.contains("\nReference: DSR-2026-114\n"));
    let letter = program.run(&format!("erasure letter {id}")).out;
    assert!(letter.contains("own reference of your request is DSR-2026-114."), "{letter}");
    let certificate = program.run(&format!("erasure certificate {id}")).out;
    assert!(!certificate.contains("DSR"), "{certificate}");
    let changed = program.run(&format!("erasure reference {id} A-7,B/8"));
    assert_eq!((changed.code, changed.out.as_str()), (0, "Its reference is A-7, B/8.\n"), "{}", changed.err);
    let cleared = program.run(&format!("erasure reference {id} --clear"));
    assert_eq!((cleared.code, cleared.out.as_str()), (0, "It has no reference any more.\n"));
    let refused = program.run("forget bea@mail.example --yes --reference bea@mail.example");
    assert!(refused.code != 0 && refused.err.contains("must not stand in it"), "{}", refused.err);
    assert_eq!(program.run(&format!("erasure reference {id}")).code, 2, "neither a reference nor --clear");
}
