//! `/control/account/search` and `/control/account/search/renew`, for the operator: sets a shop's search, and rebuilds
//! its index.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;

use crate::accounts::search::{self, SearchChanges, SearchSettings};
use crate::accounts::{self, AccountFault};
use crate::api::account_change::{change, load_owner};
use crate::api::body::read_json;
use crate::api::json_fields::{JsonFields, RequestFields};
use crate::limits;
use crate::node::Node;
use crate::search::synonyms::{SynonymFault, Synonyms};
use crate::search::text::{Analyser, ShopLanguage};
use crate::transport::refusal::Refusal;

/// A list of synonyms, in which each sign may be escaped in two, and the other fields.
const BODY_BYTES: usize = 2 * limits::SEARCH_SYNONYMS_BYTES + limits::REQUEST_BODY_BYTES;

impl From<SynonymFault> for Refusal {
    fn from(fault: SynonymFault) -> Self {
        Self::malformed(fault.to_string())
    }
}

/// Search settings of a shop.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Set {
    name: String,
    /// Language of the texts: the one that was set, or the default.
    language: &'static str,
    attributes: Vec<String>,
    origins: Vec<String>,
    /// Origins of pictures that the page for trying the search may show.
    pictures: Vec<String>,
    /// The lines as they were set.
    synonyms: String,
    /// True if products that shoppers like rank higher.
    popularity: bool,
    /// Order of the products that are bought together: `likely`, `balanced` or `specific`.
    bought_together: &'static str,
    /// The option for each of whose values a product appears once; empty: each appears once.
    group_by: String,
}

impl Set {
    fn new(name: String, settings: SearchSettings) -> Self {
        Self {
            name,
            language: settings.language().code(),
            synonyms: settings.synonyms.text().to_owned(),
            popularity: settings.popularity,
            bought_together: settings.bought_together.name(),
            group_by: settings.group_by,
            attributes: settings.attributes,
            origins: settings.origins,
            pictures: settings.pictures,
        }
    }
}

/// Sets a shop's search; omitted fields stay, empty ones go.
///
/// # Errors
/// A refusal when the request is malformed, a value cannot be, no account has the name, or the store fails.
pub async fn set(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Set>, Refusal> {
    let body = read_json(request, BODY_BYTES).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let language = match fields.opt_text(&["Language"])? {
        Some(code) if code.is_empty() => Some(None),
        Some(code) => Some(Some(search::language(&code)?)),
        None => None,
    };
    let attributes = fields.opt_texts("Attributes")?.map(search::attributes).transpose()?;
    let origins = fields.opt_texts("Origins")?.map(search::origins).transpose()?;
    let pictures = fields.opt_texts("Pictures")?.map(search::pictures).transpose()?;
    let synonyms = fields.opt_text(&["Synonyms"])?;
    let popularity = fields.opt_flag(&["Popularity"])?;
    let bought_together = fields.opt_text(&["BoughtTogether"])?;
    let bought_together = bought_together.as_deref().map(search::bought_together).transpose()?;
    let group_by = fields.opt_text(&["GroupBy"])?.map(search::group_by).transpose()?;
    let owner = load_owner(&node, &name).await?;
    if let Some(lines) = &synonyms {
        check_synonyms(&node, &name, language, lines).await?;
    }
    let changes = SearchChanges {
        language,
        attributes,
        origins,
        pictures,
        synonyms,
        popularity,
        bought_together,
        group_by,
    };
    let setting = change(&node, owner, move |tx| {
        let account = accounts::by_name(tx, &name)?;
        let before = search::get(tx, account.id)?;
        let settings = search::update(tx, account.id, &changes)?;
        Ok((account, before, settings))
    });
    let (account, before, settings) = setting.await?;
    tracing::info!(account = account.id.0, "the search of an account was set");
    let is_indexed_alike = before.language() == settings.language()
        && before.attributes == settings.attributes
        && before.synonyms.words_apart() == settings.synonyms.words_apart();
    if !is_indexed_alike {
        node.derived.searches().begin_again(account.id);
    }
    Ok(Json(Set::new(account.name, settings)))
}

/// Reads synonyms in the language of the shop's texts: the one that is set with them, or else its present one.
async fn check_synonyms(
    node: &Node,
    name: &str,
    language: Option<Option<ShopLanguage>>,
    lines: &str,
) -> Result<(), Refusal> {
    let name = name.to_owned();
    let reading = node.store.read(move |tx| {
        let account = accounts::by_name(tx, &name)?;
        Ok::<_, AccountFault>(search::get(tx, account.id)?)
    });
    let settings = reading.await?;
    let settings = SearchSettings { language: language.unwrap_or(settings.language), ..settings };
    Synonyms::parse(lines, &Analyser::new(settings.language()))?;
    Ok(())
}

/// A rebuilt index.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct RebuiltIndex {
    name: String,
    /// Number of products in it.
    products: u64,
}

/// Rebuilds the index of an account's search, with new statistics; the old one answers meanwhile.
///
/// # Errors
/// A refusal when the request is malformed, no account has the name, the store fails, or the index cannot be made.
pub async fn renew(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<RebuiltIndex>, Refusal> {
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let name = JsonFields::parse(&body)?.text(&["Name"])?;
    let account = node.store.read(move |tx| accounts::by_name(tx, &name)).await?;
    let products = node.derived.searches().renew(account.id).await?;
    tracing::info!(account = account.id.0, products, "a search index was made anew");
    Ok(Json(RebuiltIndex { name: account.name, products }))
}
