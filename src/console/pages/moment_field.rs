//! Moments in a form: RFC 3339 as a rule or a campaign stores it, and the text of a field for a date and time in UTC.

use jiff::Timestamp;

/// Text of a field for a date and a time; as it is written where it is no moment.
pub(crate) fn field_of_moment(moment: &str) -> String {
    let Ok(at) = moment.parse::<Timestamp>() else { return moment.to_owned() };
    let is_whole_minute = at.as_second() % 60 == 0;
    at.strftime(if is_whole_minute { "%Y-%m-%dT%H:%M" } else { "%Y-%m-%dT%H:%M:%S" }).to_string()
}

/// The moment that stands in a field; `before`, as it was written, if the field was not changed. A text that is no
/// moment stays, for the operation to refuse.
pub(crate) fn moment_of_field(typed: &str, before: &str) -> String {
    if typed == field_of_moment(before) {
        return before.to_owned();
    }
    // Browsers leave the seconds out where they are zero.
    let written = [":00Z", "Z"].map(|end| format!("{typed}{end}"));
    let mut read = written.into_iter().filter(|written| written.parse::<Timestamp>().is_ok());
    read.next().unwrap_or_else(|| typed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_shown_to_the_minute_in_utc_and_read_back() {
        for (moment, field) in [
            ("2026-12-01T08:30:00Z", "2026-12-01T08:30"),
            ("2026-12-01T08:30:15Z", "2026-12-01T08:30:15"),
            ("2026-12-01T00:30:00+02:00", "2026-11-30T22:30"),
            ("soon", "soon"),
            ("", ""),
        ] {
            assert_eq!(field_of_moment(moment), field);
            assert_eq!(moment_of_field(field, moment), moment, "it was not changed");
        }
        let read = ["2026-12-02T08:30", "2026-12-02T08:30:07", "soon", ""];
        let read = read.map(|typed| moment_of_field(typed, "2026-12-01T08:30:00Z"));
        assert_eq!(read, ["2026-12-02T08:30:00Z", "2026-12-02T08:30:07Z", "soon", ""]);
    }
}
