//! A made-up history of shoppers, the same for the same seed and end, for demos, tests and measurements: more come
//! every day; few products are viewed by many, one after the other often alike; people search, also for what there is
//! not, follow zones, fill baskets and order; they log in, share devices, buy for companies; and a robot views
//! everything.

mod action;
mod line;
mod queries;
mod session;
mod shelf;
mod shopper;
mod world;

use std::io::{self, Write};

use self::action::Moment;
use self::line::write_line;
use self::queries::SampleQueries;
use self::session::make_session;
use self::shelf::Shelf;
pub use self::shelf::ShelfItem;
use self::shopper::SampleVisitors;
use self::world::{DAY, SampleWorld};
use super::feed::{SampleShop, Stream};
use super::random::SampleRandom;
use crate::clock::{Millis, millis};
use crate::limits;

/// Actions of one session that each day has room for.
const PEOPLES_ACTIONS: usize = 40;

/// Settings of a history to make up.
pub struct SampleHistory<'a> {
    /// The shop of these people; its seed is that of the history too.
    pub shop: &'a SampleShop,
    /// Lines to write.
    pub events: u64,
    /// Days over which they are spread, at least one.
    pub days: u64,
    /// The moment in which it ends.
    pub until: Millis,
}

/// Writes the history, an object of JSON a line as `/api/events` takes it, the oldest first. Memory holds one day.
/// Without products the history is empty. Wrap `out` in a buffer.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_history(
    out: &mut dyn Write,
    history: &SampleHistory<'_>,
    items: &[ShelfItem],
) -> io::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    let seed = history.shop.seed;
    let world = SampleWorld {
        items,
        shelf: Shelf::new(seed, items),
        queries: SampleQueries::new(items),
        visitors: SampleVisitors::new(history.shop, history.events),
    };
    let days = history.days.max(1);
    let mut sessions = 0;
    for day in 0..days {
        // A share that grows by half until the last day; the sum is the requested number.
        let share = |day: u64| {
            let [events, day, days] = [history.events, day, days].map(u128::from);
            (events * day * (4 * days + day) / (5 * days * days)) as usize
        };
        let wanted = share(day + 1) - share(day);
        let left = (days - day) as Millis;
        let begin = history.until - left * DAY;
        // The actions of a visitor without any other identifier would not be kept.
        let keeps_visitors = left * DAY < millis(limits::VISITS_KEPT_DURATION);
        let mut moments: Vec<Moment> = Vec::with_capacity(wanted + 1);
        while moments.len() < wanted {
            sessions += 1;
            let random = &mut SampleRandom::new(seed, Stream::Session as u64, sessions);
            let session = make_session(random, &world, sessions, (begin, keeps_visitors));
            // A robot leaves room for people.
            moments.extend(session.into_iter().take((wanted / 4).max(PEOPLES_ACTIONS)));
        }
        moments.truncate(wanted);
        moments.sort_by_key(|moment| moment.at);
        for moment in &moments {
            write_line(out, moment, &world)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
