//! Progress of a job, for clients that wait for it: the last report of its holder, and an estimate from it.

use super::lane::Lane;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Progress of a job, as its holder last reported it. A job that is taken up again counts from the beginning.
pub struct ReportedProgress {
    /// Its work, or the reason of its wait.
    pub phase: String,
    /// Rows read.
    pub rows: i64,
    /// Bytes that came over the network.
    pub bytes: i64,
    /// Total number of these bytes, if it is known.
    pub bytes_total: Option<i64>,
    /// Time that the holder has been reading, or read, in milliseconds; 0 while the job has no holder.
    pub reading_ms: i64,
    /// Time of its next run, if it does not run.
    pub next_try_at: Millis,
    /// Reason for the failure of its last try, in a sentence.
    pub fault: Option<String>,
    /// Number of tries left after a failed one; `None` when they are not counted.
    pub tries_left: Option<i64>,
}

impl ReportedProgress {
    /// Rows a second, over the whole reading; `None` while nothing is known.
    #[must_use]
    pub fn rows_per_second(&self) -> Option<i64> {
        (self.rows > 0).then(|| self.rows.saturating_mul(1000).checked_div(self.reading_ms))?
    }

    /// Seconds until all is read, if the bytes keep their rate; `None` when that is unknown, or when all is read: the
    /// duration of publishing is not known.
    #[must_use]
    pub fn seconds_left(&self) -> Option<i64> {
        let left = self.bytes_total? - self.bytes;
        if left <= 0 || self.reading_ms == 0 {
            return None;
        }
        let left_ms = left.saturating_mul(self.reading_ms).checked_div(self.bytes)?;
        Some(left_ms.saturating_add(999) / 1000)
    }
}

/// The progress of a job; `None` when it has ended.
///
/// # Errors
/// When the store fails.
pub fn progress(
    tx: &mut Tx<'_>,
    lane: Lane,
    account: AccountId,
    seq: i64,
) -> Result<Option<ReportedProgress>, StoreFault> {
    let row = tx.row(&sql::job_progress, args![account.0, lane.as_str(), seq])?;
    row.map(|row| {
        Ok(ReportedProgress {
            phase: row.text("phase")?.to_owned(),
            rows: row.int("rows_done")?,
            bytes: row.int("bytes_done")?,
            bytes_total: row.opt_int("bytes_total")?,
            reading_ms: row.int("reading_ms")?,
            next_try_at: row.int("run_at")?,
            fault: row.opt_text("fault")?.map(str::to_owned),
            tries_left: row.opt_int("tries_left")?,
        })
    })
    .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported_progress(
        rows: i64,
        bytes: i64,
        bytes_total: Option<i64>,
        reading_ms: i64,
    ) -> ReportedProgress {
        ReportedProgress {
            phase: String::new(),
            rows,
            bytes,
            bytes_total,
            reading_ms,
            next_try_at: 0,
            fault: None,
            tries_left: None,
        }
    }

    #[test]
    fn the_rate_is_over_all_of_the_reading() {
        assert_eq!(reported_progress(3000, 0, None, 1500).rows_per_second(), Some(2000));
        assert_eq!(reported_progress(0, 0, None, 1500).rows_per_second(), None);
        assert_eq!(reported_progress(3000, 0, None, 0).rows_per_second(), None, "nobody holds the job");
    }

    #[test]
    fn the_time_left_is_told_while_the_end_of_the_bytes_is_known_and_ahead() {
        assert_eq!(reported_progress(1, 250, Some(1000), 1000).seconds_left(), Some(3));
        assert_eq!(
            reported_progress(1, 999, Some(1000), 1000).seconds_left(),
            Some(1),
            "a part of a second is one"
        );
        for unknown in [
            reported_progress(1, 250, None, 1000),
            reported_progress(1, 1000, Some(1000), 1000),
            reported_progress(1, 1001, Some(1000), 1000),
            reported_progress(0, 0, Some(1000), 1000),
            reported_progress(1, 250, Some(1000), 0),
        ] {
            assert_eq!(unknown.seconds_left(), None);
        }
    }
}
