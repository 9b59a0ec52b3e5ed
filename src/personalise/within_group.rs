//! Recommendations within a category or a brand.

use rustc_hash::FxHashSet;

use super::context::RecommendContext;
use super::fallbacks::{ChainStep, PickedProducts, Recommending, code_of, rank_by_session};
use super::ranked::{Ranked, Reason, rank_items};
use crate::projections::models::ModelHandle;
use crate::recommend::co_view::most_viewed_of;
use crate::recommend::items::ItemNumber;
use crate::recommend::session::RecommendationReason;
use crate::search::engine::ProductConstraints;
use crate::search::index::IndexFault;
use crate::search::query::product_property::ProductProperty;

/// Products by their ids, the best first, each with the reason of the session; `None`: ranked by views.
type RankedWithReason = Ranked<Option<RecommendationReason>>;

impl Recommending<'_> {
    /// Adds products in the category, or of the brand, of the newest item: those that the session calls for, then the
    /// most viewed, then the newest. A category, or brand, that filters name replaces that of the newest item, and the
    /// reasons are those of the session.
    pub(super) fn add_within_group(
        &self,
        step: ChainStep,
        asking: &RecommendContext<'_>,
        model: &ModelHandle,
        found: &mut PickedProducts<'_>,
    ) -> Result<(), IndexFault> {
        let kin = self.snapshot.kin(asking.newest().unwrap_or_default())?;
        let (subject, id, code) = match step {
            ChainStep::OfBrand => (ProductProperty::Brand, kin.brand, "of_brand"),
            _ => (ProductProperty::Category, kin.category, "in_category"),
        };
        let is_named = self.wanted.filters.subjects().any(|named| *named == subject);
        let filters = match id {
            _ if is_named => self.wanted.filters.clone(),
            Some(id) => self.wanted.filters.within(subject, id),
            None => return Ok(()),
        };
        let because = |plain: Reason| if is_named { plain } else { asking.because(code) };
        let wanted = ProductConstraints { filters: &filters, ..*self.wanted };
        let within = Recommending { wanted: &wanted, ..*self };
        let shown = self.snapshot.all_chosen(&wanted)?;
        // Clicks within the group predict the next click there best.
        let asking_there = asking.with_newest_among(&shown);
        found.taken.extend(asking_there.newest().map(str::to_owned));
        let ranked = within.rank_within_group(&shown, &asking_there, model, within.few(found));
        within.add(found, ranked.iter().map(|(id, why)| (&**id, *why)), |why| {
            because(match why {
                Some(why) => asking_there.because(code_of(why)),
                None => Reason { code: "most_viewed", product: None },
            })
        })?;
        if found.count_missing(self.asked) > 0 {
            within.add_newest(found, &because(Reason { code: "newest", product: None }))
        } else {
            Ok(())
        }
    }

    /// Ranks products that may be shown: those that the session calls for, then the most viewed; at most so many of
    /// each.
    fn rank_within_group(
        &self,
        shown: &[&str],
        asking: &RecommendContext<'_>,
        model: &ModelHandle,
        most: usize,
    ) -> RankedWithReason {
        model.with_model(|model, recommender| {
            let others = asking.other_sessions(model);
            let items: FxHashSet<ItemNumber> = shown.iter().filter_map(|id| others.item(id)).collect();
            let of_session =
                rank_by_session(recommender, &others, asking, most, |item| items.contains(&item));
            let most_viewed = rank_items(&others, most_viewed_of(&others, items.into_iter(), most));
            let of_session = of_session.into_iter().map(|(id, why)| (id, Some(why)));
            of_session.chain(most_viewed.into_iter().map(|(id, _)| (id, None))).collect()
        })
    }
}
