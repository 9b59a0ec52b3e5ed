//! Variants of the views in a history. Products are what is recommended: a variant says only how a product that the
//! shopper looked at is shown to them again.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use super::history::{ClickHistory, SessionKey};
use super::trending::DAY_MILLIS;

/// A view by the ids of its product and of its variant, if it has one.
pub(super) type ViewedItem = (Arc<str>, Option<Arc<str>>);

/// Variants of views, of the sessions that began yesterday or later: they are shown in the session itself.
#[derive(Debug, Default)]
pub struct ViewedVariants {
    /// By session: its views with a variant, each with its place among the session's views.
    sessions: BTreeMap<SessionKey, Vec<(u32, Arc<str>)>>,
    count: usize,
    text_bytes: usize,
}

/// The first moment from which on a session is recent on a day.
fn recent_from(day: i64) -> i64 {
    day.saturating_sub(1).saturating_mul(DAY_MILLIS)
}

impl ViewedVariants {
    /// Adds the variant of the next view of a session, unless the session is an old one on this day.
    pub(super) fn add(&mut self, session: SessionKey, views: &ClickHistory, variant: &str, day: i64) {
        if session.start < recent_from(day) {
            return;
        }
        let place = views.clicks_in(session).len() as u32;
        self.sessions.entry(session).or_default().push((place, variant.into()));
        self.count += 1;
        self.text_bytes += variant.len();
    }

    /// The views of a session, each with its variant.
    pub(super) fn of_views(
        &self,
        views: &ClickHistory,
        session: SessionKey,
    ) -> impl Iterator<Item = ViewedItem> {
        let mut variants = self.sessions.get(&session).into_iter().flatten().peekable();
        views.ids_of(session).enumerate().map(move |(place, item)| {
            let variant = variants.next_if(|(at, _)| *at as usize == place);
            (item, variant.map(|(_, variant)| variant.clone()))
        })
    }

    /// Returns true if a session has none.
    pub(super) fn is_without(&self, session: SessionKey) -> bool {
        !self.sessions.contains_key(&session)
    }

    /// Takes a session out.
    pub(super) fn remove(&mut self, session: SessionKey) {
        let variants = self.sessions.remove(&session);
        variants.iter().for_each(|variants| self.subtract(variants));
    }

    /// Takes all sessions out that are old ones from this day on.
    pub(super) fn begin_day(&mut self, day: i64) {
        let recent = self.sessions.split_off(&SessionKey { start: recent_from(day), id: 0 });
        let old = mem::replace(&mut self.sessions, recent);
        old.values().for_each(|variants| self.subtract(variants));
    }

    fn subtract(&mut self, variants: &[(u32, Arc<str>)]) {
        self.count -= variants.len();
        self.text_bytes -= variants.iter().map(|(_, variant)| variant.len()).sum::<usize>();
    }

    /// All variants as bytes, in the order of sessions: the same for equal ones, however they came about.
    pub(super) fn canonical(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (session, variants) in &self.sessions {
            bytes.extend(session.start.to_be_bytes());
            bytes.extend(session.id.to_be_bytes());
            bytes.extend((variants.len() as u64).to_be_bytes());
            for (place, variant) in variants {
                bytes.extend(place.to_be_bytes());
                bytes.extend((variant.len() as u64).to_be_bytes());
                bytes.extend(variant.as_bytes());
            }
        }
        bytes
    }

    /// Approximate bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        // A place and a pointer with room for half as many, and a text with its counts.
        const VARIANT_BYTES: usize = 68;
        const SESSION_BYTES: usize = 96;
        self.sessions.len() * SESSION_BYTES + self.count * VARIANT_BYTES + self.text_bytes
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::recommend::model::{Interaction, Model, Person, PersonAction};

    const TODAY: i64 = 100;
    const ANNA: Person = [1; 16];

    fn session(days_ago: i64, id: u128) -> SessionKey {
        SessionKey { start: (TODAY - days_ago) * DAY_MILLIS, id }
    }

    fn act(model: &mut Model, person: Person, session: SessionKey, act: PersonAction) {
        model.add(&Interaction { person, session, ends: TODAY + 9, act });
    }

    /// A look at `item`, or at `item/variant`; one that counts for its person alone begins with `!`.
    fn view_variant(model: &mut Model, person: Person, session: SessionKey, what: &str) {
        let (named, is_alone) = what.strip_prefix('!').map_or((what, false), |named| (named, true));
        let looked = match named.split_once('/') {
            Some((item, variant)) => {
                let [item, variant] = [item, variant].map(str::to_owned);
                PersonAction::VariantViewed { item, variant, is_alone }
            }
            None if is_alone => PersonAction::ViewedAlone(named.to_owned()),
            None => PersonAction::Viewed(named.to_owned()),
        };
        act(model, person, session, looked);
    }

    fn model_of(day: i64, looks: &[(Person, SessionKey, &str)]) -> Model {
        let mut model = Model::default();
        model.begin_day(day);
        looks.iter().for_each(|(person, session, what)| view_variant(&mut model, *person, *session, what));
        model
    }

    fn variants(model: &Model, session: SessionKey) -> String {
        let variants: BTreeMap<_, _> = model.variants_of(session).into_iter().collect();
        variants.iter().map(|(item, variant)| format!("{item}/{variant}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_session_has_the_variant_of_each_product_that_it_looked_at_last() {
        let own = session(0, 7);
        for (looks, expected) in [
            (&["a/red", "b", "a/blue", "c/one"][..], "a/blue c/one"),
            (&["a/red", "a"], "a/red"),
            (&["a", "b"], ""),
            // What a page says while somebody is logged in has its place among what the shop says.
            (&["a/red", "!a/blue", "b/one"], "a/blue b/one"),
            (&["!a/blue", "a/red", "!b/one", "!c"], "a/red b/one"),
            (&["!a/one", "a/two", "!a/three", "!b", "a/four", "!a/five"], "a/five"),
            (&["x", "!a/one", "y", "!a/two", "a/three", "!z"], "a/three"),
        ] {
            let looks: Vec<_> = looks.iter().map(|what| (ANNA, own, *what)).collect();
            let model = model_of(TODAY, &looks);
            assert_eq!(variants(&model, own), expected, "{looks:?}");
            let viewed: Vec<_> = model.views_of(own).iter().map(|item| item.to_string()).collect();
            let named = looks.iter().map(|(_, _, what)| what.trim_start_matches('!'));
            let items: Vec<_> = named.map(|what| what.split('/').next().unwrap_or_default()).collect();
            assert_eq!(viewed, items, "a variant is a view of its product");
            assert_eq!(variants(&model, session(0, 8)), "");
        }
    }

    #[test]
    fn variants_go_with_their_sessions_and_their_people() {
        let [own, other, order] = [1, 2, 3].map(|id| session(0, id));
        let others = [([2; 16], other, "a/red"), ([2; 16], other, "!b/one")];
        let all = [&[(ANNA, own, "a/blue"), (ANNA, own, "!b/two")], &others[..]].concat();
        let never = model_of(TODAY, &others);
        let mut model = model_of(TODAY, &all);
        assert!(model.bytes() > never.bytes() && model.canonical() != never.canonical());
        // The variants alone are a difference.
        let plain: Vec<_> = all
            .iter()
            .map(|(person, key, what)| (*person, *key, what.split('/').next().unwrap_or(what)))
            .collect();
        assert!(model.canonical() != model_of(TODAY, &plain).canonical());
        let ordered = PersonAction::Ordered(vec!["a".to_owned()]);
        act(&mut model, ANNA, order, ordered);
        model.leave_out(1);
        assert_eq!(
            (variants(&model, own), variants(&model, other)),
            (String::new(), "a/red b/one".to_owned())
        );
        assert_eq!(model.forget(&ANNA), 1, "the order is left");
        assert!(model.canonical() == never.canonical());
        assert_eq!(model.forget(&[2; 16]), 2);
        assert!(model.canonical() == model_of(TODAY, &[]).canonical());
        assert!(!format!("{model:?}").contains("SessionKey"), "{model:?}");
    }

    #[test]
    fn sessions_of_yesterday_and_today_have_variants_and_a_model_made_anew_has_the_same() {
        let looks: Vec<_> = (0..4)
            .flat_map(|days_ago| {
                let key = session(days_ago, days_ago as u128);
                [(ANNA, key, "a/red"), (ANNA, key, "!b/one")]
            })
            .collect();
        let mut model = model_of(TODAY, &looks);
        for (day, expected) in [(TODAY, [true, true, false, false]), (TODAY + 1, [true, false, false, false])]
        {
            model.begin_day(day);
            let has = [0, 1, 2, 3]
                .map(|days_ago| !model.variants_of(session(days_ago, days_ago as u128)).is_empty());
            assert_eq!(has, expected, "{day}");
            let anew = model_of(day, &looks);
            assert!(model.canonical() == anew.canonical() && model.bytes() == anew.bytes(), "{day}");
        }
        let begin = SessionKey { start: (TODAY - 1) * DAY_MILLIS, id: 9 };
        let before = SessionKey { start: begin.start - 1, id: 10 };
        let model = model_of(TODAY, &[(ANNA, begin, "a/red"), (ANNA, before, "a/red")]);
        assert_eq!([begin, before].map(|key| variants(&model, key)), ["a/red", ""]);
    }

    #[test]
    fn variants_go_where_their_views_are_cut_in_any_order_of_arrival() {
        let key = |day: i64| SessionKey { start: TODAY * DAY_MILLIS, id: day as u128 };
        let filled = |days: &[i64]| {
            // Room for eight clicks, and for four that count for their person alone.
            let mut model = Model::of_most(8);
            model.begin_day(TODAY);
            for day in days {
                let looks =
                    [("a", "red", false), ("b", "one", true), ("b", "two", true), ("b", "three", true)];
                for (item, variant, is_alone) in looks {
                    let [item, variant] = [item, variant].map(str::to_owned);
                    let act = PersonAction::VariantViewed { item, variant, is_alone };
                    let person = [*day as u8; 16];
                    model.add(&Interaction { person, session: key(*day), ends: TODAY + day, act });
                }
            }
            model
        };
        let expected = filled(&[1, 2, 3]).canonical();
        for order in [[1, 3, 2], [3, 2, 1], [2, 1, 3]] {
            let model = filled(&order);
            assert!(model.is_cut() && model.canonical() == expected, "{order:?}");
            let left = [1, 2, 3].map(|day| variants(&model, key(day)));
            assert_eq!(left, ["a/red", "a/red", "a/red b/three"], "{order:?}");
        }
    }

    #[test]
    fn variants_count_as_memory() {
        let own = session(0, 7);
        let plain = model_of(TODAY, &[(ANNA, own, "a"), (ANNA, own, "!b")]);
        let named = model_of(TODAY, &[(ANNA, own, "a/red"), (ANNA, own, "!b/blue")]);
        assert_eq!(named.bytes() - plain.bytes(), 2 * (96 + 68) + 7);
    }
}
