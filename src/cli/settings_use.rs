//! Settings that each command uses: a flag of any other setting is refused, and not silently ignored.

use clap::ArgMatches;
use confique::Config as _;

use super::fault::CliFault;
use crate::config::Settings;

/// Names of settings that are used together.
type SettingsGroup = &'static [&'static str];

/// Settings that a command uses.
enum SettingsUse {
    /// All of them.
    All,
    /// Settings of these groups.
    Only(&'static [SettingsGroup]),
    /// Settings of these groups with `--account`, which leads to the data folder; none otherwise.
    WithAccount(&'static [SettingsGroup]),
}

use SettingsUse::{All, Only, WithAccount};

/// Settings of a command that goes through the data folder, or opens the store itself.
const STORE: SettingsGroup = &[
    "config",
    "data_dir",
    "store",
    "store_password_file",
    "require_standby",
    "key_dir",
    "key_mirror",
    "journal_mirror",
];

/// Settings that decide which addresses a shop may name.
const ADDRESSES: SettingsGroup = &["feed_allow", "feed_ports"];

/// Settings that each command uses. A row is for a command, or for one of its own commands.
const USES: &[(&str, SettingsUse)] = &[
    ("serve", All),
    ("demo", Only(&[&["listen", "console_listen"]])),
    ("account", Only(&[STORE])),
    ("key", Only(&[STORE])),
    ("operator", Only(&[STORE])),
    ("ledger", Only(&[STORE])),
    ("key-epoch", Only(&[STORE])),
    ("key-mirror", Only(&[&["config", "data_dir", "key_dir", "key_mirror"]])),
    ("check", WithAccount(&[STORE])),
    ("feed", WithAccount(&[STORE, ADDRESSES])),
    ("snapshot", WithAccount(&[STORE])),
    ("rules", WithAccount(&[STORE])),
    ("zones", WithAccount(&[STORE])),
    ("webhook", WithAccount(&[STORE, ADDRESSES])),
    ("delta", WithAccount(&[STORE])),
    ("status", WithAccount(&[STORE])),
    ("forget", WithAccount(&[STORE])),
    ("erasure", WithAccount(&[STORE])),
    ("export", WithAccount(&[STORE])),
    ("scan", WithAccount(&[STORE])),
    ("suppression", WithAccount(&[STORE])),
    ("return", WithAccount(&[STORE])),
    ("product", WithAccount(&[STORE])),
    ("catalogue", WithAccount(&[STORE])),
    ("search", WithAccount(&[STORE])),
    ("complete", WithAccount(&[STORE])),
    ("recommend", WithAccount(&[STORE])),
    ("events", WithAccount(&[STORE])),
    ("model", Only(&[STORE])),
    ("quality", WithAccount(&[STORE])),
    ("report", WithAccount(&[STORE])),
    ("issues", WithAccount(&[STORE])),
    ("refused", WithAccount(&[STORE])),
    ("submissions", WithAccount(&[STORE])),
    ("backup", Only(&[STORE])),
    ("restore", Only(&[STORE])),
    ("doctor", Only(&[STORE])),
    ("drill", Only(&[])),
    ("recovery-key", Only(&[&["config", "data_dir", "key_dir", "journal_mirror"]])),
    ("config show", All),
    ("config template", Only(&[])),
    ("health", Only(&[&["config", "listen"]])),
    ("sample", Only(&[])),
    ("completions", Only(&[])),
    ("man", Only(&[])),
];

/// Row of a command, by all of its words or by the first.
fn find_use(words: &[&str]) -> Option<&'static SettingsUse> {
    let row = |name: &str| USES.iter().find(|(command, _)| *command == name).map(|(_, settings)| settings);
    row(&words.join(" ")).or_else(|| row(words.first().copied()?))
}

/// Refuses a setting on the command line that its command does not use. `given` names the arguments there.
///
/// # Errors
/// When there is such a setting; names it and those that the command uses.
pub(super) fn check_settings(matches: &ArgMatches, given: &[String]) -> Result<(), CliFault> {
    let mut words = Vec::new();
    let mut leaf = matches;
    while let Some((word, inner)) = leaf.subcommand() {
        words.push(word);
        leaf = inner;
    }
    let Some(uses) = find_use(&words) else { return Ok(()) };
    let names_account = leaf.ids().any(|id| id == "account");
    let taken: Vec<&str> = match uses {
        All => return Ok(()),
        WithAccount(_) if !names_account => Vec::new(),
        Only(groups) | WithAccount(groups) => groups.concat(),
    };
    let is_refused = |name: &&String| is_setting(name) && !taken.contains(&name.as_str());
    let Some(name) = given.iter().find(is_refused) else { return Ok(()) };
    let why = match uses {
        WithAccount(groups) if !names_account && groups.concat().contains(&name.as_str()) => {
            " without --account NAME: only then does it read the data folder".to_owned()
        }
        _ if taken.is_empty() => ", nor any other setting".to_owned(),
        _ => {
            let flags: Vec<_> = taken.iter().map(|name| flag_of(name)).collect();
            format!("; its settings are {}", flags.join(", "))
        }
    };
    Err(CliFault::Usage(format!("`lethe {}` does not use {}{why}", words.join(" "), flag_of(name))))
}

fn is_setting(name: &str) -> bool {
    name == "config" || Settings::META.fields.iter().any(|field| field.name == name)
}

fn flag_of(setting: &str) -> String {
    format!("--{}", setting.replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::parser::ValueSource;

    use super::super::run::Cli;
    use super::*;

    /// All commands that have none of their own, each with its words.
    fn leaves(command: &clap::Command, words: &[String], found: &mut Vec<String>) {
        let mut is_leaf = true;
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            is_leaf = false;
            leaves(inner, &[words, &[inner.get_name().to_owned()]].concat(), found);
        }
        if is_leaf {
            found.push(words.join(" "));
        }
    }

    #[test]
    fn every_command_has_a_row_of_settings_and_every_row_a_command() {
        let mut commands = Vec::new();
        leaves(&Cli::command(), &[], &mut commands);
        assert!(commands.len() > 50, "{commands:?}");
        let lacking = commands.iter().filter(|words| {
            let words: Vec<_> = words.split(' ').collect();
            find_use(&words).is_none()
        });
        let lacking: Vec<_> = lacking.collect();
        assert!(lacking.is_empty(), "commands without a row: {lacking:?}");
        for (row, settings) in USES {
            let is_command =
                commands.iter().any(|words| words == row || words.starts_with(&format!("{row} ")));
            assert!(is_command, "no command: {row}");
            let (Only(groups) | WithAccount(groups)) = settings else { continue };
            assert!(groups.concat().into_iter().all(is_setting), "{row}: {groups:?}");
        }
    }

    fn refusal(words: &str) -> Option<String> {
        let words = std::iter::once("lethe").chain(words.split(' '));
        let matches = Cli::command().try_get_matches_from(words).expect("a command line");
        let ids = matches.ids().map(|id| id.as_str().to_owned());
        let given: Vec<_> =
            ids.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine)).collect();
        check_settings(&matches, &given).err().map(|fault| fault.to_string())
    }

    #[test]
    fn a_setting_that_a_command_does_not_use_is_refused_with_those_that_it_uses() {
        for words in [
            "serve --log debug --listen 127.0.0.1:1",
            "demo --listen 127.0.0.1:1 --console-listen 127.0.0.1:2",
            "health --listen 127.0.0.1:1",
            "config show --store sqlite:x",
            "account list --data-dir d",
            "--data-dir d account list --json",
            "status t --data-dir d --account a",
            "feed submit f --feed-allow 10.0.0.0/8 --account a",
            "check feed.json --json",
        ] {
            assert_eq!(refusal(words), None, "{words}");
        }
        for (words, said) in [
            (
                "demo --store sqlite:",
                "`lethe demo` does not use --store; its settings are --listen, --console-listen",
            ),
            ("check f --listen x", "`lethe check` does not use --listen, nor any other setting"),
            ("--log debug check f", "`lethe check` does not use --log, nor any other setting"),
            (
                "config template --config x",
                "`lethe config template` does not use --config, nor any other setting",
            ),
            (
                "feed status t --data-dir d",
                "`lethe feed status` does not use --data-dir without --account NAME: only then does it read the data folder",
            ),
            (
                "account list --listen x",
                "`lethe account list` does not use --listen; its settings are --config, ",
            ),
            (
                "status t --listen x --account a",
                "`lethe status` does not use --listen; its settings are --config, ",
            ),
        ] {
            let refused = refusal(words).unwrap_or_default();
            assert!(refused.starts_with(said), "{words}: {refused}");
        }
    }
}
