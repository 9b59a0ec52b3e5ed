//! Names of a request's members that an operation does not know. A misspelt one would be passed over in silence, and a
//! search without its filters looks like an answer: it is refused with the name that is meant.

use strsim::osa_distance;

use super::credentials::{ACCESS_KEY, ACCOUNT, SECRET_KEY};
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::JsonFields;
use crate::transport::refusal::Refusal;

/// Members that say something of the shopper. They stand in no URL, because URLs are kept in logs.
pub const PERSONAL: &[&str] = &["UserToken", "UserId", "AccountId", "GroupId", "VisitorId", "SessionId"];

/// A shorter name is a letter away from too many others.
const ONE_EDIT_LETTERS: usize = 4;
/// Words of other searches that are unlike any name here, and the name with the same purpose.
const OTHER_WORDS: &[(&str, &str)] = &[("q", "Query")];

/// Refuses a member whose name differs from a known one by its signs, its plural or one edit. Any other name is passed
/// over, such as `utm_source`, and a tolerant operation passes over all.
///
/// # Errors
/// A refusal with the name that is meant.
pub fn check<Q: FromFields>(fields: &JsonFields<'_>) -> Result<(), Refusal> {
    let MemberNames::Hints(members) = Q::MEMBERS else { return Ok(()) };
    let known = || members.iter().chain(&[ACCESS_KEY, SECRET_KEY, ACCOUNT, PERSONAL]).copied().flatten();
    for (name, _) in fields.iter() {
        let is_known = known().any(|known| known.eq_ignore_ascii_case(name));
        if is_known {
            continue;
        }
        if let Some(meant) = known().find(|known| is_like(name, known)) {
            return Err(Refusal::unknown_member(name, meant));
        }
    }
    Ok(())
}

/// Returns true if a client that sends `name` means `known`.
fn is_like(name: &str, known: &str) -> bool {
    // No name that is this much longer is an edit away.
    if name.len() > 2 * known.len() + 2 {
        return false;
    }
    let [letters, meant] = [name, known].map(letters_of);
    let is_edited = meant.len().min(letters.len()) >= ONE_EDIT_LETTERS && osa_distance(&letters, &meant) <= 1;
    OTHER_WORDS.contains(&(&letters, known)) || singular(&letters) == singular(&meant) || is_edited
}

/// The letters and digits of a name in small letters.
fn letters_of(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn singular(letters: &str) -> String {
    match letters.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => letters.strip_suffix('s').unwrap_or(letters).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_like_another_by_signs_plural_or_one_edit() {
        for (name, known) in [
            ("Filter", "Filters"),
            ("filters_", "Filters"),
            ("queries", "Query"),
            ("qeury", "Query"),
            ("Querry", "Query"),
            ("q", "Query"),
            ("session_id", "SessionId"),
            ("Ids", "Id"),
            ("Sizes", "Size"),
            ("size", "Size"),
            ("I____D", "Id"),
        ] {
            assert!(is_like(name, known), "{name}");
        }
        for (name, known) in [
            ("utm_source", "Size"),
            ("_", "Id"),
            ("gclid", "Id"),
            ("uid", "Id"),
            ("max", "Min"),
            ("fbclid", "Filters"),
            ("ref", "From"),
            ("", "Id"),
            ("I_____D", "Id"),
        ] {
            assert!(!is_like(name, known), "{name}");
        }
    }
}
