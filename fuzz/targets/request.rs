//! Request bodies, JSON and forms: any bytes through everything a handler does before it asks the store.
//!
//! Must hold: no panic; a delta that was accepted can be read by the job that applies it.

#![no_main]

use lethe::api::form::UrlEncodedForm;
use lethe::api::json_fields::{JsonFields, RequestFields};
use lethe::api::{delta, status_tokens};
use lethe::feeds::rows::NormaliserContext;
use lethe::ids::SubmissionToken;
use lethe::ids::identifier::Identifier;
use lethe::outbound::{AddressPolicy, FeedUrl};
use lethe::work::delta_read;

fn read_form(body: &[u8]) {
    let Ok(form) = UrlEncodedForm::parse(body) else { return };
    for spellings in [&["accessKey", "AppKey", "AppId"][..], &["secretKey", "Secret"], &["feedName"]] {
        let _ = form.text(spellings);
    }
    if let Ok(Some(piece)) = form.bytes(&["payLoad"]) {
        assert!(piece.len() <= body.len(), "a piece is larger than the body it came in");
    }
}

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    read_form(body);
    let Ok(fields) = JsonFields::parse(body) else { return };
    for spellings in [&["AccessKey", "AppKey", "AppId"][..], &["SecretKey", "Secret"]] {
        let _ = fields.text(spellings);
    }
    let _ = status_tokens::list(&fields);
    if let Ok(text) = fields.text(&["Token"]) {
        let _ = SubmissionToken::parse(&text);
    }
    if let Ok(text) = fields.text(&["Identifier"]) {
        let _ = Identifier::parse_forget(&text);
    }
    if let Ok(text) = fields.text(&["url"])
        && let Ok(url) = FeedUrl::parse(&text, &AddressPolicy::default())
    {
        let again = FeedUrl::parse(url.expose(), &AddressPolicy::default());
        assert!(again.is_ok_and(|again| again == url), "a stored URL is not read back");
    }
    if let Ok(payload) = delta::payload(&fields) {
        let context = NormaliserContext {
            default_currency: None,
            account_tag: &|text| format!("tag-{}", text.len()),
            noticed: None,
        };
        let read = delta_read::read_steps(&payload, &context, &|_| false);
        assert!(read.unusable.is_none(), "an accepted delta cannot be read");
    }
});
