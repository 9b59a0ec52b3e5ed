//! `/control/account/set`, for the operator, and `POST /api/account`: details of a shop for people.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;

use super::account_quota::DiskUse;
use super::body::read_json;
use super::detached_task::to_its_end;
use super::json_fields::JsonFields;
use super::plugin::AuthenticatedOnly;
use super::status_tokens;
use crate::accounts::about::{self, Changes, Contact, DisplayName, FieldChange, SealedContact, ShopProfile};
use crate::accounts::{self, Account, quota};
use crate::api::faults::key_fault;
use crate::evidence::documents;
use crate::i18n::UiLanguage;
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;
use crate::transport::refusal::{OfShop, Refusal};

/// Profile of a shop.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Shop {
    /// The operator's name for the account.
    name: String,
    /// The name that people know the shop by.
    display_name: Option<String>,
    /// Contact that people may write to.
    contact: Option<String>,
    /// Language of letters and pages: `en`, `de` or `fr`.
    language: &'static str,
    /// Currency of prices that name none.
    currency: Option<String>,
}

/// Profile and disk use of an account.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct AccountAnswer {
    #[serde(flatten)]
    shop: Shop,
    #[serde(flatten)]
    held: DiskUse,
}

/// The same after a change.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ChangedAbout {
    #[serde(flatten)]
    shop: Shop,
    /// Says that there are no texts in the language that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Shows the profile of an account's shop, as people see it, and the account's disk use.
#[utoipa::path(post, path = "/api/account", operation_id = "account", tag = "plugin", request_body = AuthenticatedOnly,
    responses(OfShop, (status = 200, description = "Name, contact and language of the shop, and its bytes", body = AccountAnswer)))]
pub async fn show(
    State(node): State<Arc<Node>>,
    AuthenticatedOnly { account, .. }: AuthenticatedOnly,
) -> Result<Json<AccountAnswer>, Refusal> {
    let id = account.id;
    let part = node.quota_part();
    let reading = node.store.read(move |tx| Ok((about::get(tx, id)?, quota::quota_use(tx, id, None, part)?)));
    let (about, holding) = reading.await.map_err(|fault: StoreFault| Refusal::from(fault))?;
    Ok(Json(AccountAnswer { shop: shop(&node, &account, &about), held: holding.into() }))
}

/// Loads the profile of an account's shop.
///
/// # Errors
/// A refusal when the store fails.
pub async fn load_about(node: &Node, account: &Account) -> Result<ShopProfile, Refusal> {
    let id = account.id;
    let read = node.store.read(move |tx| about::get(tx, id)).await;
    read.map_err(|fault: StoreFault| fault.into())
}

/// The same as it is shown; without a contact whose key cannot be read.
pub fn shop(node: &Node, account: &Account, about: &ShopProfile) -> Shop {
    let contact = about.contact(&node.keys, account.id).unwrap_or_else(|fault| {
        tracing::warn!(%fault, account = account.id.0, "the contact of a shop cannot be read");
        None
    });
    Shop {
        name: account.name.clone(),
        display_name: about.display_name.clone(),
        contact,
        language: about.language.code(),
        currency: account.currency.clone(),
    }
}

/// The same for a page.
pub fn on_paper(node: &Node, account: &Account, about: &ShopProfile) -> documents::ShopContact {
    let Shop { name, display_name, contact, .. } = shop(node, account, about);
    documents::ShopContact { name, display_name, contact }
}

/// A text of a request: left as it is when it is not there, taken away when it is empty or null.
fn change<T>(
    fields: &JsonFields<'_>,
    name: &'static str,
    parse: impl FnOnce(&str) -> Result<T, Refusal>,
) -> Result<FieldChange<T>, Refusal> {
    if fields.find(&[name])?.is_some_and(|value| value.get() == "null") {
        return Ok(FieldChange::Clear);
    }
    match fields.opt_text(&[name])? {
        None => Ok(FieldChange::Keep),
        Some(text) if text.is_empty() => Ok(FieldChange::Clear),
        Some(text) => parse(&text).map(FieldChange::Set),
    }
}

/// Sets name, contact and language of a shop; omitted fields stay, empty ones go.
///
/// # Errors
/// A refusal when the request is malformed, a text cannot stand on a page, no account has the name, or the
/// store or a key fails.
pub async fn set(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<ChangedAbout>, Refusal> {
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let display_name = change(&fields, "DisplayName", |text| Ok(DisplayName::parse(text)?))?;
    let contact = change(&fields, "Contact", |text| Ok(Contact::parse(text)?))?;
    let mut note = None;
    let language = change(&fields, "Language", |code| {
        let (language, sentence) = UiLanguage::or_english(code);
        note = sentence;
        Ok(language)
    })?;
    let account = node.store.read(move |tx| accounts::by_name(tx, &name)).await?;
    let shop = to_its_end(async move {
        let contact = seal_contact(&node, &account, contact).await?;
        let slot = match &contact {
            FieldChange::Set(sealed) => Some(sealed.slot),
            FieldChange::Keep | FieldChange::Clear => None,
        };
        let changes = Changes { display_name, language, contact };
        let id = account.id;
        let set = node.store.write(id, move |tx| about::update(tx, id, &changes)).await;
        let ended = match &set {
            Ok((_, ended)) => *ended,
            // The outcome is unknown; the sweep at the next start will tell.
            Err(fault) if fault.is_outcome_unknown() => None,
            Err(_) => slot,
        };
        status_tokens::destroy_keys(&node, ended.into_iter().collect()).await;
        let (about, _) = set?;
        tracing::info!(account = id.0, "what a shop says of itself was set");
        Ok::<_, Refusal>(shop(&node, &account, &about))
    })
    .await?;
    Ok(Json(ChangedAbout { shop, note }))
}

/// A contact under a fresh key.
async fn seal_contact(
    node: &Node,
    account: &Account,
    contact: FieldChange<Contact>,
) -> Result<FieldChange<SealedContact>, Refusal> {
    let contact = match contact {
        FieldChange::Keep => return Ok(FieldChange::Keep),
        FieldChange::Clear => return Ok(FieldChange::Clear),
        FieldChange::Set(contact) => contact,
    };
    let slot = node.keys.take_slot_async().await.map_err(key_fault)?;
    match contact.seal(&node.keys, account.id, slot) {
        Ok(sealed) => Ok(FieldChange::Set(sealed)),
        Err(fault) => {
            status_tokens::destroy_keys(node, vec![slot]).await;
            Err(key_fault(fault))
        }
    }
}
