//! Rows of `Brands`.

use super::shape::RowShape;
use crate::feeds::fields;

pub(super) static SHAPE: RowShape = RowShape::new(fields::BRANDS.fields);
