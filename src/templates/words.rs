//! Words of the pages, in each language.

use minijinja::State;

use crate::i18n::{Translations, UiLanguage};

/// The texts of all languages.
pub struct AllTranslations([Translations; 3]);

impl AllTranslations {
    pub(super) fn new() -> Self {
        Self(UiLanguage::ALL.map(Translations::load))
    }

    /// Those of a language.
    #[must_use]
    pub fn in_language(&self, language: UiLanguage) -> &Translations {
        self.0.iter().find(|texts| texts.language() == language).unwrap_or(&self.0[0])
    }

    /// Those of the page that is being drawn.
    pub(super) fn of_page(&self, state: &State<'_, '_>) -> &Translations {
        let code = state.lookup("lang").map(|code| code.to_string()).unwrap_or_default();
        self.in_language(UiLanguage::from_code(&code).unwrap_or_default())
    }
}
