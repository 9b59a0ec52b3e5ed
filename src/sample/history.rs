//! A made-up history of shoppers, the same for the same seed and end, for demos, tests and measurements: few products
//! are viewed by many, one after the other often alike; people log in, share devices, buy for companies; and a robot
//! views everything.

mod shelf;
mod shopper;

use std::io::{self, Write};

use self::shelf::Shelf;
pub use self::shelf::ShelfItem;
use self::shopper::{SampleShopper, SampleVisitors};
use super::feed::{SampleShop, Stream};
use super::random::SampleRandom;
use crate::clock::{Millis, millis};
use crate::limits;

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

const DAY: Millis = 24 * 60 * 60 * 1000;
const SECOND: u64 = 1000;

/// Action of a shopper.
#[derive(Clone, Copy)]
enum SampleAction {
    /// Looked at the product of this number on the shelf.
    Viewed(usize),
}

/// Action of a shopper, with its time.
struct Moment {
    at: Millis,
    shopper: SampleShopper,
    deed: SampleAction,
}

/// A line, as `/api/events` takes it.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
struct HistoryLine<'a> {
    name: &'static str,
    product: &'a str,
    at: Millis,
    #[serde(flatten)]
    shopper: shopper::SampleShopperIds,
}

/// Writes the history, an object of JSON a line, the oldest first. Memory holds one day. Without products the history
/// is empty. Wrap `out` in a buffer.
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
    let shelf = Shelf::new(history.shop.seed, items);
    let crowd = SampleVisitors::new(history.shop, history.events);
    let days = history.days.max(1);
    let mut sessions = 0;
    for day in 0..days {
        // An even share, so that the sum is the requested number.
        let share = |day: u64| (u128::from(history.events) * u128::from(day) / u128::from(days)) as usize;
        let wanted = share(day + 1) - share(day);
        let left = (days - day) as Millis;
        let begin = history.until - left * DAY;
        // The actions of a visitor without any other identifier would not be kept.
        let keeps_visitors = left * DAY < millis(limits::VISITS_KEPT_DURATION);
        let mut moments: Vec<Moment> = Vec::with_capacity(wanted + 1);
        while moments.len() < wanted {
            sessions += 1;
            let random = &mut SampleRandom::new(history.shop.seed, Stream::Session as u64, sessions);
            moments.extend(session(random, &shelf, &crowd, (begin, keeps_visitors)));
        }
        moments.truncate(wanted);
        moments.sort_by_key(|moment| moment.at);
        for moment in &moments {
            write_line(out, moment, &crowd, items)?;
        }
    }
    Ok(())
}

fn write_line(
    out: &mut dyn Write,
    moment: &Moment,
    crowd: &SampleVisitors<'_>,
    items: &[ShelfItem],
) -> io::Result<()> {
    let (name, item) = match moment.deed {
        SampleAction::Viewed(item) => ("product_view", item),
    };
    let line = HistoryLine {
        name,
        product: &items[item].id,
        at: moment.at,
        shopper: crowd.identify(&moment.shopper),
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

/// One session of a shopper, on the day that begins at `begin`.
fn session(
    random: &mut SampleRandom,
    shelf: &Shelf,
    crowd: &SampleVisitors<'_>,
    (begin, keeps_visitors): (Millis, bool),
) -> Vec<Moment> {
    let visit = crowd.visit(random, keeps_visitors);
    let views = if visit.is_robot { 200 + random.below(400) } else { views(random) };
    // Some look around before they say who they are.
    let login = if random.below(3) == 0 { 0 } else { 1 + random.below(views) };
    let pauses: Vec<u64> = (0..views).map(|_| pause(random, visit.is_robot)).collect();
    let length = pauses.iter().sum::<u64>();
    let mut at = begin as u64 + hour_of_day(random, (DAY as u64).saturating_sub(length));
    let mut seen: Vec<usize> = Vec::with_capacity(views as usize);
    let mut moments = Vec::with_capacity(views as usize);
    for (number, pause) in (0..).zip(pauses) {
        let item = if visit.is_robot { shelf.random_product(random) } else { shelf.next(random, &seen) };
        seen.push(item);
        at += pause;
        let shopper = if number < login { visit.before } else { visit.after };
        let at = (at as Millis).min(begin + DAY);
        moments.push(Moment { at, shopper, deed: SampleAction::Viewed(item) });
    }
    moments
}

/// Draws the number of products that a person views: four on average, 20 at the most, and sometimes far more.
fn views(random: &mut SampleRandom) -> u64 {
    if random.below(50) == 0 {
        return 21 + random.below(180);
    }
    let mut views = 1;
    while views < 20 && random.below(4) > 0 {
        views += 1;
    }
    views
}

/// The time between two views in milliseconds, shorter than the pause that ends a session.
fn pause(random: &mut SampleRandom, is_robot: bool) -> u64 {
    if is_robot {
        return 300 + random.below(1200);
    }
    match random.below(25) {
        0 => 120 * SECOND + random.below(480 * SECOND),
        _ => 4 * SECOND + random.below(90 * SECOND),
    }
}

/// A moment within a part of a day, in its middle more often than at its ends.
fn hour_of_day(random: &mut SampleRandom, part: u64) -> u64 {
    let half = part / 2;
    if half == 0 { 0 } else { random.below(half) + random.below(half) }
}

#[cfg(test)]
mod tests;
