//! Printing for people: a line of an answer, a warning.

use super::folder;
use crate::addresses::printable;

#[expect(clippy::print_stderr, reason = "what a person reads goes here")]
pub(super) fn print_warning(warning: &str) {
    eprintln!("lethe: {}", printable(warning));
}

/// Prints a line of a command's answer.
pub fn print_line(line: impl std::fmt::Display) {
    print_text(&format!("{line}\n"));
}

/// Prints text as it is. When the reader has closed the pipe (`| head`) the command ends; when it cannot be written,
/// as failed.
pub(super) fn print_text(text: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        let code = i32::from(error.kind() != std::io::ErrorKind::BrokenPipe);
        folder::remove_all();
        std::process::exit(code);
    }
}
