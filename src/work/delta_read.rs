//! Reading a delta's payload into operations, before any transaction.

use std::cell::Cell;

use crate::feeds::issue::{Issue, IssueCode, Severity};
use crate::feeds::reader::{FeedReader, Piece, RawRow};
use crate::feeds::rows::{self, Context};
use crate::feeds::section::Section;
use crate::limits;
use crate::subjects::identifier::{Identifier, IdentifierRefusal};
use crate::subjects::profile::Profile;
use crate::submissions::issues::Found;

/// One thing a delta does, and the row that says so.
pub struct Step {
    /// What to do.
    pub op: Op,
    /// Number of the row in its section, from 1.
    pub row_number: u64,
    /// The row as it was sent, for who asks later: of an item that names no account, and not a large one.
    pub raw: Option<Vec<u8>>,
}

/// One thing a delta does.
pub enum Op {
    /// Replaces or adds an item whole.
    Put {
        /// Where it belongs.
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
        /// Where it belongs.
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
        /// Whether it joins them.
        join: bool,
    },
    /// Stores a profile.
    User(Profile),
    /// Removes a profile.
    DeleteUser(Identifier),
}

crate::keys::unprintable::unprintable!(Op, Step, rows::UserRow);

impl Op {
    /// Rows that it writes: its own, and one for each child.
    pub fn rows(&self) -> usize {
        match self {
            Self::Put { children, .. } => 1 + children.len(),
            _ => 1,
        }
    }
}

/// How many of the operations, from the first one on, fit into one unit of work: one at the least.
pub fn fitting(steps: &[Step]) -> usize {
    let mut rows = 0;
    let fit = steps.iter().take_while(|step| {
        rows += step.op.rows();
        rows <= limits::UNIT_ROWS
    });
    fit.count().max(1)
}

/// A delta that was read: what to do, and what was wrong.
#[derive(Default)]
pub struct Read {
    /// What to do, in the order it was sent.
    pub steps: Vec<Step>,
    /// What was wrong with rows.
    pub found: Found,
    /// How many rows are skipped for it.
    pub bad: u64,
    /// A sentence when the payload as a whole cannot be used.
    pub unusable: Option<String>,
}

impl Read {
    /// A payload that cannot be read, with the sentence that says so.
    pub fn unusable(reason: &str) -> Self {
        Self { unusable: Some(reason.to_owned()), ..Self::default() }
    }
}

/// Reads all sections of a payload, in the order they were sent.
pub fn read(payload: &[u8], context: &Context<'_>) -> Read {
    let mut read = Read { found: Found::of_delta(), ..Read::default() };
    let mut reader = FeedReader::new(payload);
    let mut issues = Vec::new();
    loop {
        match reader.next_piece() {
            Ok(None) => break,
            Ok(Some(Piece::Section(_))) => {}
            Ok(Some(Piece::Row(row))) if is_membership(row.section) => {
                let ops = memberships(&row, &mut issues);
                let row_number = row.number;
                read.steps.extend(ops.into_iter().map(|op| Step { op, row_number, raw: None }));
            }
            Ok(Some(Piece::Row(row))) => read.steps.extend(step(&row, context, &mut issues)),
            Ok(Some(Piece::Oversize { section, number, offset })) => {
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

fn step(row: &RawRow<'_>, context: &Context<'_>, issues: &mut Vec<Issue>) -> Option<Step> {
    let names_an_account = Cell::new(false);
    let account_tag = |account: &str| {
        names_an_account.set(true);
        (context.account_tag)(account)
    };
    let context = Context { account_tag: &account_tag, ..*context };
    let op = operation(row, &context, issues)?;
    // Whoever is forgotten later is looked for in the normal form only.
    let is_kept = matches!(&op, Op::Put { body, .. } if !rows::may_hold_address(body))
        && !names_an_account.get()
        && !rows::may_hold_escaped_address(row.json);
    let raw = (is_kept && row.json.len() <= limits::RAW_ROW_KEPT_BYTES).then(|| row.json.to_vec());
    Some(Step { op, row_number: row.number, raw })
}

fn operation(row: &RawRow<'_>, context: &Context<'_>, issues: &mut Vec<Issue>) -> Option<Op> {
    match row.section {
        Section::DeleteProducts => rows::deleted_id(row, issues).map(Op::DeleteProduct),
        Section::DeleteAccountPrices => {
            let key = rows::deleted_account_price(row, context, issues)?;
            Some(Op::Delete { section: Section::AccountPrices, item: key.id })
        }
        Section::Users => profile(row, context, issues).map(Op::User),
        Section::DeleteUsers => {
            let id = rows::deleted_id(row, issues)?;
            user_id(&id, row, issues).map(Op::DeleteUser)
        }
        section => {
            let mut body = Vec::new();
            let key = rows::normalise_item(row, context, &mut body, issues)?;
            Some(Op::Put { section, item: key.id, sku: key.sku, children: key.children, body })
        }
    }
}

fn is_membership(section: Section) -> bool {
    matches!(section, Section::SetCategoryOnProducts | Section::RemoveCategoryFromProducts)
}

/// One operation for each product of a row about categories.
fn memberships(row: &RawRow<'_>, issues: &mut Vec<Issue>) -> Vec<Op> {
    let Some(change) = rows::category_change(row, issues) else { return Vec::new() };
    let join = row.section == Section::SetCategoryOnProducts;
    let categories = change.categories;
    change
        .products
        .into_iter()
        .map(|product| Op::Membership { product, categories: categories.clone(), join })
        .collect()
}

/// Reads a row of `Users`, of a delta or a feed. An email that is none is kept in the profile but leads nowhere.
pub fn profile(row: &RawRow<'_>, context: &Context<'_>, issues: &mut Vec<Issue>) -> Option<Profile> {
    let mut user = rows::normalise_user(row, context, issues)?;
    let user_id = user_id(&user.user_id, row, issues)?;
    let email = user.email.as_deref().filter(|text| !text.trim().is_empty()).and_then(|text| {
        let read = Identifier::email(text);
        if read.is_err() {
            issues.push(Issue::of(row, IssueCode::EmailMalformed, Some("Email".into())));
        }
        read.ok()
    });
    // Some shops have no other ids than addresses.
    let email = email.or_else(|| Identifier::email(user_id.normal()).ok());
    Some(Profile { user_id, email, json: std::mem::take(&mut user.profile_json).into() })
}

fn user_id(text: &str, row: &RawRow<'_>, issues: &mut Vec<Issue>) -> Option<Identifier> {
    let read = Identifier::user_id(text).map_err(|refusal| match refusal {
        IdentifierRefusal::Nobody | IdentifierRefusal::Empty => IssueCode::UserUnidentified,
        _ => IssueCode::IdMalformed,
    });
    read.map_err(|code| issues.push(Issue::of(row, code, Some("UserId".into())))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: Context<'static> =
        Context { default_currency: None, account_tag: &|_| "TAG".to_owned(), is_forgotten: &|_| false };

    fn issues_of(section: Section, json: &str) -> Vec<IssueCode> {
        let mut issues = Vec::new();
        let row = RawRow { section, number: 1, offset: 0, json: json.as_bytes() };
        let read = operation(&row, &CONTEXT, &mut issues);
        assert_eq!(read.is_some(), issues.is_empty());
        issues.into_iter().map(|issue| issue.code).collect()
    }

    #[test]
    fn a_row_is_kept_as_it_was_sent_unless_it_names_an_account_or_a_person_or_is_large() {
        let long = format!(r#"{{"Id":"1","Title":"{}"}}"#, "x".repeat(limits::RAW_ROW_KEPT_BYTES));
        for (section, json, is_kept) in [
            (Section::Products, r#"{ "Id": 1.0 , "Title": "T" }"#, true),
            (Section::Categories, r#"{"Id":"1"}"#, true),
            (Section::AccountPrices, r#"{"AccountId":"a","Id":"1","Prices":["1 GBP"]}"#, false),
            (Section::Users, r#"{"UserId":"7"}"#, false),
            (Section::DeleteProducts, r#""1""#, false),
            (Section::Products, &long, false),
        ] {
            let row = RawRow { section, number: 3, offset: 0, json: json.as_bytes() };
            let read = step(&row, &CONTEXT, &mut Vec::new()).expect("a good row");
            assert_eq!(read.row_number, 3);
            assert_eq!(read.raw.as_deref(), is_kept.then_some(json.as_bytes()), "{section:?}");
        }
    }

    #[test]
    fn ids_that_stand_for_nobody_are_bad_rows() {
        for id in ["0", "-1", "\"0\"", "\"Guest\"", "\" null \""] {
            let user = issues_of(Section::Users, &format!(r#"{{"UserId":{id}}}"#));
            assert_eq!(user, [IssueCode::UserUnidentified], "{id}");
            assert_eq!(issues_of(Section::DeleteUsers, id), [IssueCode::UserUnidentified], "{id}");
        }
        assert_eq!(issues_of(Section::Users, r#"{"UserId":"a\tb"}"#), [IssueCode::IdMalformed]);
        assert_eq!(issues_of(Section::Users, r#"{"UserId":"7"}"#), []);
    }
}
