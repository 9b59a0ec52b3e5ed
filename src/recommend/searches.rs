//! Searches, and their sessions.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::model::Person;

/// Maximum number of searches that are looked through for a beginning, …
const LOOKED_AT: usize = 1_000;
/// … and of sessions for each: more of them do not count.
const SESSIONS_LOOKED_AT: usize = 200;

/// The searches of a shop.
#[derive(Debug, Default)]
pub struct SearchHistory {
    /// Sessions by searched text.
    of: BTreeMap<String, BTreeSet<u128>>,
    /// Searched texts by session, each once, in order.
    by_session: FxHashMap<u128, Vec<String>>,
    count: usize,
    text_bytes: usize,
}

impl SearchHistory {
    /// Adds a search to those of a session.
    pub fn add(&mut self, session: u128, query: &str) {
        if self.of.entry(query.to_owned()).or_default().insert(session) {
            self.by_session.entry(session).or_default().push(query.to_owned());
            self.count += 1;
            self.text_bytes += query.len();
        }
    }

    /// Takes a session out, and returns its number of searches.
    pub fn remove(&mut self, session: u128) -> usize {
        let queries = self.by_session.remove(&session).unwrap_or_default();
        for query in &queries {
            self.text_bytes -= query.len();
            let Some(sessions) = self.of.get_mut(query) else { continue };
            sessions.remove(&session);
            if sessions.is_empty() {
                self.of.remove(query);
            }
        }
        self.count -= queries.len();
        queries.len()
    }

    /// Searches that begin with a text, each with the number of people who made it.
    pub fn beginning_with<'s>(
        &'s self,
        begin: &'s str,
        owner: impl Fn(&u128) -> Option<Person>,
    ) -> impl Iterator<Item = (usize, &'s str)> {
        let from = self.of.range::<str, _>((std::ops::Bound::Included(begin), std::ops::Bound::Unbounded));
        let of_begin = from.take_while(move |(query, _)| query.starts_with(begin)).take(LOOKED_AT);
        of_begin.map(move |(query, sessions)| {
            let people: BTreeSet<_> = sessions.iter().take(SESSIONS_LOOKED_AT).filter_map(&owner).collect();
            (people.len(), query.as_str())
        })
    }

    /// Number of searches, each counted once a session.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// All searches as bytes: the same for equal ones, however they came about.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (query, sessions) in &self.of {
            bytes.extend((query.len() as u64).to_be_bytes());
            bytes.extend(query.as_bytes());
            bytes.extend((sessions.len() as u64).to_be_bytes());
            sessions.iter().for_each(|session| bytes.extend(session.to_be_bytes()));
        }
        bytes
    }

    /// Approximate bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        // Two texts, a place in a set and one in a list, each with its overhead in memory.
        const SEARCH_BYTES: usize = 430;
        self.count * SEARCH_BYTES + 2 * self.text_bytes
    }
}
