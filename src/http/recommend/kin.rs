//! Categories and brands that a shopper may like: those of products that they may like.

use std::collections::HashSet;

use super::asking::Asking;
use super::chain::{Found, Recommending, Step};
use crate::derived::models::Shown;
use crate::search::document::Named;
use crate::search::engine::{KinOf, Spread};
use crate::search::index::IndexFault;

/// What the shopper looked at, the newest first; what that calls for; what many look at.
const STEPS: [Step; 6] =
    [Step::Own, Step::ForYou, Step::Session, Step::Similar, Step::MostViewed, Step::Newest];

impl Recommending<'_> {
    /// Categories, or brands, by their ids, those first that the shopper may like most, but for one. Of each there is a
    /// product that may be shown; none are found where there are fewer than the least that is wanted.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub(in crate::http) fn kin(
        &self,
        model: &Shown,
        of: KinOf,
        named: &Named,
        but_for: Option<&str>,
    ) -> Result<Vec<String>, IndexFault> {
        let asking = model.ask(|model, _| Asking::of(model, self.asked));
        let spread = Some(Spread::one_of_each(of, named, but_for));
        let mut found = Found { items: Vec::new(), taken: HashSet::new(), spread };
        let steps = &STEPS[..];
        self.ask_all(steps, &asking, model, &mut found)?;
        let mut ids = Vec::with_capacity(found.items.len());
        for (item, _) in &found.items {
            ids.extend(self.snapshot.kin(&item.id)?.of(of));
        }
        Ok(if ids.len() >= self.asked.min { ids } else { Vec::new() })
    }
}
