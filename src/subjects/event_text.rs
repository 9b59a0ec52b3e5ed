//! An event as it is sealed.

use std::borrow::Cow;

use zeroize::Zeroizing;

use crate::clock::Millis;
use crate::keys::KeyFault;
use crate::reports::source::Source;
use crate::subjects::event::{
    ITEM_CLICK, Noted, ORDER_PLACED, PRODUCT_VIEW, SEARCH, SET_BASKET, Search, Visit, What, ZONES_SEEN,
};

/// An event in JSON: `[name, at, session, start of the session, number in it, texts]`; the last is the product of a
/// view, and a list of others: products; what was searched, how much was found, and `corrected`; the product that was
/// clicked and where; what stood in zones. Behind it stands `true` where the event is for its person alone.
pub(super) fn written(noted: &Noted) -> Zeroizing<Vec<u8>> {
    let texts: Texts<'_> = match &noted.what {
        What::ProductViewed(product) => Texts::One(product.into()),
        What::BasketSet(products) | What::Ordered(products) => Texts::Many(products.into()),
        What::Searched(Search { query, found, is_corrected }) => {
            let corrected = is_corrected.then(|| CORRECTED.to_owned());
            let texts = [query.clone(), found.to_string()].into_iter().chain(corrected);
            Texts::Many(texts.collect::<Vec<_>>().into())
        }
        What::Clicked(product, source) => Texts::Many(vec![product.clone(), source.to_string()].into()),
        What::ZonesSeen(sources) => {
            Texts::Many(sources.iter().map(ToString::to_string).collect::<Vec<_>>().into())
        }
    };
    let bytes: usize = texts.all().iter().map(|text| 3 + 2 * text.len()).sum();
    let mut json = Zeroizing::new(Vec::with_capacity(128 + bytes));
    let session = format!("{:032x}", noted.visit.id);
    let Noted { at, visit, number, what, is_for_person_alone } = noted;
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
enum Texts<'a> {
    One(Cow<'a, str>),
    Many(Cow<'a, [String]>),
}

impl Texts<'_> {
    fn all(&self) -> Vec<&str> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// Reads what was stored of an event.
///
/// # Errors
/// [`KeyFault::SealBroken`] for any other bytes: we sealed them, so they are as good as damaged.
pub fn read(json: &[u8]) -> Result<Noted, KeyFault> {
    type Written<'a> = (&'a str, Millis, &'a str, Millis, u32, Texts<'a>);
    type Alone<'a> = (&'a str, Millis, &'a str, Millis, u32, Texts<'a>, bool);
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
    let what = what(name, texts).ok_or(KeyFault::SealBroken)?;
    Ok(Noted { at, visit: Visit { id, start }, number, what, is_for_person_alone })
}

fn what(name: &str, texts: Texts<'_>) -> Option<What> {
    match (name, texts) {
        (PRODUCT_VIEW, Texts::One(product)) => Some(What::ProductViewed(product.into_owned())),
        (SET_BASKET, Texts::Many(products)) => Some(What::BasketSet(products.into_owned())),
        (ORDER_PLACED, Texts::Many(products)) => Some(What::Ordered(products.into_owned())),
        (SEARCH, Texts::Many(texts)) => {
            let (query, found) = texts.first().zip(texts.get(1))?;
            let is_corrected = texts.get(2).is_some_and(|text| text == CORRECTED);
            Some(What::Searched(Search { query: query.clone(), found: found.parse().ok()?, is_corrected }))
        }
        (ITEM_CLICK, Texts::Many(texts)) => {
            let (product, source) = texts.first().zip(texts.get(1))?;
            Some(What::Clicked(product.clone(), Source::parse(source)?))
        }
        (ZONES_SEEN, Texts::Many(texts)) => {
            let sources = texts.iter().map(|text| Source::parse(text));
            Some(What::ZonesSeen(sources.collect::<Option<_>>()?))
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
        let visit = Visit { id: 7 << 100, start: -5 };
        let source = Source::Zone {
            zone: "HP.01 ä".to_owned(),
            recommender: "Trending".to_owned(),
            campaign: String::new(),
        };
        let search = |is_corrected| Search { query: product.clone(), found: 12, is_corrected };
        let all = [
            What::Searched(search(true)),
            What::Searched(search(false)),
            What::Clicked(product.clone(), source.clone()),
            What::ZonesSeen(vec![source, Source::Search("0123456789abcdef".to_owned()), Source::Control]),
            What::ProductViewed(product),
            What::BasketSet(Vec::new()),
            What::Ordered(products),
        ];
        for (place, what) in all.into_iter().enumerate() {
            let is_for_person_alone = place % 2 == 0;
            let noted = Noted { at: 12, visit, number: 3, what, is_for_person_alone };
            let json = written(&noted);
            let begin = format!("[\"{}\",12,\"00000070", noted.what.name());
            assert!(json.starts_with(begin.as_bytes()));
            let back = read(&json).ok().unwrap();
            assert!(back.what == noted.what && back.visit == visit && (back.at, back.number) == (12, 3));
            assert_eq!(back.is_for_person_alone, is_for_person_alone);
        }
        assert!(read(b"[\"set_basket\",1,\"0\",1,0,\"p\"]").is_err());
        assert!(read(b"[]").is_err() && read(b"[\"x\",1,\"0\",1,0,\"p\"]").is_err());
    }
}
