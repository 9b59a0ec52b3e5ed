//! Whole output of commands for people, for answers that have something of everything.

use serde_json::{Value, json};

use super::scripted_server::{operator_of, program_of, text};
use crate::support::program::Program;

/// Runs each command against a server that gives its answer, and compares all that it prints.
fn assert_shown<const N: usize>(program: fn(Value) -> Program, rows: [(&str, Value, &str); N]) {
    for (words, answer, expected) in rows {
        assert_eq!(text(&program(answer), words), expected, "{words}");
    }
}

#[test]
fn reports_and_previews_are_shown_column_by_column() {
    assert_shown(
        program_of,
        [
            (
                "report search",
                json!({"From": "2026-11-01", "Until": "2026-11-02", "Rows": [{"Query": "mug", "People": 8, "Count": 9, "WithoutResult": 1, "Corrected": 2, "Clicks": 3, "Orders": 4, "Revenue": "5"}], "Rest": {"Count": 10, "WithoutResult": 11, "Corrected": 12, "Clicks": 13, "Orders": 14, "Revenue": "15"}}),
                "From 2026-11-01 to 2026-11-02\nQuery   People  Count  WithoutResult  Corrected  Clicks  Orders  Revenue\nmug     8       9      1              2          3       4       5\n(rest)          10     11             12         13      14      15\n",
            ),
            (
                "report days",
                json!({"From": "2026-11-01", "Until": "2026-11-02", "Rows": [{"Day": "2026-11-01", "Measure": "views", "People": 8, "Count": 9, "Revenue": null}], "Rest": null}),
                "From 2026-11-01 to 2026-11-02\nDay         Measure  People  Count  Revenue\n2026-11-01  views    8       9\n",
            ),
            (
                "report products",
                json!({"From": "2026-11-01", "Until": "2026-11-02", "Rows": [{"Product": "tee", "People": 18, "Count": 19, "Variants": [{"Variant": "red", "People": 8, "Count": 9}]}, {"Product": "mug", "People": 7, "Count": 8}], "Rest": {"Count": 6}}),
                "From 2026-11-01 to 2026-11-02\nProduct  Variant  People  Count\ntee               18      19\n         red      8       9\nmug               7       8\n(rest)                    6\n",
            ),
            (
                "report quality",
                json!({"From": "2026-11-01", "Until": "2026-11-02", "Rows": [{"Measure": "orders", "People": 8, "Count": 9, "Revenue": "5"}]}),
                "From 2026-11-01 to 2026-11-02\nMeasure  People  Count  Revenue\norders   8       9      5\n",
            ),
            (
                "zones preview HP-01",
                json!({"Passed": [], "Campaign": "sale", "Zone": {"type": "recommender-product", "title": "Best", "items": [{"Id": "1", "Sku": "s", "DisplayPrice": "5 GBP", "Title": "T"}]}}),
                "campaign sale: recommender-product\nBest\nId  Sku  Price  Title\n1   s    5 GBP  T\n",
            ),
            (
                "zones preview HP-01",
                json!({"Passed": [], "Campaign": "", "Zone": {"type": "recommender-brand", "title": "Brands", "items": [{"Id": "b", "DisplayName": "B", "Link": "/b", "Image": "/i"}]}}),
                "default content: recommender-brand\nBrands\nId  Name  Link  Image\nb   B     /b    /i\n",
            ),
            (
                "zones preview HP-01",
                json!({"Passed": [], "Campaign": "x", "Zone": {"type": "html", "html": "<p>"}}),
                "campaign x: html\n<p>\n",
            ),
        ],
    );
}

#[test]
fn lists_items_and_what_became_of_feeds_are_shown_in_their_words() {
    assert_shown(
        program_of,
        [
            (
                "feed cancel t",
                json!({"Cancelled": true, "FinishedAt": 1}),
                "The feed t is cancelled; the catalogue is as it was.\n",
            ),
            (
                "feed cancel t",
                json!({"Cancelled": false, "FinishedAt": 1, "Status": "Error", "Reason": "no rows"}),
                "The feed t had ended before: Error, no rows\n",
            ),
            ("rules undo", json!({"Version": 4}), "Version 4 is live.\n"),
            ("rules list", json!({"Rules": [{"Id": "a"}], "Version": 3}), "{\"Rules\":[{\"Id\":\"a\"}]}\n"),
            (
                "zones list --json",
                json!({"Campaigns": [], "Version": 3}),
                "{\"Campaigns\":[],\"Version\":3}\n",
            ),
            (
                "zones history",
                json!([{"Version": 2, "MadeAt": 0, "Count": 3, "Restored": 1}, {"Version": 1, "MadeAt": 1000, "Count": 2, "Restored": null}]),
                "Version  Published             Campaigns  Restores\n2        1970-01-01T00:00:00Z  3          1\n1        1970-01-01T00:00:01Z  2\n",
            ),
            (
                "erasure count",
                json!({"Open": 1, "Overdue": 2, "Failing": 3}),
                "1 go on, 2 are overdue, 3 failed when they were tried last.\n",
            ),
            (
                "product 1",
                json!({"Item": {"Id": "1"}, "Feed": 45, "FeedNumber": 5, "Delta": null}),
                "{\n  \"Id\": \"1\"\n}\nFrom submission: feed 5\n",
            ),
            (
                "catalogue",
                json!({"Counts": {"Products": 1, "Brands": 2}, "Next": null, "Items": [{"Id": "1", "Item": {"Title": null, "DisplayName": "B", "Prices": ["5 GBP", "6 EUR"], "InStock": true}}, {"Id": "2", "Item": {"Title": "T", "DisplayName": "D"}}]}),
                "Products: 1  Brands: 2\nId  Title  Price  In stock\n1   B      5 GBP  true\n2   T\n",
            ),
            (
                "recommend",
                json!({"Items": [{"Id": "1", "Price": 5, "Currency": "GBP", "InStock": true, "Title": "T", "Reason": {"Code": "similar", "Product": "7"}}]}),
                "Id  Price  Stock  Title  Why\n1   5 GBP  yes    T      like 7\n",
            ),
        ],
    );
}

#[test]
fn accounts_are_shown_as_they_were_set() {
    assert_shown(
        operator_of,
        [
            (
                "account set s --contact=",
                json!({"Name": "s", "DisplayName": "X", "Contact": "", "Language": "de", "Note": null}),
                "Name:        s\nDisplayName: X\nContact:     -\nLanguage:    de\n",
            ),
            (
                "account guard s",
                json!({"RemovalGuard": 20}),
                "A feed may remove up to 20 % of the products.\n",
            ),
            (
                "account quota s",
                json!({"HeldBytes": 1000000, "QuotaBytes": 2000000}),
                "The account holds 1.0 MB of 2.0 MB.\n",
            ),
            (
                "account search s --renew",
                json!({"Name": "s", "Language": "de", "Attributes": ["a", "b"], "Origins": [], "Pictures": ["p"], "Popularity": true, "BoughtTogether": "likely", "GroupBy": "Colour", "Synonyms": "a, b\n# c\nd, e\n", "Products": 5}),
                "Name:           s\nLanguage:       de\nAttributes:     a, b\nOrigins:        -\nPictures:       p\nPopularity:     true\nBoughtTogether: likely\nGroupBy:        Colour\nSynonyms:       2 lines\nThe index was made anew, with 5 products.\n",
            ),
            (
                "account search s",
                json!({"Name": "s", "Synonyms": "a, b"}),
                "Name:           s\nLanguage:       -\nAttributes:     -\nOrigins:        -\nPictures:       -\nPopularity:     -\nBoughtTogether: -\nGroupBy:        -\nSynonyms:       1 line\n",
            ),
            (
                "account create s",
                json!({"Name": "s", "AccessKey": "k", "SecretKey": "x"}),
                "Name:      s\nAccessKey: k\nSecretKey: x\nThe secret is not stored and is not shown again.\n",
            ),
            (
                "account deletion list",
                json!([{"Name": "s", "State": "waits"}, {"Name": "t", "State": "confirmed"}]),
                "s  waits\nt  confirmed\n",
            ),
            ("account deletion dismiss s", json!({"Name": "s", "State": "dismissed"}), "s  dismissed\n"),
        ],
    );
}

#[test]
fn keys_and_operators_are_told_as_they_are_now() {
    assert_shown(
        operator_of,
        [
            (
                "key rotate s --hours 1",
                json!({"Name": "s", "AccessKey": "k", "SecretKey": "x"}),
                "Name:      s\nAccessKey: k\nSecretKey: x\nThe secret is not stored and is not shown again.\nThe older secret works for another 1 hour.\n",
            ),
            ("key revoke s 3", json!({}), "Secret 3 of s is revoked.\n"),
            ("operator set x --role viewer", json!({}), "It is changed; they have to sign in again.\n"),
            ("operator disable x", json!({}), "They may not sign in any more.\n"),
            ("operator enable x", json!({}), "They may sign in again.\n"),
            ("operator remove x", json!({}), "The operator is removed.\n"),
        ],
    );
}
