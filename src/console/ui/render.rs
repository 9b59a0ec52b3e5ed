//! The pages of the console, rendered from templates, which see the answer of an operation and nothing else.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use serde_json::{Value as Json, json};

use super::page_templates::{Pages, TEMPLATES};
use super::problem::Problem;
use super::{files, images};
use crate::console::auth::authorization::{Authorized, RequiredRight};
use crate::console::pages::help_topics;
use crate::i18n::{Translations, UiLanguage};
use crate::operators::Right;
use crate::templates::PageRenderer;

/// The pages, whose templates are read when the first is drawn.
pub(crate) static PAGES: LazyLock<Pages> = LazyLock::new(|| {
    let mut drawing = PageRenderer::new(TEMPLATES, "console.");
    drawing.environment().add_function("explained", help_topics::explain_code);
    drawing.environment().add_function("picture", images::picture);
    drawing.environment().add_function("file_address", files::file_address);
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
    pub fn render_signed_in<N: RequiredRight>(
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
        let has = |right| may.operator.is_allowed(right, shop.map(|shop| shop.id));
        values["me"] = json!({
            "name": may.operator.name,
            "role": may.operator.role.name(),
            "sells": has(Right::Merchandise),
            "sees_people": has(Right::Privacy),
            "owns": has(Right::Admin),
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
