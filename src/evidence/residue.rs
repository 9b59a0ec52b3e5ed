//! A scan of files for texts, byte by byte, as a thief would look for them. The texts are held in memory only.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use rustix::io::Errno;

use crate::disk::{self, EntryKind};

/// Shorter ids stand in any large file by chance.
const RANDOM_BYTES: usize = 16;
/// An id of fewer different characters does too.
const RANDOM_DIFFERENT: usize = 8;
/// Minimum number of changes between letters and digits in an id that is not a number.
const RANDOM_CHANGES: usize = 4;

/// Result of a scan.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Scanned {
    /// Files read.
    pub files: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Texts found.
    pub found: Vec<FoundText>,
    /// Number of links that were met and not followed: the data behind them is unknown.
    pub links: u64,
    /// Files of [`SpecialFiles::needed`] that were not read.
    pub missed: Vec<PathBuf>,
}

/// A text in a file or folder, in its name, or in one of its extended attributes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundText {
    /// Index of the text in the order in which the texts were given.
    pub text: usize,
    /// The file or folder.
    pub file: PathBuf,
    /// Number of times it was found.
    pub times: u64,
}

/// Returns true if finding the id proves something: a UUID, hexadecimal digits, or letters and digits in turn, long
/// enough not to occur by chance. A word never does: names of tables and columns occur in every database.
#[must_use]
pub fn is_telling(id: &str) -> bool {
    let different: std::collections::BTreeSet<u8> = id.bytes().collect();
    if id.len() < RANDOM_BYTES || different.len() < RANDOM_DIFFERENT {
        return false;
    }
    let is_uuid = id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    let kinds: Vec<bool> =
        id.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.is_ascii_digit()).collect();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    is_uuid || id.bytes().all(|byte| byte.is_ascii_hexdigit()) || changes >= RANDOM_CHANGES
}

/// Files that a scan treats specially: files that must not be opened a second time, and files without which it proves
/// nothing.
#[derive(Clone, Default)]
pub struct SpecialFiles {
    /// Read through this handle, and never closed.
    pub open: Vec<(PathBuf, Arc<File>)>,
    /// Not read: locks on them, and nothing in them.
    pub passed: Vec<PathBuf>,
    /// Have to be read.
    pub needed: Vec<PathBuf>,
}

/// Looks for texts in every file below the folders, in the names of files and folders, and in their extended
/// attributes, ignoring the case of ASCII letters. Passes over a file that disappears meanwhile. Calls
/// `go_on` with the number of bytes read; its error ends the scan.
///
/// # Errors
/// When a file cannot be read, when too many texts are looked for, or when `go_on` ends the scan.
pub fn scan<T: AsRef<[u8]>>(
    roots: &[PathBuf],
    texts: &[T],
    held: &SpecialFiles,
    go_on: &dyn Fn(u64) -> io::Result<()>,
) -> io::Result<Scanned> {
    let mut scanned = Scanned { missed: held.needed.clone(), ..Scanned::default() };
    let searcher = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(texts)
        .map_err(io::Error::other)?;
    for root in roots {
        disk::walk(root, &mut |path, kind| {
            let seen = match kind {
                EntryKind::Link => {
                    scanned.links += 1;
                    Ok(())
                }
                EntryKind::Folder => scan_one(&searcher, path, None, &mut scanned, go_on),
                EntryKind::File => open_file(path, held).and_then(|file| {
                    scanned.missed.retain(|needed| file.is_none() || needed != path);
                    scan_one(&searcher, path, file.as_deref(), &mut scanned, go_on)
                }),
            };
            seen.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
        })?;
    }
    Ok(scanned)
}

fn open_file(path: &Path, held: &SpecialFiles) -> io::Result<Option<Arc<File>>> {
    if held.passed.iter().any(|passed| passed == path) {
        return Ok(None);
    }
    match held.open.iter().find(|(open, _)| open == path) {
        Some((_, file)) => Ok(Some(file.clone())),
        None => File::open(path).map(Arc::new).map(Some),
    }
}

/// Looks at the name and the attributes of a file or folder, and at the bytes of `file`.
fn scan_one(
    searcher: &AhoCorasick,
    path: &Path,
    file: Option<&File>,
    scanned: &mut Scanned,
    go_on: &dyn Fn(u64) -> io::Result<()>,
) -> io::Result<()> {
    let mut times = BTreeMap::<usize, u64>::new();
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    for beside in std::iter::once(name.to_vec()).chain(attributes(path)?) {
        for hit in searcher.find_iter(&beside) {
            *times.entry(hit.pattern().as_usize()).or_default() += 1;
        }
    }
    if let Some(file) = file {
        let mut counted = CountingFile { file, at: 0, bytes: scanned.bytes, go_on };
        for hit in searcher.stream_find_iter(&mut counted) {
            *times.entry(hit?.pattern().as_usize()).or_default() += 1;
        }
        scanned.bytes = counted.bytes;
        scanned.files += 1;
    }
    let found = times.into_iter().map(|(text, times)| FoundText { text, file: path.to_owned(), times });
    scanned.found.extend(found);
    Ok(())
}

/// Names and values of the extended attributes of a file or folder; empty where the file system has none.
fn attributes(path: &Path) -> io::Result<Vec<Vec<u8>>> {
    let names = match read_growing(|into| rustix::fs::llistxattr(path, into)) {
        Err(Errno::NOTSUP) => return Ok(Vec::new()),
        names => names?,
    };
    let mut all = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        match read_growing(|into| rustix::fs::lgetxattr(path, name, into)) {
            Ok(value) => all.push(value),
            // It went meanwhile, or is the system's own.
            Err(Errno::NODATA | Errno::NOTSUP | Errno::PERM | Errno::ACCESS) => {}
            Err(fault) => return Err(fault.into()),
        }
        all.push(name.to_vec());
    }
    Ok(all)
}

/// Reads the output of a call that fills a buffer, enlarging the buffer until it fits.
fn read_growing(fill: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    let mut bytes = vec![0; 256];
    loop {
        match fill(&mut bytes) {
            Ok(length) => {
                bytes.truncate(length);
                return Ok(bytes);
            }
            // The system allows at most 64 KiB.
            Err(Errno::RANGE) if bytes.len() < 1 << 17 => bytes.resize(bytes.len() * 4, 0),
            Err(fault) => return Err(fault),
        }
    }
}

/// A file that counts the bytes that are read.
struct CountingFile<'a> {
    file: &'a File,
    at: u64,
    bytes: u64,
    go_on: &'a dyn Fn(u64) -> io::Result<()>,
}

impl Read for CountingFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        self.bytes += read as u64;
        (self.go_on)(self.bytes)?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn scanned(folder: &Path, texts: &[&str]) -> Scanned {
        scan(&[folder.to_owned()], texts, &SpecialFiles::default(), &|_| Ok(())).unwrap()
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
    fn a_text_is_found_in_the_name_of_a_folder_and_in_an_extended_attribute() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("of Ada@Shop.Test").join("empty");
        fs::create_dir_all(&deep).unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let email = "ada@shop.test";
        assert_eq!(scanned(folder.path(), &[email]).found.len(), 1);
        let large = [&vec![b'x'; 3000], email.as_bytes()].concat();
        for (path, name, value) in
            [(&file, "user.comment", large.as_slice()), (&deep, "user.ada@shop.test", b"value")]
        {
            match rustix::fs::setxattr(path, name, value, rustix::fs::XattrFlags::empty()) {
                // A file system without them has nothing to be found.
                Err(Errno::NOTSUP) => return,
                set => set.unwrap(),
            }
        }
        let mut found: Vec<_> =
            scanned(folder.path(), &[email]).found.into_iter().map(|found| found.file).collect();
        found.sort();
        assert_eq!(found, [file, deep.parent().unwrap().to_owned(), deep]);
    }

    #[test]
    fn a_link_is_told_and_a_folder_that_is_one_is_read() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("folder");
        let link = above.path().join("link");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("file"), "ada@shop.test").unwrap();
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        let seen = scanned(&link, &["ada@shop.test"]);
        assert_eq!((seen.files, seen.links, seen.found.len()), (1, 0, 1));
        std::os::unix::fs::symlink("nowhere", folder.join("inner")).unwrap();
        assert_eq!(scanned(&folder, &[]).links, 1);
    }

    #[test]
    fn what_has_to_be_read_and_was_not_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().join("there");
        let gone = folder.path().join("gone");
        fs::write(&there, "").unwrap();
        let held = SpecialFiles { needed: vec![there, gone.clone()], ..SpecialFiles::default() };
        let seen = scan::<&str>(&[folder.path().to_owned()], &[], &held, &|_| Ok(())).unwrap();
        assert_eq!(seen.missed, [gone]);
    }

    #[test]
    fn only_what_is_nowhere_by_chance_is_looked_for() {
        for (id, expected) in [
            ("01a1ff15-2850-7367-8aa1-aabbccddeeff", true),
            ("01234567-89ab-cdef-abcd-efabcdefabcd", true),
            ("01234567-89ab-cdef-abcd-efabcdefabcda", false),
            ("01234567-89ab-cdef-abcd-efabcdefabc", false),
            ("0123456789abcdef", true),
            ("1234567890123456", true),
            ("cust-12ab-34cd-56", true),
            ("4711", false),
            ("123456789012345", false),
            ("aaaaaaaaaaaaaaaa", false),
            ("0000000000000000", false),
            ("customer-8-of-our-shop", false),
            ("account_deletion", false),
            ("identifier_by_subject", false),
            ("overwritten in place", false),
            ("feeds.shop.example", false),
            ("upload_piece", false),
        ] {
            assert_eq!(is_telling(id), expected, "{id}");
        }
    }

    #[test]
    fn a_file_is_read_through_its_open_handle_and_one_that_is_passed_over_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let [open, passed, other] = ["open", "passed", "other"].map(|name| folder.path().join(name));
        fs::write(&other, "ada@shop.test").unwrap();
        let handle = Arc::new(File::open(&other).unwrap());
        [&open, &passed].into_iter().for_each(|path| fs::write(path, "ada@shop.test and more").unwrap());
        fs::remove_file(&other).unwrap();
        let held = SpecialFiles {
            open: vec![(open.clone(), handle)],
            passed: vec![passed.clone()],
            needed: vec![passed.clone(), open.clone()],
        };
        let seen = scan(&[folder.path().to_owned()], &["ada@shop.test"], &held, &|_| Ok(())).unwrap();
        let found = vec![FoundText { text: 0, file: open, times: 1 }];
        assert_eq!(seen, Scanned { files: 1, bytes: 13, found, links: 0, missed: vec![passed] });
    }

    #[test]
    fn a_search_counts_the_bytes_of_all_files_and_ends_where_it_is_told_to() {
        let folder = tempfile::tempdir().unwrap();
        ["a", "b"].into_iter().for_each(|name| fs::write(folder.path().join(name), "12345").unwrap());
        let counts = std::cell::RefCell::new(Vec::new());
        let seen = scan(&[folder.path().to_owned()], &["x"], &SpecialFiles::default(), &|bytes| {
            counts.borrow_mut().push(bytes);
            Ok(())
        });
        assert_eq!((seen.unwrap().bytes, counts.borrow().iter().max().copied()), (10, Some(10)));
        let until = |last: u64, kind: ErrorKind| {
            let go_on =
                move |bytes: u64| -> io::Result<()> { if bytes > last { Err(kind.into()) } else { Ok(()) } };
            scan(&[folder.path().to_owned()], &["x"], &SpecialFiles::default(), &go_on)
        };
        assert_eq!(until(5, ErrorKind::TimedOut).unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!(until(10, ErrorKind::TimedOut).unwrap().files, 2);
    }

    #[test]
    fn an_id_is_long_and_mixed_enough_or_it_is_not_looked_for() {
        for (id, expected) in [
            ("0123456701234567", true),
            ("0123456012345601", false),
            ("zabcdef3ghi4jklm", true),
            ("a1bcdefghijklmn2", false),
            ("zabcdefg-4-5-6-7", false),
            ("abcdefab-cdef-abcd-efab-cdefabcdefa1", true),
            ("abcdefab-cdef-abcd-efab-cdefabcdefab", false),
            ("abcdefgh-cdef-abcd-efab-cdefabcdefab", false),
        ] {
            assert_eq!(is_telling(id), expected, "{id}");
        }
    }
}
