//! Failure of a setting.

/// A setting that cannot be used; exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFault {
    /// Missing, malformed or unreadable; names the source.
    #[error("{0}")]
    Unreadable(String),
    /// Cannot be used.
    #[error("setting {name}: {problem}")]
    Malformed {
        /// Name of the setting.
        name: &'static str,
        /// Sentence that names the expected value.
        problem: &'static str,
    },
}

pub(super) fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ' ']).map(str::trim).filter(|item| !item.is_empty())
}
