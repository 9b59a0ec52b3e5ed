//! Advice on names in a feed that resemble documented ones.

/// Names that are told at most.
const NAMES_MAX: usize = 5;

/// Names each with the one that was meant, such as `price: did you mean Prices?`; `None` if there is none.
pub fn advice_on_names<'a>(names: impl Iterator<Item = (&'a str, &'a str)>) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for (name, meant) in names {
        let advice = format!("{name}: did you mean {meant}?");
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
        assert_eq!(advice_on_names([].into_iter()), None);
        let names = [("price", "Prices"), ("url", "Link"), ("price", "Prices")];
        assert_eq!(
            advice_on_names(names.into_iter()).as_deref(),
            Some("price: did you mean Prices? url: did you mean Link?")
        );
        let many = ["a", "b", "c", "d", "e", "f", "g"].map(|name| (name, "Id"));
        let told = advice_on_names(many.into_iter()).unwrap_or_default();
        assert!(told.ends_with("e: did you mean Id? …"), "{told}");
    }
}
