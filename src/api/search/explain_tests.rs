//! Codes and sentences of the reasons why a product is not found.

use super::*;
use crate::i18n::UiLanguage;

#[test]
fn each_reason_to_be_missing_has_its_code_and_its_sentence() {
    let english = ReasonWriter::new(UiLanguage::English);
    let text = |text: &str| text.to_owned();
    for (missing, expected, says) in [
        (
            NotFoundReason::Unknown,
            "not_in_catalogue",
            "The shop shows no product with this id or article number",
        ),
        (
            NotFoundReason::Unseen(HiddenReason::Hidden),
            "hidden_by_flag",
            "Excluded from search by the shop (ExcludeFromSearch)",
        ),
        (
            NotFoundReason::Unseen(HiddenReason::Unlisted),
            "hidden_by_flag",
            "Excluded by the shop from pages without a search term",
        ),
        (
            NotFoundReason::Unseen(HiddenReason::Unrecommended),
            "hidden_by_flag",
            "Excluded from recommendations by the shop",
        ),
        (
            NotFoundReason::Unseen(HiddenReason::OutOfPeriod),
            "out_of_period",
            "Not shown today (StartDate, EndDate)",
        ),
        (
            NotFoundReason::Unseen(HiddenReason::OfOtherAccounts),
            "other_accounts",
            "Shown to other accounts only (AccountInclusions, AccountExclusions)",
        ),
        (
            NotFoundReason::Unseen(HiddenReason::WithoutPrice),
            "price",
            "No price in this currency for this customer",
        ),
        (NotFoundReason::Ruled(text("r1")), "rule", "Hidden by the rule ‘r1’"),
        (NotFoundReason::HoldsNothing, "no_word", "Matches no word of the search term"),
        (NotFoundReason::Filtered(text("InStock")), "stock", "Excluded by the filter InStock"),
        (NotFoundReason::Filtered(text("Price")), "price", "Excluded by the filter Price"),
        (NotFoundReason::Filtered(text("Brand")), "filter", "Excluded by the filter Brand"),
        (NotFoundReason::FilteredTogether, "filter", "No variant passes these filters together"),
        (
            NotFoundReason::Lacks(vec![text("red"), text("mug")]),
            "fewer_words",
            "Without ‘red’, ‘mug’, and enough products match more of the search term",
        ),
        (NotFoundReason::Beyond, "beyond_the_last_page", "Beyond the first 10,000 results"),
    ] {
        assert_eq!((code(&missing), english.describe_absence(&missing).as_str()), (expected, says));
    }
}
