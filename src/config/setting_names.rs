//! Names of settings: an unknown one is refused with a suggestion, so that no typing error is a setting that silently
//! does not hold.

use std::ffi::OsStr;

use confique::Config as _;

use super::fault::ConfigFault;
use super::settings::{Settings, variable_of};

/// Variables that commands of a shop read.
const OF_CLIENTS: [&str; 4] = ["LETHE_URL", "LETHE_ACCESS_KEY", "LETHE_SECRET_KEY", "LETHE_SECRET_KEY_FILE"];
/// Prefixes of the variables of the project's own tests and scripts.
const OF_TESTS: [&str; 2] = ["LETHE_TEST_", "LETHE_MUTANT"];
/// The most changes of a letter between a name and the one that was meant.
const CHANGES_MAX: usize = 3;

/// Refuses a settings file that has an unknown name.
pub(super) fn check_file(file: &toml::Table) -> Result<(), ConfigFault> {
    let known: Vec<&str> = Settings::META.fields.iter().map(|field| field.name).collect();
    match file.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(unknown("setting", name, &known)),
        None => Ok(()),
    }
}

/// Refuses an unknown variable `LETHE_…`.
pub(super) fn check_variables<'a>(
    variables: impl Iterator<Item = (&'a str, &'a OsStr)>,
) -> Result<(), ConfigFault> {
    let of_settings = Settings::META.fields.iter().filter_map(variable_of);
    let known: Vec<&str> = of_settings.chain(OF_CLIENTS).collect();
    let mut own = variables.filter(|(name, _)| name.starts_with("LETHE_"));
    let wrong = own.find(|(name, value)| {
        !known.contains(name)
            && !OF_TESTS.iter().any(|tests| name.starts_with(tests))
            && !is_of_service(name, value)
    });
    wrong.map_or(Ok(()), |(name, _)| Err(unknown("variable", name, &known)))
}

/// Kubernetes sets these in every container next to a service whose name begins with `lethe`.
fn is_of_service(name: &str, value: &OsStr) -> bool {
    let is_address = value.to_string_lossy().contains("://");
    name.ends_with("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT")
        || name.contains("_PORT_")
        || (name.ends_with("_PORT") && is_address)
}

fn unknown(what: &str, name: &str, known: &[&str]) -> ConfigFault {
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let nearest = known.iter().map(|known| (strsim::levenshtein(&plain(name), &plain(known)), known)).min();
    let hint = match nearest.filter(|(changes, _)| *changes <= CHANGES_MAX) {
        Some((_, nearest)) => format!("did you mean `{nearest}`?"),
        None => "`lethe config template` lists all".to_owned(),
    };
    ConfigFault::Unreadable(format!("the {what} `{name}` is not known; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, value: &str) -> Option<String> {
        check_variables([(name, OsStr::new(value))].into_iter()).err().map(|fault| fault.to_string())
    }

    #[test]
    fn a_variable_that_nobody_reads_is_refused_with_the_one_that_was_meant() {
        assert_eq!(
            refused("LETHE_KEYMIRROR", "x").as_deref(),
            Some("the variable `LETHE_KEYMIRROR` is not known; did you mean `LETHE_KEY_MIRROR`?")
        );
        assert!(refused("LETHE_FEED_PORT", "80").is_some_and(|said| said.contains("LETHE_FEED_PORTS")));
        assert!(refused("LETHE_WIBBLE_WOBBLE", "x").is_some_and(|said| said.contains("lists all")));
    }

    #[test]
    fn variables_of_clients_of_tests_and_of_kubernetes_are_none_of_ours_to_refuse() {
        for (name, value) in [
            ("LETHE_URL", "http://127.0.0.1:1"),
            ("LETHE_SECRET_KEY_FILE", "x"),
            ("LETHE_TEST_SEED", "1"),
            ("LETHE_SERVICE_HOST", "10.0.0.1"),
            ("LETHE_SERVICE_PORT_HTTP", "8080"),
            ("LETHE_PORT", "tcp://10.0.0.1:8080"),
            ("LETHE_PORT_8080_TCP_ADDR", "10.0.0.1"),
            ("PATH", "/bin"),
        ] {
            assert_eq!(refused(name, value), None, "{name}");
        }
        assert!(refused("LETHE_PORT", "8080").is_some(), "a port that somebody meant for --listen");
    }

    #[test]
    fn three_changed_letters_are_a_typing_error_and_four_another_name() {
        let ends = |name: &str, end: &str| refused(name, "x").is_some_and(|said| said.ends_with(end));
        assert!(ends("LETHE_LISTxyz", "; did you mean `LETHE_LISTEN`?"));
        assert!(ends("LETHE_DATAxDIRxyz", "; `lethe config template` lists all"));
        for name in ["LETHE_MUTANT", "LETHE_TEST_"] {
            assert_eq!(refused(name, "x"), None);
        }
        assert!(refused("LETHE_TES", "x").is_some() && refused("LETHE_SERVICE", "tcp://x").is_some());
    }

    #[test]
    fn the_first_unknown_setting_of_a_file_is_refused() {
        let said = |file: &str| check_file(&file.parse().expect("TOML")).err().map(|fault| fault.to_string());
        assert_eq!(said("listen = \"x\"\nkey_dir = 1"), None);
        assert_eq!(said(""), None);
        let expected = "the setting `listne` is not known; did you mean `listen`?";
        assert_eq!(said("key_dir = 1\nlistne = \"x\"").as_deref(), Some(expected));
    }
}
