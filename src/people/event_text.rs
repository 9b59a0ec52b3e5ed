//! An event as it is sealed.

use std::borrow::Cow;

use zeroize::Zeroizing;

use crate::clock::Millis;
use crate::keys::KeyFault;
use crate::people::event_action::{
    CountedSearch, EventAction, ITEM_CLICK, ORDER_PLACED, PRODUCT_VIEW, SEARCH, SET_BASKET, ShopperSession,
    StoredEvent, ZONES_SEEN,
};
use crate::reports::attribution::AttributionSource;

/// An event in JSON: `[name, at, session, start of the session, number in it, texts]`; the last is the product of a
/// view, and a list for others: products; the search, its number of hits, and `corrected`; the product that was clicked
/// and where; the content of zones. `true` follows where the event is for its person alone.
pub(super) fn encode(noted: &StoredEvent) -> Zeroizing<Vec<u8>> {
    let texts: EventTexts<'_> = match &noted.what {
        EventAction::ProductViewed(product) => EventTexts::One(product.into()),
        EventAction::BasketSet(products) | EventAction::Ordered(products) => {
            EventTexts::Many(products.into())
        }
        EventAction::Searched(CountedSearch { query, found, is_corrected }) => {
            let corrected = is_corrected.then(|| CORRECTED.to_owned());
            let texts = [query.clone(), found.to_string()].into_iter().chain(corrected);
            EventTexts::Many(texts.collect::<Vec<_>>().into())
        }
        EventAction::Clicked(product, source) => {
            EventTexts::Many(vec![product.clone(), source.to_string()].into())
        }
        EventAction::ZonesSeen(sources) => {
            EventTexts::Many(sources.iter().map(ToString::to_string).collect::<Vec<_>>().into())
        }
    };
    let bytes: usize = texts.as_list().iter().map(|text| 3 + 2 * text.len()).sum();
    let mut json = Zeroizing::new(Vec::with_capacity(128 + bytes));
    let session = format!("{:032x}", noted.visit.id);
    let StoredEvent { at, visit, number, what, is_for_person_alone } = noted;
    let name = what.name();
    // Texts and numbers in memory can always be written.
    let _ = if *is_for_person_alone {
        serde_json::to_writer(&mut *json, &(name, at, session, visit.start, number, texts, true))
    } else {
        serde_json::to_writer(&mut *json, &(name, at, session, visit.start, number, texts))
    };
    json
}

const CORRECTED: &str = "corrected";

/// Texts as they are sealed.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum EventTexts<'a> {
    One(Cow<'a, str>),
    Many(Cow<'a, [String]>),
}

impl EventTexts<'_> {
    fn as_list(&self) -> Vec<&str> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// Reads a stored event.
///
/// # Errors
/// [`KeyFault::SealBroken`] for any other bytes: Lethe sealed them, so they count as damaged.
pub fn decode(json: &[u8]) -> Result<StoredEvent, KeyFault> {
    type Written<'a> = (&'a str, Millis, &'a str, Millis, u32, EventTexts<'a>);
    type Alone<'a> = (&'a str, Millis, &'a str, Millis, u32, EventTexts<'a>, bool);
    let broken = |_| KeyFault::SealBroken;
    let is_for_person_alone = json.ends_with(b",true]");
    let written: Written<'_> = if is_for_person_alone {
        let alone: Alone<'_> = serde_json::from_slice(json).map_err(broken)?;
        let (name, at, session, start, number, texts, _) = alone;
        (name, at, session, start, number, texts)
    } else {
        serde_json::from_slice(json).map_err(broken)?
    };
    let (name, at, session, start, number, texts) = written;
    let id = u128::from_str_radix(session, 16).map_err(|_| KeyFault::SealBroken)?;
    let what = parse_action(name, texts).ok_or(KeyFault::SealBroken)?;
    Ok(StoredEvent { at, visit: ShopperSession { id, start }, number, what, is_for_person_alone })
}

fn parse_action(name: &str, texts: EventTexts<'_>) -> Option<EventAction> {
    match (name, texts) {
        (PRODUCT_VIEW, EventTexts::One(product)) => Some(EventAction::ProductViewed(product.into_owned())),
        (SET_BASKET, EventTexts::Many(products)) => Some(EventAction::BasketSet(products.into_owned())),
        (ORDER_PLACED, EventTexts::Many(products)) => Some(EventAction::Ordered(products.into_owned())),
        (SEARCH, EventTexts::Many(texts)) => {
            let (query, found) = texts.first().zip(texts.get(1))?;
            let is_corrected = texts.get(2).is_some_and(|text| text == CORRECTED);
            Some(EventAction::Searched(CountedSearch {
                query: query.clone(),
                found: found.parse().ok()?,
                is_corrected,
            }))
        }
        (ITEM_CLICK, EventTexts::Many(texts)) => {
            let (product, source) = texts.first().zip(texts.get(1))?;
            Some(EventAction::Clicked(product.clone(), AttributionSource::parse(source)?))
        }
        (ZONES_SEEN, EventTexts::Many(texts)) => {
            let sources = texts.iter().map(|text| AttributionSource::parse(text));
            Some(EventAction::ZonesSeen(sources.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_comes_back_as_it_was_written() {
        let product = "ä\"\\,\u{1}".to_owned();
        let products = vec!["p".to_owned(), product.clone()];
        let visit = ShopperSession { id: 7 << 100, start: -5 };
        let source = AttributionSource::Zone {
            zone: "HP.01 ä".to_owned(),
            recommender: "Trending".to_owned(),
            campaign: String::new(),
        };
        let search = |is_corrected| CountedSearch { query: product.clone(), found: 12, is_corrected };
        let all = [
            EventAction::Searched(search(true)),
            EventAction::Searched(search(false)),
            EventAction::Clicked(product.clone(), source.clone()),
            EventAction::ZonesSeen(vec![
                source,
                AttributionSource::Search("0123456789abcdef".to_owned()),
                AttributionSource::Control,
            ]),
            EventAction::ProductViewed(product),
            EventAction::BasketSet(Vec::new()),
            EventAction::Ordered(products),
        ];
        for (place, what) in all.into_iter().enumerate() {
            let is_for_person_alone = place % 2 == 0;
            let noted = StoredEvent { at: 12, visit, number: 3, what, is_for_person_alone };
            let json = encode(&noted);
            let begin = format!("[\"{}\",12,\"00000070", noted.what.name());
            assert!(json.starts_with(begin.as_bytes()));
            let back = decode(&json).ok().unwrap();
            assert!(back.what == noted.what && back.visit == visit && (back.at, back.number) == (12, 3));
            assert_eq!(back.is_for_person_alone, is_for_person_alone);
        }
        assert!(decode(b"[\"set_basket\",1,\"0\",1,0,\"p\"]").is_err());
        assert!(decode(b"[]").is_err() && decode(b"[\"x\",1,\"0\",1,0,\"p\"]").is_err());
    }
}
