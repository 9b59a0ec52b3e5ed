//! Variants that a shopper looked at, so that an answer shows them these again.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::context::PERSON_SESSIONS;
use super::request::{RecommendRequest, ShopperIdentity};
use crate::recommend::model::Model;

/// Returns the id of the variant that the shopper looked at last, by catalogue id of the product: in the session of the
/// request and, where the request says who they are, in their other sessions that began yesterday or today.
#[must_use]
pub fn list_viewed_variants(model: &Model, asked: &RecommendRequest) -> FxHashMap<Arc<str>, Arc<str>> {
    let mut of_person = match asked.shopper {
        ShopperIdentity::Known(person) => model.sessions_of(&person),
        ShopperIdentity::LeftOut(_) | ShopperIdentity::Unknown => Vec::new(),
    };
    of_person.drain(..of_person.len().saturating_sub(PERSON_SESSIONS));
    let named = asked.session.and_then(|id| model.session(id));
    of_person.into_iter().chain(named).flat_map(|session| model.variants_of(session)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Millis;
    use crate::recommend::history::SessionKey;
    use crate::recommend::model::{Interaction, Person, PersonAction};

    const DAY: Millis = 24 * 60 * 60 * 1000;
    const TODAY: i64 = 100;
    const ANNA: Person = [1; 16];

    /// A person looks at variants of products in the session of a number, which began so many days ago.
    fn view_variants(model: &mut Model, person: Person, number: u128, days_ago: i64, looks: &[(&str, &str)]) {
        let session = SessionKey { start: (TODAY - days_ago) * DAY + number as i64, id: number };
        for (item, variant) in looks {
            let [item, variant] = [item, variant].map(|text| (*text).to_owned());
            let act = PersonAction::VariantViewed { item, variant, is_alone: false };
            model.add(&Interaction { person, session, ends: TODAY + 9, act });
        }
    }

    #[test]
    fn a_shopper_has_the_variants_of_their_own_recent_sessions() {
        let mut model = Model::default();
        model.begin_day(TODAY);
        view_variants(&mut model, ANNA, 1, 2, &[("a", "old"), ("c", "old")]);
        view_variants(&mut model, ANNA, 2, 1, &[("a", "red"), ("b", "one")]);
        view_variants(&mut model, ANNA, 3, 0, &[("a", "blue")]);
        view_variants(&mut model, [2; 16], 4, 0, &[("a", "green"), ("d", "other")]);
        let viewed = |session: Option<u128>, shopper: ShopperIdentity| {
            let asked = RecommendRequest { session, shopper, ..RecommendRequest::default() };
            let variants = list_viewed_variants(&model, &asked);
            let mut all: Vec<_> =
                variants.iter().map(|(item, variant)| format!("{item}/{variant}")).collect();
            all.sort_unstable();
            all.join(" ")
        };
        assert_eq!(viewed(Some(3), ShopperIdentity::Unknown), "a/blue");
        assert_eq!(viewed(Some(2), ShopperIdentity::Unknown), "a/red b/one");
        assert_eq!(viewed(Some(1), ShopperIdentity::Unknown), "", "a session of the day before yesterday");
        assert_eq!(viewed(Some(9), ShopperIdentity::Unknown), "");
        assert_eq!(viewed(None, ShopperIdentity::Known(ANNA)), "a/blue b/one");
        assert_eq!(
            viewed(Some(2), ShopperIdentity::Known(ANNA)),
            "a/red b/one",
            "the named session counts most"
        );
        assert_eq!(viewed(None, ShopperIdentity::LeftOut(ANNA)), "", "their history is not read");
        assert_eq!(viewed(Some(3), ShopperIdentity::LeftOut(ANNA)), "a/blue");
    }
}
