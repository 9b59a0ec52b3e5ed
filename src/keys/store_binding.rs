//! Mark of the store that a key folder belongs to (`keys/store`): its engine, the number of its history, and how often
//! a node started with both. It does not say where the store is, nor how to get in. With the list of slots of another
//! store, a start would overwrite the keys that this other one does not name; an older copy of the folder lacks keys of
//! people.

use super::fault::{KeyFault, while_doing};
use crate::disk;
use std::io::ErrorKind;
use std::path::Path;

const FILE: &str = "store";

/// The store that a key folder was last started with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreMark {
    /// Its engine, as [`crate::store::StoreOptions::engine`] names it.
    pub engine: String,
    /// Its history: a restore begins another one.
    pub history: i64,
    /// Number of times that a node has started with the folder and this store.
    pub starts: i64,
}

impl StoreMark {
    /// Reads the mark of a key folder; `None` when it has none, as before its first start.
    ///
    /// # Errors
    /// When the file cannot be read or is no mark.
    pub fn load(folder: &Path) -> Result<Option<Self>, KeyFault> {
        let text = match std::fs::read_to_string(folder.join(FILE)) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            text => text.map_err(while_doing("Reading which store the keys belong to"))?,
        };
        Self::parse(&text).ok_or(KeyFault::FileDamaged { file: FILE }).map(Some)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let engine = lines.next()?.strip_prefix("engine ")?.to_owned();
        let history = lines.next()?.strip_prefix("history ")?;
        let history = u64::from_str_radix(history, 16).ok()?.cast_signed();
        // A mark of an earlier version counts no starts.
        let starts = match lines.next() {
            Some(line) => line.strip_prefix("starts ")?.parse().ok()?,
            None => 0,
        };
        lines.next().is_none().then_some(Self { engine, history, starts })
    }

    /// Returns true if this is a mark of the same store.
    #[must_use]
    pub fn is_of_same_store(&self, other: &Self) -> bool {
        self.engine == other.engine && self.history == other.history
    }

    fn text(&self) -> String {
        let history = self.history.cast_unsigned();
        format!("engine {}\nhistory {history:016x}\nstarts {}\n", self.engine, self.starts)
    }

    /// Writes the mark into a key folder and its mirror, unless it is there already.
    ///
    /// # Errors
    /// When a folder cannot be read or written.
    pub fn write(&self, folder: &Path, mirror: Option<&Path>) -> Result<(), KeyFault> {
        self.write_into(folder)?;
        mirror.map_or(Ok(()), |mirror| self.write_into(mirror).map_err(KeyFault::in_mirror))
    }

    pub(super) fn write_into(&self, folder: &Path) -> Result<(), KeyFault> {
        if Self::load(folder)?.as_ref() == Some(self) {
            return Ok(());
        }
        let written = disk::write_atomically(&folder.join(FILE), self.text().as_bytes());
        written.map_err(while_doing("Writing which store the keys belong to"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(StoreMark::load(folder.path()).expect("no file"), None);
        for history in [0, -1, i64::MIN, 4711] {
            let mark = StoreMark { engine: "sqlite".to_owned(), history, starts: 7 };
            mark.write(folder.path(), None).expect("written");
            assert_eq!(StoreMark::load(folder.path()).expect("readable"), Some(mark));
        }
        std::fs::write(folder.path().join(FILE), "engine sqlite\nhistory 0\n").expect("written");
        let earlier = StoreMark::load(folder.path()).expect("readable").expect("a mark");
        assert_eq!((earlier.history, earlier.starts), (0, 0));
        for broken in [
            "",
            "engine sqlite\n",
            "engine sqlite\nhistory x\n",
            "engine sqlite\nhistory 0\nmore\n",
            "engine sqlite\nhistory 0\nstarts x\n",
            "engine sqlite\nhistory 0\nstarts 1\nmore\n",
        ] {
            std::fs::write(folder.path().join(FILE), broken).expect("written");
            assert!(StoreMark::load(folder.path()).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_store_is_known_by_its_engine_and_its_history_however_often_it_started() {
        let mark = |engine: &str, history, starts| StoreMark { engine: engine.to_owned(), history, starts };
        let one = mark("sqlite", 7, 1);
        assert!(one.is_of_same_store(&mark("sqlite", 7, 2)));
        assert!(!one.is_of_same_store(&mark("sqlite", 8, 1)));
        assert!(!one.is_of_same_store(&mark("postgres", 7, 1)));
        assert_eq!(one.text(), "engine sqlite\nhistory 0000000000000007\nstarts 1\n");
    }

    #[test]
    fn a_mark_is_written_into_both_folders_and_only_when_it_is_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let [keys, mirror] = ["keys", "mirror"].map(|name| folder.path().join(name));
        let mark = StoreMark { engine: "sqlite".to_owned(), history: 7, starts: 1 };
        let gone = mark.write(&keys, None).expect_err("there is no folder");
        assert!(gone.to_string().starts_with("Writing which store the keys belong to failed: "), "{gone}");
        std::fs::create_dir(&keys).expect("a folder");
        let away = mark.write(&keys, Some(&mirror)).expect_err("there is no mirror");
        assert!(away.to_string().starts_with("the key mirror: Writing which store"), "{away}");
        std::fs::create_dir(&mirror).expect("a folder");
        // The same in other words: it would be gone if the mark were written again.
        for folder in [&keys, &mirror] {
            std::fs::write(folder.join(FILE), "engine sqlite\nhistory 7\nstarts 1").expect("written");
        }
        mark.write(&keys, Some(&mirror)).expect("written");
        let texts =
            || [&keys, &mirror].map(|folder| std::fs::read_to_string(folder.join(FILE)).expect("a mark"));
        assert_eq!(texts(), ["engine sqlite\nhistory 7\nstarts 1"; 2]);
        StoreMark { starts: 2, ..mark }.write(&keys, Some(&mirror)).expect("written");
        assert_eq!(texts(), ["engine sqlite\nhistory 0000000000000007\nstarts 2\n"; 2]);
        std::fs::write(keys.join(FILE), b"engine \xff").expect("written");
        let unreadable = StoreMark::load(&keys).expect_err("no text");
        assert!(unreadable.to_string().starts_with("Reading which store the keys belong to failed: "));
        assert_eq!(StoreMark::load(&keys.join(FILE)).expect("no folder"), None);
    }
}
