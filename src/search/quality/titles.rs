//! Titles that several products have.

use xxhash_rust::xxh3::xxh3_64;

use super::mark::{DefectMark, DefectiveProduct, ProductAddress};
use crate::search::document::ProductDocument;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::text::fold_text;

/// Number of the others with a title that are named.
const OTHERS: usize = 10;

/// The titles of all products, by their hashes: accents, case and punctuation aside.
#[derive(Default)]
pub struct SharedTitles(Vec<(u64, u32, ProductAddress)>);

impl SharedTitles {
    /// Records the title of a product.
    pub fn add(&mut self, place: ProductAddress, document: &ProductDocument) {
        let title = fold_text(&document.title);
        if !title.is_empty() {
            self.0.push((xxh3_64(title.as_bytes()), title.len() as u32, place));
        }
    }

    /// Marks the products that share their title; a row names the first with a title, and some others.
    pub fn finish(mut self, snapshot: &IndexSnapshot, rows: usize) -> DefectMark {
        self.0.sort_unstable();
        let mut marked = DefectMark::new(snapshot.segments().len(), rows);
        for same in self.0.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(|same| same.len() > 1) {
            same.iter().for_each(|(.., place)| marked.mark(*place));
            let mut places: Vec<_> =
                same.iter().map(|(.., place)| (snapshot.id_at(*place), *place)).collect();
            places.sort_unstable();
            let (id, place) = places[0];
            let others = places[1..].iter().take(OTHERS).map(|(id, _)| (*id).to_owned()).collect();
            marked.name(place, id, "", || DefectiveProduct { others, ..DefectiveProduct::default() });
        }
        marked
    }
}
