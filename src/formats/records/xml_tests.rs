//! Tests of RSS, RDF and Atom.

use std::fmt::Write as _;
use std::io::{Cursor, Read};

use proptest::prelude::*;

use super::XmlRecords;
use crate::formats::records::fault::RecordFault;
use crate::formats::records::headings::Headings;
use crate::formats::records::record::{FeedRecord, RecordSource};

/// Gives out one byte at a time.
struct SingleBytes<'a>(&'a [u8]);

impl Read for SingleBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(buffer.get_mut(..count).unwrap())
    }
}

fn read_records(source: impl Read) -> (Vec<FeedRecord>, Headings, Option<RecordFault>) {
    let mut records = XmlRecords::new(source);
    let mut headings = Headings::default();
    let mut record = FeedRecord::default();
    let mut all = Vec::new();
    loop {
        match records.read_record(&mut headings, &mut record) {
            Ok(true) => all.push(record.clone()),
            Ok(false) => return (all, headings, None),
            Err(fault) => return (all, headings, Some(fault)),
        }
    }
}

/// Records as `column=value` with bars between, one a line; then the fault.
fn describe(bytes: impl AsRef<[u8]>) -> String {
    let (records, headings, fault) = read_records(bytes.as_ref());
    let mut lines = String::new();
    for record in records {
        let name = |column| headings.name(column);
        let values = record.values.iter().map(|value| format!("{}={}", name(value.column), value.text));
        let findings = record.findings.iter().map(|finding| format!("{:?}", finding.code));
        writeln!(lines, "{}", values.chain(findings).collect::<Vec<_>>().join("|")).unwrap();
    }
    fault.into_iter().for_each(|fault| writeln!(lines, "{fault}").unwrap());
    lines
}

/// Description of one item with this content.
fn describe_item(content: &str) -> String {
    describe(format!("<rss><channel><item>{content}</item></channel></rss>"))
}

#[test]
fn items_of_rss_and_rdf_and_entries_of_atom_are_records() {
    let rss = "<?xml version='1.0'?><rss xmlns:g='n'><channel><title>Shop</title><link>http://s.test</link>\
               <item><g:id>1</g:id></item><item/><item><x:id> 2 </x:id></item></channel></rss>";
    assert_eq!(describe(rss), "id=1\n\nid=2\n");
    let rdf = "<rdf:RDF><channel><items><rdf:li/></items></channel><item><id>1</id></item></rdf:RDF>";
    assert_eq!(describe(rdf), "id=1\n");
    let atom =
        "<feed><title>Shop</title><entry><g:id>1</g:id></entry><atom:entry><id>2</id></atom:entry></feed>";
    assert_eq!(describe(atom), "id=1\nid=2\n");
}

#[test]
fn nested_elements_name_their_columns_by_their_path() {
    let shipping = "<g:shipping><g:country>DE</g:country><g:price>1 EUR</g:price></g:shipping>";
    assert_eq!(
        describe_item(&format!("{shipping}<g:a><g:b><g:c>2</g:c></g:b></g:a>{shipping}")),
        "shipping(country)=DE|shipping(price)=1 EUR|a(b.c)=2|shipping(country)=DE|shipping(price)=1 EUR\n"
    );
}

#[test]
fn values_with_a_prefix_come_before_those_of_the_same_column_without() {
    let entry = "<id>urn:1</id><title>a</title><atom:title>b</atom:title><g:id>1</g:id><link href='x'/>\
                 <g:title>c</g:title><g:id>2</g:id><id>urn:2</id>";
    assert_eq!(
        describe(format!("<feed><entry>{entry}</entry><entry><id>3</id><g:b>4</g:b></entry></feed>")),
        "id=1|link=x|title=c|id=2|id=urn:1|title=a|title=b|id=urn:2\nid=3|b=4\n"
    );
    assert_eq!(
        describe_item("<more><attribute name='A'>1</attribute></more><g:attribute name='A'>2</g:attribute>"),
        "A=2|A=1\n"
    );
    assert_eq!(describe_item("<s><n>1</n></s><g:s><n>2</n></g:s>"), "s(n)=2|s(n)=1\n");
}

#[test]
fn memory_of_texts_is_used_again_and_stays_small() {
    let large = format!("<a>{}</a>", "x".repeat(1 << 20));
    let small = "<b> y </b>".repeat(2_000);
    let item = |before: usize| format!("<item>{}{large}{small}</item>", "<c>z</c>".repeat(before));
    let feed = format!("<rss>{}{}{}<item><d>1</d></item></rss>", item(0), item(1), item(2));
    let mut records = XmlRecords::new(feed.as_bytes());
    let mut headings = Headings::default();
    let mut record = FeedRecord::default();
    for count in 2_001..=2_003 {
        assert!(records.read_record(&mut headings, &mut record).unwrap());
        assert_eq!(record.values.len(), count);
        let memory: usize = record.values.iter().map(|value| value.text.capacity()).sum();
        assert!(memory < (2 << 20) + count * 4096, "{memory}");
        assert!(record.values.iter().filter(|value| value.text.capacity() > 4096).count() <= 2);
    }
    assert!(records.read_record(&mut headings, &mut record).unwrap());
    assert_eq!(record.values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>(), ["1"]);
}

#[test]
fn attributes_hold_links_terms_and_names() {
    assert_eq!(
        describe_item(
            "<link rel='self' href='s'/><link href='a&amp;b'/><link rel='alternate' href='c'/><link>d</link>\
             <category term='Chairs &amp; more'/><category>Beds</category>\
             <x:attribute name='Colour'>red</x:attribute><more><attribute name=' Size '>L</attribute></more>"
        ),
        "link=a&b|link=c|link=d|category=Chairs & more|category=Beds|Colour=red|Size=L\n"
    );
}

#[test]
fn entities_mean_letters_and_unknown_ones_stay_as_written() {
    assert_eq!(
        describe_item("<a>1 &lt;b&gt; &amp;amp; &quot;&apos; &#65;&#x42;&reg;&nbsp;&lol; &;x</a>"),
        "a=1 <b> &amp; \"' AB®\u{a0}&lol; &;x\n"
    );
    assert_eq!(describe_item("<a>Tom & Jerry; R&D & more</a><b>a&</b>"), "a=Tom & Jerry; R&D & more|b=a&\n");
    let long = "x".repeat(100_000);
    assert_eq!(describe_item(&format!("<a>&{long};</a>")), format!("a=&{long};\n"));
}

#[test]
fn cdata_comments_and_instructions_are_understood() {
    assert_eq!(
        describe_item(
            "<a> x <![CDATA[<b>&amp;</b> ]]]]><![CDATA[>]]><!-- <item> --><?php echo ?></a><b> \n</b>"
        ),
        "a=x <b>&amp;</b> ]]>\n"
    );
}

#[test]
fn html_without_cdata_stays_in_its_text() {
    assert_eq!(
        describe_item("<d>A <b>big <i>red</i></b><br/> chair <ul><li>x</li></ul></d><p>1</p>"),
        "d=A <b>big <i>red</i></b><br> chair <ul><li>x</li></ul>|p=1\n"
    );
}

#[test]
fn text_of_a_cms_around_the_document_is_skipped() {
    let feed = "<rss><item><id>1</id></item></rss>";
    for (before, after) in [
        ("Warning: x < y <br />\n<b>Notice</b>: z\n", "\n<!-- 0.2 s -->"),
        ("\u{feff}  \n", "Fatal error: </p> <div>"),
        ("<p>old</p><?xml version='1.0'?>\n<!DOCTYPE rss SYSTEM 'x.dtd'>", "<br>"),
        ("<!-- a feed: <rss> --><?xml-stylesheet href='a'?>", ""),
    ] {
        assert_eq!(describe(format!("{before}{feed}{after}")), "id=1\n", "{before} {after}");
    }
    let late = format!("{feed}{}{feed}", " ".repeat(100_000 - 3));
    assert!(describe(late).contains("another document begins"));
    assert_eq!(describe("<shop><item><id>1</id></item><feed></feed></shop>"), "id=1\n");
}

#[test]
fn declarations_of_a_document_type_are_refused() {
    let laughs = "<!DOCTYPE rss [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><rss><item><a>&b;</a></item></rss>";
    assert_eq!(
        describe(laughs),
        "the document type declares entities or elements; send the feed without them (line 1, byte 0)\n"
    );
    assert_eq!(describe("<!DOCTYPE rss PUBLIC 'a' 'b'><rss><item><a>&b;</a></item></rss>"), "a=&b;\n");
}

#[test]
fn every_cut_of_a_document_is_told() {
    let feed = "<rss>\n<channel><item><a b='c'>x &amp; <![CDATA[y]]></a></item>\n<!-- z --></channel></rss>";
    for end in 0..feed.len() {
        let (_, _, fault) = read_records(&feed.as_bytes()[..end]);
        assert!(matches!(fault, Some(RecordFault::Truncated { .. })), "{end}: {fault:?}");
    }
    assert_eq!(describe(feed), "a=x & y\n");
}

#[test]
fn wrong_nesting_is_told_with_its_place() {
    let feed = "<rss>\n<item><id>1</id></item>\n<item><a><b>\n2</a></b></item></rss>";
    assert_eq!(
        describe(feed),
        "id=1\nthe XML is broken here; write the feed by an XML library (line 4, byte 44)\n"
    );
}

#[test]
fn a_record_knows_its_number_line_and_offset() {
    let (records, ..) = read_records("<rss>\n <item>\n</item><item/>\n</rss>".as_bytes());
    let places: Vec<_> = records.iter().map(|record| record.place).collect();
    let described: Vec<_> = places.iter().map(|place| (place.number, place.line, place.offset)).collect();
    assert_eq!(described, [(1, 2, 7), (2, 3, 21)]);
}

#[test]
fn bytes_that_are_no_utf_8_are_repaired_and_told_at_their_record() {
    let feed = b"<rss><item><a>\xC3\xBC</a></item><item><a>caf\xE9\0</a></item><item><a>z</a></item></rss>";
    assert_eq!(describe(feed), "a=ü\na=café|TextNotUtf8\na=z\n");
}

#[test]
fn deep_nesting_is_refused_inside_and_around_records() {
    let nest = |levels| format!("{}x{}", "<n>".repeat(levels), "</n>".repeat(levels));
    assert!(describe_item(&nest(16)).starts_with("n(n.n."));
    assert!(describe_item(&nest(17)).contains("more than 16 deep"));
    assert!(describe("<n>".repeat(1_000_000)).contains("more than 16 deep"));
}

#[test]
fn parts_of_a_gigabyte_are_refused_in_bounded_memory() {
    for part in ["<a b='", "<a>", "<a>&", "<!--", "<![CDATA[", "<", "</", "<?p "] {
        for outside in ["<rss>", "<rss><item>"] {
            let start = Cursor::new(format!("{outside}{part}"));
            let mut records = XmlRecords::new(start.chain(std::io::repeat(b'x').take(1 << 30)));
            let fault = records.read_record(&mut Headings::default(), &mut FeedRecord::default());
            let sentence = fault.unwrap_err().to_string();
            assert!(sentence.starts_with("an element or a record is larger"), "{outside}{part}: {sentence}");
            assert!(records.event.capacity() < 4 * crate::limits::FEED_ROW_BYTES);
        }
    }
}

#[test]
fn many_attributes_take_linear_time() {
    let attributes: String = (0..150_000).fold(String::new(), |mut text, number| {
        write!(text, " a{number}=''").unwrap();
        text
    });
    assert_eq!(describe_item(&format!("<link{attributes} href='x'/>")), "link=x\n");
}

#[test]
fn an_error_of_the_source_is_told_as_such() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("reset"))
        }
    }
    for text in ["", "<rss><item><id>1</id></item></rss>"] {
        let (_, _, fault) = read_records(text.as_bytes().chain(Broken));
        assert!(matches!(fault, Some(RecordFault::Read { .. })), "{fault:?}");
    }
}

fn arbitrary_feed() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"<rss>"[..],
        b"</rss>",
        b"<item>",
        b"</item>",
        b"<g:id>",
        b"</g:id>",
        b"<entry/>",
        b"&amp;",
        b"&#x41;",
        b"&x",
        b";",
        b"<![CDATA[",
        b"]]>",
        b"<!--",
        b"-->",
        b"<link href='a'/>",
        b"<!DOCTYPE a>",
        b"<?xml ",
        b"?>",
        b"<b",
        b">",
        b"\n",
        b"text",
        b"\0",
        b"\xFC",
        b"\xC3\xBC",
        b"<br/>",
        b"<d>",
        b"</d>",
        b" a='",
        b"'",
        b"\"",
    ]);
    prop::collection::vec(piece, 0..50).prop_map(|pieces| pieces.concat())
}

fn mutated_feed() -> impl Strategy<Value = Vec<u8>> {
    let feed = "<?xml version='1.0'?><rss><channel><item><g:id>1</g:id><d>a &amp; <![CDATA[<b>]]></d><g:shipping>\
                <g:price>2</g:price></g:shipping><link href='x'/></item><item><id>2</id></item></channel></rss>";
    (prop::collection::vec((0..feed.len(), any::<u8>()), 0..4), 0..=feed.len()).prop_map(
        move |(changes, end)| {
            let mut bytes = feed.as_bytes().to_vec();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            bytes.truncate(end);
            bytes
        },
    )
}

proptest! {
    #[test]
    fn any_feed_reads_alike_in_pieces_and_at_once(feed in prop_oneof![arbitrary_feed(), mutated_feed()]) {
        let (whole, _, fault) = read_records(feed.as_slice());
        let (pieces, _, other) = read_records(SingleBytes(&feed));
        prop_assert_eq!(whole, pieces);
        prop_assert_eq!(format!("{fault:?}"), format!("{other:?}"));
    }
}
