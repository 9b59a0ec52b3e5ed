//! Templates of a shop for the products of its zones: texts with the values of items in them, conditions and loops.
//!
//! The language is that of Jinja (the library minijinja), limited to parts that cannot grow: no filters, calls,
//! operators that make longer texts, or blocks that capture any. So the library's counts and the length of the output
//! bound the time and memory of a template. Lengths are bounded too, as the library is nested as deep as what it reads.

use std::io::{self, Write};

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;

use crate::limits;

/// The words a block may begin with.
const BLOCKS: [&str; 6] = ["for", "endfor", "if", "elif", "else", "endif"];

/// Values and blocks of a template.
const BLOCKS_MAX: usize = 300;
/// Most bytes of one value or block, so that it is not nested deep.
const CONTENT_BYTES: usize = 200;

/// The name of a template among those of its own environment.
const NAME: &str = "zone";

/// A template, ready to be used.
#[derive(Debug)]
pub struct Template(Environment<'static>);

/// Values that a template draws.
#[derive(Serialize)]
pub struct TemplateValues<'d> {
    /// The name of the zone.
    pub zone: &'d str,
    /// Title over its products.
    pub title: &'d str,
    /// The products, as clients get them.
    pub items: &'d [serde_json::Value],
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// The rest of a sentence, with the line and column, when the text is no template, or more than a template may be.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > limits::TEMPLATE_BYTES {
            return Err(format!("has a Template of more than {} bytes", limits::TEMPLATE_BYTES));
        }
        check(text)?;
        let mut own = Environment::empty();
        own.set_auto_escape_callback(|_| AutoEscape::Html);
        own.set_undefined_behavior(UndefinedBehavior::Chainable);
        own.set_fuel(Some(limits::TEMPLATE_STEPS));
        own.add_template_owned(NAME, text.to_owned()).map_err(|fault| {
            let at = line_and_column(text, fault.range().map_or(0, |range| range.start));
            format!("has a fault in its Template, {at}: {}", fault.detail().unwrap_or("it cannot be read"))
        })?;
        Ok(Self(own))
    }

    /// The HTML of a zone.
    ///
    /// # Errors
    /// Reason why there is none: it takes too long, or gets too long.
    pub fn render(&self, drawn: &TemplateValues<'_>) -> Result<String, &'static str> {
        let mut html = BoundedText(Vec::new());
        let template = self.0.get_template(NAME).map_err(|_| "its Template cannot be read")?;
        template.render_captured_to(Serde(drawn), &mut html).map_err(|fault| match fault.kind() {
            ErrorKind::OutOfFuel => "its Template takes too many steps",
            ErrorKind::WriteFailure => "what its Template writes is too long",
            _ => "its Template cannot be followed",
        })?;
        String::from_utf8(html.0).map_err(|_| "its Template writes no text")
    }
}

/// Checks that a template writes nothing but its values. Only such parts of the language pass that this check and the
/// library read alike.
fn check(text: &str) -> Result<(), String> {
    let mut from = 0;
    let mut blocks = 0;
    while let Some(begin) = text[from..].find('{').map(|at| from + at) {
        let end = match text.as_bytes().get(begin + 1) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            Some(b'#') => "#}",
            _ => {
                from = begin + 1;
                continue;
            }
        };
        let inner = begin + 2;
        let fault = |what: &str| {
            Err(format!("has a fault in its Template, {}: {what}", line_and_column(text, begin)))
        };
        let Some(length) = text[inner..].find(end) else { return fault("what begins here never ends") };
        let content = &text[inner..inner + length];
        from = inner + length + 2;
        if end == "#}" {
            continue;
        }
        blocks += 1;
        if blocks > BLOCKS_MAX {
            return fault("there are too many values and blocks");
        }
        check_tag(content, end == "%}").or_else(fault)?;
    }
    Ok(())
}

/// Checks the content of `{{ }}` or `{% %}`.
fn check_tag(content: &str, is_block: bool) -> Result<(), &'static str> {
    let content = content.strip_prefix('-').unwrap_or(content);
    let content = content.strip_suffix('-').unwrap_or(content).trim();
    if content.len() > CONTENT_BYTES {
        return Err("it is too long");
    }
    let is_plain = |sign: char| sign.is_alphanumeric() || " \t\r\n_.\"=!<>".contains(sign);
    // A quote that is open here ends elsewhere for the library.
    if !content.chars().all(is_plain) || !content.matches('"').count().is_multiple_of(2) {
        return Err("only names, texts in double quotes, comparisons, and, or, not and in may stand here");
    }
    let word = content.split_whitespace().next().unwrap_or_default();
    if is_block && !BLOCKS.contains(&word) {
        return Err("a block is for, if, elif, else, endif or endfor");
    }
    // Comparing all items with all takes long, and is one step for the library.
    let words: Vec<_> = content.split_whitespace().collect();
    let is_walk = is_block && matches!(*words.as_slice(), ["for", _, "in", "items"]);
    let rest = if is_walk { "" } else { content };
    if words.contains(&"is") {
        return Err("is asks for tests, and there are none: compare, or ask for the value itself");
    }
    let is_whole = |(at, name): (usize, &str)| {
        let is_part = |sign: char| sign.is_alphanumeric() || "_.".contains(sign);
        !rest[..at].ends_with(is_part) && !rest[at + name.len()..].starts_with(is_part)
    };
    if rest.match_indices("items").any(is_whole) {
        return Err("items are walked through with for, or named by their number, as items.0");
    }
    Ok(())
}

/// Line and column of a byte, both counted from 1.
fn line_and_column(text: &str, at: usize) -> String {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}")
}

/// A text that does not get longer than a zone may be.
struct BoundedText(Vec<u8>);

impl Write for BoundedText {
    fn write(&mut self, some: &[u8]) -> io::Result<usize> {
        if self.0.len() + some.len() > limits::TEMPLATE_HTML_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(some);
        Ok(some.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drawn(template: &str) -> Result<String, &'static str> {
        let items: Vec<_> = (0..50)
            .map(|n| json!({"Id": n.to_string(), "Title": "<b> & \"c\"", "Price": 7.5, "Tags": ["new", "red"]}))
            .collect();
        let template = Template::parse(template).unwrap_or_else(|fault| panic!("{fault}"));
        template.render(&TemplateValues { zone: "HP-01", title: "Für dich", items: &items })
    }

    #[test]
    fn a_template_draws_values_as_texts() {
        let template = "{# a comment ~ #}<h2>{{ title }}</h2>\n{% for item in items -%}\n{% if loop.index < 3 and item.Price > 7 %}\
            <a href=\"/{{ item.Id }}\">{{ item.Title }}{{ item.No.thing }}{% if \"new\" in item.Tags %}!{% endif %}</a>\
            {% elif loop.last %}{{ zone }}{% endif %}{%- endfor %}";
        let html = drawn(template).expect("html");
        assert_eq!(
            html,
            "<h2>Für dich</h2>\n<a href=\"/0\">&lt;b&gt; &amp; &quot;c&quot;!</a><a href=\"/1\">&lt;b&gt; &amp; &quot;c&quot;!</a>HP-01"
        );
    }

    #[test]
    fn what_could_grow_is_refused_with_line_and_column() {
        let refused = [
            "{{ title ~ title }}",
            "{{ title * 99 }}",
            "{{ title + title }}",
            "{% set a %}{{ title }}{% endset %}",
            "{% set a = title %}",
            "{% with a = title %}{% endwith %}",
            "{% filter upper %}a{% endfilter %}",
            "{{ items|join }}",
            "{{ range(9) }}",
            "{{ [items, items] }}",
            "{{ {\"a\": items} }}",
            "{% macro a() %}{% endmacro %}",
            "{% include \"zone\" %}",
            "{{ \"}}\" ~ title ~ title }}",
            "{{ '\"' == \"}}{#\" }}{% set a=[zone,zone] %}{{ a }}#}",
            "{{ 'a' }}",
            "{{ --title }}",
            "{{ title - title }}",
            "{{ items }}",
            "{% if items == items %}{% endif %}",
            "{% for a in items if a == items %}{% endfor %}",
            "{% for a in items == items %}{% endfor %}",
            "{% for a in title if items.0 in items %}{% endfor %}",
            "{% if title is defined %}{% endif %}",
            "{{ '}}' ~ title }}",
            "{{ title",
            "{%",
        ];
        for refused in refused {
            let text = format!("<p>\n ä{refused}");
            let fault = Template::parse(&text).expect_err(refused);
            assert!(
                fault.starts_with("has a fault in its Template, line 2, column 3: "),
                "{refused}: {fault}"
            );
        }
        // Texts that the library itself refuses.
        let fault = Template::parse("<p>\n{% for item items %}{% endfor %}").expect_err("no in");
        assert!(fault.contains("line 2, column ") && !fault.contains("cannot be read"), "{fault}");
        let fault = Template::parse("a{% if title %}").expect_err("no end");
        assert!(fault.contains("line 1, column "), "{fault}");
        assert!(Template::parse(&"x".repeat(limits::TEMPLATE_BYTES + 1)).is_err());
        // Deep or endless expressions would need a deep stack.
        let long = ["-", "not ", "a.", "a and ", "a if a else ", "a == "]
            .map(|part| format!("{{{{ {}a }}}}", part.repeat(200)));
        let chain = format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(BLOCKS_MAX));
        let deep = format!("{}{}", "{% if a %}".repeat(BLOCKS_MAX / 2), "{% endif %}".repeat(BLOCKS_MAX / 2));
        for refused in long.iter().chain([&chain, &deep]) {
            assert!(Template::parse(refused).is_err(), "{refused:.40}");
        }
        for taken in [
            "",
            "{",
            "{ {",
            "a { b } {} %} }}",
            "{{ title }}",
            "{{- items.0.Id -}}",
            "{#{{#}",
            "{{ item.items }}",
        ] {
            assert!(Template::parse(taken).is_ok(), "{taken}");
        }
    }

    #[test]
    fn a_template_ends_when_it_takes_too_much() {
        let nested = |depth: usize, text: &str| {
            let [begin, end] = ["{% for item in items %}", "{% endfor %}"].map(|block| block.repeat(depth));
            format!("{begin}{text}{end}")
        };
        assert_eq!(drawn(&nested(2, "")).as_deref(), Ok(""));
        assert_eq!(drawn(&nested(4, "")), Err("its Template takes too many steps"));
        assert_eq!(drawn(&nested(2, &"x".repeat(200))), Err("what its Template writes is too long"));
    }

    #[test]
    fn a_template_is_taken_up_to_its_bounds() {
        let parse = |text: String| Template::parse(&text).map(drop);
        let fault = |column: usize, what: &str| {
            Err(format!("has a fault in its Template, line 1, column {column}: {what}"))
        };
        assert_eq!(parse("x".repeat(limits::TEMPLATE_BYTES)), Ok(()));
        let too_long = format!("has a Template of more than {} bytes", limits::TEMPLATE_BYTES);
        assert_eq!(parse("x".repeat(limits::TEMPLATE_BYTES + 1)), Err(too_long));
        let value = |bytes: usize| format!("{{{{{}}}}}", "a".repeat(bytes));
        assert_eq!(parse(value(CONTENT_BYTES)), Ok(()));
        assert_eq!(parse(value(CONTENT_BYTES + 1)), fault(1, "it is too long"));
        assert_eq!(parse(value(1).repeat(BLOCKS_MAX)), Ok(()));
        let column = BLOCKS_MAX * value(1).len() + 1;
        let too_many = fault(column, "there are too many values and blocks");
        assert_eq!(parse(value(1).repeat(BLOCKS_MAX + 1)), too_many);
    }

    #[test]
    fn every_value_and_block_is_looked_at_wherever_it_begins() {
        let fault = |text: &str| Template::parse(text).expect_err(text);
        let begin = |column: usize| format!("has a fault in its Template, line 1, column {column}: ");
        const SIGNS: &str =
            "only names, texts in double quotes, comparisons, and, or, not and in may stand here";
        for before in ["", "x", "{{a}}", "{#a#}", "{##}", "{a}", "{ ", "{% if a %}", "{{a}}{{b}}"] {
            let said = begin(before.len() + 1) + SIGNS;
            assert_eq!(fault(&format!("{before}{{{{ a ~ a }}}}")), said, "{before}");
        }
        const WORDS: &str = "a block is for, if, elif, else, endif or endfor";
        for block in ["{% set a = if %}", "{%set a%}", "{%- block if -%}", "{% %}"] {
            assert_eq!(fault(block), begin(1) + WORDS, "{block}");
        }
        assert_eq!(fault("a{{ b"), begin(2) + "what begins here never ends");
    }

    #[test]
    fn a_zone_is_as_long_as_it_may_be_and_no_longer() {
        const OF_ITEM: usize = limits::TEMPLATE_HTML_BYTES / 50;
        let html = |more: usize| {
            let [of_item, rest] = [OF_ITEM, more].map(|bytes| "x".repeat(bytes));
            drawn(&format!("{{% for item in items %}}{of_item}{{% endfor %}}{rest}")).map(|html| html.len())
        };
        let rest = limits::TEMPLATE_HTML_BYTES - 50 * OF_ITEM;
        assert_eq!(html(rest), Ok(limits::TEMPLATE_HTML_BYTES));
        assert_eq!(html(rest + 1), Err("what its Template writes is too long"));
    }
}
