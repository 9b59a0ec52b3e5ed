//! Failed tries of a submission that a command waits for: each is told once, and some are too many.

use serde_json::Value;

use super::fault::CliFault;
use super::table::{many, time_of_day};
use crate::addresses::shell_word;
use crate::outbound::status_of_reason;

/// Tries that failed alike after which a command stops waiting.
const ALIKE_MAX: u32 = 3;

/// Failed tries so far.
#[derive(Default)]
pub struct FailedTries {
    count: u32,
    /// Number of the last ones that failed for the same reason.
    alike: u32,
    fault: String,
    /// Time of the next try that the last one named.
    next_at: Option<i64>,
}

impl FailedTries {
    /// Counts the try that has failed since the last state, and describes it: its reason, its number and the next one.
    pub fn take_failure(&mut self, progress: &Value) -> Option<String> {
        let Some(fault) = progress["Fault"].as_str() else {
            self.alike = 0;
            return None;
        };
        let next_at = progress["NextTryAt"].as_i64();
        if self.count > 0 && self.next_at == next_at {
            return None;
        }
        self.count += 1;
        self.alike = if self.fault == fault { self.alike + 1 } else { 1 };
        fault.clone_into(&mut self.fault);
        self.next_at = next_at;
        Some(format!("try {} failed: {fault}; {}", self.count, describe_next_try(progress)))
    }

    /// Returns true if the feed's server answered three times in a row with the same status of 400 to 499.
    pub fn are_hopeless(&self) -> bool {
        let status = status_of_reason(&self.fault);
        self.alike >= ALIKE_MAX && status.is_some_and(|status| (400..500).contains(&status))
    }

    /// The fault of a command that waits no longer.
    pub fn into_fault(self, token: &str) -> CliFault {
        let token = shell_word(token);
        CliFault::Refused(format!(
            "{}, {} times in a row; the server goes on trying for 24 hours: `lethe feed watch {token}` follows the feed, \
             `lethe feed cancel {token}` ends it",
            self.fault, self.alike
        ))
    }
}

/// Time of the next try after a failed one, and the number left.
pub fn describe_next_try(progress: &Value) -> String {
    let next = time_of_day(&progress["NextTryAt"]);
    let left = match progress["TriesLeft"].as_u64() {
        Some(tries) => format!(", {} left", many(tries, "try", "tries")),
        None => String::new(),
    };
    format!("next try at {next}{left}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn waits(fault: &str, next_at: i64) -> Value {
        json!({"Phase": "waiting to fetch again", "Fault": fault, "NextTryAt": next_at, "TriesLeft": 57})
    }

    /// Takes the states one after the other; returns the lines.
    fn lines(tries: &mut FailedTries, states: &[Value]) -> Vec<String> {
        states.iter().filter_map(|state| tries.take_failure(state)).collect()
    }

    const MISSING: &str = "the feed's server answered with status 404";
    const SECOND: i64 = 1_795_262_405_000;

    #[test]
    fn each_failed_try_is_told_once_with_its_number() {
        let mut tries = FailedTries::default();
        let running = json!({"Phase": "downloading", "Fault": MISSING, "NextTryAt": SECOND});
        let states = [
            json!({"Phase": "waiting"}),
            waits(MISSING, SECOND),
            running,
            waits("no connection", SECOND + 9000),
        ];
        let told = [
            format!("try 1 failed: {MISSING}; next try at 12:00:05 UTC, 57 tries left"),
            "try 2 failed: no connection; next try at 12:00:14 UTC, 57 tries left".to_owned(),
        ];
        assert_eq!(lines(&mut tries, &states), told);
    }

    #[test]
    fn three_answers_of_the_same_status_of_a_client_fault_are_hopeless_and_nothing_else_is() {
        let alike = |fault: &str| [1, 2, 3].map(|next_at| waits(fault, next_at));
        let forbidden = "the feed's server answered with status 403";
        let mut mixed = alike(MISSING).to_vec();
        mixed[1] = waits(forbidden, 2);
        let mut broken = alike(MISSING).to_vec();
        broken.insert(2, json!({"Phase": "reading", "Fault": null}));
        for (states, is_hopeless) in [
            (alike(MISSING).to_vec(), true),
            (alike(forbidden).to_vec(), true),
            (alike(MISSING)[..2].to_vec(), false),
            (mixed, false),
            (broken, false),
            (alike("the feed's server answered with status 503").to_vec(), false),
            (alike("no connection to the feed's server could be made").to_vec(), false),
        ] {
            let mut tries = FailedTries::default();
            lines(&mut tries, &states);
            assert_eq!(tries.are_hopeless(), is_hopeless, "{states:?}");
        }
        let mut tries = FailedTries::default();
        lines(&mut tries, &alike(MISSING));
        let said = tries.into_fault("4711").to_string();
        assert_eq!(
            said,
            "the feed's server answered with status 404, 3 times in a row; the server goes on trying for 24 hours: \
             `lethe feed watch 4711` follows the feed, `lethe feed cancel 4711` ends it"
        );
    }
}
