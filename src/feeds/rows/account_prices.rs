//! Rows of `AccountPrices` and `DeleteAccountPrices`. The account's id never leaves this file:
//! only its tag does.

use std::borrow::Cow;

use super::context::{ItemKey, NormaliserContext, RowFault, RowWarnings};
use super::reading::reading;
use super::shape::RowShape;
use super::sorted_row::{SortedRow, sort};
use crate::feeds::fields;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::reader::RawRow;
use crate::limits;

static SHAPE: RowShape = RowShape::new(fields::ACCOUNT_PRICES.fields);
static DELETED: RowShape = RowShape::new(fields::DELETE_ACCOUNT_PRICES.fields);

/// Appends `{"AccountTag", "Id"?, "Sku"?, "ParentId"?, "Prices"?, "SalePrices"?}` to `out`; fields
/// that are not documented are left out, because they may repeat the account's id. The key's id is
/// `tag|product id`. `None`: a bad row, with exactly one bad issue and nothing appended.
pub fn normalise_account_price(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    out: &mut Vec<u8>,
    issues: &mut Vec<Issue>,
) -> Option<ItemKey> {
    reading(row, out, issues, |out, notes| account_price(row, context, out, notes))
}

/// The key of the account price that a row of `DeleteAccountPrices` removes. `None`: a bad row, with
/// exactly one bad issue.
pub fn deleted_account_price(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    issues: &mut Vec<Issue>,
) -> Option<ItemKey> {
    reading(row, &mut Vec::new(), issues, |_, notes| {
        Ok(Ids::from_row(&sort(&DELETED, row, context, notes)?, context)?.key())
    })
}

fn account_price(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    out: &mut Vec<u8>,
    notes: &mut RowWarnings<'_, '_>,
) -> Result<ItemKey, RowFault> {
    let sorted = sort(&SHAPE, row, context, notes)?.without_attributes();
    let ids = Ids::from_row(&sorted, context)?;
    let parent = sorted.id("ParentId", limits::ITEM_ID_BYTES)?;
    let written = [
        ("AccountTag", Some(ids.tag.as_str())),
        ("Id", ids.id.as_deref()),
        ("Sku", ids.sku.as_deref()),
        ("ParentId", parent.as_deref()),
    ];
    sorted.write(&written, context, notes, out)?;
    Ok(ids.key())
}

/// Account and product of a price.
struct Ids<'a> {
    tag: String,
    id: Option<Cow<'a, str>>,
    sku: Option<Cow<'a, str>>,
}

impl<'a> Ids<'a> {
    fn from_row(sorted: &SortedRow<'a>, context: &NormaliserContext<'_>) -> Result<Self, RowFault> {
        let account = sorted.id("AccountId", limits::IDENTIFIER_BYTES)?;
        let account = account.ok_or(RowFault::field(IssueCode::AccountMissing, "AccountId"))?;
        let sku = sorted.id("Sku", limits::ITEM_ID_BYTES)?;
        // .NET senders write `account|sku` as the row's Id: the product is the part after the bar.
        let id = sorted.id("Id", limits::ITEM_ID_BYTES)?.map(|id| {
            match id.strip_prefix(&*account).and_then(|rest| rest.strip_prefix('|')) {
                Some(product) => Cow::Owned(product.to_owned()),
                None => id,
            }
        });
        let id = id.filter(|id| !id.is_empty() && sku.as_deref() != Some(id));
        if id.is_none() && sku.is_none() {
            return Err(RowFault::field(IssueCode::IdMissing, "Id"));
        }
        let tag = (context.account_tag)(&account);
        Ok(Self { tag, id, sku })
    }

    fn key(&self) -> ItemKey {
        let product = self.id.as_deref().or(self.sku.as_deref()).unwrap_or_default();
        let sku = self.sku.as_deref().map(str::to_owned);
        ItemKey { id: format!("{}|{product}", self.tag), sku, children: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::reader::RowOrigin;
    use crate::feeds::section::FeedPart;

    const CONTEXT: NormaliserContext<'static> = NormaliserContext {
        default_currency: Some("GBP"),
        account_tag: &|_| "TAG".to_owned(),
        noticed: None,
    };

    fn row(json: &str) -> RawRow<'_> {
        RawRow {
            section: FeedPart::ACCOUNT_PRICES,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: json.as_bytes(),
        }
    }

    fn read(json: &str) -> Result<(ItemKey, String), Vec<Issue>> {
        let mut out = Vec::new();
        let mut issues = Vec::new();
        match normalise_account_price(&row(json), &CONTEXT, &mut out, &mut issues) {
            Some(key) => Ok((key, String::from_utf8(out).expect("text"))),
            None => Err(issues),
        }
    }

    #[test]
    fn the_account_stands_in_no_output() {
        let sent = r#"{"AccountId":"acme-7","Sku":"S 1","Id":"acme-7|S 1","ParentId":9,"Prices":["1.5"],"Note":"acme-7"}"#;
        let (key, out) = read(sent).expect("a price");
        assert_eq!(key.id, "TAG|S 1");
        assert_eq!(out, r#"{"AccountTag":"TAG","Sku":"S 1","ParentId":"9","Prices":["1.50 GBP"]}"#);
        let (key, _) = read(r#"{"AccountId":7,"Id":42,"Prices":"2 GBP"}"#).expect("a price");
        assert_eq!((key.id.as_str(), key.sku), ("TAG|42", None));
    }

    #[test]
    fn account_and_product_are_required() {
        let code = |json| read(json).err().map(|issues| issues[0].code);
        assert_eq!(code(r#"{"Id":1}"#), Some(IssueCode::AccountMissing));
        assert_eq!(code(r#"{"AccountId":"a"}"#), Some(IssueCode::IdMissing));
        assert_eq!(code(r#"{"AccountId":"a","Id":"a|"}"#), Some(IssueCode::IdMissing));
    }

    #[test]
    fn a_deletion_has_the_key_of_the_price_it_removes() {
        let mut issues = Vec::new();
        let sent = r#"{"AccountId":"acme-7","Sku":"S 1","Id":"acme-7|S 1"}"#;
        let key = deleted_account_price(&row(sent), &CONTEXT, &mut issues).expect("a key");
        assert_eq!(key.id, "TAG|S 1");
        assert!(issues.is_empty());
    }
}
