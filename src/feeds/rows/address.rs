//! Email addresses in running text.
//!
//! Text runs on: what stands around an address may belong to it or not (`Write:ada@shop.test.Thanks`). So a forgotten
//! address is looked for by asking about every reading, the longest first, and only the one that is known is blanked. It
//! is looked for in the text as it stands, and once more in what the text says when its encodings are undone.

use std::ops::Range;

use memchr::{memchr_iter, memchr3_iter};

use crate::spelling;

/// What stands in place of a forgotten address.
const BLANK: &str = "***";
/// What an encoded sign is decoded from at most.
const SIGN_BYTES: usize = 32;
/// What the signs begin with when JSON escapes them.
const ESCAPES: [&str; 5] = ["0040", "0025", "0026", "ff20", "fe6b"];
/// The full-width signs, and their first byte.
const WIDE_SIGNS: [&str; 2] = ["＠", "﹫"];
const WIDE: u8 = 0xEF;
/// No part of an address is longer.
const PART_BYTES: usize = 254;
/// Readings of one side that are asked about: of more, the longest and the shortest.
const READINGS: usize = 32;
/// Readings of what stands behind the sign.
const DOMAINS: usize = 8;
/// Ends of a file's name that look like the end of a domain (`logo@2x.png`).
const FILES: [&str; 7] = ["png", "jpg", "jpeg", "gif", "webp", "svg", "avif"];

/// What was found in a text.
#[derive(Default)]
pub(super) struct Found {
    /// Whether there is an address that stays.
    pub(super) any_passes: bool,
    /// The text without those that do not; `None` when all stay.
    pub(super) blanked: Option<String>,
}

/// Whether a text or JSON has a sign of an address, as it is, encoded or escaped. Cheap: most rows have none.
#[must_use]
pub fn may_hold_one(text: &[u8]) -> bool {
    let is_sign = |at: usize| match text[at] {
        b'@' => true,
        WIDE => WIDE_SIGNS.iter().any(|sign| text[at..].starts_with(sign.as_bytes())),
        _ => {
            let window = &text[at..text.len().min(at + SIGN_BYTES)];
            window.utf8_chunks().next().is_some_and(|chunk| spelling::begins_with_sign(chunk.valid()))
        }
    };
    let is_escaped = |at: usize| {
        let hex = text.get(at + 2..at + 6).unwrap_or_default();
        ESCAPES.iter().any(|sign| hex.eq_ignore_ascii_case(sign.as_bytes()))
    };
    memchr3_iter(b'@', b'%', b'&', text).any(is_sign)
        || memchr_iter(WIDE, text).any(is_sign)
        || memchr::memmem::find_iter(text, b"\\u").any(is_escaped)
}

/// Finds the addresses of a text, and blanks those that `is_forgotten`.
pub(super) fn find(text: &str, is_forgotten: &dyn Fn(&str) -> bool) -> Found {
    let mut places = Vec::new();
    let mut any_passes = look(text, is_forgotten, &mut |place| places.push(place));
    for plain in spelling::layers(text) {
        any_passes = look(&plain.text, is_forgotten, &mut |place| places.push(plain.written(place)));
    }
    Found { any_passes, blanked: blanked(text, places) }
}

/// Tells the places of forgotten addresses in a text, and whether there is one that is not.
fn look(text: &str, is_forgotten: &dyn Fn(&str) -> bool, tell: &mut dyn FnMut(Range<usize>)) -> bool {
    let (mut any_passes, mut end) = (false, 0);
    for at in memchr_iter(b'@', text.as_bytes()) {
        if at < end {
            continue;
        }
        let (locals, domains) = (locals(&text[end..at]), domains(&text[at + 1..]));
        let forgotten = locals.iter().find_map(|local| {
            let is_known = |domain: &&&str| is_forgotten(&format!("{local}@{domain}"));
            domains.iter().find(is_known).map(|domain| (local.len(), domain.len()))
        });
        match forgotten {
            Some((local, domain)) => {
                end = at + 1 + domain;
                tell(at - local..end);
            }
            None => {
                let is_one = locals.iter().any(|local| local.starts_with(is_letter));
                any_passes |= is_one && domains.iter().any(|domain| is_public(domain));
            }
        }
    }
    any_passes
}

/// The text with these places blanked; `None` when there are none.
fn blanked(text: &str, mut places: Vec<Range<usize>>) -> Option<String> {
    places.sort_by_key(|place| (place.start, place.end));
    let (mut blanked, mut written) = (String::new(), 0);
    for place in &places {
        // Readings of several layers may overlap, when one of them found more.
        if let Some(between) = text.get(written..place.start) {
            blanked.push_str(between);
            blanked.push_str(BLANK);
        }
        written = written.max(place.end);
    }
    blanked.push_str(text.get(written..).unwrap_or_default());
    (!places.is_empty()).then_some(blanked)
}

/// A letter of any script, and marks on letters.
fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '\u{300}'..='\u{36f}')
}

fn is_local(letter: char) -> bool {
    is_letter(letter) || "._+-".contains(letter)
}

/// Allowed before the sign, and there much more often a separator.
fn is_rare(letter: char) -> bool {
    "!#$%&'*/=?^`{|}~".contains(letter) || is_foreign(letter)
}

/// Beyond ASCII, and neither a letter nor white space.
fn is_foreign(letter: char) -> bool {
    !letter.is_ascii() && !is_letter(letter) && !letter.is_whitespace() && !letter.is_control()
}

/// The readings of what stands before the sign, the longest first.
fn locals(before: &str) -> Vec<&str> {
    let begin = run_back(before, |letter| is_local(letter) || is_rare(letter));
    let run = &before[begin..];
    let mut starts = vec![begin];
    let rare = run.char_indices().filter(|(_, letter)| is_rare(*letter));
    starts.extend(rare.map(|(at, letter)| begin + at + letter.len_utf8()));
    // Behind a backslash, JSON inside of the text has an escape.
    let escaped = |start: usize| {
        let is_escape =
            before[..start].ends_with('\\') && before[start..].starts_with(['n', 'r', 't', 'b', 'f']);
        is_escape.then_some(start + 1)
    };
    starts.extend(starts.clone().into_iter().filter_map(escaped));
    let wide = run.char_indices().rfind(|(_, letter)| !letter.is_ascii());
    starts.extend(wide.map(|(at, letter)| begin + at + letter.len_utf8()));
    let mut readings: Vec<_> = starts.into_iter().filter_map(|start| before.get(start..)).collect();
    for reading in readings.clone() {
        let bare = reading.trim_start_matches(SEPARATORS).len();
        // They may be a sentence's or the address's own.
        readings.extend((bare..reading.len()).rev().map(|left| &reading[reading.len() - left..]));
    }
    asked(readings, READINGS)
}

/// The readings that are asked about, the longest first. Of too many the longest, which is the address as it stands alone,
/// and the shortest, which is what stands behind a long link or before a long text.
fn asked(mut readings: Vec<&str>, most: usize) -> Vec<&str> {
    readings.retain(|reading| !reading.is_empty());
    readings.sort_by_key(|reading| std::cmp::Reverse(reading.len()));
    readings.dedup();
    if let Some(surplus) = readings.len().checked_sub(most) {
        readings.drain(most / 2..most / 2 + surplus);
    }
    readings
}

/// Where the run of such letters at the end of the text begins.
fn run_back(text: &str, is_in: impl Fn(char) -> bool) -> usize {
    let letters =
        text.char_indices().rev().take_while(|(at, letter)| is_in(*letter) && text.len() - at <= PART_BYTES);
    letters.last().map_or(text.len(), |(at, _)| at)
}

/// Signs that begin an address as seldom as they end one.
const SEPARATORS: [char; 4] = ['.', '-', '_', '+'];
const DOTS: [char; 4] = ['.', '。', '．', '｡'];

/// The readings of what stands behind the sign, the longest first.
fn domains(after: &str) -> Vec<&str> {
    let is_end = |letter: char| "-_".contains(letter) || DOTS.contains(&letter);
    let is_in = |letter: char| is_letter(letter) || is_end(letter) || is_foreign(letter);
    let run = after.char_indices().take_while(|(at, letter)| is_in(*letter) && *at < PART_BYTES);
    let end = run.last().map_or(0, |(at, letter)| at + letter.len_utf8());
    let run = &after[..end];
    let mut ends = vec![end];
    // A sentence that ended without a space behind its full stop goes on with a capital letter.
    ends.extend(run.match_indices('.').map(|(at, _)| at).filter(|at| {
        let mut next = run[at + 1..].chars();
        next.next().is_some_and(char::is_uppercase) && next.next().is_none_or(char::is_lowercase)
    }));
    ends.extend(run.char_indices().find(|(_, letter)| !letter.is_ascii()).map(|(at, _)| at));
    asked(ends.into_iter().map(|end| run[..end].trim_end_matches(is_end)).collect(), DOMAINS)
}

/// Whether a domain is one of the public network, and not `5 V`, a version, or the name of a file.
fn is_public(domain: &str) -> bool {
    let Some((_, last)) = domain.rsplit_once(DOTS) else { return false };
    let is_name = last.starts_with("xn--") || last.chars().all(char::is_alphabetic);
    is_name && last.chars().nth(1).is_some() && !FILES.iter().any(|end| end.eq_ignore_ascii_case(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    /// The text after Ada was forgotten.
    fn without_ada(text: &str) -> String {
        find(text, &|email| email.to_lowercase() == "ada@shop.test")
            .blanked
            .unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_sign_that_json_escapes_is_seen() {
        for json in [r#""a@b""#, r#""a\u0040b""#, r#""a\uFF20b""#, r#""a%40b""#, r#""caf\u00e9 a\u0040b""#] {
            assert!(may_hold_one(json.as_bytes()), "{json}");
        }
        for json in [r#""caf\u00e9""#, r#""\u00""#, r#""\u""#] {
            assert!(!may_hold_one(json.as_bytes()), "{json}");
        }
    }

    #[test]
    fn an_address_is_found_in_running_text_however_it_is_written() {
        for (text, blanked) in [
            ("ada@shop.test", "***"),
            ("Write to Ada@Shop.test.", "Write to ***."),
            ("E-Mail:ada@shop.test,bob@shop.test", "E-Mail:***,bob@shop.test"),
            ("<a href='mailto:ada%40shop.test'>ada&#64;shop.test</a>", "<a href='mailto:***'>***</a>"),
            ("ada&commat;shop.test ada&#X40;shop.test ada＠shop.test", "*** *** ***"),
            ("?to=ada@shop.test&x=1", "?to=***&x=1"),
            ("mailto%3Aada%40shop.test%3F", "mailto%3A***%3F"),
            ("-ada@shop.test- ...ada@shop.test", "-***- ...***"),
            ("{\"a\":\"x\\nada@shop.test\\u003cada@shop.test\"}", "{\"a\":\"x\\n***\\u003c***\"}"),
            ("Thanks to ada@shop.test.Have fun", "Thanks to ***.Have fun"),
            ("ada@shop.test.Aa.Bb.Cc.Dd.Ee.Ff.Gg.Hh.Ii", "***.Aa.Bb.Cc.Dd.Ee.Ff.Gg.Hh.Ii"),
            (
                "a=/b=/c=/d=/e=/f=/g=/h=/i=/j=/k=/l=/m=/n=/o=/p=/q=/r=/s=/ada@shop.test",
                "a=/b=/c=/d=/e=/f=/g=/h=/i=/j=/k=/l=/m=/n=/o=/p=/q=/r=/s=/***",
            ),
            ("連絡先ada@shop.testまで", "連絡先***まで"),
            ("ada@shop.testada@shop.test", "ada@shop.testada@shop.test"),
        ] {
            assert_eq!(without_ada(text), blanked);
        }
    }

    #[test]
    fn an_address_is_found_behind_every_encoding_of_its_letters() {
        for (email, texts) in [
            (
                "ada+news@shop.test",
                "ada%2Bnews%40shop.test|ada%2bnews@shop.test|ada&#43;news@shop.test|ADA+news@shop.test",
            ),
            (
                "o'brien@shop.test",
                "o&#39;brien@shop.test|o&#039;brien@shop.test|o&apos;brien@shop.test|o%27brien%40shop.test",
            ),
            (
                "jo.under_score@shop.test",
                "jo.under%5Fscore%40shop.test|jo.under_score@shop%2Etest|jo.under_score@shop&#46;test|\
                 ｊｏ．ｕｎｄｅｒ＿ｓｃｏｒｅ＠ｓｈｏｐ．ｔｅｓｔ|jo.under_score%2540shop.test|jo.under_score\\u0040shop.test|\
                 jo\u{ad}.under_score@sh&shy;op.test",
            ),
            (
                "müller@bücher.test",
                "m%C3%BCller%40b%C3%BCcher.test|m&uuml;ller@b&uuml;cher.test|mu\u{308}ller@bücher.test",
            ),
            ("snow☃man@shop.test", "snow☃man@shop.test"),
            ("ada@☃.test", "ada@☃.test|ada@&#9731;.test"),
            ("ada@sh_op.test", "ada@sh_op.test"),
            ("m!a#b$c%d&e*f/g=h?i^j`k{l|m}n~o@shop.test", "m!a#b$c%d&e*f/g=h?i^j`k{l|m}n~o@shop.test"),
        ] {
            let is_it = |found: &str| found.to_lowercase().nfkc().eq(email.nfkc());
            for text in texts.split('|').map(|text| format!("To <b>{text}</b>, bob@shop.test")) {
                // The one with every sign holds the separator of this list too.
                let text =
                    if email.contains('|') { format!("To <b>{email}</b>, bob@shop.test") } else { text };
                let blanked = find(&text, &is_it).blanked;
                assert_eq!(blanked.as_deref(), Some("To <b>***</b>, bob@shop.test"), "{text}");
                assert!(may_hold_one(text.as_bytes()));
            }
        }
    }

    #[test]
    fn a_separator_may_be_the_address_s_own() {
        for (text, blanked) in [
            ("._ada@shop.test", ".***"),
            ("x=-_ada@shop.test", "x=-***"),
            ("x_ada@shop.test", "x_ada@shop.test"),
        ] {
            let found = find(text, &|email| email == "_ada@shop.test");
            assert_eq!(found.blanked.as_deref().unwrap_or(text), blanked);
        }
    }

    #[test]
    fn the_addresses_of_others_stay() {
        for text in [
            "jada@shop.test",
            "x.ada@shop.test",
            "ada@shop.test.example",
            "ada@shop.tests",
            "ada@shop",
            "@shop.test",
            "ada@",
            "ada @ shop.test",
            "%40 &#64; @",
        ] {
            assert_eq!(without_ada(text), text);
        }
    }

    #[test]
    fn what_only_looks_like_an_address_is_none() {
        let is_one = |text: &str| find(text, &|_| false).any_passes;
        for text in
            ["info@shop.test", "Ask info@shop.co.uk!", "info@bücher.example", "x@xn--bcher-kva.xn--p1ai"]
        {
            assert!(is_one(text), "{text}");
        }
        for text in [
            "4K@60Hz",
            "2.4GHz@5.0",
            "logo@2x.png",
            "@media screen",
            "https://maps.example/@51.5,-0.1",
            "12@home",
            "user@1.2.3",
            "a @ b.test",
            "100%40",
        ] {
            assert!(!is_one(text), "{text}");
        }
    }

    #[test]
    fn the_readings_of_a_text_without_end_are_few() {
        let asked = std::cell::Cell::new(0);
        let text = format!("{}@{}", "a/.-%41".repeat(4000), "b.Ab.".repeat(4000));
        find(&text, &|_| {
            asked.set(asked.get() + 1);
            false
        });
        assert!(asked.get() <= 4 * READINGS * DOMAINS, "{}", asked.get());
    }
}
