//! Reasons for leaving out parts of a call.

use crate::limits;

/// Reasons why something was left out: each once, with its count. They repeat no value that was sent.
#[derive(Default)]
pub struct SkippedReasons {
    counted: Vec<(String, u64)>,
    /// Number of reasons beyond the reported ones.
    others: u64,
}

impl SkippedReasons {
    /// Counts a reason.
    pub fn add(&mut self, reason: String) {
        let has_room = self.counted.len() < limits::SERVERSIDE_REASONS;
        match self.counted.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None if has_room => self.counted.push((reason, 1)),
            None => self.others += 1,
        }
    }

    /// Counts the reasons of a part, which `place` names.
    pub fn add_all(&mut self, place: &str, part: Self) {
        self.others += part.others;
        for (reason, count) in part.counted {
            if self.counted.len() < limits::SERVERSIDE_REASONS {
                self.counted.push((format!("{place}: {reason}"), count));
            } else {
                self.others += count;
            }
        }
    }

    /// The reasons, in the order in which they were met; none when nothing was left out.
    #[must_use]
    pub fn into_sentences(self) -> Vec<String> {
        let sentence = |(reason, count)| match count {
            1 => reason,
            _ => format!("{reason} ({count} times)"),
        };
        let mut sentences: Vec<_> = self.counted.into_iter().map(sentence).collect();
        if self.others > 0 {
            sentences.push(format!("{} more were left out", self.others));
        }
        sentences
    }
}
