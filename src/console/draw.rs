//! Pages are drawn from templates, which see what an operation answered and nothing else.

use std::sync::Arc;

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use jiff::Timestamp;
use minijinja::value::{Kwargs, Serde};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, Value};
use serde_json::{Value as Json, json};

use super::help;
use super::deltas;
use super::problem::Problem;
use super::signed::{May, Needs};
use super::words::Words;
use crate::operators::Right;
use crate::texts::Language;

/// The templates: each page is one, around each stands `base.html`.
const TEMPLATES: &[(&str, &str)] = &[
    ("acts.html", include_str!("templates/acts.html")),
    ("backup.html", include_str!("templates/backup.html")),
    ("backups.html", include_str!("templates/backups.html")),
    ("base.html", include_str!("templates/base.html")),
    ("catalogue.html", include_str!("templates/catalogue.html")),
    ("chart.html", include_str!("templates/chart.html")),
    ("deltas.html", include_str!("templates/deltas.html")),
    ("erasure.html", include_str!("templates/erasure.html")),
    ("erasure_steps.html", include_str!("templates/erasure_steps.html")),
    ("erasures.html", include_str!("templates/erasures.html")),
    ("found.html", include_str!("templates/found.html")),
    ("health.html", include_str!("templates/health.html")),
    ("help.html", include_str!("templates/help.html")),
    ("import.html", include_str!("templates/import.html")),
    ("import_issues.html", include_str!("templates/import_issues.html")),
    ("import_lists.html", include_str!("templates/import_lists.html")),
    ("import_progress.html", include_str!("templates/import_progress.html")),
    ("imports.html", include_str!("templates/imports.html")),
    ("history.html", include_str!("templates/history.html")),
    ("ledger.html", include_str!("templates/ledger.html")),
    ("link.html", include_str!("templates/link.html")),
    ("looked.html", include_str!("templates/looked.html")),
    ("new_link.html", include_str!("templates/new_link.html")),
    ("new_shop.html", include_str!("templates/new_shop.html")),
    ("operator.html", include_str!("templates/operator.html")),
    ("operators.html", include_str!("templates/operators.html")),
    ("overview.html", include_str!("templates/overview.html")),
    ("people.html", include_str!("templates/people.html")),
    ("person.html", include_str!("templates/person.html")),
    ("picture.html", include_str!("templates/picture.html")),
    ("places.html", include_str!("templates/places.html")),
    ("plan.html", include_str!("templates/plan.html")),
    ("problem.html", include_str!("templates/problem.html")),
    ("settings.html", include_str!("templates/settings.html")),
    ("product.html", include_str!("templates/product.html")),
    ("recommendations.html", include_str!("templates/recommendations.html")),
    ("refused.html", include_str!("templates/refused.html")),
    ("reports.html", include_str!("templates/reports.html")),
    ("rules.html", include_str!("templates/rules.html")),
    ("search.html", include_str!("templates/search.html")),
    ("sheet.html", include_str!("templates/sheet.html")),
    ("shop.html", include_str!("templates/shop.html")),
    ("sign_in.html", include_str!("templates/sign_in.html")),
    ("zone.html", include_str!("templates/zone.html")),
    ("zones.html", include_str!("templates/zones.html")),
];

/// Draws pages.
pub(super) struct Drawing {
    environment: Environment<'static>,
    pub words: Arc<Words>,
}

impl Drawing {
    pub fn new() -> Self {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        for &(name, template) in TEMPLATES {
            // That each can be read is tested.
            let _ = environment.add_template(name, template);
        }
        let words = Arc::new(Words::new());
        let own = words.clone();
        environment.add_function("t", move |state: &State<'_, '_>, key: &str, values: Kwargs| {
            said(&own, state, key, &values)
        });
        environment.add_function("explained", help::explained);
        environment.add_filter("when", when);
        environment.add_filter("number", number);
        environment.add_filter("bytes", bytes);
        environment.add_filter("percent", percent);
        environment.add_filter("price", price);
        environment.add_filter("lasting", |ms: Option<i64>| ms.map_or_else(|| "–".to_owned(), deltas::time));
        Self { environment, words }
    }

    /// A page, or a part of one.
    ///
    /// # Errors
    /// When the template cannot be drawn.
    pub fn text(&self, language: Language, template: &str, mut values: Json) -> Result<String, Problem> {
        values["lang"] = language.code().into();
        let found = self.environment.get_template(template);
        found.and_then(|template| template.render(Serde(values))).map_err(|fault| {
            // What it was to show may be personal, and is no part of a fault: only its kind and place are told.
            tracing::error!(template, kind = ?fault.kind(), line = fault.line(), "a page cannot be drawn");
            Problem::fault()
        })
    }

    /// A page for who is not signed in.
    pub fn page(&self, language: Language, template: &str, values: Json) -> Response {
        match self.text(language, template, values) {
            Ok(page) => Html(page).into_response(),
            Err(_) => (Problem::fault().status, "This page cannot be drawn").into_response(),
        }
    }

    /// A page for who is signed in.
    ///
    /// # Errors
    /// When the template cannot be drawn.
    pub fn signed<N: Needs>(
        &self,
        may: &May<N>,
        template: &str,
        mut values: Json,
    ) -> Result<Response, Problem> {
        let shop = may.shop().ok();
        let has = |right| may.operator.may(right, shop.map(|shop| shop.id));
        values["me"] = json!({
            "name": may.operator.name,
            "role": may.operator.role.name(),
            "sells": has(Right::Sell),
            "sees_people": has(Right::People),
            "owns": has(Right::Own),
        });
        values["shop"] = json!(shop);
        values["shops"] = json!(may.shops);
        values["path"] = may.path.as_str().into();
        values["sheet"] = json!(may.sheet);
        values["form_token"] = may.session.form_token.as_str().into();
        let text = self.text(may.session.language, template, values)?;
        Ok(([(header::CONTENT_LANGUAGE, may.session.language.code())], Html(text)).into_response())
    }
}

/// `t("key", name=value)`: a text in the language of the page.
fn said(words: &Words, state: &State<'_, '_>, key: &str, values: &Kwargs) -> Result<String, Error> {
    let code = state.lookup("lang").map(|code| code.to_string()).unwrap_or_default();
    let texts = words.of(Language::named(&code).unwrap_or_default());
    let key = format!("console.{key}");
    // red: console::draw::tests::every_template_can_be_read_and_says_what_there_is
    if mutant!("texts-may-be-missing", texts.find(&key).is_none(), false) {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("there is no text {key}")));
    }
    let filled: Result<Vec<_>, Error> =
        values.args().map(|name| Ok((name, values.get::<Value>(name)?.to_string()))).collect();
    let filled = filled?;
    let filled: Vec<_> = filled.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Ok(texts.say(&key, &filled))
}

/// A time in milliseconds since 1970, which a script shows in the reader's own zone.
fn when(at: Option<i64>) -> Value {
    let Some(at) = at.and_then(|at| Timestamp::from_millisecond(at).ok()) else { return Value::from("–") };
    let shown = at.strftime("%Y-%m-%d %H:%M:%S UTC");
    Value::from_safe_string(format!("<time datetime=\"{at}\">{shown}</time>"))
}

/// A number with its thousands apart.
fn number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push('\u{202f}');
        }
        shown.push(digit);
    }
    if value < 0 { format!("-{shown}") } else { shown }
}

/// A size.
fn bytes(value: i64) -> String {
    let value = value as f64;
    let units = ["B", "kB", "MB", "GB", "TB"];
    let unit = units.iter().enumerate().rfind(|(power, _)| value >= 1000_f64.powi(*power as i32));
    let (power, unit) = unit.unwrap_or((0, &"B"));
    let scaled = value / 1000_f64.powi(power as i32);
    if power == 0 { format!("{scaled} {unit}") } else { format!("{scaled:.1} {unit}") }
}

/// By how much something is more: 0.1 is 10 %.
fn percent(part: f64) -> String {
    format!("{:+.1}\u{202f}%", 100.0 * part)
}

/// An amount as people write it: 10.5 is 10.50.
fn price(amount: f64) -> String {
    let text = amount.to_string();
    let has_tenths_alone = text.split_once('.').is_some_and(|(_, rest)| rest.len() == 1);
    if has_tenths_alone { format!("{text}0") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_can_be_read_and_says_what_there_is() {
        let drawing = Drawing::new();
        let texts = drawing.words.of(Language::English);
        for &(name, template) in TEMPLATES {
            assert!(drawing.environment.get_template(name).is_ok(), "{name}");
            for part in template.split(" t(\"").skip(1).chain(template.split("{t(\"").skip(1)) {
                let key = part.split('"').next().unwrap_or_default();
                // What ends with a point or a line goes on with a value.
                if !key.ends_with(['.', '_']) {
                    assert!(texts.find(&format!("console.{key}")).is_some(), "{name}: {key}");
                }
            }
        }
        let unknown =
            drawing.environment.render_str("{{ t('no.such') }}", minijinja::context! { lang => "de" });
        assert!(unknown.is_err());
    }

    #[test]
    fn what_somebody_wrote_is_text() {
        let mut environment = Drawing::new().environment;
        environment.add_template("x", "{{ x }}<a title=\"{{ x }}\">").expect("a template");
        let drawn = environment.get_template("x").expect("it is there");
        let drawn = drawn.render(Serde(json!({"x": "<script>alert(\"1\")</script>"}))).expect("it is drawn");
        assert!(!drawn.contains("<script") && !drawn.contains("\"1\""), "{drawn}");
    }

    #[test]
    fn numbers_are_read_at_a_glance() {
        assert_eq!(
            [number(0), number(-1234), number(1_234_567)],
            ["0", "-1\u{202f}234", "1\u{202f}234\u{202f}567"]
        );
        assert_eq!(
            [bytes(0), bytes(999), bytes(1500), bytes(5_400_000_000)],
            ["0 B", "999 B", "1.5 kB", "5.4 GB"]
        );
        assert_eq!([percent(0.123), percent(-0.02)], ["+12.3\u{202f}%", "-2.0\u{202f}%"]);
        assert_eq!([price(10.5), price(5000.0), price(1.234)], ["10.50", "5000", "1.234"]);
        assert_eq!(when(None).to_string(), "–");
        assert_eq!(
            when(Some(1_795_262_400_000)).to_string(),
            "<time datetime=\"2026-11-21T12:00:00Z\">2026-11-21 12:00:00 UTC</time>"
        );
    }
}
