//! The pages of the console, rendered from templates, which see the answer of an operation and nothing else.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use serde_json::{Value as Json, json};

use super::error_page::Problem;
use super::images;
use crate::console::auth::authorization::{Authorized, Needs};
use crate::console::pages::help;
use crate::i18n::{Translations, UiLanguage};
use crate::operators::Right;
use crate::templates::{Drawing, Templates};

/// The templates: each page is one, around each stands `base.html`, and around that the frame of all pages.
const TEMPLATES: Templates = &[
    ("acts.html", include_str!("templates/acts.html")),
    ("backup.html", include_str!("templates/backup.html")),
    ("backups.html", include_str!("templates/backups.html")),
    ("base.html", include_str!("templates/base.html")),
    ("catalogue.html", include_str!("templates/catalogue.html")),
    ("chart.html", include_str!("templates/chart.html")),
    ("code.html", include_str!("templates/code.html")),
    ("curl.html", include_str!("templates/curl.html")),
    ("deltas.html", include_str!("templates/deltas.html")),
    ("erasure.html", include_str!("templates/erasure.html")),
    ("erasure_steps.html", include_str!("templates/erasure_steps.html")),
    ("erasures.html", include_str!("templates/erasures.html")),
    ("faults.html", include_str!("templates/faults.html")),
    ("found.html", include_str!("templates/found.html")),
    ("health.html", include_str!("templates/health.html")),
    ("help.html", include_str!("templates/help.html")),
    ("history.html", include_str!("templates/history.html")),
    ("import.html", include_str!("templates/import.html")),
    ("import_fault.html", include_str!("templates/import_fault.html")),
    ("import_groups.html", include_str!("templates/import_groups.html")),
    ("import_issues.html", include_str!("templates/import_issues.html")),
    ("import_lists.html", include_str!("templates/import_lists.html")),
    ("import_progress.html", include_str!("templates/import_progress.html")),
    ("import_state.html", include_str!("templates/import_state.html")),
    ("imports.html", include_str!("templates/imports.html")),
    ("interval.html", include_str!("templates/interval.html")),
    ("ledger.html", include_str!("templates/ledger.html")),
    ("lines.html", include_str!("templates/lines.html")),
    ("link.html", include_str!("templates/link.html")),
    ("looked.html", include_str!("templates/looked.html")),
    ("me.html", include_str!("templates/me.html")),
    ("new_link.html", include_str!("templates/new_link.html")),
    ("new_shop.html", include_str!("templates/new_shop.html")),
    ("operator.html", include_str!("templates/operator.html")),
    ("operators.html", include_str!("templates/operators.html")),
    ("overview.html", include_str!("templates/overview.html")),
    ("people.html", include_str!("templates/people.html")),
    ("person.html", include_str!("templates/person.html")),
    ("phase.html", include_str!("templates/phase.html")),
    ("picture.html", include_str!("templates/picture.html")),
    ("place.html", include_str!("templates/place.html")),
    ("places.html", include_str!("templates/places.html")),
    ("plan.html", include_str!("templates/plan.html")),
    ("problem.html", include_str!("templates/problem.html")),
    ("product.html", include_str!("templates/product.html")),
    ("recommendations.html", include_str!("templates/recommendations.html")),
    ("refused.html", include_str!("templates/refused.html")),
    ("report_catalogue.html", include_str!("templates/report_catalogue.html")),
    ("report_tabs.html", include_str!("templates/report_tabs.html")),
    ("reports.html", include_str!("templates/reports.html")),
    ("rules.html", include_str!("templates/rules.html")),
    ("search.html", include_str!("templates/search.html")),
    ("settings.html", include_str!("templates/settings.html")),
    ("sheet.html", include_str!("templates/sheet.html")),
    ("shop.html", include_str!("templates/shop.html")),
    ("sign_in.html", include_str!("templates/sign_in.html")),
    ("token.html", include_str!("templates/token.html")),
    ("zone.html", include_str!("templates/zone.html")),
    ("zones.html", include_str!("templates/zones.html")),
];

/// Draws the pages of the console.
pub(crate) struct Pages(Drawing);

/// The pages, whose templates are read when the first is drawn.
pub(crate) static PAGES: LazyLock<Pages> = LazyLock::new(|| {
    let mut drawing = Drawing::new(TEMPLATES, "console.");
    drawing.environment().add_function("explained", help::explain_code);
    drawing.environment().add_function("picture", images::picture);
    Pages(drawing)
});

impl Pages {
    /// Texts of the pages in a language.
    pub fn words(&self, language: UiLanguage) -> &Translations {
        self.0.words.in_language(language)
    }

    /// A page, or a part of one.
    ///
    /// # Errors
    /// When the template cannot be drawn.
    pub fn text(&self, language: UiLanguage, template: &str, values: Json) -> Result<String, Problem> {
        Ok(self.0.text(language, template, values)?)
    }

    /// A page without a sign-in.
    pub fn page(&self, language: UiLanguage, template: &str, values: Json) -> Response {
        match self.text(language, template, values) {
            Ok(page) => Html(page).into_response(),
            Err(_) => (Problem::fault().status, "This page cannot be drawn").into_response(),
        }
    }

    /// A page for a signed-in operator.
    ///
    /// # Errors
    /// When the template cannot be drawn.
    pub fn render_signed_in<N: Needs>(
        &self,
        may: &Authorized<N>,
        template: &str,
        mut values: Json,
    ) -> Result<Response, Problem> {
        // A page whose form was not sent yet has nothing wrong with it.
        for name in ["wrong", "fault"] {
            values[name] = values[name].take();
        }
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
        let policy = shop.and_then(|shop| images::policy(&text, &shop.pictures));
        let language = [(header::CONTENT_LANGUAGE, may.session.language.code())];
        let mut page = (language, Html(text)).into_response();
        if let Some(policy) = policy {
            page.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erasure::ErasureState;

    #[test]
    fn every_template_can_be_read_and_says_what_there_is() {
        crate::templates::testing::check(TEMPLATES, "console.");
    }

    #[test]
    fn each_state_of_an_erasure_has_its_words() {
        for (state, language) in
            ErasureState::ALL.iter().flat_map(|state| UiLanguage::ALL.map(|one| (state, one)))
        {
            for kind in ["erasure_state", "erasure_step"] {
                let key = format!("console.{kind}.{}", state.as_str());
                assert!(PAGES.words(language).find(&key).is_some(), "{key} {}", language.code());
            }
        }
    }
}
