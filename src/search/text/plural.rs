//! Plurals: one form for a word and its plural, for completions.

use super::language::ShopLanguage;

/// The singular of a folded word where the language has a rule for it; `None` where its stem has to serve.
pub(super) fn singular(language: ShopLanguage, word: &str) -> Option<String> {
    let rules: &[(&str, &str)] = match language {
        ShopLanguage::English => &[
            ("sses", "ss"),
            ("ches", "ch"),
            ("shes", "sh"),
            ("xes", "x"),
            ("zzes", "zz"),
            ("ies", "y"),
            ("ss", "ss"),
            ("us", "us"),
            ("is", "is"),
            ("s", ""),
        ],
        ShopLanguage::French => {
            &[("eaux", "eau"), ("aux", "al"), ("eux", "eux"), ("ss", "ss"), ("s", ""), ("x", "")]
        }
        ShopLanguage::Spanish => &[
            ("iones", "ion"),
            ("ores", "or"),
            ("ales", "al"),
            ("eles", "el"),
            ("ces", "z"),
            ("ss", "ss"),
            ("s", ""),
        ],
        ShopLanguage::Portuguese => &[
            ("oes", "ao"),
            ("ores", "or"),
            ("ais", "al"),
            ("eis", "el"),
            ("ns", "m"),
            ("ss", "ss"),
            ("s", ""),
        ],
        ShopLanguage::Other => &[],
        _ => return None,
    };
    if word.len() < 4 || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return Some(word.to_owned());
    }
    let found = rules
        .iter()
        .find_map(|(ending, instead)| word.strip_suffix(ending).map(|rest| format!("{rest}{instead}")));
    Some(found.unwrap_or_else(|| word.to_owned()))
}
