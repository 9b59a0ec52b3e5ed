//! `/control/operator/…`: who works at the console, for the operator of the machine over the control socket, and for
//! owners at the console.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::{Value, json};

use crate::api::body::read_json;
use crate::api::json_fields::{JsonFields, RequestFields};
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::node::Node;
use crate::operators::{self, Operator, OperatorFault, OperatorRole, OperatorUpdate, audit_log};
use crate::store::{Owner, Tx};
use crate::transport::refusal::Refusal;
use crate::{accounts, limits};

impl From<OperatorFault> for Refusal {
    fn from(fault: OperatorFault) -> Self {
        match fault {
            OperatorFault::Store(fault) => fault.into(),
            OperatorFault::Keys(fault) => crate::api::faults::key_fault(fault),
            OperatorFault::Unknown | OperatorFault::LinkUnknown => Self::unknown(fault.to_string()),
            OperatorFault::NameTaken | OperatorFault::TooMany | OperatorFault::LastOwner => {
                Self::conflict(fault.to_string())
            }
            OperatorFault::NameMalformed
            | OperatorFault::RoleUnknown
            | OperatorFault::NoShop(_)
            | OperatorFault::PasswordShort
            | OperatorFault::PasswordLong => Self::malformed(fault.to_string()),
            OperatorFault::Hash | OperatorFault::Code => Self::fault(),
        }
    }
}

async fn body(request: Request<Body>) -> Result<bytes::Bytes, Refusal> {
    read_json(request, limits::REQUEST_BODY_BYTES).await
}

fn role(fields: &JsonFields<'_>) -> Result<Option<OperatorRole>, Refusal> {
    let name = fields.opt_text(&["Role"])?;
    let role = name.map(|name| OperatorRole::from_name(&name).ok_or(OperatorFault::RoleUnknown));
    Ok(role.transpose()?)
}

/// Names of the shops that an operator is to work for.
fn shops(fields: &JsonFields<'_>) -> Result<Option<Vec<String>>, Refusal> {
    let Some(listed) = fields.find(&["Shops"])? else { return Ok(None) };
    let shops = serde_json::from_str(listed.get());
    shops.map(Some).map_err(|_| Refusal::malformed("Shops has to be a list of names of shops"))
}

fn find_account_ids(tx: &mut Tx<'_>, shops: &[String]) -> Result<Vec<AccountId>, accounts::AccountFault> {
    shops.iter().map(|name| Ok(accounts::by_name(tx, name)?.id)).collect()
}

/// Changes something of an operator in the store.
async fn change_operator<T: Send + 'static>(
    node: &Node,
    work: impl Fn(&mut Tx<'_>) -> Result<T, OperatorFault> + Send + 'static,
) -> Result<T, Refusal> {
    Ok(node.store.write(Owner::STORE, work).await?)
}

async fn read_shops(node: &Node, shops: Vec<String>) -> Result<Vec<AccountId>, Refusal> {
    Ok(node.store.read(move |tx| find_account_ids(tx, &shops)).await?)
}

/// The answer with the link by which a password is chosen: it is shown here and nowhere else.
fn with_link(node: &Node, link: &str) -> Json<Value> {
    let until = node.clock.now() + millis(limits::OPERATOR_LINK_DURATION);
    let link = format!("{}/link/{link}", node.console_address().unwrap_or_default());
    Json(json!({"Link": link, "Until": until}))
}

/// Adds an operator.
///
/// # Errors
/// A refusal when the request is malformed, the name is taken or cannot be used, a shop is unknown, or the store fails.
pub async fn add(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let role = role(&fields)?.unwrap_or(OperatorRole::Owner);
    let shops = read_shops(&node, shops(&fields)?.unwrap_or_default()).await?;
    let keys = node.keys.clone();
    let now = node.clock.now();
    let adding = change_operator(&node, move |tx| operators::add(tx, &keys, &name, (role, &shops), now));
    let (id, link) = adding.await?;
    tracing::info!(role = role.name(), "an operator was added");
    let mut answer = with_link(&node, &link);
    answer.0["Number"] = id.to_string().into();
    Ok(answer)
}

/// An operator in the list.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListedOperator {
    /// As the lines of acts call them.
    number: String,
    name: Option<String>,
    role: &'static str,
    /// The shops they work for; of owners none is listed.
    shops: Vec<String>,
    made_at: Millis,
    disabled_at: Option<Millis>,
    /// True if they chose a password.
    has_password: bool,
    /// True if signing in takes a code too.
    has_code: bool,
    /// Time until which their link counts, if they have one.
    link_until: Option<Millis>,
}

impl ListedOperator {
    fn from_operator(operator: Operator, accounts: &[accounts::Account]) -> Self {
        let is_theirs = |account: &&accounts::Account| operator.shops.contains(&account.id);
        Self {
            number: operator.id.to_string(),
            role: operator.role.name(),
            shops: accounts.iter().filter(is_theirs).map(|account| account.name.clone()).collect(),
            made_at: operator.made_at,
            disabled_at: operator.disabled_at,
            link_until: operator.link_until.filter(|_| operator.password.is_none()),
            has_password: operator.password.is_some(),
            has_code: operator.has_code(),
            name: operator.name,
        }
    }
}

/// All operators.
///
/// # Errors
/// A refusal when the store fails.
pub async fn list(State(node): State<Arc<Node>>) -> Result<Json<Vec<ListedOperator>>, Refusal> {
    let keys = node.keys.clone();
    let reading = node.store.read(move |tx| {
        let accounts = accounts::list(tx)?;
        let operators = operators::list(tx, &keys)?;
        Ok::<_, OperatorFault>(
            operators.into_iter().map(|one| ListedOperator::from_operator(one, &accounts)).collect(),
        )
    });
    Ok(Json(reading.await?))
}

/// Changes an operator's role and shops, and whether they may do anything.
///
/// # Errors
/// A refusal when the request is malformed, no operator has the name, they are the last owner, or the store fails.
pub async fn set(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let shops = match shops(&fields)? {
        Some(shops) => Some(read_shops(&node, shops).await?),
        None => None,
    };
    let is_enabled = match fields.opt_text(&["State"])?.as_deref() {
        None => None,
        Some("enabled") => Some(true),
        Some("disabled") => Some(false),
        Some(_) => return Err(Refusal::malformed("State has to be enabled or disabled")),
    };
    let change = OperatorUpdate { role: role(&fields)?, shops, is_enabled };
    let keys = node.keys.clone();
    let now = node.clock.now();
    change_operator(&node, move |tx| operators::change(tx, &keys, &name, &change, now)).await?;
    tracing::info!("an operator was changed");
    Ok(Json(json!({})))
}

/// Takes the password away from an operator, and their codes, and gives a link to choose another password.
///
/// # Errors
/// A refusal when the request is malformed, no operator has the name, or the store fails.
pub async fn reset(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let name = JsonFields::parse(&body)?.text(&["Name"])?;
    let keys = node.keys.clone();
    let now = node.clock.now();
    let link = change_operator(&node, move |tx| operators::renew(tx, &keys, &name, now)).await?;
    tracing::info!("an operator has to choose another password");
    Ok(with_link(&node, &link))
}

/// Removes an operator: their name goes, and their lines in the audit log stay.
///
/// # Errors
/// A refusal when the request is malformed, no operator has the name, they are the last owner, or the store fails.
pub async fn remove(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let body = body(request).await?;
    let name = JsonFields::parse(&body)?.text(&["Name"])?;
    let keys = node.keys.clone();
    let now = node.clock.now();
    change_operator(&node, move |tx| operators::remove(tx, &keys, &name, now)).await?;
    tracing::info!("an operator was removed");
    Ok(Json(json!({})))
}

/// Something that an operator did.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct OperatorActEntry {
    /// Its number: with the time it names the line at which the next page begins.
    line: String,
    at: Millis,
    /// The number of the operator …
    operator: String,
    /// … and their name, if they are still here.
    name: Option<String>,
    act: String,
    /// The shop, by its name.
    shop: Option<String>,
    about: Option<String>,
}

/// Lists the acts of operators, newest first; `Before` and `Behind`, the time and number of a line, continue after it.
///
/// # Errors
/// A refusal when the request is malformed, or the store fails.
pub async fn acts(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Vec<OperatorActEntry>>, Refusal> {
    let body = body(request).await?;
    let fields = JsonFields::parse(&body)?;
    let before = fields.opt_number(&["Before"])?.unwrap_or(Millis::MAX);
    let behind = fields.opt_text(&["Behind"])?.and_then(|line| uuid::Uuid::try_parse(&line).ok());
    let behind = *behind.unwrap_or_default().as_bytes();
    let keys = node.keys.clone();
    let reading = node.store.read(move |tx| {
        let accounts = accounts::list(tx)?;
        let operators = operators::list(tx, &keys)?;
        let name = |id| operators.iter().find(|one| one.id == id).and_then(|one| one.name.clone());
        let shop = |id| accounts.iter().find(|one| one.id == id).map(|one| one.name.clone());
        let acts = audit_log::list(tx, (before, behind), limits::ACTS_SHOWN)?.into_iter().map(|act| {
            OperatorActEntry {
                line: uuid::Uuid::from_bytes(act.id).to_string(),
                at: act.at,
                operator: act.operator.to_string(),
                name: name(act.operator),
                act: act.act,
                shop: act.account.and_then(shop),
                about: act.about,
            }
        });
        Ok::<_, OperatorFault>(acts.collect())
    });
    Ok(Json(reading.await?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admin::testing::assert_refused_as;
    use crate::keys::KeyFault;
    use crate::store::StoreFault;
    use crate::transport::refusal::ErrorCode;

    #[test]
    fn each_fault_of_an_operator_is_a_refusal_of_its_kind() {
        for (fault, code) in [
            (OperatorFault::Store(StoreFault::Busy), ErrorCode::Busy),
            (OperatorFault::Keys(KeyFault::InUse), ErrorCode::Busy),
            (OperatorFault::Unknown, ErrorCode::NotFound),
            (OperatorFault::LinkUnknown, ErrorCode::NotFound),
            (OperatorFault::NameTaken, ErrorCode::Conflict),
            (OperatorFault::TooMany, ErrorCode::Conflict),
            (OperatorFault::LastOwner, ErrorCode::Conflict),
            (OperatorFault::NameMalformed, ErrorCode::Malformed),
            (OperatorFault::RoleUnknown, ErrorCode::Malformed),
            (OperatorFault::NoShop(OperatorRole::Viewer), ErrorCode::Malformed),
            (OperatorFault::PasswordShort, ErrorCode::Malformed),
            (OperatorFault::PasswordLong, ErrorCode::Malformed),
            (OperatorFault::Hash, ErrorCode::Fault),
            (OperatorFault::Code, ErrorCode::Fault),
        ] {
            assert_refused_as(fault, code);
        }
    }

    #[test]
    fn a_role_is_known_by_its_name_and_shops_are_a_list() {
        let role = |body: &str| role(&JsonFields::parse(body.as_bytes()).expect("fields"));
        assert!(matches!(role(r#"{"Role":"viewer"}"#), Ok(Some(OperatorRole::Viewer))));
        assert!(matches!(role("{}"), Ok(None)));
        let unknown = role(r#"{"Role":""}"#).err().map(|refusal| refusal.sentence().to_owned());
        assert_eq!(unknown, Some(OperatorFault::RoleUnknown.to_string()));
        let shops = |body: &str| {
            let read = shops(&JsonFields::parse(body.as_bytes()).expect("fields"));
            read.map_err(|refusal| refusal.sentence().to_owned())
        };
        assert_eq!(shops("{}"), Ok(None));
        assert_eq!(shops(r#"{"shops":[]}"#), Ok(Some(Vec::new())));
        assert_eq!(shops(r#"{"Shops":["a","b"]}"#), Ok(Some(vec!["a".to_owned(), "b".to_owned()])));
        for wrong in [r#"{"Shops":"a"}"#, r#"{"Shops":[7]}"#, r#"{"Shops":null}"#] {
            assert_eq!(shops(wrong), Err("Shops has to be a list of names of shops".to_owned()));
        }
    }
}
