//! Backoff after a failed try.

use std::time::Duration;

use crate::limits;

/// Between the tries of one message, in seconds: those that the specification suggests. Behind the last it is given up.
const PAUSES_SECONDS: [u64; 9] =
    [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];

/// The pause after try number `tries` (from 1) of a message, with up to a tenth more; `None`: it was the last.
pub fn pause_after(tries: i64) -> Option<Duration> {
    let place = usize::try_from(tries - 1).ok()?;
    let pause = Duration::from_secs(*PAUSES_SECONDS.get(place)?);
    let jitter = u32::from(uuid::Uuid::new_v4().as_bytes()[0]);
    Some(pause + pause * jitter / 2560)
}

/// Rest of an account whose server failed `fails` times in a row, whichever messages it was sent.
pub fn account_backoff(fails: i64) -> Duration {
    let doublings = u32::try_from(fails.clamp(1, 20) - 1).unwrap_or(0);
    Duration::from_secs(5).saturating_mul(1 << doublings).min(limits::WEBHOOK_REST_DURATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let pauses: Vec<_> = (1..).map_while(pause_after).collect();
        assert_eq!(pauses.len(), PAUSES_SECONDS.len());
        for (pause, seconds) in pauses.iter().zip(PAUSES_SECONDS) {
            let least = Duration::from_secs(seconds);
            assert!((least..=least + least / 10).contains(pause), "{pause:?}");
        }
        assert!(pause_after(0).is_none() && pause_after(i64::MAX).is_none());
    }

    #[test]
    fn a_server_that_fails_again_and_again_is_left_alone_for_five_minutes() {
        let seconds = [1, 2, 3, 6, 7, i64::MAX].map(|fails| account_backoff(fails).as_secs());
        assert_eq!(seconds, [5, 10, 20, 160, 300, 300]);
    }

    #[test]
    fn messages_that_failed_together_are_tried_again_apart() {
        let most = Duration::from_secs(24 * 60 * 60);
        let pauses: Vec<_> = (0..64).filter_map(|_| pause_after(9)).collect();
        let longest = pauses.iter().max().unwrap();
        assert_eq!(pauses.len(), 64);
        assert!((most + most / 20..most + most / 10).contains(longest), "{longest:?}");
        assert!(*pauses.iter().min().unwrap() < most + most / 20);
    }
}
