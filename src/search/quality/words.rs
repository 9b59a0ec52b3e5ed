//! Misspelt words of product texts, by which no shopper finds the product.

use super::mark::{DefectMark, DefectiveProduct, ProductAddress};
use crate::search::engine::MistypedHit;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;

/// Marks the products with a typing error of a common word that they lack.
///
/// # Errors
/// If a file of the index cannot be read.
pub fn mark_mistyped(
    snapshot: &IndexSnapshot,
    rows: usize,
) -> Result<(DefectMark, Vec<MistypedHit>), IndexFault> {
    let mut marked = DefectMark::new(snapshot.segments().len(), rows);
    let mut all = Vec::new();
    let analyser = snapshot.knowledge().analyser();
    let mut words = snapshot.knowledge().corrector().find_mistyped();
    words.sort_unstable_by(|a, b| a.1.cmp(&b.1));
    // The products with a common word are many, and are read once for all words that may mean it.
    for of_one in words.chunk_by(|a, b| a.1 == b.1) {
        let meant_stem = analyser.stem(&of_one[0].1);
        let with_meant = snapshot.segments().iter().map(|segment| segment.with_word(&meant_stem));
        let with_meant = with_meant.collect::<Result<Vec<_>, _>>()?;
        for (word, meant) in of_one {
            // Other products may have another form of the word, or got it after words were counted.
            let Some(place) = only_one_with(snapshot, &analyser.stem(word))? else { continue };
            if with_meant[place.0].binary_search(&place.1).is_ok() {
                continue;
            }
            marked.mark(place);
            marked.name(place, snapshot.id_at(place), word, || DefectiveProduct {
                word: Some((word.clone(), meant.clone())),
                ..DefectiveProduct::default()
            });
            all.push((place, meant_stem.clone()));
        }
    }
    Ok((marked, all))
}

/// The product that has a stem, if no other has it.
fn only_one_with(snapshot: &IndexSnapshot, stem: &str) -> Result<Option<ProductAddress>, IndexFault> {
    let mut only = None;
    for (number, segment) in snapshot.segments().iter().enumerate() {
        for doc in segment.with_word(stem)? {
            if only.is_some() {
                return Ok(None);
            }
            only = Some((number, doc));
        }
    }
    Ok(only)
}
