//! What decides a little between products that are about equally relevant: popular, new and available ones gain on
//! others, by a factor that is never far from 1 (SEARCH.md section 2.6). It is read when a query is asked and stands in
//! no file of an index.

use std::collections::HashMap;

use tantivy::DocId;

use crate::search::index::SegmentView;

/// The factor is 1, give or take this.
pub const FAVOUR_MAX: f32 = 0.15;
/// What the most popular product gains.
const POPULAR_WORTH: f32 = 0.10;
/// What a product gains on the day on which it is first shown.
const NEW_WORTH: f32 = 0.05;
/// How long it gains of that, less each day.
const NEW_DAYS: i64 = 60;
/// What a product loses that cannot be bought now.
const SOLD_OUT_WORTH: f32 = 0.15;

const DAY_SECONDS: i64 = 86_400;

/// How popular products are, by their ids: from 0, as are those without a number, to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Popularity(HashMap<String, f32>);

impl Popularity {
    /// Of these numbers; what is below 0 or above 1 is taken for that.
    #[must_use]
    pub fn new(numbers: HashMap<String, f32>) -> Self {
        let numbers = numbers.into_iter().filter(|(_, number)| !number.is_nan());
        Self(numbers.map(|(id, number)| (id, number.clamp(0.0, 1.0))).collect())
    }
}

/// What is known of products beside their texts.
pub struct Favour<'f> {
    popularity: Option<&'f Popularity>,
    /// Since 1970.
    today: i64,
}

impl<'f> Favour<'f> {
    /// With these popular products, at this second since 1970. Answers are the same all day.
    #[must_use]
    pub const fn new(popularity: Option<&'f Popularity>, now: i64) -> Self {
        Self { popularity, today: now.div_euclid(DAY_SECONDS) }
    }

    /// The factor of a product.
    #[must_use]
    pub fn factor(&self, segment: &SegmentView, doc: DocId) -> f32 {
        let popular = self.popularity.and_then(|popularity| popularity.0.get(segment.id(doc)));
        let newest = segment.columns().newest.first(doc).filter(|newest| *newest > 0);
        factor(
            popular.copied().unwrap_or(0.0),
            newest.map(|newest| self.today - newest.div_euclid(DAY_SECONDS)),
            segment.is_in_stock(doc),
        )
    }
}

/// The factor of a product that has been shown for so many days, if that is known.
fn factor(popular: f32, days: Option<i64>, is_in_stock: bool) -> f32 {
    let young = days.filter(|days| (0..NEW_DAYS).contains(days));
    let new = young.map_or(0.0, |days| 1.0 - days as f32 / NEW_DAYS as f32);
    let sold_out = if is_in_stock { 0.0 } else { SOLD_OUT_WORTH };
    let factor = 1.0 + POPULAR_WORTH * popular + NEW_WORTH * new - sold_out;
    factor.clamp(1.0 - FAVOUR_MAX, 1.0 + FAVOUR_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_stays_near_one() {
        assert_eq!(factor(0.0, None, true), 1.0);
        assert_eq!(factor(1.0, Some(0), true), 1.0 + FAVOUR_MAX);
        assert_eq!(factor(0.0, None, false), 1.0 - FAVOUR_MAX);
        for days in [-1, NEW_DAYS, i64::MAX, i64::MIN] {
            assert_eq!(factor(0.0, Some(days), true), 1.0, "{days}");
        }
        assert!(factor(0.0, Some(1), true) > factor(0.0, Some(30), true));
        assert!(factor(0.2, None, true) > factor(0.1, None, true));
    }

    #[test]
    fn popularity_is_between_nothing_and_one() {
        let numbers = [("a", f32::NAN), ("b", 7.0), ("c", -1.0), ("d", 0.5), ("e", f32::INFINITY)];
        let Popularity(numbers) = Popularity::new(numbers.map(|(id, number)| (id.to_owned(), number)).into());
        let mut numbers: Vec<_> = numbers.iter().map(|(id, number)| (id.as_str(), *number)).collect();
        numbers.sort_by_key(|(id, _)| *id);
        assert_eq!(numbers, [("b", 1.0), ("c", 0.0), ("d", 0.5), ("e", 1.0)]);
    }
}
