//! The best products of a segment: by score, then by id.

use super::matching::ScoredDoc;
use crate::search::index::SegmentView;

/// Keeps the best of the hits that it is offered.
pub struct TopHits<'s> {
    segment: &'s SegmentView,
    limit: usize,
    hits: Vec<(f64, ScoredDoc)>,
    /// No hit that is worth less is among the best.
    floor: f64,
}

impl<'s> TopHits<'s> {
    /// Keeps this many hits, and none that scores below the floor: other segments have enough better ones.
    #[must_use]
    pub fn new(segment: &'s SegmentView, limit: usize, floor: f64) -> Self {
        Self { segment, limit: limit.max(1), hits: Vec::new(), floor }
    }

    /// Returns true if a hit with this score may be one of the best so far.
    #[must_use]
    pub fn takes(&self, worth: f64) -> bool {
        worth >= self.floor
    }

    /// Takes a hit if it is one of the best so far.
    #[inline]
    pub fn offer(&mut self, worth: f64, hit: ScoredDoc) {
        if worth >= self.floor {
            self.hits.push((worth, hit));
            if self.hits.len() >= self.limit * 2 {
                self.shrink();
            }
        }
    }

    /// Keeps the best hits. The score decides about most; ids, which are slow to read, decide among the hits that tie
    /// with the last.
    fn shrink(&mut self) {
        if self.hits.len() <= self.limit {
            return;
        }
        let (better, (floor, _), _) =
            self.hits.select_nth_unstable_by(self.limit - 1, |a, b| b.0.total_cmp(&a.0));
        let floor = *floor;
        let better = better.iter().filter(|(worth, _)| *worth > floor).count();
        self.floor = floor;
        self.hits.retain(|(worth, _)| *worth >= floor);
        self.hits.sort_unstable_by_key(|(worth, _)| *worth <= floor);
        let segment = self.segment;
        let equal = &mut self.hits[better..];
        if better + equal.len() > self.limit {
            let last = self.limit - better - 1;
            equal.select_nth_unstable_by_key(last, |(_, hit)| segment.id_ordinal(hit.doc));
        }
        self.hits.truncate(self.limit);
    }

    /// The best hits with their scores, in no order.
    #[must_use]
    pub fn into_hits(mut self) -> Vec<(f64, ScoredDoc)> {
        self.shrink();
        self.hits
    }
}

/// Score of the last of the best; while there are fewer, negative infinity, so that every hit fits.
#[must_use]
pub fn floor_of(worths: impl Iterator<Item = f64>, best: usize) -> f64 {
    let mut worths: Vec<f64> = worths.collect();
    match best.checked_sub(1) {
        Some(last) if last < worths.len() => *worths.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1,
        _ => f64::NEG_INFINITY,
    }
}
