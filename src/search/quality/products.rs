//! What each product lacks by itself.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::mark::{Marked, Place, Row};
use super::{CURRENCIES, Kind, TITLE_LETTERS};
use crate::search::document::{Document, Members, ObjectWriter, ShopTables, read_document};
use crate::search::engine::Snapshot;
use crate::search::offer::{Caller, Currency, Unseen, resolve, why_unseen};

/// What was found so far.
pub struct Found<'s> {
    snapshot: &'s Snapshot,
    /// Who has no account.
    caller: &'s Caller,
    /// Products by what is wrong with them.
    pub marked: Vec<(Kind, Marked)>,
    /// How many there are.
    pub products: usize,
}

impl<'s> Found<'s> {
    /// Nothing yet.
    pub fn new(snapshot: &'s Snapshot, rows: usize, caller: &'s Caller) -> Self {
        let prices = currencies(snapshot).into_iter().map(Kind::NoPrice);
        let kinds = [Kind::NoImage, Kind::NoBrand, Kind::NoCategory, Kind::LongTitle].into_iter();
        let segments = snapshot.segments().len();
        let marked = kinds.chain(prices).map(|kind| (kind, Marked::new(segments, rows))).collect();
        Self { snapshot, caller, marked, products: 0 }
    }

    /// Looks at each product that the shop does not leave out of search, and hands it on.
    pub fn each(&mut self, shop: &ShopTables, mut take: impl FnMut(Place, &Document)) {
        for (number, segment) in self.snapshot.segments().iter().enumerate() {
            for doc in (0..segment.max_doc()).filter(|doc| segment.is_alive(*doc)) {
                let is_hidden = why_unseen(segment.offer(doc), self.caller) == Some(Unseen::Hidden);
                if is_hidden {
                    continue;
                }
                let [card, rest] = segment.shown(doc);
                // What an answer shows was made from a row that was read.
                let Ok(document) = read_document(&as_row(&card, &rest), shop) else { continue };
                self.products += 1;
                self.look_at((number, doc), &document);
                take((number, doc), &document);
            }
        }
    }

    fn look_at(&mut self, place: Place, document: &Document) {
        let letters = document.title.chars().count();
        for (kind, marked) in &mut self.marked {
            let is_wrong = match kind {
                Kind::NoImage => !has_image(document),
                Kind::NoBrand => document.brand.is_empty(),
                Kind::NoCategory => document.category_names.is_empty(),
                Kind::NoPrice(currency) => {
                    let caller = Caller { currency: Some(*currency), ..self.caller.clone() };
                    let offer = self.snapshot.segments()[place.0].offer(place.1);
                    resolve(offer, &caller).price.is_none()
                }
                Kind::LongTitle => letters > TITLE_LETTERS,
                Kind::SharedTitle | Kind::LoneAttribute | Kind::MistypedWord => false,
            };
            if is_wrong {
                marked.mark(place);
                marked.name(place, &document.id, "", || Row {
                    letters: (*kind == Kind::LongTitle).then_some(letters),
                    ..Row::default()
                });
            }
        }
    }
}

/// The currencies that most products have first.
fn currencies(snapshot: &Snapshot) -> Vec<Currency> {
    let mut counts: BTreeMap<Currency, usize> = BTreeMap::new();
    for segment in snapshot.segments() {
        for doc in (0..segment.max_doc()).filter(|doc| segment.is_alive(*doc)) {
            let currency = segment.facts(doc).currency().filter(|currency| *currency != Currency::default());
            currency.into_iter().for_each(|currency| *counts.entry(currency).or_default() += 1);
        }
    }
    let mut currencies: Vec<_> = counts.into_iter().collect();
    currencies.sort_by_key(|(_, count)| Reverse(*count));
    currencies.into_iter().take(CURRENCIES).map(|(currency, _)| currency).collect()
}

/// Whether the card of a product has an image.
fn has_image(document: &Document) -> bool {
    let members: Result<Members<'_>, _> = serde_json::from_slice(&document.display.card);
    let empty = ["\"\"", "null"];
    members.is_ok_and(|Members(members)| {
        members.iter().any(|(name, value)| name == "Image" && !empty.contains(&value.get()))
    })
}

/// What an answer shows as the row from which it was made, without prices and switches.
fn as_row(card: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut writer = ObjectWriter::default();
    for part in [card, rest] {
        let Ok(Members(members)) = serde_json::from_slice::<Members<'_>>(part) else { continue };
        for (name, value) in &members {
            match &**name {
                "Brand" => {}
                "BrandId" => writer.raw("Brand", value.get()),
                name => writer.raw(name, value.get()),
            }
        }
    }
    writer.finish()
}
