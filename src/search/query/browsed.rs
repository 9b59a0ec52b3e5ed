//! Products of a browsed page, best first.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::DocId;

use super::boosts::PopularitySignal;
use super::candidate::ScoreBoosts;
use super::matching::ScoredDoc;
use crate::search::index::SegmentView;

/// Boosts of products, by segment and place there.
#[derive(Debug, Default)]
pub struct Browsed(HashMap<(usize, DocId), ScoreBoosts>);

impl Browsed {
    /// Computes the boosts of these products, each segment's in the order of their places. A product that cannot be
    /// bought now gets none.
    pub(super) fn from_hits(
        segments: &[Arc<SegmentView>],
        hits: &[Vec<ScoredDoc>],
        liking: &dyn PopularitySignal,
    ) -> tantivy::Result<Self> {
        let mut places: Vec<_> = if hits.iter().map(Vec::len).sum::<usize>() <= EACH_ASKED {
            let of_segment = |(number, hits): (usize, &Vec<ScoredDoc>)| {
                hits.iter().map(|hit| (number, *hit)).collect::<Vec<_>>()
            };
            hits.iter().enumerate().flat_map(of_segment).collect()
        } else {
            most_liked(segments, hits, liking)?
        };
        places.retain(|(number, hit)| {
            let can_be_bought = segments[*number].is_in_stock(hit.doc);
            can_be_bought && hit.score.is_finite()
        });
        for (number, segment) in segments.iter().enumerate() {
            let of_this = places.iter().filter(|(of, _)| *of == number);
            segment.touch_ids_and_fingerprints(of_this.map(|(_, hit)| hit.doc));
        }
        let ids: Vec<_> = places.iter().map(|(number, hit)| segments[*number].id(hit.doc)).collect();
        let liked = places.iter().zip(liking.rate_products(&ids)).map(|((number, hit), liked)| {
            let [popular, personal] = liked.boosts();
            ((*number, hit.doc), ScoreBoosts { popular, personal, ..ScoreBoosts::default() })
        });
        Ok(Self(liked.filter(|(_, boosts)| boosts.popular + boosts.personal > 0.0).collect()))
    }

    /// Boosts of a product.
    #[must_use]
    pub fn boosts_of(&self, segment: usize, doc: DocId) -> ScoreBoosts {
        self.0.get(&(segment, doc)).copied().unwrap_or_default()
    }
}

/// Maximum number of products that are rated one by one; beyond it, only the most popular ones of the whole shop are
/// rated.
pub const EACH_ASKED: usize = 1000;

/// Those of the products that are liked most.
pub(super) fn most_liked(
    segments: &[Arc<SegmentView>],
    hits: &[Vec<ScoredDoc>],
    liking: &dyn PopularitySignal,
) -> tantivy::Result<Vec<(usize, ScoredDoc)>> {
    let mut places = Vec::new();
    for id in liking.most_liked() {
        for (number, hits) in hits.iter().enumerate() {
            let Some(doc) = segments[number].find_alive(&id)? else { continue };
            places.extend(hits.binary_search_by_key(&doc, |hit| hit.doc).map(|at| (number, hits[at])));
        }
    }
    Ok(places)
}
