//! Shoppers of a made-up history.

use super::shelf::draw_rank;
use crate::sample::feed::{SampleShop, email, user_id};
use crate::sample::random::SampleRandom;

/// Users of a device that several share.
const USERS_OF_DEVICE: u64 = 4;

/// Shopper of an action, by numbers.
#[derive(Clone, Copy, Default)]
pub struct SampleShopper {
    visitor: Option<Visitor>,
    user: Option<u64>,
    /// User whose address is sent, with or without the user id.
    tells_email: Option<u64>,
    company: Option<u64>,
}

/// A number in a browser's cookie.
#[derive(Clone, Copy)]
enum Visitor {
    /// Number of one browser.
    Own(u64),
    /// Number of a device that several share.
    Shared(u64),
    Robot(u64),
}

/// One visit of a shopper.
pub struct SampleVisit {
    /// Shopper before they say who they are.
    pub before: SampleShopper,
    /// Shopper from then on.
    pub after: SampleShopper,
    /// True if it is no person.
    pub is_robot: bool,
}

impl SampleShopper {
    /// Returns true if an order can name the shopper.
    pub fn is_customer(&self) -> bool {
        self.user.is_some() || self.tells_email.is_some() || self.company.is_some()
    }
}

impl SampleVisit {
    /// Returns true if the browser is one of the tenth that sees no zones.
    pub fn is_in_control(&self) -> bool {
        self.before.visitor.is_some_and(|visitor| match visitor {
            Visitor::Own(number) | Visitor::Shared(number) => number % 10 == 3,
            Visitor::Robot(_) => false,
        })
    }

    fn from_shopper(shopper: SampleShopper) -> Self {
        Self { before: shopper, after: shopper, is_robot: false }
    }
}

/// Draws one of so many: every second is as likely as any other, the rest come again and again.
fn draw_returning(random: &mut SampleRandom, count: u64) -> u64 {
    if random.below(2) == 0 { random.below(count) } else { draw_rank(random, count) }
}

/// All visitors.
pub struct SampleVisitors<'a> {
    shop: &'a SampleShop,
    people: u64,
    visitors: u64,
}

impl<'a> SampleVisitors<'a> {
    /// The people of the shop, or as many as this number of events needs, and visitors without any other identifier.
    pub fn new(shop: &'a SampleShop, events: u64) -> Self {
        let people = if shop.people > 0 { shop.people } else { 1 + events / 40 };
        Self { shop, people, visitors: 1 + events / 10 }
    }

    /// Draws a visit: one in 1,000 is a robot's, every second has no known person. Where visitors without any other
    /// identifier are not kept, every shopper is identified from the start.
    pub fn draw_visit(&self, random: &mut SampleRandom, keeps_visitors: bool) -> SampleVisit {
        let person = 1 + draw_returning(random, self.people);
        let user = Some(person);
        // The browsers of people are numbered after those without any other identifier.
        let browser =
            SampleShopper { visitor: Some(Visitor::Own(self.visitors + person)), ..SampleShopper::default() };
        let known = SampleShopper { user, ..browser };
        match random.below(1000) {
            0..40 => {
                let company = Some(1 + draw_rank(random, 1 + self.people / 10));
                let user = user.filter(|_| random.below(2) == 0);
                SampleVisit::from_shopper(SampleShopper { user, company, ..SampleShopper::default() })
            }
            40..60 => {
                SampleVisit::from_shopper(SampleShopper { tells_email: user, ..SampleShopper::default() })
            }
            60..300 => {
                let tells_email = user.filter(|user| user % 2 == 0);
                SampleVisit::from_shopper(SampleShopper { tells_email, ..known })
            }
            _ if !keeps_visitors => SampleVisit::from_shopper(known),
            300..301 => {
                let robot = Some(Visitor::Robot(1 + random.below(5)));
                let robot =
                    SampleVisit::from_shopper(SampleShopper { visitor: robot, ..SampleShopper::default() });
                SampleVisit { is_robot: true, ..robot }
            }
            301..350 => self.draw_shared_device_visit(random),
            350..500 => SampleVisit { before: browser, ..SampleVisit::from_shopper(known) },
            500..600 => SampleVisit::from_shopper(browser),
            _ => {
                let visitor = Some(Visitor::Own(1 + draw_returning(random, self.visitors)));
                SampleVisit::from_shopper(SampleShopper { visitor, ..SampleShopper::default() })
            }
        }
    }

    /// Draws a visit on a shared device, whose user logs in after a while.
    fn draw_shared_device_visit(&self, random: &mut SampleRandom) -> SampleVisit {
        let device = random.below(1 + self.people / 40);
        let user = 1 + (USERS_OF_DEVICE * device + random.below(USERS_OF_DEVICE)) % self.people;
        let visitor = Some(Visitor::Shared(device + 1));
        let before = SampleShopper { visitor, ..SampleShopper::default() };
        SampleVisit { before, after: SampleShopper { user: Some(user), ..before }, is_robot: false }
    }

    /// The ids of a shopper as they are written, each with its name.
    pub fn identify(&self, shopper: &SampleShopper) -> Vec<(&'static str, String)> {
        let visitor = shopper.visitor.map(|visitor| match visitor {
            Visitor::Own(number) => format!("V{number:07}"),
            Visitor::Shared(number) => format!("shared-{number:05}"),
            Visitor::Robot(number) => format!("robot-{number}"),
        });
        let ids = [
            ("VisitorId", visitor),
            ("UserId", shopper.user.map(user_id)),
            ("Email", shopper.tells_email.map(|user| email(self.shop, user))),
            ("AccountId", shopper.company.map(|company| format!("A{company:05}"))),
        ];
        ids.into_iter().filter_map(|(name, id)| Some((name, id?))).collect()
    }
}
