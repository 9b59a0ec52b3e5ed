//! `lethe check --convert OUT`: the rows of a feed, written as Lethe's own JSON.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::cli::fault::CliFault;
use crate::disk;
use crate::feeds::RawRow;
use crate::feeds::section::FeedPart;

/// Writer of one JSON document with a list of rows for each section.
pub struct ConvertedFile {
    out: BufWriter<File>,
    /// The section whose list is open.
    section: Option<FeedPart>,
    /// Nothing follows the opening bracket of the list yet.
    is_list_empty: bool,
}

impl ConvertedFile {
    /// Creates the file, which must not exist yet.
    ///
    /// # Errors
    /// When it exists, or cannot be written.
    pub fn create(path: &Path) -> Result<Self, CliFault> {
        let file = disk::new_output(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                CliFault::Usage(format!("{} exists already; name a new file", path.display()))
            }
            kind => CliFault::Usage(format!("{} cannot be written: {kind}", path.display())),
        })?;
        Ok(Self { out: BufWriter::new(file), section: None, is_list_empty: true })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_row(&mut self, row: &RawRow<'_>) -> io::Result<()> {
        if self.section != Some(row.section) {
            self.out.write_all(if self.section.is_none() { b"{" } else { b"\n],\n" })?;
            write!(self.out, "\"{}\": [", row.section.as_str())?;
            self.section = Some(row.section);
            self.is_list_empty = true;
        }
        self.out.write_all(if self.is_list_empty { b"\n" } else { b",\n" })?;
        self.is_list_empty = false;
        self.out.write_all(row.json)
    }

    /// Ends the document.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(if self.section.is_none() { b"{}\n" } else { b"\n]}\n" })?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::RowOrigin;

    #[test]
    fn rows_stand_in_a_list_for_each_section() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.json");
        let Ok(mut file) = ConvertedFile::create(&path) else { panic!("a new file") };
        for (section, json) in [
            (FeedPart::PRODUCTS, r#"{"Id":"1"}"#),
            (FeedPart::PRODUCTS, r#"{"Id":"2"}"#),
            (FeedPart::BRANDS, r#"{"Id":"b"}"#),
        ] {
            let row =
                RawRow { section, number: 1, offset: 0, origin: RowOrigin::Feed, json: json.as_bytes() };
            file.write_row(&row).expect("room");
        }
        file.finish().expect("room");
        let written = std::fs::read_to_string(&path).expect("the file");
        assert_eq!(
            written,
            "{\"Products\": [\n{\"Id\":\"1\"},\n{\"Id\":\"2\"}\n],\n\"Brands\": [\n{\"Id\":\"b\"}\n]}\n"
        );
        assert!(ConvertedFile::create(&path).is_err(), "a file is never overwritten");
    }
}
