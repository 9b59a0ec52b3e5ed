//! Words that nobody can find a product by: typing errors of its texts.

use super::mark::{Marked, Place, Row};
use super::titles::snapshot_row;
use crate::search::engine::Snapshot;
use crate::search::index::IndexFault;

/// A product with a mistyped word, and the stem of the word that may be meant.
pub type Mistyped = (Place, String);

/// Marks the products with a word that is a typing error of a common one which they lack.
///
/// # Errors
/// If a file of the index cannot be read.
pub fn mistyped(snapshot: &Snapshot, rows: usize) -> Result<(Marked, Vec<Mistyped>), IndexFault> {
    let mut marked = Marked::new(snapshot.segments().len(), rows);
    let mut all = Vec::new();
    let analyser = snapshot.knowledge().analyser();
    for (word, meant) in snapshot.knowledge().corrector().mistyped() {
        let meant_stem = analyser.stem(&meant);
        for (number, segment) in snapshot.segments().iter().enumerate() {
            let with_meant = segment.with_word(&meant_stem)?;
            for doc in segment.with_word(&analyser.stem(&word))? {
                // red: search::quality::tests::a_mistyped_word_hides_a_product_that_lacks_the_right_one
                if mutant!(
                    "the-right-word-beside-does-not-count",
                    with_meant.binary_search(&doc).is_ok(),
                    false
                ) {
                    continue;
                }
                let place = (number, doc);
                marked.mark(place);
                marked.name(snapshot.id_at(place), &word, || Row {
                    word: Some((word.clone(), meant.clone())),
                    ..snapshot_row(snapshot, place)
                });
                all.push((place, meant_stem.clone()));
            }
        }
    }
    Ok((marked, all))
}
