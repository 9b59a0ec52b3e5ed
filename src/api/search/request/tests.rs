//! Requests of searches at the edges of what they may hold.

use serde_json::json;

use super::*;
use crate::api::search::explain::SearchWhyRequest;
use crate::api::search::quality::QualityRequest;
use crate::api::testing::{assert_none_twice, assert_refused, member_names, read};

const SESSION: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

fn text(bytes: usize) -> Value {
    "x".repeat(bytes).into()
}

/// Lists in lists, so many.
fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::Null, |inner, _| json!([inner]))
}

#[test]
fn a_search_of_nothing_shows_24_of_all_products_with_what_shoppers_like_in_front() {
    for asked in
        [json!({}), json!({"Page": null, "Size": "", "SessionId": "", "Currency": "", "Fields": null})]
    {
        let read = read::<SearchRequest>(&asked).expect("a search");
        assert_eq!((read.query.as_str(), read.page, read.size, &read.filters), ("", 1, 24, &Value::Null));
        assert_eq!((read.facets.len(), read.fields.len(), read.sort.as_str()), (0, 0, ""));
        assert_eq!((read.currency, read.session), (None, None));
        assert_eq!((read.highlight, read.explain), (false, false));
        assert_eq!((read.popularity, read.personal), (true, true));
        assert_eq!(read.explain_language, UiLanguage::English);
    }
}

#[test]
fn a_search_is_read_as_it_was_sent() {
    let asked = json!({"Query": "mug", "Page": 3.0, "Size": "7", "Filters": {"InStock": true}, "Facets": "Brand",
        "Sort": "price", "Currency": "eur", "Fields": ["Title", "*"], "Highlight": true, "Explain": 1,
        "ExplainLanguage": "de", "Popularity": false, "SessionId": SESSION, "Personal": "0", "AppKey": "k"});
    let read = read::<SearchRequest>(&asked).expect("a search");
    assert_eq!((read.query.as_str(), read.page, read.size, read.sort.as_str()), ("mug", 3, 7, "price"));
    assert_eq!(
        (read.facets, read.fields),
        (vec!["Brand".to_owned()], vec!["Title".to_owned(), "*".to_owned()])
    );
    assert_eq!((read.filters, read.currency), (json!({"InStock": true}), Some(*b"EUR")));
    assert_eq!((read.highlight, read.explain, read.popularity, read.personal), (true, true, false, false));
    assert_eq!(read.explain_language, UiLanguage::German);
    let session = uuid::Uuid::try_parse(SESSION).ok().map(|id| id.as_u128());
    assert_eq!(read.session, session);
}

#[test]
fn a_session_counts_unless_the_search_is_not_to_be_personal() {
    for (personal, session) in [(true, Some(7)), (false, None)] {
        let asked = SearchRequest { personal, session: Some(7), ..SearchRequest::default() };
        assert_eq!(asked.recommend_request(ShopperIdentity::Unknown).session, session);
    }
}

#[test]
fn a_search_at_its_limits_is_taken_and_one_beyond_them_is_refused_with_the_limit() {
    let size = "Size has to be 0 to 250";
    let page = "Page has to be 1 to 10000";
    let far = "Page leads to 10000 hits at the most: narrow the search";
    let explained = "Size is up to 50 with Explain";
    let currency = "Currency has to be three letters of ISO 4217, such as EUR";
    let language = "Language is not taken here: the operator sets the language of the shop's texts";
    let deep = "Filters holds a number beyond the largest that is read, or is nested more than 127 deep";
    for (asked, sentence) in [
        (json!({"Size": 0}), ""),
        (json!({"Size": 250}), ""),
        (json!({"Size": 251}), size),
        (json!({"Size": -1}), size),
        (json!({"Size": 1.5}), "Size has to be a whole number"),
        (json!({"Page": 0}), page),
        (json!({"Page": 10_000, "Size": 1}), ""),
        (json!({"Page": 10_000, "Size": 0}), ""),
        (json!({"Page": 10_001, "Size": 1}), page),
        (json!({"Page": 5000, "Size": 2}), ""),
        (json!({"Page": 5001, "Size": 2}), far),
        (json!({"Page": 416}), ""),
        (json!({"Page": 417}), far),
        (json!({"Size": 50, "Explain": true}), ""),
        (json!({"Size": 51, "Explain": true}), explained),
        (json!({"Size": 51, "Explain": false}), ""),
        (json!({"Query": text(16_384)}), ""),
        (json!({"Query": text(16_385)}), "Query has up to 16384 bytes"),
        (json!({"Fields": vec!["a"; 100]}), ""),
        (json!({"Fields": vec!["a"; 101]}), "Fields has up to 100 names"),
        (json!({"Currency": "EU"}), currency),
        (json!({"Currency": "EURO"}), currency),
        (json!({"ExplainLanguage": "fr"}), ""),
        (json!({"ExplainLanguage": "it"}), "ExplainLanguage has to be en, de or fr"),
        (json!({"SessionId": "7"}), "SessionId has to be one that an answer to events named"),
        (json!({"Language": null}), language),
        (json!({"Filters": nested(127)}), ""),
        (json!({"Filters": nested(128)}), deep),
    ] {
        assert_refused::<SearchRequest>(&asked, sentence);
    }
}

#[test]
fn completions_likes_explanations_and_gaps_have_their_limits() {
    let five = read::<AutocompleteRequest>(&json!({"Query": ""})).expect("a request");
    assert_eq!((five.query.as_str(), five.size), ("", 5));
    let twelve = read::<SimilarRequest>(&json!({"Id": "1", "Currency": "gbp"})).expect("a request");
    assert_eq!((twelve.id.as_str(), twelve.size, twelve.currency), ("1", 12, Some(*b"GBP")));
    for (asked, sentence) in [
        (json!({}), "Query is missing"),
        (json!({"Query": text(16_384), "Size": 1}), ""),
        (json!({"Query": text(16_385)}), "Query has up to 16384 bytes"),
        (json!({"Query": "x", "Size": 20}), ""),
        (json!({"Query": "x", "Size": 0}), "Size has to be 1 to 20"),
        (json!({"Query": "x", "Size": 21}), "Size has to be 1 to 20"),
    ] {
        assert_refused::<AutocompleteRequest>(&asked, sentence);
    }
    for (asked, sentence) in [
        (json!({}), "Id is missing"),
        (json!({"Id": "1", "Size": 1}), ""),
        (json!({"Id": "1", "Size": 100}), ""),
        (json!({"Id": "1", "Size": 0}), "Size has to be 1 to 100"),
        (json!({"Id": "1", "Size": 101}), "Size has to be 1 to 100"),
    ] {
        assert_refused::<SimilarRequest>(&asked, sentence);
    }
    for (asked, sentence) in [
        (json!({}), "Id is missing"),
        (json!({"Id": ""}), "Id has 1 to 512 bytes"),
        (json!({"Id": text(512)}), ""),
        (json!({"Id": text(513)}), "Id has 1 to 512 bytes"),
        (json!({"Id": "1", "Size": 251}), "Size has to be 0 to 250"),
    ] {
        assert_refused::<SearchWhyRequest>(&asked, sentence);
    }
    for (asked, sentence) in [
        (json!({}), ""),
        (json!({"Queries": vec!["a"; 50], "Rows": 1000}), ""),
        (json!({"Queries": vec!["a"; 51]}), "Queries has up to 50 searches"),
        (json!({"Queries": ["a", text(16_384)], "Rows": 0}), ""),
        (json!({"Queries": ["a", text(16_385)]}), "A search of Queries has up to 16384 bytes"),
        (json!({"Rows": 1001}), "Rows has to be 0 to 1000"),
    ] {
        assert_refused::<QualityRequest>(&asked, sentence);
    }
}

#[test]
fn no_member_of_a_search_may_have_two_values() {
    assert_none_twice::<SearchRequest>(&json!({}), &member_names::<SearchRequest>());
    assert_none_twice::<AutocompleteRequest>(&json!({"Query": "x"}), &["Query", "Size"]);
    assert_none_twice::<SimilarRequest>(&json!({"Id": "1"}), &["Id", "Size", "Currency"]);
    assert_none_twice::<SearchWhyRequest>(&json!({"Id": "1"}), &["Id", "Query"]);
    assert_none_twice::<QualityRequest>(&json!({}), &["Queries", "Rows"]);
}
