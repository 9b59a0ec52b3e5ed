//! Every answer that a guide prints is what its command prints: `scripts/follow` runs the commands with these programs.
//! Guides with steps in pages are followed by `scripts/pages-test`.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::machine;

/// Follows a guide; `None` where the machine lacks the tools that its reader needs.
fn follow(guide: &Path, headings: &[&str]) -> Option<Output> {
    if !machine::has("guides", false, &["bash", "curl", "python3"]) {
        return None;
    }
    let built = Path::new(env!("CARGO_BIN_EXE_lethe")).parent().expect("a folder").display();
    let outer = std::env::var("PATH").expect("a path");
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/follow"));
    command.env("PATH", format!("{built}:{outer}")).arg(guide).args(headings);
    Some(command.output().expect("it runs"))
}

fn assert_true(guide: &str, headings: &[&str], answers: usize) {
    let Some(ended) = follow(&Path::new(env!("CARGO_MANIFEST_DIR")).join(guide), headings) else { return };
    let said = String::from_utf8_lossy(&ended.stdout);
    let faults = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}{faults}");
    assert!(said.contains(&format!("{answers} answers compared")), "{said}");
}

#[test]
fn what_the_readme_prints_is_what_its_commands_print() {
    assert_true("README.md", &["The first five minutes", "An erasure, shown"], 12);
}

#[test]
fn what_the_guide_for_integrators_prints_is_what_its_commands_print() {
    let headings = [
        "Set up",
        "Paste your Google feed's URL",
        "The export of your shop",
        "A table or JSON of your own",
        "The operations",
        "Check a feed before you send it",
    ];
    assert_true("docs/integrating.md", &headings, 16);
}

#[test]
fn the_first_hour_of_an_integrator_is_as_the_guide_says() {
    assert_true("docs/first-hour/integrator.md", &[], 19);
}

#[test]
fn what_the_guide_to_plugins_prints_is_what_its_commands_print() {
    assert_true("docs/plugins.md", &["What a plugin does, by hand", "How to see that it works"], 16);
}

#[test]
fn a_guide_that_prints_something_else_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let guide = folder.path().join("guide.md");
    let one = "01a1ff15-2850-7367-97e9-5d7f7b2f3e01";
    let other = one.replace('0', "f");
    for (session, is_same) in [
        (format!("echo '{{\"Token\":\"{other}\"}}'\n{{\"Token\":\"{one}\"}}"), true),
        (format!("echo {other}\n{one}\n$ [ {one} = {other} ] && echo learned\nlearned"), true),
        ("echo at 2027-01-01T00:00:01.5Z\nat 2026-11-21T12:00:00Z".to_owned(), true),
        ("printf 'a\\nb\\nc d e\\n'\n…\nc … e".to_owned(), true),
        ("printf 'a\\nb\\n'\na".to_owned(), false),
        ("echo a\na\nb".to_owned(), false),
        ("echo 2 rows\n1 rows".to_owned(), false),
        (format!("echo none\n{one}"), false),
        ("echo a b\na … c".to_owned(), false),
    ] {
        std::fs::write(&guide, format!("## A\n```console\n$ {session}\n```\n")).expect("a file");
        let Some(ended) = follow(&guide, &["A"]) else { return };
        assert_eq!(ended.status.success(), is_same, "{session}: {}", String::from_utf8_lossy(&ended.stdout));
    }
    for (command, is_true) in [("cat >a <<'END'\nb\nEND\n[ $(cat a) = b ]", true), ("false", false)] {
        std::fs::write(&guide, format!("## A\n```sh\n{command}\n```\n```console\n$ echo a\na\n```\n"))
            .expect("a file");
        let Some(ended) = follow(&guide, &[]) else { return };
        assert_eq!(ended.status.success(), is_true, "{command}: {}", String::from_utf8_lossy(&ended.stdout));
    }
}
