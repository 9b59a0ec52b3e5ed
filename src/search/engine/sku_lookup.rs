//! Ids and article numbers: a query that is an id leads to its product, in any spelling, and so does the beginning of
//! one. A query of signs alone leads to the products that have them.

use std::collections::BTreeMap;

use tantivy::DocId;

use super::typed_number::list_writings;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::BuyerContext;
use crate::search::text::{fold_identifier, index_signs};

/// Longer queries are no ids.
const NAME_BYTES_MAX: usize = 200;
/// Shortest beginning of a number that leads anywhere.
const BEGUN_MIN_BYTES: usize = 4;
/// Numbers with such a beginning that are looked at, also of products hidden from the caller.
const BEGUN_NAMES: usize = 1000;

impl IndexSnapshot {
    /// The products whose id or number is the query, by segment, in the first usual writing that some have; if there is
    /// none, those whose number begins with it. For a query without a letter or digit: the products whose texts have
    /// its signs.
    pub(super) fn by_number(
        &self,
        query: &str,
        caller: &BuyerContext,
    ) -> Result<Vec<Vec<DocId>>, IndexFault> {
        let name = fold_identifier(query);
        if name.is_empty() {
            return self.with_signs(query, caller);
        }
        if name.len() > NAME_BYTES_MAX {
            return Ok(Vec::new());
        }
        for writings in list_writings(query) {
            let named = self.of_names(&writings, caller)?;
            if named.iter().any(|docs| !docs.is_empty()) {
                return Ok(named);
            }
        }
        if self.may_begin_a_number(query, &name)? {
            return self.of_beginning(&name, caller);
        }
        Ok(Vec::new())
    }

    /// The products whose texts have all the signs of a query.
    fn with_signs(&self, query: &str, caller: &BuyerContext) -> Result<Vec<Vec<DocId>>, IndexFault> {
        let signs = index_signs(query);
        let Some((first, others)) = signs.split_first() else { return Ok(Vec::new()) };
        let mut found = self.of_name(first, caller)?;
        for sign in others {
            for (docs, segment) in found.iter_mut().zip(&self.segments) {
                let with = segment.exact(sign)?;
                docs.retain(|doc| with.binary_search(doc).is_ok());
            }
        }
        Ok(found)
    }

    fn of_names(&self, names: &[String], caller: &BuyerContext) -> Result<Vec<Vec<DocId>>, IndexFault> {
        let mut named = vec![Vec::new(); self.segments.len()];
        for name in names {
            for (docs, found) in named.iter_mut().zip(self.of_name(name, caller)?) {
                docs.extend(found);
                docs.sort_unstable();
                docs.dedup();
            }
        }
        Ok(named)
    }

    fn of_name(&self, name: &str, caller: &BuyerContext) -> Result<Vec<Vec<DocId>>, IndexFault> {
        let mut named = Vec::new();
        for segment in &self.segments {
            let mut docs = segment.exact(name)?;
            docs.retain(|doc| segment.is_seen(*doc, caller));
            named.push(docs);
        }
        Ok(named)
    }

    /// One word with a digit and at least one part that the shop's texts do not have.
    fn may_begin_a_number(&self, query: &str, name: &str) -> Result<bool, IndexFault> {
        let is_one = query.split_whitespace().count() == 1;
        let has_digit = name.bytes().any(|byte| byte.is_ascii_digit());
        if !is_one || !has_digit || name.len() < BEGUN_MIN_BYTES {
            return Ok(false);
        }
        let mut stems = Vec::new();
        self.knowledge.analyser().for_each_word(query, &mut |token| stems.push(token.stem.to_owned()));
        for stem in &stems {
            let mut is_known = false;
            for segment in &self.segments {
                is_known |= segment.has_word(stem)?;
            }
            if !is_known {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first names that begin so, in their own order, whichever segments they are in.
    fn of_beginning(&self, beginning: &str, caller: &BuyerContext) -> Result<Vec<Vec<DocId>>, IndexFault> {
        let mut by_name: BTreeMap<String, Vec<(usize, DocId)>> = BTreeMap::new();
        for (number, segment) in self.segments.iter().enumerate() {
            for (name, docs) in segment.names_beginning_with(beginning, BEGUN_NAMES)? {
                by_name.entry(name).or_default().extend(docs.into_iter().map(|doc| (number, doc)));
            }
        }
        let mut named = vec![Vec::new(); self.segments.len()];
        for (number, doc) in by_name.into_values().take(BEGUN_NAMES).flatten() {
            if self.segments[number].is_seen(doc, caller) {
                named[number].push(doc);
            }
        }
        for docs in &mut named {
            docs.sort_unstable();
            docs.dedup();
        }
        Ok(named)
    }
}
