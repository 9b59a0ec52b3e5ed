//! Packed content comes out again unchanged, and nothing else does.

use proptest::prelude::*;

use super::{BlobFormat, PackedFault, Packer, SortedTexts, Unpacker};

const FORM: BlobFormat = BlobFormat { kind: *b"TEST", version: 3 };

fn sample() -> Vec<u8> {
    let mut packer = Packer::new(FORM);
    packer.number(300);
    packer.text("snow");
    packer.sorted_texts(&SortedTexts::new(vec!["b", "ab", "abc", "ab"]).expect("few"));
    packer.finish()
}

#[test]
fn a_torn_blob_is_refused() {
    let blob = sample();
    assert!(Unpacker::new(&blob, FORM).is_ok());
    for at in 0..blob.len() {
        let mut torn = blob.clone();
        torn[at] ^= 0x10;
        assert!(Unpacker::new(&torn, FORM).is_err(), "byte {at}");
        assert!(Unpacker::new(&blob[..at], FORM).is_err(), "cut at {at}");
    }
    let later = BlobFormat { version: 4, ..FORM };
    assert_eq!(Unpacker::new(&blob, later).err(), Some(PackedFault::OtherForm));
}

#[test]
fn reading_past_the_end_is_refused() {
    let blob = Packer::new(FORM).finish();
    let mut unpacker = Unpacker::new(&blob, FORM).expect("whole");
    assert!(unpacker.is_at_end());
    assert_eq!(unpacker.number(), Err(PackedFault::Torn));
    assert_eq!(unpacker.bytes(), Err(PackedFault::Torn));
    assert!(unpacker.sorted_texts().is_err());
}

#[test]
fn a_count_that_cannot_be_true_reserves_no_memory() {
    let mut packer = Packer::new(FORM);
    packer.number(u64::MAX);
    let blob = packer.finish();
    let read =
        |read: &dyn Fn(&mut Unpacker<'_>) -> bool| read(&mut Unpacker::new(&blob, FORM).expect("whole"));
    assert!(read(&|unpacker| unpacker.numbers().is_err()));
    assert!(read(&|unpacker| unpacker.rising().is_err()));
    assert!(read(&|unpacker| unpacker.sorted_texts().is_err()));
    assert!(read(&|unpacker| unpacker.text().is_err()));
}

#[test]
fn texts_are_found_by_their_beginning() {
    let texts = SortedTexts::new(vec!["ab", "abc", "abd", "b", "é"]).expect("few");
    assert_eq!(texts.beginning_with("ab"), 0..3);
    assert_eq!(texts.beginning_with("abc"), 1..2);
    assert_eq!(texts.beginning_with("x"), 4..4);
    assert_eq!(texts.beginning_with(""), 0..5);
    assert_eq!(texts.beginning_with("é"), 4..5);
    assert_eq!(SortedTexts::default().find("a"), None);
    assert_eq!(SortedTexts::default().beginning_with("a"), 0..0);
    assert!(SortedTexts::default().is_empty() && !texts.is_empty());
}

proptest! {
    #[test]
    fn what_is_packed_comes_out_again(
        numbers: Vec<u64>, signed: i64, float: f64, texts: Vec<String>, mut rising: Vec<u64>
    ) {
        rising.sort_unstable();
        let sorted = SortedTexts::new(texts.clone()).expect("few");
        let mut packer = Packer::new(FORM);
        packer.numbers(numbers.iter().copied());
        packer.signed_number(signed);
        packer.float(float);
        packer.sorted_texts(&sorted);
        packer.rising(rising.iter().copied());
        let blob = packer.finish();
        let mut unpacker = Unpacker::new(&blob, FORM).expect("whole");
        prop_assert_eq!(unpacker.numbers(), Ok(numbers));
        prop_assert_eq!(unpacker.signed_number(), Ok(signed));
        prop_assert_eq!(unpacker.float().map(f64::to_bits), Ok(float.to_bits()));
        let read = unpacker.sorted_texts().expect("whole");
        prop_assert_eq!(&read, &sorted);
        prop_assert_eq!(unpacker.rising(), Ok(rising));
        prop_assert!(unpacker.is_at_end());
        for text in &texts {
            prop_assert_eq!(read.find(text).and_then(|number| read.get(number)), Some(text.as_str()));
        }
    }
}
