//! Rows of `Brands`.

use super::shape::{Field, Kind, Shape, field, wanted};
use crate::feeds::issue::IssueCode;

const FIELDS: &[Field] = &[
    field("Id", Kind::Id),
    wanted("DisplayName", Kind::Text, IssueCode::TitleMissing),
    field("Image", Kind::Text),
    wanted("Link", Kind::Text, IssueCode::LinkMissing),
    field("Description", Kind::Text),
    field("ExcludeFromRecommenders", Kind::Flag),
    field("IsActive", Kind::Flag),
    field("OverrideImage", Kind::Text),
    field("_index", Kind::Ignored),
    field("Attributes", Kind::Attributes),
];

pub(super) static SHAPE: Shape = Shape::new(FIELDS);
