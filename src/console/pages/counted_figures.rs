//! Figures of the shops' start pages, counted once for all operators and remembered for some minutes: opening a page
//! takes no turn from requests for reports.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, Semaphore};

use crate::clock::{Millis, day_of, millis};
use crate::console::ui::problem::Problem;
use crate::ids::AccountId;
use crate::limits;

/// Figures of all shops.
pub(crate) struct CountedFigures {
    shops: Mutex<HashMap<AccountId, ShopFigures>>,
    /// One shop is counted at a time, so that the server's other turns for reports stay free.
    turn: Arc<Semaphore>,
}

/// Figures of one shop. Locked while they are counted.
type ShopFigures = Arc<AsyncMutex<Option<RememberedFigures>>>;

pub(crate) struct RememberedFigures {
    moment: FigureMoment,
    figures: Value,
}

/// Time of a page, with the number of people who have left the shop: figures counted before a departure include them.
#[derive(Clone, Copy)]
pub(super) struct FigureMoment {
    pub now: Millis,
    pub departures: u64,
}

impl Default for CountedFigures {
    fn default() -> Self {
        Self { shops: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl RememberedFigures {
    fn is_fresh(&self, at: FigureMoment) -> bool {
        let age = at.now - self.moment.now;
        age < millis(limits::FIGURES_REMEMBERED_DURATION)
            && day_of(at.now) == day_of(self.moment.now)
            && at.departures == self.moment.departures
    }
}

impl CountedFigures {
    /// The figures of a shop: remembered, being counted, or new. A count goes on when its page is closed. `is_anew`:
    /// the remembered ones are not used.
    ///
    /// # Errors
    /// Faults of the count.
    pub(super) async fn load<F>(
        &self,
        account: AccountId,
        at: FigureMoment,
        is_anew: bool,
        count: F,
    ) -> Result<Value, Problem>
    where
        F: Future<Output = Result<Value, Problem>> + Send + 'static,
    {
        let shop = self.figures_of_shop(account, at);
        let (known, has_joined) = match shop.clone().try_lock_owned() {
            Ok(known) => (known, false),
            Err(_) => (shop.lock_owned().await, true),
        };
        if let Some(remembered) =
            known.as_ref().filter(|known| (has_joined || !is_anew) && known.is_fresh(at))
        {
            return Ok(remembered.figures.clone());
        }
        let counting = tokio::spawn(count_in_turn(Arc::clone(&self.turn), known, at, count));
        counting.await.unwrap_or_else(|_| Err(Problem::fault()))
    }

    /// The figures of a shop. Drops those of other shops that are neither fresh nor in use.
    fn figures_of_shop(&self, account: AccountId, at: FigureMoment) -> ShopFigures {
        let mut shops = self.shops.lock().unwrap_or_else(PoisonError::into_inner);
        shops.retain(|_, figures| {
            let is_recent = |known: &RememberedFigures| {
                at.now - known.moment.now < millis(limits::FIGURES_REMEMBERED_DURATION)
            };
            let is_kept = figures.try_lock().map_or(true, |known| known.as_ref().is_some_and(is_recent));
            is_kept || Arc::strong_count(figures) > 1
        });
        Arc::clone(shops.entry(account).or_default())
    }
}

async fn count_in_turn(
    turn: Arc<Semaphore>,
    mut known: OwnedMutexGuard<Option<RememberedFigures>>,
    moment: FigureMoment,
    count: impl Future<Output = Result<Value, Problem>>,
) -> Result<Value, Problem> {
    // It is never closed.
    let _turn = turn.acquire_owned().await;
    let figures = count.await?;
    if figures["Fault"].is_null() {
        *known = Some(RememberedFigures { moment, figures: figures.clone() });
    }
    Ok(figures)
}
