//! Mutants: deliberate breaks, compiled only with the feature `mutants`, that a test has to notice. How to add one:
//! `docs/mutants.md`.

#[cfg(all(feature = "mutants", not(debug_assertions)))]
compile_error!("the feature `mutants` is for tests only: a release is built without it");

/// `mutant!("name", original, alternative)` is the original, and `mutant!("name", statement)` is nothing. Only with
/// the feature `mutants`, and the name in `LETHE_MUTANT`, is it the alternative or the statement.
#[cfg(not(feature = "mutants"))]
macro_rules! mutant {
    ($name:literal, $original:expr, $alternative:expr $(,)?) => {
        $original
    };
    ($name:literal, $added:expr $(,)?) => {};
}

#[cfg(feature = "mutants")]
macro_rules! mutant {
    ($name:literal, $original:expr, $alternative:expr $(,)?) => {
        if $crate::mutants::is_planted($name) { $alternative } else { $original }
    };
    ($name:literal, $added:expr $(,)?) => {
        if $crate::mutants::is_planted($name) {
            $added;
        }
    };
}

/// Mutants of SQL texts.
#[cfg(feature = "mutants")]
const PATCHES: &str = include_str!("../tests/mutants.txt");

#[cfg(feature = "mutants")]
fn planted() -> Option<&'static str> {
    static PLANTED: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    PLANTED.get_or_init(|| std::env::var("LETHE_MUTANT").ok()).as_deref()
}

/// Whether `LETHE_MUTANT` names this mutant.
#[cfg(feature = "mutants")]
pub(crate) fn is_planted(name: &str) -> bool {
    planted() == Some(name)
}

/// The text of a statement or migration, as it is.
#[cfg(not(feature = "mutants"))]
pub(crate) const fn statement_text(_name: &str, text: &'static str) -> &'static str {
    text
}

/// The text of the statement or migration `name`, broken when `LETHE_MUTANT` names a patch of its file.
#[cfg(feature = "mutants")]
pub(crate) fn statement_text(name: &str, text: &'static str) -> &'static str {
    static CHOSEN: std::sync::OnceLock<Option<&str>> = std::sync::OnceLock::new();
    static BROKEN: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let Some(patch) = *CHOSEN.get_or_init(chosen_patch) else { return text };
    let is_its_file = field(patch, "file").is_some_and(|file| file.ends_with(&format!("/{name}.sql")));
    match (field(patch, "old"), field(patch, "new")) {
        (Some(old), Some(new)) if is_its_file && text.contains(old) => {
            BROKEN.get_or_init(|| text.replace(old, new))
        }
        _ => text,
    }
}

#[cfg(feature = "mutants")]
fn chosen_patch() -> Option<&'static str> {
    let chosen = planted()?;
    PATCHES.split("\n\n").find(|patch| field(patch, "name") == Some(chosen))
}

/// The text behind `name: ` in a patch.
#[cfg(feature = "mutants")]
fn field<'a>(patch: &'a str, name: &str) -> Option<&'a str> {
    patch.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}
