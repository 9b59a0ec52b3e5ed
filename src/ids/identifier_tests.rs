//! The normal form, vector by vector: spellings that must become one identifier and those that must stay two.

use super::*;
use IdentifierRefusal::{ControlCharacter, Empty, NoDomain, NoEmail, NoLocal, Nobody, TooLong};
use proptest::prelude::*;

/// An e-mail as it is sent, and its normal form or why it is refused.
const EMAILS: &[(&str, Result<&str, IdentifierRefusal>)] = &[
    // as it is
    ("anna@example.com", Ok("anna@example.com")),
    ("a@b", Ok("a@b")),
    ("anna@localhost", Ok("anna@localhost")),
    ("o'brien@example.com", Ok("o'brien@example.com")),
    ("anna@exa_mple.com", Ok("anna@exa_mple.com")),
    ("anna..b@example.com", Ok("anna..b@example.com")),
    // case
    ("Anna@Example.COM", Ok("anna@example.com")),
    ("ANNA@EXAMPLE.COM", Ok("anna@example.com")),
    ("ÄNNE@example.com", Ok("änne@example.com")),
    ("АННА@example.com", Ok("анна@example.com")),
    // white space around it
    ("  anna@example.com ", Ok("anna@example.com")),
    ("\tanna@example.com\r\n", Ok("anna@example.com")),
    ("\u{a0}anna@example.com\u{2003}", Ok("anna@example.com")),
    ("\u{3000}anna@example.com\u{2028}", Ok("anna@example.com")),
    // compatible characters
    ("ａｎｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ", Ok("anna@example.com")),
    ("ＡＮＮＡ@example.com", Ok("anna@example.com")),
    ("anna﹫example.com", Ok("anna@example.com")),
    ("𝐚𝐧𝐧𝐚@example.com", Ok("anna@example.com")),
    ("ﬁona@example.com", Ok("fiona@example.com")),
    ("anna①@example.com", Ok("anna1@example.com")),
    ("\u{212a}im@example.com", Ok("kim@example.com")), // Kelvin sign
    ("\u{212b}sa@example.com", Ok("\u{e5}sa@example.com")), // Angstrom sign
    ("ｱﾝﾅ@example.com", Ok("アンナ@example.com")),
    // composed and decomposed
    ("rene\u{301}@example.com", Ok("ren\u{e9}@example.com")),
    ("ren\u{e9}@example.com", Ok("ren\u{e9}@example.com")),
    ("A\u{30a}sa@example.com", Ok("\u{e5}sa@example.com")),
    ("J\u{30c}an@example.com", Ok("\u{1f0}an@example.com")), // composes only in lower case
    ("q\u{307}\u{323}@example.com", Ok("q\u{323}\u{307}@example.com")),
    ("한@example.com", Ok("한@example.com")),
    ("\u{1112}\u{1161}\u{11ab}@example.com", Ok("한@example.com")),
    // sigma, dotted I, sharp s: by character, never by context
    ("ΑΣ@example.com", Ok("ασ@example.com")),
    ("ας@example.com", Ok("ας@example.com")),
    ("ΣΑΣ@example.com", Ok("σασ@example.com")),
    ("İ@example.com", Ok("i\u{307}@example.com")),
    ("I@example.com", Ok("i@example.com")),
    ("ı@example.com", Ok("ı@example.com")),
    ("GROẞ@example.com", Ok("groß@example.com")),
    ("groß@example.com", Ok("groß@example.com")),
    ("ϴ@example.com", Ok("θ@example.com")),
    // domains
    ("anna@münchen.example", Ok("anna@xn--mnchen-3ya.example")),
    ("anna@MÜNCHEN.example", Ok("anna@xn--mnchen-3ya.example")),
    ("anna@mu\u{308}nchen.example", Ok("anna@xn--mnchen-3ya.example")),
    ("anna@xn--mnchen-3ya.example", Ok("anna@xn--mnchen-3ya.example")),
    ("anna@XN--MNCHEN-3YA.example", Ok("anna@xn--mnchen-3ya.example")),
    ("anna@straße.example", Ok("anna@xn--strae-oqa.example")),
    ("anna@例え.テスト", Ok("anna@xn--r8jz45g.xn--zckzah")),
    ("anna@例え。テスト", Ok("anna@xn--r8jz45g.xn--zckzah")),
    ("anna@ex\u{ad}ample.com", Ok("anna@example.com")),
    ("anna@example.com.", Ok("anna@example.com")),
    ("anna@example.com。", Ok("anna@example.com")),
    ("anna@192.0.2.1", Ok("anna@192.0.2.1")),
    ("anna@example.com..", Err(NoDomain)),
    ("anna@.example.com", Err(NoDomain)),
    ("anna@exa..mple.com", Err(NoDomain)),
    ("anna@.", Err(NoDomain)),
    ("anna@exa mple.com", Err(NoDomain)),
    ("anna@[192.0.2.1]", Err(NoDomain)),
    ("anna@xn--0.example", Err(NoDomain)),
    ("anna@exa/mple.com", Err(NoDomain)),
    // letters of another script that look alike are other people: a guess forgets no person
    ("\u{430}nna@example.com", Ok("\u{430}nna@example.com")), // Cyrillic a
    ("\u{410}NNA@example.com", Ok("\u{430}nna@example.com")),
    ("ann\u{3b1}@example.com", Ok("ann\u{3b1}@example.com")), // Greek alpha
    ("anna@ex\u{430}mple.com", Ok("anna@xn--exmple-4nf.com")),
    ("anna@EX\u{410}MPLE.com", Ok("anna@xn--exmple-4nf.com")),
    ("anna@xn--exmple-4nf.com", Ok("anna@xn--exmple-4nf.com")),
    // dots and tags are other people
    ("an.na@gmail.com", Ok("an.na@gmail.com")),
    ("anna@gmail.com", Ok("anna@gmail.com")),
    ("anna+shop@gmail.com", Ok("anna+shop@gmail.com")),
    ("anna@googlemail.com", Ok("anna@googlemail.com")),
    // as mail programs and links write it
    ("<anna@example.com>", Ok("anna@example.com")),
    ("Anna B <Anna@example.com>", Ok("anna@example.com")),
    ("\"B, Anna\" <anna@example.com>", Ok("anna@example.com")),
    ("anna@example.com <anna@example.com>", Ok("anna@example.com")),
    ("anna@example.com (Anna B)", Ok("anna@example.com")),
    ("mailto:anna@example.com", Ok("anna@example.com")),
    ("<MAILTO:anna@example.com?subject=Hello>", Ok("anna@example.com")),
    ("\"anna\"@example.com", Ok("anna@example.com")),
    ("bob@example.com <anna@example.com>", Err(NoEmail)),
    ("<anna@example.com> x", Err(NoEmail)),
    ("anna@example.com (bob@example.com)", Err(NoEmail)),
    ("anna@example.com (Anna B", Err(NoEmail)),
    ("anna@example.com (B) (Anna)", Ok("anna@example.com")),
    ("Anna <b <anna@example.com>", Err(NoLocal)),
    // encoded
    ("anna%40example.com", Ok("anna@example.com")),
    ("anna&#64;example.com", Ok("anna@example.com")),
    ("anna%2540example.com", Ok("anna@example.com")),
    ("&lt;anna&commat;example.com&gt;", Ok("anna@example.com")),
    ("m%C3%BCller&#64;b&uuml;cher.example", Ok("müller@xn--bcher-kva.example")),
    ("anna%2bshop@example.com", Ok("anna+shop@example.com")),
    ("100%anna@example.com", Ok("100%anna@example.com")),
    ("tom&jerry@example.com", Ok("tom&jerry@example.com")),
    ("anna%0a@example.com", Err(NoLocal)),
    ("anna@example.com%00", Ok("anna@example.com")),
    // invisible letters
    ("anna@example.com\u{200b}", Ok("anna@example.com")),
    ("\u{feff}an\u{ad}na@exam\u{2060}ple.com", Ok("anna@example.com")),
    // texts whose parts cannot be told apart, or that are two addresses
    ("anna b@example.com", Err(NoLocal)),
    ("\"anna b\"@example.com", Err(NoLocal)),
    ("anna @example.com", Err(NoLocal)),
    ("an\u{a8}na@example.com", Err(NoLocal)), // a space and two dots
    ("anna@example.com,anna@example.com", Err(NoLocal)),
    ("anna@example.com;bob@example.com", Err(NoLocal)),
    ("to:anna@example.com", Err(NoLocal)),
    ("anna@home@example.com", Err(NoLocal)),
    ("anna\\b@example.com", Err(NoLocal)),
    ("snow☃man@example.com", Ok("snow☃man@example.com")),
    ("anna@example.com,", Err(NoDomain)),
    ("anna@example.com;", Err(NoDomain)),
    ("anna@exa\"mple.com", Err(NoDomain)),
    ("anna@example-", Err(NoDomain)),
    // refused
    ("", Err(Empty)),
    (" \t\u{3000}", Err(Empty)),
    ("anna", Err(NoEmail)),
    ("@example.com", Err(NoEmail)),
    ("anna@", Err(NoEmail)),
    ("@", Err(NoEmail)),
    ("an\0na@example.com", Err(ControlCharacter)),
    ("\0anna@example.com", Err(ControlCharacter)),
    ("an\nna@example.com", Err(ControlCharacter)),
    ("anna@exam\u{7f}ple.com", Err(ControlCharacter)),
    ("an\u{9d}na@example.com", Err(ControlCharacter)),
];

/// A user id as it is sent, and its normal form or why it is refused.
const USER_IDS: &[(&str, Result<&str, IdentifierRefusal>)] = &[
    ("4711", Ok("4711")),
    ("007", Ok("007")),
    ("-10", Ok("-10")),
    (" 4711\n", Ok("4711")),
    ("Anna", Ok("Anna")),
    ("anna", Ok("anna")),
    ("Anna@Example.com", Ok("Anna@Example.com")),
    ("４７１１", Ok("４７１１")),
    ("ﬁona", Ok("ﬁona")),
    ("rene\u{301}", Ok("ren\u{e9}")),
    ("guests", Ok("guests")),
    ("a b", Ok("a b")),
    ("", Err(Empty)),
    ("  ", Err(Empty)),
    ("0", Err(Nobody)),
    (" 0 ", Err(Nobody)),
    ("-1", Err(Nobody)),
    ("null", Err(Nobody)),
    ("NULL", Err(Nobody)),
    ("Guest", Err(Nobody)),
    ("gUEST ", Err(Nobody)),
    ("00", Err(Nobody)),
    ("0.0", Err(Nobody)),
    ("-", Err(Nobody)),
    ("００", Err(Nobody)),
    ("undefined", Err(Nobody)),
    ("ＵＮＤＥＦＩＮＥＤ", Err(Nobody)),
    ("Anonymous", Err(Nobody)),
    ("none", Err(Nobody)),
    ("nil", Err(Nobody)),
    ("NaN", Err(Nobody)),
    ("N/A", Err(Nobody)),
    ("Unknown", Err(Nobody)),
    ("False", Err(Nobody)),
    ("(null)", Err(Nobody)),
    ("'null'", Err(Nobody)),
    ("\"\"", Err(Nobody)),
    ("[object Object]", Err(Nobody)),
    ("[OBJECT OBJECT]", Err(Nobody)),
    ("00000000-0000-0000-0000-000000000000", Err(Nobody)),
    ("007", Ok("007")),
    ("-7", Ok("-7")),
    ("guest-7", Ok("guest-7")),
    ("nobody", Ok("nobody")),
    ("47\x0011", Err(ControlCharacter)),
    ("47\u{85}11", Err(ControlCharacter)),
];

fn normal(parsed: Result<Identifier, IdentifierRefusal>) -> Result<String, IdentifierRefusal> {
    parsed.map(|id| id.normal().to_owned())
}

#[test]
fn every_email_has_the_normal_form_of_its_vector() {
    for (sent, expected) in EMAILS {
        assert_eq!(normal(Identifier::email(sent)), expected.map(str::to_owned), "{sent:?}");
    }
}

#[test]
fn every_user_id_has_the_normal_form_of_its_vector_and_other_ids_have_the_same() {
    for (sent, expected) in USER_IDS {
        for parse in [Identifier::user_id, Identifier::account_id, Identifier::visitor_id] {
            assert_eq!(normal(parse(sent)), expected.map(str::to_owned), "{sent:?}");
        }
    }
}

#[test]
fn an_identifier_may_have_254_bytes_and_no_more() {
    let longest = format!("{}@example.com", "a".repeat(242));
    assert_eq!(normal(Identifier::email(&longest)).unwrap().len(), 254);
    assert_eq!(normal(Identifier::email(&format!("a{longest}"))), Err(TooLong));
    assert_eq!(normal(Identifier::email(&longest.replace('a', "𝐚").replace("ex𝐚", "exa"))).unwrap(), longest);
    assert_eq!(normal(Identifier::user_id(&"é".repeat(127))).unwrap().len(), 254);
    assert_eq!(normal(Identifier::user_id(&"é".repeat(128))), Err(TooLong));
    assert_eq!(normal(Identifier::email(&"a".repeat(1 << 20))), Err(TooLong));
}

#[test]
fn a_text_of_1016_bytes_may_be_an_identifier_and_a_longer_one_is_not_looked_at() {
    let wide = |ascii: &str| -> String {
        let bold = |letter: char| char::from_u32(u32::from(letter) - u32::from('a') + 0x1d41a);
        ascii.chars().map(|letter| bold(letter).expect("a letter")).collect()
    };
    let longest = format!("{}@{}.{}", wide(&"a".repeat(242)), wide("example"), wide("com"));
    let plain = format!("{}@example.com", "a".repeat(242));
    let said = format!("{longest}\u{200b}\u{200b}");
    assert_eq!((said.len(), normal(Identifier::email(&format!(" {said} ")))), (1016, Ok(plain)));
    assert_eq!(normal(Identifier::email(&format!("{longest}.\u{200b}\u{200b}"))), Err(TooLong));
}

#[test]
fn a_placeholder_has_64_bytes_at_most() {
    assert_eq!(normal(Identifier::user_id(&"0".repeat(64))), Err(Nobody));
    assert_eq!(normal(Identifier::user_id(&"0".repeat(65))), Ok("0".repeat(65)));
}

#[test]
fn every_character_there_is_normalises_once_and_for_all() {
    for c in '\0'..=char::MAX {
        for sent in [format!("{c}@example.com"), format!("x{c}\u{30c}y@example.com")] {
            if let Ok(once) = Identifier::email(&sent) {
                assert_eq!(normal(Identifier::email(once.normal())).as_deref(), Ok(once.normal()), "{c:?}");
            }
        }
    }
}

#[test]
fn a_refusal_never_repeats_what_was_sent() {
    for (sent, _) in EMAILS.iter().chain(USER_IDS).filter(|(sent, _)| sent.len() > 5) {
        for parse in [Identifier::email, Identifier::user_id] {
            if let Err(refusal) = parse(sent) {
                assert!(!format!("{refusal} {refusal:?}").contains(sent));
            }
        }
    }
}

#[test]
fn a_forget_request_says_by_prefix_or_at_sign_whom_it_means() {
    let asked = |text: &str| match Identifier::parse_forget(text) {
        Ok(asked) => Ok(asked.candidates().iter().map(|id| (id.kind(), id.normal().to_owned())).collect()),
        Err(refusal) => Err(refusal),
    };
    let one = |kind, text: &str| Ok(vec![(kind, text.to_owned())]);
    assert_eq!(asked(" Anna@Example.com"), one(IdentifierKind::Email, "anna@example.com"));
    assert_eq!(asked("anna＠example.com"), one(IdentifierKind::Email, "anna@example.com"));
    assert_eq!(asked("userid:Anna@Example.com"), one(IdentifierKind::UserId, "Anna@Example.com"));
    assert_eq!(asked("userid: 4711 "), one(IdentifierKind::UserId, "4711"));
    assert_eq!(asked("AccId:4711"), one(IdentifierKind::AccountId, "4711"));
    assert_eq!(asked("visitor:a:b"), one(IdentifierKind::VisitorId, "a:b"));
    assert_eq!(asked("userid:"), Err(Empty));
    assert_eq!(asked("userid:guest"), Err(Nobody));
    assert_eq!(asked("other:anna@example.com"), Err(NoLocal));
    assert_eq!(asked("mailto:anna@example.com"), one(IdentifierKind::Email, "anna@example.com"));
    assert_eq!(asked("null"), Err(Nobody));
    assert_eq!(asked("anna@"), Err(NoEmail));
    let kinds = [IdentifierKind::UserId, IdentifierKind::AccountId, IdentifierKind::VisitorId];
    assert_eq!(asked(" 4711"), Ok(kinds.map(|kind| (kind, "4711".to_owned())).to_vec()));
    assert_eq!(asked("x:4711"), Ok(kinds.map(|kind| (kind, "x:4711".to_owned())).to_vec()));
}

#[test]
fn kinds_come_back_from_their_codes() {
    for kind in
        [IdentifierKind::Email, IdentifierKind::UserId, IdentifierKind::AccountId, IdentifierKind::VisitorId]
    {
        assert_eq!(IdentifierKind::from_code(kind.code()), Some(kind));
    }
    let named = IdentifierKind::ALL.map(|kind| (kind.code(), kind.as_str()));
    assert_eq!(named, [(1, "Email"), (2, "UserId"), (3, "AccountId"), (4, "VisitorId")]);
    assert_eq!(IdentifierKind::from_code(0), None);
    assert_eq!(IdentifierKind::from_code(5), None);
}

#[test]
fn a_user_id_that_is_an_address_in_any_spelling_is_that_address() {
    let wide =
        [("anna％40example.com", Ok("anna@example.com")), ("anna＆#64;example.com", Ok("anna@example.com"))];
    for (text, email) in EMAILS.iter().chain(&wide) {
        let (Ok(user_id), Ok(email)) = (Identifier::user_id(text), email) else { continue };
        let addresses = user_id.addresses();
        assert_eq!(addresses.first().map(Identifier::normal), Some(*email), "{text}");
    }
    for other in ["7", "anna", "user=7", "a&b", "100%", "@anna"] {
        assert!(Identifier::user_id(other).ok().unwrap().addresses().is_empty(), "{other}");
    }
}

#[test]
fn an_id_is_of_every_address_in_it() {
    let of = |kind, text| {
        let id = Identifier::parse(kind, text).ok().unwrap();
        id.addresses().iter().map(|address| address.normal().to_owned()).collect::<Vec<_>>()
    };
    for kind in [IdentifierKind::UserId, IdentifierKind::AccountId, IdentifierKind::VisitorId] {
        for text in [
            "ada@mail.example",
            "ada%40mail.example#7",
            "Ada: ada@mail.example",
            "ada@mail.example,ADA@mail.example",
            "x/ada&#64;mail.example/7",
            "(ada\\u0040mail.example)",
        ] {
            assert!(of(kind, text).contains(&"ada@mail.example".to_owned()), "{text}: {:?}", of(kind, text));
        }
        assert_eq!(of(kind, "ada@a.example;bo@b.example"), ["ada@a.example", "bo@b.example"]);
        assert!(of(kind, "7#ada@mail.example").contains(&"ada@mail.example".to_owned()));
        assert_eq!(of(kind, "o'brien@mail.example"), ["o'brien@mail.example"]);
    }
    assert_eq!(of(IdentifierKind::Email, "ada@mail.example"), [""; 0]);
}

proptest! {
    #[test]
    fn normalising_an_email_twice_changes_nothing(local in "\\PC{1,20}", domain in "[\\PC&&[^@]]{1,12}") {
        if let Ok(once) = Identifier::email(&format!("{local}@{domain}")) {
            let twice = normal(Identifier::email(once.normal()));
            prop_assert_eq!(twice.as_deref(), Ok(once.normal()));
        }
    }

    #[test]
    fn normalising_an_id_twice_changes_nothing(text: String) {
        if let Ok(once) = Identifier::user_id(&text) {
            let twice = normal(Identifier::user_id(once.normal()));
            prop_assert_eq!(twice.as_deref(), Ok(once.normal()));
        }
    }

    #[test]
    fn no_text_makes_the_reader_of_forget_requests_panic(text: String) {
        let _ = Identifier::parse_forget(&text);
    }
}
