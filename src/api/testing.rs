//! Requests and products of tests, from their members.

use serde_json::Value;
use tantivy::directory::OwnedBytes;

use super::from_fields::{FromFields, MemberNames};
use super::json_fields::JsonFields;
use crate::search::engine::ProductResult;
use crate::search::pricing::{Offer, Price};

/// Reads the question of a request with these members; a refusal is its sentence.
pub(super) fn read<Q: FromFields>(members: &Value) -> Result<Q, String> {
    let body = members.to_string();
    let fields = JsonFields::parse(body.as_bytes()).map_err(|refusal| refusal.sentence().to_owned())?;
    Q::from_fields(&fields).map_err(|refusal| refusal.sentence().to_owned())
}

/// Checks that a request is refused with a sentence; with an empty one, that it is not.
pub(super) fn assert_refused<Q: FromFields>(members: &Value, sentence: &str) {
    let shown: String = members.to_string().chars().take(200).collect();
    assert_eq!(read::<Q>(members).err().unwrap_or_default(), sentence, "{shown}");
}

/// An object with a member twice, in two spellings and with two values.
pub(super) fn with_twice(mut object: Value, member: &str) -> Value {
    object[member] = "1".into();
    object[member.to_ascii_uppercase()] = "2".into();
    object
}

/// Sentence about a member that is given twice.
pub(super) fn given_twice(member: &str) -> String {
    format!("{member} is given twice, with different values")
}

/// Names of the members of a request, besides the credentials; none of a tolerant one.
pub(super) fn member_names<Q: FromFields>() -> Vec<&'static str> {
    match Q::MEMBERS {
        MemberNames::Tolerant => Vec::new(),
        MemberNames::Hints(names) => names.concat(),
    }
}

/// Checks that each of these members is refused when it is given twice, beside members that are good.
pub(super) fn assert_none_twice<Q: FromFields>(good: &Value, members: &[&str]) {
    for member in members {
        assert_refused::<Q>(&with_twice(good.clone(), member), &given_twice(member));
    }
}

/// A product of an answer, with what every answer shows of it, and the rest.
pub(super) fn product(id: &str, card: &Value, rest: &Value) -> ProductResult {
    let bytes = |members: &Value| OwnedBytes::new(members.to_string().into_bytes());
    ProductResult {
        id: id.to_owned(),
        card: bytes(card),
        rest: bytes(rest),
        offered: Offer::default(),
        in_stock: false,
        variant: None,
        variants: Vec::new(),
        highlight: None,
        why: None,
    }
}

/// The offer of a product at a price, and at its usual price.
pub(super) fn offer(price: &str, list: &str) -> Offer {
    Offer { visible: true, price: Price::parse(price), list: Price::parse(list) }
}
