//! Spellings of an address, and a search for its pieces in every encoding.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use sha2::{Digest, Sha256};

use crate::support::residue::{base64_inside, visit_files};

/// Bytes of a piece that is looked for.
pub const PIECE: usize = 8;

/// Random-looking letters: SHA-256 as letters.
pub fn random_letters(seed: u64, what: &str, number: usize) -> String {
    let hash = Sha256::digest(format!("{seed} {what} {number}"));
    hash.iter().take(20).map(|byte| char::from(b'a' + byte % 26)).collect()
}

/// Spellings of an address in a text, with what may stand next to it; `§` is the part before the sign.
pub const SPELLINGS: [&str; 20] = [
    "Fragen an „§@bücher.test“",
    "«§@bücher.test»",
    "😀§@shop.test😀",
    "联系§@shop.test。",
    "お問い合わせは§@shop.testまで",
    "§@bücher.test’s",
    "mailto:§%40shop.test",
    "§%2540shop.test",
    "§&#64;shop.test, §&commat;shop.test",
    "§&#0000000000000000000000000000000000000000000000000064;shop.test",
    "§\\u0040shop.test §%\\u0034\\u0030shop.test",
    "§\\x40shop.test §\\u{40}shop.test",
    "§\\40 shop.test",
    "§=40shop.test",
    "\"§\"@shop.test",
    "§＠shop．test",
    "§@sh\u{ad}op.\u{115f}test",
    "<a href='mailto:§@shop.test'>§@shop.test</a>",
    "{\"by\":\"x\\n§@shop.test\",\"§@shop.test\":1}",
    "§@shop.test.png",
];

/// All spellings of all pieces at once.
pub struct ResidueSearch {
    searcher: AhoCorasick,
    /// The encoding of each pattern.
    encodings: Vec<&'static str>,
}

impl ResidueSearch {
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut patterns = BTreeMap::new();
        for text in texts {
            let digest = Sha256::digest(text);
            patterns.insert(hex(&digest).into_bytes(), "SHA-256, hexadecimal");
            patterns.insert(digest.to_vec(), "SHA-256");
            // The common part of all addresses identifies no person.
            let own = text.split('@').next().unwrap_or_default();
            for piece in own.as_bytes().windows(PIECE) {
                patterns.extend(encodings_of_piece(piece));
            }
        }
        let (patterns, encodings): (Vec<_>, Vec<_>) = patterns.into_iter().unzip();
        let searcher = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(&patterns);
        Self { searcher: searcher.expect("a searcher"), encodings }
    }

    /// The encodings found in these bytes, each as often as it was found.
    pub fn find_encodings(&self, bytes: &[u8]) -> Vec<&'static str> {
        self.searcher.find_iter(bytes).map(|hit| self.encodings[hit.pattern().as_usize()]).collect()
    }

    /// Number of finds of each encoding, by file.
    pub fn count_by_file(&self, roots: &[PathBuf]) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        let mut files = 0;
        for root in roots {
            let mut look = |path: &Path, bytes: &[u8]| {
                files += 1;
                let name = path.to_string_lossy();
                for bytes in
                    [name.as_bytes(), bytes].into_iter().map(<[u8]>::to_vec).chain(decompress_members(bytes))
                {
                    for encoding in self.find_encodings(&bytes) {
                        *found.entry(format!("{name}: {encoding}")).or_default() += 1;
                    }
                }
            };
            if root.is_dir() {
                visit_files(root, &mut look)
            } else {
                look(root, &std::fs::read(root).expect("the file"))
            }
        }
        assert!(files > 4, "the files were looked at");
        found
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A piece in the encodings that a program might choose.
pub fn encodings_of_piece(piece: &[u8]) -> Vec<(Vec<u8>, &'static str)> {
    let utf16 = piece.iter().flat_map(|byte| [*byte, 0]).collect();
    let reversed = piece.iter().rev().copied().collect();
    let mut all = vec![
        (piece.to_vec(), "as it is"),
        (piece.to_ascii_uppercase(), "upper case"),
        (utf16, "UTF-16"),
        (hex(piece).into_bytes(), "hexadecimal"),
        (hex(piece).to_uppercase().into_bytes(), "hexadecimal, upper case"),
        (reversed, "reversed"),
    ];
    for shift in 0..3 {
        all.push((base64_inside(piece, shift)[0].clone(), "base64"));
    }
    all
}

/// Whatever in a file can be decompressed: gzip and zstd, wherever they begin.
pub fn decompress_members(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    const LARGEST_BYTES: u64 = 64 << 20;
    let gzip = memchr::memmem::find_iter(bytes, b"\x1f\x8b\x08").map(|at| {
        let mut out = Vec::new();
        // As far as it goes: not every such bytes begin a member.
        let _ = flate2::read::MultiGzDecoder::new(&bytes[at..]).take(LARGEST_BYTES).read_to_end(&mut out);
        out
    });
    let zstd = memchr::memmem::find_iter(bytes, b"\x28\xb5\x2f\xfd").map(|at| {
        let mut out = Vec::new();
        if let Ok(decoder) = zstd::stream::read::Decoder::new(&bytes[at..]) {
            let _ = decoder.take(LARGEST_BYTES).read_to_end(&mut out);
        }
        out
    });
    gzip.chain(zstd).filter(|out| !out.is_empty()).collect::<Vec<_>>().into_iter()
}
