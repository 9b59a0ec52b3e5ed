//! Counts of a search, as they are sent.

use crate::search::query::facets::{Facet, FacetValue, Range};

/// A facet: values with their counts, or for prices and numbers the span and its ranges.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum SearchFacet {
    Values(Vec<SearchFacetValue>),
    Span(SearchFacetSpan),
}

#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = SearchFacetValue)]
pub struct SearchFacetValue {
    /// The value as a filter takes it: of a brand or category its id.
    value: String,
    /// Name of the brand or category; a number with its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    name: Option<String>,
    /// For a category, the names of those above it and its own, from the highest down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    path: Vec<String>,
    count: u64,
}

#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = SearchFacetSpan)]
pub struct SearchFacetSpan {
    min: f64,
    max: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    unit: Option<String>,
    ranges: Vec<SearchFacetRange>,
}

#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = SearchFacetRange)]
pub struct SearchFacetRange {
    from: f64,
    to: f64,
    count: u64,
}

impl From<Facet> for SearchFacet {
    fn from(facet: Facet) -> Self {
        let unit = facet.span.as_ref().and_then(|span| span.unit.clone());
        let Some(span) = facet.span.filter(|_| facet.values.is_empty()) else {
            // A number is called with its unit.
            let with_unit = |value: &str| unit.as_ref().map(|unit| format!("{value} {unit}"));
            let value = |FacetValue { value, name, path, count, .. }| SearchFacetValue {
                name: name.or_else(|| with_unit(&value)),
                value,
                path,
                count,
            };
            return Self::Values(facet.values.into_iter().map(value).collect());
        };
        let range = |Range { from, to, count }| SearchFacetRange { from, to, count };
        Self::Span(SearchFacetSpan {
            min: span.min,
            max: span.max,
            unit: span.unit,
            ranges: span.ranges.into_iter().map(range).collect(),
        })
    }
}
