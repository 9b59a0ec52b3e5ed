//! Work that goes on while erasures are proven, which takes as long as reading all files: people forgotten since are
//! fenced, shredded, deleted and unlearned meanwhile, and wait for nothing but the next proof.

use std::pin::pin;
use std::time::{Duration, Instant};

use super::context::{ErasureRun, HELD_UP_MILLIS};
use crate::erasure::{ErasureState, OpenErasure};
use crate::work::fault::WorkFault;

/// Interval between checks for newly forgotten people.
const LOOK_DURATION: Duration = Duration::from_millis(10);

impl ErasureRun<'_> {
    /// Waits for the reading of all files, and meanwhile forgets the people that came after the erasure `newest`. A
    /// fault of these is returned separately: it is tried again with the next run.
    pub(super) async fn forget_beside<T>(
        &self,
        newest: i64,
        reading: impl Future<Output = T>,
    ) -> (T, Option<WorkFault>) {
        let mut reading = pin!(reading);
        let mut pause = LOOK_DURATION;
        loop {
            tokio::select! {
                read = &mut reading => return (read, None),
                () = tokio::time::sleep(pause) => {}
            }
            let forgotten = self.forget_after(newest).await;
            match forgotten {
                Ok(true) => pause = LOOK_DURATION,
                // They wait for something that ends by itself.
                Ok(false) => pause = Duration::from_millis(HELD_UP_MILLIS.unsigned_abs()),
                Err(fault) => return (reading.await, Some(fault)),
            }
        }
    }

    /// Forgets the people that came after an erasure; returns whether none is held up.
    async fn forget_after(&self, newest: i64) -> Result<bool, WorkFault> {
        let is_later =
            |erasure: &OpenErasure| erasure.seq > newest && erasure.state < ErasureState::Unlearned;
        let mut later: Vec<OpenErasure> = self.working().await?.into_iter().filter(is_later).collect();
        if later.is_empty() {
            return Ok(true);
        }
        let run = ErasureRun { began: Instant::now(), ..*self };
        match run.forget(&mut later).await? {
            Some(fault) => Err(fault),
            None => Ok(!later.iter().any(is_later)),
        }
    }
}
