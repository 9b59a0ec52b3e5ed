//! Rows of `Categories`.

use super::shape::Shape;
use crate::feeds::fields;

pub(super) static SHAPE: Shape = Shape::new(fields::CATEGORIES.fields);
