//! The products of a segment that rules name, independent of the caller: computed once, because its files never change.

use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use tantivy::DocId;

use super::fault::IndexFault;
use crate::limits;

/// Digest of a request, which names it.
pub type NamedDigest = [u8; 32];

/// Some products of a segment, including those removed since.
#[derive(Debug, PartialEq, Eq)]
pub enum ProductSet {
    /// Their numbers, rising.
    Few(Vec<DocId>),
    /// A bit for each product of the segment.
    Many(Box<[u64]>),
}

impl ProductSet {
    /// These products of a segment that has `products` in all, in rising order.
    #[must_use]
    pub fn new(docs: Vec<DocId>, products: DocId) -> Self {
        if docs.len() <= products as usize / 32 {
            return Self::Few(docs);
        }
        let mut bits = vec![0_u64; (products as usize).div_ceil(64)];
        for doc in docs {
            bits[doc as usize / 64] |= 1 << (doc % 64);
        }
        Self::Many(bits.into())
    }

    /// Returns true if the set has the product.
    #[must_use]
    #[inline]
    pub fn has(&self, doc: DocId) -> bool {
        match self {
            Self::Few(docs) => docs.binary_search(&doc).is_ok(),
            Self::Many(bits) => bits.get(doc as usize / 64).is_some_and(|bits| bits >> (doc % 64) & 1 == 1),
        }
    }

    fn bytes(&self) -> usize {
        let of_numbers = match self {
            Self::Few(docs) => size_of_val(docs.as_slice()),
            Self::Many(bits) => size_of_val(&**bits),
        };
        of_numbers + size_of::<(NamedDigest, Arc<Self>)>() + size_of::<Self>()
    }
}

/// Cache of the product sets last named in a segment, in no more memory than a column would take.
pub struct RuleDocSets {
    most_bytes: usize,
    held: Mutex<ProductSetCache>,
}

struct ProductSetCache {
    sets: LruCache<NamedDigest, Arc<ProductSet>>,
    bytes: usize,
}

impl RuleDocSets {
    /// Makes an empty cache for a segment with this number of products.
    #[must_use]
    pub fn new(products: DocId) -> Self {
        let most_bytes =
            limits::SEARCH_NAMED_BYTES * (products as usize).max(limits::SEARCH_NAMED_PRODUCTS_MIN);
        Self { most_bytes, held: Mutex::new(ProductSetCache { sets: LruCache::unbounded(), bytes: 0 }) }
    }

    /// The product set of this digest; if it is not cached, `find` computes it. `find` returns `None` if the set cannot
    /// be known: that is not cached.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn get_or_find(
        &self,
        digest: &NamedDigest,
        find: impl FnOnce() -> Result<Option<ProductSet>, IndexFault>,
    ) -> Result<Option<Arc<ProductSet>>, IndexFault> {
        let lock = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(named) = lock().sets.get(digest) {
            return Ok(Some(Arc::clone(named)));
        }
        // Not under the lock: two searches that both compute it get the same result.
        let Some(named) = find()?.map(Arc::new) else { return Ok(None) };
        lock().insert(digest, &named, self.most_bytes);
        Ok(Some(named))
    }
}

impl ProductSetCache {
    fn insert(&mut self, digest: &NamedDigest, named: &Arc<ProductSet>, most_bytes: usize) {
        self.bytes += named.bytes();
        if let Some(before) = self.sets.put(*digest, Arc::clone(named)) {
            self.bytes -= before.bytes();
        }
        while self.bytes > most_bytes {
            let Some((_, oldest)) = self.sets.pop_lru() else { break };
            self.bytes -= oldest.bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: usize) -> NamedDigest {
        let mut digest = [0; 32];
        digest[..8].copy_from_slice(&number.to_le_bytes());
        digest
    }

    #[test]
    fn few_and_many_have_what_they_were_made_of() {
        for docs in
            [vec![], vec![0], vec![63, 64, 999], (0..1_000).step_by(3).collect(), (0..1_000).collect()]
        {
            let named = ProductSet::new(docs.clone(), 1_000);
            let has: Vec<DocId> = (0..1_100).filter(|doc| named.has(*doc)).collect();
            assert_eq!(has, docs);
        }
        assert_eq!(ProductSet::new(vec![7], 1_000), ProductSet::Few(vec![7]));
        assert!(matches!(ProductSet::new(vec![7], 10), ProductSet::Many(_)));
    }

    #[test]
    fn what_was_not_named_for_long_makes_room() {
        let sets = RuleDocSets::new(1_000);
        let all = || ProductSet::new((0..1_000).collect(), 1_000);
        for number in 0..10_000 {
            sets.get_or_find(&digest(number), || Ok(Some(all()))).expect("found");
            sets.get_or_find(&digest(0), || panic!("the first is asked for again and again")).expect("held");
        }
        let held = sets.held.lock().expect("a lock");
        assert_eq!(held.bytes, held.sets.iter().map(|(_, set)| set.bytes()).sum::<usize>());
        assert!(held.bytes <= sets.most_bytes && held.bytes + all().bytes() > sets.most_bytes);
    }

    #[test]
    fn a_small_segment_has_the_room_of_many_products_and_a_large_one_its_own() {
        let least = limits::SEARCH_NAMED_PRODUCTS_MIN;
        let room = |products: usize| RuleDocSets::new(DocId::try_from(products).expect("few")).most_bytes;
        assert_eq!(room(1), room(least));
        assert_eq!(room(2 * least), 2 * room(least));
    }

    #[test]
    fn what_nobody_can_say_is_asked_again() {
        let sets = RuleDocSets::new(10);
        assert_eq!(sets.get_or_find(&digest(1), || Ok(None)).expect("nothing"), None);
        let now = sets.get_or_find(&digest(1), || Ok(Some(ProductSet::new(vec![1], 10)))).expect("found");
        assert!(now.is_some_and(|named| named.has(1)));
    }
}
