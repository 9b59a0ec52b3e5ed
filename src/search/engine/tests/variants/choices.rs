//! The variant and the group of a hit, and the reasons told of variants, by example.

use serde_json::json;

use super::examples::{request_with, rows_of};
use super::*;

#[test]
fn filters_that_no_variant_passes_together_are_named_together() {
    let rows = rows_of(json!([{"Prices": ["10.00 EUR"], "Variants": [
        {"Id": "a1", "Options": {"Colour": "Red", "Size": "S"}},
        {"Id": "a2", "Options": {"Colour": "Blue", "Size": "M"}},
    ]}]));
    let shop = shop_of(&rows, &[]);
    let snapshot = shop.index.snapshot();
    let reasons_for = |filters: Value| {
        let request = request_with(filters);
        let query = search_query(&request, snapshot.knowledge().columns());
        match snapshot.verdict("a", &query, &buyer(&request)).expect("read") {
            SearchExplanation::Missing(reasons) => reasons,
            SearchExplanation::Found(_) => Vec::new(),
        }
    };
    let attributes = json!({"Colour": ["Red"], "Size": ["M"]});
    assert_eq!(reasons_for(json!({"Attributes": attributes})), [NotFoundReason::FilteredTogether]);
    // A filter that excludes the product by itself is named alone.
    let alone = json!({"Attributes": attributes, "Price": {"From": 20}});
    assert_eq!(reasons_for(alone), [NotFoundReason::Filtered("Price".to_owned())]);
}
