//! Reading a delta's payload into operations, before any transaction.

use std::cell::{Cell, RefCell};

use crate::addresses;
use crate::feeds::issue::{Issue, IssueCode, Severity};
use crate::feeds::reader::{FeedPiece, FeedReader, RawRow};
use crate::feeds::rows::{self, NormaliserContext, RowObservations};
use crate::feeds::section::{FeedPart, Section};
use crate::ids::identifier::{Identifier, IdentifierRefusal};
use crate::limits;
use crate::people::profile::Profile;
use crate::submissions::issues::IssueCollector;
use zeroize::Zeroizing;

/// One operation of a delta, and its row.
pub struct DeltaStep {
    /// Its number in the delta, from 0. The same whenever the delta is read, even if people were forgotten since.
    pub n: i64,
    /// The operation.
    pub op: Op,
    /// Number of the row in its section, from 1.
    pub row_number: u64,
    /// The row as it was sent, for later requests: only for an item that names no account, and is not large.
    pub raw: Option<Vec<u8>>,
}

/// One thing a delta does.
pub enum Op {
    /// Replaces or adds an item whole.
    Put {
        /// Section of the item.
        section: Section,
        /// Its id.
        item: String,
        /// Its SKU, if it has one.
        sku: Option<String>,
        /// Ids and SKUs of its children.
        children: Vec<String>,
        /// Its row in normal form, as JSON.
        body: Vec<u8>,
    },
    /// Removes the product of an Id or SKU.
    DeleteProduct(String),
    /// Removes an item by its key.
    Delete {
        /// Section of the item.
        section: Section,
        /// Its id.
        item: String,
    },
    /// A product, by Id or SKU, joins categories or leaves them.
    Membership {
        /// Id or SKU.
        product: String,
        /// Ids of the categories.
        categories: Vec<String>,
        /// True if it joins them, false if it leaves them.
        join: bool,
    },
    /// Stores a profile.
    User(Profile),
    /// Removes a profile.
    DeleteUser(Identifier),
}

static_assertions::assert_not_impl_any!(Op: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(DeltaStep: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(rows::UserRow: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl Op {
    /// Rows that it writes: its own, and one for each child.
    pub fn rows(&self) -> usize {
        match self {
            Self::Put { children, .. } => 1 + children.len(),
            _ => 1,
        }
    }
}

/// Number of operations, from the first on, that fit into one unit of work: at least one.
pub fn count_fitting(steps: &[DeltaStep]) -> usize {
    let mut rows = 0;
    let fit = steps.iter().take_while(|step| {
        rows += step.op.rows();
        rows <= limits::UNIT_ROWS
    });
    fit.count().max(1)
}

/// A delta that was read: its operations, and its issues.
#[derive(Default)]
pub struct ReadDelta {
    /// Operations, in the order in which they were sent.
    pub steps: Vec<DeltaStep>,
    /// Issues of the rows.
    pub found: IssueCollector,
    /// Number of rows that are skipped because of an issue.
    pub bad: u64,
    /// A sentence when the payload as a whole cannot be used.
    pub unusable: Option<String>,
}

impl ReadDelta {
    /// An unreadable payload, with the sentence for it.
    pub fn unusable(reason: &str) -> Self {
        Self { unusable: Some(reason.to_owned()), ..Self::default() }
    }
}

/// Reads all sections of a payload, in the order they were sent; `is_forgotten` checks addresses in profiles.
pub fn read_steps(
    payload: &[u8],
    context: &NormaliserContext<'_>,
    is_forgotten: &dyn Fn(&str) -> bool,
) -> ReadDelta {
    let mut read = ReadDelta { found: IssueCollector::of_delta(), ..ReadDelta::default() };
    let mut reader = FeedReader::new(payload);
    let noticed = RowObservations::default();
    let context = &NormaliserContext { noticed: Some(&noticed), ..*context };
    let mut issues = Vec::new();
    let mut next = 0;
    let mut pairs_left = limits::MEMBERSHIPS;
    loop {
        match reader.next_piece() {
            Ok(None) => break,
            Ok(Some(FeedPiece::Section(_))) => {}
            Ok(Some(FeedPiece::Unknown(unknown))) => {
                issues.push(Issue::unknown_section(unknown));
            }
            Ok(Some(FeedPiece::Row(row))) => {
                let steps = if is_membership(row.section) {
                    memberships(&row, next, context, &mut pairs_left, &mut issues)
                } else {
                    step(&row, next, context, is_forgotten, &mut issues).into_iter().collect()
                };
                // A row that is left out keeps its number: numbers show how far a delta was applied before it broke
                // off.
                next += steps.len().max(1) as i64;
                read.steps.extend(steps);
            }
            Ok(Some(FeedPiece::Oversize { section, number, offset })) => {
                issues.push(Issue::oversize(section, number, offset));
            }
            Err(fault) => {
                read.unusable = Some(fault.to_string());
                break;
            }
        }
        read.bad += issues.iter().filter(|issue| issue.severity() == Severity::Bad).count() as u64;
        read.found.add(&mut issues);
    }
    read
}

fn step(
    row: &RawRow<'_>,
    n: i64,
    context: &NormaliserContext<'_>,
    is_forgotten: &dyn Fn(&str) -> bool,
    issues: &mut Vec<Issue>,
) -> Option<DeltaStep> {
    let names_an_account = Cell::new(false);
    let account_tag = |account: &str| {
        names_an_account.set(true);
        (context.account_tag)(account)
    };
    let context = NormaliserContext { account_tag: &account_tag, ..*context };
    let op = operation(row, &context, is_forgotten, issues)?;
    // Only its normal form is blanked.
    let may_hold = addresses::may_hold_address(row.json);
    let is_kept = matches!(op, Op::Put { .. }) && !names_an_account.get() && !may_hold;
    let raw = (is_kept && row.json.len() <= limits::RAW_ROW_KEPT_BYTES).then(|| row.json.to_vec());
    Some(DeltaStep { n, op, row_number: row.number, raw })
}

fn operation(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    is_forgotten: &dyn Fn(&str) -> bool,
    issues: &mut Vec<Issue>,
) -> Option<Op> {
    match row.section {
        FeedPart::DeleteProducts => rows::deleted_id(row, issues).map(Op::DeleteProduct),
        FeedPart::DeleteAccountPrices => {
            let key = rows::deleted_account_price(row, context, issues)?;
            Some(Op::Delete { section: Section::AccountPrices, item: key.id })
        }
        FeedPart::Users => profile(row, context, is_forgotten, issues).map(Op::User),
        FeedPart::DeleteUsers => {
            let id = rows::deleted_id(row, issues)?;
            user_id(&id, row, issues).map(Op::DeleteUser)
        }
        FeedPart::Items(section) => {
            let mut body = Vec::new();
            let key = rows::normalise_item(row, context, &mut body, issues)?;
            Some(Op::Put { section, item: key.id, sku: key.sku, children: key.children, body })
        }
        FeedPart::SetCategoryOnProducts | FeedPart::RemoveCategoryFromProducts | FeedPart::Orders => None,
    }
}

fn is_membership(section: FeedPart) -> bool {
    matches!(section, FeedPart::SetCategoryOnProducts | FeedPart::RemoveCategoryFromProducts)
}

/// One operation for each product of a row about categories, the first as number `first`. Takes its pairs from those
/// that the delta has left.
fn memberships(
    row: &RawRow<'_>,
    first: i64,
    context: &NormaliserContext<'_>,
    pairs_left: &mut usize,
    issues: &mut Vec<Issue>,
) -> Vec<DeltaStep> {
    let Some(change) = rows::category_change(row, *pairs_left, context, issues) else { return Vec::new() };
    *pairs_left -= change.pairs();
    let join = row.section == FeedPart::SetCategoryOnProducts;
    let rows::CategoryChange { categories, products } = change;
    let ops =
        products.into_iter().map(|product| Op::Membership { product, categories: categories.clone(), join });
    (first..).zip(ops).map(|(n, op)| DeltaStep { n, op, row_number: row.number, raw: None }).collect()
}

/// Reads a row of `Users`, of a delta or a feed. A user id that is an address is the person's email where the row gives
/// no other. Addresses of forgotten people in the texts of the profile are blanked; a row whose email field names one
/// among others is empty, like one that the door keeps out. A user id that holds such an address is left to the door.
pub fn profile(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    is_forgotten: &dyn Fn(&str) -> bool,
    issues: &mut Vec<Issue>,
) -> Option<Profile> {
    let named = RefCell::new(Vec::new());
    let email_of = |field: &str| {
        if Identifier::email(field).is_ok() {
            return Some(field.to_owned());
        }
        named.replace(Identifier::emails_in(field));
        match named.borrow().as_slice() {
            [one] => Some(one.normal().to_owned()),
            _ => None,
        }
    };
    let mut user = rows::normalise_user(row, context, &email_of, issues)?;
    let user_id = user_id(&user.user_id, row, issues)?;
    let is_named =
        named.borrow().len() > 1 && named.borrow().iter().any(|email| is_forgotten(email.normal()));
    if is_named {
        return None;
    }
    let email = user.email.as_deref().and_then(|email| Identifier::email(email).ok());
    let mut json = Zeroizing::new(std::mem::take(&mut user.profile_json));
    let blanked = rows::profile_without_forgotten(&json, is_forgotten);
    if let Some(blanked) = blanked {
        json = blanked.into();
    }
    Some(Profile { user_id, email, json })
}

fn user_id(text: &str, row: &RawRow<'_>, issues: &mut Vec<Issue>) -> Option<Identifier> {
    let read = Identifier::user_id(text).map_err(|refusal| match refusal {
        IdentifierRefusal::Nobody | IdentifierRefusal::Empty => IssueCode::UserUnidentified,
        _ => IssueCode::IdMalformed,
    });
    read.map_err(|code| issues.push(Issue::new(row, code, Some("UserId".into())))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: NormaliserContext<'static> =
        NormaliserContext { default_currency: None, account_tag: &|_| "TAG".to_owned(), noticed: None };

    fn issues_of(section: FeedPart, json: &str) -> Vec<IssueCode> {
        let mut issues = Vec::new();
        let row = RawRow { section, number: 1, offset: 0, json: json.as_bytes() };
        let read = operation(&row, &CONTEXT, &|_| false, &mut issues);
        assert_eq!(read.is_some(), issues.is_empty());
        issues.into_iter().map(|issue| issue.code).collect()
    }

    #[test]
    fn a_row_is_kept_as_it_was_sent_unless_it_names_an_account_or_a_person_or_is_large() {
        let long = format!(r#"{{"Id":"1","Title":"{}"}}"#, "x".repeat(limits::RAW_ROW_KEPT_BYTES));
        for (section, json, is_kept) in [
            (FeedPart::PRODUCTS, r#"{ "Id": 1.0 , "Title": "T" }"#, true),
            (FeedPart::CATEGORIES, r#"{"Id":"1"}"#, true),
            (FeedPart::ACCOUNT_PRICES, r#"{"AccountId":"a","Id":"1","Prices":["1 GBP"]}"#, false),
            (FeedPart::Users, r#"{"UserId":"7"}"#, false),
            (FeedPart::DeleteProducts, r#""1""#, false),
            (FeedPart::PRODUCTS, &long, false),
        ] {
            let row = RawRow { section, number: 3, offset: 0, json: json.as_bytes() };
            let read = step(&row, 0, &CONTEXT, &|_| false, &mut Vec::new()).expect("a good row");
            assert_eq!(read.row_number, 3);
            assert_eq!(read.raw.as_deref(), is_kept.then_some(json.as_bytes()), "{section:?}");
        }
    }

    #[test]
    fn ids_that_stand_for_nobody_are_bad_rows() {
        for id in ["0", "-1", "\"0\"", "\"Guest\"", "\" null \""] {
            let user = issues_of(FeedPart::Users, &format!(r#"{{"UserId":{id}}}"#));
            assert_eq!(user, [IssueCode::UserUnidentified], "{id}");
            assert_eq!(issues_of(FeedPart::DeleteUsers, id), [IssueCode::UserUnidentified], "{id}");
        }
        assert_eq!(issues_of(FeedPart::Users, r#"{"UserId":"a\tb"}"#), [IssueCode::IdMalformed]);
        assert_eq!(issues_of(FeedPart::Users, r#"{"UserId":"7"}"#), []);
    }

    #[test]
    fn a_row_is_kept_up_to_its_limit() {
        let around = r#"{"Id":"1","Title":""}"#.len();
        for (more, is_kept) in [(0, true), (1, false)] {
            let title = "x".repeat(limits::RAW_ROW_KEPT_BYTES - around + more);
            let json = format!(r#"{{"Id":"1","Title":"{title}"}}"#);
            let row = RawRow { section: FeedPart::PRODUCTS, number: 1, offset: 0, json: json.as_bytes() };
            let read = step(&row, 0, &CONTEXT, &|_| false, &mut Vec::new()).expect("a good row");
            assert_eq!(read.raw.is_some(), is_kept, "{} bytes", json.len());
        }
    }

    /// The operations of a payload, each with its number and its row.
    fn list_operations(read: &ReadDelta) -> Vec<(i64, u64, String)> {
        let name = |op: &Op| match op {
            Op::Put { item, .. } => format!("put {item}"),
            Op::DeleteProduct(key) => format!("remove {key}"),
            Op::Delete { section, .. } => format!("remove of {}", section.as_str()),
            Op::Membership { product, join, .. } => {
                format!("{product} {}", if *join { "joins" } else { "leaves" })
            }
            Op::User(profile) => format!("person {}", profile.user_id.normal()),
            Op::DeleteUser(id) => format!("remove person {}", id.normal()),
        };
        read.steps.iter().map(|step| (step.n, step.row_number, name(&step.op))).collect()
    }

    #[test]
    fn operations_are_numbered_with_the_rows_that_are_left_out() {
        let payload = r#"{"Products": [{"Id": "a"}, {"Id": ""}, {"Id": "b"}],
            "SetCategoryOnProducts": [{"CategoryId": "c", "ProductIds": ["p", "q"]}, 7],
            "RemoveCategoryFromProducts": [{"CategoryId": "c", "ProductIds": ["p"]}],
            "DeleteProducts": ["x"], "Users": [{"UserId": "8"}], "DeleteUsers": ["0", "7"]}"#;
        let read = read_steps(payload.as_bytes(), &CONTEXT, &|_| false);
        let expected = [
            (0, 1, "put a"),
            (2, 3, "put b"),
            (3, 1, "p joins"),
            (4, 1, "q joins"),
            (6, 1, "p leaves"),
            (7, 1, "remove x"),
            (8, 1, "person 8"),
            (10, 2, "remove person 7"),
        ];
        assert_eq!(list_operations(&read), expected.map(|(n, row, op)| (n, row, op.to_owned())));
        assert_eq!((read.bad, read.unusable), (3, None));
        let cut = read_steps(&payload.as_bytes()[..30], &CONTEXT, &|_| false);
        assert_eq!((list_operations(&cut), cut.bad), (vec![(0, 1, "put a".to_owned())], 0));
        assert!(cut.unusable.is_some());
    }

    #[test]
    fn a_person_whose_email_field_names_somebody_forgotten_among_others_is_left_out() {
        let emails = |field: &str, forgotten: &str| {
            let json = format!(r#"{{"UserId":"7","Email":"{field}"}}"#);
            let row = RawRow { section: FeedPart::Users, number: 1, offset: 0, json: json.as_bytes() };
            let read = profile(&row, &CONTEXT, &|email| email == forgotten, &mut Vec::new());
            read.map(|profile| profile.email.map(|email| email.normal().to_owned()))
        };
        let ada = Some("ada@shop.test".to_owned());
        for field in ["ada@shop.test", "ada@shop.test;"] {
            assert_eq!(emails(field, ""), Some(ada.clone()), "{field}");
            assert_eq!(emails(field, "ada@shop.test"), Some(ada.clone()), "{field}: the door decides");
        }
        let both = "ada@shop.test, bob@shop.test";
        assert_eq!(emails(both, ""), Some(None));
        assert_eq!([emails(both, "ada@shop.test"), emails(both, "bob@shop.test")], [None, None]);
    }
}
