//! The wall clock, handed in so that tests can set it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Milliseconds since the Unix epoch.
pub type Millis = i64;

/// A whole day of UTC, counted from 1970.
pub type Day = i64;

/// The day in which a moment lies.
#[must_use]
pub fn day_of(at: Millis) -> Day {
    at.div_euclid(24 * 60 * 60 * 1000)
}

/// A day as people write it, in UTC.
#[must_use]
pub fn day_name(day: Day) -> String {
    let date = jiff::civil::Date::constant(1970, 1, 1).checked_add(jiff::Span::new().days(day));
    date.map(|date| date.to_string()).unwrap_or_default()
}

/// The second of a moment. Files date orders to the second; an order of the second in which a person came back may be
/// later than that.
#[must_use]
pub fn second_of(at: Millis) -> Millis {
    at - at.rem_euclid(1000)
}

/// Whole days of a duration.
#[must_use]
pub fn days(duration: Duration) -> Day {
    day_of(millis(duration))
}

/// A duration as the clock counts; too long a one counts as the longest.
#[must_use]
pub fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

/// Validity of something that a person configured, in seconds since 1970; by default always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValidityPeriod {
    from: Option<i64>,
    until: Option<i64>,
}

impl ValidityPeriod {
    /// Reads the moments `From` and `Until`, each as RFC 3339 has it, if it is there.
    ///
    /// # Errors
    /// The rest of a sentence, when one is no moment, or it ends before it begins.
    pub fn parse(from: Option<&str>, until: Option<&str>) -> Result<Self, String> {
        let moment = |name: &str, text: Option<&str>| {
            text.map(str::parse::<jiff::Timestamp>).transpose().map_err(|_| {
                format!("needs a moment as RFC 3339 has it in {name}, such as 2026-12-01T00:00:00Z")
            })
        };
        // A second that has begun before the end belongs to the period.
        let end = |until: jiff::Timestamp| until.as_second() + i64::from(until.subsec_nanosecond() > 0);
        let from = moment("From", from)?;
        let until = moment("Until", until)?;
        match from.zip(until) {
            Some((from, until)) if from >= until => Err("ends before it begins".to_owned()),
            _ => Ok(Self { from: from.map(jiff::Timestamp::as_second), until: until.map(end) }),
        }
    }

    /// Returns true if it holds at a second since 1970.
    #[must_use]
    pub fn holds(&self, now: i64) -> bool {
        self.from.is_none_or(|from| from <= now) && self.until.is_none_or(|until| now < until)
    }
}

/// Tells the time. Cloning gives the same clock.
#[derive(Clone)]
pub struct Clock(ClockSource);

#[derive(Clone)]
enum ClockSource {
    System,
    Set(Arc<AtomicI64>),
}

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(ClockSource::System)
    }

    /// A clock that shows `now` until it is moved with [`Clock::advance`] or [`Clock::jump`].
    #[must_use]
    pub fn set_to(now: Millis) -> Self {
        Self(ClockSource::Set(Arc::new(AtomicI64::new(now))))
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Millis {
        match &self.0 {
            ClockSource::Set(at) => at.load(Ordering::SeqCst),
            ClockSource::System => system_now(),
        }
    }

    /// Moves a set clock forward; the machine's clock is left alone.
    pub fn advance(&self, by: Duration) {
        self.jump(millis(by));
    }

    /// Moves a set clock by so many milliseconds, backwards too, like a manual correction.
    pub fn jump(&self, by: Millis) {
        if let ClockSource::Set(at) = &self.0 {
            at.fetch_add(by, Ordering::SeqCst);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
fn system_now() -> Millis {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_before_1970_too() {
        const DAY: Millis = 86_400_000;
        let days_of = [-DAY - 1, -DAY, -1, 0, DAY - 1, DAY, 2 * DAY].map(day_of);
        assert_eq!(days_of, [-2, -1, -1, 0, 0, 1, 2]);
        assert_eq!(
            [-1, 0, 59, 20_778].map(day_name),
            ["1969-12-31", "1970-01-01", "1970-03-01", "2026-11-21"]
        );
        assert_eq!([0, 23, 24, 49].map(|hours| days(Duration::from_secs(hours * 3600))), [0, 0, 1, 2]);
        assert_eq!(
            [-1001, -1000, -1, 0, 999, 1000, 1001].map(second_of),
            [-2000, -1000, -1000, 0, 0, 1000, 1000]
        );
    }

    #[test]
    fn a_duration_counts_in_whole_milliseconds_and_has_an_end() {
        assert_eq!([1_999_999, 2_000_000].map(|nanos| millis(Duration::from_nanos(nanos))), [1, 2]);
        assert_eq!(millis(Duration::MAX), Millis::MAX);
    }

    #[test]
    fn a_set_clock_and_its_clones_move_both_ways() {
        let clock = Clock::set_to(5000);
        let other = clock.clone();
        clock.advance(Duration::from_millis(250));
        assert_eq!((clock.now(), other.now()), (5250, 5250));
        other.jump(-6000);
        assert_eq!((clock.now(), other.now()), (-750, -750));
    }

    #[test]
    fn a_period_ends_with_the_second_that_has_begun_before_its_end() {
        let period = |from, until| ValidityPeriod::parse(from, until).expect("a period");
        let holds = |period: ValidityPeriod| [59, 60, 119, 120, 121].map(|now| period.holds(now));
        let whole = period(Some("1970-01-01T00:01:00Z"), Some("1970-01-01T00:02:00Z"));
        assert_eq!(holds(whole), [false, true, true, false, false]);
        let parts = period(Some("1970-01-01T00:01:00.9Z"), Some("1970-01-01T00:02:00.000000001Z"));
        assert_eq!(holds(parts), [false, true, true, true, false]);
        assert_eq!(holds(period(None, None)), [true; 5]);
    }

    #[test]
    fn a_period_that_cannot_be_is_refused_with_what_is_wrong() {
        let refused = |from, until| ValidityPeriod::parse(from, until).expect_err("no period");
        let moment =
            |name: &str| format!("needs a moment as RFC 3339 has it in {name}, such as 2026-12-01T00:00:00Z");
        let at = Some("2026-12-01T00:00:00Z");
        assert_eq!(refused(Some("soon"), at), moment("From"));
        assert_eq!(refused(at, Some("2026-12-02")), moment("Until"));
        assert_eq!(refused(at, at), "ends before it begins");
        assert!(ValidityPeriod::parse(at, Some("2026-12-01T00:00:00.000000001Z")).is_ok());
    }
}
