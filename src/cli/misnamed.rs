//! Advice on names in a feed that resemble documented ones, and on identifiers with a wrong check digit.

use crate::feeds::issue::IssueCode;

/// Names that are told at most.
const NAMES_MAX: usize = 5;

/// Names each with the one that was meant, such as `price: did you mean Prices?`, in issues of this code; `None` if
/// there is none. The code may be one that this program does not know yet.
pub fn advice_on_suggestions<'a>(
    code: Option<IssueCode>,
    names: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for (name, meant) in names {
        let advice = match code {
            Some(IssueCode::GtinMalformed) => format!("{name}: the last digit should be {meant}."),
            _ => format!("{name}: did you mean {meant}?"),
        };
        if told.contains(&advice) {
            continue;
        }
        if told.len() == NAMES_MAX {
            told.push("…".to_owned());
            break;
        }
        told.push(advice);
    }
    (!told.is_empty()).then(|| told.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_told_once_with_the_one_that_was_meant_and_a_few_are_enough() {
        const CODE: Option<IssueCode> = Some(IssueCode::FieldMisnamed);
        assert_eq!(advice_on_suggestions(CODE, [].into_iter()), None);
        let names = [("price", "Prices"), ("url", "Link"), ("price", "Prices")];
        assert_eq!(
            advice_on_suggestions(CODE, names.into_iter()).as_deref(),
            Some("price: did you mean Prices? url: did you mean Link?")
        );
        let many = ["a", "b", "c", "d", "e", "f", "g"].map(|name| (name, "Id"));
        let told = advice_on_suggestions(CODE, many.into_iter()).unwrap_or_default();
        assert!(told.ends_with("e: did you mean Id? …"), "{told}");
        let digit =
            advice_on_suggestions(Some(IssueCode::GtinMalformed), [("Variants[0].Gtin", "7")].into_iter());
        assert_eq!(digit.as_deref(), Some("Variants[0].Gtin: the last digit should be 7."));
    }
}
