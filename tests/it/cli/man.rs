//! `lethe man`.

use crate::support::program::Program;

#[test]
fn every_command_and_the_verifier_have_a_manual_page() {
    let program = Program::new();
    std::fs::create_dir(program.path().join("pages")).expect("a folder");
    let written = program.run("man pages");
    assert_eq!(written.code, 0, "{}", written.err);
    let page = |name: &str| {
        std::fs::read_to_string(program.path().join("pages").join(name))
            .unwrap_or_else(|_| panic!("no {name}"))
    };
    let first = page("lethe.1");
    let help = program.run("--help").out;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands =
        commands.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let commands: Vec<_> = commands.filter(|command| *command != "help").collect();
    assert!(commands.len() > 20, "{help}");
    for command in commands {
        assert!(page(&format!("lethe-{command}.1")).contains(".SH NAME"), "{command}");
        assert!(first.contains(&format!("lethe\\-{}(1)", command.replace('-', "\\-"))), "{command}: {first}");
    }
    let submit = page("lethe-feed-submit.1");
    assert!(submit.contains("dry\\-run") && submit.contains("Folder of the embedded store"), "{submit}");
    let verifier = page("lethe-verify.1").replace("\\-", "-");
    for word in [
        "certificate FILE",
        "ledger FILE",
        "growth CHECKPOINT GROWTH",
        "--key KEY",
        "--earlier",
        "Exit codes",
    ] {
        assert!(verifier.contains(word), "{word}: {verifier}");
    }
    assert_eq!(program.run("man no-such-folder").code, 1);
}
