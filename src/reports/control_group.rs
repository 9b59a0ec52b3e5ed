//! Value of zones: people who see recommendations compared with people who do not. A share of the visitors, drawn by a
//! keyed hash of their number, sees none; the others do.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use crate::limits;

/// Sums of both groups, while people are counted.
#[derive(Debug, Default)]
pub struct ControlGroupSums {
    with: GroupSums,
    without: GroupSums,
    /// People in both groups: on two devices, or logged in where another person was.
    mixed: u64,
}

#[derive(Debug, Default, Clone, Copy)]
struct GroupSums {
    people: f64,
    /// Number of people who ordered.
    buyers: f64,
    orders: Sums,
    revenue: Sums,
}

/// The sum of some figures, and that of their squares.
#[derive(Debug, Default, Clone, Copy)]
struct Sums {
    sum: f64,
    squares: f64,
}

/// A comparison of the two groups. It is no sum of groups of five people, so that none of its numbers is exact.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ControlGroup {
    /// People who saw zones, at least: as are all people here a multiple of five.
    pub people_with: u64,
    /// People without recommendations.
    pub people_without: u64,
    /// People of both groups, who count for neither.
    pub people_of_both: u64,
    /// Orders per person; missing when fewer than five people of a group ordered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Means)]
    pub orders: Option<Means>,
    /// Revenue per person, in the shop's currency; missing likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Means)]
    pub revenue: Option<Means>,
}

/// Mean for a person of each group, to two digits.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Means {
    /// Mean for people who saw zones.
    pub with: f64,
    /// Mean for people who saw none.
    pub without: f64,
    /// Uplift of the mean with zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Uplift)]
    pub uplift: Option<Uplift>,
}

/// Relative difference of a mean to another, in whole hundredths: 0.1 is 10 %, and the interval that holds the true
/// figure in 95 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Uplift {
    /// The measured difference.
    pub measured: f64,
    /// The low end of the interval.
    pub low: f64,
    /// The high end.
    pub high: f64,
}

impl Sums {
    fn add(&mut self, figure: f64) {
        self.sum += figure;
        self.squares += figure * figure;
    }

    fn mean(self, count: f64) -> f64 {
        if count > 0.0 { self.sum / count } else { 0.0 }
    }

    /// The variance of the mean, over its square; `None` when it is meaningless.
    fn relative_variance(self, count: f64) -> Option<f64> {
        let mean = self.mean(count);
        if count < 2.0 || mean <= 0.0 {
            return None;
        }
        let variance = (self.squares - count * mean * mean).max(0.0) / (count - 1.0);
        Some(variance / count / (mean * mean))
    }
}

impl ControlGroupSums {
    /// Counts a person: whether zones were kept from them, whether they saw some, their orders, and the revenue.
    pub fn add(&mut self, (was_kept, saw): (bool, bool), orders: u64, revenue: Decimal) {
        let group = match (was_kept, saw) {
            (true, true) => {
                self.mixed += 1;
                return;
            }
            (true, false) => &mut self.without,
            (false, true) => &mut self.with,
            (false, false) => return,
        };
        group.people += 1.0;
        group.buyers += if orders > 0 { 1.0 } else { 0.0 };
        group.orders.add(orders as f64);
        group.revenue.add(revenue.to_f64().unwrap_or_default());
    }

    /// Both groups side by side; `None` when one has too few people to be shown.
    #[must_use]
    pub fn compare_groups(&self) -> Option<ControlGroup> {
        let Self { with, without, mixed } = *self;
        let is_few = |people: f64| people < limits::REPORT_ROW_PEOPLE as f64;
        if is_few(with.people) || is_few(without.people) {
            return None;
        }
        let people = [with.people, without.people];
        let is_told = !is_few(with.buyers) && !is_few(without.buyers);
        let means = |of: fn(GroupSums) -> Sums| {
            is_told.then(|| Means {
                with: two_digits(of(with).mean(people[0])),
                without: two_digits(of(without).mean(people[1])),
                uplift: uplift([of(with), of(without)], people).map(Uplift::coarse),
            })
        };
        Some(ControlGroup {
            people_with: in_fives(with.people as u64),
            people_without: in_fives(without.people as u64),
            people_of_both: in_fives(mixed),
            orders: means(|group| group.orders),
            revenue: means(|group| group.revenue),
        })
    }
}

/// The multiple of five at or below.
fn in_fives(people: u64) -> u64 {
    let step = limits::REPORT_ROW_PEOPLE as u64;
    people - people % step
}

fn two_digits(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

impl Uplift {
    fn coarse(self) -> Self {
        let [measured, low, high] =
            [self.measured, self.low, self.high].map(|part| (part * 100.0).round() / 100.0);
        Self { measured, low, high }
    }
}

/// The ratio of two means, with the interval of its logarithm by the delta method (as D. Katz and others give it for
/// the ratio of two shares: Biometrics 34, 1978, 469-474).
fn uplift([with, without]: [Sums; 2], people: [f64; 2]) -> Option<Uplift> {
    const NORMAL_95: f64 = 1.959_963_984_540_054;
    let variance = with.relative_variance(people[0])? + without.relative_variance(people[1])?;
    let ratio = with.mean(people[0]) / without.mean(people[1]);
    let width = (NORMAL_95 * variance.sqrt()).exp();
    Some(Uplift { measured: ratio - 1.0, low: ratio / width - 1.0, high: ratio * width - 1.0 })
}
