//! Refusals: their codes, their sentences, and when to ask again.

use http_body_util::BodyExt;

use super::*;

async fn body_of(refusal: Refusal) -> String {
    let bytes = refusal.into_response().into_body().collect().await.expect("a body").to_bytes();
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn each_refusal_has_its_code_and_says_when_to_ask_again() {
    let later = String::new;
    for (refusal, code, again) in [
        (Refusal::malformed("x"), ErrorCode::Malformed, None),
        (Refusal::missing("x"), ErrorCode::FieldMissing, None),
        (Refusal::credentials(), ErrorCode::Credentials, None),
        (Refusal::field_twice("x"), ErrorCode::FieldTwice, None),
        (Refusal::user_token("x"), ErrorCode::UserToken, None),
        (Refusal::operator_only(), ErrorCode::OperatorOnly, None),
        (Refusal::unknown("x"), ErrorCode::NotFound, None),
        (Refusal::no_such_address(), ErrorCode::NoSuchAddress, None),
        (Refusal::token_unknown(), ErrorCode::TokenUnknown, None),
        (Refusal::method(), ErrorCode::Method, None),
        (Refusal::too_late(Duration::ZERO), ErrorCode::TooSlow, None),
        (Refusal::too_slow(1, Duration::ZERO), ErrorCode::TooSlow, None),
        (Refusal::conflict("x"), ErrorCode::Conflict, None),
        (Refusal::person_lost(), ErrorCode::PersonLost, None),
        (Refusal::too_large(1), ErrorCode::TooLarge, None),
        (Refusal::too_many_pieces(), ErrorCode::TooManyPieces, None),
        (Refusal::no_room(later()), ErrorCode::NoRoom, None),
        (Refusal::unknown_sender(1), ErrorCode::UnknownSender, None),
        (Refusal::media_type("x"), ErrorCode::MediaType, None),
        (Refusal::content_encoding(), ErrorCode::ContentEncoding, None),
        (Refusal::too_many_failures(7), ErrorCode::TooManyFailures, Some("7")),
        (Refusal::too_many_searches(), ErrorCode::TooManySearches, Some("1")),
        (Refusal::too_many_changes(later()), ErrorCode::TooManyChanges, Some("1")),
        (Refusal::search_is_made(), ErrorCode::SearchIsMade, Some("2")),
        (Refusal::too_many_uploads(), ErrorCode::TooManyOpen, Some("60")),
        (Refusal::too_many_streams(), ErrorCode::TooManyOpen, Some("10")),
        (Refusal::busy(), ErrorCode::Busy, Some("1")),
        (Refusal::too_many_new(), ErrorCode::TooManyNew, Some("10")),
        (Refusal::report_takes_long(), ErrorCode::ReportTakesLong, Some("60")),
        (Refusal::no_standby(), ErrorCode::NoStandby, Some("5")),
        (Refusal::files_missing(), ErrorCode::FilesMissing, Some("60")),
        (Refusal::fault(), ErrorCode::Fault, None),
    ] {
        let status = code.status();
        assert_eq!(refusal.code(), code);
        assert_eq!(refusal.is_of_credentials(), status == 403, "{code:?}");
        assert_eq!(refusal.is_of_the_server(), status.as_u16() >= 500, "{code:?}");
        let response = refusal.into_response();
        assert_eq!(response.status(), status, "{code:?}");
        assert_eq!(response.headers()[header::LINK], code.link(), "{code:?}");
        let retry_after = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        assert_eq!(retry_after, again, "{code:?}");
        assert_eq!(response.extensions().get::<ErrorCode>(), Some(&code));
    }
}

#[test]
fn a_sentence_tells_the_number_that_it_is_about() {
    for (refusal, sentence) in [
        (
            Refusal::too_late(Duration::from_millis(90_999)),
            "The body of the request did not arrive within 90 s",
        ),
        (
            Refusal::too_slow(5, Duration::from_secs(10)),
            "The body of the request arrived too slowly: less than 5 bytes in 10 s",
        ),
        (Refusal::too_large(7), "The body of the request is larger than the 7 bytes allowed here"),
        (
            Refusal::unknown_sender(9),
            "A body of more than 9 bytes has to hold the access key and the secret key in its first 65536 bytes",
        ),
        (
            Refusal::too_many_pieces(),
            "The upload has 20000 pieces, as many as one may have; close it, or begin it anew with larger pieces",
        ),
        (Refusal::user_token("is old"), "UserToken is old"),
        (Refusal::media_type("text/csv"), "The Content-Type has to be text/csv"),
    ] {
        assert_eq!(refusal.sentence(), sentence);
    }
}

#[test]
fn a_name_that_stands_twice_is_told_up_to_40_letters_and_unless_it_is_about_a_person() {
    let longest = "é".repeat(40);
    for (name, shown) in [
        ("Size", " the field Size"),
        (longest.as_str(), &format!(" the field {longest}")),
        (&format!("{longest}x"), &format!(" the field {longest}…")),
    ] {
        let says = format!("The body of the request has{shown} twice");
        assert_eq!(Refusal::field_twice(name).sentence(), says);
    }
    let of_person = Refusal::field_twice("ada@shop.test");
    assert_eq!(of_person.sentence(), "The body of the request has a field twice");
    assert!(!Refusal::malformed("x ada@shop.test y").sentence().contains('@'));
}

#[test]
fn an_unknown_member_is_told_with_the_one_that_is_meant_unless_its_name_is_about_a_person() {
    for (name, shown) in [("Quer", "Quer"), ("Que\nry", "Que·ry"), ("query@shop.test", "A name")] {
        let says = format!("{shown} is not a member of this request; did you mean Query?");
        assert_eq!(Refusal::unknown_member(name, "Query").sentence(), says);
    }
}

#[test]
fn where_no_secret_is_needed_wrong_credentials_are_a_wrong_access_key() {
    let alone =
        "The access key is not known here; this operation needs the access key of an account, and no secret";
    assert_eq!(Refusal::credentials().of_access_key_alone().sentence(), alone);
    assert_eq!(
        Refusal::missing("AccessKey is missing").of_access_key_alone().sentence(),
        "AccessKey is missing"
    );
}

#[tokio::test]
async fn a_sentence_stands_in_a_list_too_where_one_is_read() {
    assert_eq!(body_of(Refusal::malformed("x")).await, r#"{"Error":"x"}"#);
    assert_eq!(body_of(Refusal::malformed("x").with_list()).await, r#"{"Error":"x","errors":["x"]}"#);
    let response = Refusal::malformed("x").with_list().into_response();
    let told = response.extensions().get::<RefusalSentence>().map(|told| &*told.0);
    assert_eq!(told, Some("x"));
}
