//! The products of a made-up history: popularity, similarity, and the next view.

use std::collections::HashMap;

use crate::sample::feed::{SampleShop, SampleTraits, Stream, product_id};
use crate::sample::random::SampleRandom;

/// A product of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShelfItem {
    /// Its id.
    pub id: String,
    /// Group that it shares with products like it.
    pub group: String,
    /// Its title, whose words are searched.
    pub title: String,
    /// Price in hundredths of the shop's currency, if it is known.
    pub pence: Option<u64>,
}

impl ShelfItem {
    /// The products of the feed of a made-up shop: products of the same kind are alike.
    #[must_use]
    pub fn list_products(shop: &SampleShop) -> Vec<Self> {
        let item = |number| {
            let traits =
                SampleTraits::draw(&mut SampleRandom::new(shop.seed, Stream::Product as u64, number));
            Self {
                id: product_id(number),
                group: traits.kind.title.to_owned(),
                title: traits.title(),
                pence: Some(traits.sale_pence.unwrap_or(traits.pence)),
            }
        };
        (1..=shop.products).map(item).collect()
    }
}

/// Products by popularity, and by their common traits. Numbers are places of products in the list that it was made
/// from.
pub struct Shelf {
    seed: u64,
    /// The most popular first.
    ranked: Vec<usize>,
    /// The group of each.
    group_of: Vec<usize>,
    /// Those of each group, the most popular first.
    groups: Vec<Vec<usize>>,
}

impl Shelf {
    /// Arranges products, at least one.
    pub fn new(seed: u64, items: &[ShelfItem]) -> Self {
        let mut ranked: Vec<usize> = (0..items.len()).collect();
        ranked.sort_by_cached_key(|item| {
            SampleRandom::new(seed, Stream::Popularity as u64, *item as u64).next()
        });
        let mut numbers = HashMap::new();
        let group_of: Vec<usize> = items
            .iter()
            .map(|item| {
                let next = numbers.len();
                *numbers.entry(item.group.as_str()).or_insert(next)
            })
            .collect();
        let mut groups = vec![Vec::new(); numbers.len()];
        for item in &ranked {
            groups[group_of[*item]].push(*item);
        }
        Self { seed, ranked, group_of, groups }
    }

    /// Any product, as a robot finds it.
    pub fn random_product(&self, random: &mut SampleRandom) -> usize {
        self.ranked[random.below(self.ranked.len() as u64) as usize]
    }

    /// Chooses the product to view after the products `seen`: one like the last, one that others view after it, a
    /// popular one, or an earlier one once more.
    pub fn next_view(&self, random: &mut SampleRandom, seen: &[usize]) -> usize {
        let Some(last) = seen.last() else { return draw_popular(random, &self.ranked) };
        match random.below(100) {
            0..45 => draw_popular(random, &self.groups[self.group_of[*last]]),
            45..70 => self.follow_up(*last, random.below(3)),
            70..90 => draw_popular(random, &self.ranked),
            _ => seen[random.below(seen.len() as u64) as usize],
        }
    }

    /// One of the three products that shoppers often view after this one: the same for all shoppers.
    fn follow_up(&self, item: usize, which: u64) -> usize {
        draw_popular(
            &mut SampleRandom::new(self.seed, Stream::Follower as u64, 3 * item as u64 + which),
            &self.ranked,
        )
    }
}

/// Draws one of a list by Zipf's law: each doubling of the rank is drawn as often as the one before it. Without
/// floating-point numbers, which differ between machines.
fn draw_popular(random: &mut SampleRandom, ranked: &[usize]) -> usize {
    ranked[draw_rank(random, ranked.len() as u64) as usize]
}

/// Draws a rank below `count`, which is at least 1.
pub fn draw_rank(random: &mut SampleRandom, count: u64) -> u64 {
    let doublings = u64::from(u64::BITS - count.leading_zeros());
    loop {
        let first = 1 << random.below(doublings);
        let rank = first - 1 + random.below(first);
        if rank < count {
            return rank;
        }
    }
}
