//! Tests of the encodings that are told.

use std::io::Read;

use proptest::prelude::*;

use super::{DecodedText, WINDOW_BYTES};

/// Gives out one byte at a time.
struct SingleBytes<'a>(&'a [u8]);

impl Read for SingleBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(buffer.get_mut(..count).unwrap())
    }
}

fn decode(bytes: &[u8]) -> (Vec<u8>, &'static str) {
    let mut text = DecodedText::open(bytes).unwrap();
    let mut decoded = Vec::new();
    text.read_to_end(&mut decoded).unwrap();
    (decoded, text.encoding_name())
}

fn assert_decoded(bytes: &[u8], text: &str, encoding: &str) {
    let (decoded, name) = decode(bytes);
    assert_eq!((String::from_utf8_lossy(&decoded).as_ref(), name), (text, encoding));
}

fn encode_utf_16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

#[test]
fn a_byte_order_mark_tells_the_encoding_and_is_left_out() {
    assert_decoded(b"\xEF\xBB\xBFid\n\xC3\xBC", "id\nü", "UTF-8");
    assert_decoded(&encode_utf_16("\u{feff}id\nü", u16::to_le_bytes), "id\nü", "UTF-16LE");
    assert_decoded(&encode_utf_16("\u{feff}id\nü", u16::to_be_bytes), "id\nü", "UTF-16BE");
    let marked = b"\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"windows-1252\"?>\xC3\xBC";
    assert!(decode(marked).0.ends_with("ü".as_bytes()));
}

#[test]
fn utf_16_without_a_mark_is_told_by_its_zeros() {
    let text = "id;title\n1;Stühle für draußen €\n";
    assert_decoded(&encode_utf_16(text, u16::to_le_bytes), text, "UTF-16LE");
    assert_decoded(&encode_utf_16(text, u16::to_be_bytes), text, "UTF-16BE");
    assert_decoded(b"id\0title", "id\0title", "UTF-8");
}

#[test]
fn a_declaration_is_believed_unless_it_says_utf_8_and_the_bytes_do_not() {
    let declared = |encoding: &str, letter: &[u8]| {
        let head = format!("<?xml version='1.0' encoding = \"{encoding}\"?><a>").into_bytes();
        let (text, name) = decode(&[&head, letter].concat());
        (String::from_utf8(text).unwrap().rsplit('>').next().unwrap().to_owned(), name)
    };
    assert_eq!(declared("ISO-8859-15", b"\xA4"), ("€".to_owned(), "ISO-8859-15"));
    assert_eq!(declared("iso-8859-1", b"\x80"), ("€".to_owned(), "windows-1252"));
    assert_eq!(declared("utf-8", b"\xFC."), ("ü.".to_owned(), "windows-1252"));
    assert_eq!(declared("utf-8", "ü".as_bytes()), ("ü".to_owned(), "UTF-8"));
    assert_eq!(declared("utf-16", "ü".as_bytes()), ("ü".to_owned(), "UTF-8"));
    assert_eq!(declared("klingon", b"\xFC."), ("ü.".to_owned(), "windows-1252"));
}

#[test]
fn a_declaration_after_a_warning_counts_and_one_within_a_sentence_does_not() {
    let late = b"Warning: old PHP\n<?xml version='1.0' encoding='iso-8859-15'?>\xA4";
    assert_eq!(decode(late).1, "ISO-8859-15");
    assert_eq!(decode("id,code\n1,write <?xml encoding='koi8-r'?> ü".as_bytes()).1, "UTF-8");
}

#[test]
fn bytes_that_are_no_utf_8_are_windows_1252_and_a_cut_letter_is_not() {
    assert_decoded(b"caf\xE9,\x80", "café,€", "windows-1252");
    assert_decoded(b"caf\xE9", "café", "windows-1252");
    assert_eq!(decode(b"\xC3\xBC caf\xC3"), (b"\xC3\xBC caf\xC3".to_vec(), "UTF-8"));
    let mut long = vec![b'a'; WINDOW_BYTES - 1];
    long.extend_from_slice("ü".as_bytes());
    assert_eq!(decode(&long), (long.clone(), "UTF-8"));
}

#[test]
fn invalid_bytes_beyond_the_window_pass_unchanged() {
    let mut text = vec![b'a'; WINDOW_BYTES];
    text.extend_from_slice(b"\xFC\xC3\xBC");
    assert_eq!(decode(&text), (text.clone(), "UTF-8"));
}

proptest! {
    #[test]
    fn any_bytes_decode_alike_in_pieces_and_at_once(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut text = DecodedText::open(SingleBytes(&bytes)).unwrap();
        let mut decoded = Vec::new();
        text.read_to_end(&mut decoded).unwrap();
        prop_assert_eq!((decoded, text.encoding_name()), decode(&bytes));
    }
}
