//! An event as it is sealed.

use std::borrow::Cow;

use zeroize::Zeroizing;

use crate::clock::Millis;
use crate::keys::KeyFault;
use crate::people::event_action::{
    CountedSearch, EventAction, EventItem, ITEM_CLICK, ORDER_PLACED, PRODUCT_VIEW, SEARCH, SET_BASKET,
    ShopperSession, StoredEvent, ZONES_SEEN,
};
use crate::reports::attribution::AttributionSource;

/// An event in JSON: `[name, at, session, start of the session, number in it, texts]`. The texts are the product of a
/// view, and a list for others: products; the search, its number of hits, and `corrected`; the product that was clicked
/// and where; the content of zones. A view of a variant is the list of its product and itself, and so is each product
/// in a list of products that has a variant; the variant of a click follows the place. `true` follows the texts where
/// the event is for its person alone.
pub(super) fn encode(noted: &StoredEvent) -> Zeroizing<Vec<u8>> {
    let texts: EventTexts<'_> = match &noted.what {
        EventAction::ProductViewed(EventItem { product, variant: None }) => EventTexts::One(product.into()),
        EventAction::ProductViewed(EventItem { product, variant: Some(variant) }) => {
            EventTexts::Many(vec![product.clone(), variant.clone()].into())
        }
        EventAction::BasketSet(items) | EventAction::Ordered(items) => {
            EventTexts::Items(items.iter().map(WrittenItem::from).collect())
        }
        EventAction::Searched(CountedSearch { query, found, is_corrected }) => {
            let corrected = is_corrected.then(|| CORRECTED.to_owned());
            let texts = [query.clone(), found.to_string()].into_iter().chain(corrected);
            EventTexts::Many(texts.collect::<Vec<_>>().into())
        }
        EventAction::Clicked(EventItem { product, variant }, source) => {
            let texts = [product.clone(), source.to_string()].into_iter().chain(variant.clone());
            EventTexts::Many(texts.collect::<Vec<_>>().into())
        }
        EventAction::ZonesSeen(sources) => {
            EventTexts::Many(sources.iter().map(ToString::to_string).collect::<Vec<_>>().into())
        }
    };
    let mut json = Zeroizing::new(Vec::with_capacity(128 + texts.bytes()));
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
    /// Products of which some have variants; without any they are read as texts.
    Items(Vec<WrittenItem<'a>>),
}

/// A product as it is sealed, alone or with its variant.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum WrittenItem<'a> {
    Product(Cow<'a, str>),
    Variant(Cow<'a, str>, Cow<'a, str>),
}

impl WrittenItem<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Product(product) => text_bytes(product),
            Self::Variant(product, variant) => 3 + text_bytes(product) + text_bytes(variant),
        }
    }
}

/// Bytes of a text in JSON with a comma; more only where it is full of control characters.
fn text_bytes(text: &str) -> usize {
    3 + 2 * text.len()
}

impl<'a> From<&'a EventItem> for WrittenItem<'a> {
    fn from(EventItem { product, variant }: &'a EventItem) -> Self {
        match variant {
            None => Self::Product(product.into()),
            Some(variant) => Self::Variant(product.into(), variant.into()),
        }
    }
}

impl From<WrittenItem<'_>> for EventItem {
    fn from(written: WrittenItem<'_>) -> Self {
        match written {
            WrittenItem::Product(product) => product.into_owned().into(),
            WrittenItem::Variant(product, variant) => {
                Self { product: product.into_owned(), variant: Some(variant.into_owned()) }
            }
        }
    }
}

impl EventTexts<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::One(text) => text_bytes(text),
            Self::Many(texts) => texts.iter().map(|text| text_bytes(text)).sum(),
            Self::Items(items) => items.iter().map(WrittenItem::bytes).sum(),
        }
    }

    /// Reads a list of products.
    fn into_items(self) -> Option<Vec<EventItem>> {
        match self {
            Self::One(_) => None,
            Self::Many(products) => Some(products.into_owned().into_iter().map(EventItem::from).collect()),
            Self::Items(items) => Some(items.into_iter().map(EventItem::from).collect()),
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
        (PRODUCT_VIEW, EventTexts::One(product)) => {
            Some(EventAction::ProductViewed(product.into_owned().into()))
        }
        (PRODUCT_VIEW, EventTexts::Many(texts)) => {
            let [product, variant] = &*texts else { return None };
            let item = EventItem { product: product.clone(), variant: Some(variant.clone()) };
            Some(EventAction::ProductViewed(item))
        }
        (SET_BASKET, texts) => texts.into_items().map(EventAction::BasketSet),
        (ORDER_PLACED, texts) => texts.into_items().map(EventAction::Ordered),
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
            let item = EventItem { product: product.clone(), variant: texts.get(2).cloned() };
            Some(EventAction::Clicked(item, AttributionSource::parse(source)?))
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
    fn events_without_variants_are_written_as_they_were_before_variants() {
        let visit = ShopperSession { id: 1, start: 2 };
        let items = |variant: Option<&str>| {
            let second = EventItem { product: "p2".to_owned(), variant: variant.map(str::to_owned) };
            vec![EventItem::from("p1".to_owned()), second]
        };
        for (what, written) in [
            (EventAction::ProductViewed("p1".to_owned().into()), r#""p1""#),
            (EventAction::BasketSet(items(None)), r#"["p1","p2"]"#),
            (EventAction::Ordered(items(Some("v"))), r#"["p1",["p2","v"]]"#),
            (EventAction::Clicked("p1".to_owned().into(), AttributionSource::Control), r#"["p1","c"]"#),
        ] {
            let noted = StoredEvent { at: 3, visit, number: 4, what, is_for_person_alone: false };
            let expected = format!(r#"["{}",3,"{:032x}",2,4,{written}]"#, noted.what.name(), 1);
            assert_eq!(String::from_utf8_lossy(&encode(&noted)), expected);
        }
    }

    #[test]
    fn an_event_comes_back_as_it_was_written() {
        let product = "ä\"\\,\u{1}".to_owned();
        let plain = |id: &str| EventItem::from(id.to_owned());
        let variant =
            |id: &str| EventItem { product: id.to_owned(), variant: Some("true\"],\u{1}".to_owned()) };
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
            EventAction::Clicked(plain(&product), source.clone()),
            EventAction::Clicked(variant(&product), source.clone()),
            EventAction::ZonesSeen(vec![
                source,
                AttributionSource::Search("0123456789abcdef".to_owned()),
                AttributionSource::Control,
            ]),
            EventAction::ProductViewed(plain(&product)),
            EventAction::ProductViewed(variant(&product)),
            EventAction::BasketSet(Vec::new()),
            EventAction::BasketSet(vec![variant(&product), plain(&product), variant("p")]),
            EventAction::Ordered(vec![plain("p"), plain(&product)]),
            EventAction::Ordered(vec![variant(&product)]),
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
        for texts in ["\"p\"", "[[\"p\"]]", "[[\"p\",\"v\",\"w\"]]"] {
            assert!(decode(format!("[\"set_basket\",1,\"0\",1,0,{texts}]").as_bytes()).is_err(), "{texts}");
        }
        for texts in ["[]", "[\"p\"]", "[\"p\",\"v\",\"w\"]"] {
            assert!(decode(format!("[\"product_view\",1,\"0\",1,0,{texts}]").as_bytes()).is_err(), "{texts}");
        }
        assert!(decode(b"[]").is_err() && decode(b"[\"x\",1,\"0\",1,0,\"p\"]").is_err());
    }
}
