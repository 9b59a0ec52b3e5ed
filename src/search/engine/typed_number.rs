//! Numbers as they are typed, and the variant that has one.

use std::borrow::Cow;

use crate::ids::gtin::parse_gtin;
use crate::search::index::{VariantDisplayTable, VariantIdentifiers, without_leading_zeros};
use crate::search::text::fold_identifier;

/// The writings under which the index may hold a typed id or number, the likeliest first: folded, without leading
/// zeros, and the canonical digits of a barcode, of which ten digits may have two.
pub(super) fn list_writings(typed: &str) -> Vec<Vec<String>> {
    let name = fold_identifier(typed);
    let trimmed = without_leading_zeros(&name).map(|name| vec![name.to_owned()]);
    let barcodes = parse_gtin(typed).ok();
    std::iter::once(vec![name]).chain(trimmed).chain(barcodes).collect()
}

/// The index of the variant with this id or number, in any usual writing. `name` is folded.
pub(super) fn find_number(variants: &VariantDisplayTable<'_>, name: &str) -> Option<usize> {
    scan_numbers(variants, name).0
}

/// The same, else the only variant with a number that begins with `name`.
pub(super) fn find_number_or_beginning(variants: &VariantDisplayTable<'_>, name: &str) -> Option<usize> {
    let (exact, begun) = scan_numbers(variants, name);
    let has_digit = name.bytes().any(|byte| byte.is_ascii_digit());
    let is_one = has_digit && begun.len() == 1;
    exact.or_else(|| begun.first().copied().filter(|_| is_one))
}

/// The first variant with a number, and the first two variants with a number that begins with it.
fn scan_numbers(variants: &VariantDisplayTable<'_>, name: &str) -> (Option<usize>, Vec<usize>) {
    let mut begun = Vec::new();
    if name.is_empty() {
        return (None, begun);
    }
    let wanted = canonical_forms(name);
    for (variant, numbers) in variants.numbers().enumerate() {
        let VariantIdentifiers { id, sku, gtin } = &numbers;
        let numbers = [sku, id, gtin].map(|text| fold_identifier(text));
        let mut forms = numbers.iter().flat_map(|number| canonical_forms(number));
        if forms.any(|form| wanted.contains(&form)) {
            return (Some(variant), begun);
        }
        if begun.len() < 2 && numbers.iter().any(|number| number.starts_with(name)) {
            begun.push(variant);
        }
    }
    (None, begun)
}

/// The forms of an identifier that all its usual writings share: a barcode in its canonical digits, of which ten digits
/// may have two; any other without leading zeros.
fn canonical_forms(name: &str) -> Vec<Cow<'_, str>> {
    match parse_gtin(name) {
        Ok(barcodes) => barcodes.into_iter().map(Cow::Owned).collect(),
        Err(_) => vec![Cow::Borrowed(without_leading_zeros(name).unwrap_or(name))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variants as the index has them.
    fn encode(variants: &[&str]) -> Vec<u8> {
        let mut bytes = (variants.len() as u32).to_le_bytes().to_vec();
        let mut end = 0;
        for json in variants {
            end += json.len();
            bytes.extend_from_slice(&(end as u32).to_le_bytes());
        }
        variants.iter().for_each(|json| bytes.extend_from_slice(json.as_bytes()));
        bytes
    }

    #[test]
    fn a_number_is_found_in_any_usual_writing_and_by_a_beginning_that_one_variant_has() {
        let bytes = encode(&[
            r#"{"Id":"v-10","Sku":"SH-1001","Gtin":"4006381333931"}"#,
            r#"{"Id":"v-1","Sku":"0077"}"#,
            r#"{"Id":"SH-1","Title":"SH-2000"}"#,
        ]);
        let variants = VariantDisplayTable::read(&bytes);
        for (name, exact, begun) in [
            ("sh1001", Some(0), Some(0)),
            ("04006381333931", Some(0), Some(0)),
            ("77", Some(1), Some(1)),
            ("v1", Some(1), Some(1)),
            ("sh1", Some(2), Some(2)),
            ("sh10", None, Some(0)),
            ("40063", None, Some(0)),
            ("sh", None, None),
            ("v", None, None),
            ("sh2000", None, None),
            ("", None, None),
        ] {
            let found = (find_number(&variants, name), find_number_or_beginning(&variants, name));
            assert_eq!(found, (exact, begun), "{name}");
        }
    }

    #[test]
    fn numbers_are_read_without_the_members_after_them() {
        let read = |json: &str| {
            let VariantIdentifiers { id, sku, gtin } = VariantIdentifiers::read(json.as_bytes());
            [id, sku, gtin]
        };
        assert_eq!(read(r#"{"Id":"a\"b","Sku":"c","Gtin":"1","Options":{"Size"#), ["a\"b", "c", "1"]);
        assert_eq!(read(r#"{"Id":"é","Gtin":"1"}"#), ["é", "", "1"]);
        assert_eq!(read(r#"{"Id":"a","Title":"t","Sku":"never"}"#), ["a", "", ""]);
        for torn in ["", "{", r#"{"Id":"a"#, r#"{"Id":1}"#] {
            assert_eq!(read(torn), ["", "", ""], "{torn}");
        }
    }
}
