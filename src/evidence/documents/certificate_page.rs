//! A printable page of a certificate. It says nothing that the certificate does not, and is made only of a certificate
//! that proves its content.

use lethe_verify::{Body, check_certificate};
use serde_json::{Value, json};

use super::paper::{PaperFault, ShopContact, page};
use crate::i18n::UiLanguage;

/// The page of a certificate in its exact form.
///
/// # Errors
/// When it does not prove its content, or the page cannot be drawn.
pub fn certificate_page(
    certificate: &str,
    shop: &ShopContact,
    language: UiLanguage,
) -> Result<String, PaperFault> {
    let checked = check_certificate(certificate, None)?;
    let mut exact: Value = serde_json::from_str(certificate).unwrap_or_default();
    let body = exact["Body"].take();
    let places = &checked.body.places;
    let shown = places.len();
    let values = json!({
        "body": body,
        "places": places[..shown],
        "steps": steps(&checked.body),
        "index": checked.index,
        "checkpoint": checked.checkpoint,
        "hash": exact["Entry"]["Certificate"],
    });
    Ok(page(language, "certificate.html", shop, values)?)
}

/// Text of a step. If there were no keys, it does not say that keys were overwritten.
fn said_of_step(step: &'static str, body: &Body) -> &'static str {
    let is_removed = |is_meant: fn(&str) -> bool| {
        body.places.iter().any(|place| is_meant(&place.name) && place.removed > 0)
    };
    match step {
        "certificate.shredded" if !is_removed(|name| name == "keys") => "certificate.shredded_none",
        "certificate.deleted" if !is_removed(|name| !matches!(name, "keys" | "request")) => {
            "certificate.deleted_none"
        }
        step => step,
    }
}

/// Steps that were done, each with its time.
fn steps(body: &Body) -> Vec<Value> {
    let all = [
        ("certificate.asked", Some(body.asked_at)),
        ("certificate.fenced", body.fenced_at),
        ("certificate.shredded", body.shredded_at),
        ("certificate.deleted", body.deleted_at),
        ("certificate.unlearned", body.unlearned_at),
        ("certificate.settled", body.settled_at),
        ("certificate.verified", Some(body.verified_at)),
    ];
    let done = all.into_iter().filter(|(_, at)| at.is_some());
    done.map(|(step, at)| {
        let says = said_of_step(step, body);
        json!({"at": at, "says": says})
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
    use lethe_verify::tree::leaf_hash;
    use lethe_verify::{
        Certificate, Checkpoint, Fault, Hex, Kept, Place, Remains, Scan, VERSION, certificate_message,
    };
    use serde_json::value::RawValue;

    use super::*;
    use crate::erasure::places::{Database, PLACES};
    use crate::i18n::Translations;

    fn body() -> Body {
        let (kept, cleared): (Vec<_>, Vec<_>) = PLACES.iter().partition(|place| place.is_kept());
        let place = |name: &str, says: &str| Place {
            name: name.to_owned(),
            says: says.to_owned(),
            removed: 1234,
            left: 0,
            proof: String::new(),
        };
        let mut places: Vec<_> = cleared.iter().map(|of| place(of.name, of.says)).collect();
        places.push(place("newer", "<b>what a newer program has"));
        let kept = kept
            .iter()
            .map(|place| (place.name, place.says))
            .chain([("left-guests", ""), ("tape", "on tape")]);
        let kept = kept.map(|(name, says)| Kept { name: name.to_owned(), says: says.to_owned(), count: 1 });
        let remains = Database::Postgres.remains().iter().map(|remains| Remains {
            name: remains.name.to_owned(),
            says: remains.says.to_owned(),
            until: remains.until.to_owned(),
        });
        Body {
            version: VERSION,
            erasure: uuid::Uuid::from_bytes([7; 16]),
            ledger: uuid::Uuid::from_bytes([6; 16]),
            shop: "tea".to_owned(),
            asked_at: 0,
            fenced_at: Some(1),
            shredded_at: Some(2),
            deleted_at: Some(3),
            unlearned_at: Some(4),
            settled_at: None,
            verified_at: 86_400_000,
            due_at: 30 * 86_400_000,
            identifiers: [("Email".to_owned(), 2), ("Newer".to_owned(), 1)].into(),
            places,
            kept: kept.collect(),
            database: "PostgreSQL".to_owned(),
            remains: remains.collect(),
            scan: Scan {
                folders: vec!["data".to_owned()],
                complete: true,
                scanned: 2,
                walk_only: 3,
                found: 0,
            },
            program: "lethe 0".to_owned(),
        }
    }

    /// A certificate that is the only entry of its ledger.
    fn certificate(body: &Body) -> (String, String) {
        let pair = Ed25519KeyPair::generate().expect("a key");
        let sign = |message: &[u8]| Hex::<64>(pair.sign(message).as_ref().try_into().expect("64 bytes"));
        let key = Hex(pair.public_key().as_ref().try_into().expect("32 bytes"));
        let text = body.to_string();
        let entry = body.entry(&text).to_string();
        let mut checkpoint = Checkpoint {
            ledger: body.ledger,
            size: 1,
            root: Hex(leaf_hash(entry.as_bytes())),
            at: 86_400_001,
            key,
            signature: Hex([0; 64]),
        };
        checkpoint.signature = sign(&checkpoint.message());
        let signature = sign(&certificate_message(&text));
        let raw = |text| RawValue::from_string(text).expect("JSON");
        let body = raw(text);
        let entry = raw(entry);
        let certificate = Certificate { body, signature, entry, index: 0, proof: vec![], checkpoint };
        (certificate.to_string(), key.to_string())
    }

    fn shop() -> ShopContact {
        ShopContact::from_json(
            &json!({"Name": "tea", "DisplayName": "Tea & <i>more</i>", "Contact": "dpo@tea.example"}),
        )
    }

    #[test]
    fn a_page_says_what_the_certificate_says_in_every_language() {
        let (certificate, key) = certificate(&body());
        for language in UiLanguage::ALL {
            let texts = Translations::load(language);
            let page = certificate_page(&certificate, &shop(), language).expect("a page");
            for place in PLACES {
                let words = texts.find(&format!("place.{}", place.name)).expect(place.name);
                assert_eq!(page.matches(words).count(), 1, "{}: {page}", place.name);
            }
            for part in [
                "Tea &amp; &lt;i&gt;more&lt;/i&gt;",
                "dpo@tea.example",
                "<td>tea</td>",
                "<code>07070707-0707-0707-0707-070707070707</code>",
                "&lt;b&gt;what a newer program has",
                "<td>on tape</td>",
                &format!("<code>{key}</code>"),
                "<code>lethe-verify certificate certificate.json --key key.txt</code>",
                "<code>06060606-0606-0606-0606-060606060606</code>",
                &format!("<td class=\"n\">{}</td><td class=\"n\">0</td>", texts.number(1234)),
                &texts.translate("remains.heap", &[]),
                &texts.translate("place.left-guests", &[]),
                &texts.time(Some(86_400_000)),
            ] {
                assert!(page.contains(part), "no {part}: {page}");
            }
            assert_eq!(page.matches(&key).count(), 1, "it is compared, and trusted from nowhere: {page}");
            let shown = page.split("<body>").nth(1).expect("a body");
            for part in ["certificate.title", "{", "<i>", "<b>", "<script", "PLACES", "WAL"] {
                assert!(!shown.contains(part), "{part}: {page}");
            }
        }
    }

    #[test]
    fn a_page_says_of_nothing_that_it_was_overwritten() {
        let mut nobody = body();
        nobody.places.iter_mut().for_each(|place| place.removed = 0);
        let mut keyless = body();
        keyless.places.iter_mut().filter(|place| place.name == "keys").for_each(|place| place.removed = 0);
        for (body, [shredded, deleted]) in
            [(body(), ["", ""]), (keyless, ["_none", ""]), (nobody, ["_none", "_none"])]
        {
            let (certificate, _) = certificate(&body);
            for language in UiLanguage::ALL {
                let texts = Translations::load(language);
                let page = certificate_page(&certificate, &shop(), language).expect("a page");
                for (step, form) in [("shredded", shredded), ("deleted", deleted)] {
                    for other in ["", "_none"] {
                        let words = texts.find(&format!("certificate.{step}{other}")).expect("a text");
                        assert_eq!(page.contains(words), other == form, "{language:?} {step}{other}: {page}");
                    }
                }
            }
        }
        let mut body = body();
        body.kept.clear();
        let (certificate, _) = certificate(&body);
        let page = certificate_page(&certificate, &shop(), UiLanguage::English).expect("a page");
        assert!(!page.contains("What is kept, and why"), "{page}");
    }

    #[test]
    fn nothing_but_what_proves_itself_becomes_a_page() {
        let (good, _) = certificate(&body());
        let forged = good.replace("\"Removed\":1234", "\"Removed\":4321");
        assert_ne!(good, forged);
        let page = |certificate: &str| certificate_page(certificate, &shop(), UiLanguage::English);
        let is_forged = |fault| matches!(fault, PaperFault::Certificate(Fault::CertificateSignature));
        assert!(page(&forged).is_err_and(is_forged));
        let mut left = body();
        left.places[0].left = 1;
        let (left, _) = certificate(&left);
        assert!(page(&left).is_err_and(|fault| matches!(fault, PaperFault::Certificate(Fault::Residue))));
    }
}
