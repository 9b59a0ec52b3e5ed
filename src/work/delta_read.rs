//! Reading a delta's payload into operations, before any transaction.

use std::cell::{Cell, RefCell};

use crate::addresses;
use crate::feeds::issue::{Issue, IssueCode, Severity};
use crate::feeds::reader::{FeedPiece, FeedReader, RawRow};
use crate::feeds::rows::{self, NormaliserContext, RowObservations, VariantRow};
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
    /// Sets fields of a variant of a product.
    SetVariant(VariantOp),
    /// A variant of a product goes.
    DeleteVariant(VariantOp),
    /// Stores a profile.
    User(Profile),
    /// Removes a profile.
    DeleteUser(Identifier),
}

/// A row about a variant.
pub struct VariantOp {
    /// The variant, and the fields that the row sets.
    pub row: VariantRow,
    /// Start of the row in the payload, in bytes.
    pub offset: u64,
}

static_assertions::assert_not_impl_any!(VariantOp: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(Op: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(DeltaStep: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(rows::UserRow: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl Op {
    /// Rows that it writes: its own, and one for each child, or for both keys of a variant.
    pub fn rows(&self) -> usize {
        match self {
            Self::Put { children, .. } => 1 + children.len(),
            Self::SetVariant(_) => 3,
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
    let mut variants = VariantRows::default();
    loop {
        match reader.next_piece() {
            Ok(None) => break,
            Ok(Some(FeedPiece::Section(_))) => {}
            Ok(Some(FeedPiece::Unknown(unknown))) => {
                issues.push(Issue::unknown_section(unknown));
            }
            Ok(Some(FeedPiece::Row(row))) if is_of_variants(row.section) => {
                variants.read(&row, context, &mut issues);
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
            Ok(Some(FeedPiece::Issue(issue))) => issues.push(issue),
            Err(fault) => {
                read.unusable = Some(fault.to_string());
                break;
            }
        }
        read.bad += issues.iter().filter(|issue| issue.severity() == Severity::Bad).count() as u64;
        read.found.add(&mut issues);
    }
    read.steps.extend(variants.into_steps(next));
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
    let noted = issues.len();
    let op = operation(row, &context, is_forgotten, issues)?;
    // Only its normal form is blanked, and what is left out of that may name accounts.
    let may_hold = addresses::may_hold_address(row.json);
    let is_whole = !issues[noted..].iter().any(|issue| drops_variants(issue.code));
    let is_kept = matches!(op, Op::Put { .. }) && !names_an_account.get() && !may_hold && is_whole;
    let raw = (is_kept && row.json.len() <= limits::RAW_ROW_KEPT_BYTES).then(|| row.json.to_vec());
    Some(DeltaStep { n, op, row_number: row.number, raw })
}

/// Returns true if a variant of the row was not used, and perhaps not read.
fn drops_variants(code: IssueCode) -> bool {
    matches!(code, IssueCode::VariantMalformed | IssueCode::VariantRepeated | IssueCode::VariantsTooMany)
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
        FeedPart::SetCategoryOnProducts
        | FeedPart::RemoveCategoryFromProducts
        | FeedPart::SetVariants
        | FeedPart::DeleteVariants
        | FeedPart::Orders => None,
    }
}

/// Rows about variants: they are applied after all others, removals first, so that a variant can move to another
/// product or be replaced in one delta.
#[derive(Default)]
struct VariantRows {
    /// Numbers and operations of the rows; a row that is left out keeps its place.
    deleted: Vec<Option<(u64, Op)>>,
    set: Vec<Option<(u64, Op)>>,
}

impl VariantRows {
    fn read(&mut self, row: &RawRow<'_>, context: &NormaliserContext<'_>, issues: &mut Vec<Issue>) {
        if self.set.len() + self.deleted.len() >= limits::VARIANT_CHANGES {
            issues.push(Issue::new(row, IssueCode::VariantChangesTooMany, None));
            return;
        }
        let op = |row_read: VariantRow| VariantOp { row: row_read, offset: row.offset };
        if row.section == FeedPart::SetVariants {
            let read = rows::set_variant(row, context, issues);
            self.set.push(read.map(|read| (row.number, Op::SetVariant(op(read)))));
        } else {
            let read = rows::deleted_variant(row, context, issues);
            self.deleted.push(read.map(|read| (row.number, Op::DeleteVariant(op(read)))));
        }
    }

    /// Their operations, the first row as number `first`.
    fn into_steps(self, first: i64) -> impl Iterator<Item = DeltaStep> {
        let rows = self.deleted.into_iter().chain(self.set);
        (first..).zip(rows).filter_map(|(n, row)| {
            let (row_number, op) = row?;
            Some(DeltaStep { n, op, row_number, raw: None })
        })
    }
}

fn is_of_variants(section: FeedPart) -> bool {
    matches!(section, FeedPart::SetVariants | FeedPart::DeleteVariants)
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
#[path = "delta_read_tests.rs"]
mod tests;
