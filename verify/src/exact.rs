//! Text in one exact form.

use std::fmt::Display;

use serde::de::DeserializeOwned;

use crate::Fault;

/// Most bytes of a certificate, a checkpoint or a growth.
pub const FILE_BYTES: u64 = 4 << 20;

/// Reads a text that has to be, byte by byte, what would be written; a newline may end it.
pub(crate) fn exact<T: DeserializeOwned + Display>(what: &'static str, text: &str) -> Result<T, Fault> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let value: T = parsed(what, text)?;
    if value.to_string() == text { Ok(value) } else { Err(Fault::Altered { what }) }
}

/// Reads a text whose every byte is covered by a hash.
pub(crate) fn parsed<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, Fault> {
    let short = Some(text).filter(|text| text.len() as u64 <= FILE_BYTES);
    short.and_then(|text| serde_json::from_str(text).ok()).ok_or(Fault::Unreadable { what })
}

/// Writes each type as its JSON.
macro_rules! written_as_json {
    ($($name:ty),*) => {$(
        /// The text whose bytes count: JSON in one line, members in the order of the fields.
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&serde_json::to_string(self).map_err(|_| std::fmt::Error)?)
            }
        }
    )*};
}
pub(crate) use written_as_json;
