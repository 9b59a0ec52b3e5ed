//! Tests of the counter of bytes and lines.

use std::io::{BufRead, Read};

use proptest::prelude::*;

use super::{CountedText, WINDOW_BYTES};

#[test]
fn repaired_places_count_when_they_are_consumed() {
    let mut text = CountedText::with_repair(&b"a\xFC\n\x80b"[..]);
    assert_eq!(text.fill_buf().unwrap(), "aü\n€b".as_bytes());
    text.consume(1);
    assert_eq!((text.count_repairs(), text.count_line(), text.offset()), (0, 1, 1));
    text.consume(3);
    assert_eq!((text.count_repairs(), text.count_line(), text.offset()), (1, 2, 4));
    text.consume(4);
    assert_eq!((text.count_repairs(), text.is_at_end()), (2, true));
}

#[test]
fn a_used_up_allowance_stops_the_reader() {
    let mut text = CountedText::new(&b"abcdef"[..]);
    text.set_allowance(3);
    text.fill_buf().unwrap();
    text.consume(3);
    assert!(text.fill_buf().is_err() && text.is_allowance_used());
    text.set_allowance(3);
    assert_eq!(text.fill_buf().unwrap(), b"def");
}

#[test]
fn a_letter_across_two_reads_is_not_repaired() {
    for before in WINDOW_BYTES - 3..=WINDOW_BYTES {
        let mut bytes = vec![b'a'; before];
        bytes.extend_from_slice("€\u{1F600}".as_bytes());
        bytes.push(0x80);
        let mut read = Vec::new();
        CountedText::with_repair(bytes.as_slice()).read_to_end(&mut read).unwrap();
        assert_eq!(std::str::from_utf8(&read).unwrap().trim_start_matches('a'), "€\u{1F600}€");
    }
}

#[test]
fn a_marked_place_is_known_after_its_bytes_have_left_the_buffer() {
    let bytes = "ab\n".repeat(WINDOW_BYTES);
    let mut text = CountedText::new(bytes.as_bytes());
    text.peek(1).unwrap();
    text.consume(4);
    text.mark();
    text.skip_while(|byte| byte != b'x').unwrap();
    assert_eq!(text.offset(), bytes.len() as u64);
    let marked = text.marked_place(7);
    assert_eq!((marked.number, marked.line, marked.offset), (7, 2, 4));
    assert_eq!(text.count_line(), WINDOW_BYTES as u64 + 1);
    assert_eq!(text.marked_place(7), marked);
}

proptest! {
    #[test]
    fn lines_are_counted_alike_whenever_they_are_asked_for(
        lines in prop::collection::vec(0_usize..40_000, 1..8),
        steps in prop::collection::vec((1_usize..50_000, any::<bool>(), any::<bool>()), 1..40),
    ) {
        let bytes = lines.iter().fold(Vec::new(), |mut bytes, length| {
            bytes.resize(bytes.len() + length, b'x');
            bytes.push(b'\n');
            bytes
        });
        let count = |end: u64| bytes[..end as usize].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let mut text = CountedText::new(bytes.as_slice());
        let mut marked = 0;
        for (step, is_marking, is_asking) in steps {
            if is_marking {
                text.mark();
                marked = text.offset();
            }
            let read = text.peek(1).unwrap().len();
            text.consume(step.min(read));
            if is_asking {
                prop_assert_eq!(text.count_line(), count(text.offset()));
                let place = text.marked_place(0);
                prop_assert_eq!((place.line, place.offset), (count(marked), marked));
            }
        }
    }

    #[test]
    fn repaired_text_is_valid_and_valid_text_unchanged(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut read = Vec::new();
        CountedText::with_repair(bytes.as_slice()).read_to_end(&mut read).unwrap();
        prop_assert!(std::str::from_utf8(&read).is_ok());
        prop_assert!(std::str::from_utf8(&bytes).is_err() || read == bytes);
    }
}
