//! The language of a browser without a sign-in.

use crate::i18n::UiLanguage;

/// The first language that a browser asks for and that there are texts in. The weights are left aside: browsers send
/// their languages in order.
pub(crate) fn preferred_language(accept_language: &str) -> UiLanguage {
    accept_language.split([',', ';']).find_map(UiLanguage::from_code).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_first_that_is_known() {
        assert_eq!(preferred_language("es,de-AT;q=0.9,en;q=0.8"), UiLanguage::German);
        assert_eq!(preferred_language(""), UiLanguage::English);
    }
}
