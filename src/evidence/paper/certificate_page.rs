//! A page to print of a certificate. It says nothing that the certificate does not, and is made of one that proves what
//! it says and of no other.

use lethe_verify::{Body, CheckedCertificate, Fault, check_certificate};
use serde_json::Value;

use super::{Page, Shop, cell};
use crate::texts::Texts;

/// The page of a certificate in its exact form.
///
/// # Errors
/// When it does not prove what it says.
pub fn certificate_page(certificate: &str, shop: &Shop, texts: &Texts) -> Result<String, Fault> {
    let checked = check_certificate(certificate, None)?;
    let body = &checked.body;
    let mut page = Page::begin(texts, &texts.say("certificate.title", &[]));
    page.line("p", &texts.say("certificate.opening", &[("shop", shop.shown())]));
    facts(&mut page, body, shop);
    steps(&mut page, body);
    identifiers(&mut page, body);
    places(&mut page, body);
    kept(&mut page, body);
    if !body.remains.is_empty() {
        page.line("h2", &page.say("certificate.remains"));
        page.html.push_str("<ul>\n");
        for remains in &body.remains {
            let known = texts.find(&format!("remains.{}", remains.name)).map(str::to_owned);
            page.line("li", &known.unwrap_or_else(|| format!("{}: {}", remains.says, remains.until)));
        }
        page.html.push_str("</ul>\n");
    }
    files(&mut page, body);
    proof(&mut page, &checked, certificate);
    check(&mut page);
    Ok(page.end())
}

fn facts(page: &mut Page<'_>, body: &Body, shop: &Shop) {
    page.html.push_str("<table>\n");
    page.code(&page.say("certificate.number"), &body.erasure.to_string());
    page.fact(&page.say("certificate.shop"), shop.shown());
    page.fact(&page.say("certificate.account"), &body.shop);
    if let Some(contact) = &shop.contact {
        page.fact(&page.say("certificate.contact"), contact);
    }
    page.fact(&page.say("certificate.due"), &page.texts.time(Some(body.due_at)));
    page.fact(&page.say("certificate.program"), &body.program);
    page.fact(&page.say("certificate.database"), &body.database);
    page.html.push_str("</table>\n");
}

/// What is said of a step; of keys that were never there nobody is told that they were overwritten.
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

fn steps(page: &mut Page<'_>, body: &Body) {
    page.line("h2", &page.say("certificate.steps"));
    page.html.push_str("<table>\n");
    for (step, at) in [
        ("certificate.asked", Some(body.asked_at)),
        ("certificate.fenced", body.fenced_at),
        ("certificate.shredded", body.shredded_at),
        ("certificate.deleted", body.deleted_at),
        ("certificate.unlearned", body.unlearned_at),
        ("certificate.settled", body.settled_at),
        ("certificate.verified", Some(body.verified_at)),
    ] {
        if at.is_some() {
            // red: evidence::paper::certificate_page::tests::a_page_says_of_nothing_that_it_was_overwritten
            let said = mutant!("a-page-says-that-keys-were-overwritten", said_of_step(step, body), step);
            page.fact(&page.texts.time(at), &page.say(said));
        }
    }
    page.html.push_str("</table>\n");
}

/// How many identifiers were known, by kind: the certificate holds none of them.
fn identifiers(page: &mut Page<'_>, body: &Body) {
    if body.identifiers.is_empty() {
        return;
    }
    page.line("h2", &page.say("certificate.identifiers"));
    page.html.push_str("<table>\n");
    for (kind, count) in &body.identifiers {
        let name = page.texts.find(&format!("names.{kind}")).unwrap_or(kind).to_owned();
        row(page, &name, &[*count]);
    }
    page.html.push_str("</table>\n");
}

/// A row of a text and numbers.
fn row(page: &mut Page<'_>, text: &str, numbers: &[u64]) {
    page.html.push_str("<tr>");
    page.element("td", text);
    for number in numbers {
        page.element("td class=n", &page.texts.number(*number));
    }
    page.html.push_str("</tr>\n");
}

/// The heads of the columns of such rows, repeated on each sheet of paper.
fn columns(page: &mut Page<'_>, text: &str, numbers: &[&str]) {
    page.html.push_str("<table>\n<thead><tr>");
    page.element("th", &page.say(text));
    for number in numbers {
        page.element("th class=n", &page.say(number));
    }
    page.html.push_str("</tr></thead>\n");
}

/// What the texts say of a place; one of a newer program is told in its own words.
fn of_place(page: &Page<'_>, name: &str, says: &str) -> String {
    page.texts.find(&format!("place.{name}")).unwrap_or(says).to_owned()
}

fn places(page: &mut Page<'_>, body: &Body) {
    page.line("h2", &page.say("certificate.places"));
    page.line("p", &page.say("certificate.places_only"));
    columns(page, "certificate.place", &["certificate.removed", "certificate.still_there"]);
    // red: evidence::paper::certificate_page::tests::a_page_says_what_the_certificate_says_in_every_language
    let shown = mutant!("a-certificates-page-leaves-a-place-out", body.places.len(), body.places.len() - 1);
    for place in body.places.iter().take(shown) {
        row(page, &of_place(page, &place.name, &place.says), &[place.removed, place.left]);
    }
    page.html.push_str("</table>\n");
}

fn kept(page: &mut Page<'_>, body: &Body) {
    if body.kept.iter().all(|kept| kept.count == 0) {
        return;
    }
    page.line("h2", &page.say("certificate.kept"));
    columns(page, "certificate.kept_what", &["certificate.kept_count"]);
    for kept in body.kept.iter().filter(|kept| kept.count > 0) {
        row(page, &of_place(page, &kept.name, &kept.says), &[kept.count]);
    }
    page.html.push_str("</table>\n");
}

fn files(page: &mut Page<'_>, body: &Body) {
    let number = |number: u64| page.texts.number(number);
    let scan = &body.scan;
    let searched = page.say("certificate.files_searched");
    let scanned = number(scan.scanned);
    let found = number(scan.found);
    let scanned = page.texts.say("certificate.files_scanned", &[("scanned", &scanned), ("found", &found)]);
    let walked = page.texts.say("certificate.files_walked", &[("walked", &number(scan.walk_only))]);
    page.line("h2", &page.say("certificate.files"));
    page.line("p", &format!("{searched} {scanned} {walked}"));
}

/// What the certificate can be told by: its entry, the ledger that has it, and who signed.
fn proof(page: &mut Page<'_>, checked: &CheckedCertificate, certificate: &str) {
    let checkpoint = &checked.checkpoint;
    let entry: Value = serde_json::from_str(certificate).unwrap_or_default();
    let entry = cell(&entry["Entry"]["Certificate"]);
    let time = page.texts.time(Some(checkpoint.at));
    page.line("h2", &page.say("certificate.ledger"));
    page.html.push_str("<table>\n");
    page.code(&page.say("certificate.ledger_id"), &checkpoint.ledger.to_string());
    page.fact(&page.say("certificate.entry"), &page.texts.number(checked.index));
    let size = page.texts.say("certificate.ledger_size", &[("time", &time)]);
    page.fact(&size, &page.texts.number(checkpoint.size));
    page.code(&page.say("certificate.root"), &checkpoint.root.to_string());
    page.code(&page.say("certificate.text_hash"), &entry);
    page.code(&page.say("certificate.key"), &checkpoint.key.to_string());
    page.html.push_str("</table>\n");
}

/// How to check it: with a key that came another way, and not with the one that the certificate names itself.
fn check(page: &mut Page<'_>) {
    page.line("h2", &page.say("certificate.check"));
    page.html.push_str("<ol>\n");
    page.line("li", &page.say("certificate.check_file"));
    page.line("li", &page.say("certificate.check_key"));
    page.html.push_str("<li>");
    page.text(&page.say("certificate.check_run"));
    page.html.push_str("<br>");
    page.element("code", "lethe-verify certificate certificate.json --key ledger.key");
    page.html.push_str("</li>\n</ol>\n");
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
    use lethe_verify::tree::leaf_hash;
    use lethe_verify::{
        Certificate, Checkpoint, Hex, Kept, Place, Remains, Scan, VERSION, certificate_message,
    };
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::*;
    use crate::erase::places::{Database, PLACES};
    use crate::texts::Language;

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

    fn shop() -> Shop {
        Shop::from_json(
            &json!({"Name": "tea", "DisplayName": "Tea & <i>more</i>", "Contact": "dpo@tea.example"}),
        )
    }

    #[test]
    fn a_page_says_what_the_certificate_says_in_every_language() {
        let (certificate, key) = certificate(&body());
        for language in Language::ALL {
            let texts = Texts::of(language);
            let page = certificate_page(&certificate, &shop(), &texts).expect("a page");
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
                "<code>lethe-verify certificate certificate.json --key ledger.key</code>",
                "<code>06060606-0606-0606-0606-060606060606</code>",
                &format!("<td class=n>{}</td><td class=n>0</td>", texts.number(1234)),
                &texts.say("remains.heap", &[]),
                &texts.say("place.left-guests", &[]),
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
            for language in Language::ALL {
                let texts = Texts::of(language);
                let page = certificate_page(&certificate, &shop(), &texts).expect("a page");
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
        let texts = Texts::of(Language::English);
        let page = certificate_page(&certificate, &shop(), &texts).expect("a page");
        assert!(!page.contains("What is kept, and why"), "{page}");
    }

    #[test]
    fn nothing_but_what_proves_itself_becomes_a_page() {
        let (good, _) = certificate(&body());
        let forged = good.replace("\"Removed\":1234", "\"Removed\":4321");
        assert_ne!(good, forged);
        let texts = Texts::of(Language::English);
        assert!(matches!(certificate_page(&forged, &shop(), &texts), Err(Fault::CertificateSignature)));
        let mut left = body();
        left.places[0].left = 1;
        let (left, _) = certificate(&left);
        assert!(matches!(certificate_page(&left, &shop(), &texts), Err(Fault::Residue)));
    }
}
