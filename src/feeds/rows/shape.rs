//! The documented fields of a section's rows, and the object written from them.

use crate::feeds::fields::{self, FieldSpec};

/// Most fields of a section: their positions are bits of a word.
pub(super) const FIELDS_MAX: usize = 64;
/// Maximum length of a documented name.
const NAME_BYTES_MAX: usize = 32;

/// The documented fields of a section in the order of the normal form.
pub(super) struct RowShape {
    pub(super) fields: &'static [FieldSpec],
    /// For each length of a name, the positions of the fields with such a name as bits.
    by_length: [u64; NAME_BYTES_MAX],
}

/// The fields of `Products`.
pub(super) static PRODUCT_SHAPE: RowShape = RowShape::new(fields::PRODUCTS.fields);

impl RowShape {
    pub(super) const fn new(fields: &'static [FieldSpec]) -> Self {
        assert!(fields.len() <= FIELDS_MAX);
        let mut by_length = [0; NAME_BYTES_MAX];
        let mut position = 0;
        while position < fields.len() {
            by_length[fields[position].name.len()] |= 1 << position;
            let also = fields[position].also;
            let mut name = 0;
            while name < also.len() {
                by_length[also[name].len()] |= 1 << position;
                name += 1;
            }
            position += 1;
        }
        Self { fields, by_length }
    }

    /// Position of the field a sender means by a name, in any case.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let mut candidates = self.by_length.get(name.len()).copied()?;
        while candidates != 0 {
            let position = candidates.trailing_zeros() as usize;
            if self.fields[position].is_named(name) {
                return Some(position);
            }
            candidates &= candidates - 1;
        }
        None
    }

    /// The field a sender means by a name, in any case.
    pub(super) fn field(&self, name: &str) -> Option<&'static FieldSpec> {
        self.position(name).map(|position| &self.fields[position])
    }

    /// Lethe's spelling of a documented name.
    pub(super) fn core_name(&self, name: &str) -> Option<&'static str> {
        self.field(name).map(|field| field.name)
    }
}

/// Writes a documented name with its colon, and the comma before it if it is not the first.
pub(super) fn key(name: &str, out: &mut Vec<u8>) {
    write_key(out, |out| out.extend_from_slice(name.as_bytes()));
}

/// The same of any name, which `write_name` writes without quotes as it has to stand in JSON.
pub(super) fn write_key(out: &mut Vec<u8>, write_name: impl FnOnce(&mut Vec<u8>)) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.push(b'"');
    write_name(out);
    out.extend_from_slice(b"\":");
}

/// Writes a member that is an object, unless it is empty.
pub(super) fn write_members<'m>(
    name: &str,
    members: impl Iterator<Item = (&'m str, &'m str)>,
    out: &mut Vec<u8>,
) {
    let mut members = members.peekable();
    if members.peek().is_none() {
        return;
    }
    key(name, out);
    out.push(b'{');
    for (name, value) in members {
        key(name, out);
        out.extend_from_slice(value.as_bytes());
    }
    out.push(b'}');
}
