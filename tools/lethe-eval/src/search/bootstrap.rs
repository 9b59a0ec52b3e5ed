//! Confidence in the difference between two rankings: a paired bootstrap over the queries.

const RESAMPLES: usize = 10_000;

/// A mean difference and the interval that holds 95 % of the resampled means.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Gain {
    /// The mean difference.
    pub mean: f64,
    /// The 2.5th percentile.
    pub low: f64,
    /// The 97.5th percentile.
    pub high: f64,
}

/// The gain of `of` over `base`, query by query; always the same for the same figures.
#[must_use]
pub fn gain(of: &[f64], base: &[f64]) -> Gain {
    let differences: Vec<f64> = of.iter().zip(base).map(|(of, base)| of - base).collect();
    let count = differences.len();
    if count == 0 {
        return Gain { mean: 0.0, low: 0.0, high: 0.0 };
    }
    let mut random = BootstrapRng(0x9e37_79b9_7f4a_7c15);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| (0..count).map(|_| differences[random.below(count)]).sum::<f64>() / count as f64)
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    let mean = differences.iter().sum::<f64>() / count as f64;
    Gain { mean, low: means[RESAMPLES / 40], high: means[RESAMPLES - 1 - RESAMPLES / 40] }
}

/// The mean of these figures, with its interval.
#[must_use]
pub fn mean(figures: &[f64]) -> Gain {
    gain(figures, &vec![0.0; figures.len()])
}

/// SplitMix64 by Sebastiano Vigna: small, seeded, the same everywhere.
pub struct BootstrapRng(pub u64);

impl BootstrapRng {
    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next_number()) * end as u128) >> 64) as usize
    }

    /// Puts items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_that_every_query_has_is_sure() {
        let gain = gain(&[0.5, 0.7, 0.9], &[0.4, 0.6, 0.8]);
        assert!((gain.mean - 0.1).abs() < 1e-9 && gain.low > 0.09 && gain.high < 0.11, "{gain:?}");
    }

    #[test]
    fn a_mean_has_an_interval_of_its_own() {
        let sure = mean(&[0.5, 0.5, 0.5]);
        assert_eq!((sure.mean, sure.low, sure.high), (0.5, 0.5, 0.5));
        let wide = mean(&[0.0, 1.0, 0.0, 1.0]);
        assert!(wide.low < 0.2 && wide.high > 0.8, "{wide:?}");
        assert_eq!(mean(&[]), Gain { mean: 0.0, low: 0.0, high: 0.0 });
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        BootstrapRng(1).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_gain_of_one_query_among_losses_is_not() {
        let gain = gain(&[0.9, 0.3, 0.3, 0.3], &[0.4, 0.4, 0.4, 0.4]);
        assert!(gain.low < 0.0 && gain.high > 0.0, "{gain:?}");
    }
}
