//! A request before it is searched: corrected, with its rules and its plan.

use tantivy::DocId;

use super::answer::{SearchResult, Truncation};
use super::places::ProductPlace;
use super::rule_effects::RuleEffects;
use super::search_query::SearchQuery;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::{BuyerContext, QueryPurpose};
use crate::search::query::boosts::ProductFactors;
use crate::search::query::browsed::Browsed;
use crate::search::query::candidate::RankedProduct;
use crate::search::query::plan::{SearchPlan, Wording};
use crate::search::query::rank::Ranker;
use crate::search::query::tiers::TieredHits;
use crate::search::query::work_budget::StepBudget;
use crate::search::rules::Effects;
use crate::search::spellcheck::CorrectedQuery;
use crate::search::synonyms::Synonyms;
use crate::search::text::is_blank;

/// A request that is ready to be searched.
pub(super) struct PreparedSearch<'r> {
    /// The query after correction.
    corrected: CorrectedQuery,
    /// Effects of rules.
    pub(super) effects: Effects<'r>,
    /// The same effects, on the products of the index.
    pub(super) ruled: RuleEffects,
    /// The search plan.
    pub(super) plan: SearchPlan,
    /// Products found by their number, and products that rules put in front, by segment.
    exact: Vec<Vec<DocId>>,
    /// The caller.
    pub(super) caller: BuyerContext,
}

impl PreparedSearch<'_> {
    /// Begins the answer with the data that is known before any product is found.
    pub(super) fn start_result(&self, request: &SearchQuery) -> SearchResult {
        SearchResult {
            asked: request.query.clone(),
            searched: self.corrected.searched.clone(),
            corrected: self.corrected.changes.clone(),
            did_you_mean: self.corrected.did_you_mean.clone(),
            dropped: self.plan.dropped.clone(),
            cut: Truncation { synonyms: self.plan.lacks_synonyms, ..Truncation::default() },
            redirect: self.effects.redirect.map(str::to_owned),
            banners: self.effects.banners.iter().map(|text| (*text).to_owned()).collect(),
            ..SearchResult::default()
        }
    }

    /// Returns true if a product is found by its number, or a rule puts it in front.
    pub(super) fn is_exact(&self, (segment, doc): ProductPlace) -> bool {
        self.exact.get(segment).is_some_and(|docs| docs.binary_search(&doc).is_ok())
    }
}

impl IndexSnapshot {
    pub(super) fn prepare<'r>(
        &self,
        request: &'r SearchQuery,
        caller: &BuyerContext,
    ) -> Result<PreparedSearch<'r>, IndexFault> {
        let mut exact = self.by_number(&request.query, caller)?;
        let typed = self.effects(request, &request.query, caller);
        let corrected = if request.correct && exact.iter().all(Vec::is_empty) {
            self.correct(&request.query, &synonyms_of(request, &typed))
        } else {
            CorrectedQuery { searched: request.query.clone(), ..CorrectedQuery::default() }
        };
        let is_typed = corrected.searched == request.query;
        let effects = if is_typed { typed } else { self.effects(request, &corrected.searched, caller) };
        let plan = self.plan(request, &corrected.searched, &effects);
        let caller = BuyerContext {
            purpose: match caller.purpose {
                QueryPurpose::Recommendation => QueryPurpose::Recommendation,
                _ if plan.is_empty() => QueryPurpose::Listing,
                _ => QueryPurpose::Search,
            },
            ..caller.clone()
        };
        let ruled = self.resolve_rules(&effects, &caller)?;
        ruled.change(&mut exact, &self.segments, &caller);
        Ok(PreparedSearch { corrected, effects, ruled, plan, exact, caller })
    }

    /// Effects of the shop's rules on a request whose query became `searched`.
    fn effects<'r>(&self, request: &'r SearchQuery, searched: &str, caller: &BuyerContext) -> Effects<'r> {
        let analyser = self.knowledge.analyser();
        let texts = [request.query.as_str(), searched];
        // Without a correction there is one text.
        let texts = if texts[0] == texts[1] { &texts[..1] } else { &texts[..] };
        let categories = request.filters.categories();
        let rules = request.rules.as_ref();
        rules.map(|rules| rules.effects(texts, analyser, categories, caller.now)).unwrap_or_default()
    }

    fn plan(&self, request: &SearchQuery, searched: &str, effects: &Effects<'_>) -> SearchPlan {
        let synonyms = synonyms_of(request, effects);
        let knowledge = &self.knowledge;
        let wording = Wording {
            synonyms: &synonyms,
            stop_stems: &effects.stop_stems,
            compounds: Some(knowledge.compounds()),
        };
        let plan = SearchPlan::new(
            searched,
            knowledge.analyser(),
            knowledge.statistics(),
            wording,
            &request.ranking,
        );
        let is_nothing = plan.is_empty() && !is_blank(searched);
        if is_nothing { SearchPlan::without_words(searched) } else { plan }
    }

    pub(super) fn search_of<'s>(
        &'s self,
        request: &'s SearchQuery,
        prepared: &'s PreparedSearch<'_>,
    ) -> Ranker<'s> {
        let ranking = &request.ranking;
        let now = prepared.caller.now;
        Ranker {
            segments: &self.segments,
            plan: &prepared.plan,
            exact: &prepared.exact,
            weights: self.knowledge.weights(ranking.weighing),
            ranking,
            favour: ranking.favour.then(|| ProductFactors::new(now)),
            liking: request.liking.as_deref().filter(|_| ranking.favour),
            ruling: &prepared.ruled.ruling,
            caller: &prepared.caller,
            steps: StepBudget::new(request.steps),
        }
    }

    /// The best products, up to the last of the page.
    pub(super) fn page<'s>(
        &'s self,
        request: &'s SearchQuery,
        prepared: &'s PreparedSearch<'_>,
        search: &Ranker<'s>,
        answer: &mut SearchResult,
    ) -> Result<Vec<RankedProduct<'s>>, IndexFault> {
        if request.must_read_all() || search.browses_liked() {
            return self.filter_and_rank(request, prepared, search, answer);
        }
        let mut page = rank_unfiltered(request, search, answer)?;
        prepared.ruled.pinned_first(&mut page);
        Ok(page)
    }
}

/// The synonyms of the shop, and those of rules.
fn synonyms_of<'r>(request: &'r SearchQuery, effects: &Effects<'r>) -> Vec<&'r Synonyms> {
    let of_rules = effects.synonyms.iter().map(|synonyms| &***synonyms);
    request.synonyms.as_deref().into_iter().chain(of_rules).collect()
}

/// The best products of a query without filters, facets and another order: only these are held.
fn rank_unfiltered<'s>(
    request: &SearchQuery,
    search: &Ranker<'s>,
    answer: &mut SearchResult,
) -> Result<Vec<RankedProduct<'s>>, IndexFault> {
    let wanted = request.hits_needed();
    let best = request.candidates();
    let matches = search.matches(Some(best))?;
    let total = matches.full.as_ref().map_or(matches.total, Vec::len);
    answer.set_totals(total, matches.total, &matches.dropped);
    let is_short = matches.total < wanted && search.plan.words.len() > 1;
    let rest = match matches.rest {
        Some(rest) => rest,
        None if is_short => search.partial_hits()?,
        None => Vec::new(),
    };
    let tiers = TieredHits::new(matches.hits, matches.full.as_deref(), rest);
    Ok(search.rank(&tiers, matches.highest, (best, &Browsed::default())))
}
