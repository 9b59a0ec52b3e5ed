//! Rows of `SetCategoryOnProducts` and `RemoveCategoryFromProducts`.
//!
//! Their shape is on no public page, so both plausible ones are read: a category with its products, and a product with
//! its categories.

use std::collections::HashSet;

use super::coerce;
use super::context::{NormaliserContext, RowFault};
use super::reading::{object_members, reading, storable_id};
use super::shape::RowShape;
use crate::feeds::fields::misnamed::FieldTable;
use crate::feeds::fields::{self, FieldSpec};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::json::JsonMember;
use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::reader::RawRow;

/// Products that join or leave categories, each product with each category.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CategoryChange {
    /// Category ids.
    pub categories: Vec<String>,
    /// Product ids or SKUs.
    pub products: Vec<String>,
}

/// Both sections have the same fields, in this order.
static SHAPE: RowShape = RowShape::new(fields::SET_CATEGORY_ON_PRODUCTS.fields);

impl CategoryChange {
    /// Number of its pairs of a product and a category.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.categories.len().saturating_mul(self.products.len())
    }
}

/// Reads a row of either shape, of at most `most` pairs. `None`: a bad row, with exactly one bad issue.
pub fn category_change(
    row: &RawRow<'_>,
    most: usize,
    context: &NormaliserContext<'_>,
    issues: &mut Vec<Issue>,
) -> Option<CategoryChange> {
    reading(row, &mut Vec::new(), issues, |_, notes| {
        let mut members = object_members(row, |name| SHAPE.core_name(name))?;
        let [category, product, id, sku] = fields::MEMBERSHIP;
        let category = only(&members, category)?;
        let product = only(&members, product)?;
        let id = only(&members, id)?;
        let sku = only(&members, sku)?;
        members.retain(|member| SHAPE.field(&member.name()).is_none());
        notes.warn_misnamed(FieldTable::Rows(row.section), context, &members, |_| false);
        let (categories, products) = match (category, product, id, sku) {
            (Some(category), Some(product), None, None) => (category, product),
            (None, Some(product), Some(id), None) => (id, product),
            // A product's own Id is more exact than its SKU.
            (Some(category), None, Some(id), _) => (category, id),
            (Some(category), None, None, Some(sku)) => (category, sku),
            _ => return Err(RowFault::from_code(IssueCode::MembershipShape)),
        };
        let change = CategoryChange { categories: ids(categories)?, products: ids(products)? };
        if change.pairs() <= most {
            Ok(change)
        } else {
            Err(RowFault::from_code(IssueCode::TooManyMemberships))
        }
    })
}

/// The value of the one member with any of a field's names. Errors: several with different values.
fn only<'a>(members: &[JsonMember<'a>], field: &FieldSpec) -> Result<Option<JsonValue<'a>>, RowFault> {
    let mut named = members.iter().filter(|member| field.is_named(&member.name())).map(|member| member.value);
    let Some(first) = named.next() else { return Ok(None) };
    if named.any(|other| !other.is_same(first)) {
        return Err(RowFault::from_code(IssueCode::MembershipShape));
    }
    Ok(Some(first))
}

fn ids(value: JsonValue<'_>) -> Result<Vec<String>, RowFault> {
    let mut ids = Vec::new();
    let mut seen = HashSet::new();
    for element in coerce::list_elements(value) {
        let id = match element.json_type() {
            JsonType::List => Err(coerce::WrongType),
            _ => coerce::id(element),
        };
        let id = id.map_err(|_| RowFault::from_code(IssueCode::MembershipShape))?;
        if let Some(id) = id.map(storable_id).transpose()?.map(String::from)
            && seen.insert(id.clone())
        {
            ids.push(id);
        }
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::reader::RowOrigin;
    use crate::feeds::rows::context::RowObservations;
    use crate::feeds::section::FeedPart;
    use crate::feeds::testing::CONTEXT;
    use crate::limits;

    fn read(json: &str) -> Result<(Vec<String>, Vec<String>), IssueCode> {
        let row = RawRow {
            section: FeedPart::SetCategoryOnProducts,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: json.as_bytes(),
        };
        let mut issues = Vec::new();
        let context =
            NormaliserContext { default_currency: None, account_tag: &|_| String::new(), noticed: None };
        category_change(&row, limits::MEMBERSHIPS, &context, &mut issues)
            .map(|change| (change.categories, change.products))
            .ok_or_else(|| issues[0].code)
    }

    #[test]
    fn both_shapes_mean_the_same() {
        let expected = Ok((vec!["5".to_owned()], vec!["1".to_owned(), "x".to_owned()]));
        assert_eq!(read(r#"{"CategoryId":5,"ProductIds":[1,"x",null,""]}"#), expected);
        assert_eq!(read(r#"{"id":"5","Skus":{"0":1,"4":"x"}}"#), expected);
        let expected = Ok((vec!["5".to_owned(), "6".to_owned()], vec!["1".to_owned()]));
        assert_eq!(read(r#"{"Id":1,"Sku":"s","Categories":["5",6]}"#), expected);
        assert_eq!(read(r#"{"Sku":"1","CategoryIds":[5,6]}"#), expected);
    }

    #[test]
    fn any_other_shape_is_a_bad_row() {
        for row in [r#"{"Id":1}"#, r#"{"Category":1}"#, r#"{"Category":1,"Products":[[1]]}"#] {
            assert_eq!(read(row), Err(IssueCode::MembershipShape), "{row}");
        }
        for twice in [
            r#"{"Category":1,"CategoryId":2,"Id":3}"#,
            r#"{"Category":1,"CategoryId":1,"Categories":2,"Id":3}"#,
        ] {
            assert_eq!(read(twice), Err(IssueCode::MembershipShape), "{twice}");
        }
        let same = read(r#"{"Category":1,"CategoryId":1,"Id":3}"#);
        assert_eq!(same, Ok((vec!["1".to_owned()], vec!["3".to_owned()])));
    }

    #[test]
    fn a_name_like_a_documented_one_is_told_and_the_documented_one_is_not() {
        let noticed = RowObservations::default();
        let context = NormaliserContext { noticed: Some(&noticed), ..CONTEXT };
        let json = br#"{"CategoryId":5,"ProductIds":[1],"CatId":6,"Own":7}"#;
        let row = RawRow {
            section: FeedPart::SetCategoryOnProducts,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json,
        };
        let mut issues = Vec::new();
        let change = category_change(&row, 1, &context, &mut issues).expect("a good row");
        assert_eq!((change.categories, change.products), (vec!["5".to_owned()], vec!["1".to_owned()]));
        let told: Vec<_> =
            issues.iter().map(|issue| (issue.code, issue.field.as_deref(), issue.meant)).collect();
        assert_eq!(told, [(IssueCode::FieldMisnamed, Some("CatId"), Some("CategoryId"))]);
    }

    #[test]
    fn a_row_of_too_many_pairs_is_refused_and_repeated_ids_count_once() {
        let row = |categories: usize, products: usize| {
            let list = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
            format!(r#"{{"CategoryIds":[{}],"ProductIds":[{}]}}"#, list(categories), list(products))
        };
        assert!(read(&row(100, 100)).is_ok());
        assert_eq!(read(&row(101, 100)), Err(IssueCode::TooManyMemberships));
        let same = "1,".repeat(60_000);
        let same = format!(r#"{{"CategoryId":[{same}1],"ProductIds":[{same}2]}}"#);
        let (categories, products) = read(&same).unwrap();
        assert_eq!((categories.len(), products.len()), (1, 2));
        assert_eq!(read("7"), Err(IssueCode::RowNotObject));
    }
}
