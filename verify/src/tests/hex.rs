//! Bytes as text.

use super::made::Signer;
use crate::hex::{decode, encode};
use crate::*;

#[test]
fn bytes_have_one_text_only() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(encode(&[0x00, 0x0a, 0xf0, 0xff]), "000af0ff");
    assert_eq!(decode(&encode(&all)), Some(all));
    assert_eq!(decode(""), Some(vec![]));
    for other in ["A0", "0A", "aB", "0", "abc", "+f", "-1", " 1", "1 ", "0x", "g0", "é", "0é0", "00\n"] {
        assert_eq!(decode(other), None, "{other:?}");
    }
}

#[test]
fn a_key_has_its_length_and_lower_case_digits() {
    let key = Signer::new(1).key();
    let text = key.to_string();
    assert_eq!((text.len(), text.parse::<Key>().ok()), (64, Some(key)));
    assert_eq!(serde_json::to_string(&key).unwrap(), format!("\"{text}\""));
    for other in [text.to_uppercase(), format!("{text}00"), text[2..].to_owned(), text[1..].to_owned()] {
        assert!(matches!(other.parse::<Key>(), Err(Fault::NoHex)), "{other}");
        assert!(serde_json::from_str::<Key>(&format!("\"{other}\"")).is_err(), "{other}");
    }
}
