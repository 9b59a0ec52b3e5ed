//! Pages are rendered from templates, which see the given values and nothing else. Every value stands on a page as
//! text: escaped, and with a dot for each letter that is invisible or that turns others around.

mod colours;
mod filters;
mod words;

use std::sync::Arc;

use html_escape::encode_double_quoted_attribute as escaped;
use minijinja::value::{Kwargs, Serde};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value};
use serde_json::Value as Json;

use self::filters::printable_lines;
use crate::i18n::UiLanguage;

pub use self::colours::find_colour;
pub use self::filters::lasting;
pub use self::words::AllTranslations;

/// The templates of a kind of pages: names and texts. Names that end with `.txt` are plain text, all others are HTML,
/// with attributes in double quotes.
pub type Templates = &'static [(&'static str, &'static str)];

/// Frame around every page.
const FRAME: (&str, &str) = ("frame.html", include_str!("frame.html"));

/// Draws pages.
pub struct PageRenderer {
    environment: Environment<'static>,
    /// Texts of the pages.
    pub words: Arc<AllTranslations>,
}

/// A template that cannot be drawn.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the page cannot be drawn")]
pub struct RenderFault;

impl PageRenderer {
    /// A drawing of these templates, whose texts are those with keys that begin with `texts`.
    #[must_use]
    pub fn new(templates: Templates, texts: &'static str) -> Self {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|name| {
            if name.ends_with(".txt") { AutoEscape::None } else { AutoEscape::Html }
        });
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.set_formatter(|out, state, value| write(out, state.auto_escape(), value));
        for &(name, template) in templates.iter().chain([&FRAME]) {
            // That each can be read is tested.
            let _ = environment.add_template(name, template);
        }
        let words = Arc::new(AllTranslations::new());
        let own = words.clone();
        environment.add_function("t", move |state: &State<'_, '_>, key: &str, values: Kwargs| {
            translate(own.of_page(state), &format!("{texts}{key}"), &values)
        });
        filters::add(&mut environment, &words);
        Self { environment, words }
    }

    /// The environment, to add functions for these templates alone.
    pub fn environment(&mut self) -> &mut Environment<'static> {
        &mut self.environment
    }

    /// A page, or a part of one.
    ///
    /// # Errors
    /// When the template cannot be drawn.
    pub fn text(
        &self,
        language: UiLanguage,
        template: &str,
        mut values: Json,
    ) -> Result<String, RenderFault> {
        values["lang"] = language.code().into();
        let found = self.environment.get_template(template);
        found.and_then(|template| template.render(Serde(values))).map_err(|fault| {
            // Its values may be personal, and are no part of a fault: only its kind and place are logged.
            tracing::error!(template, kind = ?fault.kind(), line = fault.line(), "a page cannot be drawn");
            RenderFault
        })
    }
}

/// Writes a value into a page. Safe values were made by a template or a filter.
fn write(out: &mut Output<'_>, escape: &AutoEscape, value: &Value) -> Result<(), Error> {
    let text = value.to_string();
    let text = if value.is_safe() { text } else { printable_lines(&text) };
    let is_ready = value.is_safe() || matches!(escape, AutoEscape::None);
    let written = if is_ready { out.write_str(&text) } else { out.write_str(&escaped(&text)) };
    written.map_err(|_| ErrorKind::WriteFailure.into())
}

/// `t("key", name=value)`: a text in the language of the page.
fn translate(texts: &crate::i18n::Translations, key: &str, values: &Kwargs) -> Result<String, Error> {
    if texts.find(key).is_none() {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("there is no text {key}")));
    }
    let filled: Result<Vec<_>, Error> =
        values.args().map(|name| Ok((name, values.get::<Value>(name)?.to_string()))).collect();
    let filled = filled?;
    let filled: Vec<_> = filled.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Ok(texts.translate(key, &filled))
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Asserts that each template can be read, names existing texts, and has attributes in double quotes alone.
    pub(crate) fn check(templates: Templates, texts: &'static str) {
        let drawing = PageRenderer::new(templates, texts);
        let english = drawing.words.in_language(UiLanguage::English);
        for &(name, template) in templates {
            assert!(drawing.environment.get_template(name).is_ok(), "{name}");
            assert!(!template.contains("='"), "{name}");
            for attribute in [" class=", " href=", " id=", " value="] {
                assert!(
                    template.split(attribute).skip(1).all(|rest| rest.starts_with('"')),
                    "{name}:{attribute}"
                );
            }
            let mut areas = template.split("<textarea").skip(1);
            assert!(areas.all(|area| area.contains("| as_typed }}</textarea>")), "{name}: typed once more");
            for part in template.split(" t(\"").skip(1).chain(template.split("{t(\"").skip(1)) {
                let key = part.split('"').next().unwrap_or_default();
                // A key that ends with a point or a line goes on with a value.
                if !key.ends_with(['.', '_']) {
                    assert!(english.find(&format!("{texts}{key}")).is_some(), "{name}: {key}");
                }
            }
        }
        let unknown =
            drawing.environment.render_str("{{ t('no.such') }}", minijinja::context! { lang => "de" });
        assert!(unknown.is_err());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drawn(template: &str, values: Json) -> String {
        let mut environment = PageRenderer::new(&[], "").environment;
        environment.add_template("x.html", template).expect("a template");
        let drawn = environment.get_template("x.html").expect("it is there").render(Serde(values));
        drawn.expect("it is drawn")
    }

    #[test]
    fn what_somebody_wrote_is_text() {
        let values = json!({"x": "<script>alert(\"1\")</script>"});
        for template in ["{{ x }}<a title=\"{{ x }}\">", "{{ x | as_typed }}<a title=\"{{ x | as_typed }}\">"]
        {
            let drawn = drawn(template, values.clone());
            assert!(!drawn.contains("<script") && !drawn.contains("\"1\""), "{drawn}");
        }
    }

    #[test]
    fn nothing_is_hidden_in_a_page() {
        let values = json!({"x": "one\ntwo\u{1b}[2J \u{202e}eeht", "list": ["a\u{2066}"]});
        assert!(drawn("{{ x }} {{ list }}", values.clone()).starts_with("one\ntwo·[2J ·eeht ["));
        assert!(!drawn("{{ list }}", values.clone()).contains('\u{2066}'));
        // A form gets the typed text back.
        assert_eq!(drawn("{{ x | as_typed }}", values), "one\ntwo\u{1b}[2J \u{202e}eeht");
    }

    #[test]
    fn each_filter_and_function_is_there_for_a_template() {
        let values = json!({"at": 1_795_262_400_000_i64, "n": 1234, "ms": 60_000, "none": null, "part": 0.5, "x": "<a>\u{202e}"});
        for (template, expected) in [
            ("{{ x | as_typed }}", "&lt;a&gt;\u{202e}"),
            ("{{ x }}", "&lt;a&gt;·"),
            ("{{ at | when }}", "<time datetime=\"2026-11-21T12:00:00Z\">2026-11-21 12:00 UTC</time>"),
            ("{{ none | when }}", "–"),
            ("{{ n | number }}", "1,234"),
            ("{{ n | bytes }}", "1.2 kB"),
            ("{{ n | size }}", "1234B"),
            ("{{ part | percent }}", "+50.0\u{202f}%"),
            ("{{ part | points }}", "+50.0"),
            ("{{ part | share }}", "50.0\u{202f}%"),
            ("{{ \"2026-11-01\" | on_day }}", "1 November 2026"),
            ("{{ part | price }}", "0.50"),
            ("{{ part | money(\"GBP\") }} {{ part | money(none) }}", "£0.50 0.50"),
            ("{{ ms | lasting }}{{ none | lasting }}", "1 min–"),
            ("{{ n | count }}", "1,234"),
            ("{{ at | in_words }}", "21 November 2026, 12:00 UTC"),
            ("{{ known(\"format.decimal\") }}", "."),
            ("{% if not known(\"no.such\") %}none{% endif %}", "none"),
            ("{{ t(\"format.date_time\", date=\"D\", time=n) }}", "D, 1234 UTC"),
        ] {
            assert_eq!(drawn(template, values.clone()), expected, "{template}");
        }
    }

    #[test]
    fn a_page_is_drawn_in_its_language_and_says_which_sentences_are_english() {
        const TEMPLATES: Templates = &[
            (
                "x.html",
                "{{ lang }} {{ n | count }} {{ x | english }}{% if (none | english) is none %}-{% endif %} {{ t(\"thousands\") }}",
            ),
            ("x.txt", "{{ x }}"),
            ("broken.html", "{{ nothing }}"),
        ];
        let drawing = PageRenderer::new(TEMPLATES, "format.");
        let values = json!({"n": 1234, "x": "a\u{202e} < b", "none": null});
        let page = |language| drawing.text(language, "x.html", values.clone()).expect("it is drawn");
        assert_eq!(page(UiLanguage::English), "en 1,234 a· &lt; b- ,");
        assert_eq!(page(UiLanguage::German), "de 1.234 <span lang=\"en\">a· &lt; b</span>- .");
        let text = drawing.text(UiLanguage::German, "x.txt", values.clone());
        assert_eq!(text.ok().as_deref(), Some("a· < b"));
        for broken in ["broken.html", "no such.html"] {
            assert!(drawing.text(UiLanguage::English, broken, values.clone()).is_err(), "{broken}");
        }
        assert_eq!(drawing.words.in_language(UiLanguage::French).language(), UiLanguage::French);
    }
}
