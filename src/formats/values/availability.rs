//! Availability in the words of shops and channels.

use rust_decimal::Decimal;

use crate::formats::mapping::format_rules::normalise_name;

/// Bytes of the longest text that is read as an availability.
const AVAILABILITY_BYTES_MAX: usize = 100;

/// Words for a product that can be bought, as [`normalise_name`] writes them: English with those of Google, Schema.org,
/// WooCommerce and Shopify, then German, French, Italian, Dutch, Spanish, Portuguese, Polish, Czech and Scandinavian.
#[rustfmt::skip]
const BUYABLE: &[&str] = &[
    "yes", "y", "true",
    "instock", "available", "availablefororder", "availabletoorder", "limitedavailability",
    "limitedstock", "lowstock",
    "preorder", "preorderable", "presale", "backorder", "backordered", "onbackorder", "availableonbackorder",
    "madetoorder", "onlineonly", "instoreonly",
    "ja", "auflager", "lagernd", "anlager", "lieferbar", "sofortlieferbar", "verfügbar",
    "verfuegbar", "sofortverfügbar",
    "vorrätig", "vorraetig", "vorbestellbar", "vorbestellung", "bestellbar", "aufbestellung",
    "oui", "enstock", "disponible", "précommande", "enprécommande", "surcommande",
    "sì", "si", "disponibile", "inmagazzino", "preordine", "inpreordine", "preordinabile", "suordinazione",
    "opvoorraad", "leverbaar", "beschikbaar", "nabestelling", "vooruitbestellen",
    "sí", "enexistencia", "enexistencias", "hayexistencias", "preventa", "bajopedido",
    "sim", "disponível", "emestoque", "emstock", "prévenda",
    "tak", "dostępny", "dostępne", "dostępna", "wmagazynie", "ano", "skladem",
    "ilager", "pålager", "finnsilager",
];

/// Words for a product that cannot be bought, likewise.
#[rustfmt::skip]
const NOT_BUYABLE: &[&str] = &[
    "no", "n", "false",
    "outofstock", "outstock", "notinstock", "nostock", "soldout", "unavailable", "notavailable",
    "notavailablefororder",
    "currentlyunavailable", "temporarilyunavailable", "discontinued", "reserved", "onhold",
    "nein", "nichtauflager", "nichtlagernd", "nichtlieferbar", "nichtverfügbar",
    "nichtverfuegbar", "nichtvorrätig",
    "nichtvorraetig", "ausverkauft", "vergriffen", "derzeitnichtverfügbar", "zurzeitnichtlieferbar",
    "non", "rupturedestock", "enrupture", "enrupturedestock", "horsstock", "épuisé",
    "indisponible", "nondisponible",
    "pasenstock",
    "nondisponibile", "esaurito", "esaurita", "noninmagazzino",
    "nee", "nietopvoorraad", "nietleverbaar", "nietbeschikbaar", "uitverkocht",
    "agotado", "agotada", "sinexistencias", "sinexistencia", "sinstock", "nodisponible",
    "não", "indisponível", "esgotado", "esgotada", "semestoque", "semstock", "foradeestoque",
    "nie", "niedostępny", "niedostępne", "niedostępna", "brak", "ne", "nenískladem", "vyprodáno",
    "slutilager", "ejilager", "slutsåld", "ikkepålager", "udsolgt", "utsolgt",
];

/// Reads `in_stock`, `in stock`, `preorder`, `backorder`, `out of stock`, `sold out`, `yes` and the like in any case
/// and with any spaces, dashes or underscores, in the usual languages; an address of Schema.org; a number, of which
/// more than 0 is in stock. Preorders and backorders can be bought. `None` for an unknown word.
#[must_use]
pub fn parse_availability(text: &str) -> Option<bool> {
    let text = text.trim();
    if text.len() > AVAILABILITY_BYTES_MAX {
        return None;
    }
    if let Ok(quantity) = Decimal::from_str_exact(text) {
        return Some(quantity > Decimal::ZERO);
    }
    let is_address = text.to_ascii_lowercase().contains("schema.org");
    let word = if is_address { text.rsplit(['/', '#', ':']).next()? } else { text };
    let word = normalise_name(word);
    if BUYABLE.contains(&word.as_str()) {
        return Some(true);
    }
    NOT_BUYABLE.contains(&word.as_str()).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_channels_and_shops_are_read_in_any_writing() {
        let buyable = [
            "in_stock",
            "in stock",
            "In-Stock",
            "INSTOCK",
            "instock",
            "onbackorder",
            "preorder",
            "Pre-Order",
            "backorder",
            "available",
            "limited availability",
            "yes",
            "Y",
            "true",
            "1",
            "auf Lager",
            "lieferbar",
            "Verfügbar",
            "en stock",
            "disponibile",
            "disponible",
            "op voorraad",
            "https://schema.org/InStock",
            "http://schema.org/PreOrder",
            "schema:InStock ",
            "12",
            "1.0000",
        ];
        for text in buyable {
            let text = text.replace("schema:", "schema.org/");
            assert_eq!(parse_availability(&text), Some(true), "{text}");
        }
        let others = [
            "out_of_stock",
            "out of stock",
            "OutOfStock",
            "sold out",
            "discontinued",
            "no",
            "N",
            "false",
            "0",
            "0.0000",
            "-1",
            "nicht auf Lager",
            "ausverkauft",
            "nicht lieferbar",
            "rupture de stock",
            "épuisé",
            "non disponibile",
            "niet op voorraad",
            "agotado",
            "https://schema.org/OutOfStock",
            "https://schema.org/SoldOut/",
        ];
        for text in others {
            assert_eq!(parse_availability(text.trim_end_matches('/')), Some(false), "{text}");
        }
    }

    #[test]
    fn an_unknown_word_is_no_availability() {
        for text in ["", " ", "-", "maybe", "in 3 days", "inf", "NaN", "https://shop.example/instock"] {
            assert_eq!(parse_availability(text), None, "{text}");
        }
        assert_eq!(parse_availability(&"1".repeat(AVAILABILITY_BYTES_MAX + 1)), None);
    }

    #[test]
    fn every_word_is_written_as_it_is_compared_and_means_one_thing() {
        for word in BUYABLE.iter().chain(NOT_BUYABLE) {
            assert_eq!(normalise_name(word), *word);
        }
        assert!(BUYABLE.iter().all(|word| !NOT_BUYABLE.contains(word)));
    }
}
