//! Categories and brands that a shopper may like: those of products that they may like.

use std::collections::HashSet;

use super::context::RecommendContext;
use super::fallbacks::{ChainStep, PickedProducts, Recommending};
use crate::projections::models::ModelHandle;
use crate::search::document::NameTable;
use crate::search::engine::{DiversityLimiter, GroupKind};
use crate::search::index::IndexFault;

/// Products that the shopper viewed, the newest first; products that these call for; products that many view; new ones.
const STEPS: [ChainStep; 6] = [
    ChainStep::Own,
    ChainStep::ForYou,
    ChainStep::Session,
    ChainStep::Similar,
    ChainStep::MostViewed,
    ChainStep::Newest,
];

impl Recommending<'_> {
    /// Categories, or brands, by their ids, those first that the shopper may like most, but for one. Of each there is a
    /// product that may be shown; none are found where there are fewer than the least that is wanted.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub(crate) fn kin(
        &self,
        model: &ModelHandle,
        of: GroupKind,
        named: &NameTable,
        but_for: Option<&str>,
    ) -> Result<Vec<String>, IndexFault> {
        let asking = model.with_model(|model, _| RecommendContext::new(model, self.asked));
        let spread = Some(DiversityLimiter::one_of_each(of, named, but_for));
        let mut found = PickedProducts { items: Vec::new(), taken: HashSet::new(), spread };
        self.run_steps(&STEPS, &asking, model, &mut found)?;
        let mut ids = Vec::with_capacity(found.items.len());
        for (item, _) in &found.items {
            ids.extend(self.snapshot.kin(&item.id)?.into_id(of));
        }
        Ok(if ids.len() >= self.asked.min { ids } else { Vec::new() })
    }
}
