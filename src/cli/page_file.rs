//! Letters and pages: their language, and their file.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::context::CommandContext;
use super::fault::CliFault;
use super::print::{print_line, print_text, print_warning};
use super::table::many;
use crate::disk;
use crate::i18n::UiLanguage;

/// The language of a letter or page.
#[derive(clap::Args)]
pub struct LanguageOptions {
    /// Language of the texts for people (en, de, fr) instead of the shop's own
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
}

impl LanguageOptions {
    /// The requested language, else that of the shop, from `about`. Prints a message when it has no texts.
    pub fn resolve(&self, about: &Value) -> UiLanguage {
        let own = self.language.as_deref();
        let code = own.or(about["Language"].as_str()).unwrap_or(UiLanguage::default().code());
        let (language, note) = UiLanguage::or_english(code);
        if let Some(note) = note {
            print_warning(&note);
        }
        language
    }
}

/// Target of a page that replaces JSON.
#[derive(clap::Args)]
pub struct PageFile {
    /// Write a page for people into this file (- for standard output), and no JSON unless --json is there too
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

impl PageFile {
    /// True if a page is requested.
    pub const fn is_wanted(&self) -> bool {
        self.page.is_some()
    }

    fn is_standard_output(&self) -> bool {
        self.page.as_deref() == Some(Path::new("-"))
    }

    /// Refuses to mix a page and JSON, before anything is asked of a server.
    ///
    /// # Errors
    /// When both would be written to standard output.
    pub fn check(&self, context: &CommandContext) -> Result<(), CliFault> {
        if self.is_standard_output() && context.json {
            Err(CliFault::Usage(
                "--page - and --json both write to standard output: name a file for the page, or leave one of them out"
                    .to_owned(),
            ))
        } else {
            Ok(())
        }
    }

    /// Writes the page to its target, and prints its size.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, context: &CommandContext, page: &str) -> Result<(), CliFault> {
        let Some(file) = &self.page else { return Ok(()) };
        if self.is_standard_output() {
            print_text(page);
            return Ok(());
        }
        write_page(file, page)?;
        if !context.json {
            print_line(format!("{}: {}", file.display(), many(page.len() as u64, "byte", "bytes")));
        }
        Ok(())
    }
}

/// Writes a page into a file that only its owner may read.
fn write_page(file: &Path, page: &str) -> Result<(), CliFault> {
    let unwritten = |error| CliFault::Failed(format!("{} cannot be written: {error}", file.display()));
    disk::write_private(file, page.as_bytes()).map_err(unwritten)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;

    #[test]
    fn the_language_of_a_page_is_that_of_the_command_then_that_of_the_shop_then_english() {
        for (named, shop, code) in [
            (Some("fr"), json!({"Language": "de"}), "fr"),
            (None, json!({"Language": "de"}), "de"),
            (None, json!({"Language": null}), "en"),
            (Some("xx"), json!({"Language": "de"}), "en"),
        ] {
            let options = LanguageOptions { language: named.map(str::to_owned) };
            assert_eq!(options.resolve(&shop).code(), code, "{named:?} {shop}");
        }
    }

    #[test]
    fn a_file_that_others_could_read_is_theirs_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        std::fs::write(&file, "x".repeat(100_000)).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        write_page(&file, "</html>\n").unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "</html>\n");
    }
}
