//! Plurals: one form for a word and its plural, for completions.

use super::Language;

/// The singular of a folded word where the language has a rule for it; `None` where its stem has to do.
pub(super) fn singular(language: Language, word: &str) -> Option<String> {
    let rules: &[(&str, &str)] = match language {
        Language::English => &[
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
        Language::French => {
            &[("eaux", "eau"), ("aux", "al"), ("eux", "eux"), ("ss", "ss"), ("s", ""), ("x", "")]
        }
        Language::Spanish => &[
            ("iones", "ion"),
            ("ores", "or"),
            ("ales", "al"),
            ("eles", "el"),
            ("ces", "z"),
            ("ss", "ss"),
            ("s", ""),
        ],
        Language::Portuguese => &[
            ("oes", "ao"),
            ("ores", "or"),
            ("ais", "al"),
            ("eis", "el"),
            ("ns", "m"),
            ("ss", "ss"),
            ("s", ""),
        ],
        Language::Other => &[],
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
