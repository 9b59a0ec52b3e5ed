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
