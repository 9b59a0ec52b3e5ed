//! One record of XML while it is read: its open elements, their texts and the values they become.

use quick_xml::events::BytesStart;

use super::fault::RecordFault;
use super::headings::{ColumnSequence, Headings, limit_name};
use super::record::{FeedRecord, RecordValue, clear_text, swap_value, trim_text};

/// Longest name of an entity, between `&` and `;`.
const ENTITY_BYTES: usize = 40;
/// Elements of HTML that stand in descriptions without CDATA; they are kept as markup of the text around them.
const MARKUP: [&str; 28] = [
    "a",
    "b",
    "blockquote",
    "br",
    "div",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "li",
    "ol",
    "p",
    "pre",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "tr",
    "ul",
];
/// Prefix of Atom itself, which weighs as much as none.
const ATOM_PREFIX: &str = "atom";

/// Open elements of a record and their texts.
#[derive(Default)]
pub(super) struct XmlItem {
    /// Elements from the record's own inwards; more than `depth`, so that their memory is used again.
    elements: Vec<Element>,
    /// Number of open elements; 0 outside a record.
    pub(super) depth: usize,
    columns: ColumnSequence,
    /// Name of a nested element's column, while it is looked up.
    path: String,
    /// Flags of the record's values so far: true for those that come from an element with a prefix.
    prefixed: Vec<bool>,
    order: PrefixOrder,
}

/// An open element.
#[derive(Default)]
struct Element {
    name: String,
    text: String,
    has_prefix: bool,
    /// The name is the whole column, wherever the element is nested.
    is_column: bool,
    /// It is HTML in the text of the element around it.
    is_markup: bool,
}

impl XmlItem {
    /// Opens the record itself, or an element inside it.
    pub(super) fn open(&mut self, tag: &BytesStart<'_>) {
        let (name, prefix) = tag.name().decompose();
        let name = name.into_inner();
        let is_markup = self.depth >= 2
            && (self.innermost().is_some_and(|element| element.is_markup)
                || (prefix.is_none() && MARKUP.contains(&name)));
        if is_markup {
            ["<", name, ">"].into_iter().for_each(|part| self.push_text(part));
        }
        if self.elements.len() == self.depth {
            self.elements.push(Element::default());
        }
        let is_field = self.depth > 0 && !is_markup;
        if let Some(element) = self.elements.get_mut(self.depth) {
            element.name.clear();
            element.name.push_str(limit_name(name));
            clear_text(&mut element.text);
            element.has_prefix = prefix.is_some_and(|prefix| prefix.into_inner() != ATOM_PREFIX);
            element.is_column = false;
            element.is_markup = is_markup;
            if is_field {
                element.read_attributes(tag);
            }
        }
        self.depth += 1;
    }

    fn innermost(&self) -> Option<&Element> {
        self.elements.get(self.depth.checked_sub(1)?)
    }

    /// Adds to the text of the innermost element that is no markup; the record itself has none.
    #[inline]
    pub(super) fn push_text(&mut self, text: &str) {
        let open = self.elements.get_mut(1..self.depth).unwrap_or_default();
        if let Some(element) = open.iter_mut().rev().find(|element| !element.is_markup) {
            element.text.push_str(text);
        }
    }

    /// Adds the letter that an entity means; an unknown one stays as written.
    pub(super) fn push_entity(&mut self, name: &str) {
        let text = match name {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "apos" => "'",
            _ if name.len() > ENTITY_BYTES => {
                return ["&", name, ";"].into_iter().for_each(|part| self.push_text(part));
            }
            _ => {
                let entity = format!("&{name};");
                return self.push_text(&html_escape::decode_html_entities(&entity));
            }
        };
        self.push_text(text);
    }

    /// Closes the innermost element, and writes its value.
    pub(super) fn close(
        &mut self,
        headings: &mut Headings,
        record: &mut FeedRecord,
    ) -> Result<(), RecordFault> {
        self.depth = self.depth.saturating_sub(1);
        let Some(element) = self.elements.get_mut(self.depth).filter(|_| self.depth > 0) else {
            return Ok(());
        };
        if element.is_markup {
            let name = std::mem::take(&mut element.name);
            if !matches!(name.as_str(), "br" | "hr" | "img") {
                ["</", &name, ">"].into_iter().for_each(|part| self.push_text(part));
            }
            return Ok(());
        }
        element.clean_text();
        if element.text.is_empty() {
            return Ok(());
        }
        self.write_value(headings, record)
    }

    /// Ends the record, whose last element was closed.
    pub(super) fn finish(&mut self, record: &mut FeedRecord) {
        record.values.truncate(self.prefixed.len());
        self.order.move_unprefixed(&mut record.values, &self.prefixed);
        self.prefixed.clear();
    }

    /// Writes the value of the element that was just closed.
    fn write_value(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<(), RecordFault> {
        let open = self.elements.get_mut(1..=self.depth).unwrap_or_default();
        let first = open.iter().rposition(|element| element.is_column).unwrap_or(0);
        let open = open.get_mut(first..).unwrap_or_default();
        let name = match open {
            [element] => element.name.as_str(),
            _ => {
                self.path.clear();
                for (level, element) in open.iter().enumerate() {
                    self.path.push_str(["", "(", "."].get(level).unwrap_or(&"."));
                    self.path.push_str(&element.name);
                }
                self.path.push(')');
                limit_name(&self.path)
            }
        };
        let index = self.prefixed.len();
        let column = self.columns.find_column(headings, index, name)?;
        self.prefixed.push(open.first().is_some_and(|element| element.has_prefix));
        if let Some(element) = open.last_mut() {
            swap_value(&mut record.values, index, column, &mut element.text);
        }
        Ok(())
    }
}

impl Element {
    /// Removes zeros and the blanks around the text.
    fn clean_text(&mut self) {
        if memchr::memchr(0, self.text.as_bytes()).is_some() {
            self.text.retain(|letter| letter != '\0');
        }
        let trimmed = trim_text(&self.text);
        if trimmed.len() < self.text.len() {
            let end = self.text.trim_end().len();
            let start = end - trimmed.len();
            self.text.truncate(end);
            self.text.drain(..start);
        }
    }

    /// Reads values that stand in attributes: the address of a link, the term of a category, the name of an attribute.
    fn read_attributes(&mut self, tag: &BytesStart<'_>) {
        match self.name.as_str() {
            "link" => {
                let relation = find_attribute(tag, "rel");
                if relation.is_none_or(|relation| relation == "alternate") {
                    self.text = find_attribute(tag, "href").unwrap_or_default();
                }
            }
            "category" => self.text = find_attribute(tag, "term").unwrap_or_default(),
            "attribute" | "param" => {
                let name = find_attribute(tag, "name").unwrap_or_default();
                if !name.trim().is_empty() {
                    self.name = limit_name(name.trim()).to_owned();
                    self.is_column = true;
                }
            }
            _ => {}
        }
    }
}

/// Value of an attribute. Its names are not checked for repetition, which would compare each with all.
fn find_attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let found = attributes.with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name)?;
    Some(html_escape::decode_html_entities(found.value.as_ref()).into_owned())
}

/// Finder of columns that come both with and without a prefix.
#[derive(Default)]
struct PrefixOrder {
    /// Kinds of values that a column has in the record, by its number; 0 between two records.
    kinds: Vec<u8>,
}

impl PrefixOrder {
    const PREFIXED: u8 = 1;
    const UNPREFIXED: u8 = 2;

    /// Moves values without a prefix to the end, if their column has prefixed ones too: the `id` of an entry of Atom
    /// is an address, and its `g:id` the product's.
    fn move_unprefixed(&mut self, values: &mut Vec<RecordValue>, prefixed: &[bool]) {
        if !prefixed.contains(&true) || !prefixed.contains(&false) {
            return;
        }
        let width = values.iter().map(|value| value.column + 1).max().unwrap_or(0);
        self.kinds.resize(width.max(self.kinds.len()), 0);
        for (value, has_prefix) in values.iter().zip(prefixed) {
            let kind = if *has_prefix { Self::PREFIXED } else { Self::UNPREFIXED };
            self.kinds.get_mut(value.column).into_iter().for_each(|kinds| *kinds |= kind);
        }
        let both = Some(&(Self::PREFIXED | Self::UNPREFIXED));
        let mut last = Vec::new();
        let mut prefixes = prefixed.iter();
        values.retain_mut(|value| {
            let is_last = prefixes.next() == Some(&false) && self.kinds.get(value.column) == both;
            if is_last {
                last.push(RecordValue { column: value.column, text: std::mem::take(&mut value.text) });
            }
            !is_last
        });
        values.append(&mut last);
        for value in values {
            self.kinds.get_mut(value.column).into_iter().for_each(|kinds| *kinds = 0);
        }
    }
}
