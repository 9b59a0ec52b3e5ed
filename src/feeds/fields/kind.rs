//! The types of fields, and the accepted values of each.

/// Type of a documented field in the normal form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldType {
    /// An identifier as text.
    Id,
    /// One text; lists are joined by newlines, without blanks and repetitions.
    Text,
    /// Text that holds JSON; JSON sent plainly becomes such a text.
    Embedded,
    /// Yes or no.
    Flag,
    /// A number.
    Number,
    /// Texts without blanks.
    List,
    /// Texts that correspond to those of another list, so that blanks keep their place.
    AlignedList,
    /// Trimmed texts.
    Tags,
    /// Account ids, written as tags.
    Accounts,
    /// Prices, one in each currency.
    Prices,
    /// Prices by customer group.
    GroupPrices,
    /// Prices by account, written under the account's tag.
    AccountPrices,
    /// Variants of a product.
    Variants,
    /// Values of a variant, by option.
    Options,
    /// Colours or addresses of pictures, by option and value.
    Swatches,
    /// An object of attributes, as in the normal form itself.
    Attributes,
    /// Known and meaningless.
    Ignored,
    /// A moment or a day, kept as it was sent; an unreadable one is reported.
    Date,
    /// A moment; only in order files.
    Moment,
    /// A number of 0 or more with a decimal point; only in order files.
    Amount,
}

/// Content of a field's text; it decides how addresses and phone numbers in the text are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextRole {
    /// Text by which a row is found or rows refer to each other, or that holds prices: it stays as it is.
    Key,
    /// URLs: a URL that holds an address is left out, since it leads nowhere without it.
    Url,
    /// Text for people, in which a phone number is reported.
    Prose,
    /// Anything else: addresses in it are blanked.
    Other,
}

impl FieldType {
    /// All kinds, in the order in which they are explained.
    pub const ALL: [Self; 20] = [
        Self::Id,
        Self::Text,
        Self::Flag,
        Self::Number,
        Self::Date,
        Self::List,
        Self::AlignedList,
        Self::Tags,
        Self::Prices,
        Self::GroupPrices,
        Self::AccountPrices,
        Self::Accounts,
        Self::Variants,
        Self::Options,
        Self::Swatches,
        Self::Embedded,
        Self::Attributes,
        Self::Ignored,
        Self::Moment,
        Self::Amount,
    ];

    /// Returns true if its values name accounts, which are never kept as they were sent.
    #[must_use]
    pub const fn names_accounts(self) -> bool {
        matches!(self, Self::Accounts | Self::AccountPrices | Self::Variants)
    }

    /// A short name for tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Text => "text",
            Self::Embedded => "JSON in a text",
            Self::Flag => "yes or no",
            Self::Number => "number",
            Self::List => "list",
            Self::AlignedList => "aligned list",
            Self::Tags => "tags",
            Self::Accounts => "accounts",
            Self::Prices => "prices",
            Self::GroupPrices => "prices by group",
            Self::AccountPrices => "prices by account",
            Self::Variants => "variants",
            Self::Options => "options",
            Self::Swatches => "swatches",
            Self::Attributes => "attributes",
            Self::Ignored => "ignored",
            Self::Date => "day or moment",
            Self::Moment => "date",
            Self::Amount => "amount",
        }
    }

    /// Describes the values that are understood.
    #[must_use]
    pub const fn understood(self) -> &'static str {
        match self {
            Self::Id => "A text or a number; `42` and `\"42\"` are the same id. A list of one is that one.",
            Self::Text => "A text. A number becomes its digits; a list of texts becomes one line each.",
            Self::Embedded => "A text that holds JSON, or the JSON itself. It is given back as it was sent.",
            Self::Flag => "`true` or `false`; also `1`, `0` and these as texts. A list of one is that one.",
            Self::Number => "A number, or a text that is one.",
            Self::List => {
                "A list of texts or numbers; blanks are left out. One text is a list of one; of an object, its values."
            }
            Self::AlignedList => "The same, but blanks keep their place, because lists stand side by side.",
            Self::Tags => "The same as a list; white space around each is removed.",
            Self::Accounts => {
                "A list of account ids. They are stored under a tag and never as they were sent."
            }
            Self::Prices => {
                "A list: number, space and the code of ISO 4217, such as `\"12.50 GBP\"`; without a code, in the \
                 account's currency. One in each currency, or the lowest and the highest of the variants."
            }
            Self::GroupPrices => {
                "An object with an entry for each customer group: `Prices`, and `SalePrices` if there are any. \
                 In a list, the position is the group's id."
            }
            Self::AccountPrices => {
                "The same with an entry for each account. Account ids are stored under a tag and never as sent."
            }
            Self::Variants => {
                "A list of objects, or an object of them, each a variant with fields of its own; one that cannot be \
                 used is left out and told, and the others are used. At most 2,000. In a variant, an empty list of prices says that there are none, \
                 whatever its product has."
            }
            Self::Options => {
                "An object of texts and numbers by the option's name; or a list of objects, each with `Name` and `Value`. \
                 At most 20."
            }
            Self::Swatches => {
                "An object with an entry for each option: an object that has for a value its colour, such as `#cc0000`, \
                 or the address of a picture."
            }
            Self::Attributes => "An object; each of its members is an attribute, whatever its name.",
            Self::Ignored => "Anything; it is read and left out.",
            Self::Date => {
                "ISO 8601, such as `2026-01-31` or `2026-01-31T12:30:00+01:00`; without a zone it is UTC. Also RFC 2822 \
                 (`Sat, 31 Jan 2026 12:30:00 +0100`), `2026/01/31`, and seconds or milliseconds since 1970. `0000-00-00` \
                 and `0001-01-01` are as if the field were not there. Anything else, such as `31.01.2026`, is told as \
                 `date_malformed`."
            }
            Self::Moment => {
                "ISO 8601, such as `2026-01-31T12:30:00+01:00` or `2026-01-31 12:30:00`. Without a zone it is UTC."
            }
            Self::Amount => "A number with a decimal point and without a currency, such as `12.50`.",
        }
    }
}
