//! What the pages say, in each language.

use crate::texts::{Language, Texts};

/// The texts of all languages.
pub(super) struct Words([Texts; 3]);

impl Words {
    pub fn new() -> Self {
        Self(Language::ALL.map(Texts::of))
    }

    /// Those of a language.
    pub fn of(&self, language: Language) -> &Texts {
        self.0.iter().find(|texts| texts.language() == language).unwrap_or(&self.0[0])
    }
}

/// The first language that a browser asks for and that there are texts in. The weights are left aside: browsers send
/// their languages in order.
pub(super) fn asked_for(accept_language: &str) -> Language {
    accept_language.split([',', ';']).find_map(Language::named).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_first_that_is_known() {
        assert_eq!(asked_for("es,de-AT;q=0.9,en;q=0.8"), Language::German);
        assert_eq!(asked_for(""), Language::English);
    }
}
