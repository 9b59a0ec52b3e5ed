//! Rules of a format: which column means what.

/// A column of a format and its meaning.
#[derive(Clone, Copy, Debug)]
pub struct ColumnRule {
    /// Name of the column, as the format's documentation writes it.
    pub name: &'static str,
    /// Other names with the same meaning.
    pub also: &'static [&'static str],
    /// Use of its value.
    pub becomes: ColumnUse,
    /// One sentence for the table of docs/feeds.md; empty if the use says it all.
    pub note: &'static str,
}

impl ColumnRule {
    /// A rule without other names and note.
    #[must_use]
    pub const fn new(name: &'static str, becomes: ColumnUse) -> Self {
        Self { name, also: &[], becomes, note: "" }
    }

    /// The same rule with other names.
    #[must_use]
    pub const fn also(mut self, also: &'static [&'static str]) -> Self {
        self.also = also;
        self
    }

    /// The same rule with a sentence for the documentation.
    #[must_use]
    pub const fn with_note(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }
}

/// Use of a column's value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ColumnUse {
    /// Id of the product or variant.
    Id,
    /// Article number.
    Sku,
    /// GTIN, EAN, UPC or ISBN.
    Gtin,
    /// Key of the product whose variant the row is.
    Group,
    /// Title; the first value counts.
    Title,
    /// Description, with or without markup; the first value counts.
    Description,
    /// Address of the page.
    Link,
    /// Address of the picture; further values are more pictures.
    Image,
    /// Addresses of more pictures; lists are separated by commas, `|` or line breaks before `http`.
    MoreImages,
    /// Name of the brand.
    Brand,
    /// One path of a category with its separator, `>` or `/`.
    CategoryPath(char),
    /// Several paths: the separator between paths, and the one within.
    CategoryPaths(char, char),
    /// Words by which it is found, separated by commas or `|`.
    Tags,
    /// List price.
    Price,
    /// Sale price.
    SalePrice,
    /// Currency of prices that name none.
    Currency,
    /// First and last moment of the sale, separated by `/`.
    SaleDates,
    /// First moment of the sale.
    SaleStart,
    /// Last moment of the sale.
    SaleEnd,
    /// First day on which it is shown.
    Start,
    /// Last day on which it is shown.
    End,
    /// Stock in any of the usual words.
    Availability,
    /// Number in stock.
    Quantity,
    /// Value of the option that the column is named after.
    Option,
    /// Value of the option of this name, however the column writes it.
    OptionNamed(&'static str),
    /// Name of the option of this number.
    OptionName(u8),
    /// Value of the option of this number.
    OptionValue(u8),
    /// An attribute of the column's name.
    Attribute,
    /// An attribute of this name, however the column writes it.
    AttributeNamed(&'static str),
    /// Name of the attribute whose value comes next.
    AttributeName,
    /// Value of the attribute whose name came last.
    AttributeValue,
    /// Attributes as `section:name:value` or `name:value`, separated by commas.
    PackedAttributes,
    /// Collected for the format's `complete`.
    Extra(Extra),
    /// Left out, because shoppers have no use for it.
    LeftOut,
}

/// A value that counts only together with others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extra {
    /// Price before a reduction, of formats whose `price` is the reduced one.
    CompareAtPrice,
    /// Policy when nothing is left: sold on, or not.
    StockPolicy,
    /// Tracker of the stock, if anyone counts it.
    StockTracked,
    /// Kind of row or product.
    RowType,
    /// Row that this one is a variant of, in the format's own way of naming it.
    Parent,
    /// Flag of a published product.
    Published,
    /// State: active, draft, archived.
    Status,
    /// Where it is shown.
    Visibility,
    /// Variants that a parent lists.
    ListedVariants,
    /// Attributes packed into one value.
    PackedAttributes,
    /// Short description, used when there is no long one.
    ShortDescription,
    /// Language or view of the row, of formats that repeat a product for each.
    View,
    /// Address of the variant's own picture.
    VariantImage,
    /// Anything else, by a number of the format's own.
    Other(u8),
}
