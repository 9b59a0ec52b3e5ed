//! The members of an object, and the members that repeat another.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::text::unescape;
use super::value::JsonValue;

/// One member of an object.
#[derive(Clone, Copy)]
pub(in super::super) struct JsonMember<'a> {
    /// The key's content as sent.
    pub(in super::super) key: &'a str,
    /// True if the key has escapes.
    pub(super) is_escaped: bool,
    pub(in super::super) value: JsonValue<'a>,
}

impl<'a> JsonMember<'a> {
    /// A member of a checked object, as [`JsonValue::entries`] returns it.
    pub(in super::super) fn from_entry((key, value): (&'a str, JsonValue<'a>)) -> Self {
        Self { key, is_escaped: key.contains('\\'), value }
    }

    pub(in super::super) fn name(&self) -> Cow<'a, str> {
        if self.is_escaped { unescape(self.key) } else { Cow::Borrowed(self.key) }
    }

    fn has_key_of(&self, other: &Self) -> bool {
        self.key == other.key || ((self.is_escaped || other.is_escaped) && self.name() == other.name())
    }
}

/// Removes members that repeat another with the same value. Errors: the repeated key, when the
/// values differ.
pub(in super::super) fn keep_each_once<'a>(
    members: &mut Vec<JsonMember<'a>>,
    from: usize,
) -> Result<(), JsonMember<'a>> {
    let mut repeated = Vec::new();
    for (later, earlier) in repetitions(&members[from..]) {
        let later = from + later;
        let earlier = from + earlier;
        if !members[later].value.is_same(members[earlier].value) {
            return Err(members[later]);
        }
        repeated.push(later);
    }
    if !repeated.is_empty() {
        let mut positions = 0..members.len();
        members.retain(|_| positions.next().is_some_and(|at| repeated.binary_search(&at).is_err()));
    }
    Ok(())
}

/// Beyond this many keys they are compared through a hash map.
const PAIRWISE_MEMBERS: usize = 64;

/// Pairs (later, earlier) of positions with the same key, ordered by the later one.
fn repetitions(members: &[JsonMember<'_>]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    if members.len() > PAIRWISE_MEMBERS {
        let mut first = HashMap::with_capacity(members.len());
        for (position, member) in members.iter().enumerate() {
            match first.entry(member.name()) {
                Entry::Occupied(earlier) => pairs.push((position, *earlier.get())),
                Entry::Vacant(free) => {
                    free.insert(position);
                }
            }
        }
        return pairs;
    }
    // Most keys differ already in length and last letter: only the others are compared.
    let mut seen = 0_u64;
    let mut any_escaped = false;
    for (position, member) in members.iter().enumerate() {
        let last = member.key.as_bytes().last().copied().unwrap_or_default();
        let bit = 1_u64 << ((member.key.len() * 7 + usize::from(last)) % 64);
        any_escaped |= member.is_escaped;
        if seen & bit != 0 || any_escaped {
            let earlier = members[..position].iter().position(|earlier| earlier.has_key_of(member));
            pairs.extend(earlier.map(|earlier| (position, earlier)));
        }
        seen |= bit;
    }
    pairs
}
