//! The variants of a product as queries read them: which has which values, prices and stock, in place and without
//! texts.
//!
//! Little-endian: the number of variants (2 bytes), flags (1), the currency in which all have a price for everybody
//! (3), a bit for each that is in stock; the axes, which are the attributes in which variants have values of their own;
//! the terms of the offers; the words that only some of them have. A value stands as its place among the values that
//! the product has in the attribute's column, so that no text is stored twice and merges of segments change nothing.

use xxhash_rust::xxh3::xxh3_64;

use crate::search::pricing::Currency;

/// Flag: some variants have terms of their own.
pub(super) const OWN_TERMS: u8 = 1;
/// Flag: everybody who wants prices in the currency of the table or in none sees all variants.
pub(super) const VISIBLE_TO_ALL: u8 = 2;
/// Bytes before the stock.
const HEAD_BYTES: usize = 6;

/// Form in which an axis holds the values of variants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AxisForm {
    /// A byte each: 0 for none, else the place of the value and 1.
    Bytes = 0,
    /// The same in two bytes each.
    Words = 1,
    /// For each variant where its places end among those of all, then the places: two bytes for each number.
    Lists = 2,
    /// The same with four bytes for each number.
    WideLists = 3,
}

/// Key of a word by which a variant is chosen.
#[must_use]
pub fn variant_word_key(term: &str) -> u32 {
    // The lower half of a good hash is a good hash.
    xxh3_64(term.as_bytes()) as u32
}

/// The variants of a product in the bytes of the index. Torn bytes have no variants.
#[derive(Clone, Copy)]
pub struct VariantTable<'t> {
    count: usize,
    flags: u8,
    currency: Currency,
    stock: &'t [u8],
    axes: u8,
    /// The axes and all that follows.
    rest: &'t [u8],
}

impl<'t> VariantTable<'t> {
    /// Reads the table of a product; `None` if it has no variants.
    #[must_use]
    pub fn read(bytes: &'t [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>()?;
        let [low, high, flags, currency @ ..] = *head;
        let count = usize::from(u16::from_le_bytes([low, high]));
        let (stock, rest) = rest.split_at_checked(count.div_ceil(8))?;
        let (axes, rest) = rest.split_first()?;
        Some(Self { count, flags, currency, stock, axes: *axes, rest })
    }

    /// Number of variants.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Number of attributes in which variants have values of their own.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.axes.into()
    }

    /// True if some variants have terms of their own.
    #[must_use]
    pub const fn has_own_terms(&self) -> bool {
        self.flags & OWN_TERMS != 0
    }

    /// Returns true if every caller who wants prices in this currency, or in none, sees all variants at any time.
    #[must_use]
    pub fn is_visible_to_all(&self, currency: Option<Currency>) -> bool {
        self.flags & VISIBLE_TO_ALL != 0 && currency.is_none_or(|currency| currency == self.currency)
    }

    /// Returns true if a variant can be bought now.
    #[must_use]
    #[inline]
    pub fn is_in_stock(&self, variant: usize) -> bool {
        self.stock.get(variant / 8).is_some_and(|bits| bits >> (variant % 8) & 1 == 1)
    }

    /// The axis of an attribute, by the number of its column; `None` where no variant has a value of its own.
    #[must_use]
    pub fn axis(&self, column: u8) -> Option<VariantAxis<'t>> {
        let mut rest = self.rest;
        for _ in 0..self.axes {
            let (number, axis, after) = self.split_axis(rest)?;
            if number == column {
                return Some(axis);
            }
            rest = after;
        }
        None
    }

    fn split_axis(&self, rest: &'t [u8]) -> Option<(u8, VariantAxis<'t>, &'t [u8])> {
        let ([number, form], rest) = rest.split_first_chunk::<2>()?;
        match *form {
            0 => {
                let (places, rest) = rest.split_at_checked(self.count)?;
                Some((*number, VariantAxis::Bytes(places), rest))
            }
            1 => {
                let (places, rest) = rest.split_at_checked(self.count * 2)?;
                Some((*number, VariantAxis::Words(places), rest))
            }
            2 => {
                let (lists, rest) = PlaceLists::split(rest, self.count, 2)?;
                Some((*number, VariantAxis::Lists(lists), rest))
            }
            _ => {
                let (lists, rest) = PlaceLists::split(rest, self.count, 4)?;
                Some((*number, VariantAxis::Lists(lists), rest))
            }
        }
    }

    /// The bytes after the axes.
    fn after_axes(&self) -> Option<&'t [u8]> {
        let mut rest = self.rest;
        for _ in 0..self.axes {
            (_, _, rest) = self.split_axis(rest)?;
        }
        Some(rest)
    }

    /// The terms of the variants' offers.
    #[must_use]
    pub fn terms(&self) -> VariantOffers<'t> {
        let read = || self.split_terms(self.after_axes()?).map(|(offers, _)| offers);
        read().unwrap_or_default()
    }

    fn split_terms(&self, rest: &'t [u8]) -> Option<(VariantOffers<'t>, &'t [u8])> {
        if !self.has_own_terms() {
            return Some((VariantOffers::default(), rest));
        }
        let (different, rest) = rest.split_first_chunk::<2>()?;
        let different = usize::from(u16::from_le_bytes(*different));
        let (numbers, rest) = rest.split_at_checked(self.count * 2)?;
        let (ends, rest) = rest.split_at_checked(different * 4)?;
        let length = ends.last_chunk::<4>().map_or(0, |end| u32::from_le_bytes(*end) as usize);
        let (terms, rest) = rest.split_at_checked(length)?;
        Some((VariantOffers { numbers, ends, terms }, rest))
    }

    /// Calls `visit` with each variant and the keys of the words that not all variants have.
    pub fn for_each_variant_words(&self, mut visit: impl FnMut(usize, &mut dyn Iterator<Item = u32>)) {
        let after_terms = || self.split_terms(self.after_axes()?).map(|(_, rest)| rest);
        let Some(mut rest) = after_terms() else { return };
        for variant in 0..self.count {
            let Some((count, after)) = rest.split_first() else { return };
            let Some((keys, after)) = after.split_at_checked(usize::from(*count) * 4) else { return };
            let (keys, _) = keys.as_chunks::<4>();
            visit(variant, &mut keys.iter().map(|key| u32::from_le_bytes(*key)));
            rest = after;
        }
    }
}

/// The values of all variants on one axis, as places among the values that the product has in the column.
#[derive(Clone, Copy)]
pub enum VariantAxis<'t> {
    /// A byte for each variant.
    Bytes(&'t [u8]),
    /// Two bytes for each.
    Words(&'t [u8]),
    /// Several values for some.
    Lists(PlaceLists<'t>),
}

/// Places of the values of each variant, where some have several.
#[derive(Clone, Copy)]
pub struct PlaceLists<'t> {
    /// Bytes of a number.
    width: usize,
    ends: &'t [u8],
    places: &'t [u8],
}

impl<'t> PlaceLists<'t> {
    /// Reads the lists of all variants, and returns the bytes after them.
    fn split(bytes: &'t [u8], variants: usize, width: usize) -> Option<(Self, &'t [u8])> {
        let (ends, rest) = bytes.split_at_checked(variants * width)?;
        let lists = Self { width, ends, places: &[] };
        let total = lists.end_before(variants);
        let (places, rest) = rest.split_at_checked(total.checked_mul(width)?)?;
        Some((Self { places, ..lists }, rest))
    }

    /// Number of places of all variants before this one.
    fn end_before(&self, variant: usize) -> usize {
        let last = variant.checked_sub(1).and_then(|last| self.ends.get(last * self.width..));
        last.map_or(0, |bytes| self.read_number(bytes))
    }

    fn read_number(&self, bytes: &[u8]) -> usize {
        let bytes = bytes.iter().take(self.width).rev();
        bytes.fold(0, |number, byte| (number << 8) | usize::from(*byte))
    }

    /// The places of a variant's values; none of torn bytes.
    fn of_variant(&self, variant: usize) -> impl Iterator<Item = usize> + use<'t> {
        let lists = *self;
        let start = lists.end_before(variant) * lists.width;
        let end = lists.end_before(variant + 1) * lists.width;
        let places = lists.places.get(start..end).unwrap_or_default();
        places.chunks_exact(lists.width).map(move |place| lists.read_number(place))
    }

    fn variants(&self) -> usize {
        self.ends.len() / self.width
    }
}

impl VariantAxis<'_> {
    /// Calls `visit` with each variant and the place of each of its values.
    #[inline]
    pub fn each_place(&self, mut visit: impl FnMut(usize, usize)) {
        match self {
            Self::Bytes(places) => {
                for (variant, place) in places.iter().enumerate().filter(|(_, place)| **place > 0) {
                    visit(variant, usize::from(*place) - 1);
                }
            }
            Self::Words(places) => {
                for (variant, place) in places.as_chunks::<2>().0.iter().enumerate() {
                    let place = usize::from(u16::from_le_bytes(*place));
                    if place > 0 {
                        visit(variant, place - 1);
                    }
                }
            }
            Self::Lists(lists) => {
                for variant in 0..lists.variants() {
                    lists.of_variant(variant).for_each(|place| visit(variant, place));
                }
            }
        }
    }

    /// Calls `visit` with the place of each value of these variants.
    pub fn each_place_of(&self, variants: impl Iterator<Item = usize>, mut visit: impl FnMut(usize)) {
        let place_of = |variant: usize| match self {
            Self::Bytes(places) => places.get(variant).map(|place| usize::from(*place)),
            Self::Words(places) => {
                let place = places.get(variant * 2..).and_then(<[u8]>::first_chunk);
                place.map(|place| usize::from(u16::from_le_bytes(*place)))
            }
            Self::Lists(_) => None,
        };
        if let Self::Lists(lists) = self {
            variants.flat_map(|variant| lists.of_variant(variant)).for_each(visit);
            return;
        }
        variants.filter_map(place_of).filter(|place| *place > 0).for_each(|place| visit(place - 1));
    }
}

/// The terms of the variants' offers.
#[derive(Clone, Copy, Default)]
pub struct VariantOffers<'t> {
    numbers: &'t [u8],
    ends: &'t [u8],
    terms: &'t [u8],
}

impl<'t> VariantOffers<'t> {
    /// The number of a variant's terms among the different ones of its product; 0 where all are the product's.
    #[must_use]
    #[inline]
    pub fn number(&self, variant: usize) -> usize {
        let number = self.numbers.get(variant * 2..).and_then(<[u8]>::first_chunk);
        number.map_or(0, |number| usize::from(u16::from_le_bytes(*number)))
    }

    /// Number of different terms.
    #[must_use]
    pub const fn different(&self) -> usize {
        self.ends.len() / 4
    }

    /// The terms of this number, for [`crate::search::pricing::CallerTerms::variant_offer`].
    #[must_use]
    pub fn terms(&self, number: usize) -> &'t [u8] {
        let end = |number: usize| {
            let bytes = self.ends.get(number * 4..).and_then(<[u8]>::first_chunk);
            bytes.map_or(0, |end| u32::from_le_bytes(*end) as usize)
        };
        let start = if number == 0 { 0 } else { end(number - 1) };
        self.terms.get(start..end(number)).unwrap_or_default()
    }
}
