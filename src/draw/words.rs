//! What the pages say, in each language.

use minijinja::State;

use crate::texts::{Language, Texts};

/// The texts of all languages.
pub struct Words([Texts; 3]);

impl Words {
    pub(super) fn new() -> Self {
        Self(Language::ALL.map(Texts::of))
    }

    /// Those of a language.
    #[must_use]
    pub fn of(&self, language: Language) -> &Texts {
        self.0.iter().find(|texts| texts.language() == language).unwrap_or(&self.0[0])
    }

    /// Those of the page that is being drawn.
    pub(super) fn of_page(&self, state: &State<'_, '_>) -> &Texts {
        let code = state.lookup("lang").map(|code| code.to_string()).unwrap_or_default();
        self.of(Language::named(&code).unwrap_or_default())
    }
}
