//! Settings, exit codes, help.

use std::io::BufRead;

use crate::support::program::Program;

fn listen(program: &Program, words: &str) -> (String, String) {
    let shown = program.run(&format!("config show --json {words}")).json();
    let part = |name: &str| shown["listen"][name].as_str().expect("text").to_owned();
    (part("Value"), part("Source"))
}

#[test]
fn a_flag_wins_over_a_variable_over_the_file_over_the_default() {
    let mut program = Program::new();
    let of = |value: &str, source: &str| (value.to_owned(), source.to_owned());
    assert_eq!(listen(&program, ""), of("127.0.0.1:8080", "default"));
    std::fs::write(program.path().join("lethe.toml"), "listen = \"127.0.0.1:1\"\n").expect("a file");
    assert_eq!(listen(&program, ""), of("127.0.0.1:1", "file"));
    program.set("LETHE_LISTEN", "127.0.0.1:2");
    assert_eq!(listen(&program, ""), of("127.0.0.1:2", "environment"));
    assert_eq!(listen(&program, "--listen 127.0.0.1:3"), of("127.0.0.1:3", "flag"));
}

#[test]
fn what_is_shown_of_the_settings_holds_no_secret() {
    let mut program = Program::new();
    program.set("LETHE_METRICS_TOKEN", "canary-token");
    for store in [
        "postgres://lethe:canary-password@db.test:5433/shops",
        "postgresql://lethe:canary-password@db.test/shops?sslmode=require",
        "postgres://lethe@db.test/shops?password=canary-password",
        "postgres://lethe:canary-password@one.test,two.test/shops",
    ] {
        program.set("LETHE_STORE", store);
        for words in ["config show", "config show --json", &format!("config show --store {store}")] {
            let shown = program.run(words);
            assert_eq!(shown.code, 0, "{}", shown.err);
            assert!(shown.out.contains("postgres://") && shown.out.contains("(set)"), "{}", shown.out);
            assert!(!format!("{}{}", shown.out, shown.err).contains("canary"), "{words}: {}", shown.out);
        }
    }
    for name in ["LETHE_METRICS_TOKEN", "LETHE_STORE"] {
        program.variables.retain(|(known, _)| known != name);
    }
    let text =
        "metrics_token = \"canary-token\"\nstore = \"postgres://lethe:canary-password@db.test/shops\"\n";
    std::fs::write(program.path().join("lethe.toml"), text).expect("a file");
    let shown = program.run("config show --json");
    assert!(!shown.out.contains("canary"), "{}", shown.out);
    let token = shown.json()["metrics_token"].clone();
    assert_eq!((token["Value"].as_str(), token["Source"].as_str()), (Some("(set)"), Some("file")));
}

#[test]
fn the_template_is_a_settings_file_of_the_defaults() {
    let program = Program::new();
    let before = program.run("config show --json").json();
    let template = program.run("config template").out;
    let set = template.lines().map(|line| match line.strip_prefix('#') {
        Some(setting) if setting.contains(" = ") && !setting.starts_with(' ') => setting,
        _ => line,
    });
    let text: Vec<&str> = set.collect();
    std::fs::write(program.path().join("lethe.toml"), text.join("\n")).expect("a file");
    let after = program.run("config show --json").json();
    for name in [
        "data_dir",
        "listen",
        "store",
        "feed_allow",
        "feed_ports",
        "trusted_proxies",
        "forwarded_header",
        "log",
    ] {
        assert_eq!(after[name]["Value"], before[name]["Value"], "{name}");
        assert_eq!(after[name]["Source"], "file", "{name}");
    }
}

#[test]
fn one_list_of_settings_is_the_flags_the_template_and_what_is_shown() {
    let program = Program::new();
    let shown = program.run("config show --json").json();
    let shown: Vec<&str> = shown.as_object().expect("settings").keys().map(String::as_str).collect();
    let template = program.run("config template").out;
    let set = template.lines().filter_map(|line| Some(line.strip_prefix('#')?.split_once('=')?.0.trim()));
    let set: Vec<&str> = set.filter(|name| !name.contains(' ')).collect();
    assert_eq!(shown, set);
    let help = program.run("serve --help").out;
    for name in shown {
        let flag = format!("--{}", name.replace('_', "-"));
        // Arguments of a process can be read by everybody on the machine.
        let has_flag = [" <", "[="].iter().any(|value| help.contains(&format!("{flag}{value}")));
        assert_eq!(has_flag, name != "metrics_token", "{flag}");
    }
    for default in ["lethe-data", "127.0.0.1:8080", "sqlite:", "80,443,8080,8443", "info"] {
        assert!(help.contains(&format!("[default: {default}]")), "{default}");
    }
}

#[test]
fn what_the_caller_did_wrong_ends_with_2_and_names_it() {
    let mut program = Program::new();
    for (words, named) in [
        ("frobnicate", "frobnicate"),
        ("config show --listen nowhere", "setting listen"),
        ("serve --store mysql://x", "setting store"),
        ("config show --config absent.toml", "--config"),
        ("serve --log verbose", "setting log: error, warn, info, debug or trace is expected"),
        ("serve --trusted-proxies proxy.test", "setting trusted_proxies: networks or addresses such as"),
        ("serve --trusted-proxies 10.0.0.0/33", "setting trusted_proxies: networks or addresses such as"),
        (
            "serve --trusted-proxies ::/0",
            "setting trusted_proxies: a network of all addresses is not expected",
        ),
        ("serve --forwarded-header X:Y", "setting forwarded_header: the name of a header such as"),
        ("serve --forwarded-header Forwarded", "setting forwarded_header: Forwarded is not read here"),
        ("serve --feed-allow 10.1", "setting feed_allow: networks or addresses such as"),
        ("catalogue --limit 0", "--limit"),
        ("submissions", "LETHE_ACCESS_KEY is not set"),
    ] {
        let ended = program.run(words);
        assert_eq!(ended.code, 2, "{words}");
        assert!(ended.err.contains(named) && ended.out.is_empty(), "{words}: {}", ended.err);
    }
    program.set("LETHE_ACCESS_KEY", "x");
    assert!(
        program.run("submissions").err.contains("LETHE_SECRET_KEY (or LETHE_SECRET_KEY_FILE) is not set")
    );
    program.set("LETHE_SECRET_KEY_FILE", "absent");
    assert_eq!(program.run("submissions").code, 2);
}

#[test]
fn a_misspelt_setting_is_refused_with_the_one_that_was_meant() {
    let mut program = Program::new();
    for (text, named) in [
        ("key-mirror = \"x\"", "the setting `key-mirror` is not known; did you mean `key_mirror`?"),
        ("foo = 1", "the setting `foo` is not known; "),
        ("[server]\nlisten = \"127.0.0.1:1\"", "the setting `server` is not known"),
    ] {
        std::fs::write(program.path().join("lethe.toml"), text).expect("a file");
        let refused = program.run("config show");
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{text}");
        assert!(refused.err.contains(named), "{text}: {}", refused.err);
    }
    std::fs::remove_file(program.path().join("lethe.toml")).expect("it was there");
    program.set("LETHE_JOURNAL_MIROR", "x");
    let refused = program.run("serve");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("did you mean `LETHE_JOURNAL_MIRROR`?"), "{}", refused.err);
}

#[test]
fn a_command_line_without_a_command_serves_nothing() {
    let program = Program::new();
    let bare = program.run("");
    assert_eq!((bare.code, bare.err.as_str()), (0, ""));
    assert_eq!(bare.out.trim_end(), program.run("-h").out.trim_end());
    for words in ["--json", "--listen 127.0.0.1:0", "--log debug --json"] {
        let refused = program.run(words);
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{words}");
        assert!(refused.err.contains("a command is missing: `lethe serve` serves"), "{}", refused.err);
    }
    assert_eq!(std::fs::read_dir(program.path()).expect("the folder").count(), 0, "nothing was made");
}

#[test]
fn a_port_in_use_ends_the_start_before_folders_are_made() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let program = Program::new();
    for (words, said) in [
        (format!("--listen {address}"), " cannot be listened on: "),
        (
            format!("--listen 127.0.0.1:0 --console-listen {address}"),
            " cannot be listened on for the console: ",
        ),
    ] {
        let ended = program.run(&format!("serve {words}"));
        assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{words}");
        assert!(ended.err.contains(said), "{words}: {}", ended.err);
        assert_eq!(
            std::fs::read_dir(program.path()).expect("the folder").count(),
            0,
            "{words}: nothing was made"
        );
    }
}

#[test]
fn a_start_ends_with_the_address_of_the_console_and_how_the_first_operator_is_added() {
    let program = Program::new();
    // What a start prints, and what a command does while it serves.
    let start = |words: &str| {
        let (mut child, mut out) = program.start("serve --listen 127.0.0.1:0");
        let mut lines = [String::new(), String::new()];
        for line in &mut lines {
            out.read_line(line).expect("a line");
        }
        let ended = program.run(words);
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        assert_eq!(ended.code, 0, "{}", ended.err);
        let [shops, console] = lines;
        assert!(shops.starts_with("lethe listens on http://127.0.0.1:"), "{shops}");
        console
    };
    let first = start("operator add Ann --role owner");
    assert!(first.starts_with("Console: http://127.0.0.1:"), "{first}");
    assert!(first.ends_with(" (`lethe operator add NAME` prints the link to sign in)\n"), "{first}");
    let second = start("operator list");
    assert!(second.starts_with("Console: http://127.0.0.1:") && !second.contains(" ("), "{second}");
}

#[test]
fn a_setting_of_no_use_is_refused_and_a_variable_is_not() {
    let mut program = Program::new();
    for (words, said) in [
        (
            "check feed.json --listen 127.0.0.1:1",
            "`lethe check` does not use --listen, nor any other setting",
        ),
        ("sample --products 1 --data-dir x", "`lethe sample` does not use --data-dir, nor any other setting"),
        (
            "health --data-dir x",
            "`lethe health` does not use --data-dir; its settings are --config, --listen",
        ),
        ("status t --data-dir x", "`lethe status` does not use --data-dir without --account NAME"),
    ] {
        let refused = program.run(words);
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{words}");
        assert!(refused.err.contains(said), "{words}: {}", refused.err);
    }
    program.set("LETHE_DATA_DIR", "x");
    assert_eq!(program.run("sample --products 1").code, 0);
}

#[test]
fn health_asks_the_server_that_the_variable_names() {
    let mut program = Program::new();
    let served = program.serve();
    let healthy = program.run("health --json").json();
    assert_eq!(healthy["Url"], served.url.as_str());
}

#[test]
fn a_missing_server_is_told_with_what_to_do() {
    let mut program = Program::new();
    for (name, value) in
        [("LETHE_URL", "http://127.0.0.1:1"), ("LETHE_ACCESS_KEY", "x"), ("LETHE_SECRET_KEY", "y")]
    {
        program.set(name, value);
    }
    let ended = program.run("submissions");
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    let told = "lethe: no server answers at http://127.0.0.1:1 (";
    assert!(
        ended.err.starts_with(told) && ended.err.to_lowercase().contains("connection refused"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("start one with `lethe serve`. Set LETHE_URL to"), "{}", ended.err);
}

#[test]
fn a_second_server_on_the_folder_ends_with_3_and_the_first_drains_with_0() {
    let mut program = Program::new();
    let served = program.serve();
    let second = program.run("serve --listen 127.0.0.1:0");
    assert_eq!(second.code, 3, "{}", second.err);
    let address = served.url.strip_prefix("http://").expect("http").to_owned();
    assert_eq!(program.run(&format!("health --json --listen {address}")).json()["Healthy"], true);
    assert_eq!(served.terminate().code(), Some(0));
    assert_eq!(program.run(&format!("health --listen {address}")).code, 1);
}

#[test]
fn the_help_lists_every_command_and_every_command_has_help() {
    let program = Program::new();
    let help = program.run("--help").out;
    let commands =
        help.split("Commands:").nth(1).expect("commands").split("Options:").next().expect("a list");
    let names: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(
        names.join(" "),
        "serve demo account key operator ledger key-epoch key-mirror check feed snapshot rules zones webhook delta status forget erasure export scan suppression return product catalogue search complete recommend events model quality report issues refused submissions backup restore doctor drill recovery-key config health sample completions man help"
    );
    for name in names.iter().filter(|name| **name != "help") {
        assert!(program.run(&format!("{name} --help")).out.contains("Usage: lethe"), "{name}");
    }
    assert!(help.contains("Exit codes: 0 done; 1 failed or refused; 2 bad usage"));
    assert!(program.run("completions bash").out.contains("catalogue"));
}

#[test]
fn eval_says_that_it_is_a_program_of_its_own() {
    let program = Program::new();
    for words in
        ["eval", "eval search --feed a.json --floors", "eval recommend --help", "--log trace eval -x"]
    {
        let ended = program.run(words);
        assert_eq!((ended.code, ended.err.lines().count(), ended.out.as_str()), (2, 1, ""), "{words}");
        assert!(ended.err.contains("`lethe-eval`"), "{words}: {}", ended.err);
    }
    let fault = program.run("eval search --json").err;
    let fault: serde_json::Value = serde_json::from_str(fault.trim()).expect("a fault in JSON");
    assert_eq!(fault["ExitCode"], 2);
    assert!(!program.run("completions bash").out.contains("eval)"));
}

/// Every command without commands of its own.
fn leaves(program: &Program, words: &str, found: &mut Vec<String>) {
    let help = program.run(&format!("{words} --help")).out;
    let Some(list) = help.split("Commands:\n").nth(1) else { return found.push(words.to_owned()) };
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    let names =
        lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        leaves(program, format!("{words} {name}").trim(), found);
    }
}

#[test]
fn every_command_has_an_example_and_a_short_help_without_the_settings_of_the_server() {
    let program = Program::new();
    let mut found = Vec::new();
    leaves(&program, "", &mut found);
    assert!(found.len() > 50, "{found:?}");
    let mut bare = Vec::new();
    for words in found {
        let short = program.run(&format!("{words} -h")).out;
        if !short.contains("Example") {
            bare.push(words.clone());
        }
        assert!(!short.contains("--feed-ports") && short.lines().count() < 40, "{words}: {short}");
        let long = program.run(&format!("{words} --help")).out;
        let (own, settings) = long.split_once("Server settings:").expect("one heading");
        assert!(!own.contains("--feed-ports") && settings.contains("--feed-ports"), "{words}: {long}");
    }
    assert!(bare.is_empty(), "no example: {bare:?}");
}

#[test]
fn a_sample_is_the_same_for_the_same_seed_and_760_bytes_a_product() {
    let program = Program::new();
    let feed = program.run("sample --products 500");
    assert_eq!(feed.out, program.run("sample --products 500 --output -").out);
    assert_ne!(feed.out, program.run("sample --products 500 --seed 2").out);
    let products = feed.out.split("\"Products\":[").nth(1).expect("products");
    assert!((730..790).contains(&(products.len() / 500)), "{}", products.len() / 500);
    let made = program.run("sample --products 500 --people 9 --errors --output feed.json --json").json();
    let file = std::fs::metadata(program.path().join("feed.json")).expect("the file");
    assert_eq!(made["Bytes"], file.len());
}

#[test]
fn the_settings_of_the_running_server_are_shown_when_they_are_asked_for() {
    let mut program = Program::new();
    program.set("LETHE_METRICS_TOKEN", "canary-token");
    let served = program.serve();
    program.set("LETHE_METRICS_TOKEN", "");
    let own = program.run("config show --json").json();
    let running = program.run("config show --running --json").json();
    assert_eq!((&own["feed_allow"]["Value"], &running["feed_allow"]), (&"".into(), &"127.0.0.1/32".into()));
    assert_eq!(running["metrics_token"], "(set)");
    assert!(program.run("config show --running").out.contains("127.0.0.1/32"));
    assert!(served.terminate().success());
    assert_eq!(program.run("config show --running").code, 1);
    assert_eq!(program.run("config show --running --data-dir nowhere").code, 2);
}
