//! Evaluation of completions: how soon a frequent query is offered while it is typed.

use lethe::search::text::fold_text;

/// Letters typed, for each of the measures.
pub const LETTERS: [usize; 5] = [2, 3, 4, 5, 6];
/// Number of completions that count.
pub const DEPTH: usize = 5;
/// The letters by which the floor is set, and the floor.
pub const FLOOR_LETTERS: usize = 4;
/// MRR@5 at four letters, at least: docs/relevance.md, "Measured".
pub const FLOOR: f64 = 0.41;

/// Quality of completions when this number of letters is typed.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct CompletionScore {
    /// Letters typed, blanks counted.
    pub letters: usize,
    /// Mean over the targets of 1 / the place of the target among the first five, or 0.
    pub reciprocal_rank: f64,
    /// The share of targets among the first five.
    pub found: f64,
}

/// Types the first letters of each target and looks for the target, letter by letter the same after folding. Targets
/// that are no longer than the prefix are typed whole. Protocol: the targets are the judged queries with a positive
/// rating, once each; with them this gave the figures of the prototype of completion on the half in `data/`.
pub fn measure(targets: &[String], complete: &mut dyn FnMut(&str) -> Vec<String>) -> Vec<CompletionScore> {
    LETTERS.iter().map(|letters| measure_at(*letters, targets, complete)).collect()
}

fn measure_at(
    letters: usize,
    targets: &[String],
    complete: &mut dyn FnMut(&str) -> Vec<String>,
) -> CompletionScore {
    let mut reciprocal_ranks = 0.0;
    let mut found = 0_u32;
    for target in targets {
        let prefix: String = target.chars().take(letters).collect();
        let wanted = fold_text(target);
        let place = complete(&prefix).iter().take(DEPTH).position(|text| fold_text(text) == wanted);
        if let Some(place) = place.and_then(|place| u32::try_from(place).ok()) {
            reciprocal_ranks += 1.0 / f64::from(place + 1);
            found += 1;
        }
    }
    let count = f64::from(u32::try_from(targets.len().max(1)).unwrap_or(u32::MAX));
    CompletionScore { letters, reciprocal_rank: reciprocal_ranks / count, found: f64::from(found) / count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_the_target_counts() {
        let targets = ["Laptop", "case", "fan"].map(str::to_owned);
        let mut asked = Vec::new();
        let measured = measure(&targets, &mut |prefix| {
            asked.push(prefix.to_owned());
            ["lamp", "laptop", "a", "b", "c", "case"].map(str::to_owned).to_vec()
        });
        assert_eq!(asked[..3], ["La", "ca", "fa"]);
        assert_eq!(measured.len(), LETTERS.len());
        assert!((measured[0].reciprocal_rank - 0.5 / 3.0).abs() < 1e-9, "the sixth place does not count");
        assert!((measured[0].found - 1.0 / 3.0).abs() < 1e-9);
    }
}
