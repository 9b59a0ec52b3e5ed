//! The numbers of visitors that are issued here: random, with a mark that they were issued for this account, so that
//! one is recognised when it comes back from a page, which has no secret.

use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{Keys, constant_time_eq};
use crate::transport::refusal::Refusal;

/// Random digits at the beginning of a number.
const RANDOM_DIGITS: usize = 32;

/// A new number of a visitor.
///
/// # Errors
/// Never: the made number is a valid one.
pub fn issue(keys: &Keys, account: AccountId) -> Result<Identifier, Refusal> {
    let random = uuid::Uuid::new_v4().simple().to_string();
    let mark = mark(keys, account, &random);
    Identifier::visitor_id(&format!("{random}{mark}")).map_err(|_| Refusal::fault())
}

/// Returns true if a number was issued here, for this account.
pub fn is_issued(keys: &Keys, account: AccountId, id: &Identifier) -> bool {
    let Some((random, sent)) = id.normal().split_at_checked(RANDOM_DIGITS) else { return false };
    let mark = mark(keys, account, random);
    constant_time_eq(mark.as_bytes(), sent.as_bytes())
}

fn mark(keys: &Keys, account: AccountId, random: &str) -> String {
    lethe_verify::hex::encode(&keys.visitor_tag(account, random))
}

/// Group of a visitor, of 100: always the same one, and no visitor can choose it.
pub fn group(keys: &Keys, account: AccountId, id: &Identifier) -> u8 {
    let tag = keys.visitor_tag(account, &format!("group of {}", id.normal()));
    let number = tag.iter().take(4).fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    (number % 100) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: AccountId = AccountId(1);

    fn number(text: &str) -> Identifier {
        Identifier::visitor_id(text).expect("a number")
    }

    #[test]
    fn a_number_is_recognised_whole_and_unchanged_and_for_its_account_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = Keys::open(&folder.path().join("keys")).expect("keys");
        let issued = issue(&keys, ACCOUNT).expect("a number");
        assert!(is_issued(&keys, ACCOUNT, &issued) && !is_issued(&keys, AccountId(2), &issued));
        let text = issued.normal();
        assert_eq!(text.len(), 64);
        for at in [0, 31, 32, 63] {
            let other = if &text[at..=at] == "0" { "1" } else { "0" };
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            assert!(!is_issued(&keys, ACCOUNT, &number(&changed)), "{at}");
        }
        for part in [&text[..63], &text[..33], &text[..32], &text[..31], &text[32..]] {
            assert!(!is_issued(&keys, ACCOUNT, &number(part)), "{} of it", part.len());
        }
        assert!(!is_issued(&keys, ACCOUNT, &number(&format!("{text}0"))));
        assert!(issue(&keys, ACCOUNT).is_ok_and(|other| other != issued));
    }

    #[test]
    fn the_group_of_a_visitor_is_made_of_four_bytes_of_their_mark() {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = Keys::open(&folder.path().join("keys")).expect("keys");
        for visitor in 0..300 {
            let mark = keys.visitor_tag(ACCOUNT, &format!("group of v{visitor}"));
            let expected = u32::from_be_bytes([mark[0], mark[1], mark[2], mark[3]]) % 100;
            assert_eq!(u32::from(group(&keys, ACCOUNT, &number(&format!("v{visitor}")))), expected);
        }
    }
}
