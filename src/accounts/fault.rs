//! Failure and refusals of operations on accounts.

use super::list_kind::ListKind;
use crate::keys::KeyFault;
use crate::limits;
use crate::recommend::bought_together_focus::BoughtTogetherFocus;
use crate::search::text::ShopLanguage;
use crate::store::StoreFault;

/// Reason why an operation on accounts was refused, or failed.
#[derive(Debug, thiserror::Error)]
pub enum AccountFault {
    /// The name is taken.
    #[error("an account of that name exists already")]
    NameTaken,
    /// The name cannot be used.
    #[error(
        "an account's name has 1 to 64 letters, digits, '-', '_' or '.', and begins with a letter or digit"
    )]
    NameMalformed,
    /// The currency is not known.
    #[error("a currency is one of the three-letter codes of ISO 4217, such as EUR")]
    CurrencyUnknown,
    /// No percentage a guard can have.
    #[error("the removal guard is a whole number of percent from 1 to 100, where 100 switches it off")]
    PercentMalformed,
    /// No size a quota can have.
    #[error("a quota is a size such as 500MB, 4GB or 1.5TiB, or `none`")]
    QuotaMalformed,
    /// A text that people read is empty or too long.
    #[error("{field} has 1 to {limit_bytes} bytes; an empty text takes it away")]
    TextLength {
        /// The text.
        field: &'static str,
        /// Maximum bytes of the text.
        limit_bytes: usize,
    },
    /// A text that people read has invisible signs.
    #[error(
        "{field} is one line of visible text: it holds a control character, a line break or a sign that turns the \
         direction of writing around"
    )]
    TextSigns {
        /// The text.
        field: &'static str,
    },
    /// An email address as a name.
    #[error("DisplayName holds no email address; Contact is the place for one")]
    DisplayNameAddress,
    /// No language that texts are searched in.
    #[error("a language of searches is one of these: {}", language_codes())]
    SearchLanguage,
    /// No order of products that are bought together.
    #[error("BoughtTogether is one of these: {}", BoughtTogetherFocus::ALL.map(BoughtTogetherFocus::name).join(", "))]
    BoughtTogether,
    /// Attributes of a search that cannot be.
    #[error(
        "attributes are up to {} names of 1 to {} bytes, without line breaks",
        limits::SEARCH_ATTRIBUTES,
        limits::SEARCH_ATTRIBUTE_BYTES
    )]
    SearchAttributes,
    /// Origins of pages that cannot be.
    #[error(
        "origins are up to {} of the form https://shop.example, without a path; * is any",
        limits::SEARCH_ORIGINS
    )]
    SearchOrigins,
    /// Origins of pictures that cannot be.
    #[error(
        "origins of pictures are up to {} of the form https://cdn.shop.example, without a path",
        limits::SEARCH_ORIGINS
    )]
    SearchPictures,
    /// A list was changed meanwhile.
    #[error("the {} were changed since: look at them again, and then change them", .0.name())]
    ListChanged(ListKind),
    /// A list was changed just now.
    #[error("the {} were changed a moment ago: send the change again", .0.name())]
    ListTooSoon(ListKind),
    /// No such version of a list.
    #[error("there is no such version of the {}; `lethe {} history` shows those that are kept", .0.name(), .0.command())]
    ListUnknown(ListKind),
    /// No such account.
    #[error("no account has that name; `lethe account list` shows them")]
    Unknown,
    /// No such live secret.
    #[error("the account has no live secret of that number; `lethe key list` shows them")]
    SecretUnknown,
    /// Both places are taken.
    #[error("the account has two live secrets already; revoke one, or wait until the older one expires")]
    TooManySecrets,
    /// That deletion was not requested, or was decided already.
    #[error("no deletion of that account waits; `lethe account deletion list` shows them")]
    DeletionUnknown,
    /// The account was closed.
    #[error("the account is closed: its deletion was asked for and confirmed")]
    Closed,
    /// A fault of the store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// A fault of the keys.
    #[error(transparent)]
    Keys(#[from] KeyFault),
}

/// The codes of all languages that texts are searched in.
pub(super) fn language_codes() -> String {
    ShopLanguage::ALL.map(ShopLanguage::code).join(", ")
}
