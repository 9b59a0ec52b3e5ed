//! Formats told by first bytes, and files that are no feeds.

use encoding_rs::WINDOWS_1252;
use proptest::prelude::*;

use super::*;

const RSS: &str =
    "<?xml version=\"1.0\"?>\n<rss version=\"2.0\" xmlns:g=\"http://base.google.com/ns/1.0\"><channel><item>";
const BULK: &str =
    "{\"id\":\"gid://shopify/Product/1\",\"title\":\"A\"}\n{\"id\":\"gid://shopify/ProductVariant/2\"}\n";
const WOO_PRODUCT: &str =
    r#"{"id":1,"name":"Cap","permalink":"https://shop.example/1","regular_price":"9","brands":[{}]}"#;
const SHOPIFY_PRODUCT: &str =
    r#"{"id":1,"title":"Cap","vendor":"V","variants":[{"id":2,"price":"1.00","option1":"Red"}]}"#;

fn detect(text: &str) -> Result<DetectedFeed, NotAFeed> {
    detect_format(text.as_bytes())
}

fn feed(format: FeedFormat, layout: FeedLayout) -> Result<DetectedFeed, NotAFeed> {
    Ok(DetectedFeed { format, layout })
}

fn table(format: FeedFormat, delimiter: u8) -> Result<DetectedFeed, NotAFeed> {
    feed(format, FeedLayout::Delimited { delimiter })
}

/// UTF-16 with the lower byte first.
fn to_utf_16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn json_is_lethes_own_a_shop_systems_or_a_shops() {
    let woo_list = format!("[{WOO_PRODUCT},");
    let shopify_document = format!("{{\"products\":[{SHOPIFY_PRODUCT}]}}");
    let shopify_list = format!("[{SHOPIFY_PRODUCT}]");
    let woo_document = format!("{{\n \"products\": [{WOO_PRODUCT}]}}");
    let lethe = feed(FeedFormat::Lethe, FeedLayout::Lethe);
    let json = feed(FeedFormat::Json, FeedLayout::JsonDocument);
    let ndjson = feed(FeedFormat::Ndjson, FeedLayout::JsonLines);
    let cases = [
        (r#"{"Products":[{"Id":"1","Title":"Cap"}]}"#, &lethe),
        (r#" {"Version":2,"products":[{"id":"1"#, &lethe),
        (r#"{"Brand":[{"Id":"1"}],"Categories":[]}"#, &lethe),
        (r#"{"Products":[{"Id":"1","vendor":"V","product_type":"Hat","handle":"cap"}]}"#, &lethe),
        (r#"{"AccountPrices":"#, &lethe),
        ("{\"FileType\":\"ndjson\",\"Version\":2}\n{\"Type\":\"Products\"}\n{\"Id\":\"1\"}", &lethe),
        ("{\"filetype\":\"NDJSON\"}", &lethe),
        ("{}", &lethe),
        ("{Products: []}", &lethe),
        (&shopify_document, &feed(FeedFormat::Shopify, FeedLayout::JsonDocument)),
        (&shopify_list, &feed(FeedFormat::Shopify, FeedLayout::JsonDocument)),
        (&woo_list, &feed(FeedFormat::WooCommerce, FeedLayout::JsonDocument)),
        (&woo_document, &feed(FeedFormat::WooCommerce, FeedLayout::JsonDocument)),
        (BULK, &feed(FeedFormat::Shopify, FeedLayout::JsonLines)),
        ("{\"a\":1}\n{\"__parentId\":\"x\"}", &feed(FeedFormat::Shopify, FeedLayout::JsonLines)),
        (r#"[{"id":1,"vendor":"V"}]"#, &json),
        (r#"{"data":{"items":[{"id":1,"price":2}]}}"#, &json),
        (r#"{"items":[{"sku":"1"#, &json),
        ("{\"sku\":1,\"brand\":\"B\",\"categories\":[\"a\"]}\n{\"sku\":2}\n", &ndjson),
        ("{\"FileType\":\"pdf\",\"sku\":\"1\"}\n{\"sku\":\"2\"}", &ndjson),
        (r#"{"sku":"1","name":"Cap"}"#, &ndjson),
        (r#"{"id":1,"brands":[{"name":"B"}],"name":"cut of"#, &ndjson),
    ];
    for (text, expected) in cases {
        assert_eq!(&detect(text), expected, "{text}");
    }
}

#[test]
fn xml_is_a_feed_of_google_if_it_is_rss_or_atom() {
    let texts = [
        RSS,
        "<rss><channel>",
        "\u{feff} <feed xmlns=\"http://www.w3.org/2005/Atom\"><entry>",
        "<rdf:RDF xmlns=\"http://purl.org/rss/1.0/\"><item>",
        "<!-- made today --><rss version='2.0'>",
        "<?xml version='1.0'?><a:feed xmlns:a='http://www.w3.org/2005/Atom'/>",
        "Warning: Undefined index in /srv/feed.php, line 3\n<?xml version=\"1.0\"?><rss>",
        "<br />\n<b>Notice</b>: Undefined index<br />\n<rss version=\"2.0\"><channel>",
    ];
    for text in texts {
        assert_eq!(detect(text), feed(FeedFormat::Google, FeedLayout::Xml), "{text}");
    }
}

#[test]
fn a_table_is_known_by_its_heading_line() {
    let cases = [
        ("Handle,Title,Body (HTML),Vendor\n", table(FeedFormat::Shopify, b',')),
        ("Handle;Title;Option1 Name\n", table(FeedFormat::Shopify, b';')),
        ("ID,Type,SKU,Name,Published,Regular price\n", table(FeedFormat::WooCommerce, b',')),
        ("sku,store_view_code,attribute_set_code,product_type,name\n", table(FeedFormat::Magento, b',')),
        ("category,name,sku,\"price\",attribute_set\n", table(FeedFormat::Magento, b',')),
        ("name,sku,additional_attributes\n", table(FeedFormat::Magento, b',')),
        ("id\ttitle\tdescription\tlink\timage link\n", table(FeedFormat::Google, b'\t')),
        ("g:id\tg:title\tg:link\tg:availability\n", table(FeedFormat::Google, b'\t')),
        ("id,title,link,price\n", table(FeedFormat::Google, b',')),
        ("id,title,link,colour\n", table(FeedFormat::Csv, b',')),
        ("Handle,Title\n", table(FeedFormat::Csv, b',')),
        ("sku,product_type,name\n", table(FeedFormat::Csv, b',')),
        ("Artikel|Preis\n1|2", table(FeedFormat::Csv, b'|')),
        ("sep=;\r\nArtikel;Preis, netto;Bestand\r\n", table(FeedFormat::Csv, b';')),
        ("\"Name, kurz, lang\";Preis;Bestand;Farbe\n", table(FeedFormat::Csv, b';')),
        ("[ID],[Title]\n1,Cap\n", table(FeedFormat::Csv, b',')),
    ];
    for (text, expected) in cases {
        assert_eq!(detect(text), expected, "{text}");
    }
    let shopify = "Handle,Title,Body (HTML),Variant Price\na,b,\"<?xml version='1.0'?><rss>\",1\n";
    assert_eq!(detect(shopify), table(FeedFormat::Shopify, b','), "XML within a known table");
}

#[test]
fn other_encodings_are_seen_through() {
    let text = "Artikel;Größe;Preis\n1;XL;12,50 €\n";
    let expected = table(FeedFormat::Csv, b';');
    assert_eq!(detect_format(&to_utf_16(text)), expected);
    assert_eq!(detect_format(&to_utf_16(&format!("\u{feff}{text}"))), expected);
    assert_eq!(detect_format(&WINDOWS_1252.encode(text).0), expected);
    assert_eq!(detect_format(&to_utf_16(RSS)), feed(FeedFormat::Google, FeedLayout::Xml));
    assert_eq!(detect_format(&to_utf_16(BULK)), feed(FeedFormat::Shopify, FeedLayout::JsonLines));
}

#[test]
fn a_text_that_is_no_feed_is_called_by_its_kind() {
    let other = |root: &str| NotAFeed::OtherXml { root: root.to_owned() };
    let long = format!("<{}/>", "a".repeat(100));
    let cases = [
        ("", NotAFeed::Empty),
        (" \r\n\t", NotAFeed::Empty),
        ("\u{feff}", NotAFeed::Empty),
        ("<!DOCTYPE html><p>Shop", NotAFeed::WebPage),
        ("<!-- cached --><!doctype HTML>\n<HTML>", NotAFeed::WebPage),
        ("<html><body><input type=\"text\">", NotAFeed::WebPage),
        ("<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\">", NotAFeed::WebPage),
        ("<div>503 Service Unavailable</div>", NotAFeed::WebPage),
        ("<br />\n<b>Fatal error</b>: out of memory", NotAFeed::WebPage),
        ("<html><form><input TYPE='password'>", NotAFeed::SignInPage),
        ("<!doctype html><input name=p type=password>", NotAFeed::SignInPage),
        ("<?xml version=\"1.0\"?><urlset xmlns=\"x\"><url>", NotAFeed::Sitemap),
        ("<sitemapindex>", NotAFeed::Sitemap),
        ("<soap:Envelope xmlns:soap=\"x\">", NotAFeed::SoapMessage),
        ("<products><product>", other("products")),
        ("<a:my-shop.Products xmlns:a='x'/>", other("myshopProducts")),
        ("<rdf:RDF><owl:Ontology/>", other("RDF")),
        (&long, other(&"a".repeat(30))),
        ("<?xml version=\"1.0\"?>", NotAFeed::XmlWithoutRoot),
        ("< 5", NotAFeed::XmlWithoutRoot),
        (r#"{"error":{"errors":[{"message":"x"}],"code":403}}"#, NotAFeed::JsonMessage),
        (r#"{"errors":[{"message":"x"}]}"#, NotAFeed::JsonMessage),
        (r#"{"code":"rest_no_route","message":"x","data":{"status":404}}"#, NotAFeed::JsonMessage),
        ("{\n\"id\":1,\n\"title\":\"Cap\",\"variants\":[{\"id\":2}]}", NotAFeed::JsonWithoutRows),
        ("[]", NotAFeed::JsonWithoutRows),
        ("[1,2]", NotAFeed::JsonWithoutRows),
        ("[1,", NotAFeed::JsonWithoutRows),
        ("[general]\nkey\n", NotAFeed::JsonWithoutRows),
        ("Not Found", NotAFeed::OneColumn),
        ("sku\n1\n2\n", NotAFeed::OneColumn),
        ("\0\u{1}\u{2}", NotAFeed::Binary),
    ];
    for (text, expected) in cases {
        assert_eq!(detect(text), Err(expected), "{text}");
    }
}

#[test]
fn a_binary_file_is_called_by_its_kind() {
    let zip = |entry: &str| {
        let length = u16::try_from(entry.len()).unwrap_or_default().to_le_bytes();
        [&b"PK\x03\x04"[..], &[0; 22], &length, &[0, 0], entry.as_bytes()].concat()
    };
    let text_document =
        [zip("mimetype"), b"application/vnd.oasis.opendocument.spreadsheet".to_vec()].concat();
    let noise: Vec<u8> =
        (0..4_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let tar = [b"feed.csv".to_vec(), vec![0; TAR_MARK_AT - 8], b"ustar\x0000".to_vec()].concat();
    let cases = [
        (b"%PDF-1.7\n".to_vec(), NotAFeed::Pdf),
        (zip("[Content_Types].xml"), NotAFeed::Excel),
        (zip("xl/workbook.xml"), NotAFeed::Excel),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), NotAFeed::Excel),
        (text_document, NotAFeed::OpenDocument),
        (zip("pictures/a.jpg"), NotAFeed::Archive),
        (zip("mimetype"), NotAFeed::Archive),
        (b"PK\x03\x04".to_vec(), NotAFeed::Archive),
        (b"PK\x05\x06".to_vec(), NotAFeed::Archive),
        (b"\x1f\x8b\x08".to_vec(), NotAFeed::Archive),
        (tar, NotAFeed::Archive),
        (b"\x89PNG\r\n\x1a\n".to_vec(), NotAFeed::Image),
        (b"\xff\xd8\xff\xe0".to_vec(), NotAFeed::Image),
        (b"GIF89a".to_vec(), NotAFeed::Image),
        (b"RIFF\x10\0\0\0WEBPVP8 ".to_vec(), NotAFeed::Image),
        (noise, NotAFeed::Binary),
    ];
    for (bytes, expected) in cases {
        assert_eq!(detect_format(&bytes), Err(expected), "{:?}", String::from_utf8_lossy(&bytes));
    }
}

/// Position of the mark of a tar archive.
const TAR_MARK_AT: usize = 257;

#[test]
fn sentences_quote_nothing_of_a_file_but_letters_of_its_root() {
    let sentence = detect("<secret-4711_x a=\"token\">text").map_err(|what| what.to_string());
    assert_eq!(
        sentence,
        Err("this is XML with the root element \"secret4711x\", neither RSS nor Atom; \
             send a Google feed, CSV or JSON"
            .to_owned())
    );
}

proptest! {
    #[test]
    fn any_bytes_are_judged(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = detect_format(&bytes);
    }

    #[test]
    fn any_cut_of_a_feed_is_judged(
        number in 0_usize..6,
        cut in 0_usize..400,
        wide in any::<bool>(),
        place in 0_usize..400,
        byte in any::<u8>(),
    ) {
        let lethe = r#"{"Products":[{"Id":"1","Title":"Größe","Prices":["12.50 GBP"]}]}"#;
        let table = "Handle,Title,\"Body (HTML)\",Variant Price\ncap,Größe,\"<p>a\n</p>\",12.50\n";
        let texts = [RSS, BULK, WOO_PRODUCT, SHOPIFY_PRODUCT, lethe, table];
        let text = texts.get(number).copied().unwrap_or_default();
        let mut bytes = if wide { to_utf_16(text) } else { text.as_bytes().to_vec() };
        bytes.truncate(cut);
        let _ = detect_format(&bytes);
        if let Some(changed) = bytes.get_mut(place) {
            *changed = byte;
        }
        let _ = detect_format(&bytes);
    }
}
