//! The order of the products that match: coverage, score, centroid, favour; ties by id. Specified in docs/ranking.md,
//! "From the request to the hits".

use std::collections::BTreeMap;
use std::sync::Arc;

use tantivy::DocId;

use super::boosts::{PopularitySignal, ProductFactors, lift_liked};
use super::browsed::Browsed;
use super::candidate::{COVERAGE_WORTH, RankedProduct, ScoreBoosts, compare, exact_hit};
use super::centroid::{CENTROID_MATCHES_MIN, CENTROID_PRODUCTS_MAX, CENTROID_WORTH, Centroid};
use super::matching::{HitsBySegment, PartialHit, ScoredDoc, SegmentMatcher};
use super::options::{Coverage, Ranking};
use super::plan::SearchPlan;
use super::rule_masks::RuleMasks;
use super::tiers::{MatchTier, TieredHits};
use super::top_k::{TopHits, floor_of};
use super::work_budget::StepBudget;
use crate::search::index::SegmentView;
use crate::search::pricing::BuyerContext;
use crate::search::statistics::Weights;

/// Products whose order is decided beyond their scores.
pub const CANDIDATES: usize = 200;
/// If fewer products hold all words, the products that hold most words are the matches.
pub const MATCHES_MIN: usize = 10;

/// The products that match.
#[derive(Debug, Default)]
pub struct Matches {
    /// Number of matches.
    pub total: usize,
    /// The matches that hold all words: segment and product, rising. `None`: all do.
    pub full: Option<Vec<(usize, DocId)>>,
    /// Highest score among the matches, exact SKU hits excluded.
    pub highest: Option<f32>,
    /// The matches: all if they were asked for, else the best of each coverage, in no order.
    pub hits: HitsBySegment,
    /// Products that hold less of the query, if these were looked for.
    pub rest: Option<HitsBySegment>,
    /// Words of the query that not all matches hold.
    pub dropped: Vec<String>,
}

/// Ranks the products that match a plan.
pub struct Ranker<'s> {
    /// The segments of the index.
    pub segments: &'s [Arc<SegmentView>],
    /// The search plan.
    pub plan: &'s SearchPlan,
    /// Products whose id or article number is the query, by segment.
    pub exact: &'s [Vec<DocId>],
    /// Weights of words.
    pub weights: &'s Weights,
    /// Settings of the ranking.
    pub ranking: &'s Ranking,
    /// Factors of products for being new or sold out, if they count.
    pub favour: Option<ProductFactors>,
    /// Preferences of shoppers, if they count.
    pub liking: Option<&'s dyn PopularitySignal>,
    /// Effects of rules.
    pub ruling: &'s RuleMasks,
    /// The caller, who may see only a part of the products.
    pub caller: &'s BuyerContext,
    /// Steps that are left to it.
    pub steps: StepBudget,
}

/// A product that may lack words.
struct Partial {
    segment: usize,
    hit: ScoredDoc,
    words: u64,
    /// The share of the query that it holds, be it in synonyms.
    held: f32,
}

impl<'s> Ranker<'s> {
    /// The products that match: those that hold all words if there are enough, else those that hold most. `best` is how
    /// many are wanted; `None`: all.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn matches(&self, best: Option<usize>) -> tantivy::Result<Matches> {
        let mut matches = Matches::default();
        let mut earlier: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (number, segment) in self.segments.iter().enumerate() {
            // Among matches of one coverage those with the highest scores are the best.
            let mut tops: BTreeMap<u32, TopHits<'_>> = BTreeMap::new();
            let mut all = Vec::new();
            let mut take = |hit: ScoredDoc| {
                matches.total += 1;
                matches.highest = higher(matches.highest, &hit);
                let Some(best) = best else { return all.push(hit) };
                let top = tops.entry(hit.coverage.to_bits()).or_insert_with_key(|coverage| {
                    let worths = earlier.get(coverage).into_iter().flatten().copied();
                    TopHits::new(segment, best, floor_of(worths, best))
                });
                self.offer(top, hit.score.into(), 0.0, number, hit);
            };
            self.exact_of(number).iter().for_each(|doc| take(exact_hit(*doc)));
            self.holding_all(number, segment, &mut take)?;
            let mut hits = all;
            for (coverage, top) in tops {
                let worths = earlier.entry(coverage).or_default();
                for (worth, hit) in top.into_hits() {
                    worths.push(worth);
                    hits.push(hit);
                }
            }
            if best.is_none() {
                hits.sort_unstable_by_key(|hit| hit.doc);
            }
            matches.hits.push(hits);
        }
        // Without a step left nothing more is found.
        if matches.total < MATCHES_MIN && !self.plan.words.is_empty() && !self.steps.is_spent() {
            return self.most_of_it();
        }
        Ok(matches)
    }

    fn holding_all(
        &self,
        number: usize,
        segment: &SegmentView,
        take: &mut impl FnMut(ScoredDoc),
    ) -> tantivy::Result<()> {
        let keep = |doc| self.keeps(number, segment, doc);
        if self.plan.is_empty() {
            let all = (0..segment.max_doc()).take_while(|_| !self.steps.is_spent()).filter(|doc| keep(*doc));
            all.for_each(|doc| take(ScoredDoc { doc, score: 0.0, coverage: 1.0 }));
            return Ok(());
        }
        SegmentMatcher::open(self.plan, segment, self.weights, &self.steps)?.all_words(keep, take);
        Ok(())
    }

    /// Returns true if a product that holds words counts: not removed, not left out by rules, seen by the caller, and
    /// not exact, as exact hits are counted separately.
    fn keeps(&self, number: usize, segment: &SegmentView, doc: DocId) -> bool {
        if !segment.is_alive(doc) {
            return false;
        }
        self.steps.spend(self.ruling.evaluation_steps(number, segment, doc));
        let is_out = self.ruling.is_out(number, segment, doc, self.caller);
        !is_out && !self.is_exact(number, doc) && segment.is_seen(doc, self.caller)
    }

    /// Returns true if the query is the id or article number of this product.
    #[must_use]
    pub fn is_exact(&self, number: usize, doc: DocId) -> bool {
        self.exact_of(number).binary_search(&doc).is_ok()
    }

    fn exact_of(&self, number: usize) -> &[DocId] {
        self.exact.get(number).map_or(&[], Vec::as_slice)
    }

    /// The products with the highest coverage that enough products reach, and the rest.
    fn most_of_it(&self) -> tantivy::Result<Matches> {
        let partial = self.partial()?;
        let exact = self.exact.iter().map(Vec::len).sum::<usize>();
        let level = level_of(&partial, MATCHES_MIN.saturating_sub(exact));
        let mut hits = vec![Vec::new(); self.segments.len()];
        let mut rest = hits.clone();
        let mut full = Vec::new();
        for (segment, docs) in self.exact.iter().enumerate() {
            hits[segment].extend(docs.iter().map(|doc| exact_hit(*doc)));
            full.extend(docs.iter().map(|doc| (segment, *doc)));
        }
        let mut held = u64::MAX;
        for Partial { segment, hit, words, held: share } in partial {
            if share >= level {
                held &= words;
                full.extend(self.is_all(words).then_some((segment, hit.doc)));
                hits[segment].push(hit);
            } else {
                rest[segment].push(hit);
            }
        }
        hits.iter_mut().for_each(|hits| hits.sort_unstable_by_key(|hit| hit.doc));
        full.sort_unstable();
        let lacking = self.plan.words.iter().enumerate().filter(|(place, _)| held >> place & 1 == 0);
        let dropped = lacking.map(|(_, word)| word.word.clone()).collect();
        let highest = highest_of(&hits);
        let total = hits.iter().map(Vec::len).sum();
        Ok(Matches { total, full: Some(full), highest, hits, rest: Some(rest), dropped })
    }

    /// The products that hold some of the words and not all.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn partial_hits(&self) -> tantivy::Result<HitsBySegment> {
        let mut rest = vec![Vec::new(); self.segments.len()];
        for Partial { segment, hit, words, .. } in self.partial()? {
            if !self.is_all(words) {
                rest[segment].push(hit);
            }
        }
        Ok(rest)
    }

    fn partial(&self) -> tantivy::Result<Vec<Partial>> {
        let mut all = Vec::new();
        let mut coverages: BTreeMap<u64, f32> = BTreeMap::new();
        for (segment, view) in self.segments.iter().enumerate() {
            let keep = |doc| self.keeps(segment, view, doc);
            SegmentMatcher::open(self.plan, view, self.weights, &self.steps)?.any_word(keep, &mut |part| {
                let PartialHit { doc, score, words, lost } = part;
                let held = *coverages.entry(words).or_insert_with(|| self.coverage(words));
                let hit = ScoredDoc { doc, score, coverage: held - lost };
                all.push(Partial { segment, hit, words, held });
            });
        }
        Ok(all)
    }

    fn is_all(&self, words: u64) -> bool {
        words.count_ones() as usize == self.plan.words.len()
    }

    fn coverage(&self, words: u64) -> f32 {
        if self.is_all(words) {
            return 1.0;
        }
        let held = self.plan.words.iter().enumerate().filter(|(place, _)| words >> place & 1 == 1);
        match self.ranking.coverage {
            Coverage::Idf => held.map(|(_, word)| word.share).sum::<f32>(),
            Coverage::Tiers => 0.0,
        }
    }

    /// The best of each tier, best first. `highest` is the highest score of the matches, if they have one; `browsed`
    /// the gains without a query.
    #[must_use]
    pub fn rank(
        &self,
        tiers: &TieredHits,
        highest: Option<f32>,
        (best, browsed): (usize, &Browsed),
    ) -> Vec<RankedProduct<'s>> {
        // If the query is the article number of all matches, the rest is compared with its own best.
        let highest = highest.or_else(|| highest_of(&tiers.rest)).unwrap_or(1.0);
        let mut candidates = Vec::new();
        for (hits, tier) in tiers.in_order() {
            let wanted = best.saturating_sub(candidates.len());
            if wanted > 0 {
                self.best_of(hits, tier, highest, (wanted, browsed), &mut candidates);
                candidates.sort_unstable_by(compare);
                candidates.truncate(best);
            }
        }
        if !self.plan.is_empty() {
            let is_common = self.ranking.centroid && tiers.count_matches() >= CENTROID_MATCHES_MIN;
            let candidates_end = candidates.len().min(CANDIDATES);
            self.lift(&mut candidates[..candidates_end], highest, is_common);
        }
        candidates
    }

    /// Adds the best hits of each segment, as long as they may be among the best of all.
    fn best_of(
        &self,
        hits: &[Vec<ScoredDoc>],
        tier: MatchTier,
        highest: f32,
        (best, browsed): (usize, &Browsed),
        candidates: &mut Vec<RankedProduct<'s>>,
    ) {
        let mut found = Vec::new();
        let floor =
            |found: &[(f64, usize, ScoredDoc)]| floor_of(found.iter().map(|(value, ..)| *value), best);
        for (number, hits) in hits.iter().enumerate() {
            let mut top = TopHits::new(&self.segments[number], best, floor(&found));
            for hit in hits {
                let ScoreBoosts { popular, personal, .. } = browsed.boosts_of(number, hit.doc);
                let besides = COVERAGE_WORTH * f64::from(hit.coverage) + popular + personal;
                self.offer(&mut top, f64::from(hit.score) / f64::from(highest), besides, number, *hit);
            }
            found.extend(top.into_hits().into_iter().map(|(value, hit)| (value, number, hit)));
        }
        // An id is slow to read.
        let floor = floor(&found);
        found.retain(|(value, ..)| *value >= floor);
        for (number, segment) in self.segments.iter().enumerate() {
            let of_this = found.iter().filter(|(_, of, _)| *of == number);
            segment.touch_ids_and_fingerprints(of_this.map(|(.., hit)| hit.doc));
        }
        candidates.extend(found.into_iter().map(|(value, segment, hit)| {
            let id = self.segments[segment].id(hit.doc);
            let score = f64::from(hit.score) / f64::from(highest);
            let rules = self.rule_boost(score, segment, hit.doc);
            let boosts = ScoreBoosts { rules, ..browsed.boosts_of(segment, hit.doc) };
            RankedProduct { segment, id, hit, value, boosts, tier, group: None }
        }));
    }

    /// Offers a hit: its score with what rules add, and its other gains.
    #[inline]
    fn offer(&self, top: &mut TopHits<'_>, score: f64, besides: f64, number: usize, hit: ScoredDoc) {
        // Most hits are far from the best: rules are evaluated only for hits that the greatest boost would bring there.
        let most = score + self.share_of(self.ruling.highest_weight(), score);
        if top.takes(most + besides) {
            top.offer(score + self.rule_boost(score, number, hit.doc) + besides, hit);
        }
    }

    /// Boost that rules add to a score.
    fn rule_boost(&self, score: f64, number: usize, doc: DocId) -> f64 {
        let weight = self.ruling.weight(number, &self.segments[number], doc, self.caller);
        self.share_of(weight, score)
    }

    /// Boost that a weight adds to a score. A search without words has no scores: all products get the same boost.
    fn share_of(&self, weight: f64, score: f64) -> f64 {
        if weight == 0.0 || score.is_infinite() {
            return 0.0;
        }
        weight * if self.plan.is_empty() { 1.0 } else { score }
    }

    /// Applies the boosts and, if matches are common, lifts products that are like the best ones.
    fn lift(&self, candidates: &mut [RankedProduct<'s>], highest: f32, is_common: bool) {
        let centroid = is_common.then(|| self.centroid(candidates, highest));
        for candidate in candidates.iter_mut().filter(|candidate| !candidate.is_exact()) {
            if let Some(favour) = &self.favour {
                let factor = favour.factor(&self.segments[candidate.segment], candidate.hit.doc);
                let of_score = f64::from(candidate.hit.score / highest);
                candidate.boosts.favour = of_score * f64::from(factor - 1.0);
                candidate.value += candidate.boosts.favour;
            }
            if let Some(centroid) = &centroid {
                let cosine = centroid.cosine(self.fingerprint(candidate), self.length(candidate));
                candidate.boosts.centroid = f64::from(CENTROID_WORTH * cosine);
                candidate.value += candidate.boosts.centroid;
            }
        }
        candidates.sort_unstable_by(compare);
        if let Some(liking) = self.liking {
            lift_liked(candidates, liking, highest);
            candidates.sort_unstable_by(compare);
        }
    }

    /// Centroid of the best matches.
    fn centroid(&self, candidates: &[RankedProduct<'_>], highest: f32) -> Centroid {
        let matches =
            candidates.iter().filter(|candidate| candidate.tier.is_match() && !candidate.is_exact());
        let best = matches.take(CENTROID_PRODUCTS_MAX);
        Centroid::new(best.map(|best| (self.fingerprint(best), self.length(best), best.hit.score / highest)))
    }

    fn fingerprint(&self, candidate: &RankedProduct<'_>) -> &[u8] {
        self.segments[candidate.segment].fingerprint(candidate.hit.doc)
    }

    fn length(&self, candidate: &RankedProduct<'_>) -> f32 {
        self.segments[candidate.segment].facts(candidate.hit.doc).fingerprint_length()
    }
}

/// The highest score, without products found by their number.
#[must_use]
pub fn highest_of(hits: &[Vec<ScoredDoc>]) -> Option<f32> {
    hits.iter().flatten().fold(None, higher)
}

/// The score of a hit if it is higher.
fn higher(highest: Option<f32>, hit: &ScoredDoc) -> Option<f32> {
    let is_score = hit.score.is_finite() && hit.score > 0.0;
    if is_score && highest.is_none_or(|highest| highest < hit.score) { Some(hit.score) } else { highest }
}

/// The highest coverage that this many products have or exceed; 0 if there are not as many.
fn level_of(partial: &[Partial], enough: usize) -> f32 {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for partial in partial {
        // Bits of positive numbers are in the order of the numbers.
        *counts.entry(partial.held.to_bits()).or_insert(0) += 1;
    }
    let mut sum = 0;
    for (coverage, count) in counts.iter().rev() {
        sum += count;
        if sum >= enough {
            return f32::from_bits(*coverage);
        }
    }
    0.0
}
