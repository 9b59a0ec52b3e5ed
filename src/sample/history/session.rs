//! One session of a made-up shopper.

use super::action::{Moment, SampleAction};
use super::queries::SampleQueries;
use super::shopper::SampleVisit;
use super::world::{DAY, SECOND, SampleWorld};
use crate::clock::Millis;
use crate::reports::attribution::AttributionSource;
use crate::reports::query;
use crate::sample::random::SampleRandom;

/// Actions of a session, each with the pause before it in milliseconds.
struct Session<'a> {
    random: &'a mut SampleRandom,
    world: &'a SampleWorld<'a>,
    /// True if the shopper sees no zones.
    is_in_control: bool,
    actions: Vec<(u64, SampleAction)>,
    seen: Vec<usize>,
    basket: Vec<usize>,
}

/// One session of a shopper, on the day that begins at `begin`. The number of the session is that of its order.
pub(super) fn make_session(
    random: &mut SampleRandom,
    world: &SampleWorld<'_>,
    number: u64,
    (begin, keeps_visitors): (Millis, bool),
) -> Vec<Moment> {
    let visit = world.visitors.draw_visit(random, keeps_visitors);
    // Some look around before they say who they are.
    let knows_at = if random.below(3) == 0 { 0 } else { 1 + random.below(6) as usize };
    let mut session = Session {
        is_in_control: visit.is_in_control(),
        random,
        world,
        actions: Vec::new(),
        seen: Vec::new(),
        basket: Vec::new(),
    };
    if visit.is_robot {
        session.view_everything();
    } else {
        // Where only customers are kept, they buy half as often, as they are twice as many.
        let may_order = visit.after.is_customer() && (keeps_visitors || session.random.below(2) == 0);
        session.shop_around(may_order, number);
    }
    let Session { random, actions, .. } = session;
    place_in_day(random, begin, &visit, knows_at, actions)
}

/// Gives the actions their times and shoppers.
fn place_in_day(
    random: &mut SampleRandom,
    begin: Millis,
    visit: &SampleVisit,
    knows_at: usize,
    actions: Vec<(u64, SampleAction)>,
) -> Vec<Moment> {
    let length = actions.iter().map(|(pause, _)| pause).sum::<u64>();
    let mut at = begin as u64 + draw_time_of_day(random, (DAY as u64).saturating_sub(length));
    let mut moments = Vec::with_capacity(actions.len());
    for (number, (pause, action)) in actions.into_iter().enumerate() {
        at += pause;
        let is_known = number >= knows_at || matches!(action, SampleAction::Ordered { .. });
        let shopper = if is_known { visit.after } else { visit.before };
        moments.push(Moment { at: (at as Millis).min(begin + DAY), shopper, action });
    }
    moments
}

impl Session<'_> {
    fn view_everything(&mut self) {
        for _ in 0..200 + self.random.below(400) {
            let item = self.world.shelf.random_product(self.random);
            let pause = 300 + self.random.below(1200);
            self.add(pause, SampleAction::Viewed(item));
        }
    }

    /// The home page, a search, products one after the other, and sometimes a basket and an order.
    fn shop_around(&mut self, may_order: bool, number: u64) {
        if self.random.below(2) == 0 {
            self.see_zone("HP-01", "best_sellers");
        }
        let first = self.world.shelf.next_view(self.random, &[]);
        if self.random.below(5) < 4 {
            self.search_for(first);
        }
        self.view(first);
        for _ in 1..count_views(self.random) {
            let item = self.world.shelf.next_view(self.random, &self.seen);
            if self.random.below(4) == 0 {
                self.follow_zone(item);
            }
            self.view(item);
        }
        if may_order {
            self.order(number);
        }
    }

    /// Searches until the product is found, and clicks it.
    fn search_for(&mut self, item: usize) {
        if self.random.below(5) == 0 {
            let missed = SampleQueries::search_in_vain(self.random);
            self.add_soon(missed);
        }
        let Some(search) = self.world.queries.search_for(self.random, item) else { return };
        let source = match &search {
            SampleAction::Searched { query, .. } => AttributionSource::Search(query::mark(query)),
            _ => return,
        };
        self.add_soon(search);
        if self.random.below(5) > 0 {
            self.add_soon(SampleAction::Clicked(item, source));
        }
    }

    /// Sees the zone of a product's page, and clicks the product there.
    fn follow_zone(&mut self, item: usize) {
        self.see_zone("PP-01", "also_viewed");
        if !self.is_in_control && self.random.below(2) == 0 {
            self.add_soon(SampleAction::Clicked(item, zone_source("PP-01", "also_viewed")));
        }
    }

    fn see_zone(&mut self, name: &str, recommender: &str) {
        let seen =
            if self.is_in_control { AttributionSource::Control } else { zone_source(name, recommender) };
        self.add_soon(SampleAction::SawZones(vec![seen]));
    }

    fn view(&mut self, item: usize) {
        self.seen.push(item);
        let pause = draw_pause(self.random);
        self.add(pause, SampleAction::Viewed(item));
        let is_new = !self.basket.contains(&item);
        if self.random.below(3) == 0 && is_new && self.basket.len() < 4 {
            self.basket.push(item);
            self.add_soon(SampleAction::SetBasket(self.basket.clone()));
        }
    }

    fn order(&mut self, number: u64) {
        if !self.basket.is_empty() {
            let items = std::mem::take(&mut self.basket);
            let pause = draw_pause(self.random);
            self.add(pause, SampleAction::Ordered { number, items });
            self.add_soon(SampleAction::SetBasket(Vec::new()));
        }
    }

    fn add_soon(&mut self, action: SampleAction) {
        let pause = SECOND + self.random.below(8 * SECOND);
        self.add(pause, action);
    }

    fn add(&mut self, pause: u64, action: SampleAction) {
        self.actions.push((pause, action));
    }
}

fn zone_source(name: &str, recommender: &str) -> AttributionSource {
    AttributionSource::Zone {
        zone: name.to_owned(),
        recommender: recommender.to_owned(),
        campaign: String::new(),
    }
}

/// Draws the number of products that a person views: four on average, 20 at the most, and sometimes far more.
fn count_views(random: &mut SampleRandom) -> u64 {
    if random.below(200) == 0 {
        return 21 + random.below(180);
    }
    let mut views = 1;
    while views < 20 && random.below(4) > 0 {
        views += 1;
    }
    views
}

/// The time between two views in milliseconds, shorter than the pause that ends a session.
pub(super) fn draw_pause(random: &mut SampleRandom) -> u64 {
    match random.below(25) {
        0 => 120 * SECOND + random.below(480 * SECOND),
        _ => 4 * SECOND + random.below(90 * SECOND),
    }
}

/// A moment within a part of a day, in its middle more often than at its ends.
fn draw_time_of_day(random: &mut SampleRandom, part: u64) -> u64 {
    let half = part / 2;
    if half == 0 { 0 } else { random.below(half) + random.below(half) }
}
