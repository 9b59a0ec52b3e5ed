//! Variants of a product. One that cannot be used is an issue of its row and left out; the row and the other variants
//! stay.

use std::borrow::Cow;
use std::collections::HashSet;

use super::context::{NormaliserContext, RowFault, RowWarnings};
use super::options::{is_blank, value_bytes};
use super::shape::{PRODUCT_SHAPE, RowShape};
use super::sorted_row::{SortedRow, sort_members};
use super::{coerce, price_lists};
use crate::addresses;
use crate::feeds::fields::misnamed::FieldTable;
use crate::feeds::fields::{self, VARIANTS_FIELD};
use crate::feeds::issue::{Issue, IssueCode, shorten_name};
use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::json::{JsonMember, keep_each_once};
use crate::ids::gtin::{GtinFault, parse_gtin};
use crate::limits;

/// Letters of a currency's code.
const CURRENCY_LETTERS: usize = 3;

pub(super) static SHAPE: RowShape = RowShape::new(fields::VARIANT);

/// The variants of a product.
#[derive(Default)]
pub(super) struct Variants {
    /// Used variants, as a list in normal form; `None` when there are none.
    pub(super) json: Option<String>,
    /// Their ids and SKUs, in order.
    pub(super) keys: Vec<VariantKeys>,
    /// Their own prices, in canonical form.
    pub(super) prices: Vec<u8>,
}

/// Keys of a variant.
pub(super) struct VariantKeys {
    pub(super) id: String,
    pub(super) sku: Option<String>,
}

impl Variants {
    /// Reads the variants of the product with this id and SKU.
    pub(super) fn from_product(
        product: &SortedRow<'_>,
        id: &str,
        sku: Option<&str>,
        context: &NormaliserContext<'_>,
        notes: &mut RowWarnings<'_, '_>,
    ) -> Self {
        let Some(value) = product.value(VARIANTS_FIELD).filter(|value| !is_blank_or_empty(*value)) else {
            return Self::default();
        };
        match value.json_type() {
            JsonType::List => {}
            // Encoders of some languages write a filtered list as an object by position.
            JsonType::Object if value.elements().all(JsonValue::is_object) => {
                notes.warn(IssueCode::VariantsNotList, VARIANTS_FIELD);
            }
            _ => {
                notes.warn(IssueCode::VariantMalformed, VARIANTS_FIELD);
                return Self::default();
            }
        }
        let mut list = VariantList { product: [Some(id), sku], ..VariantList::default() };
        for (position, element) in value.elements().enumerate() {
            if is_blank_or_empty(element) {
                continue;
            }
            if list.keys.len() == limits::VARIANTS {
                notes.warn(IssueCode::VariantsTooMany, VARIANTS_FIELD);
                break;
            }
            list.push(position, element, context, notes);
        }
        if list.has_mixed_currencies(product.value("Prices"), context, notes) {
            notes.warn(IssueCode::VariantCurrenciesDiffer, VARIANTS_FIELD);
        }
        list.finish()
    }
}

/// Returns true for a value that stands for nothing, and for an object without members.
fn is_blank_or_empty(value: JsonValue<'_>) -> bool {
    is_blank(value) || (value.is_object() && value.elements().next().is_none())
}

/// Variants that were read so far.
#[derive(Default)]
struct VariantList<'a> {
    /// Id and SKU of the product.
    product: [Option<&'a str>; 2],
    json: Vec<u8>,
    keys: Vec<VariantKeys>,
    prices: Vec<u8>,
    ids: HashSet<String>,
    skus: HashSet<String>,
    /// Sets of currencies in which variants have prices of their own.
    currencies: HashSet<CurrencySet>,
    /// A variant leaves its prices to the product.
    any_without_prices: bool,
    /// Kinds of issues that were reported: each stands in an issue once, with the first variant that has it.
    reported: HashSet<(IssueCode, String)>,
}

/// Codes of currencies in their order, each once.
type CurrencySet = Vec<[u8; CURRENCY_LETTERS]>;

impl VariantList<'_> {
    /// Reads one element of the list.
    fn push(
        &mut self,
        position: usize,
        element: JsonValue<'_>,
        context: &NormaliserContext<'_>,
        notes: &mut RowWarnings<'_, '_>,
    ) {
        let reported = notes.issues.len();
        let written = self.json.len();
        self.json.push(if written == 0 { b'[' } else { b',' });
        match self.read(element, context, notes) {
            Ok(()) => self.collect_prices(written + 1),
            Err(RowFault { code, field }) => {
                self.json.truncate(written);
                // Possible reasons why it is left out.
                let mut warnings = notes.issues.split_off(reported);
                warnings.retain(|issue| issue.code == IssueCode::FieldMisnamed);
                notes.issues.append(&mut warnings);
                notes.issues.push(Issue::new(notes.row, left_out_code(code), field));
            }
        }
        self.place_issues(position, notes.issues.split_off(reported), notes);
    }

    fn read(
        &mut self,
        element: JsonValue<'_>,
        context: &NormaliserContext<'_>,
        notes: &mut RowWarnings<'_, '_>,
    ) -> Result<(), RowFault> {
        let variant = SortedVariant::read(element, context, notes)?;
        let sku = variant.sku()?;
        let own_id = variant.members().id("Id", limits::ITEM_ID_BYTES)?;
        let has_own_id = own_id.is_some();
        let id = own_id.or_else(|| sku.clone());
        let id = id.ok_or(RowFault::field(IssueCode::IdMissing, "Id"))?.into_owned();
        // Variations without a SKU are sent with that of their product: it is no SKU of theirs.
        let mut sku =
            sku.filter(|sku| id == **sku || !self.product.contains(&Some(&**sku))).map(String::from);
        if self.ids.contains(&id) {
            return Err(RowFault::field(IssueCode::VariantRepeated, "Id"));
        }
        if sku.as_ref().is_some_and(|sku| self.skus.contains(sku)) {
            if !has_own_id {
                return Err(RowFault::field(IssueCode::VariantRepeated, "Sku"));
            }
            // Some systems allow it: the variant is known by its id, and the first keeps the SKU.
            notes.warn(IssueCode::VariantRepeated, "Sku");
            sku = None;
        }
        variant.write(Some(&id), sku.as_deref(), context, notes, &mut self.json)?;
        self.ids.insert(id.clone());
        self.skus.extend(sku.clone());
        self.keys.push(VariantKeys { id, sku });
        Ok(())
    }

    /// Takes the prices of the variant that is written from `start` on.
    fn collect_prices(&mut self, start: usize) {
        let Ok(variant) = std::str::from_utf8(&self.json[start..]) else { return };
        let mut members = JsonValue::from_trusted(variant).entries();
        let Some((_, prices)) = members.find(|(name, _)| *name == "Prices") else {
            self.any_without_prices = true;
            return;
        };
        let currencies = currencies_of(prices);
        if !currencies.is_empty() {
            self.currencies.insert(currencies);
            self.prices.extend_from_slice(prices.as_sent().as_bytes());
        }
    }

    /// Moves the issues of the variant at a position to the row's, each with its place.
    fn place_issues(&mut self, position: usize, issues: Vec<Issue>, notes: &mut RowWarnings<'_, '_>) {
        for mut issue in issues {
            let field = issue.field.take().unwrap_or_default();
            let dot = if field.is_empty() { "" } else { "." };
            let placed = shorten_name(format!("{VARIANTS_FIELD}[{position}]{dot}{field}"));
            if self.reported.insert((issue.code, field.into_owned())) {
                notes.issues.push(Issue { field: Some(placed), ..issue });
            }
        }
    }

    /// Returns true if variants are sold in different currencies. Those without prices have the product's.
    fn has_mixed_currencies(
        &self,
        prices: Option<JsonValue<'_>>,
        context: &NormaliserContext<'_>,
        notes: &RowWarnings<'_, '_>,
    ) -> bool {
        if self.currencies.len() != 1 {
            return self.currencies.len() > 1;
        }
        let prices = prices.filter(|_| self.any_without_prices);
        let of_product = prices.map(|prices| product_currencies(prices, context, notes));
        of_product.is_some_and(|currencies| !currencies.is_empty() && !self.currencies.contains(&currencies))
    }

    fn finish(mut self) -> Variants {
        if self.keys.is_empty() {
            return Variants::default();
        }
        self.json.push(b']');
        let json = String::from_utf8(self.json).ok();
        Variants { json, keys: self.keys, prices: self.prices }
    }
}

/// Code of a variant that is left out for this reason.
fn left_out_code(code: IssueCode) -> IssueCode {
    if code == IssueCode::VariantRepeated { code } else { IssueCode::VariantMalformed }
}

/// Currencies of canonical prices.
fn currencies_of(prices: JsonValue<'_>) -> CurrencySet {
    let codes = prices.elements().filter_map(JsonValue::inner);
    let mut codes: CurrencySet =
        codes.filter_map(|price| price.as_bytes().last_chunk::<CURRENCY_LETTERS>().copied()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Currencies of a product's own prices as they were sent. Their issues are reported when they are written.
fn product_currencies(
    prices: JsonValue<'_>,
    context: &NormaliserContext<'_>,
    notes: &RowWarnings<'_, '_>,
) -> CurrencySet {
    let mut unseen = Vec::new();
    let mut written = Vec::new();
    let mut notes = RowWarnings { row: notes.row, issues: &mut unseen };
    match price_lists::prices("Prices", prices, context, &mut notes, &mut written) {
        Ok(true) => currencies_of(JsonValue::from_trusted(&String::from_utf8_lossy(&written))),
        _ => CurrencySet::new(),
    }
}

/// A variant as it was sent.
pub(super) struct SortedVariant<'a> {
    sorted: SortedRow<'a>,
}

impl<'a> SortedVariant<'a> {
    /// Sorts the members of a variant. Attributes that are too long or too many are left out and reported. Errors: it
    /// is no object, a field stands in it twice, or it names accounts where they would be kept as sent.
    fn read(
        element: JsonValue<'a>,
        context: &NormaliserContext<'_>,
        notes: &mut RowWarnings<'_, '_>,
    ) -> Result<Self, RowFault> {
        if !element.is_object() {
            return Err(RowFault::from_code(IssueCode::VariantMalformed));
        }
        let mut members: Vec<_> = element.entries().map(JsonMember::from_entry).collect();
        keep_each_once(&mut members, 0).map_err(|_| RowFault::from_code(IssueCode::DuplicateKey))?;
        Self::from_sorted(sort_members(&SHAPE, members, FieldTable::Variants, context, notes)?, notes)
    }

    /// The same of sorted members.
    pub(super) fn from_sorted(
        mut sorted: SortedRow<'a>,
        notes: &mut RowWarnings<'_, '_>,
    ) -> Result<Self, RowFault> {
        let names_accounts = |member: &&JsonMember<'_>| {
            PRODUCT_SHAPE.field(&member.name()).is_some_and(|field| field.kind.names_accounts())
        };
        if let Some(member) = sorted.attributes().iter().find(names_accounts) {
            let field = PRODUCT_SHAPE.core_name(&member.name()).map(Cow::Borrowed);
            return Err(RowFault { code: IssueCode::FieldWrongType, field });
        }
        sorted.keep_empty_prices();
        sorted.retain_attributes(|attribute| {
            let is_kept = value_bytes(attribute.value) <= limits::VARIANT_VALUE_BYTES;
            if !is_kept {
                notes.warn_named(IssueCode::VariantValueTooLong, attribute.name().into_owned());
            }
            is_kept
        });
        if sorted.attributes().len() > limits::VARIANT_ATTRIBUTES {
            let mut room = 0..limits::VARIANT_ATTRIBUTES;
            sorted.retain_attributes(|_| room.next().is_some());
            notes.warn(IssueCode::VariantAttributesTooMany, "Attributes");
        }
        Ok(Self { sorted })
    }

    /// The members as they were sent.
    pub(super) fn members(&self) -> &SortedRow<'a> {
        &self.sorted
    }

    pub(super) fn sku(&self) -> Result<Option<Cow<'a, str>>, RowFault> {
        self.sorted.id("Sku", limits::ITEM_ID_BYTES)
    }

    /// Appends the normal form. Errors: a field that cannot be coerced.
    pub(super) fn write(
        &self,
        id: Option<&str>,
        sku: Option<&str>,
        context: &NormaliserContext<'_>,
        notes: &mut RowWarnings<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), RowFault> {
        let gtin = self.gtin(notes)?;
        self.sorted.write_text(&[("Id", id), ("Sku", sku), ("Gtin", gtin.as_deref())], context, notes, out)
    }

    /// The identifier below its barcode as it was sent, with a warning if it is malformed. One that holds an email
    /// address is left out.
    fn gtin(&self, notes: &mut RowWarnings<'_, '_>) -> Result<Option<String>, RowFault> {
        const FIELD: &str = "Gtin";
        let Some(value) = self.sorted.value(FIELD) else { return Ok(None) };
        let gtin = coerce::id(value)
            .map_err(|coerce::WrongType| RowFault::field(IssueCode::FieldWrongType, FIELD))?;
        let Some(gtin) = gtin else { return Ok(None) };
        if gtin.len() > limits::VARIANT_VALUE_BYTES {
            notes.warn(IssueCode::VariantValueTooLong, FIELD);
            return Ok(None);
        }
        if let Err(fault) = parse_gtin(&gtin) {
            if addresses::holds_address(&gtin) {
                notes.warn(IssueCode::EmailInText, FIELD);
                return Ok(None);
            }
            let meant = if let GtinFault::CheckDigit { right } = fault { Some(right) } else { None };
            let issue = Issue::new(notes.row, IssueCode::GtinMalformed, Some(FIELD.into()));
            notes.issues.push(Issue { meant, ..issue });
        }
        Ok(Some(gtin.into_owned()))
    }
}
