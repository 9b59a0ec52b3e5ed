//! Every command with all that may be left out left out, for people and for scripts: the list is that of the manual.

use std::collections::BTreeSet;

use crate::support::program::Program;

/// A word that stands for an id of something that is not there.
const NONE: &str = "00000000-0000-0000-0000-000000000000";

/// Commands of a server with one empty shop, and the codes with which they end, in both forms.
const COMMANDS: [(&str, u8); 73] = [
    ("account deletion confirm shop", 7),
    ("account deletion dismiss shop", 7),
    ("account deletion list", 0),
    ("account feed shop", 0),
    ("account guard shop", 0),
    ("account list", 0),
    ("account quota shop", 0),
    ("account search shop", 0),
    ("account set shop", 2),
    ("catalogue", 0),
    ("complete lamp", 0),
    ("config show", 0),
    ("config template", 0),
    ("delta list", 0),
    ("delta send delta.json", 0),
    ("doctor", 1),
    ("erasure certificate NONE", 7),
    ("erasure count", 0),
    ("erasure letter NONE", 7),
    ("erasure list", 0),
    ("erasure reference NONE --clear", 7),
    ("erasure show NONE", 7),
    ("events import none.ndjson", 0),
    ("export ada@shop.test", 0),
    ("feed cancel NONE", 7),
    ("feed difference NONE", 7),
    ("feed publish NONE", 7),
    ("feed status NONE", 0),
    ("feed submit http://10.0.0.1/feed.json", 1),
    ("feed watch NONE", 7),
    ("forget ada@shop.test", 2),
    ("health", 0),
    ("issues NONE", 7),
    ("key list shop", 0),
    ("key revoke shop 9", 7),
    ("key-epoch show", 0),
    ("key-mirror restore", 2),
    ("ledger checkpoint shop", 0),
    ("ledger export shop", 0),
    ("ledger key", 0),
    ("model verify", 0),
    ("operator acts", 0),
    ("operator disable ann", 7),
    ("operator enable ann", 7),
    ("operator list", 0),
    ("operator remove ann", 7),
    ("operator reset ann", 7),
    ("operator set ann", 7),
    ("product p1", 7),
    ("quality", 0),
    ("recommend", 0),
    ("refused", 0),
    ("report zones", 0),
    ("return ada@shop.test", 0),
    ("rules apply list.json", 0),
    ("rules history", 0),
    ("rules list", 0),
    ("rules preview list.json lamp", 0),
    ("rules undo 9", 7),
    ("scan ada@shop.test", 0),
    ("search lamp", 0),
    ("snapshot back 1", 7),
    ("snapshot compare 1 2", 7),
    ("snapshot list", 0),
    ("status NONE", 0),
    ("submissions", 0),
    ("suppression check ada@shop.test", 0),
    ("webhook show", 7),
    ("zones apply list.json", 0),
    ("zones history", 0),
    ("zones list", 0),
    ("zones preview HP-01", 0),
    ("zones undo 9", 7),
];

/// Commands that end otherwise each time, make something, or need more than a server, each with the tests of its own.
const OTHERS: [(&str, &str); 21] = [
    ("account create", "cli::keys"),
    ("backup", "cli::recovery"),
    ("check", "cli::check"),
    ("completions", "cli::pages"),
    ("demo", "cli::demo"),
    ("drill", "cli::recovery"),
    ("key rotate", "cli::keys"),
    ("key-epoch rotate", "cli::keys"),
    ("ledger check", "cli::ledger"),
    ("ledger growth", "cli::ledger"),
    ("man", "cli::man"),
    ("operator add", "console"),
    ("recovery-key new", "cli::folders"),
    ("restore", "cli::recovery"),
    ("sample", "cli::sample"),
    ("serve", "cli::settings"),
    ("verify", "cli::verify"),
    ("webhook remove", "cli::webhook"),
    ("webhook rotate", "cli::webhook"),
    ("webhook set", "cli::webhook"),
    ("webhook test", "cli::webhook"),
];

#[test]
fn every_command_ends_alike_in_both_forms_when_all_that_may_be_is_left_out() {
    let mut program = Program::new();
    let listed: BTreeSet<_> = COMMANDS
        .map(|(words, _)| words)
        .into_iter()
        .chain(OTHERS.map(|(words, _)| words))
        .map(|words| words.replace(' ', "-"))
        .collect();
    let is_listed = |command: &String| {
        listed.iter().any(|words| words == command || words.starts_with(&format!("{command}-")))
    };
    let lacks: Vec<_> = program.list_commands().into_iter().filter(|command| !is_listed(command)).collect();
    assert_eq!(lacks, [""; 0], "commands that this list lacks");
    let _served = program.serve();
    program.account("shop");
    for (name, text) in [("list.json", "[]"), ("delta.json", r#"{"Products":[]}"#), ("none.ndjson", "")] {
        std::fs::write(program.path().join(name), text).expect("written");
    }
    for (words, code) in COMMANDS {
        let words = words.replace("NONE", NONE);
        let ended = program.run(&words);
        assert_eq!(ended.code, i32::from(code), "{words}: {}", ended.err);
        let ended = program.run(&format!("{words} --json"));
        assert_eq!(ended.code, i32::from(code), "{words} --json: {}", ended.err);
        if code == 0 && !words.starts_with("config template") && !words.starts_with("ledger export") {
            assert!(serde_json::from_str::<serde_json::Value>(&ended.out).is_ok(), "{words}: {}", ended.out);
        }
        if code != 0 {
            let fault: serde_json::Value = serde_json::from_str(ended.err.trim()).expect("a fault in JSON");
            assert_eq!(fault["ExitCode"], code, "{words}");
        }
    }
}
