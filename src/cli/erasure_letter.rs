//! A letter in plain words, made from the certificate of an erasure.

use serde_json::Value;

use super::table::{cell, printable};

/// The letter. It names nobody: the shop adds the address.
pub fn letter(body: &Value) -> String {
    let day =
        |name: &str| cell(&body[name]).parse::<i64>().ok().map_or_else(|| "an unknown day".to_owned(), day);
    let removed =
        body["Places"].as_array().into_iter().flatten().filter(|place| place["Removed"].as_u64() > Some(0));
    let removed: Vec<String> = removed
        .map(|place| format!("  - {} ({})", printable(&cell(&place["Says"])), place["Removed"]))
        .collect();
    let removed = match removed.is_empty() {
        true => "  - nothing: we held nothing about you".to_owned(),
        false => removed.join("\n"),
    };
    let looked: Vec<String> = body["Places"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|place| {
            format!("  - {}: {}", printable(&cell(&place["Says"])), printable(&cell(&place["Proof"])))
        })
        .collect();
    let kept = body["Kept"].as_array().into_iter().flatten().filter(|kept| kept["Count"].as_u64() > Some(0));
    let kept: Vec<String> =
        kept.map(|kept| format!("  - {} ({})", printable(&cell(&kept["Says"])), kept["Count"])).collect();
    format!(
        "You asked the shop {shop} to forget you. The request was accepted on {asked}; from then on nothing about you was \
         stored. It was done, and looked at again, on {verified}.\n\n\
         What was removed:\n{removed}\n\n\
         Where we looked afterwards, and how:\n{looked}\n\n\
         What is kept, and why:\n{kept}\n\n\
         These are the places of one program. It cannot speak for copies that others have made of its disk, nor for other \
         systems of the shop. Your request has the number {erasure}; the certificate of that number is signed and can be \
         checked by anybody with the program lethe-verify.\n\n\
         You may object, and you may complain to the data-protection authority of your country.",
        shop = printable(&cell(&body["Shop"])),
        asked = day("AskedAt"),
        verified = day("VerifiedAt"),
        looked = looked.join("\n"),
        kept = kept.join("\n"),
        erasure = cell(&body["Erasure"]),
    )
}

fn day(millis: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(millis);
    at.map_or_else(|_| "an unknown day".to_owned(), |at| at.strftime("%-d %B %Y").to_string())
}
