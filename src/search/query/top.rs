//! The best products of a segment: by score, then by id.

use std::cmp::Ordering;

use super::matching::Hit;
use crate::search::index::SegmentView;

/// Keeps the best of the hits that it is offered.
pub struct Top<'s> {
    segment: &'s SegmentView,
    limit: usize,
    hits: Vec<Hit>,
    /// No hit below this is among the best.
    floor: f32,
}

impl<'s> Top<'s> {
    /// Keeps this many hits.
    #[must_use]
    pub fn new(segment: &'s SegmentView, limit: usize) -> Self {
        Self { segment, limit: limit.max(1), hits: Vec::new(), floor: f32::NEG_INFINITY }
    }

    /// Whether a hit with this score may be one of the best so far.
    #[must_use]
    pub fn takes(&self, score: f32) -> bool {
        score >= self.floor
    }

    /// Takes a hit if it is one of the best so far.
    #[inline]
    pub fn offer(&mut self, hit: Hit) {
        if hit.score >= self.floor {
            self.hits.push(hit);
            if self.hits.len() >= self.limit * 2 {
                self.shrink();
            }
        }
    }

    fn shrink(&mut self) {
        if self.hits.len() <= self.limit {
            return;
        }
        let segment = self.segment;
        let (_, last, _) = self.hits.select_nth_unstable_by(self.limit - 1, |a, b| compare(segment, a, b));
        self.floor = last.score;
        self.hits.truncate(self.limit);
    }

    /// The best hits, in no order.
    #[must_use]
    pub fn into_hits(mut self) -> Vec<Hit> {
        self.shrink();
        self.hits
    }
}

fn compare(segment: &SegmentView, a: &Hit, b: &Hit) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| segment.id_ordinal(a.doc).cmp(&segment.id_ordinal(b.doc)))
}
