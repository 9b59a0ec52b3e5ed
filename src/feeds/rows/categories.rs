//! Rows of `Categories`.

use super::shape::{Field, Kind, Shape, field, wanted};
use super::{Context, ItemKey, reading};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::reader::RawRow;

const FIELDS: &[Field] = &[
    field("Id", Kind::Id),
    wanted("DisplayName", Kind::Text, IssueCode::TitleMissing),
    field("Image", Kind::Text),
    wanted("Link", Kind::Text, IssueCode::LinkMissing),
    field("Description", Kind::Text),
    field("ParentIds", Kind::List),
    field("ExcludeFromRecommenders", Kind::Flag),
    field("IsActive", Kind::Flag),
    field("OverrideImage", Kind::Text),
    field("Breadcrumb", Kind::Text),
    field("_index", Kind::Ignored),
    field("Attributes", Kind::Attributes),
];

static SHAPE: Shape = Shape::new(FIELDS);

/// Appends the normal form of a category to `out`. `None`: a bad row, with exactly one bad issue and
/// nothing appended.
pub fn normalise_category(
    row: &RawRow<'_>,
    context: &Context<'_>,
    out: &mut Vec<u8>,
    issues: &mut Vec<Issue>,
) -> Option<ItemKey> {
    reading(row, out, issues, |out, notes| SHAPE.write_item(row, context, out, notes))
}
