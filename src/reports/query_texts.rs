//! Texts of counted searches.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::groups::period;
use crate::clock::Day;
use crate::limits;

/// Most texts of all periods together; beyond it the oldest period has none.
const TEXTS: usize = 4 * limits::REPORT_CELLS_COUNTED;

/// Texts of searches, by their marks: so many of each period. A period has the same texts in every report that keeps
/// them, so that a report with the days before names what the report alone names.
#[derive(Debug, Default)]
pub(super) struct QueryTexts {
    /// Each text, with the periods whose text it is.
    texts: HashMap<String, (String, BTreeSet<Day>)>,
    /// Number of texts of each period.
    counts: BTreeMap<Day, usize>,
    /// Newest period whose texts were let go, and with it all older ones.
    let_go: Option<Day>,
}

impl QueryTexts {
    /// Keeps the text of a search on a day, if the period has room for it.
    pub(super) fn keep(&mut self, day: Day, mark: String, text: String) {
        let period = period(day);
        if self.let_go.is_some_and(|newest| period <= newest) {
            return;
        }
        if self.texts.get(&mark).is_some_and(|(_, periods)| periods.contains(&period)) {
            return;
        }
        let count = self.counts.entry(period).or_default();
        if *count < limits::REPORT_CELLS_COUNTED {
            *count += 1;
            let (_, periods) = self.texts.entry(mark).or_insert_with(|| (text, BTreeSet::new()));
            periods.insert(period);
        }
        if self.counts.values().sum::<usize>() > TEXTS {
            self.let_oldest_go();
        }
    }

    fn let_oldest_go(&mut self) {
        let Some((oldest, _)) = self.counts.pop_first() else { return };
        self.texts.retain(|_, (_, periods)| {
            periods.remove(&oldest);
            !periods.is_empty()
        });
        self.let_go = Some(oldest);
    }

    /// The text of a mark, if it is one of the periods in which these days lie.
    pub(super) fn find_text(&self, mark: &str, days: &Range<Day>) -> Option<&str> {
        let (text, periods) = self.texts.get(mark)?;
        let asked = period(days.start)..=period(days.end - 1);
        periods.range(asked).next().map(|_| text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Day = limits::REPORT_PERIOD_DAYS;

    #[test]
    fn a_text_is_that_of_its_period() {
        let mut texts = QueryTexts::default();
        texts.keep(LENGTH, "1".to_owned(), "lamp".to_owned());
        for (days, is_found) in [
            (0..LENGTH, false),
            (0..LENGTH + 1, true),
            (LENGTH + 1..LENGTH + 2, true),
            (2 * LENGTH - 1..3 * LENGTH, true),
            (2 * LENGTH..3 * LENGTH, false),
        ] {
            assert_eq!(texts.find_text("1", &days), is_found.then_some("lamp"), "{days:?}");
            assert_eq!(texts.find_text("2", &days), None);
        }
    }

    #[test]
    fn each_period_has_room_for_so_many_texts() {
        let mut texts = QueryTexts::default();
        let periods = [0..LENGTH, LENGTH..2 * LENGTH];
        for number in 0..limits::REPORT_CELLS_COUNTED {
            // A search that is made again takes no more room.
            (0..2).for_each(|day| texts.keep(day, number.to_string(), number.to_string()));
        }
        texts.keep(LENGTH, "0".to_owned(), "0".to_owned());
        for day in [0, LENGTH] {
            texts.keep(day, "beyond".to_owned(), "beyond".to_owned());
        }
        let last = (limits::REPORT_CELLS_COUNTED - 1).to_string();
        let found = |mark: &str| periods.clone().map(|days| texts.find_text(mark, &days).is_some());
        assert_eq!([found("0"), found(&last), found("beyond")], [[true, true], [true, false], [false, true]]);
    }

    #[test]
    fn the_newest_periods_keep_their_texts_when_all_are_too_many() {
        let mut texts = QueryTexts::default();
        for (period, number) in
            (0..5).flat_map(|period| (0..limits::REPORT_CELLS_COUNTED).map(move |number| (period, number)))
        {
            let text = format!("{period} {number}");
            texts.keep(period * LENGTH, text.clone(), text);
        }
        texts.keep(0, "late".to_owned(), "late".to_owned());
        let is_found = |mark: &str| texts.find_text(mark, &(0..5 * LENGTH)).is_some();
        assert_eq!(["0 0", "late", "1 0", "4 0"].map(is_found), [false, false, true, true]);
        assert_eq!(texts.texts.len(), TEXTS);
    }
}
