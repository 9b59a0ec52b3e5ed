//! Defects of single products.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::defect::{CURRENCIES, DefectKind, TITLE_LETTERS};
use super::mark::{DefectMark, DefectiveProduct, ProductAddress};
use crate::search::document::{Members, ObjectWriter, ProductDocument, ShopTables, read_document};
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::{BuyerContext, CallerTerms, Currency, HiddenReason};

/// Faults found so far.
pub struct DefectScan<'s> {
    snapshot: &'s IndexSnapshot,
    /// A caller without an account.
    caller: &'s BuyerContext,
    /// Products by kind of fault.
    pub marked: Vec<(DefectKind, DefectMark)>,
    /// Number of products examined.
    pub products: usize,
}

impl<'s> DefectScan<'s> {
    /// Nothing yet.
    pub fn new(snapshot: &'s IndexSnapshot, rows: usize, caller: &'s BuyerContext) -> Self {
        let prices = currencies(snapshot).into_iter().map(DefectKind::NoPrice);
        let kinds = [DefectKind::NoImage, DefectKind::NoBrand, DefectKind::NoCategory, DefectKind::LongTitle]
            .into_iter();
        let segments = snapshot.segments().len();
        let marked = kinds.chain(prices).map(|kind| (kind, DefectMark::new(segments, rows))).collect();
        Self { snapshot, caller, marked, products: 0 }
    }

    /// Reads each product that the shop does not exclude from search, and hands it on.
    pub fn for_each_product(
        &mut self,
        shop: &ShopTables,
        mut take: impl FnMut(ProductAddress, &ProductDocument),
    ) {
        for (number, segment) in self.snapshot.segments().iter().enumerate() {
            for doc in (0..segment.max_doc()).filter(|doc| segment.is_alive(*doc)) {
                let is_hidden = segment.why_unseen(doc, self.caller) == Some(HiddenReason::Hidden);
                if is_hidden {
                    continue;
                }
                let [card, rest] = segment.display_bytes(doc);
                // The answer's card was made from a row that was read.
                let Ok(document) = read_document(&as_row(&card, &rest), shop) else { continue };
                self.products += 1;
                self.look_at((number, doc), &document);
                take((number, doc), &document);
            }
        }
    }

    fn look_at(&mut self, place: ProductAddress, document: &ProductDocument) {
        let letters = document.title.chars().count();
        for (kind, marked) in &mut self.marked {
            let is_wrong = match kind {
                DefectKind::NoImage => !has_image(document),
                DefectKind::NoBrand => document.brand.is_empty(),
                DefectKind::NoCategory => document.category_names.is_empty(),
                DefectKind::NoPrice(currency) => {
                    let caller = BuyerContext { currency: Some(*currency), ..self.caller.clone() };
                    let segment = &self.snapshot.segments()[place.0];
                    let terms = CallerTerms::read(segment.offer(place.1), &caller);
                    !terms
                        .is_ok_and(|terms| segment.offers(place.1, &terms).any(|offer| offer.price.is_some()))
                }
                DefectKind::LongTitle => letters > TITLE_LETTERS,
                DefectKind::SharedTitle | DefectKind::LoneAttribute | DefectKind::MistypedWord => false,
            };
            if is_wrong {
                marked.mark(place);
                marked.name(place, &document.id, "", || DefectiveProduct {
                    letters: (*kind == DefectKind::LongTitle).then_some(letters),
                    ..DefectiveProduct::default()
                });
            }
        }
    }
}

/// The currencies that most products have first.
fn currencies(snapshot: &IndexSnapshot) -> Vec<Currency> {
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

/// Returns true if the card of a product has an image.
fn has_image(document: &ProductDocument) -> bool {
    let members: Result<Members<'_>, _> = serde_json::from_slice(&document.display.card);
    let empty = ["\"\"", "null"];
    members.is_ok_and(|Members(members)| {
        members.iter().any(|(name, value)| name == "Image" && !empty.contains(&value.get()))
    })
}

/// Row that an answer's content was made from, without prices and switches.
fn as_row(card: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut writer = ObjectWriter::default();
    for part in [card, rest] {
        let Ok(Members(members)) = serde_json::from_slice::<Members<'_>>(part) else { continue };
        for (name, value) in &members {
            match &**name {
                "Brand" => {}
                "BrandId" => writer.raw("Brand", value.get()),
                "Options" => writer.raw("Attributes", value.get()),
                name => writer.raw(name, value.get()),
            }
        }
    }
    writer.finish()
}
