//! What was clicked shortly before and after an item.

use super::fixed::Share;
use super::history::History;
use super::items::Item;

/// How far to look from an item.
pub struct Reach {
    /// Of its clicks, so many of the newest.
    pub clicks: usize,
    /// What a neighbour counts, by how many clicks lie between; beyond, nothing.
    pub decay: &'static [Share],
    /// Whether the item, where it comes again, is its own neighbour. It ends the look either way.
    pub itself: bool,
}

/// A neighbour of an item.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour {
    /// Which.
    pub item: Item,
    /// 0: it was clicked after the item, 1: before.
    pub side: usize,
    /// Clicks between the two.
    pub between: usize,
    /// What it counts.
    pub decay: Share,
}

/// Visits the neighbours in an item's newest clicks, up to where the item itself comes again. Returns one more than the
/// number of its clicks that were read.
pub fn visit(history: &History, item: Item, reach: &Reach, mut take: impl FnMut(Neighbour)) -> Share {
    let mut clicks = 1;
    for place in history.newest(item, reach.clicks) {
        clicks += 1;
        let session = history.clicks(place.session);
        let (before, rest) = session.split_at(place.position as usize);
        let mut side = |side: usize, items: &mut dyn Iterator<Item = &Item>| {
            for ((between, neighbour), decay) in items.enumerate().zip(reach.decay) {
                let is_itself = *neighbour == item;
                if !is_itself || reach.itself {
                    take(Neighbour { item: *neighbour, side, between, decay: *decay });
                }
                if is_itself {
                    break;
                }
            }
        };
        side(0, &mut rest[1..].iter());
        side(1, &mut before.iter().rev());
    }
    clicks
}
