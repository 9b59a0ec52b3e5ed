//! Checks of the container files that need no container: their settings exist, their programs are built, and
//! docker-compose understands them.

use std::path::Path;
use std::process::Command;

use crate::support::machine;
use crate::support::program::Program;

const DOCKERFILE: &str = include_str!("../../../packaging/container/Dockerfile");
const COMPOSE: [(&str, &str); 2] = [
    ("compose.sqlite.yaml", include_str!("../../../packaging/container/compose.sqlite.yaml")),
    ("compose.postgres.yaml", include_str!("../../../packaging/container/compose.postgres.yaml")),
];

const OPERATING: &str = include_str!("../../../docs/operating.md");

/// The instructions of the Dockerfile, each in one line.
fn instructions() -> Vec<String> {
    let text = DOCKERFILE.replace("\\\n", " ");
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

fn values<'a>(instructions: &'a [String], name: &str) -> Vec<&'a str> {
    instructions.iter().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).collect()
}

/// `NAME=value` and `NAME: value` of settings, wherever they stand.
fn settings(text: &str) -> Vec<(String, String)> {
    let words = text.lines().filter(|line| !line.trim_start().starts_with('#')).flat_map(|line| {
        let line = line.trim().trim_start_matches("ENV ");
        match line.split_once(": ") {
            Some((name, value)) => vec![(name.to_owned(), value.to_owned())],
            None => line
                .split(' ')
                .filter_map(|word| word.split_once('='))
                .map(|(n, v)| (n.to_owned(), v.to_owned()))
                .collect(),
        }
    });
    words.filter(|(name, _)| name.starts_with("LETHE_")).collect()
}

#[test]
fn the_image_has_what_is_built_and_starts_what_there_is() {
    let instructions = instructions();
    let manifest: toml::Table = include_str!("../../../Cargo.toml").parse().expect("a manifest");
    let minimum = manifest["package"]["rust-version"].as_str().expect("a version");
    let stages = values(&instructions, "FROM");
    assert_eq!(stages[0], format!("docker.io/library/rust:{minimum}-bookworm AS build"));
    let copied = values(&instructions, "COPY");
    assert!(copied.iter().filter(|copy| copy.contains("--from=")).all(|copy| copy.contains("--from=build ")));
    for program in manifest["bin"].as_array().expect("programs") {
        let name = program["name"].as_str().expect("a name");
        assert!(copied.iter().any(|copy| copy.contains(&format!("/made/{name} "))), "{name} is in the image");
    }
    // Whoever it runs as in the end is the owner of its folders.
    assert_eq!(values(&instructions, "USER"), ["65532:65532"]);
    let folders = values(&instructions, "VOLUME");
    assert_eq!(folders, [r#"["/data", "/keys"]"#]);
    for folder in ["/data", "/keys"] {
        let made = copied.iter().any(|copy| copy.contains("--chown=65532:65532") && copy.ends_with(folder));
        assert!(made, "{folder}");
    }
    // Its start and its health check are commands.
    let program = Program::new();
    let health = values(&instructions, "HEALTHCHECK");
    let words = [values(&instructions, "CMD")[0], health[0].split("CMD ").nth(1).expect("a command")];
    for words in words {
        let words: Vec<String> = serde_json::from_str(words).expect("a list");
        let command = words.iter().find(|word| !word.starts_with('/')).expect("a command");
        assert_eq!(program.run(&format!("{command} --help")).code, 0, "{command}");
    }
}

#[test]
fn every_setting_of_a_container_is_one() {
    for (name, text) in COMPOSE.into_iter().chain([("Dockerfile", DOCKERFILE)]) {
        let mut program = Program::new();
        let settings = settings(text);
        // A proxy in front that is not named makes one client of all shoppers.
        let names_proxies = settings.iter().any(|(setting, _)| setting == "LETHE_TRUSTED_PROXIES");
        assert_eq!(names_proxies, name != "Dockerfile", "{name}");
        for (setting, value) in &settings {
            program.set(setting, value);
        }
        let shown = program.run("config show --json");
        assert_eq!(shown.code, 0, "{name}: {}", shown.err);
        let of_environment = shown.out.matches("\"environment\"").count();
        assert_eq!(of_environment, settings.len(), "{name}: {}", shown.out);
        assert!(text.contains("Nothing in CI can build"), "{name}");
    }
}

#[test]
fn a_container_comes_back_after_a_reboot_and_shows_its_console_to_its_machine_alone() {
    let listen = settings(DOCKERFILE).into_iter().find(|(name, _)| name == "LETHE_CONSOLE_LISTEN");
    assert_eq!(
        listen.expect("it is set").1,
        "0.0.0.0:8081",
        "that of the container alone would be unreachable"
    );
    assert_eq!(values(&instructions(), "EXPOSE"), ["8080 8081"]);
    for (name, text) in COMPOSE {
        let restarts: Vec<_> =
            text.lines().filter_map(|line| line.trim().strip_prefix("restart: ")).collect();
        // A server that was told to stop ends with 0: no failure, so that `on-failure` leaves it down.
        assert!(
            !restarts.is_empty() && restarts.iter().all(|when| *when == "unless-stopped"),
            "{name}: {restarts:?}"
        );
        let ports = text.lines().find_map(|line| line.trim().strip_prefix("ports: ")).expect("ports");
        let ports: Vec<String> = serde_json::from_str(ports).expect("a list");
        assert_eq!(ports, ["127.0.0.1:8080:8080", "127.0.0.1:8081:8081"], "{name}");
    }
}

#[test]
fn the_documents_run_the_image_as_its_files_do() {
    let build = DOCKERFILE.lines().find(|line| line.contains("docker build")).expect("a command");
    let build = build.trim_start_matches(['#', ' ']);
    let (_, from) = OPERATING.split_once(build).expect("the documents build the image so");
    for (setting, value) in settings(COMPOSE[0].1) {
        assert!(from.contains(&format!("--env {setting}={value} ")), "{setting}");
    }
    for published in ["127.0.0.1:8080:8080", "127.0.0.1:8081:8081"] {
        assert!(from.contains(&format!("--publish {published} ")), "{published}");
    }
    let program = Program::new();
    for command in ["demo", "account create", "operator add"] {
        assert!(from.contains(&format!("lethe {command} ")), "{command}");
        assert_eq!(program.run(&format!("{command} --help")).code, 0, "{command}");
    }
}

#[test]
fn docker_compose_understands_the_files() {
    if !machine::has("docker-compose", false, &["docker-compose"]) {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/container");
    for (name, _) in COMPOSE {
        let mut command = Command::new("docker-compose");
        let read = command.args(["--file", name, "config"]).current_dir(&folder).output().expect("it runs");
        let said = String::from_utf8_lossy(&read.stdout);
        let faults = String::from_utf8_lossy(&read.stderr);
        assert!(read.status.success() && faults.is_empty(), "{name}: {faults}");
        for volume in ["/data", "/keys"] {
            assert!(said.contains(&format!(":{volume}:rw")), "{name}: {said}");
        }
    }
}
