//! Email addresses in running text.
//!
//! Text runs on: what stands around an address may belong to it or not (`Write:ada@shop.test.Thanks`). So a forgotten
//! address is looked for by asking about every reading, the longest first, and only the one that is known is blanked.

use memchr::{memchr_iter, memchr3_iter};

/// What stands in place of a forgotten address.
const BLANK: &str = "***";
/// The signs that separate the two parts of an address: as it is, full-width, and as links and HTML write it.
const SIGNS: [&str; 7] = ["@", "＠", "﹫", "%40", "&#64;", "&#x40;", "&commat;"];
/// What the signs begin with when JSON escapes them.
const ESCAPES: [&str; 5] = ["0040", "0025", "0026", "ff20", "fe6b"];
/// First byte of the full-width signs.
const WIDE: u8 = 0xEF;
/// No part of an address is longer.
const PART_BYTES: usize = 254;
/// Readings of one side that are asked about.
const READINGS: usize = 8;
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

/// Whether the normal form of a text has a sign of an address. Cheap: most rows have none.
#[must_use]
pub fn may_hold_one(text: &[u8]) -> bool {
    signs(text).next().is_some()
}

/// Whether JSON as it was sent has a sign of an address, as it is or escaped.
#[must_use]
pub fn may_hold_one_escaped(json: &[u8]) -> bool {
    let is_sign = |at: usize| {
        let hex = json.get(at + 2..at + 6).unwrap_or_default();
        ESCAPES.iter().any(|sign| hex.eq_ignore_ascii_case(sign.as_bytes()))
    };
    may_hold_one(json) || memchr::memmem::find_iter(json, b"\\u").any(is_sign)
}

/// Places and lengths of the signs, in order.
fn signs(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let places = itertools::merge(memchr3_iter(b'@', b'%', b'&', text), memchr_iter(WIDE, text));
    places.filter_map(|at| {
        let is_here = |sign: &&str| {
            text.get(at..at + sign.len()).is_some_and(|found| found.eq_ignore_ascii_case(sign.as_bytes()))
        };
        SIGNS.into_iter().find(is_here).map(|sign| (at, sign.len()))
    })
}

/// Finds the addresses of a text, and blanks those that `is_forgotten`.
pub(super) fn find(text: &str, is_forgotten: &dyn Fn(&str) -> bool) -> Found {
    let mut found = Found::default();
    let mut written = 0;
    for (at, length) in signs(text.as_bytes()) {
        if at < written {
            continue;
        }
        let (before, after) = (&text[written..at], &text[at + length..]);
        let (locals, domains) = (locals(before), domains(after));
        let forgotten = locals.iter().find_map(|local| {
            let is_known = |domain: &&&str| is_forgotten(&format!("{local}@{domain}"));
            domains.iter().find(is_known).map(|domain| (local.len(), domain.len()))
        });
        match forgotten {
            Some((local, domain)) => {
                let blanked = found.blanked.get_or_insert_default();
                blanked.push_str(&text[written..at - local]);
                blanked.push_str(BLANK);
                written = at + length + domain;
            }
            None => {
                let is_one = locals.first().zip(domains.first());
                found.any_passes |= is_one.is_some_and(|(_, domain)| is_public(domain));
            }
        }
    }
    if let Some(blanked) = &mut found.blanked {
        blanked.push_str(&text[written..]);
    }
    found
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
    "!#$%&'*/=?^`{|}~".contains(letter)
}

/// The readings of what stands before the sign, the longest first.
fn locals(before: &str) -> Vec<&str> {
    let begin = run_back(before, |letter| is_local(letter) || is_rare(letter));
    let run = &before[begin..];
    let mut starts = vec![begin];
    starts.extend(run.char_indices().filter(|(_, letter)| is_rare(*letter)).map(|(at, _)| begin + at + 1));
    // Behind `%`, two digits are a byte of a link; behind a backslash, JSON inside of the text has an escape.
    let escaped = |start: usize| match before[..start].bytes().next_back() {
        Some(b'%') => has_hex(&before[start..], 2).then_some(start + 2),
        Some(b'\\') => match before[start..].bytes().next() {
            Some(b'u') => has_hex(&before[start + 1..], 4).then_some(start + 5),
            Some(b'n' | b'r' | b't' | b'b' | b'f') => Some(start + 1),
            _ => None,
        },
        _ => None,
    };
    starts.extend(starts.clone().into_iter().filter_map(escaped));
    let wide = run.char_indices().rfind(|(_, letter)| !letter.is_ascii());
    starts.extend(wide.map(|(at, letter)| begin + at + letter.len_utf8()));
    let mut readings: Vec<_> = starts.into_iter().filter_map(|start| before.get(start..)).collect();
    let trimmed: Vec<_> =
        readings.iter().map(|reading| reading.trim_start_matches(['.', '-', '_', '+'])).collect();
    readings.extend(trimmed);
    readings.retain(|reading| !reading.is_empty());
    readings.sort_by_key(|reading| std::cmp::Reverse(reading.len()));
    readings.dedup();
    let surplus = readings.len().saturating_sub(READINGS);
    readings.drain(..surplus);
    readings
}

fn has_hex(text: &str, digits: usize) -> bool {
    text.as_bytes().get(..digits).is_some_and(|text| text.iter().all(u8::is_ascii_hexdigit))
}

/// Where the run of such letters at the end of the text begins.
fn run_back(text: &str, is_in: impl Fn(char) -> bool) -> usize {
    let letters =
        text.char_indices().rev().take_while(|(at, letter)| is_in(*letter) && text.len() - at <= PART_BYTES);
    letters.last().map_or(text.len(), |(at, _)| at)
}

const DOTS: [char; 4] = ['.', '。', '．', '｡'];

/// The readings of what stands behind the sign, the longest first.
fn domains(after: &str) -> Vec<&str> {
    let is_in = |letter: char| is_letter(letter) || letter == '-' || DOTS.contains(&letter);
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
    let mut readings: Vec<_> = ends
        .into_iter()
        .map(|end| run[..end].trim_end_matches(|letter| letter == '-' || DOTS.contains(&letter)))
        .filter(|reading| !reading.is_empty())
        .collect();
    readings.sort_by_key(|reading| std::cmp::Reverse(reading.len()));
    readings.dedup();
    readings.truncate(READINGS);
    readings
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

    /// The text after Ada was forgotten.
    fn without_ada(text: &str) -> String {
        find(text, &|email| email.to_lowercase() == "ada@shop.test")
            .blanked
            .unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_sign_that_json_escapes_is_seen() {
        for json in [r#""a@b""#, r#""a\u0040b""#, r#""a\uFF20b""#, r#""a%40b""#, r#""caf\u00e9 a\u0040b""#] {
            assert!(may_hold_one_escaped(json.as_bytes()), "{json}");
        }
        for json in [r#""caf\u00e9""#, r#""\u00""#, r#""\u""#] {
            assert!(!may_hold_one_escaped(json.as_bytes()), "{json}");
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
            ("連絡先ada@shop.testまで", "連絡先***まで"),
            ("ada@shop.testada@shop.test", "ada@shop.testada@shop.test"),
        ] {
            assert_eq!(without_ada(text), blanked);
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
        assert!(asked.get() <= READINGS * READINGS, "{}", asked.get());
    }
}
