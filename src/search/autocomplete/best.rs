//! The best of a range of places, without visiting the whole range.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// No place.
const NONE: u32 = u32::MAX;

/// A rank for each place, and over them a tree with the best rank of each half.
#[derive(Debug, Default)]
pub(super) struct RankTree {
    /// Node `n` has the children `2n` and `2n + 1`; the places begin at `leaves`.
    tree: Vec<u32>,
    leaves: usize,
}

impl RankTree {
    /// A small rank is a good one.
    pub(super) fn new(ranks: &[u32]) -> Self {
        let leaves = ranks.len().next_power_of_two();
        let mut tree = vec![NONE; leaves * 2];
        tree[leaves..leaves + ranks.len()].copy_from_slice(ranks);
        for node in (1..leaves).rev() {
            tree[node] = tree[node * 2].min(tree[node * 2 + 1]);
        }
        Self { tree, leaves }
    }

    /// The places of a range, the best first.
    pub(super) fn places(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let mut open = BinaryHeap::new();
        let mut low = self.leaves + range.start.min(self.leaves);
        let mut high = self.leaves + range.end.min(self.leaves);
        while low < high {
            if low % 2 == 1 {
                open.push(Reverse((self.tree[low], low)));
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                open.push(Reverse((self.tree[high], high)));
            }
            low /= 2;
            high /= 2;
        }
        std::iter::from_fn(move || {
            loop {
                let Reverse((rank, node)) = open.pop()?;
                if rank == NONE {
                    return None;
                }
                if node >= self.leaves {
                    return Some(node - self.leaves);
                }
                for child in [node * 2, node * 2 + 1] {
                    open.push(Reverse((self.tree[child], child)));
                }
            }
        })
    }
}
