//! Counts of clicks on items that a session clicked before, by the number of clicks in between.

use rustc_hash::FxHashMap;

use super::items::ItemNumber;

/// Ages of a repeat: clicks between an item's newest place and the click that comes next. All from the last on are one.
pub const AGES: usize = 9;
/// Clicks of a session that are counted, the first: one long session cannot dominate the counts of a small shop.
const COUNTED_CLICKS: usize = 64;

/// Repeats of items by their age: whole numbers, added with each click and taken away with its session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RepeatCounts {
    /// Clicks on an item that the session had clicked this many clicks before.
    pub times: [u64; AGES],
    /// Clicks that could have been one: those of sessions that were long enough.
    pub chances: [u64; AGES],
}

impl RepeatCounts {
    /// The counts of a session: those that its clicks added one by one.
    #[must_use]
    pub fn of_session(clicks: &[ItemNumber]) -> Self {
        let clicks = &clicks[..clicks.len().min(COUNTED_CLICKS)];
        let mut counts = Self::default();
        for (age, chances) in counts.chances.iter_mut().enumerate() {
            *chances = clicks.len().saturating_sub(age + 1) as u64;
        }
        let mut places: FxHashMap<ItemNumber, usize> = FxHashMap::default();
        for (place, item) in clicks.iter().enumerate() {
            let before = places.insert(*item, place);
            if let Some(before) = before {
                counts.times[(place - before - 1).min(AGES - 1)] += 1;
            }
        }
        counts
    }

    /// Counts the last click of a session, if it is one of the first that are counted.
    pub fn add_last(&mut self, clicks: &[ItemNumber]) {
        let Some((last, before)) = clicks.split_last().filter(|_| clicks.len() <= COUNTED_CLICKS) else {
            return;
        };
        self.chances.iter_mut().take(before.len()).for_each(|chances| *chances += 1);
        let age = before.iter().rev().position(|item| item == last);
        if let Some(age) = age {
            self.times[age.min(AGES - 1)] += 1;
        }
    }

    /// Takes counts away that were added.
    pub fn subtract(&mut self, gone: &Self) {
        let all = self.times.iter_mut().chain(&mut self.chances);
        for (count, gone) in all.zip(gone.times.iter().chain(&gone.chances)) {
            debug_assert!(*count >= *gone, "only what was added is taken away");
            *count = count.saturating_sub(*gone);
        }
    }

    /// As bytes: times, then chances.
    pub fn to_bytes(self) -> impl Iterator<Item = u8> {
        self.times.into_iter().chain(self.chances).flat_map(u64::to_be_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_counts_by_the_clicks_between_and_each_click_is_a_chance_of_all_ages_before_it() {
        // The third click repeats the first with one click between, the fourth the third with none.
        let counts = RepeatCounts::of_session(&[7, 8, 7, 7]);
        assert_eq!(counts.times, [1, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(counts.chances, [3, 2, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(RepeatCounts::of_session(&[7]), RepeatCounts::default());
        assert_eq!(RepeatCounts::of_session(&[]), RepeatCounts::default());
    }

    #[test]
    fn old_repeats_are_one_age_and_no_click_behind_the_first_sixty_four_counts() {
        let session =
            |between: u32| -> Vec<ItemNumber> { std::iter::once(0).chain(1..=between).chain([0]).collect() };
        let times = |between: u32| RepeatCounts::of_session(&session(between)).times;
        let mut last = [0; AGES];
        last[AGES - 1] = 1;
        assert_eq!([8, 9, 62].map(times), [last; 3]);
        assert_eq!(times(63), [0; AGES]);
        let long = |clicks: usize| RepeatCounts::of_session(&vec![7; clicks]);
        assert_eq!((long(64), long(64).times[0]), (long(10_000), 63));
        assert_eq!(RepeatCounts::of_session(&session(10)).chances, [11, 10, 9, 8, 7, 6, 5, 4, 3]);
    }

    #[test]
    fn a_session_has_the_counts_that_its_clicks_added_one_by_one() {
        for length in 0..200_usize {
            let clicks: Vec<ItemNumber> =
                (0..length as u32).map(|click| (click * click * 7) % 31 % 97).collect();
            let long: Vec<ItemNumber> = (0..length as u32).map(|click| (click * 37) % 89).collect();
            for clicks in [clicks, long] {
                let mut counts = RepeatCounts::default();
                (1..=length).for_each(|end| counts.add_last(&clicks[..end]));
                assert_eq!(RepeatCounts::of_session(&clicks), counts, "{length}");
            }
        }
    }

    #[test]
    fn counts_that_are_taken_away_leave_none() {
        let clicks = [1, 2, 1, 3, 3, 2];
        let mut counts = RepeatCounts::of_session(&clicks);
        let others = RepeatCounts::of_session(&[1, 1]);
        let mut both = counts;
        both.add_last(&[1, 1]);
        both.subtract(&others);
        assert_eq!(both, counts);
        counts.subtract(&RepeatCounts::of_session(&clicks));
        assert_eq!(counts, RepeatCounts::default());
    }
}
