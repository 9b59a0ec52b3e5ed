//! A scan of files for texts, byte by byte, as a thief would look for them. The texts are held in memory only.

use std::collections::BTreeMap;
use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Shorter texts stand in any large file by chance.
const SHORTEST_BYTES: usize = 8;
/// A text that is no address has to be so long, and of so many different bytes, to be nowhere by chance.
const RANDOM_BYTES: usize = 12;
const RANDOM_DIFFERENT: usize = 8;

/// What a scan saw.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Scanned {
    /// Files read.
    pub files: u64,
    /// Bytes read.
    pub bytes: u64,
    /// What was found.
    pub found: Vec<Found>,
    /// Links that were met and not followed: nobody knows what lies behind them.
    pub links: u64,
    /// Of [`Held::needed`], those that were not read.
    pub missed: Vec<PathBuf>,
}

/// A text in a file, or in its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Which of the texts, by the order in which they were given.
    pub text: usize,
    /// The file.
    pub file: PathBuf,
    /// How often.
    pub times: u64,
}

/// Whether finding a text says anything: an address, or something long and random enough to stand nowhere by chance.
#[must_use]
pub fn is_telling(text: &str, is_email: bool) -> bool {
    let mut bytes = text.as_bytes().to_vec();
    let is_number = bytes.iter().all(u8::is_ascii_digit);
    bytes.sort_unstable();
    bytes.dedup();
    let is_random = text.len() >= RANDOM_BYTES && bytes.len() >= RANDOM_DIFFERENT && !is_number;
    text.len() >= SHORTEST_BYTES && (is_email || is_random)
}

/// What a scan has to know of some files: those that must not be opened a second time, and those without which it proves
/// nothing.
#[derive(Clone, Default)]
pub struct Held {
    /// Read through this handle, and never closed.
    pub open: Vec<(PathBuf, Arc<File>)>,
    /// Not read: locks on them, and nothing in them.
    pub passed: Vec<PathBuf>,
    /// Have to be read.
    pub needed: Vec<PathBuf>,
}

/// Looks for texts in every file below the folders, and in their names, whatever the case of ASCII letters. A file that
/// goes while it is looked for is passed over; `go_on` can end the scan with an error of its own, and hears how many
/// bytes were read.
///
/// # Errors
/// When a file cannot be read, or too many texts are looked for.
pub fn scan<T: AsRef<[u8]>>(
    roots: &[PathBuf],
    texts: &[T],
    held: &Held,
    go_on: &dyn Fn(u64) -> io::Result<()>,
) -> io::Result<Scanned> {
    let mut scanned = Scanned { missed: held.needed.clone(), ..Scanned::default() };
    let searcher = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(texts)
        .map_err(io::Error::other)?;
    for root in roots {
        visit_root(root, &mut |path, is_link| match opened(path, held) {
            _ if is_link => {
                scanned.links += 1;
                Ok(())
            }
            Ok(Some(file)) => {
                scanned.missed.retain(|needed| needed != path);
                scan_file(&searcher, path, &file, &mut scanned, go_on)
            }
            Ok(None) => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        })?;
    }
    Ok(scanned)
}

/// A link below one of the folders, if there is any.
pub fn link_below(roots: &[PathBuf]) -> io::Result<Option<PathBuf>> {
    let mut link = None;
    for root in roots {
        visit_root(root, &mut |path, is_link| {
            if is_link {
                link.get_or_insert_with(|| path.to_owned());
            }
            Ok(())
        })?;
    }
    Ok(link)
}

fn opened(path: &Path, held: &Held) -> io::Result<Option<Arc<File>>> {
    if held.passed.iter().any(|passed| passed == path) {
        return Ok(None);
    }
    match held.open.iter().find(|(open, _)| open == path) {
        Some((_, file)) => Ok(Some(file.clone())),
        None => File::open(path).map(Arc::new).map(Some),
    }
}

fn scan_file(
    searcher: &AhoCorasick,
    path: &Path,
    file: &File,
    scanned: &mut Scanned,
    go_on: &dyn Fn(u64) -> io::Result<()>,
) -> io::Result<()> {
    let mut counted = Counted { file, at: 0, bytes: scanned.bytes, go_on };
    scanned.files += 1;
    let mut times = BTreeMap::<usize, u64>::new();
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    for hit in searcher.find_iter(name) {
        *times.entry(hit.pattern().as_usize()).or_default() += 1;
    }
    for hit in searcher.stream_find_iter(&mut counted) {
        *times.entry(hit?.pattern().as_usize()).or_default() += 1;
    }
    scanned.bytes = counted.bytes;
    let found = times.into_iter().map(|(text, times)| Found { text, file: path.to_owned(), times });
    scanned.found.extend(found);
    Ok(())
}

/// A file that counts what is read of it.
struct Counted<'a> {
    file: &'a File,
    at: u64,
    bytes: u64,
    go_on: &'a dyn Fn(u64) -> io::Result<()>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        self.bytes += read as u64;
        (self.go_on)(self.bytes)?;
        Ok(read)
    }
}

/// Every regular file, and every link, below a folder; or the file itself. The folder itself may be reached by a link.
fn visit_root(root: &Path, see: &mut dyn FnMut(&Path, bool) -> io::Result<()>) -> io::Result<()> {
    match fs::metadata(root) {
        Ok(found) => visit(root, found.file_type(), see),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn visit(path: &Path, kind: FileType, see: &mut dyn FnMut(&Path, bool) -> io::Result<()>) -> io::Result<()> {
    if kind.is_file() || kind.is_symlink() {
        return see(path, kind.is_symlink());
    }
    if !kind.is_dir() {
        return Ok(());
    }
    let entries = match fs::read_dir(path) {
        // A file system's own, and root's: a mirror may be a whole volume.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && path.ends_with("lost+found") => {
            return Ok(());
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        match entry.file_type() {
            Ok(kind) => visit(&entry.path(), kind, see)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(folder: &Path, texts: &[&str]) -> Scanned {
        scan(&[folder.to_owned()], texts, &Held::default(), &|_| Ok(())).unwrap()
    }

    #[test]
    fn a_text_is_found_in_any_case_in_any_file_and_in_names_across_reads() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a").join("b");
        fs::create_dir_all(&deep).unwrap();
        let mut large = vec![b'x'; 3 << 20];
        for at in [0, (64 << 10) - 7, (1 << 20) - 3, (3 << 20) - 12] {
            large[at..at + 12].copy_from_slice(b"Ada@Shop.tes");
        }
        fs::write(deep.join("large"), &large).unwrap();
        fs::write(folder.path().join("ada@shop.tes"), b"").unwrap();
        let found = scanned(folder.path(), &["nobody@shop.test", "ada@shop.tes"]);
        let mut times: Vec<_> = found.found.iter().map(|found| (found.text, found.times)).collect();
        times.sort_unstable();
        assert_eq!((found.files, found.bytes, times), (2, 3 << 20, vec![(1, 1), (1, 4)]));
        assert_eq!(scanned(folder.path(), &[]).bytes, 3 << 20);
        assert_eq!(scanned(&folder.path().join("gone"), &["ada"]).files, 0);
    }

    #[test]
    fn a_link_is_told_and_a_folder_that_is_one_is_read() {
        let above = tempfile::tempdir().unwrap();
        let (folder, link) = (above.path().join("folder"), above.path().join("link"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("file"), "ada@shop.test").unwrap();
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        let seen = scanned(&link, &["ada@shop.test"]);
        assert_eq!((seen.files, seen.links, seen.found.len()), (1, 0, 1));
        assert_eq!(link_below(&[folder.clone(), link.clone()]).unwrap(), None);
        std::os::unix::fs::symlink("nowhere", folder.join("inner")).unwrap();
        assert_eq!(scanned(&folder, &[]).links, 1);
        assert_eq!(link_below(std::slice::from_ref(&folder)).unwrap(), Some(folder.join("inner")));
    }

    #[test]
    fn what_has_to_be_read_and_was_not_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (there, gone) = (folder.path().join("there"), folder.path().join("gone"));
        fs::write(&there, "").unwrap();
        let held = Held { needed: vec![there, gone.clone()], ..Held::default() };
        let seen = scan::<&str>(&[folder.path().to_owned()], &[], &held, &|_| Ok(())).unwrap();
        assert_eq!(seen.missed, [gone]);
    }

    #[test]
    fn only_what_is_nowhere_by_chance_is_looked_for() {
        for (text, is_email, expected) in [
            ("ada@s.uk", true, true),
            ("a@b.uk", true, false),
            ("4711", false, false),
            ("123456789012345", false, false),
            ("aaaaaaaaaaaaaaaa", false, false),
            ("01a1ff15-2850-7367", false, true),
            ("customer-8", false, false),
        ] {
            assert_eq!(is_telling(text, is_email), expected, "{text}");
        }
    }
}
