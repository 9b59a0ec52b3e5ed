//! A text file that a command names.

use std::path::Path;

use super::fault::CliFault;

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// When it cannot be read, or is no UTF-8.
pub fn read_text_file(file: &Path) -> Result<String, CliFault> {
    let text = if file == Path::new("-") {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(file)
    };
    text.map_err(|error| CliFault::unreadable(file.display(), &error))
}
