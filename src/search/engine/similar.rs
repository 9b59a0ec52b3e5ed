//! Products that are like one.

use super::answer::ProductResult;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::BuyerContext;
use crate::search::query::centroid::Centroid;
use crate::search::query::matching::ScoredDoc;
use crate::search::query::top_k::TopHits;
use crate::search::rules::Rules;

impl IndexSnapshot {
    /// The products most similar to one, by their fingerprints; none if there is no such product. The shop's rules for
    /// any query and category apply: hidden or filtered products do not come, boosts and penalties count.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn similar(
        &self,
        id: &str,
        size: usize,
        rules: Option<&Rules>,
        caller: &BuyerContext,
    ) -> Result<Vec<ProductResult>, IndexFault> {
        let Some((of, place)) = self.locate_product(id)? else { return Ok(Vec::new()) };
        let effects = rules.map(|rules| rules.effects(&[], self.knowledge.analyser(), &[], caller.now));
        let ruling = self.ruling(&effects.unwrap_or_default(), caller)?;
        let view = &self.segments[of];
        let length = view.facts(place).fingerprint_length();
        let of_this = Centroid::new(std::iter::once((view.fingerprint(place), length, 1.0)));
        let mut found = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            let mut top = TopHits::new(segment, size, f64::NEG_INFINITY);
            segment.turned_fingerprints().each_like(of_this.numbers(), |doc, product, length| {
                let score = of_this.cosine_of(product, length);
                let lifted = |weight: f64| f64::from(score) + weight * f64::from(score.abs());
                // Rules are evaluated only for products that the greatest boost would bring among the best.
                if !top.takes(lifted(ruling.highest_weight())) || (number, doc) == (of, place) {
                    return;
                }
                let weight = ruling.weight(number, segment, doc, caller);
                let worth = lifted(weight);
                if !top.takes(worth) {
                    return;
                }
                let is_alive = segment.is_alive(doc);
                let is_out = ruling.is_out(number, segment, doc, caller);
                if is_alive && !is_out && segment.is_seen(doc, caller) {
                    top.offer(worth, ScoredDoc { doc, score, coverage: 1.0 });
                }
            });
            let best = top.into_hits().into_iter();
            found.extend(best.map(|(worth, hit)| (worth, segment.id(hit.doc), number, hit.doc)));
        }
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        found.truncate(size);
        found.into_iter().map(|(_, _, segment, doc)| self.item(segment, doc, caller)).collect()
    }
}
