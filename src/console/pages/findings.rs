//! Findings about the server in the language of a page.

use serde_json::Value;

use crate::i18n::Translations;

/// Puts the sentences of findings into a language. Those that a fault tells stay in English, and the page says so.
pub(crate) fn translate_findings(checks: &mut Value, texts: &Translations) {
    for check in checks.as_array_mut().into_iter().flatten() {
        let key = format!("doctor.{}", check["Text"].as_str().unwrap_or_default());
        if texts.find(&key).is_none() {
            continue;
        }
        let values = check["Values"].as_object().into_iter().flatten();
        let values: Vec<_> =
            values.map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default())).collect();
        let sentence = texts.translate(&key, &values);
        check["Translated"] = sentence.into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::i18n::UiLanguage;

    #[test]
    fn a_finding_is_translated_with_its_values_and_a_fault_is_not() {
        let mut checks = json!([
            {"Text": "backup_old", "Values": {"days": "9"}, "Sentence": "The newest backup is 9 days old."},
            {"Text": "", "Values": {}, "Sentence": "The disk is full."},
        ]);
        translate_findings(&mut checks, &Translations::load(UiLanguage::German));
        let said = checks[0]["Translated"].as_str().unwrap_or_default();
        assert!(said.starts_with("Die neueste Sicherung ist 9 Tage alt."), "{said}");
        assert_eq!(checks[1]["Translated"], Value::Null);
    }
}
